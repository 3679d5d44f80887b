//! Snapshots that a run has written beside the pinned ones, or where `INSTA_PENDING_DIR` says.

use std::path::{Path, PathBuf};

use arraign::__internals::harness::pending_folder;
use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::source::Files;
use walkdir::WalkDir;

use super::change::Change;
use super::repository::Repository;
use crate::stop::Stop;

/// All that are pending in the folders of the run's cases.
pub(super) fn pending(run: &StoredRun, repository: &Repository) -> Result<Vec<Change>, Stop> {
    let mut changes = Vec::new();
    for one in run.beginnings() {
        let cases = repository.path("", &one.cases);
        let kept = pending_folder(&repository.path("", &one.package), &cases);
        for path in pending_in(&kept)? {
            let target = cases.join(path.strip_prefix(&kept)?).with_extension("");
            changes.push(change(path, target)?);
        }
    }
    Ok(changes)
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
fn change(pending: PathBuf, target: PathBuf) -> Result<Change, Stop> {
    let folder = pending.parent().unwrap_or(&pending);
    let text = Files::new(folder, folder).read(&pending, pinned)?;
    Ok(Change::pending(target, text, pending))
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
