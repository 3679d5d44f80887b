//! The replies that are coming in: what an agent has of them counts, also if it ends before they do.

use std::collections::HashMap;
use std::sync::Mutex;

use super::exchange::{RecordedReply, RecordedRequest};
use crate::source::lock;

/// The replies that have begun, by the numbers of their requests.
#[derive(Debug, Default)]
pub(super) struct IncomingReplies(Mutex<HashMap<usize, IncomingReply>>);

/// A reply, as far as it has come.
#[derive(Debug)]
pub(super) struct IncomingReply {
    pub(super) request: RecordedRequest,
    pub(super) status: u16,
    pub(super) media_type: Option<String>,
    pub(super) pieces: Vec<Vec<u8>>,
}

impl IncomingReply {
    /// Returns the reply as it is recorded; `cut` if it has not ended. `None` if it is not text.
    pub(super) fn end(self, cut: bool) -> (RecordedRequest, Option<RecordedReply>) {
        (self.request, RecordedReply::new(self.status, self.media_type, self.pieces, cut))
    }
}

impl IncomingReplies {
    pub(super) fn begin(&self, number: usize, reply: IncomingReply) {
        lock(&self.0).insert(number, reply);
    }

    pub(super) fn add_piece(&self, number: usize, piece: &[u8]) {
        if let Some(reply) = lock(&self.0).get_mut(&number) {
            reply.pieces.push(piece.to_vec());
        }
    }

    pub(super) fn take(&self, number: usize) -> Option<IncomingReply> {
        lock(&self.0).remove(&number)
    }

    pub(super) fn take_all(&self) -> Vec<(usize, IncomingReply)> {
        lock(&self.0).drain().collect()
    }
}
