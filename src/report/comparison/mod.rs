//! Two runs side by side: which trials turned red, which turned green, which came, went, or waver.
//!
//! Of several verdicts of one trial in one run (the attempts of a retried one) the last counts, and attempts that
//! ended differently are flaky; so are the runs of one trial of which only some are red.

mod markdown;
mod text;
mod trials;

use serde::Serialize;

use super::{Totals, TrialResult};
use crate::outcome::Score;
use crate::verdict::Verdict;

use self::trials::TrialId;
pub use trials::Trials;
#[cfg(feature = "html")]
pub(super) use trials::is_flaky;

/// The version of the JSON that a comparison is written as. It changes when a field changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// How a trial ended in one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TrialState {
    /// In a word.
    pub standing: TrialResult,
    /// Its score.
    pub score: Score,
    /// Its attempts, or its runs, ended differently.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// What broke, where it did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
}

/// What became of a trial from one run to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TrialChange {
    /// It passed, and no longer does.
    Regressed,
    /// It did not pass, and does now.
    Improved,
    /// It is in the later run alone.
    New,
    /// It is in the earlier run alone.
    Gone,
    /// It is as red or as green as before, with another score or in another way.
    Changed,
    /// Nothing that is compared differs.
    Same,
}

/// A trial in both runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TrialComparison {
    /// Its name.
    pub name: String,
    /// The harness that ran it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub harness: String,
    /// What became of it.
    pub change: TrialChange,
    /// In the earlier run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<TrialState>,
    /// In the later run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<TrialState>,
}

/// Two runs, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunComparison {
    /// The version of this form.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA_VERSION)))]
    schema_version: u32,
    /// How the earlier run ended.
    pub before: Totals,
    /// How the later run ended.
    pub after: Totals,
    /// The trials that changed or are flaky, by name.
    pub trials: Vec<TrialComparison>,
}

impl RunComparison {
    /// What became of the trials of `before` in `after`.
    pub fn from_verdicts(before: &[Verdict], after: &[Verdict]) -> Self {
        Self::from_trials(&before.iter().collect(), &after.iter().collect())
    }

    /// The same of verdicts that were looked at one after the other.
    pub fn from_trials(before: &Trials, after: &Trials) -> Self {
        let told = |trial: &TrialComparison| trial.change != TrialChange::Same || trial.is_flaky();
        let trials = before.compare_with(after).filter(told).collect();
        Self {
            schema_version: SCHEMA_VERSION,
            before: before.compute_totals(),
            after: after.compute_totals(),
            trials,
        }
    }

    /// The trials that changed in this way.
    pub fn trials_with(&self, change: TrialChange) -> impl Iterator<Item = &TrialComparison> {
        self.trials.iter().filter(move |trial| trial.change == change)
    }

    /// The trials that waver, whatever else became of them.
    pub fn flaky_trials(&self) -> impl Iterator<Item = &TrialComparison> {
        self.trials.iter().filter(|trial| trial.is_flaky())
    }

    /// Whether a trial that passed no longer does.
    pub fn has_regressed(&self) -> bool {
        self.trials_with(TrialChange::Regressed).next().is_some()
    }

    /// How the later run stands against the earlier, in a line.
    pub fn render_headline(&self) -> String {
        let count = |change: TrialChange| self.trials_with(change).count();
        let counts = [
            (count(TrialChange::Regressed), "regressed"),
            (count(TrialChange::Improved), "improved"),
            (count(TrialChange::New), "new"),
            (count(TrialChange::Gone), "gone"),
            (count(TrialChange::Changed), "changed"),
            (self.flaky_trials().count(), "flaky"),
        ];
        let told = counts.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
        if told.is_empty() { "nothing changed".to_owned() } else { told.join(", ") }
    }
}

impl TrialComparison {
    fn new(id: &TrialId, before: Option<&TrialState>, after: Option<&TrialState>) -> Self {
        let (name, harness, change) = (id.name.clone(), id.harness.clone(), classify_change(before, after));
        Self { name, harness, change, before: before.cloned(), after: after.cloned() }
    }

    /// Whether it wavered in either run.
    pub fn is_flaky(&self) -> bool {
        self.before.iter().chain(&self.after).any(|seen| seen.flaky)
    }
}

fn classify_change(before: Option<&TrialState>, after: Option<&TrialState>) -> TrialChange {
    let (before, after) = match (before, after) {
        (Some(before), Some(after)) => (before, after),
        (None, _) => return TrialChange::New,
        (_, None) => return TrialChange::Gone,
    };
    match (before.standing == TrialResult::Passed, after.standing == TrialResult::Passed) {
        (true, false) => TrialChange::Regressed,
        (false, true) => TrialChange::Improved,
        _ if before.standing != after.standing || scores_differ(before.score, after.score) => {
            TrialChange::Changed
        }
        _ => TrialChange::Same,
    }
}

/// Whether two scores differ by more than adding weights loses in binary fractions.
fn scores_differ(one: Score, other: Score) -> bool {
    (one.get() - other.get()).abs() > 1e-9
}
