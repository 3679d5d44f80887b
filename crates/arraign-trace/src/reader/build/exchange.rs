//! One call of a model as a log records it: the messages of the request, and the reply.

use std::borrow::Cow;

use crate::reader::build::spot::RecordSpot;
use crate::reader::json::input::At;
use crate::reader::json::value::Json;
use crate::trace::Usage;

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
    pub(crate) value: Json<'t>,
}

/// The ending of a turn of the model, as recorded in its reply.
#[derive(Debug, Clone)]
pub(crate) struct TurnEnding<'t> {
    pub(crate) stop_reason: Option<Cow<'t, str>>,
    pub(crate) usage: Option<Usage>,
}

impl<'t> LocatedMessage<'t> {
    /// A record that is a message itself.
    pub(crate) fn record(at: At, value: Json<'t>) -> Self {
        Self::at_spot(at.into(), value)
    }

    /// A message at `path` of a record.
    pub(crate) fn part(at: At, path: &'static str, value: Json<'t>) -> Self {
        Self::at_spot(RecordSpot::under(at, path), value)
    }

    /// The messages of a list at `path` of a record.
    pub(crate) fn list(at: At, path: &'static str, values: Vec<Json<'t>>) -> Vec<Self> {
        let spots = (0..).map(|index| RecordSpot::item(at, path, index));
        spots.zip(values).map(|(spot, value)| Self::at_spot(spot, value)).collect()
    }

    fn at_spot(spot: RecordSpot, value: Json<'t>) -> Self {
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
    /// The id of the request in a batch. Each case of a batch is its own run.
    pub(crate) case: Option<String>,
    /// The time of the model for the reply, in milliseconds.
    pub(crate) model_ms: Option<f64>,
}

impl Exchange<'_> {
    /// A model call without a reply.
    pub(crate) fn failed(reason: String) -> Self {
        let reply = Reply { id: None, messages: Vec::new(), usage: None, stop_reason: Some(reason.into()) };
        Self { reply: Some(reply), ..Self::default() }
    }
}

/// The reply of a model.
#[derive(Debug)]
pub(crate) struct Reply<'t> {
    pub(crate) id: Option<String>,
    pub(crate) messages: Vec<LocatedMessage<'t>>,
    pub(crate) usage: Option<Usage>,
    pub(crate) stop_reason: Option<Cow<'t, str>>,
}
