//! Snapshots of violations. `INSTA_UPDATE`, `cargo insta test`, `review` and `accept` work as with insta's macros.
//!
//! `evals/<folder>/snapshots/<file stem>.<case id>.snap` contains the violations and scores of a case with
//! `snapshot: true`, and `<file stem>.<case id>@<variant>.snap` those of a variant with `snapshot: per_variant`, but no times, no absolute paths and no line numbers of the case's file.

pub(super) mod orphans;
#[cfg(feature = "snapshots")]
mod pending;
#[cfg(feature = "snapshots")]
mod pending_folder;
#[cfg(feature = "snapshots")]
mod pinned;
#[cfg(feature = "snapshots")]
mod pinned_yaml;

use std::path::{Path, PathBuf};

#[cfg(feature = "snapshots")]
pub use self::pending::DESCRIPTION;
#[cfg(feature = "snapshots")]
pub use self::pending_folder::pending_folder;
#[cfg(feature = "snapshots")]
pub use self::pinned::snapshot_text;

use crate::case::Case;
use crate::harness::settings::is_ci;
use crate::outcome::Status;
use crate::source::Files;
use crate::suite::{build_case_name, escape_file_name};
use crate::verdict::{TrialError, Verdict};

/// The location of a case's snapshot.
struct SnapshotFile {
    folder: PathBuf,
    name: String,
}

impl SnapshotFile {
    /// The snapshot of the case `id` in the file at `path`, or of its run called `run`. `suffix` is that of a variant with a
    /// snapshot of its own.
    fn new(path: &Path, id: Option<&str>, run: Option<&str>, suffix: &str) -> Self {
        let folder = path.parent().unwrap_or(path).join("snapshots");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let parts = [Some(&*stem), id, run];
        let name: Vec<String> = parts.into_iter().flatten().map(escape_file_name).collect();
        Self { folder, name: name.join(".") + suffix }
    }

    /// The path of the file.
    fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.snap", self.name))
    }

    /// The path of a changed snapshot beside the accepted one.
    fn pending_beside(&self) -> PathBuf {
        self.folder.join(format!("{}.snap.new", self.name))
    }
}

/// The values of `INSTA_UPDATE`. Without a value, it is `auto`.
const UPDATES: &[&str] = &["", "auto", "always", "1", "new", "unseen", "no", "force"];

/// Returns an error if changed snapshots would be accepted in continuous integration, where nobody reviews them, or if the setting is
/// no known one.
pub(crate) fn refuse_accepting_in_ci(has_snapshots: bool) -> Result<(), String> {
    let setting = std::env::var("INSTA_UPDATE").unwrap_or_default();
    if has_snapshots && !UPDATES.contains(&setting.as_str()) {
        return Err(format!(
            "INSTA_UPDATE is `{setting}`: expected `auto`, `always`, `new`, `unseen`, `no` or `force`"
        ));
    }
    let accepts = matches!(setting.as_str(), "always" | "1" | "unseen" | "force");
    // On a developer's machine the accepted change is seen in the diff of the repository.
    if !(has_snapshots && accepts && is_ci()) {
        return Ok(());
    }
    Err(format!(
        "INSTA_UPDATE={setting} accepts every violation of the cases with `snapshot: true`, and this is a CI run: unset \
         INSTA_UPDATE or CI"
    ))
}

/// Compares the violations of a case with `snapshot: true` with its snapshot. Returns whether they differ and
/// `INSTA_FORCE_PASS` lets the difference pass.
pub(crate) fn compare_with_snapshot(verdict: &mut Verdict, case: &Case, path: &Path, files: &Files) -> bool {
    let as_expected = match case.expect_verdict {
        Some(expected) => verdict.status == expected,
        None => matches!(verdict.status, Status::Pass | Status::Fail),
    };
    let Some(snapshot) = case.snapshot.as_ref().filter(|_| as_expected) else { return false };
    // The name of a trial of one run is that of its case, and the name of the run.
    let case_name = build_case_name(&verdict.suite, case.id.as_deref());
    let run = verdict.name.strip_prefix(&case_name).and_then(|rest| rest.strip_prefix("::"));
    let suffix = case.variant.as_ref().map(|variant| variant.suffix()).unwrap_or_default();
    // The variants of a case share its snapshot, which is what the baseline does, unless each has its own.
    let is_shared = !suffix.is_empty() && !snapshot.per_variant;
    let suffix = if is_shared { "" } else { &suffix };
    let file = SnapshotFile::new(path, case.id.as_deref(), run, suffix);
    // A link as the folder of snapshots, or as a snapshot, must lead neither a reader nor a writer out of the roots.
    let inside = files.resolve_for_writing(&file.path());
    if let Err(error) = inside.and_then(|_| files.resolve_for_writing(&file.pending_beside())) {
        verdict.status = Status::Error;
        verdict.passed = false;
        let message = format!("the snapshot is not compared: {error}");
        verdict.errors.push(TrialError { message, at: verdict.case.clone() });
        return false;
    }
    pinned::compare(verdict, case, &file, is_shared, path, files.base())
}

#[cfg(not(feature = "snapshots"))]
mod pinned {
    use super::{Case, Path, SnapshotFile, Status, TrialError, Verdict};

    pub(crate) fn compare(
        verdict: &mut Verdict,
        _case: &Case,
        _file: &SnapshotFile,
        _is_shared: bool,
        _path: &Path,
        _base: &Path,
    ) -> bool {
        verdict.status = Status::Error;
        verdict.passed = false;
        let message = "`snapshot: true` needs arraign's feature `snapshots`".to_owned();
        verdict.errors.push(TrialError { message, at: verdict.case.clone() });
        false
    }
}
