//! Model messages, and the messages that a user interface shows.

use crate::reader::Certainty;
use crate::reader::build::trace_builder::Draft;
use crate::reader::error::Wrong;
use crate::reader::formats::vercel_ai::outcome::{Outcome, add_call, add_named};
use crate::reader::json::input::Record;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::trace::{Role, Trace};

/// How sure a message makes that it is of this format: `None`, where others have such messages as well.
pub(crate) fn judge(message: &Json) -> Result<Option<Certainty>, String> {
    if !matches!(
        message.get("role").and_then(Json::as_str),
        Some("system" | "user" | "assistant" | "tool" | "data")
    ) {
        return Err("there is a message of another role in it".to_owned());
    }
    if let Some(parts) = message.get("parts").and_then(Json::as_list) {
        let mut best = message.get("id").map(|_| Certainty::Likely);
        for part in parts {
            best = best.max(judge_ui_part(part)?);
        }
        return Ok(best);
    }
    match message.get("content") {
        Some(Json::Text(_)) => Ok(None),
        Some(Json::List(parts)) => Ok(parts.iter().filter_map(judge_part).max()),
        _ => Err("there is a message without text or parts in it".to_owned()),
    }
}

fn judge_ui_part(part: &Json) -> Result<Option<Certainty>, String> {
    let kind = crate::reader::formats::vercel_ai::kind(part).ok_or("there is a part without `type` in it")?;
    let own =
        kind == "step-start" || part.get("toolCallId").is_some() || part.get("toolInvocation").is_some();
    let foreign = kind == "text" && !part.get("text").is_some_and(Json::is_text) || kind.starts_with("tool_");
    match (own, foreign) {
        (true, _) => Ok(Some(Certainty::Sure)),
        (_, true) => Err("there is a part of another format in it".to_owned()),
        _ => Ok(None),
    }
}

fn judge_part(part: &Json) -> Option<Certainty> {
    if part.get("toolCallId").is_some() && part.get("toolName").is_some() {
        return Some(Certainty::Sure);
    }
    part.get("providerOptions").map(|_| Certainty::Likely)
}

/// The run of a list of messages.
pub(crate) fn read(records: Vec<Record>) -> Result<Trace, Wrong> {
    let mut draft = Draft::default();
    for Record { at, value } in records {
        let added = Object::of(value, "a message").and_then(|message| add(&mut draft, message));
        added.map_err(|wrong| at.blame(wrong))?;
    }
    Ok(draft.finish())
}

fn add(draft: &mut Draft, mut message: Object) -> Result<(), Wrong> {
    let role = match message.required(&["role"])?.as_ref() {
        "system" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    };
    if message.get("parts").is_some() {
        return add_ui_parts(draft, role, message.list(&["parts"])?);
    }
    draft.begin(role);
    match message.take(&["content"]) {
        Some(Json::Text(text)) => draft.text(&text),
        Some(Json::List(parts)) => {
            for (index, part) in parts.into_iter().enumerate() {
                let part = Object::of(part, "a part").and_then(|part| add_part(draft, part));
                part.map_err(|wrong| wrong.under(index).under("content"))?;
            }
        }
        _ => return Err(Wrong::new("neither text nor a list of parts").under("content")),
    }
    draft.end();
    Ok(())
}

fn add_part(draft: &mut Draft, mut part: Object) -> Result<(), Wrong> {
    let kind = part.text(&["type"])?.unwrap_or_default();
    match kind.as_ref() {
        "text" => draft.text(&part.text(&["text"])?.unwrap_or_default()),
        "tool-call" => add_call(draft, &mut part)?,
        "tool-result" => Outcome::typed(&mut part).settle(draft, &mut part)?,
        _ => {}
    }
    Ok(())
}

/// A message of the interface holds all steps of an answer; each step is a turn.
fn add_ui_parts(draft: &mut Draft, role: Option<Role>, parts: Vec<Json>) -> Result<(), Wrong> {
    let mut begun = false;
    for (index, part) in parts.into_iter().enumerate() {
        let blame = |wrong: Wrong| wrong.under(index).under("parts");
        let mut part = Object::of(part, "a part").map_err(blame)?;
        let kind = part.text(&["type"]).map_err(blame)?.unwrap_or_default();
        if !begun || kind == "step-start" {
            draft.begin(role);
            begun = true;
        }
        add_ui_part(draft, &kind, part).map_err(blame)?;
    }
    draft.end();
    Ok(())
}

fn add_ui_part(draft: &mut Draft, kind: &str, mut part: Object) -> Result<(), Wrong> {
    let name = match kind {
        "text" => {
            draft.text(&part.text(&["text"])?.unwrap_or_default());
            return Ok(());
        }
        "dynamic-tool" => part.required(&["toolName"])?.into_owned(),
        "tool-invocation" => {
            part = part.object(&["toolInvocation"])?.unwrap_or_default();
            part.required(&["toolName"])?.into_owned()
        }
        kind => match kind.strip_prefix("tool-") {
            Some(name) => name.to_owned(),
            None => return Ok(()),
        },
    };
    let state = part.text(&["state"])?.unwrap_or_default();
    let id = part.string(&["toolCallId"])?;
    add_named(draft, id.clone(), name.clone(), &mut part);
    let outcome = match state.as_ref() {
        "output-available" | "result" => Outcome::result(&mut part),
        "output-error" => Outcome::error(&mut part),
        "output-denied" => Outcome::denied(),
        _ => return Ok(()),
    };
    outcome.answer(draft, id.as_deref(), Some(&name));
    Ok(())
}

/// The text of a content: itself, or its text parts.
pub(crate) fn text_of(content: Json) -> String {
    match content {
        Json::Text(text) => text.into_owned(),
        Json::List(parts) => {
            let texts =
                parts.into_iter().filter_map(|mut part| part.as_object_mut()?.take(&["text"])?.into_text());
            texts.collect()
        }
        _ => String::new(),
    }
}
