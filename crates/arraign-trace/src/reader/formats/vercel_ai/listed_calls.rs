//! The calls that a step lists in several places.
//!
//! A step repeats its calls: in `content`, in `toolCalls`, and in the provider's response. The lists of Mastra's steps can
//! differ: some versions omit a parallel call in `content`. The calls of a step are the union of all lists by id.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::formats::vercel_ai::kind;

/// A call in one of a step's lists beside `content`.
struct ListedCall<'t> {
    id: String,
    name: Cow<'t, str>,
    arguments: JsonNode<'t>,
    /// The JSON pointer from the step to the call.
    pointer: String,
}

/// Adds to `parts` the calls that `toolCalls` or the response of the provider list and `parts` omits. Each difference is
/// an unread part of the run.
pub(crate) fn merge_calls<'t>(
    builder: &mut TraceBuilder,
    parts: Vec<JsonNode<'t>>,
    tool_calls: Vec<JsonNode<'t>>,
    body: Option<JsonNode<'t>>,
) -> Vec<JsonNode<'t>> {
    let has_list = !tool_calls.is_empty();
    let listed: Vec<ListedCall> =
        tool_calls.into_iter().enumerate().filter_map(|(at, listed)| read_listed(at, listed)).collect();
    // Older results have no list, and then nothing is missing from it.
    if has_list {
        note_unlisted(builder, &parts, &listed);
    }
    let parts = insert_omitted(builder, parts, listed);
    insert_omitted(builder, parts, body.map(list_body_calls).unwrap_or_default())
}

/// Returns the fields of a chunk. Mastra keeps them in `payload`.
pub(crate) fn unwrap_payload(mut chunk: JsonObject) -> Result<JsonObject, DecodeError> {
    if chunk.get("payload").is_some_and(JsonNode::is_object)
        && let Some(payload) = chunk.object(&["payload"])?
    {
        // The fields of the payload replace those around it.
        chunk.extend(payload.into_entries());
    }
    Ok(chunk)
}

fn read_listed(index: usize, call: JsonNode<'_>) -> Option<ListedCall<'_>> {
    let mut call = unwrap_payload(JsonObject::of(call, "a call").ok()?).ok()?;
    let id = call.string(&["toolCallId"]).ok()??;
    let name = call.text(&["toolName"]).ok()??;
    let arguments = call.take(&["input", "args"]).unwrap_or_default();
    Some(ListedCall { id, name, arguments, pointer: format!("/toolCalls/{index}") })
}

fn find_call_id<'v>(part: &'v JsonNode) -> Option<&'v str> {
    part.get("toolCallId")?.as_str().filter(|_| kind(part) == Some("tool-call"))
}

/// Notes the calls of `content` that `toolCalls` omits.
fn note_unlisted(builder: &mut TraceBuilder, parts: &[JsonNode], listed: &[ListedCall]) {
    let known: HashSet<&str> = listed.iter().map(|call| call.id.as_str()).collect();
    for (index, part) in parts.iter().enumerate() {
        if find_call_id(part).is_some_and(|id| !known.contains(id)) {
            let name = part.get("toolName").and_then(JsonNode::as_str).unwrap_or_default();
            builder.note_omission(&format!("/content/{index}"), name, "toolCalls");
        }
    }
}

