//! Whether a call happened, and whether it worked: the one place that all checks, rules and mutants ask.
//!
//! Formats differ in what they say of a result. Most checks want to know that the tool did what it was asked
//! ([`CallSuccess::happened`]); some want a success that was recorded ([`CallSuccess::worked`]). A result that only looks
//! like a failure proves neither, and what rests on it is undecided.

use crate::outcome::{CannotDecide, UndecidedCause};
use crate::secrets::QuotedText;
use crate::trace::{Call, CallStatus, Ended, FailureSign, Results, StatusMark, Trace};

/// The answer to a question about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Yes,
    No,
    /// The evidence points both ways, or is silent.
    Unknown,
}

/// What the success of a call rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SuccessBasis {
    /// What the call was, as a participle: `answered`.
    pub(crate) how: &'static str,
    /// Why that is less than a success.
    pub(crate) why: String,
}

/// Answers for the calls of one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallSuccess {
    /// Whether calls without a result count as answered.
    omits_results: bool,
    results: Results,
    /// Whether a missing result may only be missing in the trace: the run broke off, or no call of it has a result.
    may_miss_results: bool,
}

impl CallSuccess {
    pub(crate) fn of(trace: &Trace) -> Self {
        let broke_off = matches!(trace.ended, Ended::Failed(_) | Ended::Cut(_));
        let has_results = || trace.calls.iter().any(|call| call.status != CallStatus::Unanswered);
        Self {
            omits_results: trace.omits_results(),
            results: trace.results,
            may_miss_results: broke_off || !has_results(),
        }
    }

    /// Answers for calls without their trace, for notes.
    pub(crate) fn of_calls(calls: &[Call]) -> Self {
        let omits_results = calls.iter().all(|call| call.status == CallStatus::Unanswered);
        Self { omits_results, results: Results::Optional, may_miss_results: false }
    }

    /// Whether the tool did what it was asked: the call was answered, and nothing says that it failed. `No` is a proven
    /// failure, so that a call may have happened unless the answer is `No`.
    pub(crate) fn happened(self, call: &Call) -> Known {
        match call.status {
            CallStatus::Error => Known::No,
            CallStatus::Ok if call.status_mark != StatusMark::Inferred => Known::Yes,
            CallStatus::Ok | CallStatus::Unknown => match call.find_failure_sign() {
                Some(_) => Known::Unknown,
                None => Known::Yes,
            },
            CallStatus::Unanswered if self.omits_results => Known::Yes,
            CallStatus::Unanswered => Known::Unknown,
        }
    }

    /// Whether the trace records that the call succeeded.
    pub(crate) fn worked(self, call: &Call) -> Known {
        match call.status {
            CallStatus::Ok if call.find_failure_sign().is_none() => Known::Yes,
            CallStatus::Ok | CallStatus::Unknown => Known::Unknown,
            // People leave out the results of calls that worked.
            CallStatus::Unanswered if self.omits_results && self.results == Results::Optional => Known::Yes,
            CallStatus::Unanswered if self.omits_results || self.may_miss_results => Known::Unknown,
            CallStatus::Error | CallStatus::Unanswered => Known::No,
        }
    }

    /// Whether it is not certain that the call failed or has no result.
    pub(crate) fn may_have_worked(self, call: &Call) -> bool {
        match call.status {
            CallStatus::Ok | CallStatus::Unknown => true,
            CallStatus::Error => false,
            CallStatus::Unanswered => self.omits_results,
        }
    }

    /// Describes how the call failed, as a predicate. `None` if it is not certain that it did.
    pub(crate) fn describe_failure(self, call: &Call) -> Option<String> {
        if self.worked(call) != Known::No {
            return None;
        }
        Some(match (call.status, &call.error) {
            (CallStatus::Unanswered, _) => "has no result".to_owned(),
            (_, Some(error)) => format!("failed: {}", cut_beginning(error)),
            (_, None) => "failed".to_owned(),
        })
    }

    /// Says what the success of a call rests on, if the trace does not simply record it.
    pub(crate) fn describe_basis(self, call: &Call) -> Option<SuccessBasis> {
        let (how, why) = match call.status {
            CallStatus::Unknown => ("answered", "the format does not record failures".to_owned()),
            CallStatus::Unanswered if self.results == Results::NotRecorded => {
                ("made", "the format does not record results".to_owned())
            }
            CallStatus::Ok => ("recorded as succeeded", format!("but {}", describe_suspicion(call)?)),
            CallStatus::Error | CallStatus::Unanswered => return None,
        };
        Some(SuccessBasis { how, why })
    }

    /// Explains why it is not known whether the call happened or worked, with the line that settles it.
    pub(crate) fn explain_doubt(self, call: &Call) -> CannotDecide {
        let Call { index, name, .. } = call;
        if call.status == CallStatus::Unanswered {
            let why = if self.omits_results {
                "the trace does not record the results of calls"
            } else {
                "its result is not in the trace"
            };
            return CannotDecide::missing(format!(
                "it is not known whether call {index} of `{name}` succeeded: {why}"
            ))
            .help("`status: any` counts attempts without a result");
        }
        let sign = describe_suspicion(call);
        let why = match (&sign, call.status) {
            (Some(sign), _) => format!("the trace does not say that it failed, but {sign}"),
            (None, _) => "the trace does not record which calls failed".to_owned(),
        };
        let reason = format!("it is not known whether call {index} of `{name}` succeeded: {why}");
        CannotDecide::missing(reason).cause(UndecidedCause::StatusUnknown).help(
            "say which results are failures, in the case, its suite or arraign.yaml: \
             `failed_when: {matches: \"/^Error/\"}`, `failed_when: {jsonpath: $.error}`, or `failed_when: never`",
        )
    }
}

/// Says what in an answered call looks like a failure, as a clause.
pub(crate) fn describe_suspicion(call: &Call) -> Option<String> {
    Some(match call.find_failure_sign()? {
        FailureSign::Mark(mark) => mark,
        FailureSign::Error(key) => format!("its result has the key `{key}`"),
        FailureSign::NoSuccess(key) => format!("its result says `{key}: false`"),
        FailureSign::Status(key, value) => format!("its result says `{key}: {value}`"),
        FailureSign::Text(line) => format!("its result begins with {}", cut_beginning(&line)),
        _ => "its result looks like a failure".to_owned(),
    })
}

/// Quotes the beginning of a text. Secrets are masked before it is cut.
fn cut_beginning(text: &str) -> String {
    const SHOWN: usize = 60;
    QuotedText::near(text, &(0..0)).cut_after(0, SHOWN).in_quotes()
}
