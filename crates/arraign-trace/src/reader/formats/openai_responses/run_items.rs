//! Takes the items out of the Agents SDK's own records: a run's `new_items` (`newItems` in JavaScript) and the events of
//! `stream_events()`.
//!
//! Each wraps an item of the API as `raw_item` or `rawItem`. A stream also has the events of the model, which say the same
//! in pieces: of them, the ends of responses are read, for their tokens, and for calls of which no item was made.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::conversation::Conversations;
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::exchange::{LocatedMessage, TurnEnding};
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::stream_end;
use crate::reader::build::usage::UsageTotal;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Record};
use crate::trace::{Ended, Trace};

/// The keys of an item of the API in its wrapper, and its paths in an event.
const RAW_ITEMS: [(&str, &str); 2] = [("raw_item", "item/raw_item"), ("rawItem", "item/rawItem")];

/// The events of a stream that hold an event of the model: in Python and in JavaScript.
const MODEL_EVENTS: [&str; 2] = ["raw_response_event", "raw_model_stream_event"];

/// Whether a record is an item of a run or an event of its stream.
pub(super) fn is_run_item(value: &JsonNode) -> bool {
    match value.text_under("type") {
        Some("run_item_stream_event") => value.get("item").is_some_and(is_wrapper),
        Some("agent_updated_stream_event") => true,
        Some(kind) if MODEL_EVENTS.contains(&kind) => value.get("data").is_some_and(JsonNode::is_object),
        Some(kind) => kind.ends_with("_item") && is_wrapper(value),
        None => false,
    }
}

fn is_wrapper(value: &JsonNode) -> bool {
    RAW_ITEMS.iter().any(|(key, _)| value.get(key).is_some_and(JsonNode::is_object))
}

/// Returns the run of the items in `records`.
pub(super) fn read(records: Vec<Record>) -> Result<Trace, DecodeError> {
    let mut items = RunItems::default();
    for Record { at, value } in records {
        items.record(at, value).map_err(|error| at.in_record(error))?;
    }
    items.end_turn();
    let is_cut = items.is_open;
    let stop_reason = items.stop_reason.take();
    let usage = std::mem::take(&mut items.tally).total();
    let mut run = Conversations::of_messages(items.messages).into_iter().next().unwrap_or_default();
    run.beside = items.beside;
    let mut trace = super::trace_of(run)?;
    trace.stop_reason = stop_reason;
    trace.usage = usage;
    if is_cut {
        trace.ended = Ended::Cut(stream_end::RESPONSES.describe_lack());
    }
    Ok(trace)
}

#[derive(Debug, Default)]
struct RunItems<'t> {
    messages: Vec<LocatedMessage<'t>>,
    /// The index of the last message or call of the model.
    said: Option<usize>,
    /// The end of the response of which the items are coming in.
    ending: Option<TurnEnding<'t>>,
    tally: UsageTotal,
    /// Why the last response stopped.
    stop_reason: Option<String>,
    /// Whether a response has begun and not ended.
    is_open: bool,
    /// The calls of ended responses. Each must be an item of the run.
    beside: Vec<CallEvidence<'t>>,
}

impl<'t> RunItems<'t> {
    fn record(&mut self, at: At, value: JsonNode<'t>) -> Result<(), DecodeError> {
        let mut record = JsonObject::of(value, "an item of a run")?;
        match record.required(&["type"])?.into_owned().as_str() {
            "agent_updated_stream_event" => Ok(()),
            "run_item_stream_event" => {
                let item = record.object(&["item"])?.unwrap_or_default();
                self.item(at, true, item)
            }
            kind if MODEL_EVENTS.contains(&kind) => {
                let data = record.object(&["data"])?.unwrap_or_default();
                self.model_event(at, data).map_err(|error| error.at_key("data"))
            }
            _ => self.item(at, false, record),
        }
    }

    fn item(&mut self, at: At, is_event: bool, mut wrapper: JsonObject<'t>) -> Result<(), DecodeError> {
        let kind = wrapper.text(&["type"])?.unwrap_or_default().into_owned();
        let status = wrapper.take(&["executionStatus"]);
        let Some((key, path)) = RAW_ITEMS.iter().find(|(key, _)| wrapper.has_key(key)) else {
            return Err(DecodeError::new("`raw_item` is missing"));
        };
        let mut item = wrapper.object(&[key])?.unwrap_or_default();
        // The item of an approval repeats the call that waits for it.
        if kind == "tool_approval_item" && self.has_call(&item) {
            return Ok(());
        }
        let is_output = kind.ends_with("_output_item");
        if is_output {
            // JavaScript says here that a tool was not executed; the item of the API says `completed` all the same.
            if let Some(status) = status.filter(|status| status.as_str() != Some("executed")) {
                item.insert("status", status);
            }
            self.end_turn();
        } else {
            self.said = Some(self.messages.len());
        }
        let path = if is_event { path } else { key };
        self.messages.push(LocatedMessage::part(at, path, JsonNode::Object(item)));
        Ok(())
    }

    fn has_call(&self, item: &JsonObject) -> bool {
        let id = ["call_id", "callId"].iter().find_map(|key| item.text_under(key));
        let mut known = self.messages.iter().rev();
        id.is_some()
            && known.any(|said| ["call_id", "callId"].iter().any(|key| said.value.text_under(key) == id))
    }

    /// Notes the end of a response.
    fn model_event(&mut self, at: At, mut event: JsonObject<'t>) -> Result<(), DecodeError> {
        let kind = event.text(&["type"])?.unwrap_or_default();
        let is_end = ["response.completed", "response.incomplete", "response.failed", "response_done"]
            .contains(&&*kind);
        self.is_open =
            !is_end && (self.is_open || ["response.created", "response_started"].contains(&&*kind));
        let Some(mut response) = event.object(&["response"])?.filter(|_| is_end) else { return Ok(()) };
        self.beside.push(CallEvidence::gather_object(RecordSpot::under(at, "data/response"), &response));
        let usage = super::TOKENS.read_from(&mut response, &["usage"])?;
        self.tally.add(usage);
        let stop_reason = super::stop_reason(&mut response)?;
        self.end_turn();
        self.stop_reason = stop_reason.as_deref().map(ToOwned::to_owned);
        self.ending = Some(TurnEnding { stop_reason, usage });
        Ok(())
    }

    /// Gives the last item of the model the end of its response.
    fn end_turn(&mut self) {
        let said = self.said.and_then(|index| self.messages.get_mut(index));
        if let Some(said) = said.filter(|said| said.ending.is_none())
            && let Some(ending) = self.ending.take()
        {
            said.ending = Some(ending);
        }
    }
}
