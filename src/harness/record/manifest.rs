//! The manifest of a run: the contents of a report that no verdict contains.
//!
//! Each harness of the run has one, `<out>/<run id>/@manifests/<harness>.json`. Under nextest, where each trial is a separate
//! process, the first process writes the file. nextest never starts ignored trials, so only the process that lists the
//! trials knows them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::harness_id::HarnessId;
use crate::check::{BUILTIN, Registry};
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::{Plan, PlannedTrial, TrialWork};
use crate::harness::shard::ShardRecord;
use crate::report::{RunInfo, SkippedTrial};
use crate::verdict::Rerun;
use crate::verdict::summary::Selection;

/// The folder of the manifests. No harness has this name: a harness's name has the folder of its cases before the `@`.
pub(crate) const MANIFESTS: &str = "@manifests";

/// The version of the file's form. It changes when a field changes its meaning or is removed.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// How the run of one harness started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunManifest {
    /// The version of this file.
    pub schema_version: u32,
    /// The version of arraign that wrote it.
    pub arraign: String,
    /// The harness's name, as in [`crate::Verdict::harness`].
    pub harness: String,
    /// The folder of the cases, relative to the root of the repository.
    pub cases: String,
    /// The package's folder, relative to that root: empty, or with a `/` at the end.
    pub package: String,
    /// The start time, in milliseconds since 1970.
    pub started_ms: u64,
    /// The summaries of the project's own checks, by name.
    #[serde(default)]
    pub rules: BTreeMap<String, String>,
    /// The selection of tier and tags.
    #[serde(default)]
    pub selection: Selection,
    /// The number of trials to run; unknown if each trial is a separate process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<usize>,
    /// The variants that the user named, with commas between them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<String>,
    /// The command that repeats the run, without its shard.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// The shard, if the trials are divided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardRecord>,
    /// The selected trials that do not run because their cases are ignored.
    #[serde(default)]
    pub skipped: Vec<SkippedTrial>,
    /// The number of trials that left a verdict, once the run is read back.
    #[serde(skip)]
    pub verdicts: usize,
}

impl RunManifest {
    /// Describes a run of `plan` that starts now.
    pub(super) fn for_plan(
        plan: &Plan,
        command: &HarnessCommand,
        kinds: &Registry,
        rerun: &Rerun,
        id: &HarnessId,
    ) -> Self {
        let shard = plan.shard.clone();
        // The descriptions of a project's own checks are in no table of the program that renders the reports later.
        let own = kinds.list_own().iter();
        let wanted = plan.trials.iter().filter(|trial| command.wants_trial(trial.shown_name()));
        let mut selection = plan.make_selection(&command.settings);
        selection.golden.iter_mut().for_each(|suite| suite.harness.clone_from(&id.harness));
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            schema_version: SCHEMA_VERSION,
            arraign: env!("CARGO_PKG_VERSION").to_owned(),
            harness: id.harness.clone(),
            cases: id.cases.clone(),
            package: id.package.clone(),
            started_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            rules: own.map(|kind| (kind.name.to_owned(), kind.summary.to_owned())).collect(),
            selection,
            // Under nextest, a process does not know how many trials the others run.
            trials: command.settings.nextest.is_none().then(|| plan.trials_to_run(command).count()),
            variants: command.variants.join_names(),
            command: rerun.repeat_all(),
            shard,
            skipped: wanted.filter_map(skipped_trial).collect(),
            verdicts: 0,
        }
    }

    /// The number of trials that were to run and have no verdict.
    pub(crate) fn count_missing(&self) -> usize {
        self.trials.map_or(0, |trials| trials.saturating_sub(self.verdicts))
    }

    /// Returns the run as reports describe it, without its id: that is the name of the run's folder.
    pub(crate) fn to_run_info(&self) -> RunInfo {
        let builtin = BUILTIN.iter().map(|kind| (kind.name.to_owned(), kind.summary.to_owned()));
        RunInfo {
            folder: self.package.clone(),
            rules: builtin.chain(self.rules.clone()).collect(),
            skipped: self.skipped.clone(),
            selection: self.selection.clone(),
            ..RunInfo::new("", UNIX_EPOCH + Duration::from_millis(self.started_ms))
        }
    }
}

fn skipped_trial(trial: &PlannedTrial) -> Option<SkippedTrial> {
    let ignore = trial.ignore.as_ref()?;
    let file = match &trial.work {
        TrialWork::Case(work) => work.case.place.file().to_owned(),
        TrialWork::Gate(work) => work.gate.place.file().to_owned(),
        // No ignored case is deferred.
        TrialWork::Deferred(_) | TrialWork::Broken(_) => String::new(),
    };
    Some(SkippedTrial { name: trial.name.clone(), file, reason: ignore.reason.clone() })
}
