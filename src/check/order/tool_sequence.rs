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

use crate::check::support::attempts::note_attempts;
use crate::check::support::named_tools::run_of;
use crate::check::{Check, Demand, Kind, Scope};
use crate::evidence::{CallSuccess, Evidence};
use crate::outcome::{Item, Outcome, Unfit, Violation};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::Trace;
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind =
    Kind::with::<ToolSequenceSettings>("tool_sequence", "these tools are called in this order", read_check)
        .shorthand("tools");

/// Settings of `tool_sequence`, for their schema.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "describes settings that are read by hand, with their places")]
struct ToolSequenceSettings {
    /// The tools, in this order. Other calls may come between.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    tools: Option<Vec<String>>,
    /// Lists of tools. All calls of the run equal one of these lists.
    allow: Option<Vec<Vec<String>>>,
}

enum ToolSequence {
    /// In this order, others between.
    InOrder(Vec<ToolPattern>),
    /// All calls are one of these.
    Whole(Vec<Vec<ToolPattern>>),
}

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `tool_sequence`")?;
    let tools = fields.optional::<Vec<ToolPattern>>("tools");
    let allow = fields.optional::<Vec<Vec<ToolPattern>>>("allow");
    let is_given = tools.is_some() || allow.is_some();
    let sequence = match (tools, allow) {
        (Some(tools), None) if !tools.is_empty() => Ok(ToolSequence::InOrder(tools)),
        (None, Some(allow)) if !allow.is_empty() => Ok(ToolSequence::Whole(allow)),
        (Some(_), Some(_)) => Err(node.error("`tools` and `allow` are both given: give one of them")),
        _ => Err(node
            .error("an empty sequence checks nothing")
            .help("give `tools: [..]`, or `allow: [[..], ..]`")),
    };
    let sequence = match sequence {
        // A list that could not be decoded is reported already, and would be called empty here.
        _ if !fields.errors.is_empty() => None,
        Err(error) if !is_given => {
            fields.missing(&["tools", "allow"], error);
            None
        }
        sequence => fields.take(sequence),
    };
    let sequence = sequence.map(|sequence| Box::new(sequence) as Box<dyn Check>);
    fields.finish_some(sequence)
}

impl Check for ToolSequence {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
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
    let (mut items, mut next) = (Vec::new(), 0);
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
