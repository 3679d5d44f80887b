//! Pending snapshots, beside the pinned ones or in `INSTA_PENDING_DIR`.

use std::path::{Path, PathBuf};

use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::harness::{DESCRIPTION, pending_folder, snapshot_text};
use arraign::__internals::source::Files;
use arraign::json;
use walkdir::WalkDir;

use super::AcceptPlan;
use super::change::Change;
use super::repository::Repository;
use crate::error::CliError;

/// Finds all pending snapshots of the run's folders. A pending file that is empty or cut off is refused.
pub(super) fn find_pending(run: &StoredRun, repository: &Repository) -> Result<AcceptPlan, CliError> {
    let mut found = AcceptPlan::default();
    for one in run.manifests() {
        let cases = repository.join("", &one.cases);
        // Pending snapshots may be kept in another folder, in which they have the paths of their targets.
        let kept = pending_folder(&repository.join("", &one.package), &cases);
        for path in list_pending_files(&kept)? {
            let target = cases.join(path.strip_prefix(&kept)?).with_extension("");
            let text = read_pending(&path)?;
            if is_complete(&text) {
                let after = strip_assertion_line(&text);
                found.changes.push(Change::from_pending(target, after, read_trial_name(&text), path));
            } else {
                let name = repository.display_path(&path);
                found.refused.push(format!("{name}: the file is empty or cut off; run the trial again"));
            }
        }
    }
    Ok(found)
}

/// Lists pending files. The folder in `INSTA_PENDING_DIR` does not exist before the first snapshot.
fn list_pending_files(kept: &Path) -> Result<Vec<PathBuf>, CliError> {
    let mut found = Vec::new();
    if !kept.exists() {
        return Ok(found);
    }
    // In the order of names, so that the same files are listed in the same order each time.
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

/// Reads a pending snapshot, whose folder can be outside of the repository.
fn read_pending(path: &Path) -> Result<String, CliError> {
    let folder = path.parent().unwrap_or(path);
    Ok(Files::new(folder, folder).read(path, str::to_owned)?)
}

/// Whether the file has its header, the last key of a snapshot, and the end of its last line.
fn is_complete(file: &str) -> bool {
    let text = snapshot_text(file).unwrap_or_default();
    text.ends_with('\n') && text.lines().any(|line| line.starts_with("findings:"))
}

/// Reads the name of the trial from the description in the header.
fn read_trial_name(file: &str) -> Option<String> {
    let mut header = file.lines().skip(1).take_while(|line| *line != "---");
    let quoted = header.find_map(|line| line.strip_prefix("description: "))?;
    let description: String = json::from_str(quoted).ok()?;
    description.strip_prefix(DESCRIPTION).map(str::to_owned)
}

/// Removes the line number from the header, because a pinned snapshot has none.
fn strip_assertion_line(text: &str) -> String {
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
        assert_eq!(strip_assertion_line(text), "---\nsource: a\n---\nassertion_line: 8\n");
    }
}
