//! Joins the events of a streamed run to messages: those of `run_stream_events()` and of an event stream handler.
//!
//! The last event, `agent_run_result`, holds all messages of the run. If it is missing, the handler did not write it or the
//! stream broke off, and the messages are built from the parts of the events.

use std::collections::BTreeMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Record};

/// The events that begin, continue and end a part of a response.
const PART_EVENTS: [&str; 3] = ["part_start", "part_delta", "part_end"];

/// The events with a result of a tool, which keep it under `part` or `result`.
const RESULT_EVENTS: [&str; 2] = ["function_tool_result", "output_tool_result"];

/// Events that only repeat what parts say.
const REPEATS: [&str; 5] =
    ["final_result", "function_tool_call", "output_tool_call", "builtin_tool_call", "builtin_tool_result"];

/// The event that ends a run.
const END: &str = "agent_run_result";

/// Whether a record is an event of a stream.
pub(super) fn is_event(value: &JsonNode) -> bool {
    value.text_under("event_kind").is_some_and(|kind| {
        PART_EVENTS.contains(&kind) || RESULT_EVENTS.contains(&kind) || REPEATS.contains(&kind) || kind == END
    })
}

/// Returns the messages of the runs of which `records` are the events. A record that is no event stays as it is.
pub(super) fn join_events(records: Vec<Record>) -> Result<Vec<Record>, DecodeError> {
    let mut stream = EventStream::default();
    for Record { at, value } in records {
        let event = JsonObject::of(value, "an event").and_then(|event| stream.event(at, event));
        event.map_err(|error| at.in_record(error))?;
    }
    stream.end_response();
    stream.messages.append(&mut stream.run);
    Ok(stream.messages)
}

#[derive(Debug, Default)]
struct EventStream<'t> {
    messages: Vec<Record<'t>>,
    /// The messages of the run that goes on, built from its parts.
    run: Vec<Record<'t>>,
    /// The response that is coming in: its place, and its parts by their index.
    response: Option<(At, BTreeMap<u64, StreamedPart<'t>>)>,
    /// Whether the writer ends parts. The first version has no such event: then a part may be whole, and nobody knows.
    ends_parts: bool,
}

#[derive(Debug, Default)]
struct StreamedPart<'t> {
    part: JsonObject<'t>,
    /// The text or the arguments that came in pieces.
    pieces: String,
    is_whole: bool,
}

impl<'t> EventStream<'t> {
    fn event(&mut self, at: At, mut event: JsonObject<'t>) -> Result<(), DecodeError> {
        let kind = event.required(&["event_kind"])?.into_owned();
        if kind == END {
            self.end_response();
            self.result(at, event)?;
        } else if PART_EVENTS.contains(&kind.as_str()) {
            self.part_event(at, &kind, event)?;
        } else if RESULT_EVENTS.contains(&kind.as_str()) {
            self.end_response();
            let part = event.take(&["part", "result"]).unwrap_or_default();
            self.run.push(Record { at, value: message("request", vec![part], "complete") });
        } else if !REPEATS.contains(&kind.as_str()) {
            // An event of an unknown kind becomes a part of that kind, which is reported if it is not harmless.
            event.insert("part_kind", JsonNode::String(kind.into()));
            self.run
                .push(Record { at, value: message("request", vec![JsonNode::Object(event)], "complete") });
        }
        Ok(())
    }

    /// The result holds the messages of the run. An older one, and one that was written in another way, holds the answer.
    fn result(&mut self, at: At, mut event: JsonObject<'t>) -> Result<(), DecodeError> {
        let mut result = event.object(&["result"])?.unwrap_or_default();
        let has_messages = super::LISTS.iter().any(|name| match result.get("_state") {
            Some(state) => state.get(name).is_some_and(JsonNode::is_array),
            None => result.get(name).is_some_and(JsonNode::is_array),
        });
        if has_messages {
            self.run.clear();
            let record = result.object(&["_state"])?.unwrap_or(result);
            self.messages.push(Record { at, value: JsonNode::Object(record) });
        } else {
            self.messages.append(&mut self.run);
        }
        Ok(())
    }

    fn part_event(&mut self, at: At, kind: &str, mut event: JsonObject<'t>) -> Result<(), DecodeError> {
        let index = event.count(&["index"])?.unwrap_or_default();
        if kind == "part_start" && index == 0 {
            self.end_response();
        }
        self.ends_parts |= kind == "part_end";
        let (_, parts) = self.response.get_or_insert_with(|| (at, BTreeMap::new()));
        let open = parts.entry(index).or_default();
        if kind != "part_delta" {
            let part = event.object(&["part"])?.unwrap_or_default();
            *open = StreamedPart { part, pieces: String::new(), is_whole: kind == "part_end" };
            return Ok(());
        }
        let mut delta = event.object(&["delta"])?.unwrap_or_default();
        // Arguments may come as an object, of which each delta has some keys.
        match delta.take(&["content_delta", "args_delta"]) {
            Some(JsonNode::Object(more)) => {
                let mut arguments = open.part.object(&["args"])?.unwrap_or_default();
                more.into_entries().into_iter().for_each(|(key, value)| {
                    arguments.insert(key, value);
                });
                open.part.insert("args", JsonNode::Object(arguments));
            }
            Some(more) => open.pieces += &more.into_text_or_json(),
            None => {}
        }
        Ok(())
    }

    fn end_response(&mut self) {
        let Some((at, parts)) = self.response.take() else { return };
        let is_open = self.ends_parts && parts.values().any(|part| !part.is_whole);
        let state = if is_open { "interrupted" } else { "complete" };
        let parts = parts.into_values().map(StreamedPart::into_part).collect();
        self.run.push(Record { at, value: message("response", parts, state) });
    }
}

impl<'t> StreamedPart<'t> {
    fn into_part(self) -> JsonNode<'t> {
        let Self { mut part, pieces, .. } = self;
        if !pieces.is_empty() {
            let is_call = part.text_under("part_kind").is_some_and(|kind| kind.ends_with("tool-call"));
            let key = if is_call { "args" } else { "content" };
            let begun = part.take(&[key]).and_then(JsonNode::into_text).unwrap_or_default();
            part.insert(key, JsonNode::String(format!("{begun}{pieces}").into()));
        }
        JsonNode::Object(part)
    }
}

fn message<'t>(kind: &'static str, parts: Vec<JsonNode<'t>>, state: &'static str) -> JsonNode<'t> {
    let text = |text: &'static str| JsonNode::String(text.into());
    JsonNode::object([("kind", text(kind)), ("parts", JsonNode::Array(parts)), ("state", text(state))])
}
