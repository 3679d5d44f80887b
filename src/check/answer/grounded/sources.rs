//! The parts of the evidence that can support an answer.

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::known_facts::Leaf;
use crate::evidence::Evidence;
use crate::json::Json;
use crate::trace::{Arguments, Call, Role};

/// A part of the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum From {
    /// Results of tools, errors included.
    Results,
    /// Arguments of calls.
    Arguments,
    /// Messages of the user and the system.
    Prompt,
}

impl From {
    /// Names one entry in a message.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Results => "result",
            Self::Arguments => "argument",
            Self::Prompt => "prompt",
        }
    }
}

/// Lists the values in `from`.
pub(super) fn leaves<'e>(evidence: &'e Evidence<'_>, from: &[From]) -> Vec<Leaf<'e>> {
    let mut leaves = Vec::new();
    for part in from {
        match part {
            From::Results => evidence.trace.calls.iter().for_each(|call| of_result(call, &mut leaves)),
            From::Arguments => evidence.trace.calls.iter().for_each(|call| of_arguments(call, &mut leaves)),
            From::Prompt => leaves.extend(list_prompts(evidence).map(Leaf::Text)),
        }
    }
    // Counts are facts of the calls: `three orders` is supported by a list of three. A prompt alone has none.
    if !leaves.is_empty() && from != [From::Prompt] {
        leaves.extend(count_calls(evidence).map(Leaf::Count));
    }
    leaves
}

fn of_result<'e>(call: &'e Call, leaves: &mut Vec<Leaf<'e>>) {
    leaves.extend(call.error.as_deref().map(Leaf::Text));
    if let Some(result) = &call.result {
        of_json(result, leaves);
    }
}

fn of_arguments<'e>(call: &'e Call, leaves: &mut Vec<Leaf<'e>>) {
    match &call.arguments {
        Arguments::Json(value) => of_json(value, leaves),
        Arguments::Broken { raw, .. } => leaves.push(Leaf::Text(raw)),
        Arguments::Unrecorded => {}
    }
}

/// Uses a list instead of recursion, because a value may be nested deeper than the stack.
fn of_json<'e>(value: &'e Json, leaves: &mut Vec<Leaf<'e>>) {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            // Nothing to find, but the result was there to be looked at.
            Json::Null | Json::Bool(_) => leaves.push(Leaf::Text("")),
            Json::Number(number) => leaves.push(Leaf::Number(number)),
            Json::String(text) => leaves.push(Leaf::Text(text)),
            Json::Array(entries) => {
                leaves.push(Leaf::Count(entries.len()));
                rest.extend(entries);
            }
            Json::Object(entries) => {
                leaves.extend(entries.keys().map(|key| Leaf::Text(key)));
                rest.extend(entries.values());
            }
        }
    }
}

fn list_prompts<'e>(evidence: &'e Evidence<'_>) -> impl Iterator<Item = &'e str> {
    let asked = evidence.input.as_deref().into_iter().chain(evidence.trace.input.as_deref());
    let said = evidence.trace.messages.iter().filter(|message| message.role != Role::Assistant);
    asked.chain(said.map(|message| message.text.as_str()))
}

/// Counts the calls of each tool and of all tools.
fn count_calls(evidence: &Evidence<'_>) -> impl Iterator<Item = usize> {
    let mut names = evidence.trace.tool_names();
    let all = names.len();
    names.sort_unstable();
    let each: Vec<usize> = names.chunk_by(|one, other| one == other).map(<[&str]>::len).collect();
    each.into_iter().chain([all]).filter(|count| *count > 0)
}

/// Names the first call without a recorded result. An error is a result.
pub(super) fn unseen_result(evidence: &Evidence<'_>, from: &[From]) -> Option<String> {
    if !from.contains(&From::Results) {
        return None;
    }
    // An error counts as a result, because the agent has read it.
    let call = evidence.trace.calls.iter().find(|call| call.result.is_none() && call.error.is_none())?;
    Some(format!("call {} (`{}`)", call.index, call.name))
}

/// Adds an entry of `from` that supports nothing.
pub(super) fn example(run: &mut Evidence<'static>, from: From) {
    let trace = run.trace.to_mut();
    match from {
        From::Prompt => trace.push_message(Role::User, "?"),
        From::Results | From::Arguments => {
            let arguments = Arguments::Json(Json::String("?".to_owned().into()));
            let call = Call::new("look", arguments, 1);
            trace.push_call(Call { result: Some(Json::Null), ..call });
        }
    }
}
