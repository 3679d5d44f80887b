//! The verdicts of the newest run, by the file of their case.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use arraign::__internals::harness::runs::{StoredRun, find_newest};
use arraign::Verdict;

use super::project::EvalProject;
use crate::out::locate_out_folder_of;

/// The verdicts of the newest run. They are read again if there is a newer run, or if its logs have changed.
#[derive(Default)]
pub(super) struct LastRun {
    folder: PathBuf,
    changed: Option<SystemTime>,
    verdicts: HashMap<PathBuf, Vec<Verdict>>,
}

impl LastRun {
    /// Reads the newest run of the package, if it is not the one that is known.
    pub(super) fn refresh(&mut self, project: &EvalProject) {
        let Ok(folder) = find_newest(&locate_out_folder_of(&project.base)) else { return };
        let changed = find_last_change(&folder);
        if folder == self.folder && changed == self.changed {
            return;
        }
        let Ok(run) = StoredRun::open(std::slice::from_ref(&folder)) else { return };
        let mut verdicts: HashMap<PathBuf, Vec<Verdict>> = HashMap::new();
        let visited = run.visit_verdicts(|verdict| {
            if let Some(path) = project.find_named(&verdict.case.file) {
                verdicts.entry(path).or_default().push(verdict.clone());
            }
        });
        // A run that is being written may be unreadable: the last one that was complete stays.
        if visited.is_ok() {
            *self = Self { folder, changed, verdicts };
        }
    }

    /// The verdicts of the cases in the file at `path`.
    pub(super) fn verdicts_of(&self, path: &Path) -> &[Verdict] {
        self.verdicts.get(path).map_or(&[], Vec::as_slice)
    }
}

/// Returns the time of the last change of a log of the run.
fn find_last_change(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    entries.filter_map(|entry| entry.metadata().ok()?.modified().ok()).max()
}
