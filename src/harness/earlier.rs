//! An earlier run, read back from what it left: the folder of its verdict files, or its report.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::report::Earlier;
use crate::report::comparison::Trials;
use crate::verdict::{SCHEMA_VERSION, Verdict};

/// Later attempts of a retried trial lie in folders that begin so.
const ATTEMPT: &str = "attempt-";

/// What `report.json` holds, as far as it is read.
#[derive(Deserialize)]
struct Document {
    run: Named,
    verdicts: Vec<Verdict>,
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

/// The trials of an earlier run. `which` is the path (relative to `base`) of its folder, of its `report.json` or
/// `report.jsonl`, or its id: the name of its folder below `out`. The error is a sentence for the user.
pub fn earlier_run(which: &str, base: &Path, out: &Path) -> Result<Earlier, String> {
    let path = base.join(which);
    let below = out.join(which);
    if path.is_file() {
        return of_report(&path);
    }
    let folder = if path.is_dir() { path } else { below };
    if !folder.is_dir() {
        return Err(format!(
            "no run `{which}`: it is neither a folder of verdict files, nor a report, nor a run below `{}`",
            out.display()
        ));
    }
    of_folder(&folder)
}

fn of_report(path: &Path) -> Result<Earlier, String> {
    let shown = path.display().to_string();
    if path.extension().is_some_and(|extension| extension == "jsonl") {
        let text = text_of(path)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let verdicts: Result<Vec<Verdict>, String> =
            lines.map(|(index, line)| parsed(line, &format!("{shown}:{}", index + 1))).collect();
        return named(shown, &verdicts?);
    }
    let document: Document = parsed(&text_of(path)?, &shown)?;
    named(document.run.id, &document.verdicts)
}

fn of_folder(folder: &Path) -> Result<Earlier, String> {
    let mut files = Vec::new();
    verdict_files(folder, &mut files)?;
    let read = |path: PathBuf| parsed(&text_of(&path)?, &path.display().to_string());
    let verdicts: Result<Vec<Verdict>, String> = files.into_iter().map(read).collect();
    named(folder.file_name().unwrap_or_default().to_string_lossy().into_owned(), &verdicts?)
}

/// Those of a folder and of the folders in it, then those of each attempt after the first. A file beside a folder of its
/// name tells of that folder: it is no verdict.
fn verdict_files(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let (folders, own): (Vec<PathBuf>, Vec<PathBuf>) =
        entries(folder)?.into_iter().partition(|path| path.is_dir());
    let is_json = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    files.extend(own.into_iter().filter(|path| is_json(path) && !path.with_extension("").is_dir()));
    let mut folders: Vec<(u32, PathBuf)> =
        folders.into_iter().map(|path| (attempt(&path).unwrap_or_default(), path)).collect();
    folders.sort();
    folders.iter().try_for_each(|(_, folder)| verdict_files(folder, files))
}

fn attempt(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix(ATTEMPT)?.parse().ok()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn text_of(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn parsed<T: DeserializeOwned>(text: &str, place: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("{place}: this is no verdict: {error}"))
}

fn named(name: String, verdicts: &[Verdict]) -> Result<Earlier, String> {
    if let Some(other) = verdicts.iter().find(|verdict| verdict.schema_version != SCHEMA_VERSION) {
        let version = other.schema_version;
        return Err(format!(
            "`{name}` holds verdicts of version {version}; this version of arraign reads {SCHEMA_VERSION}"
        ));
    }
    let trials: Trials = verdicts.iter().collect();
    if trials.is_empty() {
        return Err(format!("`{name}` holds no verdict: there is nothing to compare"));
    }
    Ok(Earlier { name, trials })
}
