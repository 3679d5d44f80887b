//! The body of a reply: a text, recorded pieces, or pieces that are still coming in.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::sync::mpsc::Receiver;

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
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let piece = match self.get_mut() {
            Self::Whole(bytes) => bytes.take().map(Ok),
            Self::Pieces(pieces) => pieces.pop_front(),
            Self::Incoming(receiver) => match receiver.poll_recv(context) {
                Poll::Ready(piece) => piece,
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Pieces(_) | Self::Incoming(_) => SizeHint::default(),
        }
    }
}
