//! `run-lines`: one run per line, with its prompt, its response and its tool calls.
//!
//! `{"prompt": ..., "response": ..., "tool_calls": [{"tool_name": ..., "args": {...}, "result": ...}]}`. The format
//! does not record which calls were parallel: each call is a turn.

use crate::json::{JsonError, JsonNode, JsonObject};
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::tool_result::{error_of, with_result};
use crate::reader::build::unread_log::note_unread;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, CallsUnrecorded, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "run-lines",
    summary: "one run per line: `prompt`, `response`, `tool_calls`",
    marks: &hash_marks(["prompt"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Records(find_run_key),
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    let mut best = Certainty::Likely;
    for record in &input.records {
        let value = &record.value;
        if !value.get("prompt").is_some_and(JsonNode::is_string) {
            return Err(Reason::of(record.at, "has no `prompt`"));
        }
        // A run that was cut has calls and no response.
        let calls = value.get("tool_calls").is_some_and(JsonNode::is_array);
        if !calls && !value.get("response").is_some_and(JsonNode::is_string) {
            return Err(Reason::of(record.at, "has neither `response` nor `tool_calls`"));
        }
        if value.pointer("/tool_calls/0/tool_name").is_some() {
            best = Certainty::Sure;
        }
    }
    Ok(best)
}

/// Each record is a run.
fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    Ok(RunKey::Own(look(text, &["request_id", "id"])?.string(&["request_id", "id"]).ok().flatten()).into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    input.records.into_iter().map(run).collect()
}

fn run(record: Record) -> Result<Trace, DecodeError> {
    let at = record.at;
    let evidence = CallEvidence::gather(at, &record.value);
    let run = JsonObject::of(record.value, "a run").and_then(trace).map_err(|error| at.in_record(error))?;
    Ok(note_unread(run, evidence))
}

fn trace(mut run: JsonObject) -> Result<Trace, DecodeError> {
    let mut trace =
        Trace { id: run.string(&["request_id", "id"])?, model: run.string(&["model"])?, ..Trace::default() };
    trace.push_message(Role::User, run.required(&["prompt"])?);
    let lists_calls =
        run.get("tool_calls").is_some() || run.get("meta").is_some_and(|meta| meta.has_key("tool_calls"));
    // Early writers kept the calls in `meta`.
    let mut meta =
        run.take(&["meta"]).and_then(|meta| JsonObject::of(meta, "`meta`").ok()).unwrap_or_default();
    let mut values = run.list(&["tool_calls"])?;
    if values.is_empty() {
        values = meta.list(&["tool_calls"]).map_err(|error| error.at_key("meta"))?;
    }
    let mut calls = Vec::new();
    for (place, value) in values.into_iter().enumerate() {
        let call = JsonObject::of(value, "a tool call").and_then(|call| numbered_call(call, place as u64));
        calls.push(call.map_err(|error| error.at_key(place).at_key("tool_calls"))?);
    }
    // The lists are in the order in which the calls ended; their numbers are in the order in which they began.
    calls.sort_by_key(|(number, _)| *number);
    for (turn, (_, call)) in calls.into_iter().enumerate() {
        trace.push_call(Call { turn: turn + 1, ..call });
    }
    if let Some(response) = run.text(&["response"])? {
        trace.push_message(Role::Assistant, response);
    }
    let said = error_of(&mut run).filter(|error| !matches!(error.as_str(), "" | "null" | "false" | "{}"));
    if let Some(error) = said {
        trace.stop_reason = Some(format!("error: {error}"));
    }
    trace.settle_answer();
    // A prompt and a response may be all that the writer keeps.
    if !lists_calls {
        trace.calls_unrecorded = Some(CallsUnrecorded::NotShown { formats: vec![READER.name.to_owned()] });
    }
    Ok(trace)
}

/// A call and its number in the run: `index`, or its place in the list.
fn numbered_call(mut object: JsonObject, place: u64) -> Result<(u64, Call), DecodeError> {
    let number = object.count(&["index"])?.unwrap_or(place);
    let name = object.required(&["tool_name"])?;
    let arguments = object.arguments("args");
    let call = Call { id: object.string(&["id"])?, ..Call::new(name, arguments, 1) };
    Ok((number, with_result(call, object)))
}
