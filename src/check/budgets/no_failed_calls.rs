//! `no_failed_calls`: every call of the run succeeds.
//!
//! A call without a result fails as well, if the run records results.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/no_failed_calls/fail-a-refusal.yaml")]
//! ```

use super::exceptions::Exceptions;
use crate::check::support::call_success::RunSuccess;
use crate::check::support::named_tools::run_of;
use crate::check::{Check, Kind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{Item, Outcome, State, Unfit, Violation};
use crate::place::LoadErrors;
use crate::trace::{Arguments, Call, CallStatus};
use crate::yaml::Node;

pub(crate) const KIND: Kind =
    Kind::with::<Exceptions>("no_failed_calls", "every call of the run succeeds", read_check)
        .shorthand("required");

struct NoFailedCalls(Exceptions);

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    Ok(Box::new(NoFailedCalls(Exceptions::read(node)?)))
}

impl Check for NoFailedCalls {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let (mut items, mut violations) = (Vec::new(), Vec::new());
        let success = RunSuccess::of(&evidence.trace.calls);
        for call in evidence.trace.calls.iter().filter(|call| !self.0.include(call)) {
            let failure = success.describe_failure(call);
            let state = if failure.is_some() { State::Violated } else { State::Held };
            items.push(Item::new(call.label(), state));
            violations.extend(failure.map(|failure| describe_failed(call, &failure)));
        }
        let count = items.len();
        Ok(Outcome::of_items(items, violations).stat("calls_checked", count))
    }

    // A call that failed stays one.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let call = Call::new(self.0.find_other_tool()?, Arguments::none(), 1);
        Some(run_of(vec![Call { status: CallStatus::Error, ..call }]).into())
    }

    fn is_vacuous(&self) -> bool {
        self.0.except_everything()
    }
}

fn describe_failed(call: &Call, failure: &str) -> Violation {
    Violation::of_call(call, format!("call {} of `{}` {failure}", call.index, call.name))
        .help("repair the call, or except its tool: `{except: [TOOL]}`")
}
