//! Snapshots that a run has written beside the pinned ones, or where `INSTA_PENDING_DIR` says.

use std::path::{Path, PathBuf};

use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::harness::{pending_folder, snapshot_text};
use arraign::__internals::source::Files;
use walkdir::WalkDir;

use super::Found;
use super::change::Change;
use super::repository::Repository;
use crate::stop::Stop;

/// All that are pending in the folders of the run's cases. One that is empty or cut off is refused.
pub(super) fn pending(run: &StoredRun, repository: &Repository) -> Result<Found, Stop> {
    let mut found = Found::default();
    for one in run.beginnings() {
        let cases = repository.path("", &one.cases);
        let kept = pending_folder(&repository.path("", &one.package), &cases);
        for path in pending_in(&kept)? {
            let target = cases.join(path.strip_prefix(&kept)?).with_extension("");
            let text = read_pending(&path)?;
            if is_complete(&text) {
                found.changes.push(Change::pending(target, pinned(&text), path));
            } else {
                let name = repository.shown(&path);
                found.refused.push(format!("{name}: the file is empty or cut off; run the trial again"));
            }
        }
    }
    Ok(found)
}

/// A folder that a variable names is made with the first snapshot in it.
fn pending_in(kept: &Path) -> Result<Vec<PathBuf>, Stop> {
    let mut found = Vec::new();
    if !kept.exists() {
        return Ok(found);
    }
    for entry in WalkDir::new(kept).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() && is_pending(entry.path()) {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

fn is_pending(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".snap.new")
        && path.parent().is_some_and(|folder| folder.ends_with("snapshots"))
}

/// The folder of a pending snapshot need not be the repository's.
fn read_pending(path: &Path) -> Result<String, Stop> {
    let folder = path.parent().unwrap_or(path);
    Ok(Files::new(folder, folder).read(path, str::to_owned)?)
}

/// Whether the file has its header, the last key of a snapshot, and the end of its last line.
fn is_complete(file: &str) -> bool {
    let text = snapshot_text(file).unwrap_or_default();
    text.ends_with('\n') && text.lines().any(|line| line.starts_with("findings:"))
}

/// A pending snapshot says at which line it was taken; a pinned one does not.
fn pinned(text: &str) -> String {
    let mut lines = text.split_inclusive('\n');
    let mut header: Vec<&str> = lines.by_ref().take(1).collect();
    let mut ended = false;
    let rest = lines.filter(|line| {
        ended |= line.trim_end() == "---";
        ended || !line.starts_with("assertion_line:")
    });
    header.extend(rest);
    header.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_header_loses_its_line() {
        let text = "---\nsource: a\nassertion_line: 7\n---\nassertion_line: 8\n";
        assert_eq!(pinned(text), "---\nsource: a\n---\nassertion_line: 8\n");
    }
}