/// Inserts the calls that are not in `parts`, each before the call that follows it in its own list.
fn insert_omitted<'t>(
    builder: &mut TraceBuilder,
    parts: Vec<JsonNode<'t>>,
    listed: Vec<ListedCall<'t>>,
) -> Vec<JsonNode<'t>> {
    let places: HashMap<&str, usize> =
        parts.iter().enumerate().filter_map(|(place, part)| Some((find_call_id(part)?, place))).collect();
    if listed.iter().all(|call| places.contains_key(call.id.as_str())) {
        return parts;
    }
    // The lists may interleave: an omitted call belongs directly before the next call that both lists have. Calls
    // after the last common one are inserted behind it, before any text that follows.
    let mut next =
        parts.iter().rposition(|part| find_call_id(part).is_some()).map_or(parts.len(), |last| last + 1);
    let mut omitted = Vec::new();
    // From the end, so that the place of the following call is known.
    for call in listed.into_iter().rev() {
        match places.get(call.id.as_str()) {
            Some(place) => next = *place,
            None => omitted.push((next, call)),
        }
    }
    let mut merged = Vec::with_capacity(parts.len() + omitted.len());
    let mut omitted = omitted.into_iter().rev().peekable();
    for (place, part) in parts.into_iter().map(Some).chain([None]).enumerate() {
        // Both sequences are in order, so one pass merges them. The extra round at the end takes the calls behind the
        // last part.
        while let Some((_, call)) = omitted.next_if(|(before, _)| *before <= place) {
            builder.note_omission(&call.pointer, &call.name, "content");
            merged.push(render_part(call));
        }
        merged.extend(part);
    }
    merged
}

fn render_part(call: ListedCall<'_>) -> JsonNode<'_> {
    JsonNode::object([
        // Arguments as text are JSON, or what the model wrote instead.
        ("invalid", JsonNode::Bool(call.arguments.is_string())),
        ("type", JsonNode::String("tool-call".into())),
        ("toolCallId", JsonNode::String(call.id.into())),
        ("toolName", JsonNode::String(call.name.into())),
        ("input", call.arguments),
    ])
}

/// Lists the calls in a response of the OpenAI or Anthropic API.
fn list_body_calls(body: JsonNode<'_>) -> Vec<ListedCall<'_>> {
    let JsonNode::Object(mut body) = body else { return Vec::new() };
    let mut calls = Vec::new();
    for (index, choice) in body.list(&["choices"]).unwrap_or_default().into_iter().enumerate() {
        let JsonNode::Object(mut choice) = choice else { continue };
        let message = choice.object(&["message"]).ok().flatten().unwrap_or_default();
        list_message_calls(message, &format!("/response/body/choices/{index}/message"), &mut calls);
    }
    // One API lists the parts in `output`, the other in `content`; a body has one of the two.
    for list in ["output", "content"] {
        let items = body.list(&[list]).unwrap_or_default().into_iter().enumerate();
        calls.extend(
            items.filter_map(|(index, item)| read_item(item, format!("/response/body/{list}/{index}"))),
        );
    }
    calls
}

fn list_message_calls<'t>(mut message: JsonObject<'t>, pointer: &str, calls: &mut Vec<ListedCall<'t>>) {
    for (index, call) in message.list(&["tool_calls"]).unwrap_or_default().into_iter().enumerate() {
        let JsonNode::Object(mut call) = call else { continue };
        let function = call.object(&["function"]).ok().flatten().unwrap_or_default();
        let pointer = format!("{pointer}/tool_calls/{index}");
        calls.extend(read_named_call(call, function, &["id"], pointer));
    }
}

/// Reads an item of a response: `function_call` of OpenAI, `tool_use` of Anthropic.
fn read_item(item: JsonNode<'_>, pointer: String) -> Option<ListedCall<'_>> {
    let ids: &[&str] = match kind(&item)? {
        "function_call" => &["call_id"],
        "tool_use" => &["id"],
        _ => return None,
    };
    let JsonNode::Object(item) = item else { return None };
    read_named_call(item.clone(), item, ids, pointer)
}

fn read_named_call<'t>(
    mut call: JsonObject<'t>,
    mut function: JsonObject<'t>,
    ids: &[&str],
    pointer: String,
) -> Option<ListedCall<'t>> {
    let id = call.string(ids).ok()??;
    let name = function.text(&["name"]).ok()??;
    let arguments = function.take(&["arguments", "input"]).unwrap_or_default();
    Some(ListedCall { id, name, arguments, pointer })
}
