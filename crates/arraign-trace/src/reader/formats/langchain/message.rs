//! One message of LangChain, in any of its serialized forms.

use std::borrow::Cow;

use crate::json::{Json, JsonNode, JsonObject};
use crate::reader::build::usage::TokenKeys;
use crate::trace::{Arguments, Usage};

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Human,
    Model,
    System,
    Tool,
}

/// Returns the kind that a `type`, a `role` or the name of a class denotes.
fn kind_of(word: &str) -> Option<MessageKind> {
    let word = word.strip_suffix("Chunk").unwrap_or(word);
    match word.strip_suffix("Message").unwrap_or(word) {
        "human" | "Human" | "user" => Some(MessageKind::Human),
        "ai" | "AI" | "assistant" => Some(MessageKind::Model),
        "system" | "System" | "developer" => Some(MessageKind::System),
        "tool" | "Tool" | "function" | "Function" => Some(MessageKind::Tool),
        _ => None,
    }
}

/// Words for a role that are not used as a `type`.
const ROLES: [&str; 3] = ["user", "assistant", "developer"];

/// Whether a value is a message, in one of the forms that only LangChain writes.
pub(crate) fn is_message(value: &JsonNode) -> bool {
    let Some(object) = value.as_object() else { return false };
    let mut escaped = None;
    let mut is_constructor = false;
    let mut word = "";
    // Detection asks each object of each document, so the keys are read in one pass. Most objects have none of them.
    for (key, value) in object.iter() {
        match key.as_ref() {
            "__lc_escaped__" => escaped = Some(value),
            "lc" => is_constructor = true,
            "type" => word = value.as_str().unwrap_or_default(),
            _ => {}
        }
    }
    if let Some(inner) = escaped {
        return is_message(inner);
    }
    if is_constructor {
        return class(object).and_then(kind_of).is_some() && object.get("kwargs").is_some();
    }
    let Some(kind) = kind_of(word).filter(|_| !ROLES.contains(&word)) else { return false };
    if object.get("data").is_some_and(|data| data.get("content").is_some()) {
        return true;
    }
    let has_content = object.get("content").is_some_and(|content| !content.is_object());
    has_content
        && match kind {
            // Other formats have lines and parts with these types. A message of this library has all its fields.
            MessageKind::System => object.get("additional_kwargs").is_some(),
            MessageKind::Tool => object.get("tool_call_id").is_some(),
            MessageKind::Human | MessageKind::Model => true,
        }
}

/// Whether a value is a message in the form of a chat request, as in the input of many runs.
pub(crate) fn is_chat_message(value: &JsonNode) -> bool {
    let role = value.get("role").and_then(JsonNode::as_str);
    role.and_then(kind_of).is_some() && value.get("content").is_some()
}

/// Whether a list is a message as users write it: a role and a text.
pub(crate) fn is_pair(items: &[JsonNode]) -> bool {
    let [JsonNode::String(role), JsonNode::String(_)] = items else { return false };
    kind_of(role).is_some_and(|kind| kind != MessageKind::Tool)
}

/// Returns the fields of such a message.
pub(crate) fn of_pair(items: Vec<JsonNode<'_>>) -> Option<JsonObject<'_>> {
    let [role, content] = <[JsonNode; 2]>::try_from(items).ok()?;
    Some([("type", role), ("content", content)].into_iter().collect())
}

/// Returns the class of a dumped object: the last word of its `id`.
fn class<'v>(object: &'v JsonObject) -> Option<&'v str> {
    object.get("id")?.as_array()?.last()?.as_str()
}

