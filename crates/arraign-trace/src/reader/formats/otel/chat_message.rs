//! A message that a model is sent or sends, as the semantic conventions write it, and its parts.

use crate::json::{Json, JsonNode};
use crate::reader::build::tool_result::OutcomeMarks;
use crate::trace::Arguments;

/// One message.
#[derive(Debug)]
pub(crate) struct ChatMessage {
    pub(crate) speaker: Speaker,
    pub(crate) parts: Vec<ChatPart>,
}

impl ChatMessage {
    /// Whether the message holds results and nothing else, whoever sends it.
    pub(crate) fn is_answer(&self) -> bool {
        let mut parts = self.parts.iter();
        !self.parts.is_empty() && parts.all(|part| matches!(part, ChatPart::Result { .. }))
    }
}

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    System,
    User,
    Model,
    Tool,
}

/// A piece of a message.
#[derive(Debug)]
pub(crate) enum ChatPart {
    Text(String),
    Call {
        id: Option<String>,
        name: String,
        arguments: Arguments,
    },
    Result {
        id: Option<String>,
        /// `None` if the content was not captured.
        value: Option<Json>,
        /// What the message says about the outcome of the call.
        marks: OutcomeMarks,
    },
    /// A part of a kind that the format does not know.
    Unread(String),
}

/// Kinds of parts that contain no call.
const WITHOUT_CALLS: [&str; 12] = [
    "reasoning",
    "thinking",
    "blob",
    "uri",
    "file",
    "image",
    "image-url",
    "image_url",
    "audio",
    "video",
    "refusal",
    "compaction",
];

/// Whether a value is a message as the semantic conventions write it, outside of any span.
pub(crate) fn is_message(value: &JsonNode) -> bool {
    let parts = value.get("parts").and_then(JsonNode::as_array).unwrap_or_default();
    let own = |part: &JsonNode| match part.get("type").and_then(JsonNode::as_str) {
        Some("text") => part.get("content").is_some_and(JsonNode::is_string),
        Some(kind) => {
            kind.ends_with("tool_call") || kind.ends_with("tool_call_response") || kind == "reasoning"
        }
        None => false,
    };
    value.get("role").is_some_and(JsonNode::is_string) && !parts.is_empty() && parts.iter().all(own)
}

/// Reads a message of the semantic conventions.
pub(crate) fn read_message(value: &Json) -> ChatMessage {
    let parts = value.get("parts").or_else(|| value.get("content")).map(read_parts).unwrap_or_default();
    ChatMessage { speaker: read_speaker(value.get("role").and_then(Json::as_str)), parts }
}

/// Reads the role of a message. An unknown one is the model's.
pub(crate) fn read_speaker(role: Option<&str>) -> Speaker {
    match role {
        Some("system" | "developer") => Speaker::System,
        Some("user" | "human") => Speaker::User,
        Some("tool" | "function") => Speaker::Tool,
        _ => Speaker::Model,
    }
}

/// Reads the content of a message: a text, or a list of parts.
pub(crate) fn read_parts(value: &Json) -> Vec<ChatPart> {
    match value {
        Json::String(text) => vec![ChatPart::Text(text.to_string())],
        Json::Array(parts) => parts.iter().filter_map(read_part).collect(),
        _ => Vec::new(),
    }
}

fn read_part(value: &Json) -> Option<ChatPart> {
    let any = |names: &[&str]| names.iter().find_map(|name| value.get(name).cloned());
    let kind = value.get("type").or_else(|| value.get("kind")).and_then(Json::as_str).unwrap_or("text");
    match kind {
        "text" => find_text(value, "content").or_else(|| find_text(value, "text")).map(ChatPart::Text),
        // Some writers keep the blocks of Anthropic as they are.
        "tool_call" | "server_tool_call" | "tool_use" => {
            let arguments = any(&["arguments", "server_tool_call", "input"]);
            let arguments = arguments.map_or(Arguments::Unrecorded, Arguments::from_json);
            let Some(name) = find_text(value, "name") else { return Some(ChatPart::Unread(kind.to_owned())) };
            Some(ChatPart::Call { id: find_text(value, "id"), name, arguments })
        }
        "tool_call_response" | "server_tool_call_response" | "tool_result" => {
            let result = any(&["response", "result", "server_tool_call_response", "content"]);
            let marks = OutcomeMarks::of_parsed(value);
            let id = find_text(value, "id").or_else(|| find_text(value, "tool_use_id"));
            Some(ChatPart::Result { id, value: result, marks })
        }
        kind if WITHOUT_CALLS.contains(&kind) => None,
        kind => Some(ChatPart::Unread(kind.to_owned())),
    }
}

/// Finds the text under the key `name`.
pub(crate) fn find_text(of: &Json, name: &str) -> Option<String> {
    of.get(name).and_then(Json::as_str).map(ToOwned::to_owned)
}
