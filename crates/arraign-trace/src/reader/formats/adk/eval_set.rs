//! Takes the events out of an eval set: the invocations of its cases, as ADK's developer page stores them.
//!
//! An eval set that a person wrote lists only the calls that are expected. It has no events, and is no record of a run.

use std::collections::HashSet;

use crate::json::{JsonNode, JsonObject};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Record};

const CASES: [&str; 2] = ["eval_cases", "evalCases"];
const DATA: [&str; 2] = ["intermediateData", "intermediate_data"];
const EVENT_LISTS: [&str; 2] = ["invocationEvents", "invocation_events"];

/// Whether a record is an eval set that holds the events of each of its invocations.
pub(super) fn is_eval_set(value: &JsonNode) -> bool {
    let cases = CASES.iter().find_map(|key| value.get(key)?.as_array()).unwrap_or_default();
    let mut invocations =
        cases.iter().filter_map(|case| case.get("conversation")?.as_array()).flatten().peekable();
    invocations.peek().is_some()
        && invocations.all(|invocation| {
            let data = DATA.iter().find_map(|key| invocation.get(key));
            EVENT_LISTS
                .iter()
                .any(|key| data.is_some_and(|data| data.get(key).is_some_and(JsonNode::is_array)))
        })
}

/// Returns the events of all invocations: the user's, those of the agents, and the final response.
pub(super) fn list_events(records: Vec<Record>) -> Result<Vec<Record>, DecodeError> {
    let mut events = Vec::new();
    let mut known = HashSet::new();
    for Record { at, value } in records {
        JsonObject::of(value, "an eval set")
            .and_then(|mut set| {
                set.each(&CASES, "a case", |mut case| {
                    case.each(&["conversation"], "an invocation", |invocation| {
                        list_invocation(at, invocation, &mut known, &mut events)
                    })
                })
            })
            .map_err(|error| at.in_record(error))?;
    }
    Ok(events)
}

fn list_invocation<'t>(
    at: At,
    mut invocation: JsonObject<'t>,
    known: &mut HashSet<String>,
    events: &mut Vec<Record<'t>>,
) -> Result<(), DecodeError> {
    let id = invocation.take(&["invocationId", "invocation_id"]).unwrap_or_default();
    // Each invocation is a run, also where an id is missing or stands twice.
    let mut id = id.as_str().unwrap_or_default().to_owned();
    let mut number = known.len();
    while id.is_empty() || !known.insert(id.clone()) {
        number += 1;
        id = format!("invocation {number}");
    }
    let mut add = |mut event: JsonObject<'t>| {
        event.insert("invocationId", JsonNode::String(id.clone().into()));
        events.push(Record { at, value: JsonNode::Object(event) });
    };
    let content_event = |author: &'static str, content: JsonNode<'t>| {
        JsonObject::from_iter([("author", JsonNode::String(author.into())), ("content", content)])
    };
    if let Some(question) = invocation.take(&["userContent", "user_content"]) {
        add(content_event("user", question));
    }
    let mut last = None;
    let mut data = invocation.object(&DATA)?.unwrap_or_default();
    for event in data.list(&EVENT_LISTS)? {
        let event = JsonObject::of(event, "an event")?;
        last = event.get("content").cloned();
        add(event);
    }
    // Newer versions repeat the last event here, older ones leave it out of the events.
    if let Some(answer) =
        invocation.take(&["finalResponse", "final_response"]).filter(|answer| last.as_ref() != Some(answer))
    {
        add(content_event("agent", answer));
    }
    Ok(())
}
