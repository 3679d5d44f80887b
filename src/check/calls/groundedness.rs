//! `groundedness`: the answer is based on a tool call.
//!
//! One of the three axes of a golden dataset. An answer is grounded if any tool was called. The result of
//! the call does not matter. To compare the facts of the answer with the results, use [`grounded`](grounded.md).
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/groundedness/fail-made-up.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::{Check, CheckKind};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Score, State, Violation};
use crate::trace::Trace;
use crate::yaml::{Node, Value};

pub(crate) const KIND: CheckKind =
    CheckKind::of::<Groundedness>("groundedness", "at least one tool is called").only_reports(is_opted_out);

/// Settings of `groundedness`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Groundedness {
    /// `false`: this row requires no grounding. The score is 1, and the verdict notes it. Default: `true`.
    grounded: bool,
    /// `false`: no call is required; calls are allowed. Default: `true`.
    tool_called: bool,
}

impl Default for Groundedness {
    fn default() -> Self {
        Self { grounded: true, tool_called: true }
    }
}

/// A row that asks for no grounding cannot fail here: that is what its writer wants.
fn is_opted_out(node: Node<'_>) -> bool {
    let settings = ["grounded", "tool_called"].into_iter().filter_map(|key| node.get(key));
    settings.into_iter().any(|setting| *setting.value() == Value::Bool(false))
}

impl Check for Groundedness {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let trace = &evidence.trace;
        let (state, violation) = match self.opt_out() {
            Some(_) => (State::NotExercised, None),
            None if trace.calls.is_empty() => (State::Violated, Some(made_up(trace))),
            None => (State::Held, None),
        };
        let item = Item::new("a tool is called", state);
        let item = match self.opt_out() {
            Some(opt_out) => item.note(format!("not asked for: `{opt_out}`")),
            None => item,
        };
        let outcome = Outcome::of_items(vec![item], violation.into_iter().collect());
        Ok(outcome.stat("calls_checked", trace.calls.len()))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(Trace::default().into())
    }

    fn is_vacuous(&self) -> bool {
        self.opt_out().is_some()
    }

    fn lowest_score(&self) -> Score {
        if self.is_vacuous() { Score::FULL } else { Score::ZERO }
    }
}

impl Groundedness {
    /// The setting by which grounding is not asked for.
    fn opt_out(&self) -> Option<&'static str> {
        let grounded = (!self.grounded).then_some("grounded: false");
        grounded.or((!self.tool_called).then_some("tool_called: false"))
    }
}

fn made_up(trace: &Trace) -> Violation {
    let message = match trace.everything_said() {
        Some(_) => "the agent answered without calling any tool",
        None => "the agent called no tool, and gave no answer",
    };
    Violation::new(message)
        .at("/tool_called")
        .help("let the agent look it up, or say `grounded: false` where there is nothing to look up")
}
