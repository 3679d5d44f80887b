//! Reads other files: lists of tests, prompts, and values that begin with `file://`.

use std::path::Path;

use arraign::__internals::yaml::{Document, Node};
use arraign::json::{Json, JsonMap};

use super::rows;
use crate::import::draft::parse_documents;
use crate::import::keys::{list_entries, read_scalar};
use crate::import::source_dir::{SourceDir, has_extension};

const YAML: &[&str] = &["yaml", "yml", "json", "jsonl"];
const CODE: &[&str] = &["js", "cjs", "mjs", "ts", "cts", "mts", "py", "rb", "go"];
/// Files that promptfoo converts to text in its own way.
const MEDIA: &[&str] = &[
    "pdf", "png", "jpg", "jpeg", "gif", "bmp", "webp", "svg", "mp3", "wav", "mp4", "webm", "mov", "xlsx",
    "xls", "docx",
];

/// Returns the file name of a text that begins with `file://`.
pub(super) fn strip_file_scheme(text: &str) -> Option<&str> {
    text.strip_prefix("file://")
}

/// Reads the lists of tests in the files that `text` names with a path or glob.
pub(super) fn read_tests(text: &str, source_dir: &SourceDir) -> Result<Vec<Document>, String> {
    let name = strip_file_scheme(text).unwrap_or(text);
    if name.contains("://") {
        return Err("the tests are on a server: save them to a file".to_owned());
    }
    refuse_unreadable(name)?;
    let mut all = Vec::new();
    for path in source_dir.find_files(name)? {
        let source = source_dir.read_source(&path)?;
        if has_extension(&path, &["csv"]) {
            all.extend(rows::parse_tests(&source)?);
        } else if has_extension(&path, YAML) {
            all.extend(parse_documents(&source).map_err(|errors| errors.to_string())?);
        } else {
            return Err(format!("{} is not a known format of tests", source.name()));
        }
    }
    Ok(all)
}

/// Reads the single document of the file that `node` names, if it names one.
pub(super) fn read_document(node: Node<'_>, source_dir: &SourceDir) -> Result<Option<Document>, String> {
    let Some(name) = node.as_str().and_then(strip_file_scheme) else { return Ok(None) };
    read_mapping(name, source_dir).map(Some)
}

/// Merges the mappings of all files that `node` names.
pub(super) fn merge_files(node: Node<'_>, source_dir: &SourceDir) -> Result<JsonMap, String> {
    let mut all = JsonMap::new();
    for name in list_entries(Some(node))
        .into_iter()
        .map(|node| read_scalar(node).ok_or("expected a list of file names"))
    {
        let name = name?;
        let Json::Object(values) =
            read_mapping(strip_file_scheme(&name).unwrap_or(&name), source_dir)?.root().to_json()
        else {
            return Err(format!("`{name}` is not a mapping"));
        };
        // A later file overrides the earlier ones, as promptfoo reads them.
        all.extend(values);
    }
    Ok(all)
}

fn read_mapping(name: &str, source_dir: &SourceDir) -> Result<Document, String> {
    let found = source_dir.find_files(name)?;
    let path = found.first().ok_or("no such file")?;
    let mut all = Document::parse(&source_dir.read_source(path)?).map_err(|errors| errors.to_string())?;
    if all.len() == 1 { Ok(all.remove(0)) } else { Err(format!("expected one document in `{name}`")) }
}

/// Returns `text`, or the content of its file if it begins with `file://`: a list if a glob matches several files.
pub(super) fn read_value(text: &str, source_dir: &SourceDir) -> Result<Json, String> {
    let Some(name) = strip_file_scheme(text) else { return Ok(text.into()) };
    refuse_unreadable(name)?;
    let mut values = Vec::new();
    for path in source_dir.find_files(name)? {
        values.push(read_file_value(&path, source_dir)?);
    }
    Ok(if values.len() == 1 { values.remove(0) } else { values.into() })
}

fn read_file_value(path: &Path, source_dir: &SourceDir) -> Result<Json, String> {
    let source = source_dir.read_source(path)?;
    if !has_extension(path, YAML) {
        return Ok(source.text().trim_end_matches(['\r', '\n']).into());
    }
    let documents = parse_documents(&source).map_err(|errors| errors.to_string())?;
    Ok(documents.first().map(|document| document.root().to_json()).unwrap_or_default())
}

/// Reads the prompts in the files that `text` names. In a file, lines of `---` separate prompts.
pub(super) fn read_prompts(text: &str, source_dir: &SourceDir) -> Result<Vec<String>, String> {
    let name = strip_file_scheme(text).unwrap_or(text);
    refuse_unreadable(name)?;
    let mut all = Vec::new();
    for path in source_dir.find_files(name)? {
        if !has_extension(&path, &["txt", "md", "j2"]) {
            return Err(
                "only plain-text prompts can be read: add the `input` of the cases by hand".to_owned()
            );
        }
        let source = source_dir.read_source(&path)?;
        // Only a text file is split: `---` is a rule or a header in Markdown.
        let parts = if has_extension(&path, &["txt"]) {
            split_prompts(source.text())
        } else {
            vec![source.text().to_owned()]
        };
        all.extend(parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()));
    }
    Ok(all)
}

fn split_prompts(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    lines.split(|line| line.trim() == "---").map(|part| part.join("\n")).collect()
}

fn refuse_unreadable(name: &str) -> Result<(), String> {
    // The name of a file of code can be followed by the name of a function.
    let (file, _) = name.split_once(':').unwrap_or((name, ""));
    let (file, _) = file.split_once('#').unwrap_or((file, ""));
    if has_extension(Path::new(file), CODE) {
        return Err("arraign does not run code: write down its output".to_owned());
    }
    if has_extension(Path::new(file), MEDIA) {
        return Err("the file is not text: only promptfoo can read it".to_owned());
    }
    Ok(())
}
