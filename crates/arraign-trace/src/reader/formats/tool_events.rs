//! `tool-events`: tool calls and their results as events, one per line.
//!
//! `{"type": "tool_call", "id": ..., "tool": ..., "arguments": {...}}` and `{"type": "tool_result", "id": ...,
//! "result": ...}`. The format records no text, no answer and no tokens. A result is known to be an error only if its event
//! has an `error`.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, Trace};

pub(crate) const READER: Reader = Reader {
    name: "tool-events",
    summary: "events of tool calls: `tool_call`, `tool_result`",
    marks: &hash_marks(["tool_call", "tool_result"]),
    detect: detect_format,
    read: read_runs,
    // The events of a file are one run.
    cuts: Splitting::Never,
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    for record in &input.records {
        let kind = record.value.get("type").and_then(JsonNode::as_str);
        let known = match kind {
            Some("tool_call") => record.value.get("tool").is_some_and(JsonNode::is_string),
            Some("tool_result") => record.value.get("id").is_some(),
            _ => false,
        };
        // Every record must fit: `type` is a common key, and a log of another format may contain a `tool_call`.
        if !known {
            return Err(Reason::of(record.at, "is no `tool_call` with a `tool`, and no `tool_result`"));
        }
    }
    Ok(Certainty::Sure)
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut builder = TraceBuilder::default();
    for Record { at, value } in input.records {
        let event = JsonObject::of(value, "an event").and_then(|event| add(&mut builder, event));
        event.map_err(|error| at.in_record(error))?;
    }
    Ok(vec![builder.finish()])
}

fn add(builder: &mut TraceBuilder, mut event: JsonObject) -> Result<(), DecodeError> {
    let kind = event.required(&["type"])?;
    let id = event.string(&["id"])?;
    match kind.as_ref() {
        "tool_call" => {
            let name = event.required(&["tool"])?;
            let arguments = event.arguments("arguments");
            builder.next_turn();
            builder.call(Call { id, ..Call::new(name, arguments, 0) });
            Ok(())
        }
        "tool_result" => {
            // Events are written by programs of the user: a result that answers nothing is a mistake in one of them.
            let id = id.ok_or_else(|| DecodeError::new("`id` is missing"))?;
            let problem = format!("no open call has the id `{id}`");
            let call =
                builder.waiting(Some(&id), None).ok_or_else(|| DecodeError::new(problem).at_key("id"))?;
            answer(call, event);
            Ok(())
        }
        other => {
            Err(DecodeError::new(format!("`{other}` is neither `tool_call` nor `tool_result`"))
                .at_key("type"))
        }
    }
}

fn answer(call: &mut Call, mut event: JsonObject) {
    let marks = OutcomeMarks::of(&event);
    call.error = error_of(&mut event);
    marks.settle(call, Unmarked::Unrecorded);
    call.result = event.take_even_null("result").map(JsonNode::into_json);
}
