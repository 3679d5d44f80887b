//! `forbidden_tools`: none of these tools is called.
//!
//! Names are exact; `tool_blocklist` takes globs. `server:tool` also means a call `tool` when the trace has no
//! `server:tool`. One violation a tool, however often it was called. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../tests/check/forbidden_tools/fail-twice.yaml")]
//! ```

use serde::Deserialize;

use super::tool_name::{ToolName, at_least_one, run_of};
use super::{Check, Kind};
use crate::evidence::Evidence;
use crate::outcome::{Item, Outcome, State, Unfit, Violation};
use crate::trace::Call;

pub(super) const KIND: Kind =
    Kind::of::<ForbiddenTools>("forbidden_tools", "none of exactly these tools is called").shorthand("tools");

/// Settings of `forbidden_tools`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ForbiddenTools {
    /// The tools that must not be called.
    #[serde(deserialize_with = "at_least_one")]
    tools: Vec<ToolName>,
}

impl Check for ForbiddenTools {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let (mut items, mut violations) = (Vec::new(), Vec::new());
        for (index, tool) in self.tools.iter().enumerate() {
            let calls = tool.calls_in(&evidence.trace);
            let state = if calls.is_empty() { State::Held } else { State::Violated };
            items.push(Item::new(tool.as_str(), state));
            violations.extend(forbidden(index, tool, &calls));
        }
        Ok(Outcome::of_items(items, violations).stat("calls_checked", evidence.trace.calls.len()))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(run_of(vec![self.tools.first()?.example(1)]).into())
    }
}

fn forbidden(index: usize, tool: &ToolName, calls: &[&Call]) -> Option<Violation> {
    let first = calls.first()?;
    let times = if calls.len() == 1 { String::new() } else { format!(" {} times", calls.len()) };
    let violation = first.violation(format!("`{}` is forbidden, but was called{times}", tool.as_str()));
    let calls = calls.iter().map(|call| call.index).collect();
    let help = "keep the agent from calling it, or take it off the list";
    Some(Violation { calls, ..violation }.at(format!("/tools/{index}")).help(help))
}
