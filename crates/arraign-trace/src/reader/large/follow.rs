//! A log of model calls in pieces: whose a call is, the calls before it tell.

use crate::reader::build::batch;
use crate::reader::build::conversation::{Conversations, Exchange, INTERLEAVED};
use crate::reader::error::DecodeError;
use crate::reader::json::input::At;
use crate::reader::json::value::Json;
use crate::reader::large::pieces::{Follow, Pieces, RecordInfo, RunKey, SplitError};

/// How a format reads the log of model calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Log {
    /// Whether a file that begins with this record is such a log: another shape of record would be read otherwise.
    pub(crate) is_call: fn(&Json<'_>) -> bool,
    /// One record of the log.
    pub(crate) exchange: for<'t> fn(At, Json<'t>) -> Result<Exchange<'t>, DecodeError>,
}

/// A log of which each record is a model call. `follow` follows it.
///
/// A request is looked for in the last [`INTERLEAVED`] runs only: so many runs that follow one another are the same
/// without all others.
pub(crate) fn calls(follow: fn() -> Follow) -> Pieces {
    Pieces::in_order(follow, INTERLEAVED)
}

impl Log {
    /// Follows the conversations of a log. Of those that may go on, what was said is held.
    pub(crate) fn follow(self) -> Follow {
        let (mut log, mut forgotten) = (Conversations::default(), 0);
        Box::new(move |text| {
            let call = owned(text)?;
            // The results of a batch are read whole.
            let is_of_batch = batch::case(&call).is_some() || batch::failure(&call).is_some();
            if is_of_batch || !(self.is_call)(&call) {
                return Err(SplitError::Unsuited);
            }
            let exchange = (self.exchange)(At::Whole, call).map_err(|_| SplitError::Unsuited)?;
            let Some(at) = log.add_to(exchange) else { return Ok(RecordInfo::from(RunKey::Nobody)) };
            let (number, id) = (forgotten + at, log.id_of(at));
            forgotten += log.forget();
            Ok(RunKey::Numbered(number, id).into())
        })
    }
}

/// A record that is kept while others are looked at.
pub(crate) fn owned(text: &str) -> Result<Json<'static>, SplitError> {
    serde_json::from_str(text).map(Json::into_owned).map_err(|_| SplitError::Broken)
}
