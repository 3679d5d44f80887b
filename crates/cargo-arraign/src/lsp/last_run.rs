//! The verdicts of the newest runs, by the files of their cases.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use arraign::__internals::harness::runs::{StoredRun, find_newest};
use arraign::Verdict;

use super::project::EvalProject;
use crate::out::locate_out_folder_of;

/// The verdicts of the newest run of each package with an open file.
#[derive(Default)]
pub(super) struct LastRun {
    packages: HashMap<PathBuf, PackageRun>,
}

/// The verdicts of the newest run of a package, by the files of their cases. They are read again if there is a newer run, or
/// if its logs have changed.
#[derive(Default)]
struct PackageRun {
    folder: PathBuf,
    changed: Option<SystemTime>,
    verdicts: HashMap<PathBuf, Vec<Verdict>>,
}

impl LastRun {
    /// Reads the newest run of the package, if it is not the one that is known. Returns whether it was read.
    pub(super) fn refresh(&mut self, project: &EvalProject) -> bool {
        let Ok(folder) = find_newest(&locate_out_folder_of(&project.base)) else { return false };
        let changed = find_last_change(&folder);
        let known = self.packages.get(&project.base);
        if known.is_some_and(|known| known.folder == folder && known.changed == changed) {
            return false;
        }
        let Some(verdicts) = read_verdicts(&folder, project) else { return false };
        self.packages.insert(project.base.clone(), PackageRun { folder, changed, verdicts });
        true
    }

    /// The verdicts of the cases in the file at `path`.
    pub(super) fn verdicts_of(&self, path: &Path) -> &[Verdict] {
        let mut found = self.packages.values().filter_map(|run| run.verdicts.get(path));
        found.next().map_or(&[], Vec::as_slice)
    }
}

fn read_verdicts(folder: &PathBuf, project: &EvalProject) -> Option<HashMap<PathBuf, Vec<Verdict>>> {
    let run = StoredRun::open(std::slice::from_ref(folder)).ok()?;
    let mut verdicts: HashMap<PathBuf, Vec<Verdict>> = HashMap::new();
    let visited = run.visit_verdicts(|verdict| {
        if let Some(path) = project.find_named(&verdict.case.file) {
            verdicts.entry(path).or_default().push(verdict.clone());
        }
    });
    visited.ok().map(|()| verdicts)
}

/// Returns the time of the last change of a log of the run.
fn find_last_change(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    entries.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()
}
