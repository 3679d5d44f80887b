//! What messages of several checks say: numbers and lists in words, blocked tools, tools that were called, attempts.

use std::collections::HashSet;

use serde::{Deserialize, Deserializer, de};

use crate::evidence::CallSuccess;
use crate::outcome::{Item, State, Violation, count_noun};
use crate::pattern::ToolPattern;
use crate::trace::{Call, Trace};

/// Says how often: `never`, `once`, `3 times`.
pub(crate) fn say_times(count: usize) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Says how many calls: `1 call`, `3 calls`.
pub(crate) fn say_calls(count: usize) -> String {
    count_noun(count, "call")
}

/// Joins the parts of a list: `a`, `a and b`, `a, b and c`.
pub(crate) fn join_list(parts: &[String], last_word: &str) -> String {
    match parts {
        [most @ .., last] if !most.is_empty() => format!("{} {last_word} {last}", most.join(", ")),
        parts => parts.concat(),
    }
}

/// The help of a message about a blocked tool that was called.
pub(crate) const BLOCKED_HELP: &str = "keep the agent from calling it, or take the entry off the list";

/// Says that `tool`, which `entry` blocks, was called so many times.
pub(crate) fn is_blocked(tool: &str, entry: &str, times: usize) -> String {
    let by = if entry == format!("`{tool}`") { String::new() } else { format!(" by {entry}") };
    let times = if times == 1 { String::new() } else { format!(" {times} times") };
    format!("`{tool}` is blocked{by}, but was called{times}")
}

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

/// The note on a tool that was called without success.
const NEVER_SUCCEEDED: &str = "an attempt counts here: no call of it succeeded";

/// The beginning of the note on a rule that holds by failed calls of the tool that follows.
const ONLY_FAILED: &str = "an attempt counts here: all calls failed of ";

/// The note on a rule that requires a call of `tool`, whose calls all failed.
pub(crate) fn describe_attempts(tool: &str) -> String {
    [ONLY_FAILED, tool].concat()
}

/// The required tool of an item that holds although no call of the tool succeeded. The tool is named by the note, or by the
/// end of the label: `call 2: refund`, `1: refund`, `refund`.
pub(crate) fn find_attempted_tool(item: &Item) -> Option<&str> {
    let note = item.note.as_deref().filter(|_| item.state == State::Held)?;
    if note == NEVER_SUCCEEDED {
        return Some(item.label.split_once(": ").map_or(&*item.label, |(_, tool)| tool));
    }
    note.strip_prefix(ONLY_FAILED)
}

/// Adds a note to the item of a check that counts attempts, if none of these calls succeeded.
pub(crate) fn note_attempts<'c>(
    item: Item,
    calls: impl IntoIterator<Item = &'c Call>,
    success: CallSuccess,
) -> Item {
    let mut calls = calls.into_iter().peekable();
    let is_made = calls.peek().is_some();
    // Failed attempts count as calls, and a reader must see that none of them worked.
    if is_made && !calls.any(|call| success.may_have_worked(call)) {
        item.note(NEVER_SUCCEEDED)
    } else {
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_said_as_a_person_would() {
        let parts = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            (join_list(&parts[..1], "and"), join_list(&parts, "or")),
            ("a".to_owned(), "a, b or c".to_owned())
        );
    }

    #[test]
    fn an_entry_is_named_where_it_is_not_the_tool_itself() {
        assert_eq!(is_blocked("rm", "`rm`", 1), "`rm` is blocked, but was called");
        assert_eq!(
            is_blocked("rm_all", "`rm_*`", 2),
            "`rm_all` is blocked by `rm_*`, but was called 2 times"
        );
    }
}
