//! The events of `ConverseStream`, joined to whole responses.
//!
//! An event is an object with one key, its kind. Strands passes events on under `event`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::{JsonNode, JsonObject, JsonText};
use crate::reader::build::stream_end;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Record};

const KINDS: [&str; 6] =
    ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"];

/// The events that Bedrock sends if a stream breaks off.
const EXCEPTIONS: [&str; 5] = [
    "internalServerException",
    "modelStreamErrorException",
    "validationException",
    "throttlingException",
    "serviceUnavailableException",
];

/// Whether a record is an event of a stream.
pub(crate) fn is_event(record: &JsonNode) -> bool {
    let Some(event) = record.get("event").unwrap_or(record).as_object() else { return false };
    let mut entries = event.iter();
    // An event has exactly one key, which is its kind.
    let first = entries.next().filter(|_| entries.next().is_none());
    first.is_some_and(|(kind, value)| {
        value.is_object() && KINDS.iter().chain(&EXCEPTIONS).any(|known| kind == known)
    })
}

/// The responses of which `records` are the events, each where it begins.
pub(crate) fn join_events(records: Vec<Record>) -> Result<Vec<Record>, DecodeError> {
    let mut responses: Vec<StreamedResponse> = Vec::new();
    for Record { at, value } in records {
        let event = JsonObject::of(value, "an event").and_then(|mut record| {
            let event = record.object(&["event"])?.unwrap_or(record);
            add_event(&mut responses, at, event)
        });
        event.map_err(|error| at.in_record(error))?;
    }
    Ok(responses.into_iter().map(StreamedResponse::into_record).collect())
}

/// A response while its events are read.
#[derive(Debug)]
struct StreamedResponse<'t> {
    at: At,
    role: Cow<'t, str>,
    blocks: BTreeMap<u64, StreamedBlock<'t>>,
    /// The stop reason, tokens and metrics of the reply.
    ending: JsonObject<'t>,
    /// Events of unknown kinds.
    unknown: Vec<JsonNode<'t>>,
}

/// A block while its pieces are read. Text has no start of its own.
#[derive(Debug, Default)]
struct StreamedBlock<'t> {
    /// The beginning of the block, by its kind.
    start: JsonObject<'t>,
    text: String,
    input: String,
}

fn add_event<'t>(
    responses: &mut Vec<StreamedResponse<'t>>,
    at: At,
    mut event: JsonObject<'t>,
) -> Result<(), DecodeError> {
    if let Some(mut start) = event.object(&["messageStart"])? {
        let role = start.text(&["role"])?.unwrap_or(Cow::Borrowed("assistant"));
        let blocks = BTreeMap::new();
        let ending = JsonObject::default();
        let unknown = Vec::new();
        responses.push(StreamedResponse { at, role, blocks, ending, unknown });
    }
    // The rest of a log that was cut at its beginning belongs to no message.
    let Some(response) = responses.last_mut() else { return Ok(()) };
    if let Some(mut start) = event.object(&["contentBlockStart"])? {
        let index = start.count(&["contentBlockIndex"])?.unwrap_or(response.next_index());
        let block = response.blocks.entry(index).or_default();
        // A start in another form becomes a part of an unknown kind.
        let told = start.object(&["start"])?.unwrap_or(start).into_entries();
        block.start = told.into_iter().filter(|(_, value)| !value.is_null()).collect();
    }
    if let Some(mut delta) = event.object(&["contentBlockDelta"])? {
        let last = response.next_index().saturating_sub(1);
        let block = response.blocks.entry(delta.count(&["contentBlockIndex"])?.unwrap_or(last)).or_default();
        block.add(delta.object(&["delta"])?.unwrap_or_default())?;
    }
    for name in ["messageStop", "metadata"] {
        // Both events end the same message, and a reader of a whole response expects their keys in one object.
        let entries = event.object(&[name])?.unwrap_or_default().into_entries();
        for (key, value) in entries {
            response.ending.insert(key, value);
        }
    }
    if let Some(name) = EXCEPTIONS.iter().find(|name| event.get(name).is_some()) {
        let said = event.get(name).and_then(|exception| exception.get("message")?.as_str());
        let reason = said.map_or(format!("error: {name}"), |said| format!("error: {name}: {said}"));
        response.ending.insert("stopReason", JsonNode::String((reason).into()));
    }
    // Events of another kind become parts of the message, which name the kind.
    let unknown = event.into_entries().into_iter().filter(is_unknown_event);
    response.unknown.extend(unknown.map(|entry| JsonNode::Object(JsonObject::from_iter([entry]))));
    Ok(())
}

fn is_unknown_event((kind, value): &(JsonText, JsonNode)) -> bool {
    !KINDS.contains(&kind.as_ref()) && !EXCEPTIONS.contains(&kind.as_ref()) && value.is_object()
}

impl<'t> StreamedResponse<'t> {
    /// The index of a block that does not say its own: after the last one.
    fn next_index(&self) -> u64 {
        self.blocks.last_key_value().map_or(0, |(last, _)| last.saturating_add(1))
    }

    fn into_record(self) -> Record<'t> {
        let Self { at, role, blocks, mut ending, unknown } = self;
        let parts = blocks.into_values().filter_map(StreamedBlock::into_part).chain(unknown).collect();
        let message =
            JsonNode::object([("role", JsonNode::String(role.into())), ("content", JsonNode::Array(parts))]);
        ending.insert("output", JsonNode::object([("message", message)]));
        if ending.get("stopReason").is_none() {
            let reason = stream_end::BEDROCK.stop_reason();
            ending.insert("stopReason", JsonNode::String((reason).into()));
        }
        Record { at, value: JsonNode::Object(ending) }
    }
}

impl<'t> StreamedBlock<'t> {
    /// Adds a piece. What is neither text nor the input of a call is kept as it is.
    fn add(&mut self, mut delta: JsonObject<'t>) -> Result<(), DecodeError> {
        if let Some(text) = delta.text(&["text"])? {
            self.text.push_str(&text);
        }
        if let Some(mut call) = delta.object(&["toolUse"])? {
            self.input.push_str(&call.text(&["input"])?.unwrap_or_default());
        }
        for (kind, value) in delta.into_entries() {
            // Sources belong to the text that they are cited in.
            if !value.is_null() && kind != "citation" && self.start.get(&kind).is_none() {
                self.start.insert(kind, value);
            }
        }
        Ok(())
    }

    /// The part that the block became; none of an empty one.
    fn into_part(self) -> Option<JsonNode<'t>> {
        let Self { mut start, text, input } = self;
        if let Some(JsonNode::Object(mut call)) = start.take(&["toolUse"]) {
            call.insert("input", JsonNode::String((input).into()));
            start.insert("toolUse", JsonNode::Object(call));
        } else if !input.is_empty() {
            // The input of a call whose start is not known.
            start.insert("contentBlockDelta", JsonNode::String((input).into()));
        } else if !text.is_empty() {
            start.insert("text", JsonNode::String((text).into()));
        }
        (!start.is_empty()).then_some(JsonNode::Object(start))
    }
}
