//! `tool-events`: tool calls and their results as events, one per line.
//!
//! `{"type": "tool_call", "id": ..., "tool": ..., "arguments": {...}}` and `{"type": "tool_result", "id": ...,
//! "result": ...}`. The format records no text, no answer and no tokens. A result is known to be an error only if its event
//! has an `error`.

use crate::reader::build::tool_result::error_of;
use crate::reader::build::trace_builder::Draft;
use crate::reader::error::Wrong;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::reader::large::pieces::Cuts;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, CallStatus, Trace};

pub(crate) const READER: Reader = Reader {
    name: "tool-events",
    summary: "events of tool calls: `tool_call`, `tool_result`",
    detect,
    read,
    // The events of a file are one run.
    cuts: Cuts::Never,
};

fn detect(input: &Input) -> Detection {
    input.first()?;
    for record in &input.records {
        let kind = record.value.get("type").and_then(Json::as_str);
        let known = match kind {
            Some("tool_call") => record.value.get("tool").is_some_and(Json::is_text),
            Some("tool_result") => record.value.get("id").is_some(),
            _ => false,
        };
        if !known {
            return Err(Reason::of(record.at, "is no `tool_call` with a `tool`, and no `tool_result`"));
        }
    }
    Ok(Certainty::Sure)
}

fn read(input: Input) -> Result<Vec<Trace>, Wrong> {
    let mut draft = Draft::default();
    for Record { at, value } in input.records {
        let event = Object::of(value, "an event").and_then(|event| add(&mut draft, event));
        event.map_err(|wrong| at.blame(wrong))?;
    }
    Ok(vec![draft.finish()])
}

fn add(draft: &mut Draft, mut event: Object) -> Result<(), Wrong> {
    let kind = event.required(&["type"])?;
    let id = event.string(&["id"])?;
    match kind.as_ref() {
        "tool_call" => {
            let name = event.required(&["tool"])?;
            let arguments = event.arguments("arguments");
            draft.next_turn();
            draft.call(Call { id, ..Call::new(name, arguments, 0) });
            Ok(())
        }
        "tool_result" => {
            let id = id.ok_or_else(|| Wrong::new("`id` is missing"))?;
            let problem = format!("no open call has the id `{id}`");
            let call = draft.waiting(Some(&id), None).ok_or_else(|| Wrong::new(problem).under("id"))?;
            answer(call, event);
            Ok(())
        }
        other => Err(Wrong::new(format!("`{other}` is neither `tool_call` nor `tool_result`")).under("type")),
    }
}

fn answer(call: &mut Call, mut event: Object) {
    call.error = error_of(&mut event);
    call.status = if call.error.is_some() { CallStatus::Error } else { CallStatus::Unknown };
    call.result = event.take_even_null("result").map(Json::into_value);
}
