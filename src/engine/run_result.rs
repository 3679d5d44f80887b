//! The result of one run of a case.

use crate::outcome::{Score, Status, count_to_f64};
use crate::score::statistics::RunScore;
use crate::score::{Card, Effect};
use crate::verdict::Finding;

/// The result of one run.
pub(super) struct RunResult {
    pub(super) findings: Vec<Finding>,
    pub(super) cards: Vec<Card>,
    /// The figures for statistics, if the case combines several runs.
    pub(super) figures: Option<RunScore>,
    /// Whether an error ended the run: among several runs, such a run counts as one that does not hold.
    pub(super) ended_in_error: bool,
    /// Whether the agent gave no run. If no error of the agent ended it, nothing was measured.
    pub(super) is_lost: bool,
}

impl RunResult {
    /// Returns the status of the run, which is that of its worst finding.
    pub(super) fn status(&self) -> Status {
        self.findings.iter().map(weight_on_case).max().unwrap_or(Status::Error)
    }

    /// Returns the mean of the scorecards, or of the findings of a case without a scorecard.
    pub(super) fn score(&self) -> Score {
        if self.cards.is_empty() {
            return mean_score(self.findings.iter().map(|finding| finding.score));
        }
        mean_score(self.cards.iter().map(Card::share))
    }
}

/// Returns the mean of scores; 0 without any.
pub(super) fn mean_score(scores: impl ExactSizeIterator<Item = Score>) -> Score {
    let count = count_to_f64(scores.len().max(1));
    // The sum of no floats is -0.0.
    Score::new(scores.map(Score::get).fold(0.0, |sum, score| sum + score) / count)
}

/// Returns the effect of a finding on the status of its case. Lost points alone fail nothing.
pub(super) fn weight_on_case(finding: &Finding) -> Status {
    match (finding.effect, finding.status) {
        (Effect::Points, Status::Fail) | (Effect::Inform, _) => Status::Pass,
        (_, status) => status,
    }
}
