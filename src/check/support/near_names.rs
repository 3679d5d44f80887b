//! Called tools whose names are nearly those that a check names.
//!
//! A ban of `get_order` says nothing about `shop.get_order`, unless both are one tool, which the trace does not say. So the
//! run is read a second time, with the near names replaced by the names of the check. If the check then answers
//! otherwise, it is undecided.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;

use crate::check::Check;
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, UndecidedCause};
use crate::pattern::{ToolPattern, find_near_calls, show_name};
use crate::trace::{Arguments, Call, ToolServer, Trace};

/// The largest number of calls in all readings of a run. A run with more of them is undecided without being read again.
const MAX_READ_CALLS: usize = 1_000_000;

/// A called tool, and the tool of the check that it may be.
struct NearTool<'r> {
    pattern: &'r ToolPattern,
    /// The first call of the tool.
    call: &'r Call,
    /// The name by which the pattern means the call.
    name: String,
}

/// Returns `outcome`, unless calls with near names could change it. With `both_ways`, a violation counts as changed, too, if
/// the other reading does not have it.
pub(super) fn require_exact_names(
    check: &dyn Check,
    evidence: &Evidence<'_>,
    outcome: Outcome,
    both_ways: bool,
) -> Result<Outcome, CannotDecide> {
    let is_violated = !outcome.violations.is_empty();
    // A violation stays one: another reading of the names would only add calls.
    if is_violated && !both_ways || evidence.trace.calls.is_empty() {
        return Ok(outcome);
    }
    let tools = check.tools();
    if tools.is_empty() {
        return Ok(outcome);
    }
    let near = find_near_tools(&tools, evidence);
    let changes = |renamed: &[&NearTool<'_>]| {
        let trace = Cow::Owned(rename_calls(&evidence.trace, renamed));
        let opinions = Cow::Borrowed(&*evidence.opinions);
        let programs = Cow::Borrowed(&*evidence.programs);
        let replies = Cow::Borrowed(&*evidence.replies);
        let input = evidence.input.clone();
        let named_tools = evidence.named_tools.clone();
        let workspace = evidence.workspace.clone();
        let other =
            Evidence { trace, input, opinions, programs, replies, workspace, named_tools, ..*evidence };
        check.check(&other).map_or(true, |other| other.violations.is_empty() == is_violated)
    };
    let all: Vec<&NearTool<'_>> = near.iter().collect();
    let Some(first) = all.first().copied() else { return Ok(outcome) };
    let is_affordable = (all.len() + 1).saturating_mul(evidence.trace.calls.len()) <= MAX_READ_CALLS;
    // All near names may be the same host's, or one of them may be the tool and the others not.
    let decisive = if is_affordable {
        let single = all.iter().copied().find(|one| changes(&[one]));
        single.or_else(|| (all.len() > 1 && changes(&all)).then_some(first))
    } else {
        Some(first)
    };
    match decisive {
        Some(tool) => Err(explain_near_name(check, tool)),
        None => Ok(outcome),
    }
}

/// Finds the called tools that may be tools of the check by another name.
fn find_near_tools<'r>(tools: &[&'r ToolPattern], evidence: &'r Evidence<'_>) -> Vec<NearTool<'r>> {
    let trace = &evidence.trace;
    // A glob names no tool: `*` in a list of what is allowed says nothing about this one.
    let own = tools.iter().filter_map(|tool| tool.exact());
    let named: HashSet<&str> = own.chain(evidence.named_tools.iter().map(SmolStr::as_str)).collect();
    let mut seen = HashSet::new();
    let calls = trace.calls.iter();
    let calls = calls.filter(|call| seen.insert(identify_tool(call)) && !is_named(call, &named));
    let calls: Vec<&Call> = calls.collect();
    // The tools of most runs have the names that the case gives them.
    if calls.is_empty() {
        return Vec::new();
    }
    let near = find_near_calls(tools, &calls).into_iter().map(|near| NearTool {
        pattern: tools[near.pattern],
        call: calls[near.call],
        name: near.name,
    });
    near.filter(|near| !is_offered_beside(near, trace)).collect()
}

/// Whether the case names the called tool: then it is another one.
fn is_named(call: &Call, named: &HashSet<&str>) -> bool {
    named.contains(call.name.as_str())
        || named.contains(call.written_name())
        || call.server.name().is_some_and(|server| named.contains(format!("{server}:{}", call.name).as_str()))
}

/// Whether the trace lists both tools among those that were offered to the agent: then they are two.
fn is_offered_beside(near: &NearTool<'_>, trace: &Trace) -> bool {
    let is_call =
        |offered: &Call| offered.name == near.call.name || offered.written_name() == near.call.written_name();
    trace.offered.iter().any(|offered| near.pattern.matches(&offered.to_call()))
        && trace.offered.iter().any(|offered| is_call(&offered.to_call()))
}

/// Returns the run in which these tools have the names of the check.
fn rename_calls(trace: &Trace, renamed: &[&NearTool<'_>]) -> Trace {
    let mut names = HashMap::new();
    for near in renamed {
        // A tool that may be several tools of the check is the first of them.
        names.entry(identify_tool(near.call)).or_insert(near);
    }
    let mut trace = trace.clone();
    for call in &mut trace.calls {
        let Some(near) = names.get(&identify_tool(call)) else { continue };
        let server = near.pattern.example(1).map(|example| example.server);
        call.name.clone_from(&near.name);
        call.written = None;
        if let Some(server @ ToolServer::Named(_)) = server {
            call.server = server;
        }
    }
    trace
}

/// The identity of a called tool.
fn identify_tool(call: &Call) -> (&str, &ToolServer, Option<&str>) {
    (&call.name, &call.server, call.written.as_deref())
}

fn explain_near_name(check: &dyn Check, near: &NearTool<'_>) -> CannotDecide {
    let tool = near.pattern;
    let called = show_name(near.call.written_name());
    let example =
        Call { server: near.call.server.clone(), ..Call::new(near.name.as_str(), Arguments::none(), 1) };
    let is_banned = check.bans_call(&example) || tool.example(1).is_some_and(|call| check.bans_call(&call));
    let said = if is_banned { "is banned" } else { "is restricted here" };
    let reason = format!("`{tool}` {said}, and `{called}` was called (call {})", near.call.index);
    CannotDecide::missing(reason).cause(UndecidedCause::NearName).help(format!(
        "if they are one tool, write `{called}` here as well (`aliases` give rules several names); if they are two, \
         name `{called}` in another check of the case"
    ))
}
