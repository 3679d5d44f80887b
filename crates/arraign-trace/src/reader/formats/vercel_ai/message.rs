//! Model messages, and messages of the user interface.

use crate::json::{JsonNode, JsonObject};
use crate::reader::Certainty;
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::formats::vercel_ai::kind_of_part;
use crate::reader::formats::vercel_ai::outcome::{CallOutcome, add_call, add_named};
use crate::reader::json::input::Record;
use crate::trace::{Role, Trace};

/// Judges how certain the format of a message is. `None` means that other formats have such messages as well.
pub(crate) fn judge(message: &JsonNode) -> Result<Option<Certainty>, String> {
    if !matches!(
        message.get("role").and_then(JsonNode::as_str),
        Some("system" | "user" | "assistant" | "tool" | "data")
    ) {
        return Err("there is a message of another role in it".to_owned());
    }
    if let Some(parts) = message.get("parts").and_then(JsonNode::as_array) {
        // Other formats have `parts` as well, but their messages have no id.
        let mut best = message.get("id").map(|_| Certainty::Likely);
        for part in parts {
            best = best.max(judge_ui_part(part)?);
        }
        return Ok(best);
    }
    match message.get("content") {
        Some(JsonNode::String(_)) => Ok(None),
        Some(JsonNode::Array(parts)) => Ok(parts.iter().filter_map(judge_part).max()),
        _ => Err("there is a message without text or parts in it".to_owned()),
    }
}

/// Kinds of parts that contain no call.
pub(crate) const WITHOUT_CALLS: [&str; 13] = [
    "reasoning",
    "reasoning-file",
    "redacted-reasoning",
    "file",
    "image",
    "source",
    "source-url",
    "source-document",
    "step-start",
    "data",
    "tool-approval-request",
    "tool-approval-response",
    "anthropic.message_start",
];

fn judge_ui_part(part: &JsonNode) -> Result<Option<Certainty>, String> {
    let kind = crate::reader::formats::vercel_ai::kind(part).ok_or("there is a part without `type` in it")?;
    let own =
        kind == "step-start" || part.get("toolCallId").is_some() || part.get("toolInvocation").is_some();
    // Parts of Anthropic's API are called `tool_use` and `tool_result`.
    let foreign =
        kind == "text" && !part.get("text").is_some_and(JsonNode::is_string) || kind.starts_with("tool_");
    match (own, foreign) {
        (true, _) => Ok(Some(Certainty::Sure)),
        (_, true) => Err("there is a part of another format in it".to_owned()),
        _ => Ok(None),
    }
}

fn judge_part(part: &JsonNode) -> Option<Certainty> {
    if part.get("toolCallId").is_some() && part.get("toolName").is_some() {
        return Some(Certainty::Sure);
    }
    part.get("providerOptions").map(|_| Certainty::Likely)
}

/// Reads the run in a list of messages.
pub(crate) fn read(records: Vec<Record>) -> Result<Trace, DecodeError> {
    read_messages(records.into_iter().map(|Record { at, value }| (at.into(), value)))
}

/// Reads the run in messages with their places.
pub(crate) fn read_messages<'t>(
    messages: impl Iterator<Item = (RecordSpot, JsonNode<'t>)>,
) -> Result<Trace, DecodeError> {
    let mut builder = TraceBuilder::default();
    for (spot, value) in messages {
        let evidence = builder.open_record(spot, &value);
        let added = JsonObject::of(value, "a message").and_then(|message| add(&mut builder, message));
        added.map_err(|error| spot.blame(error))?;
        builder.close_record(evidence);
    }
    Ok(builder.finish())
}

