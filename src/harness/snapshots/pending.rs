//! Writes a changed snapshot where insta's users expect it.
//!
//! `INSTA_UPDATE` and `INSTA_FORCE_PASS` decide as they do for insta's macros, and `cargo insta review` and `accept`
//! find what is written here. Nothing is printed: a red trial shows the difference once, and a stream of JSON events
//! (JetBrains, the test explorer of rust-analyzer) takes nothing else.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::SnapshotFile;
use super::pending_folder::{pending_folder, workspace_of};
use super::pinned_yaml::render_scalar;
use crate::case::Case;
use crate::harness::settings::is_ci;
use crate::source::write_whole;

/// Where a changed snapshot goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SnapshotUpdate {
    /// Over the old one.
    InPlace,
    /// Beside it, or where `INSTA_PENDING_DIR` says, to be reviewed.
    Beside,
    Nowhere,
}

/// The snapshot file of one trial, and what its header says.
pub(super) struct SnapshotWriter {
    pinned: PathBuf,
    pending: PathBuf,
    /// The case's file, relative to the workspace.
    source: String,
    /// The line of the case, which `cargo insta review` shows.
    line: usize,
    description: String,
}

impl SnapshotWriter {
    /// The writer for the trial `name`, of the case in `case_file`.
    pub(super) fn new(file: &SnapshotFile, case: &Case, case_file: &Path, base: &Path, name: &str) -> Self {
        Self {
            pinned: file.path(),
            pending: pending_folder(base, file.folder()).join(file.pending_name()),
            source: relative_source(case_file, &workspace_of(base)),
            line: case.place.line(),
            description: format!("violations of {name}"),
        }
    }

    /// Writes the changed `text` where `INSTA_UPDATE` says.
    pub(super) fn write_changed(&self, text: &str) -> io::Result<SnapshotUpdate> {
        let asked = env::var("INSTA_UPDATE").unwrap_or_default();
        let update = choose_update(&asked, self.pinned.exists(), is_ci());
        match update {
            SnapshotUpdate::InPlace => self.write_to(&self.pinned, text, None)?,
            SnapshotUpdate::Beside => self.write_to(&self.pending, text, Some(self.line))?,
            SnapshotUpdate::Nowhere => {}
        }
        Ok(update)
    }

    /// Tidies up after a trial whose snapshot has not changed: an earlier change is no longer pending. Under
    /// `INSTA_UPDATE=force` the file is written all the same.
    pub(super) fn confirm(&self, text: &str) -> io::Result<()> {
        // In most runs nothing is pending, and nothing can be done if the file cannot be removed.
        let _ = fs::remove_file(&self.pending);
        if env::var("INSTA_UPDATE").is_ok_and(|asked| asked == "force") {
            self.write_to(&self.pinned, text, None)?;
        }
        Ok(())
    }

    /// Tells `cargo insta test --unreferenced` that a test refers to the snapshot, so that it is not deleted.
    pub(super) fn note_reference(&self) -> io::Result<()> {
        let Some(list) = env::var_os("INSTA_SNAPSHOT_REFERENCES_FILE") else { return Ok(()) };
        let mut list = OpenOptions::new().append(true).create(true).open(list)?;
        list.write_all(format!("{}\n", self.pinned.display()).as_bytes())
    }

    /// The file appears whole or not at all: an interrupted run leaves no empty snapshot to be accepted.
    fn write_to(&self, target: &Path, text: &str, line: Option<usize>) -> io::Result<()> {
        fs::create_dir_all(target.parent().unwrap_or(target))?;
        let (source, description) = (render_scalar(&self.source), render_scalar(&self.description));
        let line = line.map_or_else(String::new, |line| format!("assertion_line: {line}\n"));
        let header = format!("source: {source}\n{line}description: {description}\ninput_file: {source}\n");
        write_whole(target, format!("---\n{header}---\n{}\n", text.trim_end()).as_bytes())
    }
}

/// Whether `INSTA_FORCE_PASS` lets changed snapshots pass: `cargo insta test` runs all trials and fails itself.
pub(super) fn passes_by_force() -> bool {
    env::var("INSTA_FORCE_PASS").is_ok_and(|value| value == "1")
}

fn choose_update(asked: &str, exists: bool, ci: bool) -> SnapshotUpdate {
    match asked {
        "always" | "force" | "1" => SnapshotUpdate::InPlace,
        "unseen" if !exists => SnapshotUpdate::InPlace,
        "new" | "unseen" => SnapshotUpdate::Beside,
        "no" => SnapshotUpdate::Nowhere,
        _ if ci => SnapshotUpdate::Nowhere,
        _ => SnapshotUpdate::Beside,
    }
}

/// The path of the case's file as insta stores paths: relative to the workspace, with slashes.
fn relative_source(path: &Path, workspace: &Path) -> String {
    let resolved =
        || Some(path.canonicalize().ok()?.strip_prefix(workspace.canonicalize().ok()?).ok()?.to_owned());
    let relative = path.strip_prefix(workspace).ok().map(Path::to_owned).or_else(resolved);
    let name = relative.unwrap_or_else(|| path.to_owned()).to_string_lossy().into_owned();
    if cfg!(windows) { name.replace('\\', "/") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_go_where_insta_puts_them() {
        assert_eq!(choose_update("", true, false), SnapshotUpdate::Beside);
        assert_eq!(choose_update("auto", false, true), SnapshotUpdate::Nowhere);
        assert_eq!(choose_update("unseen", false, true), SnapshotUpdate::InPlace);
        assert_eq!(choose_update("unseen", true, false), SnapshotUpdate::Beside);
        assert_eq!(choose_update("no", false, false), SnapshotUpdate::Nowhere);
        assert_eq!(choose_update("force", true, true), SnapshotUpdate::InPlace);
    }
}
