//! Finds and reads the folders and files of runs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{RunError, RunProblem};
use crate::harness::record::manifest::{MANIFESTS, RunManifest, SCHEMA_VERSION};
use crate::json;
use crate::source::open_regular;

/// Returns the run below `out` that started last, of those with a verdict.
pub fn find_newest(out: &Path) -> Result<PathBuf, RunError> {
    list_runs(out)?.into_iter().next().ok_or_else(|| RunError::new(out, RunProblem::NoRun))
}

/// Returns the runs below `out` with a verdict, the newest first.
pub fn list_runs(out: &Path) -> Result<Vec<PathBuf>, RunError> {
    let folders = if out.is_dir() { list_folder(out)? } else { Vec::new() };
    let mut runs: Vec<(u64, PathBuf)> =
        folders.into_iter().filter_map(|run| Some((read_start_ms(&run)?, run))).collect();
    runs.sort_unstable_by(|one, other| other.cmp(one));
    Ok(runs.into_iter().map(|(_, run)| run).collect())
}

/// Returns the time at which a run started. A process that only lists trials leaves a folder without verdicts, which is
/// not a run.
fn read_start_ms(run: &Path) -> Option<u64> {
    let has_verdicts = !list_logs(run).ok()?.is_empty();
    let manifests = list_manifests(run).into_iter().filter_map(|path| read_manifest(&path).ok());
    manifests.map(|manifest| manifest.started_ms).min().filter(|_| has_verdicts)
}

/// Whether `folder` is the folder of a run.
pub fn is_run(folder: &Path) -> bool {
    !list_manifests(folder).is_empty()
}

/// Returns the manifests of a run; none if the folder is not a run's.
pub(super) fn list_manifests(run: &Path) -> Vec<PathBuf> {
    let files = list_folder(&run.join(MANIFESTS)).unwrap_or_default();
    files.into_iter().filter(|path| has_extension(path, "json")).collect()
}

/// Returns the logs of a run.
pub(super) fn list_logs(run: &Path) -> Result<Vec<PathBuf>, RunError> {
    let files = list_folder(run)?;
    Ok(files.into_iter().filter(|path| has_extension(path, "jsonl")).collect())
}

/// Returns the paths in a folder, sorted by name.
fn list_folder(folder: &Path) -> Result<Vec<PathBuf>, RunError> {
    let entries = fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<PathBuf>>>()
    });
    let mut paths = entries.map_err(|error| RunError::new(folder, RunProblem::Folder(error.to_string())))?;
    paths.sort();
    Ok(paths)
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension == wanted) && !is_temporary(path)
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// Reads a manifest, unless a later version wrote it.
pub(super) fn read_manifest(path: &Path) -> Result<RunManifest, RunError> {
    let text = open_regular(path)
        .and_then(io::read_to_string)
        .map_err(|error| RunError::new(path, RunProblem::Unread(error.to_string())))?;
    let manifest: RunManifest =
        json::from_str(&text).map_err(|error| RunError::new(path, RunProblem::Broken(error.to_string())))?;
    match manifest.schema_version {
        version if version > SCHEMA_VERSION => Err(RunError::new(path, RunProblem::Newer(version))),
        _ => Ok(manifest),
    }
}

/// Returns the id of the run in `folder`, which is the folder's name. The path can end in `..` or be a link.
pub(super) fn run_id(folder: &Path) -> String {
    let resolved = folder.canonicalize();
    let name = resolved.as_deref().unwrap_or(folder).file_name();
    name.unwrap_or_default().to_string_lossy().into_owned()
}
