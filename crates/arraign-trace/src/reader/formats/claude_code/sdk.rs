//! Messages of the Agent SDK for Python, as `dataclasses.asdict` writes them, to the lines that Claude Code prints.
//!
//! The SDK's classes are told apart by their fields: `asdict` keeps no names of classes. Programs that add one (`type`,
//! `class`) name it as they like, so it is not looked at.

use std::borrow::Cow;

use crate::json::{JsonNode, JsonObject};
use crate::reader::json::input::Record;

/// The classes of messages that a run consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SdkMessage {
    Assistant,
    User,
    System,
    Result,
    /// A piece of a message that follows whole.
    Stream,
}

/// Whether a record is a message of the SDK.
pub(crate) fn is_sdk_message(record: &JsonNode) -> bool {
    find_class(record).is_some()
}

/// Whether a record is one that no other format has.
pub(crate) fn is_telling_sdk_message(record: &JsonNode) -> bool {
    matches!(find_class(record), Some(SdkMessage::Assistant | SdkMessage::User | SdkMessage::Result))
}

fn find_class(record: &JsonNode) -> Option<SdkMessage> {
    let is_line = record.get("type").and_then(JsonNode::as_str).is_some_and(is_type_of_line);
    if is_line || record.get("role").is_some() {
        return None;
    }
    // The dataclasses have no type, so each is recognised by fields that no other one has together.
    if has_all(record, &["num_turns", "is_error", "session_id", "subtype"]) {
        return Some(SdkMessage::Result);
    }
    if has_all(record, &["subtype", "data"]) {
        return Some(SdkMessage::System);
    }
    if has_all(record, &["event", "session_id", "uuid"]) {
        return Some(SdkMessage::Stream);
    }
    if !has_all(record, &["parent_tool_use_id", "content"]) {
        return None;
    }
    // Only a message of the model names a model; the other fields of the two are the same.
    let is_model = record.get("model").is_some_and(JsonNode::is_string);
    Some(if is_model { SdkMessage::Assistant } else { SdkMessage::User })
}

fn has_all(record: &JsonNode, names: &[&str]) -> bool {
    names.iter().all(|name| record.has_key(name))
}

/// Whether this is the type of a line that Claude Code itself prints.
fn is_type_of_line(kind: &str) -> bool {
    matches!(kind, "assistant" | "user" | "system" | "result" | "stream_event")
}

/// The line that Claude Code prints for a message of the SDK; any other record as it is.
pub(crate) fn into_line(record: Record<'_>) -> Record<'_> {
    let Some(class) = find_class(&record.value) else { return record };
    let JsonNode::Object(mut object) = record.value else { return record };
    let line = match class {
        SdkMessage::Assistant => message_line("assistant", object),
        SdkMessage::User => message_line("user", object),
        // The data is the line that the SDK has read.
        SdkMessage::System => object.take(&["data"]).unwrap_or_default(),
        SdkMessage::Result => typed_line("result", object),
        SdkMessage::Stream => typed_line("stream_event", object),
    };
    Record { at: record.at, value: line }
}

fn typed_line<'t>(kind: &'static str, mut object: JsonObject<'t>) -> JsonNode<'t> {
    object.insert("type", JsonNode::String(kind.into()));
    if let Some(usage) = object.take(&["model_usage"]) {
        object.insert("modelUsage", usage);
    }
    JsonNode::Object(object)
}

fn message_line<'t>(kind: &'static str, mut object: JsonObject<'t>) -> JsonNode<'t> {
    let content = match object.take(&["content"]).unwrap_or_default() {
        JsonNode::Array(blocks) => JsonNode::Array(blocks.into_iter().map(type_block).collect()),
        content => content,
    };
    let mut message = JsonObject::default();
    message.insert("content", content);
    // These fields are inside of the message in the lines, and beside it in the dataclass.
    for (name, own_name) in
        [("id", "message_id"), ("model", "model"), ("usage", "usage"), ("stop_reason", "stop_reason")]
    {
        if let Some(value) = object.take(&[own_name]) {
            message.insert(Cow::Borrowed(name), value);
        }
    }
    object.insert("message", JsonNode::Object(message));
    typed_line(kind, object)
}

/// Adds the type of a block, inferred from its fields.
fn type_block(block: JsonNode<'_>) -> JsonNode<'_> {
    let JsonNode::Object(mut block) = block else { return block };
    let kind = match () {
        // From the most special field on: a result may have a text as well.
        () if block.has_key("tool_use_id") => "tool_result",
        () if block.has_key("name") && block.has_key("input") => "tool_use",
        () if block.has_key("thinking") => "thinking",
        () if block.has_key("text") => "text",
        () => return JsonNode::Object(block),
    };
    block.insert("type", JsonNode::String(kind.into()));
    JsonNode::Object(block)
}
