//! `tool_sequence`: these tools are called in this order.
//!
//! <!-- settings -->
//!
//! `tools` is an ordered subsequence: other calls can come between, and a repeated name needs as many calls
//! (`[search, search, summarize]` needs two searches). `allow` lists complete sequences instead: the calls of the
//! run equal one of them. A name is [the name of a tool](../traces.md#names-of-tools), and may be a glob. This case
//! fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tool_sequence/fail-order.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::messages::{note_attempts, run_of};
use crate::check::{BuildCheck, Check, CheckKind, Demand, Scope};
use crate::evidence::{CallSuccess, Evidence};
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors};
use crate::trace::Trace;
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind =
    CheckKind::built::<ToolSequenceSettings>("tool_sequence", "these tools are called in this order")
        .shorthand("tools");

/// Settings of `tool_sequence`.
#[derive(Deserialize, JsonSchema)]
struct ToolSequenceSettings {
    /// The tools, in this order. Other calls may come between.
    #[schemars(length(min = 1))]
    tools: Option<Placed<Vec<ToolPattern>>>,
    /// Lists of tools. All calls of the run equal one of these lists.
    allow: Option<Placed<Vec<Vec<ToolPattern>>>>,
}

enum ToolSequence {
    /// In this order, others between.
    InOrder(Vec<ToolPattern>),
    /// All calls are one of these.
    Whole(Vec<Vec<ToolPattern>>),
}

impl BuildCheck for ToolSequenceSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let place = settings.place().clone();
        let Self { tools, allow } = settings.into_value();
        let empty = match (tools, allow) {
            (Some(_), Some(allow)) => {
                return Err(allow.error("`tools` and `allow` are both given: give one of them").into());
            }
            (Some(tools), None) if !tools.is_empty() => {
                return Ok(Box::new(ToolSequence::InOrder(tools.into_value())));
            }
            (None, Some(allow)) if !allow.is_empty() => {
                return Ok(Box::new(ToolSequence::Whole(allow.into_value())));
            }
            (Some(tools), None) => tools.place().clone(),
            (None, Some(allow)) => allow.place().clone(),
            (None, None) => place,
        };
        let error = LoadError::new(empty, "an empty sequence checks nothing");
        Err(error.help("give `tools: [..]`, or `allow: [[..], ..]`").into())
    }
}

impl Check for ToolSequence {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let trace = &evidence.trace;
        let outcome = match self {
            Self::InOrder(tools) => in_order(tools, trace),
            Self::Whole(allowed) => judge_whole(allowed, trace),
        };
        Ok(outcome.stat("calls_checked", trace.calls.len()))
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        match self {
            Self::InOrder(tools) => tools.iter().collect(),
            Self::Whole(allowed) => allowed.iter().flatten().collect(),
        }
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        match self {
            Self::InOrder(_) => Some(Trace::default().into()),
            // One call more than any of them has.
            Self::Whole(allowed) => {
                let longest = allowed.iter().map(Vec::len).max()?;
                let tool = allowed.iter().flatten().next()?;
                let calls: Option<Vec<_>> = (0..=longest).map(|turn| tool.example(turn + 1)).collect();
                Some(run_of(calls?).into())
            }
        }
    }

    fn demands(&self) -> Vec<Demand<'_>> {
        match self {
            Self::InOrder(tools) => Demand::calls(tools, "/tools"),
            Self::Whole(_) => Vec::new(),
        }
    }
}

fn in_order(tools: &[ToolPattern], trace: &Trace) -> Outcome {
    let mut items = Vec::new();
    let mut next = 0;
    let success = CallSuccess::of(trace);
    let mut violation = None;
    // Each tool is looked for behind the one before it. A tool that is missing does not move the search, so that the
    // items behind it still say whether their tools are in order.
    for (index, tool) in tools.iter().enumerate() {
        let found = trace.calls[next..].iter().position(|call| tool.matches(call));
        let item = Item::tested(format!("{}: {}", index + 1, tool.as_str()), found.is_some());
        items.push(note_attempts(item, trace.calls.iter().filter(|call| tool.matches(call)), success));
        match found {
            Some(at) => next += at + 1,
            None => violation = violation.or_else(|| Some(out_of_order(index, tools, next, trace))),
        }
    }
    Outcome::of_items(items, violation.into_iter().collect())
}

/// The first member that does not follow: `next` is where the search for it began.
fn out_of_order(index: usize, tools: &[ToolPattern], next: usize, trace: &Trace) -> Violation {
    let tool = &tools[index];
    let name = tool.as_str();
    let early = trace.calls[..next].iter().rfind(|call| tool.matches(call));
    let (message, actual) = match (index.checked_sub(1).map(|before| &tools[before]), early) {
        (Some(before), Some(call)) => (
            format!("`{name}` was not called after `{}`", before.as_str()),
            format!("its last call before that is call {}", call.index),
        ),
        (Some(before), None) => {
            (format!("`{name}` was not called after `{}`", before.as_str()), "it was never called".to_owned())
        }
        (None, _) => (format!("`{name}` was never called"), "it was never called".to_owned()),
    };
    Violation::new(message)
        .tool(name)
        .at(format!("/tools/{index}"))
        .expected(join_arrows(tools.iter().map(ToolPattern::as_str)), actual)
        .help("let the agent call it there, or change the sequence")
}

fn judge_whole(allowed: &[Vec<ToolPattern>], trace: &Trace) -> Outcome {
    let is_allowed = allowed.iter().any(|tools| {
        let mut pairs = tools.iter().zip(&trace.calls);
        tools.len() == trace.calls.len() && pairs.all(|(tool, call)| tool.matches(call))
    });
    let violation = (!is_allowed).then(|| {
        let lists = allowed.iter().map(|tools| join_arrows(tools.iter().map(ToolPattern::as_str)));
        let expected: Vec<String> = lists.collect();
        Violation::new("the calls of the run are none of the allowed sequences")
            .at("/allow")
            .expected(expected.join(" | "), join_arrows(trace.tool_names().into_iter()))
            .help("add this sequence, or keep the agent to one of them")
    });
    violation.into()
}

fn join_arrows<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "no call at all".to_owned() } else { names.join(" -> ") }
}
