//! The folders and files of runs.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::de::DeserializeOwned;

use super::{RunError, RunProblem};
use crate::harness::record::manifest::{self, MANIFESTS, RunManifest};
use crate::report::RunInfo;
use crate::verdict::summary::Selection;
use crate::verdict::{self, Verdict};

/// The run below `out` that began last, of those that left a verdict.
pub fn newest(out: &Path) -> Result<PathBuf, RunError> {
    let runs = if out.is_dir() { list_folder(out)? } else { Vec::new() };
    let began = |run: &PathBuf| Some((started_ms(run)?, run.clone()));
    let newest = runs.into_iter().filter_map(|run| began(&run)).max();
    newest.map(|(_, run)| run).ok_or_else(|| RunError::new(out, RunProblem::NoRun))
}

/// When the run began. Listing leaves a folder, too: without verdicts it is no run.
fn started_ms(run: &Path) -> Option<u64> {
    let has_verdicts = list_folder(run).ok()?.iter().any(|entry| !entry.ends_with(MANIFESTS));
    let began = |path: PathBuf| read_json::<RunManifest>(&path).ok();
    let began = list_manifests(run).into_iter().filter_map(began);
    began.map(|one| one.started_ms).min().filter(|_| has_verdicts)
}

/// The files that say how a run began: none where it is no run.
pub(super) fn list_manifests(run: &Path) -> Vec<PathBuf> {
    let files = list_folder(&run.join(MANIFESTS)).unwrap_or_default();
    files.into_iter().filter(|path| is_json(path)).collect()
}

/// What a folder holds, by name.
pub(super) fn list_folder(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let refused = |error: io::Error| RunError::new(folder, RunProblem::Folder(error.to_string()));
    let entries = fs::read_dir(folder).map_err(refused)?;
    let paths: Result<Vec<PathBuf>, RunError> =
        entries.map(|entry| entry.map(|entry| entry.path()).map_err(refused)).collect();
    let mut paths = paths?;
    paths.sort();
    Ok(paths)
}

pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json") && !is_temporary(path)
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// A file that says of which version it is.
pub(super) trait Versioned: DeserializeOwned {
    /// The version that this program writes.
    const KNOWN: u32;

    /// The version of the writer.
    fn version(&self) -> u32;
}

impl Versioned for RunManifest {
    const KNOWN: u32 = manifest::SCHEMA_VERSION;

    fn version(&self) -> u32 {
        self.schema_version
    }
}

impl Versioned for Verdict {
    const KNOWN: u32 = verdict::SCHEMA_VERSION;

    fn version(&self) -> u32 {
        self.schema_version
    }
}

/// The value in a file, unless a later version wrote it.
pub(super) fn read_json<T: Versioned>(path: &Path) -> Result<T, RunError> {
    let unread = |error: io::Error| RunError::new(path, RunProblem::Unread(error.to_string()));
    // From a text, as everywhere: each type is compiled for each kind of input that it is read from.
    let value: T = serde_json::from_str(&fs::read_to_string(path).map_err(unread)?)
        .map_err(|error| RunError::new(path, RunProblem::Broken(error.to_string())))?;
    match value.version() {
        version if version > T::KNOWN => Err(RunError::new(path, RunProblem::Newer(version))),
        _ => Ok(value),
    }
}

/// The id of the run that `folder` holds.
pub(super) fn run_id(folder: &Path) -> String {
    let whole = folder.canonicalize();
    let name = whole.as_deref().unwrap_or(folder).file_name();
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// A run of which nothing is known beside its verdicts.
pub(super) fn unknown_run() -> RunInfo {
    RunInfo {
        id: String::new(),
        started: UNIX_EPOCH,
        folder: String::new(),
        rules: BTreeMap::new(),
        skipped: Vec::new(),
        selection: Selection::default(),
        earlier: None,
    }
}
