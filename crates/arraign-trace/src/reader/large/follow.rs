//! Logs of model calls in pieces: the run of a call depends on the calls before it.

use crate::json::JsonNode;
use crate::reader::build::batch;
use crate::reader::build::conversation::{Conversations, INTERLEAVED};
use crate::reader::build::exchange::Exchange;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, parse_value};
use crate::reader::large::pieces::{Follow, Pieces, RecordInfo, RunKey, SplitError};

/// The functions by which a format reads a log of model calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log {
    /// Whether a record is a model call. A file with any other record is not split.
    pub(crate) is_call: fn(&JsonNode<'_>) -> bool,
    /// Reads one record of the log.
    pub(crate) exchange: for<'t> fn(At, JsonNode<'t>) -> Result<Exchange<'t>, DecodeError>,
}

/// Splits a log in which each record is a model call. `follow` finds the run of each.
///
/// A request is matched only with the last [`INTERLEAVED`] runs, so that many successive runs can be read without the
/// others.
pub(crate) fn calls(follow: fn() -> Follow) -> Pieces {
    Pieces::in_order(follow, INTERLEAVED)
}

impl Log {
    /// Follows the conversations of a log. Only conversations that may continue stay in memory.
    pub(crate) fn follow(self) -> Follow {
        // The log numbers its runs from the first one in memory. `forgotten` counts those that were dropped before it,
        // so that a run keeps its number for the whole file.
        let mut log = Conversations::default();
        let mut forgotten = 0;
        Box::new(move |text| {
            let call = parse_record(text)?;
            // The results of a batch are read whole.
            let is_of_batch = batch::case(&call).is_some();
            if is_of_batch || !(self.is_call)(&call) {
                return Err(SplitError::Unsuited);
            }
            let exchange =
                Exchange::read(At::Whole, call, self.exchange).map_err(|_| SplitError::Unsuited)?;
            let Some(at) = log.add_to(exchange) else { return Ok(RecordInfo::from(RunKey::Nobody)) };
            let number = forgotten + at;
            let id = log.id_of(at);
            // Runs that cannot continue are dropped, so that the memory holds the open conversations only.
            forgotten += log.take_old().len();
            Ok(RunKey::Numbered(number, id).into())
        })
    }
}

/// Parses a record that outlives the text of its file.
pub(crate) fn parse_record(text: &str) -> Result<JsonNode<'static>, SplitError> {
    parse_value(text).map(|(value, _)| value.into_static()).map_err(|_| SplitError::Broken)
}
