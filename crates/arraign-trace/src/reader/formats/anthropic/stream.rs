//! The events of streamed messages, put together to whole messages.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::{JsonNode, JsonObject, parse_lenient};
use crate::reader::build::exchange::find_bare_error;
use crate::reader::build::stream_end;
use crate::reader::build::tool_result::error_of;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Record};

/// Whether a record is an event of a stream.
pub(crate) fn is_event(value: &JsonNode) -> bool {
    // The last five repeat what others tell: the client library puts them between.
    const KINDS: [&str; 13] = [
        "message_start",
        "message_delta",
        "message_stop",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "ping",
        "error",
        "text",
        "thinking",
        "signature",
        "citation",
        "input_json",
    ];
    match value.get("type") {
        Some(kind) => kind.as_str().is_some_and(|kind| KINDS.contains(&kind)),
        None => find_bare_error(value).is_some(),
    }
}

/// Whether a record begins a streamed message.
pub(crate) fn is_start(value: &JsonNode) -> bool {
    value.get("type").and_then(JsonNode::as_str) == Some("message_start")
        && value.get("message").is_some_and(JsonNode::is_object)
}

/// The messages of which `records` are the events, each where it begins.
pub(crate) fn whole(records: Vec<Record>) -> Result<Vec<Record>, DecodeError> {
    let mut drafts: Vec<StreamedMessage> = Vec::new();
    for Record { at, value } in records {
        let event = JsonObject::of(value, "an event").and_then(|event| add(&mut drafts, at, event));
        event.map_err(|error| at.in_record(error))?;
    }
    Ok(drafts.into_iter().map(StreamedMessage::into_record).collect())
}

/// A message in the making.
#[derive(Debug)]
struct StreamedMessage<'t> {
    at: At,
    message: JsonObject<'t>,
    usage: JsonObject<'t>,
    blocks: BTreeMap<u64, Block<'t>>,
    /// Whether the stream of the message ended, well or with an error.
    has_ended: bool,
}

/// A block in the making: what it began with, and its pieces.
#[derive(Debug, Default)]
struct Block<'t> {
    start: JsonObject<'t>,
    text: String,
    input: String,
}

fn add<'t>(
    drafts: &mut Vec<StreamedMessage<'t>>,
    at: At,
    mut event: JsonObject<'t>,
) -> Result<(), DecodeError> {
    // A gateway may send an error in its own form.
    let kind = event.text(&["type"])?.unwrap_or(Cow::Borrowed("error"));
    if kind == "message_start" {
        let mut message = event.object(&["message"])?.unwrap_or_default();
        let mut usage = message.object(&["usage"])?.unwrap_or_default();
        // How much it writes is known at its end.
        usage.take_even_null("output_tokens");
        drafts.push(StreamedMessage { at, message, usage, blocks: BTreeMap::new(), has_ended: false });
    }
    // The events before a message, such as a ping, belong to none.
    let Some(draft) = drafts.last_mut() else { return Ok(()) };
    match kind.as_ref() {
        "content_block_start" => {
            let index = event.count(&["index"])?.unwrap_or(draft.next_index());
            let start = event.object(&["content_block"])?.unwrap_or_default();
            draft.blocks.insert(index, Block { start, ..Block::default() });
        }
        "content_block_delta" => {
            let index = event.count(&["index"])?.unwrap_or(draft.next_index().saturating_sub(1));
            let delta = event.object(&["delta"])?.unwrap_or_default();
            draft.blocks.entry(index).or_default().add(delta)?;
        }
        "message_delta" => {
            let delta = event.object(&["delta"])?.unwrap_or_default();
            overlay(&mut draft.message, delta);
            overlay(&mut draft.usage, event.object(&["usage"])?.unwrap_or_default());
        }
        "message_stop" => draft.has_ended = true,
        "error" => {
            let reason = error_of(&mut event).unwrap_or_else(|| "the stream broke off".to_owned());
            draft.message.insert("stop_reason", JsonNode::String(format!("error: {reason}").into()));
            draft.has_ended = true;
        }
        _ => {}
    }
    Ok(())
}

/// Adds the fields of a later event, which replace those of an earlier one.
fn overlay<'t>(known: &mut JsonObject<'t>, told: JsonObject<'t>) {
    for (key, value) in told.rest().into_iter().filter(|(_, value)| !value.is_null()) {
        known.insert(key, value);
    }
}

impl<'t> StreamedMessage<'t> {
    /// The index of a block that does not say its own: after the last one.
    fn next_index(&self) -> u64 {
        self.blocks.last_key_value().map_or(0, |(last, _)| last.saturating_add(1))
    }

    fn into_record(self) -> Record<'t> {
        let Self { at, mut message, usage, blocks, has_ended } = self;
        if !has_ended {
            let reason = stream_end::ANTHROPIC.stop_reason();
            message.insert("stop_reason", JsonNode::String(reason.into()));
        }
        let blocks = blocks.into_values().map(Block::into_json).collect();
        message.insert("content", JsonNode::Array(blocks));
        message.insert("usage", JsonNode::Object(usage));
        Record { at, value: JsonNode::Object(message) }
    }
}

impl<'t> Block<'t> {
    fn add(&mut self, mut delta: JsonObject<'t>) -> Result<(), DecodeError> {
        if let Some(text) = delta.text(&["text"])? {
            self.text.push_str(&text);
        }
        if let Some(json) = delta.text(&["partial_json"])? {
            self.input.push_str(&json);
        }
        Ok(())
    }

    fn into_json(self) -> JsonNode<'t> {
        let Self { mut start, text, input } = self;
        if !text.is_empty() {
            // A start may have the first piece of the text already.
            let begun = start.take(&["text"]).and_then(JsonNode::into_text).unwrap_or_default();
            start.insert("text", JsonNode::String((begun.into_owned() + &text).into()));
        }
        if !input.is_empty() {
            // Pieces that are no JSON together stay a text, as the model wrote them.
            let whole = parse_lenient(&input);
            start.insert("input", whole.unwrap_or(JsonNode::String((input).into())));
        }
        JsonNode::Object(start)
    }
}
