//! Compares a run with its baseline, which is a recorded run that was accepted.
//!
//! The worst difference is the result: a lower score is a regression, whatever else changed, and changed tool calls matter
//! more than a changed answer. The edit script lists the changes call by call.

mod alignment;
mod answer;
mod arguments;
mod automaton;
mod edit;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::score::bounded;
use crate::trace::Trace;

pub use answer::similarity;
pub use arguments::ArgumentChange;
pub use edit::{Edit, EditKind};

/// The settings of a comparison: the allowed differences.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The points that the score may drop.
    #[serde(deserialize_with = "bounded::points")]
    pub max_drop: f64,
    /// The least similarity of the answers, from 0 to 1. Without this setting, the answers must be equal.
    #[serde(deserialize_with = "bounded::optional_share")]
    pub similarity: Option<f64>,
    /// The differences that fail a case.
    #[serde(deserialize_with = "differences")]
    pub fail_on: Vec<ComparisonStatus>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_drop: 5.0, similarity: None, fail_on: vec![ComparisonStatus::Regression] }
    }
}

/// The result of a comparison, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ComparisonStatus {
    /// The score dropped too far, or the case passed before and no longer passes.
    Regression,
    /// The names, the arguments or the servers of the calls differ, or a call fails that succeeded before.
    ToolsChanged,
    /// The answers differ.
    OutputChanged,
    /// Nothing that matters changed.
    Passed,
}

impl std::fmt::Display for ComparisonStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct ComparedRun<'t> {
    /// The trace of the run.
    pub trace: &'t Trace,
    /// The score, in points from 0 to 100.
    pub score: f64,
    /// Whether the run passed.
    pub passed: bool,
}

/// The differences between a run and its baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The worst difference.
    pub change: ComparisonStatus,
    /// The score of the run minus the score of the baseline.
    pub score_diff: f64,
    /// Whether the baseline passed and the run does not.
    pub newly_failing: bool,
    /// The similarity of the answers, from 0 to 1.
    pub output_similarity: f64,
    /// The edits that turn the calls of the baseline into those of the run, in order.
    pub edits: Vec<Edit>,
}

impl Comparison {
    /// Compares `actual` with `baseline`.
    pub fn of(baseline: &ComparedRun<'_>, actual: &ComparedRun<'_>, limits: &Limits) -> Self {
        let score_diff = points_of(actual) - points_of(baseline);
        let newly_failing = baseline.passed && !actual.passed;
        let output_similarity = answer::similarity_of(baseline.trace, actual.trace);
        let same_answer = match limits.similarity {
            Some(least) => output_similarity >= least,
            None => baseline.trace.answer == actual.trace.answer,
        };
        let edits = edit::list_edits(baseline.trace, actual.trace);
        // The order is that of importance: a run that fails is a regression, whatever else changed, and other calls
        // explain another answer.
        let change = if newly_failing || fell_by_more_than(limits.max_drop, score_diff) {
            ComparisonStatus::Regression
        } else if !edits.is_empty() {
            ComparisonStatus::ToolsChanged
        } else if !same_answer {
            ComparisonStatus::OutputChanged
        } else {
            ComparisonStatus::Passed
        };
        Self { change, score_diff, newly_failing, output_similarity, edits }
    }

    /// Whether the difference fails the case.
    pub fn fails(&self, limits: &Limits) -> bool {
        limits.fail_on.contains(&self.change)
    }

    /// Describes the change in one sentence.
    pub fn claim(&self) -> String {
        match self.change {
            ComparisonStatus::Regression if self.newly_failing => {
                "the baseline passed, this run does not".to_owned()
            }
            ComparisonStatus::Regression => {
                format!("the score fell by {:.2} points from the baseline", -self.score_diff)
            }
            ComparisonStatus::ToolsChanged => "the tool calls are not those of the baseline".to_owned(),
            ComparisonStatus::OutputChanged => {
                // Downwards: answers that differ are never 100% alike.
                let percent = (self.output_similarity * 1000.0).floor() / 10.0;
                format!("the answer is not that of the baseline: they are {percent:.1}% alike")
            }
            ComparisonStatus::Passed => "nothing that matters changed from the baseline".to_owned(),
        }
    }

    /// Renders the edit script, one line for each edit.
    pub fn script(&self) -> String {
        self.edits.iter().map(Edit::to_string).collect::<Vec<_>>().join("\n")
    }
}

fn fell_by_more_than(points: f64, score_diff: f64) -> bool {
    // The difference of two scores with two decimals is exact to far less than this: from 90.1 to 85.1 is no drop of
    // more than 5, whatever the last bit says.
    -score_diff > points + 1e-9
}

/// Returns the points of a run. A score that is not finite counts as 0.
fn points_of(run: &ComparedRun<'_>) -> f64 {
    if run.score.is_finite() { run.score } else { 0.0 }
}

fn differences<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ComparisonStatus>, D::Error> {
    let changes = Vec::<ComparisonStatus>::deserialize(deserializer)?;
    if changes.contains(&ComparisonStatus::Passed) {
        return Err(de::Error::custom("a comparison that `PASSED` shows no difference to fail on"));
    }
    Ok(changes)
}
