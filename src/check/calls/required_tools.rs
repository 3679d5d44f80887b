//! `required_tools`: each of these tools is called at least once, in any order.
//!
//! <!-- settings -->
//!
//! A name is [the name of a tool](../traces.md#names-of-tools): `get_order`, `shop:get_order`, `"get_*"`. An answer
//! that should be based on facts is a guess if nothing was looked up, even if it sounds right. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/required_tools/fail-one-missing.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::messages::{at_least_one, never_called, note_attempts};
use crate::check::{Check, CheckKind, Demand};
use crate::evidence::{CallSuccess, Evidence};
use crate::outcome::{CannotDecide, Item, Outcome};
use crate::pattern::ToolPattern;
use crate::trace::{Call, Trace};

pub(crate) const KIND: CheckKind =
    CheckKind::of::<RequiredTools>("required_tools", "each of these tools is called").shorthand("tools");

/// Settings of `required_tools`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RequiredTools {
    /// The tools that must be called: names or globs. `server:tool` means the tool of that server.
    #[serde(deserialize_with = "at_least_one")]
    #[schemars(length(min = 1))]
    tools: Vec<ToolPattern>,
}

impl Check for RequiredTools {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let mut items = Vec::new();
        let mut violations = Vec::new();
        let success = CallSuccess::of(&evidence.trace);
        for (index, tool) in self.tools.iter().enumerate() {
            let calls: Vec<&Call> = evidence.trace.calls.iter().filter(|call| tool.matches(call)).collect();
            let called = !calls.is_empty();
            items.push(note_attempts(Item::tested(tool.as_str(), called), calls, success));
            violations
                .extend((!called).then(|| never_called(tool, &evidence.trace).at(format!("/tools/{index}"))));
        }
        Ok(Outcome::of_items(items, violations).stat("calls_checked", evidence.trace.calls.len()))
    }

    // A further call takes no tool away.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        outcome.violations.is_empty()
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.tools.iter().collect()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(Trace::default().into())
    }

    fn demands(&self) -> Vec<Demand<'_>> {
        Demand::calls(&self.tools, "/tools")
    }
}
