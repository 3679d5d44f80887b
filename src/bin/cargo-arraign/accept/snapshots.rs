//! Snapshots that a run has written beside the pinned ones.

use std::path::Path;

use arraign::harness::runs::StoredRun;
use walkdir::WalkDir;

use super::change::Change;
use super::repository::Repository;
use crate::stop::Stop;

/// All that are pending in the folders of the run's cases.
pub(super) fn pending(run: &StoredRun, repository: &Repository) -> Result<Vec<Change>, Stop> {
    let mut changes = Vec::new();
    for one in run.beginnings() {
        for entry in WalkDir::new(repository.path("", &one.cases)).sort_by_file_name() {
            let entry = entry?;
            if entry.file_type().is_file() && is_pending(entry.path()) {
                changes.push(change(entry.path(), repository)?);
            }
        }
    }
    Ok(changes)
}

fn is_pending(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".snap.new")
        && path.parent().is_some_and(|folder| folder.ends_with("snapshots"))
}

fn change(pending: &Path, repository: &Repository) -> Result<Change, Stop> {
    let target = pending.with_extension("");
    let text = repository.read(pending).map_err(Stop::new)?;
    Ok(Change::pending(target, pinned(&text), pending.to_owned()))
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
