//! Snapshots that no case asks for any more: left behind by a renamed case, they would never fail again.
//!
//! insta's own search calls everything unreferenced that a filter or a shard did not run. The walk over the cases
//! knows all of them, whatever is run.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::SnapshotFile;
use crate::case::{Case, RunSelection, TraceFrom};
use crate::source::Files;
use crate::suite::is_support;

/// The snapshots that cases ask for.
#[derive(Debug, Default)]
pub(in crate::harness) struct PinnedSnapshots {
    one: HashSet<PathBuf>,
    /// Of cases with a trial a run: the name without `.run_<n>`. How many runs there are is not asked.
    each: HashSet<PathBuf>,
}

impl PinnedSnapshots {
    /// Notes what `case`, of the file at `path`, asks for.
    pub(in crate::harness) fn note_case(&mut self, case: &Case, path: &Path) {
        if case.snapshot.is_none() {
            return;
        }
        let each = matches!(&case.trace, TraceFrom::File(file) if file.runs == RunSelection::Each);
        let known = if each { &mut self.each } else { &mut self.one };
        known.insert(SnapshotFile::of(path, case.id.as_deref(), None).path());
    }

    /// The snapshots below the eval root that nobody asked for, by name.
    pub(in crate::harness) fn find_orphans(&self, files: &Files) -> Vec<String> {
        let found = files.walk(files.root(), has_none).unwrap_or_default().into_iter();
        let orphans = found.filter(|path| is_snapshot(path) && !self.is_known(path));
        orphans.map(|path| files.name(&path)).collect()
    }

    fn is_known(&self, path: &Path) -> bool {
        self.one.contains(path) || without_run(path).is_some_and(|path| self.each.contains(&path))
    }
}

/// Snapshots lie beside cases: where there are none, as among thousands of traces, they need no search.
fn has_none(path: &Path) -> bool {
    is_support(path) && !path.ends_with("snapshots")
}

fn is_snapshot(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "snap")
        && path.parent().is_some_and(|folder| folder.ends_with("snapshots"))
}

/// `x.case.run_3.snap` as `x.case.snap`.
fn without_run(path: &Path) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let (case, run) = stem.rsplit_once(".run_")?;
    run.bytes().all(|byte| byte.is_ascii_digit()).then(|| path.with_file_name(format!("{case}.snap")))
}
