//! The reasons why a check cannot answer.

use serde::{Deserialize, Serialize};

use super::Violation;

/// Why a check cannot answer. The trial does not pass.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CannotDecide {
    /// The reason.
    pub reason: UndecidedReason,
    /// The violations found before the check gave up.
    pub violations: Vec<Violation>,
    /// Advice.
    pub help: Option<String>,
    /// The cause, for the summary of a run; `None` for evidence that is missing in any other way.
    pub cause: Option<UndecidedCause>,
}

/// Why a check is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UndecidedCause {
    /// The run was recorded for another input.
    AnotherInput,
    /// A file that the agent depends on has changed since the run was recorded.
    ChangedAgent,
    /// Another agent made the recording.
    AnotherAgent,
    /// The agent asked its model something that is not recorded.
    UnrecordedRequest,
    /// The agent was not run, because nobody has allowed it.
    AgentNotRun,
    /// A part of the trace was not understood, and it may be a tool call.
    NotReadWhole,
    /// The run ended in an error, broke off, or reached a limit.
    BadEnd,
    /// A tool was called whose name is nearly one that a check names.
    NearName,
    /// The trace does not say whether a call succeeded.
    StatusUnknown,
    /// The trace, or the judge, does not give what the check needs.
    MissingEvidence,
}

/// The reason why a check cannot answer, with a sentence for the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UndecidedReason {
    /// The evidence does not contain what the check needs: the trial is `undecided`.
    MissingEvidence(String),
    /// The evidence contradicts itself or is impossible, such as a negative cost: the trial is an `error`.
    InvalidEvidence(String),
    /// The check ran out of its budget of steps: the trial is an `error`.
    BudgetExceeded(String),
}

impl CannotDecide {
    /// Reports that the evidence does not contain `what`.
    pub fn missing(what: impl Into<String>) -> Self {
        Self::from(UndecidedReason::MissingEvidence(what.into()))
    }

    /// Reports impossible or contradictory evidence: a negative cost, a judge's score in another form than requested.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::from(UndecidedReason::InvalidEvidence(what.into()))
    }

    /// Reports a check that ran out of its budget.
    pub fn budget_exceeded(what: impl Into<String>) -> Self {
        Self::from(UndecidedReason::BudgetExceeded(what.into()))
    }

    /// Sets the cause, for the summary of a run.
    pub(crate) fn cause(mut self, cause: UndecidedCause) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Adds advice for the reader.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<UndecidedReason> for CannotDecide {
    fn from(reason: UndecidedReason) -> Self {
        Self { reason, violations: Vec::new(), help: None, cause: None }
    }
}
