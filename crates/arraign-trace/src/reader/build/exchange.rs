//! One call of a model as a log records it: the messages of the request, and the reply.

use std::borrow::Cow;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::spot::RecordSpot;
use crate::reader::error::DecodeError;
use crate::reader::json::input::At;
use crate::trace::{Ended, Usage};

/// A message with its place in the file.
#[derive(Debug)]
pub(crate) struct LocatedMessage<'t> {
    pub(crate) spot: RecordSpot,
    /// The number of the reply that contains the message, if it is from a reply of a log.
    pub(crate) reply: Option<usize>,
    /// The ending of the turn, at the last message of a reply.
    pub(crate) ending: Option<TurnEnding<'t>>,
    /// The number of other messages that the model gave in place of this one.
    pub(crate) alternatives: usize,
    pub(crate) value: JsonNode<'t>,
}

/// The ending of a turn of the model, as recorded in its reply.
#[derive(Debug, Clone)]
pub(crate) struct TurnEnding<'t> {
    pub(crate) stop_reason: Option<Cow<'t, str>>,
    pub(crate) usage: Option<Usage>,
}

impl<'t> LocatedMessage<'t> {
    /// A record that is a message itself.
    pub(crate) fn record(at: At, value: JsonNode<'t>) -> Self {
        Self::at_spot(at.into(), value)
    }

    /// A message at `path` of a record.
    pub(crate) fn part(at: At, path: &'static str, value: JsonNode<'t>) -> Self {
        Self::at_spot(RecordSpot::under(at, path), value)
    }

    /// The messages of a list at `path` of a record.
    pub(crate) fn list(at: At, path: &'static str, values: Vec<JsonNode<'t>>) -> Vec<Self> {
        let spots = (0..).map(|index| RecordSpot::item(at, path, index));
        spots.zip(values).map(|(spot, value)| Self::at_spot(spot, value)).collect()
    }

    fn at_spot(spot: RecordSpot, value: JsonNode<'t>) -> Self {
        Self { spot, reply: None, ending: None, alternatives: 0, value }
    }
}

/// One call of a model: the request, the reply and the tokens.
#[derive(Debug, Default)]
pub(crate) struct Exchange<'t> {
    pub(crate) request: Vec<LocatedMessage<'t>>,
    pub(crate) reply: Option<Reply<'t>>,
    pub(crate) model: Option<String>,
    /// The id of the reply that the request continues, if it names the reply instead of replaying it.
    pub(crate) previous: Option<String>,
    /// The id of a record that is one conversation, as far as it went.
    pub(crate) row: Option<String>,
    /// The id of the request in a batch. Each case of a batch is its own run.
    pub(crate) case: Option<String>,
    /// The time of the model for the reply, in milliseconds.
    pub(crate) model_ms: Option<f64>,
}

impl<'t> Exchange<'t> {
    /// A model call without a reply.
    pub(crate) fn failed(reason: String) -> Self {
        let reply = Reply { id: None, messages: Vec::new(), usage: None, stop_reason: Some(reason.into()) };
        Self { reply: Some(reply), ..Self::default() }
    }

