//! Writes a changed snapshot to the place where insta's users expect it.
//!
//! `INSTA_UPDATE` and `INSTA_FORCE_PASS` have the same effect as for insta's macros, and `cargo insta review` and `accept`
//! find the files. Nothing is printed: a failed trial shows the difference once, and a stream of JSON events (JetBrains,
//! the test explorer of rust-analyzer) must contain nothing else.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::SnapshotFile;
use super::pending_folder::{find_workspace, pending_folder};
use super::pinned_yaml::render_scalar;
use crate::case::Case;
use crate::harness::settings::is_ci;
use crate::source::write_lasting;

/// The beginning of the description in a snapshot's header. The name of the trial follows.
pub const DESCRIPTION: &str = "violations of ";

/// The place to which a changed snapshot is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SnapshotUpdate {
    /// The new text replaces the old one.
    InPlace,
    /// The new text is written beside the old one, or to `INSTA_PENDING_DIR`, for review.
    Beside,
    /// The new text is not written.
    Nowhere,
}

/// The snapshot file of one trial, and the fields of its header.
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
            pending: pending_folder(base, &file.folder).join(format!("{}.snap.new", file.name)),
            source: relative_source(case_file, &find_workspace(base)),
            line: case.place.line(),
            description: format!("{DESCRIPTION}{name}"),
        }
    }

    /// Writes the changed `text` to the place that `INSTA_UPDATE` selects.
    pub(super) fn write_changed(&self, text: &str) -> io::Result<SnapshotUpdate> {
        let setting = env::var("INSTA_UPDATE").unwrap_or_default();
        let update = choose_update(&setting, self.pinned.exists(), is_ci());
        match update {
            SnapshotUpdate::InPlace => self.write_to(&self.pinned, text, None)?,
            SnapshotUpdate::Beside => self.write_to(&self.pending, text, Some(self.line))?,
            SnapshotUpdate::Nowhere => {}
        }
        Ok(update)
    }

    /// Removes the pending file of a trial whose snapshot has not changed, because an earlier change is no longer pending.
    /// With `INSTA_UPDATE=force` the snapshot is still rewritten.
    pub(super) fn confirm(&self, text: &str) -> io::Result<()> {
        // The error is ignored: in most runs there is no pending file, and a file that cannot be removed does no harm.
        let _ = fs::remove_file(&self.pending);
        if env::var("INSTA_UPDATE").is_ok_and(|setting| setting == "force") {
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

    /// Writes the file as a whole, so that an interrupted run leaves no empty snapshot that a reviewer could accept.
    fn write_to(&self, target: &Path, text: &str, line: Option<usize>) -> io::Result<()> {
        let source = render_scalar(&self.source);
        let description = render_scalar(&self.description);
        let line = line.map_or_else(String::new, |line| format!("assertion_line: {line}\n"));
        let header = format!("source: {source}\n{line}description: {description}\ninput_file: {source}\n");
        write_lasting(target, format!("---\n{header}---\n{}\n", text.trim_end()).as_bytes())
    }
}

/// Whether `INSTA_FORCE_PASS` lets changed snapshots pass. `cargo insta test` sets the variable to run all trials, and
/// reports the changes itself. Without that program, nobody would report them, so the variable has no effect.
pub(super) fn passes_by_force() -> bool {
    ["INSTA_FORCE_PASS", "INSTA_CARGO_INSTA"]
        .iter()
        .all(|name| env::var(name).is_ok_and(|value| value == "1"))
}

/// Applies insta's rules for `INSTA_UPDATE`. Without a valid setting (`auto`), changes are written for review, but not in
/// continuous integration.
fn choose_update(setting: &str, exists: bool, ci: bool) -> SnapshotUpdate {
    match setting {
        "always" | "force" | "1" => SnapshotUpdate::InPlace,
        "unseen" if !exists => SnapshotUpdate::InPlace,
        "new" | "unseen" => SnapshotUpdate::Beside,
        "no" => SnapshotUpdate::Nowhere,
        _ if ci => SnapshotUpdate::Nowhere,
        _ => SnapshotUpdate::Beside,
    }
}

/// Returns the path of the case's file in insta's form: relative to the workspace, with slashes.
fn relative_source(path: &Path, workspace: &Path) -> String {
    let relative = path.strip_prefix(workspace).ok().map(Path::to_owned);
    // The path may lead through a link, while the workspace's path is the resolved one.
    let relative = relative.or_else(|| strip_resolved_prefix(path, workspace));
    let name = relative.unwrap_or_else(|| path.to_owned()).to_string_lossy().into_owned();
    if cfg!(windows) { name.replace('\\', "/") } else { name }
}

/// Compares the paths after resolving links: on macOS, for example, `/tmp` is a link to `/private/tmp`.
fn strip_resolved_prefix(path: &Path, workspace: &Path) -> Option<PathBuf> {
    Some(path.canonicalize().ok()?.strip_prefix(workspace.canonicalize().ok()?).ok()?.to_owned())
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
