//! Why a trial has no run to evaluate.

use crate::engine::UndecidedRun;
use crate::suite::RunsError;

/// Why a trial has no run to evaluate.
#[derive(Debug, Clone)]
pub(crate) enum RunFailure {
    /// Something is broken. The text is a sentence with the cause.
    Error(String),
    /// Nothing is broken, but there is no evidence.
    #[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only agents that run leave no evidence"))]
    Undecided(UndecidedRun),
}

impl RunFailure {
    /// Returns the reason alone.
    pub(crate) fn into_reason(self) -> String {
        match self {
            Self::Error(reason) => reason,
            Self::Undecided(run) => run.reason,
        }
    }
}

impl From<RunsError> for RunFailure {
    fn from(error: RunsError) -> Self {
        Self::Error(error.into())
    }
}

impl From<String> for RunFailure {
    fn from(error: String) -> Self {
        Self::Error(error)
    }
}
