//! `no_repeated_calls`: no call repeats an earlier one that succeeded.
//!
//! Two calls are the same if tool and arguments are. A retry after a failure repeats nothing.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/no_repeated_calls/fail-the-same-search-twice.yaml")]
//! ```

use super::exceptions::Exceptions;
use crate::check::support::call_success::RunSuccess;
use crate::check::support::named_tools::run_of;
use crate::check::{Check, Kind, Scope};
use crate::evidence::{Evidence, require_arguments};
use crate::outcome::{Item, Outcome, State, Unfit, Violation};
use crate::pattern::json_equal;
use crate::place::LoadErrors;
use crate::trace::{Arguments, Call};
use crate::yaml::Node;

pub(crate) const KIND: Kind = Kind::with::<Exceptions>(
    "no_repeated_calls",
    "no call repeats an earlier one that succeeded",
    read_check,
)
.shorthand("required");

struct NoRepeatedCalls(Exceptions);

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    Ok(Box::new(NoRepeatedCalls(Exceptions::read(node)?)))
}

fn is_same_tool(one: &Call, other: &Call) -> bool {
    one.name == other.name && one.server == other.server
}

fn has_same_arguments(one: &Call, other: &Call) -> bool {
    match (&one.arguments, &other.arguments) {
        (Arguments::Json(one), Arguments::Json(other)) => json_equal(one, other),
        (one, other) => one == other,
    }
}

impl NoRepeatedCalls {
    /// The first call that `call` repeats.
    fn find_original<'c>(call: &Call, earlier: &[&'c Call]) -> Result<Option<&'c Call>, Unfit> {
        let mut same_tool = earlier.iter().filter(|other| is_same_tool(call, other)).peekable();
        if same_tool.peek().is_some() {
            require_arguments(call)?;
        }
        Ok(same_tool.find(|other| has_same_arguments(call, other)).copied())
    }
}

impl Check for NoRepeatedCalls {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let success = RunSuccess::of(&evidence.trace.calls);
        let (mut items, mut violations) = (Vec::new(), Vec::new());
        let mut earlier: Vec<&Call> = Vec::new();
        for call in evidence.trace.calls.iter().filter(|call| !self.0.include(call)) {
            let original = Self::find_original(call, &earlier)?;
            let state = if original.is_some() { State::Violated } else { State::Held };
            items.push(Item::new(call.label(), state));
            violations.extend(original.map(|original| describe_repeat(call, original)));
            // Only the first success is kept: a later repeat is reported against it, and a failed call may be
            // repeated.
            if success.includes(call) && original.is_none() {
                earlier.push(call);
            }
        }
        let count = items.len();
        Ok(Outcome::of_items(items, violations).stat("calls_checked", count))
    }

    // A call that repeats another stays one.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let call = Call::new(self.0.find_other_tool()?, Arguments::none(), 1);
        Some(run_of(vec![call.clone(), call]).into())
    }

    fn is_vacuous(&self) -> bool {
        self.0.except_everything()
    }
}

fn describe_repeat(call: &Call, original: &Call) -> Violation {
    let message = format!("call {} of `{}` repeats call {}", call.index, call.name, original.index);
    Violation { calls: vec![original.index, call.index], ..Violation::of_call(call, message) }
        .expected("each call once, with these arguments", call.arguments.to_text())
        .help("have the agent use the result that it has, or except the tool: `{except: [TOOL]}`")
}
