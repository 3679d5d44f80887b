//! The calls of a run, with what is known of their success.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::check::arguments::{CallContext, IgnoredPaths, RunFacts};
use crate::check::support::call_status::WantedStatus;
use crate::evidence::{CallSuccess, Evidence, Known, SuccessBasis};
use crate::outcome::CannotDecide;
use crate::trace::{Arguments, Call, CallStatus};

/// How calls are counted of which it is not known whether they ended as wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Against the agent: they are no expected calls, and are calls too many.
    Strict,
    /// For the agent: they are expected calls where one is missing, and never too many.
    Lenient,
}

/// The calls of a run as checks of expected calls see them.
pub(super) struct RunCalls<'r> {
    pub(super) calls: Cow<'r, [Call]>,
    pub(super) reading: Reading,
    success: CallSuccess,
    /// Whether each call happened. Results are searched for signs of a failure only if a check asks, and once.
    happened: OnceCell<Vec<Known>>,
    /// Whether it is recorded that each call worked.
    worked: OnceCell<Vec<Known>>,
    /// What the arguments are compared with, beside the settings.
    facts: RunFacts<'r>,
}

impl<'r> RunCalls<'r> {
    /// Takes the calls without their ignored arguments.
    pub(super) fn new(evidence: &'r Evidence<'_>, ignored: &IgnoredPaths) -> Self {
        let trace = &evidence.trace;
        let success = CallSuccess::of(trace);
        // The trace is copied only if something is taken out of it.
        let mut calls = Cow::Borrowed(trace.calls.as_slice());
        if !ignored.is_empty() {
            for call in calls.to_mut() {
                if let Arguments::Json(arguments) = &mut call.arguments {
                    ignored.strip_arguments(&call.name, arguments);
                }
            }
        }
        Self {
            calls,
            reading: Reading::Lenient,
            success,
            happened: OnceCell::new(),
            worked: OnceCell::new(),
            facts: RunFacts::new(evidence),
        }
    }

    /// Keeps the calls that `wanted` returns `true` for.
    pub(super) fn filter(self, wanted: impl Fn(&Call) -> bool) -> Self {
        let calls = self.calls.iter().filter(|call| wanted(call)).cloned().collect();
        Self { calls: Cow::Owned(calls), happened: OnceCell::new(), worked: OnceCell::new(), ..self }
    }

    /// Whether the call happened: it was answered, and nothing says that it failed.
    fn happened(&self, call: &Call) -> Known {
        self.look_up(call, &self.happened, CallSuccess::happened)
    }

    /// Whether it is recorded that the call worked.
    fn worked(&self, call: &Call) -> Known {
        self.look_up(call, &self.worked, CallSuccess::worked)
    }

    /// Returns what `ask` answers of a call. All calls are asked about at the first question: each expected call is compared
    /// with each of them.
    fn look_up(
        &self,
        call: &Call,
        answers: &OnceCell<Vec<Known>>,
        ask: fn(CallSuccess, &Call) -> Known,
    ) -> Known {
        let answers = answers.get_or_init(|| self.calls.iter().map(|call| ask(self.success, call)).collect());
        // Calls are in the order of their numbers.
        let place = self.calls.binary_search_by_key(&call.index, |known| known.index);
        place.ok().and_then(|place| answers.get(place).copied()).unwrap_or(Known::Unknown)
    }

    /// Whether the call is one too many, where nothing but the expected calls may happen.
    pub(super) fn is_forbidden(&self, call: &Call) -> bool {
        self.decide(self.happened(call), Reading::Strict)
    }

    /// Whether the call ended as wanted.
    pub(super) fn has_status(&self, call: &Call, wanted: WantedStatus) -> bool {
        self.decide(self.knows_status(call, wanted), Reading::Lenient)
    }

    /// Whether it is known that the call ended as wanted.
    pub(super) fn knows_status(&self, call: &Call, wanted: WantedStatus) -> Known {
        wanted.judge(call, || self.happened(call), || self.worked(call))
    }

    /// The run around the arguments of a call.
    pub(super) fn context<'c>(&'c self, call: &'c Call) -> CallContext<'c> {
        CallContext::of(&self.facts, call)
    }

    /// Decides what is not known: it counts as a yes in the reading `favoured`.
    fn decide(&self, known: Known, favoured: Reading) -> bool {
        match known {
            Known::Yes => true,
            Known::No => false,
            Known::Unknown => self.reading == favoured,
        }
    }

    /// Says how the call ended, if that is not `wanted`.
    pub(super) fn describe_other_status(&self, call: &Call, wanted: WantedStatus) -> Option<String> {
        if self.has_status(call, wanted) {
            return None;
        }
        let failure = self.success.describe_failure(call);
        Some(failure.unwrap_or_else(|| match (call.status, wanted) {
            (CallStatus::Unanswered, _) => "has no result".to_owned(),
            (_, WantedStatus::Error) => "succeeded, a failure is expected".to_owned(),
            _ => "is not known to have succeeded".to_owned(),
        }))
    }

    /// Says what an expected call rests on, if that is less than a recorded success.
    pub(super) fn describe_basis(&self, call: &Call, wanted: WantedStatus) -> Option<SuccessBasis> {
        let is_about_success = matches!(wanted, WantedStatus::Ok | WantedStatus::Succeeded);
        if is_about_success { self.success.describe_basis(call) } else { None }
    }

    /// Explains why it is not known how the call ended.
    pub(super) fn explain_doubt(&self, call: &Call) -> CannotDecide {
        self.success.explain_doubt(call)
    }

    /// The same calls in another reading.
    pub(super) fn read_as(self, reading: Reading) -> Self {
        Self { reading, ..self }
    }
}
