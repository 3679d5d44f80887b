//! `effects`: the run makes exactly these state-changing calls.
//!
//! <!-- settings -->
//!
//! Calls of other tools do not count, nor does the order, nor do calls that failed. A call of
//! [nearly the name](../traces.md#near-names) of a tool that writes leaves the check undecided. The entries of `calls` are those of
//! the check [`calls`](calls.md). This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/effects/fail-a-second-refund.yaml")]
//! ```

use super::expected_calls::ExpectedCalls;
use super::forms::EffectsForm;
use super::report::list_specs;
use super::settings::{Trajectory, TrajectoryMode};
use crate::check::{Check, Kind, Scope};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind =
    Kind::with::<EffectsForm>("effects", "the run makes exactly these state-changing calls", read_check);

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `effects`")?;
    let write = fields.list::<ToolPattern>("write");
    if write.as_ref().is_none_or(Vec::is_empty) && fields.errors.is_empty() {
        let error = node.error("`write` is missing: the tools that change the world");
        fields.missing(&["write"], error);
    }
    // The order of effects does not matter: the state of the world is the same.
    let expected = Trajectory::read(&mut fields, TrajectoryMode::Unordered, "calls", node);
    let effects =
        write.zip(expected).map(|(write, expected)| ExpectedCalls { expected, counted: Some(write) });
    if let Some(error) = effects.as_ref().and_then(|effects| find_reader(effects, node)) {
        fields.errors.push(error);
    }
    fields.finish_some(effects.map(|effects| Box::new(effects) as Box<dyn Check>))
}

/// An expected call of a tool that is not among those that write would never be looked at.
fn find_reader(effects: &ExpectedCalls, node: Node<'_>) -> Option<LoadError> {
    let tool = list_specs(&effects.expected).find_map(|spec| {
        let call = spec.example(1)?;
        (!effects.counts(&call)).then(|| spec.tool.as_str().to_owned())
    })?;
    let at = node.get("calls").unwrap_or(node);
    let error = at.error(format!("`{tool}` is expected and is not among the tools that write"));
    Some(error.help("add it to `write`, or expect it with `calls`"))
}
