//! `langchain`: messages, states, streams and events of LangChain and LangGraph, from Python and from JavaScript.
//!
//! The reader accepts messages as `messages_to_dict`, `dumpd` or `model_dump` write them, in a list or anywhere in a
//! state, streams of messages and of updates, the events of `astream_events`, and exported LangSmith runs, of which only
//! the outermost are read. Tools that the provider runs itself (a web search) are calls like the agent's own.

mod content;
mod events;
mod message;
mod runs;
mod steps;
mod talk;

use crate::json::{JsonError, JsonNode, JsonObject};
use crate::reader::build::spot::RecordSpot;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Splitting, look};
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;
use talk::Talk;

pub(crate) const READER: Reader = Reader {
    name: "langchain",
    summary: "LangChain and LangGraph: messages, states, streams, events; LangSmith runs",
    marks: &hash_marks([]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

/// The depth to which a state is searched for messages, and the depth to which they rule out other formats.
const DEPTH: usize = 8;
const SURE_DEPTH: usize = 4;

/// The kind of the records in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LangchainShape {
    Message,
    Event,
    Run,
    State,
}

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    // The first records of a stream may contain no message yet.
    let mut shapes =
        input.records.iter().take(8).filter_map(|record| Some((shape(&record.value)?, &record.value)));
    match shapes.next() {
        Some((LangchainShape::State, state)) if !holds_message(state, SURE_DEPTH) => Ok(Certainty::Likely),
        Some(_) => Ok(Certainty::Sure),
        None => Err("there is no message of LangChain's in it".into()),
    }
}

fn shape(value: &JsonNode) -> Option<LangchainShape> {
    if value.text_under("event").is_some_and(|text| text.starts_with("on_")) && value.get("run_id").is_some()
    {
        return Some(LangchainShape::Event);
    }
    if value.get("run_type").is_some()
        && ["dotted_order", "trace_id"].iter().any(|key| value.get(key).is_some())
    {
        return Some(LangchainShape::Run);
    }
    // This comes last, as it looks for a message at every depth.
    if message::is_message(value) {
        return Some(LangchainShape::Message);
    }
    holds_message(value, DEPTH).then_some(LangchainShape::State)
}

/// Whether a value below `value` is a message.
fn holds_message(value: &JsonNode, depth: usize) -> bool {
    let Some(below) = depth.checked_sub(1) else { return false };
    // Most values are texts and numbers.
    let is_one_or_holds_one = |inner: &JsonNode| match inner {
        JsonNode::Object(_) => message::is_message(inner) || holds_message(inner, below),
        JsonNode::Array(_) => holds_message(inner, below),
        _ => false,
    };
    match value {
        JsonNode::Array(items) => items.iter().any(is_one_or_holds_one),
        JsonNode::Object(object) => object.values().any(is_one_or_holds_one),
        _ => false,
    }
}

/// Collects the messages in a value, in order.
fn messages_in<'t>(value: JsonNode<'t>, depth: usize, found: &mut Vec<JsonObject<'t>>) {
    match value {
        _ if depth == 0 => {}
        value if message::is_message(&value) || message::is_chat_message(&value) => {
            found.extend(message::fields(value));
        }
        // A pair of a role and a text is a message in its shortest form.
        JsonNode::Array(items) if message::is_pair(&items) => found.extend(message::of_pair(items)),
        JsonNode::Array(items) => items.into_iter().for_each(|item| messages_in(item, depth - 1, found)),
        JsonNode::Object(object) => {
            object.into_values().for_each(|value| messages_in(value, depth - 1, found));
        }
        _ => {}
    }
}

fn messages_of(value: JsonNode<'_>) -> Vec<JsonObject<'_>> {
    let mut found = Vec::new();
    messages_in(value, DEPTH + 1, &mut found);
    found
}

/// Splits a file of LangSmith runs by their traces.
fn split_file(input: &Input) -> Option<Pieces> {
    let is_run = input.first().is_ok_and(|first| matches!(shape(first), Some(LangchainShape::Run)));
    is_run.then_some(Pieces::records(find_run_key))
}

/// The keys that tell a run from records of other shapes.
const SHAPE_KEYS: [&str; 6] = ["event", "run_id", "run_type", "dotted_order", "trace_id", "child_runs"];

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let mut record = JsonNode::Object(look(text, &SHAPE_KEYS)?);
    let is_run = matches!(shape(&record), Some(LangchainShape::Run));
    // Among runs, a record of another shape is an error. Alone, it would be read by its own shape.
    let Some(run) = record.as_object_mut().filter(|_| is_run) else { return Ok(RunKey::Several.into()) };
    let trace = run.take(&["trace_id"]);
    let children = run.list(&["child_runs"]).unwrap_or_default();
    if !children.iter().all(|child| is_of(child, trace.as_ref())) {
        return Ok(RunKey::Several.into());
    }
    let id = trace.and_then(JsonNode::into_text).unwrap_or_default();
    Ok(RunKey::Of(id.into_owned()).into())
}

/// Whether a run and all its descendants belong to `trace`.
fn is_of(run: &JsonNode, trace: Option<&JsonNode>) -> bool {
    let below = run.get("child_runs").and_then(JsonNode::as_array).unwrap_or_default();
    run.get("trace_id").filter(|id| !id.is_null()) == trace && below.iter().all(|child| is_of(child, trace))
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let shapes = input.records.iter().take(8).find_map(|record| shape(&record.value));
    match shapes {
        Some(LangchainShape::Event) => events::read(input.records),
        Some(LangchainShape::Run) => runs::read(input.records),
        _ => read_messages(input.records),
    }
}

/// Returns the places of the messages in a record: its list of messages, or itself.
fn locate_messages(at: At, value: &JsonNode) -> Vec<RecordSpot> {
    let Some(messages) = value.get("messages").and_then(JsonNode::as_array) else {
        return vec![RecordSpot::from(at).with_inner(find_wrapper(value))];
    };
    let messages = messages.iter().enumerate();
    messages
        .map(|(index, message)| RecordSpot::item(at, "messages", index).with_inner(find_wrapper(message)))
        .collect()
}

/// The key under which a message has its fields.
fn find_wrapper(message: &JsonNode) -> &'static str {
    ["data", "kwargs"]
        .into_iter()
        .find(|key| message.get(key).is_some_and(JsonNode::is_object))
        .unwrap_or_default()
}

/// Reads messages. A file with one message in each record is one run, and so are the updates and the growing states of a
/// stream. A state without any known message begins a run.
fn read_messages(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    let mut runs = Vec::new();
    let mut talk = Talk::default();
    for Record { at, value } in records {
        let is_state = value.get("messages").is_some();
        let spots = locate_messages(at, &value);
        let messages = messages_of(value);
        // States of a stream repeat all messages so far, so a state of the same run has at least one that is known.
        if is_state && talk.has_begun() && !messages.iter().any(|message| talk.knows(message)) {
            runs.push(std::mem::take(&mut talk).finish());
        }
        let is_located = spots.len() == messages.len();
        for (index, message) in messages.into_iter().enumerate() {
            talk.spot = if is_located { spots[index] } else { at.into() };
            talk.add(message, &[]);
        }
    }
    if talk.has_begun() {
        runs.push(talk.finish());
    }
    if runs.is_empty() {
        return Err(DecodeError::new("there is no message in it"));
    }
    Ok(runs)
}
