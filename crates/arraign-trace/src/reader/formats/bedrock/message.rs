//! Messages of the Converse API: a part is an object with one key, which says what the part is.

use crate::json::{Json, JsonNode, JsonObject};

use crate::reader::build::content::content_value;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::formats::anthropic::read_role;
use crate::reader::formats::bedrock::TOKENS;
use crate::reader::{Certainty, Detection};
use crate::trace::{Call, Role};

/// Parts that no other format has.
const OWN_PARTS: [&str; 6] =
    ["toolUse", "toolResult", "reasoningContent", "citationsContent", "cachePoint", "guardContent"];

pub(crate) fn judge_messages<'v>(messages: impl Iterator<Item = &'v JsonNode<'v>>, path: &str) -> Detection {
    let mut best = None;
    for (index, message) in messages.enumerate() {
        let judged = judge_message(message).map_err(|reason| format!("`{path}[{index}]` {reason}"))?;
        best = best.max(judged);
    }
    best.ok_or_else(|| "nothing in its messages is this format's alone".into())
}

/// Returns how certain a message makes the format, or `None` if it says nothing either way.
fn judge_message(message: &JsonNode) -> Result<Option<Certainty>, String> {
    let role = message.get("role").and_then(JsonNode::as_str).unwrap_or_default();
    if !matches!(role, "user" | "assistant" | "system") {
        return Err(format!("has the role `{role}`"));
    }
    let Some(parts) = message.get("content").and_then(JsonNode::as_array) else {
        return Err("has a content that is no list of parts".to_owned());
    };
    // This API names the kind of a part by its key; a `type` is of another format.
    match parts.iter().find(|part| !part.is_object() || part.get("type").is_some()) {
        Some(JsonNode::Object(_)) => Err("has a content part with a `type`".to_owned()),
        Some(_) => Err("has a content part that is no object".to_owned()),
        None => Ok(parts.iter().filter_map(judge_part).max()),
    }
}

fn judge_part(part: &JsonNode) -> Option<Certainty> {
    if OWN_PARTS.iter().any(|name| part.get(name).is_some_and(JsonNode::is_object)) {
        return Some(Certainty::Sure);
    }
    part.get("text").filter(|text| text.is_string()).map(|_| Certainty::Likely)
}

/// Adds a message. Strands keeps the tokens of a reply beside it; those of a log stand in its response.
pub(crate) fn add_message(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let role = read_role(&mut message)?;
    if role == Role::Assistant {
        let usage =
            message.within(&["metadata"], |mut metadata| TOKENS.read_from(&mut metadata, &["usage"]))?;
        builder.tally.add(usage.flatten());
    }
    builder.begin(Some(role));
    message.each(&["content"], "a content part", |part| add_part(builder, part))?;
    builder.end();
    Ok(())
}

/// Kinds of parts that contain no call.
const HARMLESS_PARTS: [&str; 10] = [
    "image",
    "document",
    "video",
    "audio",
    "guardContent",
    "cachePoint",
    "reasoningContent",
    "searchResult",
    "toolAddition",
    "toolRemoval",
];

fn add_part(builder: &mut TraceBuilder, mut part: JsonObject) -> Result<(), DecodeError> {
    if let Some(text) = part.text(&["text"])? {
        builder.text(&text);
        return Ok(());
    }
    if let Some(call) = part.within(&["toolUse"], read_call)? {
        builder.call(call);
        return Ok(());
    }
    part.within(&["toolResult"], |result| answer_call(builder, result))?;
    // A cited answer is text in pieces, each with its sources.
    part.within(&["citationsContent"], |mut cited| {
        cited.each(&["content"], "a cited text", |mut piece| {
            builder.text(&piece.text(&["text"])?.unwrap_or_default());
            Ok(())
        })
    })?;
    let guarded = part.get("guardContent").and_then(|guarded| guarded.pointer("/text/text")?.as_str());
    if let Some(text) = guarded {
        builder.text(text);
    }
    // What has been taken is null.
    let rest = part.iter().filter(|(_, value)| !value.is_null());
    rest.for_each(|(kind, _)| builder.pass_over(kind, &HARMLESS_PARTS));
    Ok(())
}

fn read_call(mut part: JsonObject) -> Result<Call, DecodeError> {
    let name = part.required(&["name"])?;
    let arguments = part.arguments("input");
    let id = part.string(&["toolUseId"])?;
    Ok(Call { id, ..Call::new(name, arguments, 0) })
}

/// Adds a result to its call. The status may be missing, because not every model gets it.
fn answer_call(builder: &mut TraceBuilder, mut result: JsonObject) -> Result<(), DecodeError> {
    let id = result.required(&["toolUseId"])?;
    let marks = OutcomeMarks::of(&result);
    // The history of a trimmed log answers calls that are not in it.
    let Some(call) = builder.waiting(Some(&id), None) else {
        builder.compare_result(Some(&id), &marks, Unmarked::Unrecorded);
        return Ok(());
    };
    let value = result_value(result.take(&["content"]).unwrap_or_default());
    call.error = value.as_str().filter(|_| marks.has_failed()).map(ToOwned::to_owned);
    marks.settle(call, Unmarked::Unrecorded);
    call.result = Some(value);
    Ok(())
}

/// A lone JSON part is its value; parts that are all text are one text.
fn result_value(content: JsonNode) -> Json {
    let JsonNode::Array(mut parts) = content else { return content.into_json() };
    if let [JsonNode::Object(only)] = parts.as_mut_slice()
        && let Some(value) = only.take(&["json"])
    {
        return value.into_json();
    }
    content_value(JsonNode::Array(parts), "\n")
}
