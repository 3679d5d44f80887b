//! Whether the calls of a run succeeded.

use crate::trace::{Call, CallStatus};

/// The greatest number of characters of an error that a message shows.
const MAX_ERROR_CHARS: usize = 80;

/// How the success of calls is told in one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunSuccess {
    records_results: bool,
}

impl RunSuccess {
    /// Looks at all calls of the run: a run that records no result at all counts its calls as successful.
    pub(crate) fn of(calls: &[Call]) -> Self {
        Self { records_results: calls.iter().any(|call| call.status != CallStatus::Unanswered) }
    }

    /// Whether the call succeeded.
    pub(crate) fn includes(self, call: &Call) -> bool {
        self.describe_failure(call).is_none()
    }

    /// How the call failed, as a predicate; `None` if it succeeded.
    pub(crate) fn describe_failure(self, call: &Call) -> Option<String> {
        match (call.status, &call.error) {
            (CallStatus::Ok | CallStatus::Unknown, _) => None,
            (CallStatus::Error, Some(error)) => Some(format!("failed: {:?}", shorten(error))),
            (CallStatus::Error, None) => Some("failed".to_owned()),
            (CallStatus::Unanswered, _) => self.records_results.then(|| "has no result".to_owned()),
        }
    }
}

/// The beginning of an error's text.
fn shorten(error: &str) -> &str {
    error.char_indices().nth(MAX_ERROR_CHARS).map_or(error, |(end, _)| &error[..end])
}
