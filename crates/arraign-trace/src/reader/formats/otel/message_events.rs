//! Messages as separate events, from an early version of the conventions that many libraries still write.
//!
//! An event is one attribute of a span, an event of a span, or a log record with the ids of its span. Its name gives the
//! speaker: `gen_ai.user.message`, `gen_ai.choice`. Strands Agents writes messages of Bedrock into it, as JSON text.

use crate::json::{Json, parse_lenient};

use crate::reader::build::tool_result::OutcomeMarks;
use crate::reader::formats::otel::chat_message::{
    ChatMessage, ChatPart, Speaker, find_text, read_parts, read_speaker,
};
use crate::reader::formats::otel::span::{MESSAGE_EVENTS, OtelSpan};
use crate::trace::Arguments;

/// The attributes in which a span keeps its events of messages.
pub(crate) const EVENTS: [&str; 2] = ["events", MESSAGE_EVENTS];

/// Reads the events of a span: the messages that the model was sent, or the reply if `chosen`.
pub(crate) fn read_events(span: &OtelSpan, names: &[&str], chosen: bool) -> Option<Vec<ChatMessage>> {
    let Json::Array(events) = span.parse(names)? else { return None };
    let events = events.iter().filter(|event| (find_name(event) == Some("gen_ai.choice")) == chosen);
    let messages: Vec<ChatMessage> = events.map(read_event).collect();
    (!messages.is_empty()).then_some(messages)
}

fn find_name(event: &Json) -> Option<&str> {
    event.get("event.name").and_then(Json::as_str)
}

fn read_event(event: &Json) -> ChatMessage {
    let message = event.get("message").filter(|message| message.is_object()).unwrap_or(event);
    let named = find_name(event).and_then(|name| name.strip_prefix("gen_ai.")?.strip_suffix(".message"));
    let speaker = read_speaker(message.get("role").and_then(Json::as_str).or(named));
    let content = message.get("content").or_else(|| event.get("message").filter(|said| said.is_string()));
    if let Some(parts) = content.and_then(bedrock_parts) {
        return ChatMessage { speaker, parts };
    }
    // The content of a tool's message is its result as a whole, whatever form it has.
    if speaker == Speaker::Tool {
        let value = content.cloned();
        let id = find_text(message, "id");
        let marks = OutcomeMarks::of_parsed(message);
        return ChatMessage { speaker, parts: vec![ChatPart::Result { id, value, marks }] };
    }
    // Some writers keep the calls of a choice beside its message.
    let beside = event.get("tool_calls").filter(|_| !std::ptr::eq(event, message));
    let calls = [message.get("tool_calls"), beside].into_iter().flatten();
    let calls = calls.filter_map(Json::as_array).flatten();
    let mut parts = content.map(read_parts).unwrap_or_default();
    parts.extend(
        calls.map(|call| read_call(call).unwrap_or_else(|| ChatPart::Unread("tool_calls".to_owned()))),
    );
    let fields = [Some(message), Some(event).filter(|event| !std::ptr::eq(*event, message))];
    let fields = fields.into_iter().flatten().filter_map(Json::as_object).flatten();
    let unknown = fields.filter(|(key, value)| is_unknown(key, value));
    parts.extend(unknown.map(|(key, _)| ChatPart::Unread(key.to_string())));
    ChatMessage { speaker, parts }
}

/// Whether a message has a value that could be a call under a key that this form does not have.
fn is_unknown(key: &str, value: &Json) -> bool {
    let mut items = value.as_array().into_iter().flatten();
    let holds_calls = value.is_object() || items.any(|item| item.is_object() || item.is_array());
    let is_known = ["content", "message"].contains(&key) || key == "tool_calls" && value.is_array();
    holds_calls && !is_known
}

fn read_call(call: &Json) -> Option<ChatPart> {
    let function = call.get("function")?;
    let arguments = function.get("arguments").cloned();
    let arguments = arguments.map_or(Arguments::Unrecorded, Arguments::from_json);
    Some(ChatPart::Call { id: find_text(call, "id"), name: find_text(function, "name")?, arguments })
}

/// Returns the parts of a Bedrock message; `None` for any other content.
fn bedrock_parts(content: &Json) -> Option<Vec<ChatPart>> {
    let parts = parse_lenient(content.as_str()?).ok()?;
    let Json::Array(parts) = parts else { return None };
    parts.iter().all(is_bedrock_part).then(|| parts.iter().filter_map(bedrock_part).collect())
}

fn is_bedrock_part(part: &Json) -> bool {
    part.is_object() && part.get("type").is_none()
}

fn bedrock_part(part: &Json) -> Option<ChatPart> {
    if let Some(call) = part.get("toolUse") {
        let arguments = call.get("input").cloned().map_or(Arguments::Unrecorded, Arguments::from_json);
        return Some(ChatPart::Call {
            id: find_text(call, "toolUseId"),
            name: find_text(call, "name")?,
            arguments,
        });
    }
    if let Some(result) = part.get("toolResult") {
        let marks = OutcomeMarks::of_parsed(result);
        let value = Some(bedrock_result(result));
        return Some(ChatPart::Result { id: find_text(result, "toolUseId"), value, marks });
    }
    if let Some(text) = find_text(part, "text") {
        return Some(ChatPart::Text(text));
    }
    // The key of a part names its kind.
    let kind = part.as_object()?.keys().next()?;
    (!WITHOUT_CALLS.contains(&kind.as_str())).then(|| ChatPart::Unread(kind.to_string()))
}

/// Kinds of Bedrock parts that contain no call.
const WITHOUT_CALLS: [&str; 5] = ["image", "document", "video", "cachePoint", "reasoningContent"];

/// Returns the text of a result with only texts, or else its parts.
fn bedrock_result(result: &Json) -> Json {
    let parts = result.get("content").cloned().unwrap_or_default();
    join_texts(&parts).map_or(parts, Json::from)
}

/// Joins a list of Bedrock parts that are all text.
pub(crate) fn join_texts(parts: &Json) -> Option<String> {
    let parts = parts.as_array().filter(|parts| !parts.is_empty())?;
    parts.iter().map(|part| part.get("text")?.as_str().filter(|_| has_one_key(part))).collect()
}

fn has_one_key(part: &Json) -> bool {
    part.as_object().is_some_and(|part| part.len() == 1)
}