    /// Reads a record of a log by `read`. A request that the provider refused has no reply, and its error is the reason
    /// why it stopped.
    pub(crate) fn read(
        at: At,
        record: JsonNode<'t>,
        read: impl FnOnce(At, JsonNode<'t>) -> Result<Self, DecodeError>,
    ) -> Result<Self, DecodeError> {
        let refusal = record.as_object().and_then(find_refusal);
        let failure = record.as_object().and_then(find_failure);
        let row = find_row_id(&record);
        let mut exchange = read(at, record)?;
        if let Some(failure) = failure {
            let failed = Some(format!("error: {failure}").into());
            match &mut exchange.reply {
                Some(reply) => reply.stop_reason = failed,
                none => {
                    *none = Some(Reply { id: None, messages: Vec::new(), usage: None, stop_reason: failed });
                }
            }
        }
        exchange.row = row;
        let says_nothing = |reply: &Reply| reply.messages.is_empty() && reply.stop_reason.is_none();
        if let Some(refusal) = refusal.filter(|_| exchange.reply.as_ref().is_none_or(says_nothing)) {
            exchange.reply = Self::failed(format!("error: {refusal}")).reply;
        }
        Ok(exchange)
    }
}

/// Returns the id of a record that is one conversation: its messages under one key, beside an id of its own.
fn find_row_id(record: &JsonNode) -> Option<String> {
    const OF_CALLS: [&str; 8] =
        ["request", "response", "choices", "output", "candidates", "object", "type", "custom_id"];
    let record = record.as_object()?;
    let is_row = ["messages", "contents"].iter().any(|key| record.get(key).is_some_and(JsonNode::is_array))
        && OF_CALLS.iter().all(|key| record.get(key).is_none());
    if !is_row {
        return None;
    }
    match record.get("id").or_else(|| record.get("run_id"))? {
        JsonNode::String(id) if !id.is_empty() => Some(id.to_string()),
        JsonNode::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// Finds the error beside the choices of a reply or in the first of them, or the status of a record of messages that failed.
fn find_failure(record: &JsonObject) -> Option<String> {
    let outer = record.get("response").and_then(JsonNode::as_object).unwrap_or(record);
    let response = outer.get("body").and_then(JsonNode::as_object).unwrap_or(outer);
    let choices = response.get("choices").and_then(JsonNode::as_array);
    if let Some(choices) = choices {
        let of_choice = choices.first().and_then(|choice| choice.get("error"));
        let errors = response.get("error").into_iter().chain(of_choice);
        return errors
            .filter_map(describe_error)
            .find(|said| !matches!(said.as_str(), "" | "{}" | "[]" | "false"));
    }
    let is_run = record.get("messages").is_some_and(JsonNode::is_array) && record.get("response").is_none();
    let status = record.text_under("status").filter(|_| is_run)?;
    matches!(Ended::from_stop_reason(status), Ended::Failed(_)).then(|| format!("status {status}"))
}

/// Finds the reason why a provider refused the request of a record: the error of the response, or beside the request.
pub(crate) fn find_refusal(record: &JsonObject) -> Option<String> {
    if ["request", "response", "messages", "input"].iter().all(|name| record.get(name).is_none()) {
        return None;
    }
    let response = record.get("response");
    let body = response.and_then(|response| response.get("body"));
    let errors = [body, response].into_iter().flatten().filter_map(|response| response.get("error"));
    let said = errors.chain(record.get("error")).find_map(describe_error);
    let codes = ["status", "status_code", "statusCode"].iter();
    let mut codes = codes.filter_map(|name| response?.get(name)?.as_number()?.as_u64());
    match (codes.find(|code| *code >= 400), said) {
        (Some(code), Some(said)) => Some(format!("HTTP {code}: {said}")),
        (Some(code), None) => Some(format!("HTTP {code}")),
        (None, said) => said,
    }
}

/// Returns the text of an error of a provider; `None` of a null.
fn describe_error(error: &JsonNode) -> Option<String> {
    if error.is_null() {
        return None;
    }
    let said = ["message", "type", "code"].iter().find_map(|name| error.text_under(name));
    Some(said.map_or_else(|| error.clone().into_text_or_json().into_owned(), ToOwned::to_owned))
}

/// Returns the text of an error that stands alone among the events of a stream, in the form of any service.
pub(crate) fn find_bare_error(record: &JsonNode) -> Option<String> {
    const OF_A_LOG: [&str; 7] =
        ["request", "response", "result", "messages", "choices", "custom_id", "candidates"];
    let is_alone = OF_A_LOG.iter().all(|name| record.get(name).is_none());
    record.get("error").filter(|_| is_alone).and_then(describe_error)
}

/// The reply of a model.
#[derive(Debug)]
pub(crate) struct Reply<'t> {
    pub(crate) id: Option<String>,
    pub(crate) messages: Vec<LocatedMessage<'t>>,
    pub(crate) usage: Option<Usage>,
    pub(crate) stop_reason: Option<Cow<'t, str>>,
}
