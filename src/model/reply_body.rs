//! The body of a reply: a text, recorded pieces, or pieces that are still coming in.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::mpsc::Receiver;
use tokio::time::{Sleep, sleep};

/// How long a connection stays open after the last piece of a reply that breaks off. Without it, the server would drop the
/// pieces that it has not sent.
const LAST_PIECE_TIME: Duration = Duration::from_millis(200);

/// The next piece, or why the rest of the body is missing.
pub(super) type Piece = Result<Bytes, io::Error>;

/// The body of a reply.
pub(super) enum ReplyBody {
    /// A whole body.
    Whole(Option<Bytes>),
    /// Recorded pieces, each sent as it came.
    Pieces(VecDeque<Piece>),
    /// Pieces from the provider.
    Incoming(Receiver<Piece>),
    /// The rest is missing, for this reason.
    Broken(Option<io::Error>, Pin<Box<Sleep>>),
}

impl ReplyBody {
    /// A body that is sent as a whole, with its length.
    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self::Whole(Some(bytes.into()))
    }

    /// The recorded pieces of a stream. After a stream that was cut, the connection is closed.
    pub(super) fn pieces(pieces: Vec<Vec<u8>>, cut: bool) -> Self {
        let mut pieces: VecDeque<Piece> = pieces.into_iter().map(|piece| Ok(piece.into())).collect();
        if cut {
            pieces.push_back(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Self::Pieces(pieces)
    }

    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        match self {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(Ok)),
            Self::Pieces(pieces) => Poll::Ready(pieces.pop_front()),
            Self::Incoming(receiver) => receiver.poll_recv(context),
            Self::Broken(..) => Poll::Pending,
        }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let body = self.get_mut();
        let mut piece = body.poll_piece(context);
        if let Poll::Ready(Some(Err(error))) = piece {
            *body = Self::Broken(Some(error), Box::pin(sleep(LAST_PIECE_TIME)));
            piece = Poll::Pending;
        }
        if let Self::Broken(error, time) = body {
            ready!(time.as_mut().poll(context));
            piece = Poll::Ready(error.take().map(Err));
        }
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            _ => SizeHint::default(),
        }
    }
}
