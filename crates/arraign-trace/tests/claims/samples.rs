//! The samples of the readers, as they stand and put together.

use std::fs;
use std::path::{Path, PathBuf};

use arraign_trace::json::Json;

/// The samples of each format.
pub(crate) fn formats() -> Vec<(String, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader");
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let samples = |path: &Path| {
        let files = list(path).into_iter().filter(|path| path.extension().is_some_and(|end| end != "txt"));
        files.map(|path| fs::read_to_string(path).expect("a file")).collect()
    };
    list(&folder).iter().map(|path| (name(path), samples(path))).collect()
}

/// The samples of each format with the names of their files.
pub(crate) fn named_samples() -> Vec<(String, Vec<(String, String)>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader");
    list(&folder).iter().map(|path| (name_of(path), named_files(path))).collect()
}

/// The files of frameworks that have no reader, or that a reader does not read completely.
pub(crate) fn frameworks() -> Vec<(String, String)> {
    named_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frameworks"))
}

fn named_files(folder: &Path) -> Vec<(String, String)> {
    let is_sample = |path: &PathBuf| path.extension().is_some_and(|end| end != "txt" && end != "md");
    let files = list(folder).into_iter().filter(is_sample);
    files.map(|path| (name_of(&path), fs::read_to_string(&path).expect("a file"))).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// All samples of each format in one file: as lines, as documents, as a list. Not each of them is of that format.
pub(crate) fn put_together() -> Vec<(String, String)> {
    let mut files = Vec::new();
    for (format, samples) in formats() {
        let values: Vec<Json> = samples.iter().filter_map(|text| values(text)).flatten().collect();
        let joined = |between: &str, pretty: bool| {
            let text = |value: &Json| if pretty { format!("{value:#}") } else { value.to_string() };
            values.iter().map(text).collect::<Vec<_>>().join(between)
        };
        files.push((format.clone(), joined("\n", false)));
        files.push((format.clone(), joined("\r\n\r\n", true)));
        files.push((format, format!(" [{}]\n", joined(" ,\n", true))));
    }
    files
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = entries.collect();
    paths.sort();
    paths
}

/// The values of a file: its lines, or the elements of its list, or itself.
fn values(text: &str) -> Option<Vec<Json>> {
    let values: Result<Vec<Json>, _> = serde_json::Deserializer::from_str(text).into_iter().collect();
    match values.ok()?.as_slice() {
        [Json::Array(items)] => Some(items.clone()),
        values => Some(values.to_vec()),
    }
}
