//! Finds orphaned snapshots: files whose case was renamed or removed, which no trial compares any more.
//!
//! insta's own search reports every snapshot that a filter or a shard left out. Here the cases are read as a whole, so
//! the result does not depend on which of them run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::SnapshotFile;
use crate::case::{Case, RunSelection, TraceFrom};
use crate::source::Files;
use crate::suite::is_support;

/// The snapshots that belong to cases.
#[derive(Debug, Default)]
pub(crate) struct PinnedSnapshots {
    /// The files of cases with one trial.
    one: HashSet<PathBuf>,
    /// The files of cases with one trial for each run, without `.run_<n>`: the number of runs is only known from the
    /// trace, which is not read here.
    each: HashSet<PathBuf>,
}

impl PinnedSnapshots {
    /// Adds the snapshots of `case`, in the file at `path`, if the case has one. `suffixes` are those of all variants.
    pub(crate) fn note_case(&mut self, case: &Case, path: &Path, suffixes: &[String]) {
        let Some(snapshot) = &case.snapshot else { return };
        // With a run for each record, a case has a snapshot for each run, under its own names.
        let each = matches!(&case.trace, TraceFrom::File(file) if file.runs == RunSelection::Each);
        let known = if each { &mut self.each } else { &mut self.one };
        let baseline = [String::new()];
        for suffix in if snapshot.per_variant { suffixes } else { &baseline } {
            known.insert(SnapshotFile::new(path, case.id.as_deref(), None, suffix).path());
        }
    }

    /// Adds the snapshots of another file of cases.
    pub(crate) fn extend(&mut self, other: Self) {
        self.one.extend(other.one);
        self.each.extend(other.each);
    }

    /// Returns the names of the snapshots below the eval root that belong to no case.
    pub(crate) fn find_orphans(&self, files: &Files) -> Vec<String> {
        let found = files.walk(files.root(), cannot_hold_snapshots).unwrap_or_default().into_iter();
        let orphans = found.filter(|path| is_snapshot(path) && !self.is_known(path));
        orphans.map(|path| files.name(&path)).collect()
    }

    fn is_known(&self, path: &Path) -> bool {
        self.one.contains(path) || list_cases(path).any(|case| self.each.contains(&case))
    }
}

/// Whether the walk skips a folder. Snapshots are beside cases, so folders of traces, which can hold thousands of files,
/// are not searched.
fn cannot_hold_snapshots(path: &Path) -> bool {
    is_support(path) && !path.ends_with("snapshots")
}

fn is_snapshot(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "snap")
        && path.parent().is_some_and(|folder| folder.ends_with("snapshots"))
}

/// Returns the snapshots of the cases that may have the snapshot at `path` for one of their runs: `x.case.snap` for
/// `x.case.conv_005.snap`. The name of a run may contain dots.
fn list_cases(path: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem.match_indices('.').map(|(dot, _)| path.with_file_name(format!("{}.snap", &stem[..dot])))
}
