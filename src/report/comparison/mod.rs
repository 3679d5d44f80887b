//! Compares two runs: regressed, improved, new and flaky trials, and trials that did not run.
//!
//! If a run has several verdicts of one trial (the attempts of a retry), the last one counts. A trial is flaky if its
//! attempts ended differently, or if only some of its runs failed.

mod markdown;
mod trials;

use serde::Serialize;

use super::{Totals, TrialResult};
use crate::outcome::Score;
use crate::score::written;

use self::trials::TrialId;
pub use trials::{TrialRuns, TrialStates};
#[cfg(feature = "html")]
pub(super) use trials::{drop_details, is_flaky};

/// The version of the JSON form. It changes when a field changes its meaning or is removed.
const SCHEMA_VERSION: u32 = 1;

/// The result of a trial in one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TrialState {
    /// The result in a word.
    pub standing: TrialResult,
    /// The score.
    pub score: Score,
    /// Whether the attempts or the runs of the trial ended differently.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// The first violation, if the trial did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
}

/// The change of a trial between two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TrialChange {
    /// The trial passed before and no longer passes.
    Regressed,
    /// The trial did not pass before and passes now.
    Improved,
    /// The trial is only in the later run.
    New,
    /// The trial is only in the earlier run.
    NotRun,
    /// The trial passes or fails as before, with another score or another kind of failure.
    Changed,
    /// The trial did not change.
    Same,
}

/// A trial of either run, with its results in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TrialComparison {
    /// The name of the trial.
    pub name: String,
    /// The harness that ran it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub harness: String,
    /// The change.
    pub change: TrialChange,
    /// The result in the earlier run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<TrialState>,
    /// The result in the later run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<TrialState>,
}

/// The comparison of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunComparison {
    /// The version of the JSON form.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA_VERSION)))]
    schema_version: u32,
    /// The totals of the earlier run.
    pub before: Totals,
    /// The totals of the later run.
    pub after: Totals,
    /// The trials that changed or are flaky, by name.
    pub trials: Vec<TrialComparison>,
}

impl RunComparison {
    /// Compares two runs by their trials, which were collected verdict by verdict.
    pub fn from_trials(before: &TrialStates, after: &TrialStates) -> Self {
        let trials = before
            .compare_with(after)
            .filter(|trial| trial.change != TrialChange::Same || trial.is_flaky())
            .collect();
        Self {
            schema_version: SCHEMA_VERSION,
            before: before.compute_totals(),
            after: after.compute_totals(),
            trials,
        }
    }

    /// Returns the trials with this change.
    pub fn trials_with(&self, change: TrialChange) -> impl Iterator<Item = &TrialComparison> {
        self.trials.iter().filter(move |trial| trial.change == change)
    }

    /// Returns the flaky trials, changed or not.
    pub fn flaky_trials(&self) -> impl Iterator<Item = &TrialComparison> {
        self.trials.iter().filter(|trial| trial.is_flaky())
    }

    /// Whether any trial regressed.
    pub fn has_regressed(&self) -> bool {
        self.trials_with(TrialChange::Regressed).next().is_some()
    }

    /// Renders the numbers of changes on one line.
    pub fn render_headline(&self) -> String {
        let changes = [
            (TrialChange::Regressed, "regressed"),
            (TrialChange::Improved, "improved"),
            (TrialChange::New, "new"),
            (TrialChange::NotRun, "not run"),
            (TrialChange::Changed, "changed"),
        ];
        let counts = changes.map(|(change, word)| (self.trials_with(change).count(), word));
        let counts = counts.into_iter().chain([(self.flaky_trials().count(), "flaky")]);
        let words: Vec<String> =
            counts.filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        if words.is_empty() { "nothing changed".to_owned() } else { words.join(", ") }
    }
}

impl TrialComparison {
    fn new(id: &TrialId, before: Option<&TrialState>, after: Option<&TrialState>) -> Self {
        let (name, harness, change) = (id.name.clone(), id.harness.clone(), classify_change(before, after));
        Self { name, harness, change, before: before.cloned(), after: after.cloned() }
    }

    /// Whether the trial was flaky in either run.
    pub fn is_flaky(&self) -> bool {
        self.before.iter().chain(&self.after).any(|seen| seen.flaky)
    }

    /// Renders the change of result and score: `pass -> fail, score 100% -> 50%`.
    pub fn render_transition(&self) -> String {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => render_both_ends(before, after),
            (None, Some(only)) | (Some(only), None) => {
                format!("{}, score {}", only.standing.as_str(), render_percent(only))
            }
            (None, None) => String::new(),
        }
    }
}

fn render_both_ends(before: &TrialState, after: &TrialState) -> String {
    let (was, is) = (before.standing, after.standing);
    let standing =
        if was == is { is.as_str().to_owned() } else { format!("{} -> {}", was.as_str(), is.as_str()) };
    if scores_differ(before.score, after.score) {
        format!("{standing}, score {} -> {}", render_percent(before), render_percent(after))
    } else {
        format!("{standing}, score {}", render_percent(after))
    }
}

fn render_percent(state: &TrialState) -> String {
    format!("{}%", written(state.score.get() * 100.0))
}

/// Classifies the change between two results. Whether the trial passes decides; only among equal ones, the result and the
/// score count.
fn classify_change(before: Option<&TrialState>, after: Option<&TrialState>) -> TrialChange {
    let (before, after) = match (before, after) {
        (Some(before), Some(after)) => (before, after),
        (None, _) => return TrialChange::New,
        (_, None) => return TrialChange::NotRun,
    };
    // A trial that is undecided or in error does not pass, so `undecided` to `fail` is a change and no regression.
    match (before.standing == TrialResult::Passed, after.standing == TrialResult::Passed) {
        (true, false) => TrialChange::Regressed,
        (false, true) => TrialChange::Improved,
        _ if before.standing != after.standing || scores_differ(before.score, after.score) => {
            TrialChange::Changed
        }
        _ => TrialChange::Same,
    }
}

/// Whether two scores differ by more than rounding errors of summed weights.
fn scores_differ(one: Score, other: Score) -> bool {
    (one.get() - other.get()).abs() > 1e-9
}
