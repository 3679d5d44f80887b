//! Builds whole responses from the events of streamed responses.
//!
//! The last event of a response contains all of it. If the stream was cut, or the last event has no output, the response
//! is built from the items and their deltas.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::stream_end;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Record};

/// Whether a record is an event of a stream.
pub(crate) fn is_event(value: &JsonNode) -> bool {
    let kind = value.get("type").and_then(JsonNode::as_str);
    kind.is_some_and(|kind| kind.starts_with("response."))
}

/// Builds the responses from the events in `records`.
pub(crate) fn whole(records: Vec<Record>) -> Result<Vec<Record>, DecodeError> {
    let mut stream = ResponseStream::default();
    for Record { at, value } in records {
        let event = JsonObject::of(value, "an event").and_then(|event| stream.event(at, event));
        event.map_err(|error| at.in_record(error))?;
    }
    stream.end_response();
    Ok(stream.responses)
}

/// The complete responses, and the one that is being streamed.
#[derive(Debug, Default)]
struct ResponseStream<'t> {
    responses: Vec<Record<'t>>,
    open: Option<(At, JsonObject<'t>)>,
    items: BTreeMap<u64, ItemPiece<'t>>,
}

/// An item that is being streamed.
#[derive(Debug, Default)]
struct ItemPiece<'t> {
    item: JsonObject<'t>,
    text: String,
    whole: bool,
}

impl<'t> ResponseStream<'t> {
    fn event(&mut self, at: At, mut event: JsonObject<'t>) -> Result<(), DecodeError> {
        // A gateway may send an error in its own form.
        let is_error = event.get("type").is_none() && event.get("error").is_some();
        let kind = if is_error { Cow::Borrowed("error") } else { event.required(&["type"])? };
        if kind == "error" {
            let error = event.take(&["error"]).unwrap_or(JsonNode::Object(event));
            self.open.get_or_insert_with(|| (at, JsonObject::default())).1.insert("error", error);
            return Ok(());
        }
        match kind.strip_prefix("response.").unwrap_or_default() {
            "created" => {
                // A response that has no end was cut off. What has come of it is kept.
                self.end_response();
                self.open = event.object(&["response"])?.map(|response| (at, response));
            }
            "completed" | "incomplete" | "failed" | "cancelled" => {
                let response = event.object(&["response"])?.unwrap_or_default();
                self.open = Some((at, response));
                self.close_response();
            }
            "output_item.added" => self.item(event, false)?,
            "output_item.done" => self.item(event, true)?,
            other => {
                let piece = other.rsplit_once('.');
                // Deltas of reasoning have the same output index as their item. Their text is not part of the answer.
                if piece.is_some_and(|(of, what)| what == "delta" && !of.starts_with("reasoning")) {
                    self.delta(event)?;
                }
            }
        }
        Ok(())
    }

    fn item(&mut self, mut event: JsonObject<'t>, whole: bool) -> Result<(), DecodeError> {
        let index = event.count(&["output_index"])?.unwrap_or(self.next_index(whole));
        let item = event.object(&["item"])?.unwrap_or_default();
        let piece = self.items.entry(index).or_default();
        // A whole item is final: a late event of its beginning must not replace it.
        if whole || !piece.whole {
            (piece.item, piece.whole) = (item, whole);
        }
        Ok(())
    }

    fn delta(&mut self, mut event: JsonObject<'t>) -> Result<(), DecodeError> {
        let index = event.count(&["output_index"])?.unwrap_or(self.next_index(true));
        let delta = event.take(&["delta"]).and_then(JsonNode::into_text).unwrap_or_default();
        self.items.entry(index).or_default().text.push_str(&delta);
        Ok(())
    }

    /// Returns the index of an event that does not say its own: the last item's index, or the next one.
    fn next_index(&self, of_last: bool) -> u64 {
        let last = self.items.last_key_value().map(|(last, _)| *last);
        last.map_or(0, |last| if of_last { last } else { last.saturating_add(1) })
    }

    /// Ends the response that is being streamed, if there is one, although its last event is missing.
    fn end_response(&mut self) {
        if self.open.is_none() && self.items.is_empty() {
            return;
        }
        let (_, response) = self.open.get_or_insert_default();
        let reason = stream_end::RESPONSES.stop_reason();
        response.insert("status", JsonNode::String((reason).into()));
        self.close_response();
    }

    /// Adds the response that is being streamed, if there is one, to the responses.
    fn close_response(&mut self) {
        let items = std::mem::take(&mut self.items);
        let Some((at, mut response)) = self.open.take() else { return };
        // The last event repeats the output; a stream that broke off has only its items.
        if response.get("output").and_then(JsonNode::first).is_none() {
            let items = items.into_values().map(ItemPiece::into_item).collect();
            response.insert("output", JsonNode::Array(items));
        }
        self.responses.push(Record { at, value: JsonNode::Object(response) });
    }
}

impl<'t> ItemPiece<'t> {
    /// Returns the item. An item that was cut off gets the text of its deltas.
    fn into_item(self) -> JsonNode<'t> {
        let Self { mut item, text, whole } = self;
        if !whole && !text.is_empty() {
            let text = JsonNode::String((text).into());
            // The deltas are those of the field in which each kind keeps its text.
            match item.get("type").and_then(JsonNode::as_str) {
                Some("function_call" | "mcp_call") => drop(item.insert("arguments", text)),
                Some("custom_tool_call") => drop(item.insert("input", text)),
                Some("message") => {
                    item.insert("content", JsonNode::Array(vec![JsonNode::object([("text", text)])]));
                }
                _ => {}
            }
        }
        JsonNode::Object(item)
    }
}
