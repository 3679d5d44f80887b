//! The shared part of checks that forbid a sort of calls, with exceptions.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::check::Check;
use crate::check::support::messages::run_of;
use crate::evidence::{CallSuccess, Evidence, explain_unrecorded_arguments};
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation};
use crate::pattern::ToolPattern;
use crate::trace::{Arguments, Call};

/// Returns the value that `required` has if it is left out.
pub(super) fn yes() -> bool {
    true
}

/// Reads `required`, which cannot be `false`.
pub(super) fn refuse_false<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    if bool::deserialize(deserializer)? {
        return Ok(true);
    }
    Err(D::Error::custom("`false` asks for nothing: leave the check out"))
}

/// What a rule finds about a call.
pub(super) enum CallFinding<'c> {
    Holds,
    Violated(Box<Violation>),
    Unknown(CallDoubt<'c>),
}

/// What is not known about a call, so that a rule cannot decide.
#[derive(Clone, Copy)]
pub(super) enum CallDoubt<'c> {
    /// Whether the call succeeded.
    Success(&'c Call),
    /// The arguments of the call.
    Arguments(&'c Call),
    /// Whether the call changed anything before it failed.
    Change(&'c Call),
    /// Which of two calls that may have run at the same time was first.
    Order { change: &'c Call, other: &'c Call },
}

impl CallDoubt<'_> {
    fn explain(self, success: CallSuccess) -> CannotDecide {
        const HELP: &str = "if the tool may be called again, except it: `{except: [TOOL]}`";
        match self {
            Self::Success(call) => success.explain_doubt(call),
            Self::Arguments(call) => explain_unrecorded_arguments(call),
            Self::Change(call) => CannotDecide::missing(format!(
                "it is not known whether call {} of `{}` changed anything before it failed",
                call.index, call.name
            ))
            .help(HELP),
            Self::Order { change, other } => CannotDecide::missing(format!(
                "it is not known whether call {} of `{}` changed anything before call {} of `{}`: they may have run at the same time",
                change.index, change.name, other.index, other.name
            ))
            .help(HELP),
        }
    }
}

/// Says which calls of a run are forbidden.
pub(super) trait CallRule: Send + Sync {
    /// Finds which calls are violations. Returns a finding for each call.
    fn find<'c>(&self, calls: &'c [Call], success: CallSuccess) -> Vec<CallFinding<'c>>;

    /// Whether a violation stands whatever else the agent called.
    fn is_settled(&self) -> bool {
        true
    }

    /// Returns the tools that the rule itself names.
    fn tools(&self) -> &[ToolPattern] {
        &[]
    }

    /// Builds calls with a violation from a call that has none.
    fn build_counterexample(&self, call: Call) -> Vec<Call>;
}

/// A rule, and the tools whose calls may break it.
pub(super) struct CallCheck<R> {
    pub(super) except: Vec<ToolPattern>,
    pub(super) rule: R,
}

impl<R: CallRule> Check for CallCheck<R> {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let success = CallSuccess::of(&evidence.trace);
        let calls = &evidence.trace.calls;
        let mut items = Vec::with_capacity(calls.len());
        let mut violations = Vec::new();
        let mut doubt = None;
        for (call, finding) in calls.iter().zip(self.rule.find(calls, success)) {
            if self.except.iter().any(|tool| tool.matches(call)) {
                continue;
            }
            let state = match finding {
                CallFinding::Holds => State::Held,
                CallFinding::Violated(violation) => {
                    violations.push(*violation);
                    State::Violated
                }
                CallFinding::Unknown(unknown) => {
                    doubt = doubt.or(Some(unknown));
                    State::Open
                }
            };
            items.push(Item::new(call.label(), state));
        }
        if let Some(doubt) = doubt.filter(|_| violations.is_empty()) {
            return Err(doubt.explain(success));
        }
        let checked = items.len();
        Ok(Outcome::of_items(items, violations).stat("calls_checked", checked))
    }

    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty() && self.rule.is_settled()
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.rule.tools().iter().collect()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        // A tool that is not excepted.
        let mut names = ["a_tool", "zz9", "Q", "another-tool"].into_iter();
        let name = names.find(|name| !self.except.iter().any(|tool| tool.matches_name(name)))?;
        Some(run_of(self.rule.build_counterexample(Call::new(name, Arguments::none(), 1))).into())
    }

    fn is_vacuous(&self) -> bool {
        self.except.iter().any(|tool| tool.as_str() == "*")
    }
}