fn add(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let role = match message.required(&["role"])?.as_ref() {
        "system" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    };
    // Messages of the UI have `parts`, those of a model have `content`.
    if message.get("parts").is_some() {
        return add_ui_parts(builder, role, message.list(&["parts"])?);
    }
    builder.begin(role);
    match message.take(&["content"]) {
        Some(JsonNode::String(text)) => builder.text(&text),
        Some(JsonNode::Array(parts)) => {
            for (index, part) in parts.into_iter().enumerate() {
                builder.enter_part("content", index);
                let part = JsonObject::of(part, "a part").and_then(|part| add_part(builder, part));
                part.map_err(|error| error.at_key(index).at_key("content"))?;
            }
        }
        _ => return Err(DecodeError::new("neither text nor a list of parts").at_key("content")),
    }
    builder.end();
    Ok(())
}

fn add_part(builder: &mut TraceBuilder, mut part: JsonObject) -> Result<(), DecodeError> {
    let kind = kind_of_part(&mut part)?;
    match kind.as_str() {
        "text" => builder.text(&part.text(&["text"])?.unwrap_or_default()),
        "tool-call" => add_call(builder, &mut part)?,
        "tool-result" => CallOutcome::typed(&mut part).settle(builder, &mut part)?,
        kind => builder.pass_over_part(kind, &part, &WITHOUT_CALLS),
    }
    Ok(())
}

/// Reads a message of the interface, which contains all steps of an answer. Each step is a turn.
fn add_ui_parts(
    builder: &mut TraceBuilder,
    role: Option<Role>,
    parts: Vec<JsonNode>,
) -> Result<(), DecodeError> {
    let mut begun = false;
    for (index, part) in parts.into_iter().enumerate() {
        let blame = |error: DecodeError| error.at_key(index).at_key("parts");
        builder.enter_part("parts", index);
        let mut part = JsonObject::of(part, "a part").map_err(blame)?;
        let kind = kind_of_part(&mut part).map_err(blame)?;
        // A message of the user has no `step-start`, so its first part begins it.
        if !begun || kind == "step-start" {
            builder.begin(role);
            begun = true;
        }
        add_ui_part(builder, &kind, part).map_err(blame)?;
    }
    builder.end();
    Ok(())
}

fn add_ui_part(builder: &mut TraceBuilder, kind: &str, mut part: JsonObject) -> Result<(), DecodeError> {
    let name = match kind {
        "text" => {
            builder.text(&part.text(&["text"])?.unwrap_or_default());
            return Ok(());
        }
        "dynamic-tool" => part.required(&["toolName"])?.into_owned(),
        "tool-invocation" => {
            part = part.object(&["toolInvocation"])?.unwrap_or_default();
            part.required(&["toolName"])?.into_owned()
        }
        kind => {
            let Some(name) = kind.strip_prefix("tool-") else {
                // A project names its own parts `data-*`.
                let is_data = kind.starts_with("data-");
                builder.pass_over_part(if is_data { "data" } else { kind }, &part, &WITHOUT_CALLS);
                return Ok(());
            };
            name.to_owned()
        }
    };
    let state = part.text(&["state"])?.unwrap_or_default();
    let id = part.string(&["toolCallId"])?;
    // One part holds a call and its outcome. The call is added in every state; in the other states there is no outcome
    // yet.
    add_named(builder, id.clone(), name.clone(), &mut part);
    let outcome = match state.as_ref() {
        "output-available" => CallOutcome::available(&mut part),
        "result" => CallOutcome::result(&mut part),
        "output-error" => CallOutcome::error(&mut part),
        "output-denied" => CallOutcome::denied(),
        "call" | "partial-call" | "approval-requested" | "approval-responded" | "" => return Ok(()),
        state if state.starts_with("input-") => return Ok(()),
        state => CallOutcome::unclear(state, &mut part),
    };
    outcome.answer(builder, id.as_deref(), Some(&name));
    Ok(())
}

/// Returns the text of a content: itself, or its text parts joined.
pub(crate) fn text_of(content: JsonNode) -> String {
    match content {
        JsonNode::String(text) => text.into_string(),
        JsonNode::Array(parts) => {
            let texts =
                parts.into_iter().filter_map(|mut part| part.as_object_mut()?.take(&["text"])?.into_text());
            texts.collect()
        }
        _ => String::new(),
    }
}
