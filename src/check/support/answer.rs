//! The answer of a run: its text, how a piece of it is shown, and which texts of a run are the answer.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;

use crate::JsonSchema;
use crate::evidence::Evidence;
use crate::outcome::CannotDecide;
use crate::secrets::QuotedText;
use crate::trace::Trace;

/// The number of characters that an excerpt shows.
const SHOWN: usize = 60;

/// Returns the answer, which may be empty. A run without one is undecided, and one whose answer may be another one.
pub(crate) fn answer<'e>(evidence: &'e Evidence<'_>) -> Result<&'e str, CannotDecide> {
    let answer =
        evidence.trace.answer.as_deref().ok_or_else(|| CannotDecide::missing("the run has no answer"))?;
    require_whole_answer(&evidence.trace)?;
    Ok(answer)
}

/// Requires that no part of the run that was not understood is in its answer or behind it.
pub(crate) fn require_whole_answer(trace: &Trace) -> Result<(), CannotDecide> {
    let Some(doubt) = trace.answer_doubt() else { return Ok(()) };
    Err(CannotDecide::missing(doubt).help(
        "`cargo arraign explain --unread TRACE` lists all such parts; declare a kind that holds neither a text nor a \
         call: `trace: {file: ..., harmless: [KIND]}`",
    ))
}

/// Builds a run that answers `text`, for a counterexample.
pub(crate) fn saying(text: impl Into<String>) -> Evidence<'static> {
    Trace { answer: Some(text.into()), ..Trace::default() }.into()
}

/// Quotes the part of `text` around `range`, with dots where it was cut.
pub(crate) fn excerpt(text: &str, range: Range<usize>) -> String {
    QuotedText::near(text, &range).cut_around(&range, SHOWN).in_quotes()
}

/// Quotes the beginning of `text`.
pub(crate) fn beginning(text: &str) -> String {
    beginning_from(text, 0)
}

/// Quotes the end of `text`.
pub(crate) fn ending(text: &str) -> String {
    ending_before(text, text.len())
}

/// Quotes the beginning of the text from the byte `at` on.
pub(crate) fn beginning_from(text: &str, at: usize) -> String {
    QuotedText::near(text, &(at..at)).cut_after(at, SHOWN).in_quotes()
}

/// Quotes the end of the text before the byte `at`.
pub(crate) fn ending_before(text: &str, at: usize) -> String {
    QuotedText::near(text, &(at..at)).cut_before(at, SHOWN).in_quotes()
}

/// Describes the position of the byte `at` in `text`: `line 2, column 5`.
pub(crate) fn position(text: &str, at: usize) -> String {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    format!("line {line}, column {column}")
}

/// The setting `answer`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AnswerScope {
    /// Everything that the model said, joined by newlines. The default.
    #[default]
    All,
    /// The text after the last call.
    Last,
}

impl AnswerScope {
    /// The answer, if there is any. An empty text is one.
    pub(crate) fn in_trace(self, trace: &Trace) -> Option<Cow<'_, str>> {
        match self {
            Self::All => trace.everything_said().map(Cow::Owned),
            Self::Last => trace.answer.as_deref().map(Cow::Borrowed),
        }
    }

    /// Returns the answer. A run without one is undecided, and one whose answer may be another one.
    pub(crate) fn of<'e>(self, evidence: &'e Evidence<'_>) -> Result<Cow<'e, str>, CannotDecide> {
        let answer =
            self.in_trace(&evidence.trace).ok_or_else(|| CannotDecide::missing("the run has no answer"))?;
        require_whole_answer(&evidence.trace)?;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_cut_at_characters() {
        let text = "ä".repeat(100);
        assert_eq!(beginning(&text), format!("{:?}...", "ä".repeat(60)));
        assert_eq!(ending(&text), format!("...{:?}", "ä".repeat(60)));
        let middle = excerpt(&text, 100..102);
        assert!(middle.starts_with("...\"") && middle.ends_with("\"..."), "{middle}");
        assert_eq!(excerpt("short", 2..3), "\"short\"");
        assert_eq!(position("a\nbä!", 5), "line 2, column 3");
    }
}
