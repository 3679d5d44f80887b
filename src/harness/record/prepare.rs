//! The store of a run, before its first trial.

use std::path::Path;

use super::harness_id::HarnessId;
use super::history::HistoryLog;
use super::manifest::RunManifest;
use super::store::Store;
use crate::check::Registry;
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::Plan;
use crate::harness::settings::{self, EnvSettings};
use crate::verdict::Rerun;

/// Writes the run's manifest into the store, and removes old runs. The error is a message for the user.
pub(crate) fn prepare_store(
    store: &Store,
    plan: &Plan,
    kinds: &Registry,
    rerun: &Rerun,
    id: &HarnessId,
    keep_runs: usize,
    command: &HarnessCommand,
) -> Result<(), String> {
    if writes_manifest(plan, command) {
        let written = store.write_manifest(|| RunManifest::for_plan(plan, command, kinds, rerun, id))?;
        // A folder that the user has named may be an archive of runs, so nothing is removed there.
        if written && command.settings.out.is_none() {
            store.prune_runs(keep_runs);
        }
    }
    Ok(())
}

/// The store of this process.
pub(crate) fn make_store(base: &Path, settings: &EnvSettings, id: &HarnessId) -> Store {
    let out = settings.out.as_ref().map_or_else(|| settings::default_out(base), |out| base.join(out));
    let history = settings.history.as_ref().map(|path| HistoryLog::at(base.join(path), base));
    Store::new(&out, &id.harness, settings.nextest.as_ref()).with_history(history)
}

/// Whether this process writes a manifest.
///
/// Every run does. A list does so only for nextest, which starts one process for each trial: the listing process alone
/// sees the ignored trials, which nextest never starts, and the golden suites as a whole, which a summary needs. nextest
/// lists twice; the list with `--ignored` contains the ignored trials alone and does not write.
fn writes_manifest(plan: &Plan, command: &HarnessCommand) -> bool {
    let arguments = &command.arguments;
    if !arguments.list {
        return true;
    }
    let has_ignored = plan.trials.iter().any(|trial| trial.ignore.is_some());
    command.settings.nextest.is_some() && !arguments.ignored && (has_ignored || !plan.golden.is_empty())
}
