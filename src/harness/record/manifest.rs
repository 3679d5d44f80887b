//! What a run leaves beside its verdicts: what a report says that no verdict tells.
//!
//! `<out>/<run id>/@began/<harness>.json`, one a harness. Under nextest, where each trial is a process of its own, the first of
//! them writes it; what nextest leaves out it never starts, so that it is the listing process that knows the ignored trials.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::harness_id::HarnessId;
use crate::check::{BUILTIN, Registry};
use crate::harness::cli::Command;
use crate::harness::plan::{Plan, Planned, Work};
use crate::harness::settings::Settings;
use crate::report::{RunInfo, SkippedTrial};
use crate::verdict::summary::Selection;

/// The folder of these files. No harness can be called so: something stands before its `@`.
pub(in crate::harness) const MANIFESTS: &str = "@began";

/// The version of the file. It changes when a field changes its meaning or goes.
pub(in crate::harness) const SCHEMA_VERSION: u32 = 1;

/// How the run of one harness began.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunManifest {
    /// The version of this file.
    pub schema_version: u32,
    /// The version of arraign that wrote it.
    pub arraign: String,
    /// The harness: what its folders are called, and [`crate::Verdict::harness`].
    pub harness: String,
    /// The folder of its cases, from the root of the repository.
    pub cases: String,
    /// The package's folder below that root: empty, or with a `/` at its end.
    pub package: String,
    /// When, in milliseconds since 1970.
    pub started_ms: u64,
    /// What each check of the project's own asks, by its name.
    #[serde(default)]
    pub rules: BTreeMap<String, String>,
    /// What was asked for.
    #[serde(default)]
    pub selection: Selection,
    /// How many trials it was to run; unknown where each is a process of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<usize>,
    /// The trials that were not run because their cases say so, unless ignored ones were asked for.
    #[serde(default)]
    pub skipped: Vec<SkippedTrial>,
}

impl RunManifest {
    /// That of a run of `plan` which begins now.
    pub(in crate::harness) fn for_plan(
        plan: &Plan,
        (command, settings): (&Command, &Settings),
        kinds: &Registry,
        home: &HarnessId,
    ) -> Self {
        let own = kinds.iter().filter(|kind| !BUILTIN.iter().any(|known| known.name == kind.name));
        let wanted = plan.trials.iter().filter(|trial| command.wants_trial(&trial.name));
        let mut selection = plan.selection(settings);
        selection.golden.iter_mut().for_each(|suite| suite.harness.clone_from(&home.harness));
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            schema_version: SCHEMA_VERSION,
            arraign: env!("CARGO_PKG_VERSION").to_owned(),
            harness: home.harness.clone(),
            cases: home.cases.clone(),
            package: home.package.clone(),
            started_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            rules: own.map(|kind| (kind.name.to_owned(), kind.summary.to_owned())).collect(),
            selection,
            trials: settings.nextest.is_none().then(|| plan.to_run(command).count()),
            skipped: wanted.filter_map(skipped_trial).collect(),
        }
    }

    /// The run as reports know it. Its id is the name of the folder that this lies in.
    pub(in crate::harness) fn to_run(&self) -> RunInfo {
        let builtin = BUILTIN.iter().map(|kind| (kind.name.to_owned(), kind.summary.to_owned()));
        RunInfo {
            id: String::new(),
            started: UNIX_EPOCH + Duration::from_millis(self.started_ms),
            folder: self.package.clone(),
            rules: builtin.chain(self.rules.clone()).collect(),
            skipped: self.skipped.clone(),
            selection: self.selection.clone(),
            earlier: None,
        }
    }
}

fn skipped_trial(trial: &Planned) -> Option<SkippedTrial> {
    let ignore = trial.ignore.as_ref()?;
    let file = match &trial.work {
        Work::Case(work) => work.case.place.file().to_owned(),
        Work::Gate(work) => work.gate.place.file().to_owned(),
        Work::Broken(_) => String::new(),
    };
    Some(SkippedTrial { name: trial.name.clone(), file, reason: ignore.reason.clone() })
}
