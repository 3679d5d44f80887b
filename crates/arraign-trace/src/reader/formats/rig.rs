//! `rig`: messages of rig, a Rust library, of version 0.24 and later.
//!
//! Early messages do not record the type of the assistant's content or which tools failed: the status of an answered call
//! is unknown.

use crate::json::{Json, JsonError, JsonNode, JsonObject};

use crate::reader::build::content::content_value;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::object::read_each;
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Splitting, look};
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Arguments, Call, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "rig",
    summary: "rig: messages of 0.24 and later",
    marks: &hash_marks(["messages/", "content/", "origin/"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

/// Kinds of parts that contain no call.
const WITHOUT_CALLS: [&str; 5] = ["image", "audio", "video", "document", "reasoning"];

fn detect_format(input: &Input) -> Detection {
    let first = input.first()?;
    let best = match first.get("messages").and_then(JsonNode::as_array) {
        Some(messages) => judge(messages.iter())?,
        None => judge(input.records.iter().map(|record| &record.value))?,
    };
    best.ok_or_else(|| "nothing in its messages is this format's alone".into())
}

fn judge<'v>(mut messages: impl Iterator<Item = &'v JsonNode<'v>>) -> Result<Option<Certainty>, String> {
    messages.try_fold(None, |best, message| {
        let role = message.get("role").and_then(JsonNode::as_str).unwrap_or_default();
        if !matches!(role, "user" | "assistant" | "system" | "") {
            return Err(format!("there is a message of the role `{role}` in it"));
        }
        // A content that is a plain text has no parts and decides nothing.
        let parts = message.get("content").and_then(JsonNode::as_array).unwrap_or_default();
        if let Some(reason) = parts.iter().find_map(|part| object_to_part(role == "assistant", part)) {
            return Err(reason.to_owned());
        }
        let own = parts.iter().filter_map(|part| judge_part(role == "assistant", part)).max();
        let origin = message.get("origin").and_then(|origin| origin.get("api")).map(|_| Certainty::Likely);
        Ok(best.max(own).max(origin))
    })
}

fn judge_part(assistant: bool, part: &JsonNode) -> Option<Certainty> {
    match part.get("type").and_then(JsonNode::as_str) {
        Some("toolcall" | "toolresult") => Some(Certainty::Sure),
        None if assistant && part.pointer("/function/name").is_some() => Some(Certainty::Sure),
        None if assistant && part.get("text").is_some_and(JsonNode::is_string) => Some(Certainty::Likely),
        _ => None,
    }
}

/// Returns the reason why `part` is not of this format, if there is one. Only parts of the assistant may lack a `type`.
fn object_to_part(assistant: bool, part: &JsonNode) -> Option<&'static str> {
    if part.get("type").is_some() {
        return None;
    }
    // A text or a call of the assistant may lack its type in early versions.
    let is_known = part.get("text").or_else(|| part.get("function")).is_some();
    (!assistant || !is_known).then_some("there is a content part without `type` in it")
}

