//! Whether an answer stands, although the run may lack calls.

use crate::check::Check;
use crate::outcome::{Outcome, Unfit};
use crate::trace::{CallsUnrecorded, Trace};

/// Returns the answer of `check`, if no call that the trace lacks could change it. Other answers are undecided.
pub(crate) fn require_settled(
    check: &dyn Check,
    looks_at_calls: bool,
    trace: &Trace,
    answer: Result<Outcome, Unfit>,
) -> Result<Outcome, Unfit> {
    let Some(reason) = trace.calls_unrecorded.as_ref().filter(|_| looks_at_calls) else {
        return answer;
    };
    match answer {
        Ok(outcome) if check.is_settled(&outcome) => Ok(outcome),
        _ => Err(Unfit::missing(reason.to_string()).help(help_with(reason))),
    }
}

/// What to do about calls that are not in the trace.
fn help_with(reason: &CallsUnrecorded) -> &'static str {
    match reason {
        CallsUnrecorded::Unread { .. } => {
            "`cargo arraign explain --unread TRACE` lists all such parts; declare a kind that holds no call: \
             `trace: {file: ..., harmless: [KIND]}`"
        }
        _ => "record the run in a format that has them; the final answer can be checked as it is",
    }
}
