//! `tool_calls_at_most`: the run makes at most this many tool calls.
//!
//! Every attempt counts, including failed ones.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tool_calls_at_most/fail-one-too-many.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::messages::run_of;
use crate::check::{Check, CheckKind};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::trace::{Arguments, Call};

pub(crate) const KIND: CheckKind =
    CheckKind::of::<ToolCallsAtMost>("tool_calls_at_most", "the run makes at most this many tool calls")
        .shorthand("calls");

/// A limit above this has no counterexample: a trace of so many calls is not worth building.
const LARGEST_EXAMPLE: usize = 10_000;

/// Settings of `tool_calls_at_most`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ToolCallsAtMost {
    /// The maximum number of calls, inclusive.
    calls: usize,
}

impl Check for ToolCallsAtMost {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let made = evidence.trace.calls.len();
        let violation = (made > self.calls).then(|| self.describe_excess(&evidence.trace.calls));
        let label = format!("at most {} tool calls", self.calls);
        let note = format!("{made} were made");
        Ok(Outcome::of_limit(label, note, violation).stat("calls_checked", made))
    }

    // Further calls take none away.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let is_small = self.calls < LARGEST_EXAMPLE;
        is_small.then(|| {
            run_of((0..=self.calls).map(|turn| Call::new("x", Arguments::none(), turn)).collect()).into()
        })
    }

    fn bans_call(&self, _call: &Call) -> bool {
        self.calls == 0
    }
}

impl ToolCallsAtMost {
    fn describe_excess(&self, calls: &[Call]) -> Violation {
        let made = calls.len();
        let most = self.calls;
        let violation = Violation::new(format!("the run made {made} tool calls, more than {most}"))
            .value(made)
            .constraint(format!("tool_calls_at_most: {most}"))
            .at("/calls")
            .help("keep the agent from calls that it does not need, or raise the limit");
        Violation { call: calls.get(most).map(|call| call.index), ..violation }
    }
}
