//! The changes of a workspace beside the recording of its run: `<id>.changes/` beside `<id>.json`.
//!
//! `manifest.json` has the hash of each file before the run, and what changed. `files/` has the texts of the changed files.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::runs_error::RunsError;
use crate::json;
use crate::source::Files;
use crate::workspace::{FileContent, FileEntry, RunWorkspace, WorkspaceFacts, WorkspaceNeeds};

/// The extension of the folder.
pub(super) const EXTENSION: &str = "changes";

/// The version of the form of a manifest.
const SCHEMA_VERSION: u32 = 1;

/// The file that says what changed.
#[derive(Serialize, Deserialize)]
struct Manifest {
    schema_version: u32,
    /// The files before the run, and the changes.
    workspace: WorkspaceFacts,
}

/// Returns the folder with the changes of the run that is recorded in the file `trace`.
pub fn changes_folder(trace: &Path) -> PathBuf {
    trace.with_extension(EXTENSION)
}

/// Whether a path is the folder of a run's changes: nothing in it is a trace.
pub(super) fn is_changes_folder(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}

/// Reads the changes of the run that is recorded in the file `trace`, with the contents that checks read. `None` if there are
/// none.
pub(super) fn load_changes(
    trace: &Path,
    needs: &WorkspaceNeeds,
    files: &Files,
) -> Result<Option<RunWorkspace>, RunsError> {
    let folder = changes_folder(trace);
    let path = folder.join("manifest.json");
    if !files.exists(&path) {
        return Ok(None);
    }
    let damaged = |problem: String| RunsError::Changes { file: files.name(&path), problem };
    let manifest =
        files.read(&path, |text| json::from_str::<Manifest>(text).map_err(|error| error.to_string()))?;
    let Manifest { schema_version, workspace: mut facts } = manifest.map_err(damaged)?;
    if schema_version != SCHEMA_VERSION {
        return Err(damaged(format!(
            "`schema_version` is {schema_version}, and this version reads {SCHEMA_VERSION}"
        )));
    }
    let paths = facts.before.keys().chain(facts.changes.iter().map(|change| &change.path));
    if let Some(path) = paths.into_iter().find(|path| !is_plain_path(path)) {
        return Err(damaged(format!("`{path}` is not a path inside the workspace")));
    }
    if !facts.changes.is_sorted_by(|one, other| one.path < other.path) {
        return Err(damaged("`changes` is not sorted by path".to_owned()));
    }
    for wanted in &needs.contents {
        let stored = kept_file(&folder, wanted);
        let changed = facts.changes.iter().find(|change| change.path == *wanted);
        if let Some(why) = changed.and_then(|change| change.omitted.clone()) {
            facts.contents.insert(wanted.clone(), FileContent::Omitted(why));
        } else if is_plain_path(wanted) && files.exists(&stored) {
            let text = files.read(&stored, ToOwned::to_owned)?;
            facts.contents.insert(wanted.clone(), FileContent::Text(text));
        } else if matches!(facts.find_after(wanted), Some(FileEntry::File { size: 0, .. })) {
            facts.contents.insert(wanted.clone(), FileContent::Text(String::new()));
        }
    }
    Ok(Some(RunWorkspace { facts: facts.into(), folders: None, recorded: Some(folder) }))
}

/// Returns the file with the text of a changed file.
pub fn kept_file(changes: &Path, path: &str) -> PathBuf {
    changes.join("files").join(path)
}

/// Whether a path of a manifest leads nowhere else: it has neither `..` nor a root.
fn is_plain_path(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Writes the changes of a run beside its recording, in place of earlier ones.
pub(super) fn record_changes(trace: &Path, facts: &WorkspaceFacts, files: &Files) -> Result<(), RunsError> {
    let folder = changes_folder(trace);
    files.remove_folder(&folder)?;
    for (path, content) in &facts.contents {
        if let FileContent::Text(text) = content {
            files.write(&kept_file(&folder, path), text.as_bytes())?;
        }
    }
    let manifest = Manifest { schema_version: SCHEMA_VERSION, workspace: facts.clone() };
    let text = json::to_string_pretty(&manifest).unwrap_or_default();
    Ok(files.write(&folder.join("manifest.json"), format!("{text}\n").as_bytes())?)
}
