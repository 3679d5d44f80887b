//! The tools that a check names, and those that a run called.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, de};

use crate::outcome::Violation;
use crate::pattern::ToolPattern;
use crate::trace::{Call, Trace};

/// The number of called tools that a message names.
const SHOWN: usize = 12;

/// A list of tools that names at least one.
pub(crate) fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ToolPattern>, D::Error> {
    let tools = Vec::<ToolPattern>::deserialize(deserializer)?;
    if tools.is_empty() { Err(de::Error::custom("an empty list checks nothing")) } else { Ok(tools) }
}

/// The calls that `tool` means.
pub(crate) fn find_calls<'t>(tool: &ToolPattern, trace: &'t Trace) -> Vec<&'t Call> {
    trace.calls.iter().filter(|call| tool.matches(call)).collect()
}

/// The tools that were called, each once, in the order of their first call.
pub(crate) fn called_tools(trace: &Trace) -> Vec<&str> {
    let mut seen = HashSet::new();
    trace.tool_names().into_iter().filter(|name| seen.insert(*name)).collect()
}

/// The tools that were called, for a user who expected others.
pub(crate) fn what_was_called(trace: &Trace) -> String {
    let names = called_tools(trace);
    let more = names.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    match &names[..names.len().min(SHOWN)] {
        [] => "the agent called no tool at all".to_owned(),
        names => format!("it called `{}`{more}", names.join("`, `")),
    }
}

/// Describes that a tool was never called, and what was called instead.
pub(crate) fn never_called(tool: &ToolPattern, trace: &Trace) -> Violation {
    Violation::new(format!("`{tool}` was never called")).tool(tool.as_str()).help(what_was_called(trace))
}

/// A run that calls `calls`, for a counterexample.
pub(crate) fn run_of(calls: Vec<Call>) -> Trace {
    let mut trace = Trace::default();
    for call in calls {
        trace.push_call(call);
    }
    trace
}
