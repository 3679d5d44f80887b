//! Messages of the Agent SDK for Python, as `dataclasses.asdict` writes them, to the lines that Claude Code prints.
//!
//! The SDK's classes are told apart by their fields: `asdict` keeps no names of classes. Programs that add one (`type`,
//! `class`) name it as they like, so it is not looked at.

use std::borrow::Cow;

use crate::reader::json::input::Record;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;

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
pub(crate) fn is_sdk_message(record: &Json) -> bool {
    find_class(record).is_some()
}

/// Whether a record is one that no other format has.
pub(crate) fn is_telling_sdk_message(record: &Json) -> bool {
    matches!(find_class(record), Some(SdkMessage::Assistant | SdkMessage::User | SdkMessage::Result))
}

fn find_class(record: &Json) -> Option<SdkMessage> {
    let is_line = record.get("type").and_then(Json::as_str).is_some_and(is_type_of_line);
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
    let is_model = record.get("model").is_some_and(Json::is_text);
    Some(if is_model { SdkMessage::Assistant } else { SdkMessage::User })
}

fn has_all(record: &Json, names: &[&str]) -> bool {
    names.iter().all(|name| record.has_key(name))
}

/// Whether this is the type of a line that Claude Code itself prints.
fn is_type_of_line(kind: &str) -> bool {
    matches!(kind, "assistant" | "user" | "system" | "result" | "stream_event")
}

/// The line that Claude Code prints for a message of the SDK; any other record as it is.
pub(crate) fn into_line(record: Record<'_>) -> Record<'_> {
    let Some(class) = find_class(&record.value) else { return record };
    let Json::Object(mut object) = record.value else { return record };
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

fn typed_line<'t>(kind: &'static str, mut object: Object<'t>) -> Json<'t> {
    object.push(Cow::Borrowed("type"), Json::Text(Cow::Borrowed(kind)));
    if let Some(usage) = object.take(&["model_usage"]) {
        object.push(Cow::Borrowed("modelUsage"), usage);
    }
    Json::Object(object)
}

fn message_line<'t>(kind: &'static str, mut object: Object<'t>) -> Json<'t> {
    let content = match object.take(&["content"]).unwrap_or_default() {
        Json::List(blocks) => Json::List(blocks.into_iter().map(type_block).collect()),
        content => content,
    };
    let mut message = Object::default();
    message.push(Cow::Borrowed("content"), content);
    // These fields are inside of the message in the lines, and beside it in the dataclass.
    for (name, own_name) in
        [("id", "message_id"), ("model", "model"), ("usage", "usage"), ("stop_reason", "stop_reason")]
    {
        if let Some(value) = object.take(&[own_name]) {
            message.push(Cow::Borrowed(name), value);
        }
    }
    object.push(Cow::Borrowed("message"), Json::Object(message));
    typed_line(kind, object)
}

/// Adds the type of a block, inferred from its fields.
fn type_block(block: Json<'_>) -> Json<'_> {
    let Json::Object(mut block) = block else { return block };
    let kind = match () {
        // From the most special field on: a result may have a text as well.
        () if block.has_key("tool_use_id") => "tool_result",
        () if block.has_key("name") && block.has_key("input") => "tool_use",
        () if block.has_key("thinking") => "thinking",
        () if block.has_key("text") => "text",
        () => return Json::Object(block),
    };
    block.push(Cow::Borrowed("type"), Json::Text(Cow::Borrowed(kind)));
    Json::Object(block)
}
