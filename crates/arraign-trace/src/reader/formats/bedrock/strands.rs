//! Takes the messages out of the events of a Strands stream: `stream_async` in Python, `stream` in TypeScript.
//!
//! Besides the messages, the streams have the events of the model, and others that repeat parts of messages. Of these, the
//! model's are read after the last message, because a stream that breaks off has no message of them.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::conversation::Conversations;
use crate::reader::build::exchange::LocatedMessage;
use crate::reader::build::stream_end;
use crate::reader::error::DecodeError;
use crate::reader::json::input::Record;
use crate::trace::{Ended, Trace};

use super::message::add_message;
use super::stream;

/// Keys of which each event of the stream in Python has one. Those of the model stand under `event`.
const EVENT_KEYS: [&str; 14] = [
    "init_event_loop",
    "start",
    "start_event_loop",
    "event_loop_cycle_id",
    "event_loop_throttled_delay",
    "force_stop",
    "tool_stream_event",
    "tool_cancel_event",
    "tool_interrupt_event",
    "result",
    "message",
    "event",
    "data",
    "complete",
];

/// Whether a file has the events of one stream, with a message among them.
pub(super) fn is_stream<'v, 't: 'v>(mut records: impl Iterator<Item = &'v JsonNode<'t>> + Clone) -> bool {
    records.clone().all(is_event) && records.any(|record| find_message(record).is_some())
}

pub(super) fn is_event(record: &JsonNode) -> bool {
    match record.text_under("type") {
        Some(kind) if kind.ends_with("Event") => true,
        _ => EVENT_KEYS.iter().any(|key| record.has_key(key)) && !record.has_key("message_id"),
    }
}

/// Returns the message that a record adds to the conversation.
pub(super) fn find_message<'v, 't>(record: &'v JsonNode<'t>) -> Option<&'v JsonNode<'t>> {
    let adds = match record.text_under("type") {
        Some(kind) => kind == "messageAddedEvent",
        None => record.as_object().is_some_and(|event| event.iter().count() == 1),
    };
    record.get("message").filter(|message| adds && super::is_message(message))
}

/// Reads the run of a stream.
pub(super) fn read(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    let mut messages: Vec<LocatedMessage> = Vec::new();
    // The events of the model since the last message.
    let mut pieces: Vec<Record> = Vec::new();
    let mut end = StreamEnding::default();
    for Record { at, value } in records {
        let is_message = find_message(&value).is_some();
        let is_piece = stream::is_event(&value);
        if is_piece {
            pieces.push(Record { at, value });
            continue;
        }
        let mut event = JsonObject::of(value, "an event").map_err(|error| at.in_record(error))?;
        if is_message {
            pieces.clear();
            let message = event.take(&["message"]).unwrap_or_default();
            messages.push(LocatedMessage::part(at, "message", message));
        } else {
            end.note(&mut event).map_err(|error| at.in_record(error))?;
        }
    }
    let is_cut = !pieces.is_empty();
    messages.extend(join_pieces(pieces)?);
    let mut traces = Vec::new();
    for run in Conversations::of_messages(messages) {
        let mut trace = run.read(add_message)?;
        trace.stop_reason = end.stop_reason.take();
        if is_cut {
            trace.ended = Ended::Cut(stream_end::STRANDS.describe_lack());
        }
        if let Some(reason) = end.failure.take() {
            trace.ended = Ended::Failed(reason);
        }
        traces.push(trace);
    }
    Ok(traces)
}

/// Returns the messages that the stream began and did not end.
fn join_pieces(pieces: Vec<Record>) -> Result<Vec<LocatedMessage>, DecodeError> {
    let joined = stream::join_events(pieces)?.into_iter().map(|Record { at, value }| {
        let message = JsonObject::of(value, "a response")
            .and_then(|mut response| response.object(&["output"]))
            .map(|output| output.and_then(|mut output| output.take(&["message"])));
        Ok(message.map_err(|error| at.in_record(error))?.map(|message| LocatedMessage::part(at, "", message)))
    });
    joined.filter_map(Result::transpose).collect()
}

/// How the stream says that the run ended.
#[derive(Debug, Default)]
struct StreamEnding {
    stop_reason: Option<String>,
    failure: Option<String>,
}

impl StreamEnding {
    fn note(&mut self, event: &mut JsonObject) -> Result<(), DecodeError> {
        if event.take(&["force_stop"]).is_some_and(|flag| flag.is_true()) {
            self.failure =
                Some(event.string(&["force_stop_reason"])?.unwrap_or_else(|| "force_stop".to_owned()));
        }
        if let Some(JsonNode::Object(mut result)) = event.take(&["result"]) {
            self.stop_reason = result.string(&["stop_reason", "stopReason"])?.or(self.stop_reason.take());
        }
        Ok(())
    }
}
