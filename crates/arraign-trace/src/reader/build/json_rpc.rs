//! Logs of JSON-RPC: messages, bare or in a wrapper that says when and between whom they were sent.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::nanos;
use crate::reader::error::DecodeError;
use crate::trace::ToolServer;

/// The keys under which a wrapper keeps the message.
pub(crate) const WRAPPED: [&str; 7] = ["msg", "message", "payload", "data", "request", "response", "body"];

/// Whether a value is a message of JSON-RPC or a batch of them, which is a list.
pub(crate) fn is_rpc(value: &JsonNode) -> bool {
    let batch = value.as_array().unwrap_or(std::slice::from_ref(value));
    !batch.is_empty() && batch.iter().all(|message| message.text_under("jsonrpc") == Some("2.0"))
}

/// Whether a value is a record that wraps messages of JSON-RPC.
pub(crate) fn is_wrapper(value: &JsonNode) -> bool {
    WRAPPED.iter().any(|name| value.get(name).is_some_and(is_rpc))
}

/// The facts that a wrapper records about its message.
#[derive(Debug, Default)]
pub(crate) struct RpcWrapper {
    pub(crate) from: Option<String>,
    pub(crate) time: Option<u64>,
    pub(crate) duration_ms: Option<f64>,
    pub(crate) server: ToolServer,
}

impl RpcWrapper {
    /// Takes the facts out of a record.
    pub(crate) fn take_from(object: &mut JsonObject) -> Self {
        let time = object.take(&["ts", "timestamp", "time"]).and_then(|time| time_of(&time));
        Self {
            from: object
                .take(&["dir", "direction", "from", "sender"])
                .and_then(JsonNode::into_text)
                .map(Into::into),
            time,
            duration_ms: object
                .take(&["duration", "duration_ms"])
                .and_then(|time| time.as_number()?.as_f64()),
            server: object
                .take(&["server", "server_name"])
                .and_then(JsonNode::into_text)
                .map(String::from)
                .into(),
        }
    }
}

/// Calls `take` with each message of a value that [`is_rpc`], in order.
pub(crate) fn each_message(
    value: JsonNode,
    take: &mut impl FnMut(JsonObject) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    match value {
        JsonNode::Array(batch) => batch.into_iter().try_for_each(|message| each_message(message, take)),
        value => take(JsonObject::of(value, "a message")?),
    }
}

/// Calls `take` with each message that a record wraps, and with the facts of the wrapper.
pub(crate) fn each_wrapped(
    object: &mut JsonObject,
    mut wrapper: RpcWrapper,
    mut take: impl FnMut(JsonObject, &RpcWrapper) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    // A request with its answer is of both sides.
    if WRAPPED.iter().filter(|name| object.get(name).is_some_and(is_rpc)).count() > 1 {
        wrapper.from = None;
    }
    for name in WRAPPED {
        if object.get(name).is_some_and(is_rpc) {
            let messages = object.take(&[name]).unwrap_or_default();
            each_message(messages, &mut |message| take(message, &wrapper))
                .map_err(|error| error.at_key(name))?;
        }
    }
    Ok(())
}

/// A time as text, or in seconds or milliseconds since 1970.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it was found to be in this century"
)]
fn time_of(time: &JsonNode) -> Option<u64> {
    const LATEST_SECOND: f64 = 1e10;
    match time {
        JsonNode::String(text) => nanos(text),
        JsonNode::Number(number) => {
            let figure = number.as_f64().filter(|figure| (0.0..LATEST_SECOND * 1000.0).contains(figure))?;
            // Seconds since 1970 have ten digits until the year 2286; a larger number is one of milliseconds.
            let seconds = if figure < LATEST_SECOND { figure } else { figure / 1000.0 };
            Some((seconds * 1e9) as u64)
        }
        _ => None,
    }
}