/// Returns the fields of a message, with its kind under `type`.
pub(crate) fn fields(value: JsonNode<'_>) -> Option<JsonObject<'_>> {
    let JsonNode::Object(mut object) = value else { return None };
    if let Some(inner) = object.take(&["__lc_escaped__"]) {
        return fields(inner);
    }
    let class = class(&object).map(ToOwned::to_owned);
    // A message without a wrapper has its fields at the top.
    let Some(JsonNode::Object(mut inner)) = object.take(&["kwargs", "data"]) else { return Some(object) };
    if inner.get("type").is_none_or(JsonNode::is_null) {
        // A constructor's `type` is `constructor`: there the class tells the kind.
        let kind = object.take(&["type"]).filter(|_| class.is_none());
        inner.insert("type", kind.or(class.map(|class| JsonNode::String(class.into()))).unwrap_or_default());
    }
    Some(inner)
}

/// Returns the kind of a message by its fields.
pub(crate) fn kind(fields: &JsonObject) -> Option<MessageKind> {
    ["type", "role"].iter().find_map(|name| fields.text_under(name).and_then(kind_of))
}

/// Whether the fields are those of a chunk of a streamed message.
pub(crate) fn is_chunk(fields: &JsonObject) -> bool {
    fields.get("type").and_then(JsonNode::as_str).is_some_and(|kind| kind.ends_with("Chunk"))
        && fields.get("tool_call_chunks").is_some()
}

/// Returns the text of a content: itself, or its text blocks joined.
pub(crate) fn text_of(content: Option<JsonNode<'_>>) -> Cow<'_, str> {
    let Some(content) = content else { return Cow::Borrowed("") };
    let JsonNode::Array(blocks) = content else { return content.into_text_or_json() };
    let texts = blocks.into_iter().filter_map(|block| match block {
        JsonNode::String(text) => Some(text.into_cow()),
        mut block => block.as_object_mut()?.take(&["text", "refusal"])?.into_text(),
    });
    Cow::Owned(texts.collect())
}

/// Returns the result in the message of a tool: its text, or its blocks if some of them are not texts.
pub(crate) fn result_of(content: Option<JsonNode<'_>>) -> Json {
    match content {
        // A list with images or data is more than its texts, so it is kept whole.
        Some(JsonNode::Array(blocks))
            if !blocks.iter().all(|block| block.is_string() || block.has_text("text")) =>
        {
            JsonNode::Array(blocks).into_json()
        }
        content => Json::String(text_of(content).into_owned().into()),
    }
}

/// Whether a content is empty.
pub(crate) fn is_empty(content: &JsonNode) -> bool {
    match content {
        JsonNode::String(text) => text.is_empty(),
        JsonNode::Array(blocks) => blocks.is_empty(),
        _ => false,
    }
}

/// Returns the refusal of the model, which is recorded next to an empty content.
pub(crate) fn refusal<'t>(fields: &JsonObject<'t>) -> Option<JsonNode<'t>> {
    fields.get("additional_kwargs")?.get("refusal").filter(|refusal| refusal.is_string()).cloned()
}

/// Returns the calls of built-in tools, which are recorded next to the content.
pub(crate) fn kept_apart<'t>(fields: &JsonObject<'t>) -> Vec<JsonNode<'t>> {
    let outputs = fields.get("additional_kwargs").and_then(|more| more.get("tool_outputs")?.as_array());
    outputs.map(<[JsonNode]>::to_vec).unwrap_or_default()
}

/// Removes the stack trace that Python or JavaScript print with an error.
pub(crate) fn without_stack(error: &str) -> &str {
    let said = error.split("Traceback (most recent call last)").next().unwrap_or_default();
    let has_stack = said.contains("\n    at ");
    let said = said.split("\n\n").next().filter(|_| has_stack).unwrap_or(said).trim();
    if said.is_empty() { error } else { said }
}

/// A tool call of a message.
#[derive(Debug)]
pub(crate) struct MadeCall {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
}

/// Takes the calls of a model's message. Calls with arguments that are not JSON are in a list of their own.
pub(crate) fn calls(fields: &mut JsonObject) -> Vec<MadeCall> {
    let mut calls = fields.list(&["tool_calls"]).unwrap_or_default();
    calls.extend(fields.list(&["invalid_tool_calls"]).unwrap_or_default());
    if calls.is_empty() {
        // Early versions kept only the calls as the API of OpenAI returned them.
        let more = fields.take(&["additional_kwargs"]).and_then(|more| JsonObject::of(more, "it").ok());
        calls = more.and_then(|mut more| more.list(&["tool_calls"]).ok()).unwrap_or_default();
    }
    calls.into_iter().filter_map(call).collect()
}

fn call(value: JsonNode) -> Option<MadeCall> {
    let mut call = JsonObject::of(value, "a call").ok()?;
    let id = call.take(&["id"]).and_then(JsonNode::into_text).map(Cow::into_owned);
    let mut function = call.object(&["function"]).ok().flatten().unwrap_or(call);
    let name = function.take(&["name"]).and_then(JsonNode::into_text).filter(|name| !name.is_empty())?;
    let key = if function.get("args").is_some() { "args" } else { "arguments" };
    Some(MadeCall { id, name: name.into_owned(), arguments: function.arguments(key) })
}

/// Reads the tokens of a message. Cached tokens are included in the input.
pub(crate) fn usage(fields: &mut JsonObject) -> Option<Usage> {
    TOKENS.read_from(fields, &["usage_metadata"]).ok()?
}

/// Tokens as the library counts them.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens"],
    output: &["output_tokens"],
    cached: &["/input_token_details/cache_read"],
    reasoning: &["/output_token_details/reasoning"],
    ..TokenKeys::NONE
};

/// Reads the tokens in the form of the provider, which the library keeps in some versions.
pub(crate) fn raw_usage(metadata: &mut JsonObject) -> Option<Usage> {
    PROVIDER_TOKENS.read_from(metadata, &["token_usage", "tokenUsage"]).ok()?
}

/// Tokens as the provider counts them.
const PROVIDER_TOKENS: TokenKeys = TokenKeys {
    input: &["prompt_tokens", "promptTokens"],
    output: &["completion_tokens", "completionTokens"],
    cached: &["/prompt_tokens_details/cached_tokens"],
    reasoning: &["/completion_tokens_details/reasoning_tokens"],
    ..TokenKeys::NONE
};
