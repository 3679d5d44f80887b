//! `rig`: messages of rig, a Rust library, of version 0.24 and later.
//!
//! Early messages do not record the type of the assistant's content or which tools failed: the status of an answered call
//! is unknown.

use serde_json::Value;

use crate::reader::build::content::content_value;
use crate::reader::build::trace_builder::Draft;
use crate::reader::error::Wrong;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::object::{Object, read_each};
use crate::reader::json::value::Json;
use crate::reader::large::pieces::{Cuts, Note, Pieces, Whose, look};
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Arguments, Call, CallStatus, Role, Trace};

pub(crate) const READER: Reader =
    Reader { name: "rig", summary: "rig: messages of 0.24 and later", detect, read, cuts: Cuts::As(pieces) };

fn detect(input: &Input) -> Detection {
    let first = input.first()?;
    let best = match first.get("messages").and_then(Json::as_list) {
        Some(messages) => judge(messages.iter())?,
        None => judge(input.records.iter().map(|record| &record.value))?,
    };
    best.ok_or_else(|| "nothing in its messages is this format's alone".into())
}

fn judge<'v>(mut messages: impl Iterator<Item = &'v Json<'v>>) -> Result<Option<Certainty>, String> {
    messages.try_fold(None, |best, message| {
        let role = message.get("role").and_then(Json::as_str).unwrap_or_default();
        if !matches!(role, "user" | "assistant" | "system" | "") {
            return Err(format!("there is a message of the role `{role}` in it"));
        }
        let parts = message.get("content").and_then(Json::as_list).unwrap_or_default();
        let own = parts.iter().filter_map(|part| judge_part(role == "assistant", part)).max();
        let origin = message.get("origin").and_then(|origin| origin.get("api")).map(|_| Certainty::Likely);
        Ok(best.max(own).max(origin))
    })
}

fn judge_part(assistant: bool, part: &Json) -> Option<Certainty> {
    match part.get("type").and_then(Json::as_str) {
        Some("toolcall" | "toolresult") => Some(Certainty::Sure),
        None if assistant && part.pointer("/function/name").is_some() => Some(Certainty::Sure),
        None if assistant && part.get("text").is_some_and(Json::is_text) => Some(Certainty::Likely),
        _ => None,
    }
}

/// Lines with `messages` are a run each; messages themselves are one run.
fn pieces(input: &Input) -> Option<Pieces> {
    let messages = input.first().ok()?.get("messages").and_then(Json::as_list);
    messages.is_some_and(|messages| !messages.is_empty()).then(|| Pieces::records(note))
}

fn note(text: &str) -> Result<Note, serde_json::Error> {
    let messages = look(text, &["messages"])?.list(&["messages"]).unwrap_or_default();
    // A message beside such lines is of a run of its own, with all others that are so.
    Ok(if messages.is_empty() { Whose::Several } else { Whose::Own(None) }.into())
}

fn read(input: Input) -> Result<Vec<Trace>, Wrong> {
    let mut runs = Vec::new();
    let mut draft = None;
    for Record { at, value } in input.records {
        let mut record = Object::of(value, "a message").map_err(|wrong| at.blame(wrong))?;
        if record.get("messages").is_none_or(|list| list.as_list().is_some_and(<[_]>::is_empty)) {
            let draft = draft.get_or_insert_with(Draft::default);
            add(draft, record).map_err(|wrong| at.blame(wrong))?;
            continue;
        }
        let mut run = Draft::default();
        let added = record.each(&["messages"], "a message", |message| add(&mut run, message));
        added.map_err(|wrong| at.blame(wrong))?;
        runs.push(run.finish());
    }
    runs.extend(draft.map(Draft::finish));
    Ok(runs)
}

fn add(draft: &mut Draft, mut message: Object) -> Result<(), Wrong> {
    let role = match message.required(&["role"])?.as_ref() {
        "system" => Role::System,
        "assistant" => Role::Assistant,
        _ => Role::User,
    };
    if let Some(mut origin) = message.object(&["origin"])? {
        let model = origin.string(&["response_model", "model"])?;
        draft.trace.model = model.or(draft.trace.model.take());
    }
    draft.trace.stop_reason = message.string(&["stop"])?.or(draft.trace.stop_reason.take());
    draft.begin(Some(role));
    match message.take(&["content"]) {
        Some(Json::Text(text)) => draft.text(&text),
        Some(Json::List(parts)) => {
            let added = read_each(parts, |part| add_part(draft, Object::of(part, "a part")?));
            added.map_err(|wrong| wrong.under("content"))?;
        }
        _ => {}
    }
    draft.end();
    Ok(())
}

fn add_part(draft: &mut Draft, mut part: Object) -> Result<(), Wrong> {
    let kind = part.text(&["type"])?;
    match kind.as_deref() {
        Some("toolcall") => add_call(draft, part)?,
        Some("toolresult") => answer(draft, part),
        None if part.get("function").is_some() => add_call(draft, part)?,
        None | Some("text") => draft.text(&part.text(&["text"])?.unwrap_or_default()),
        Some(_) => {}
    }
    Ok(())
}

fn add_call(draft: &mut Draft, mut part: Object) -> Result<(), Wrong> {
    let id = id_of(part.take(&["id"]));
    let mut function = part.object(&["function"])?.ok_or_else(|| Wrong::new("`function` is missing"))?;
    let name = function.required(&["name"])?;
    let arguments = match function.take(&["invalid_arguments"]) {
        Some(broken) => Arguments::from_text(&broken.into_text_or_json()),
        None => function.arguments("arguments"),
    };
    draft.call(Call { id, ..Call::new(name, arguments, 0) });
    Ok(())
}

/// An id is a text, or says whether the provider gave it or rig itself.
fn id_of(id: Option<Json>) -> Option<String> {
    match id? {
        Json::Text(id) => Some(id.into_owned()),
        Json::Object(mut id) => id.string(&["provider", "local"]).ok()?,
        _ => None,
    }
}

fn answer(draft: &mut Draft, mut part: Object) {
    let call = part.take(&["call"]);
    let can_fail = call.is_some();
    let id = id_of(call).or_else(|| id_of(part.take(&["id"])));
    let name = part.take(&["name"]).and_then(Json::into_text);
    let failed = part.get("is_error").is_some_and(Json::is_true);
    let Some(call) = draft.waiting(id.as_deref(), name.as_deref()) else { return };
    let result = result_of(part.take(&["content"]).unwrap_or_default());
    call.status = match (failed, can_fail) {
        (true, _) => CallStatus::Error,
        (false, true) => CallStatus::Ok,
        (false, false) => CallStatus::Unknown,
    };
    call.error = result.as_str().filter(|_| failed).map(ToOwned::to_owned);
    call.result = Some(result);
}

/// A lone JSON is itself; texts are one text.
fn result_of(content: Json) -> Value {
    let Json::List(mut items) = content else { return content.into_value() };
    if let [Json::Object(only)] = items.as_mut_slice()
        && only.get("type").and_then(Json::as_str) == Some("json")
    {
        return only.take(&["value"]).unwrap_or_default().into_value();
    }
    content_value(Json::List(items), "")
}
