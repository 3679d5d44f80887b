//! Removes the folders of old runs.
//!
//! Every run leaves a folder, and a folder of thousands of runs slows down each listing. Only folders that are certainly
//! runs of this harness are removed: those with its manifest. None is removed in the first hour after its start, because it
//! can still be running, or another process can be reading it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::manifest::{MANIFESTS, RunManifest};
use crate::json;
use crate::source::open_regular;

/// The age below which no run is removed.
const PROTECTED_AGE: Duration = Duration::from_hours(1);

/// Removes the oldest runs below `out` with a manifest called `manifest`, so that `keep` of them are left. A folder that
/// cannot be read or removed stays: the next run tries again.
pub(super) fn prune_runs(out: &Path, manifest: &str, keep: usize) {
    let runs = list_folders(out);
    // Most runs find nothing to remove; they read no manifest.
    if runs.len() <= keep {
        return;
    }
    let mut started: Vec<(u64, PathBuf)> = runs
        .into_iter()
        .filter_map(|run| Some((read_start_ms(&run.join(MANIFESTS).join(manifest))?, run)))
        .collect();
    // Newest first, so that everything behind the first `keep` runs is old enough to go.
    started.sort_unstable_by(|one, other| other.cmp(one));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let youngest = now.saturating_sub(PROTECTED_AGE).as_millis();
    // A folder that cannot be removed is left alone. Old runs must never fail a new one.
    // Young runs stay whatever their number: one of them may still be running.
    for (_, run) in started.into_iter().skip(keep).filter(|(start, _)| u128::from(*start) < youngest) {
        let _ = fs::remove_dir_all(run);
    }
}

/// Returns the folders in `out`. A link to a folder is no folder: what it names may belong to somebody else.
fn list_folders(out: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(out).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

fn read_start_ms(manifest: &Path) -> Option<u64> {
    let text = open_regular(manifest).and_then(io::read_to_string).ok()?;
    json::from_str::<RunManifest>(&text).ok().map(|manifest| manifest.started_ms)
}