/// Each line with `messages` is one run. A file of single messages is one run.
fn split_file(input: &Input) -> Option<Pieces> {
    let messages = input.first().ok()?.get("messages").and_then(JsonNode::as_array);
    messages.is_some_and(|messages| !messages.is_empty()).then(|| Pieces::records(find_run_key))
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let messages = look(text, &["messages"])?.list(&["messages"]).unwrap_or_default();
    // Single messages between such lines together form one more run.
    Ok(if messages.is_empty() { RunKey::Several } else { RunKey::Own(None) }.into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut runs = Vec::new();
    let mut builder = None;
    for Record { at, value } in input.records {
        let mut record = JsonObject::of(value, "a message").map_err(|error| at.in_record(error))?;
        if record.get("messages").is_none_or(|list| list.as_array().is_some_and(<[_]>::is_empty)) {
            let builder = builder.get_or_insert_with(TraceBuilder::default);
            add(builder, at, record).map_err(|error| at.in_record(error))?;
            continue;
        }
        let mut run = TraceBuilder::default();
        let added = record.each(&["messages"], "a message", |message| add(&mut run, at, message));
        added.map_err(|error| at.in_record(error))?;
        runs.push(run.finish());
    }
    runs.extend(builder.map(TraceBuilder::finish));
    Ok(runs)
}

fn add(builder: &mut TraceBuilder, at: At, mut message: JsonObject) -> Result<(), DecodeError> {
    let evidence = builder.open_object(at, &message);
    let role = match message.required(&["role"])?.as_ref() {
        "system" => Role::System,
        "assistant" => Role::Assistant,
        _ => Role::User,
    };
    if let Some(mut origin) = message.object(&["origin"])? {
        let model = origin.string(&["response_model", "model"])?;
        builder.trace.model = model.or(builder.trace.model.take());
    }
    if role == Role::Assistant {
        builder.trace.stop_reason = message.string(&["stop"])?;
    }
    builder.begin(Some(role));
    match message.take(&["content"]) {
        Some(JsonNode::String(text)) => builder.text(&text),
        Some(JsonNode::Array(parts)) => {
            let added = read_each(parts, |part| add_part(builder, JsonObject::of(part, "a part")?));
            added.map_err(|error| error.at_key("content"))?;
        }
        _ => {}
    }
    builder.end();
    builder.close_record(evidence);
    Ok(())
}

fn add_part(builder: &mut TraceBuilder, mut part: JsonObject) -> Result<(), DecodeError> {
    let kind = part.text(&["type"])?;
    match kind.as_deref() {
        Some("toolcall") => add_call(builder, part)?,
        Some("toolresult") => answer(builder, part),
        None if part.get("function").is_some() => add_call(builder, part)?,
        None if part.get("text").is_none() => return Err(DecodeError::new("`type` is missing")),
        None | Some("text") => builder.text(&part.text(&["text"])?.unwrap_or_default()),
        Some(kind) => builder.pass_over(kind, &WITHOUT_CALLS),
    }
    Ok(())
}

fn add_call(builder: &mut TraceBuilder, mut part: JsonObject) -> Result<(), DecodeError> {
    let id = id_of(part.take(&["id"]));
    let mut function =
        part.object(&["function"])?.ok_or_else(|| DecodeError::new("`function` is missing"))?;
    let name = function.required(&["name"])?;
    let arguments = match function.take(&["invalid_arguments"]) {
        Some(broken) => Arguments::from_text(&broken.into_text_or_json()),
        None => function.arguments("arguments"),
    };
    builder.call(Call { id, ..Call::new(name, arguments, 0) });
    Ok(())
}

/// An id is a text, or says whether the provider gave it or rig itself.
fn id_of(id: Option<JsonNode>) -> Option<String> {
    match id? {
        JsonNode::String(id) => Some(id.into_string()),
        JsonNode::Object(mut id) => id.string(&["provider", "local"]).ok()?,
        _ => None,
    }
}

fn answer(builder: &mut TraceBuilder, mut part: JsonObject) {
    let call = part.take(&["call"]);
    let can_fail = call.is_some();
    let id = id_of(call).or_else(|| id_of(part.take(&["id"])));
    let name = part.take(&["name"]).and_then(JsonNode::into_text);
    let marks = OutcomeMarks::of(&part);
    // Without `call`, the part is of an early version, which did not record failures.
    let unmarked = if can_fail { Unmarked::Worked } else { Unmarked::Unrecorded };
    let Some(call) = builder.waiting(id.as_deref(), name.as_deref()) else {
        builder.compare_result(id.as_deref(), &marks, unmarked);
        return;
    };
    let result = result_of(part.take(&["content"]).unwrap_or_default());
    marks.settle(call, unmarked);
    call.error = result.as_str().filter(|_| marks.has_failed()).map(ToOwned::to_owned);
    call.result = Some(result);
}

/// A lone JSON is itself; texts are one text.
fn result_of(content: JsonNode) -> Json {
    let JsonNode::Array(mut items) = content else { return content.into_json() };
    if let [JsonNode::Object(only)] = items.as_mut_slice()
        && only.get("type").and_then(JsonNode::as_str) == Some("json")
    {
        return only.take(&["value"]).unwrap_or_default().into_json();
    }
    content_value(JsonNode::Array(items), "")
}
