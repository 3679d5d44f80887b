//! Detection of Chat Completions: messages, requests, responses and logs of both.

use super::{ollama, stream};
use crate::json::JsonNode;
use crate::reader::build::batch;
use crate::reader::build::message_list::MessageMarks;
use crate::reader::json::input::Input;
use crate::reader::json::record_marks::hash_marks;
use crate::reader::{Certainty, Detection};

pub(super) const ROLES: [&str; 6] = ["system", "developer", "user", "assistant", "tool", "function"];
/// Kinds of content parts: none of them contains a call.
pub(super) const PARTS: [&str; 8] =
    ["text", "image_url", "input_audio", "file", "refusal", "video_url", "thinking", "reasoning"];

/// Keys next to requests and responses in the steps of libraries that wrap this format.
const FOREIGN: [&str; 5] = ["stepNumber", "steps", "content", "finishReason", "toolCalls"];

pub(super) fn detect_format(input: &Input) -> Detection {
    if is_message(input.first()?) {
        return MESSAGES.judge(input.records.iter().map(|record| &record.value), "");
    }
    let mut best = Certainty::Possible;
    // A failure within a stream has the form of an error of any service, so it counts only among chunks.
    let streamed = input.first().is_ok_and(stream::is_chunk);
    let is_batch = batch::may_be_batch(input);
    let foreign = if input.may_have_any(&const { hash_marks(FOREIGN) }) { FOREIGN.as_slice() } else { &[] };
    for record in &input.records {
        let failed = streamed && stream::failure(&record.value).is_some();
        if failed || is_batch && batch::failure(&record.value).is_some() {
            continue;
        }
        let judged = judge_record(&record.value, foreign);
        best = best.max(judged.map_err(|reason| reason.in_record(record.at))?);
    }
    Ok(best)
}

/// Whether a record is a message itself, not a record that contains messages.
pub(super) fn is_message(value: &JsonNode) -> bool {
    value.get("role").is_some() && value.get("choices").is_none()
}

/// Judges a record that is not a message. A key of `foreign` makes this format less likely.
fn judge_record(value: &JsonNode, foreign: &[&str]) -> Detection {
    if let JsonNode::Array(messages) = value {
        return MESSAGES.judge(messages.iter(), "");
    }
    if stream::is_chunk(value) || ollama::is_response(value) {
        return Ok(Certainty::Sure);
    }
    if let Some(key) = foreign.iter().find(|key| value.get(key).is_some()) {
        return Err(format!("has the key `{key}`, which this format does not use").into());
    }
    // A logged exchange is certain by its response; a request is judged by its messages below.
    let request = body(value, "request");
    let response = body(value, "response");
    let is_response = response.is_some_and(|response| has_choices(response) || ollama::is_response(response));
    if is_response || has_choices(value) {
        return Ok(Certainty::Sure);
    }
    if let Some(kind) = value.get("type").and_then(JsonNode::as_str) {
        return Err(format!("has the type `{kind}`").into());
    }
    let messages = request.unwrap_or(value).get("messages").and_then(JsonNode::as_array);
    let Some(messages) = messages else {
        return Err("has neither `messages` nor `choices`".into());
    };
    if value.pointer("/tools/0/function").is_some() {
        return Ok(Certainty::Sure);
    }
    MESSAGES.judge(messages.iter(), "messages")
}

/// Returns the request or response in a line of a log. Some loggers wrap it in `body`.
fn body<'v, 't>(value: &'v JsonNode<'t>, name: &str) -> Option<&'v JsonNode<'t>> {
    let found = value.get(name).filter(|found| found.is_object())?;
    Some(found.get("body").filter(|body| body.is_object()).unwrap_or(found))
}

const MESSAGES: MessageMarks = MessageMarks { is_telling: has_calls, object_to };

fn has_choices(value: &JsonNode) -> bool {
    let choice = value.get("choices").and_then(JsonNode::first);
    choice.is_some_and(|choice| choice.has_key("message"))
}

/// Whether there is an object with a name under `key`.
fn has_named(value: &JsonNode, key: &str) -> bool {
    value.get(key).is_some_and(|function| function.has_key("name"))
}

/// Whether a message has calls or results in the form of this format.
fn has_calls(message: &JsonNode) -> bool {
    let Some(role) = message.get("role").and_then(JsonNode::as_str) else { return false };
    if let Some(call) = message.get("tool_calls").and_then(JsonNode::first) {
        return ["function", "custom"].iter().any(|key| has_named(call, key));
    }
    let answers = match role {
        "tool" => message.get("tool_call_id").is_some(),
        "function" => message.get("name").is_some(),
        _ => return has_named(message, "function_call"),
    };
    answers && message.get("content").is_some_and(|content| object_to_content(content).is_none())
}

/// Returns the reason why `message` is not of this format, if there is one.
fn object_to(message: &JsonNode) -> Option<String> {
    match message.get("role").and_then(JsonNode::as_str) {
        None => return Some("has no `role`".to_owned()),
        Some(role) if !ROLES.contains(&role) => return Some(format!("has the role `{role}`")),
        Some(_) => {}
    }
    if let Some(key) = ["type", "parts", "contents", "kind"].iter().find(|key| message.get(key).is_some()) {
        return Some(format!("has the key `{key}`, which this format does not use"));
    }
    match message.get("tool_calls") {
        Some(JsonNode::Array(calls)) if !calls.is_empty() => {
            return Some("has calls without `function`".to_owned());
        }
        _ => {}
    }
    object_to_content(message.get("content")?)
}

fn object_to_content(content: &JsonNode) -> Option<String> {
    match content {
        JsonNode::Null | JsonNode::String(_) => None,
        JsonNode::Array(parts) => {
            parts.iter().find_map(|part| match part.get("type").and_then(JsonNode::as_str) {
                Some(kind) if PARTS.contains(&kind) => None,
                Some(kind) => Some(format!("has a content part of the type `{kind}`")),
                None => Some("has a content part without `type`".to_owned()),
            })
        }
        _ => Some("has a content that is neither text nor parts".to_owned()),
    }
}
