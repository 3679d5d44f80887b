//! The reasons why a check cannot answer.

use super::Violation;

/// Why a check cannot answer. The trial does not pass.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Unfit {
    /// The reason.
    pub reason: UnfitReason,
    /// The violations found before the check gave up.
    pub violations: Vec<Violation>,
    /// Advice.
    pub help: Option<String>,
}

/// The reason why a check cannot answer, with a sentence for the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnfitReason {
    /// The evidence does not contain what the check needs: the trial is `undecided`.
    MissingEvidence(String),
    /// The evidence contradicts itself or is impossible, such as a negative cost: the trial is an `error`.
    InvalidEvidence(String),
    /// The check ran out of its budget of steps: the trial is an `error`.
    BudgetExceeded(String),
}

impl Unfit {
    /// Reports that the evidence does not contain `what`.
    pub fn missing(what: impl Into<String>) -> Self {
        Self::from(UnfitReason::MissingEvidence(what.into()))
    }

    /// Reports impossible or contradictory evidence: a negative cost, a judge's score in another form than requested.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::from(UnfitReason::InvalidEvidence(what.into()))
    }

    /// Reports a check that ran out of its budget.
    pub fn budget_exceeded(what: impl Into<String>) -> Self {
        Self::from(UnfitReason::BudgetExceeded(what.into()))
    }

    /// Adds advice for the reader.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<UnfitReason> for Unfit {
    fn from(reason: UnfitReason) -> Self {
        Self { reason, violations: Vec::new(), help: None }
    }
}
