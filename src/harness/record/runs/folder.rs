//! Finds and reads the folders and files of runs.

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

/// Returns the run below `out` that started last, of those with a verdict.
pub fn find_newest(out: &Path) -> Result<PathBuf, RunError> {
    let runs = if out.is_dir() { list_folder(out)? } else { Vec::new() };
    let newest = runs.into_iter().filter_map(|run| Some((read_start_ms(&run)?, run))).max();
    newest.map(|(_, run)| run).ok_or_else(|| RunError::new(out, RunProblem::NoRun))
}

/// Returns the time at which a run started. A process that only lists trials leaves a folder without verdicts, which is
/// not a run.
fn read_start_ms(run: &Path) -> Option<u64> {
    let has_verdicts = list_folder(run).ok()?.iter().any(|entry| !entry.ends_with(MANIFESTS));
    let manifests = list_manifests(run).into_iter().filter_map(|path| read_json::<RunManifest>(&path).ok());
    manifests.map(|manifest| manifest.started_ms).min().filter(|_| has_verdicts)
}

/// Returns the manifests of a run; none if the folder is not a run's.
pub(super) fn list_manifests(run: &Path) -> Vec<PathBuf> {
    let files = list_folder(&run.join(MANIFESTS)).unwrap_or_default();
    files.into_iter().filter(|path| is_json(path)).collect()
}

/// Returns the paths in a folder, sorted by name.
pub(super) fn list_folder(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let entries = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>()
    });
    let mut paths = entries.map_err(|error| RunError::new(folder, RunProblem::Folder(error.to_string())))?;
    paths.sort();
    Ok(paths)
}

pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json") && !is_temporary(path)
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// A file with a version of its form.
pub(super) trait Versioned: DeserializeOwned {
    /// The version that this program writes.
    const KNOWN: u32;

    /// The version that the file was written in.
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

/// Reads the value in a file, unless a later version wrote it.
pub(super) fn read_json<T: Versioned>(path: &Path) -> Result<T, RunError> {
    // From a text, as everywhere: serde code is generated once for each type and each kind of input.
    let text = fs::read_to_string(path)
        .map_err(|error| RunError::new(path, RunProblem::Unread(error.to_string())))?;
    let value: T = serde_json::from_str(&text)
        .map_err(|error| RunError::new(path, RunProblem::Broken(error.to_string())))?;
    match value.version() {
        version if version > T::KNOWN => Err(RunError::new(path, RunProblem::Newer(version))),
        _ => Ok(value),
    }
}

/// Returns the id of the run in `folder`, which is the folder's name. The path can end in `..` or be a link.
pub(super) fn run_id(folder: &Path) -> String {
    let resolved = folder.canonicalize();
    let name = resolved.as_deref().unwrap_or(folder).file_name();
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Describes a run without a manifest.
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
