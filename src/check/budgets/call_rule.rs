//! The shared part of checks that forbid a sort of calls, with exceptions.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::JsonSchema;
use crate::check::Check;
use crate::check::support::messages::run_of;
use crate::evidence::{CallSuccess, Evidence};
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation};
use crate::pattern::ToolPattern;
use crate::trace::{Arguments, Call};

/// `true`, or the tools to except.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Exceptions {
    /// `true`. To require nothing, omit the check.
    #[serde(rename = "required", default = "yes", deserialize_with = "refuse_false")]
    _required: bool,
    /// The tools to except: names and globs.
    #[serde(default)]
    except: Vec<ToolPattern>,
}

fn yes() -> bool {
    true
}

fn refuse_false<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    if bool::deserialize(deserializer)? {
        return Ok(true);
    }
    Err(D::Error::custom("`false` asks for nothing: leave the check out"))
}

/// What a rule finds about a call.
pub(super) enum CallFinding {
    Holds,
    Violated(Box<Violation>),
    /// It depends on whether this call succeeded, which is not known.
    Unknown(usize),
}

/// What a rule finds about each call.
pub(super) type CallFindings = Result<Vec<CallFinding>, CannotDecide>;

/// The calls that a check forbids.
pub(super) struct CallRule {
    /// Finds which calls are violations.
    pub(super) find: fn(&[&Call], CallSuccess) -> CallFindings,
    /// Builds calls with a violation from a call that has none.
    pub(super) build_counterexample: fn(Call) -> Vec<Call>,
}

struct CallCheck {
    settings: Exceptions,
    rule: &'static CallRule,
}

impl Exceptions {
    /// Builds the check with this rule.
    pub(super) fn build_check(self, rule: &'static CallRule) -> Box<dyn Check> {
        Box::new(CallCheck { settings: self, rule })
    }
}

impl Check for CallCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let all = &evidence.trace.calls;
        let except = &self.settings.except;
        let calls: Vec<&Call> =
            all.iter().filter(|call| !except.iter().any(|tool| tool.matches(call))).collect();
        let success = CallSuccess::of(&evidence.trace);
        let found = (self.rule.find)(&calls, success)?;
        let mut items = Vec::with_capacity(calls.len());
        let mut violations = Vec::new();
        let mut doubt = None;
        for (call, finding) in calls.iter().zip(found) {
            let state = match finding {
                CallFinding::Holds => State::Held,
                CallFinding::Violated(violation) => {
                    violations.push(*violation);
                    State::Violated
                }
                CallFinding::Unknown(index) => {
                    doubt = doubt.or(Some(index));
                    State::Open
                }
            };
            items.push(Item::new(call.label(), state));
        }
        let doubtful = doubt.and_then(|index| all.iter().find(|call| call.index == index));
        match doubtful.filter(|_| violations.is_empty()) {
            Some(call) => Err(success.explain_doubt(call)),
            None => Ok(Outcome::of_items(items, violations).stat("calls_checked", calls.len())),
        }
    }

    // What a call is, it stays.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        // A tool that is not excepted.
        let mut names = ["a_tool", "zz9", "Q", "another-tool"].into_iter();
        let name = names.find(|name| !self.settings.except.iter().any(|tool| tool.matches_name(name)))?;
        Some(run_of((self.rule.build_counterexample)(Call::new(name, Arguments::none(), 1))).into())
    }

    fn is_vacuous(&self) -> bool {
        self.settings.except.iter().any(|tool| tool.as_str() == "*")
    }
}
