//! Compares sides that ran the same cases: two or more runs, or the variants of one run.
//!
//! A pair of results on the same evidence is *fixed*: a difference is real, and each trial gets a word ([`TrialChange`]). All
//! other pairs are samples of what an agent does by chance. They go into statistics, which have a word for all of them together
//! ([`ComparisonWord`]).
//!
//! If a run has several verdicts of one trial (the attempts of a retry), the last one counts. A trial is flaky if its attempts
//! ended differently, or if only some of its runs failed.

mod figures;
mod html;
mod markdown;
mod sentence;
mod sides;
mod trials;

use serde::{Serialize, Serializer};

use super::TrialResult;
use crate::outcome::Score;
use crate::score::paired::{
    ComparisonWord, Measure, Needs, PairedMethod, PairedResult, PairedSettings, find_needs,
};
use crate::score::{round_half_even, written};

pub use figures::VariantFigures;
pub use sides::{ComparedRun, ComparisonError};
pub use trials::{TrialRuns, TrialStates};
#[cfg(feature = "html")]
pub(super) use trials::{drop_details, is_flaky};

/// The version of the JSON form. It changes when a field changes its meaning or is removed.
const SCHEMA_VERSION: u32 = 2;

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

/// A case that is lower or higher on the second side, in other runs of the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseFlip {
    /// The name of the case.
    pub name: String,
    /// Both figures in words: `pass -> fail`.
    pub transition: String,
    /// The first claim that the lower side broke.
    pub claim: Option<String>,
}

/// The settings of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ComparisonSettings {
    /// The settings of the statistics.
    pub paired: PairedSettings,
    /// The key of the metadata whose value names the cluster of a case.
    pub cluster: Option<String>,
}

/// Two or more sides beside each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ComparisonReport {
    /// The version of the document.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA_VERSION)))]
    pub schema_version: u32,
    /// The confidence of the intervals.
    pub confidence: f64,
    /// The drop that is accepted, in parts of 1. `null` without `--margin`.
    pub margin: Option<f64>,
    /// The comparisons, each with the same first side.
    pub comparisons: Vec<SideComparison>,
    /// The figures of each side.
    pub variants: Vec<VariantFigures>,
}

/// Two sides beside each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SideComparison {
    /// The name of the first side: of a run or of a variant.
    pub before: String,
    /// The name of the second side.
    pub after: String,
    /// What is compared of each case.
    pub measure: Measure,
    /// The number of cases that both sides ran.
    pub cases: usize,
    /// The number of cases with a result of other runs of the agent on each side. The statistics are about these.
    pub pairs: usize,
    /// The number of cases whose results rest on the same evidence.
    pub fixed_pairs: usize,
    /// The cases without a result on one side.
    pub missing: Vec<String>,
    /// The cases that only the first side ran.
    pub only_before: Vec<String>,
    /// The cases that only the second side ran.
    pub only_after: Vec<String>,
    /// The cases among the pairs that are lower on the second side, those with the largest difference first.
    #[serde(serialize_with = "write_names")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub lost: Vec<CaseFlip>,
    /// The cases among the pairs that are higher on the second side.
    #[serde(serialize_with = "write_names")]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub won: Vec<CaseFlip>,
    /// The mean difference, `after - before`, in parts of 1.
    pub difference: Option<f64>,
    /// The interval of the difference.
    pub interval: Option<[f64; 2]>,
    /// The probability of such a difference by chance alone.
    pub p_value: Option<f64>,
    /// The same, adjusted for the number of comparisons.
    pub p_adjusted: Option<f64>,
    /// How the p-value was computed.
    pub method: Option<PairedMethod>,
    /// The word for the pairs. `null` if all results rest on the same evidence: then only `trials` counts.
    pub verdict: Option<ComparisonWord>,
    /// How many cases would decide it. `null` if it is decided, if more cases do not help, or if it would take more than 100,000.
    pub needs: Option<Needs>,
    /// The trials with the same evidence on both sides that changed or are flaky, by name.
    pub trials: Vec<TrialComparison>,
    /// The statistics of the pairs.
    #[serde(skip)]
    pub result: Option<PairedResult>,
}

fn write_names<S: Serializer>(flips: &[CaseFlip], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(flips.iter().map(|flip| &flip.name))
}

