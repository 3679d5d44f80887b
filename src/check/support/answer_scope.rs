//! Which texts of a run are its answer, where a golden row may choose.

use std::borrow::Cow;

use serde::Deserialize;

use crate::check::support::answer_text::require_whole_answer;
use crate::evidence::Evidence;
use crate::outcome::Unfit;
use crate::trace::Trace;

/// The setting `answer`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Said {
    /// Everything that the model said, joined by newlines. The default.
    #[default]
    All,
    /// The text after the last call.
    Last,
}

impl Said {
    /// The answer, if there is any. An empty text is one.
    pub(crate) fn in_trace(self, trace: &Trace) -> Option<Cow<'_, str>> {
        match self {
            Self::All => trace.everything_said().map(Cow::Owned),
            Self::Last => trace.answer.as_deref().map(Cow::Borrowed),
        }
    }

    /// Returns the answer. A run without one is undecided, and one whose answer may be another one.
    pub(crate) fn of<'e>(self, evidence: &'e Evidence<'_>) -> Result<Cow<'e, str>, Unfit> {
        let answer = self.in_trace(&evidence.trace).ok_or_else(|| Unfit::missing("the run has no answer"))?;
        require_whole_answer(&evidence.trace)?;
        Ok(answer)
    }
}