impl ComparisonReport {
    /// Whether a trial regressed on the same evidence, or a side is worse. With a margin, `undecided` counts as well unless it is
    /// allowed.
    pub fn fails(&self, allows_undecided: bool) -> bool {
        self.comparisons.iter().any(|comparison| match comparison.verdict {
            _ if comparison.trials_with(TrialChange::Regressed).next().is_some() => true,
            Some(ComparisonWord::Worse) => true,
            Some(ComparisonWord::Undecided) => self.margin.is_some() && !allows_undecided,
            Some(ComparisonWord::Better | ComparisonWord::NoWorse) | None => false,
        })
    }
}

impl SideComparison {
    /// Adds the statistics of the pairs, one of `count` comparisons that belong together.
    fn with_result(self, result: PairedResult, settings: &PairedSettings, count: usize, runs: u32) -> Self {
        let statistics = result.statistics.as_ref();
        Self {
            pairs: result.pairs,
            difference: statistics.map(|found| round_share(found.difference)),
            interval: statistics.map(|found| {
                // Student's interval does not know that a difference has limits.
                let (lower, upper) = found.interval;
                [lower, upper].map(|bound| round_share(bound.clamp(-1.0, 1.0)))
            }),
            p_value: statistics.map(|found| found.p_value),
            p_adjusted: statistics.map(|_| result.p_adjusted),
            method: statistics.map(|found| found.method),
            verdict: Some(result.word),
            needs: find_needs(&result, settings, count, runs),
            result: Some(result),
            ..self
        }
    }

    /// Returns the trials with this change, among those with the same evidence on both sides.
    pub fn trials_with(&self, change: TrialChange) -> impl Iterator<Item = &TrialComparison> {
        self.trials.iter().filter(move |trial| trial.change == change)
    }

    /// Returns the flaky trials with the same evidence, changed or not.
    pub fn flaky_trials(&self) -> impl Iterator<Item = &TrialComparison> {
        self.trials.iter().filter(|trial| trial.is_flaky())
    }

    /// Renders the numbers of changes on one line.
    pub fn render_headline(&self) -> String {
        let fixed = [
            (TrialChange::Regressed, "regressed"),
            (TrialChange::Improved, "improved"),
            (TrialChange::Changed, "changed"),
        ];
        let fixed = fixed.map(|(change, word)| (self.trials_with(change).count(), word));
        let others = [
            (self.flaky_trials().count(), "flaky"),
            (self.lost.len(), "lost"),
            (self.won.len(), "won"),
            (self.missing.len(), "missing"),
            (self.only_before.len(), "only before"),
            (self.only_after.len(), "only after"),
        ];
        let counts = fixed.into_iter().chain(others).filter(|(count, _)| *count > 0);
        let words: Vec<String> = counts.map(|(count, word)| format!("{count} {word}")).collect();
        if words.is_empty() { "nothing changed".to_owned() } else { words.join(", ") }
    }
}

impl TrialComparison {
    fn new(name: &str, harness: &str, before: Option<&TrialState>, after: Option<&TrialState>) -> Self {
        Self {
            name: name.to_owned(),
            harness: harness.to_owned(),
            change: classify_change(before, after),
            before: before.cloned(),
            after: after.cloned(),
        }
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
                format!("{}, score {}", only.standing.as_str(), render_score(only.score.get()))
            }
            (None, None) => String::new(),
        }
    }
}

fn render_both_ends(before: &TrialState, after: &TrialState) -> String {
    let was = before.standing;
    let is = after.standing;
    let standing =
        if was == is { is.as_str().to_owned() } else { format!("{} -> {}", was.as_str(), is.as_str()) };
    if scores_differ(before.score, after.score) {
        format!(
            "{standing}, score {} -> {}",
            render_score(before.score.get()),
            render_score(after.score.get())
        )
    } else {
        format!("{standing}, score {}", render_score(after.score.get()))
    }
}

/// Renders a score as a percentage: `100%`, `66.67%`.
fn render_score(score: f64) -> String {
    format!("{}%", written(score * 100.0))
}

/// Rounds a share to four decimals.
fn round_share(share: f64) -> f64 {
    // Adding zero turns -0 into 0.
    round_half_even(share, 4) + 0.0
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
