//! Forwards a request to its provider, and passes the reply on while it comes in.

use std::io;
use std::sync::{Arc, LazyLock};
use std::thread::sleep;
use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, HeaderMap, HeaderName, TE,
    TRANSFER_ENCODING, UPGRADE,
};
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use super::exchange::RecordedRequest;
use super::incoming::IncomingReply;
use super::reply_body::Piece;
use super::session::PortSession;
use crate::http::{compute_backoff, parse_retry_after};

/// The number of bytes that are read at once.
const CHUNK_BYTES: usize = 32 << 10;

/// The largest reply.
const MAX_REPLY_BYTES: usize = 64 << 20;

/// The time that a provider may be silent before its first byte.
const REPLY_TIMEOUT: Duration = Duration::from_mins(10);

/// The time limit of a connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The number of times that a request is repeated if the provider refuses it for now.
const MAX_RETRIES: u32 = 3;

/// The longest wait before that: clients give up sooner or later.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// Headers about one connection, which are not those of another. Replies are recorded as text, so they must not be packed.
const OWN_HEADERS: [HeaderName; 8] =
    [HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING, ACCEPT_ENCODING, EXPECT, TE, UPGRADE];

/// The client. Connections are not reused: a provider closes an idle one when it likes, and a request that is on its way then
/// fails, which clients would see as a failure of the provider.
static CLIENT: LazyLock<ureq::Agent> = LazyLock::new(|| {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .max_idle_connections(0)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_recv_response(Some(REPLY_TIMEOUT));
    config.build().into()
});

/// A request to a provider.
pub(super) struct ForwardedRequest {
    pub(super) method: hyper::Method,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// The beginning of a reply.
pub(super) struct ReplyHead {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
}

/// The place in its session of the reply that comes in.
pub(super) struct ReplyPlace {
    pub(super) session: Arc<PortSession>,
    pub(super) number: usize,
}

/// Sends a request, passes the reply on and keeps it. Blocks the thread. The error in `head` is for the client.
pub(super) fn forward_request(
    request: &ForwardedRequest,
    recorded: RecordedRequest,
    head: oneshot::Sender<Result<ReplyHead, String>>,
    pieces: &Sender<Piece>,
    place: &ReplyPlace,
) {
    let mut response = match send_patiently(request) {
        Ok(response) => response,
        Err(error) => {
            // The client may be gone.
            let _ = head.send(Err(error.to_string()));
            return;
        }
    };
    let status = response.status().as_u16();
    let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.map(str::to_owned);
    let mut headers = response.headers().clone();
    // Headers of the connection to the provider mean nothing on the connection to the client.
    for name in &OWN_HEADERS {
        headers.remove(name);
    }
    let incoming = IncomingReply { request: recorded, status, media_type, pieces: Vec::new() };
    place.session.incoming.begin(place.number, incoming);
    let _ = head.send(Ok(ReplyHead { status, headers }));
    // Kept before the end of the body reaches the client, which may end its run then.
    match pass_body_on(response.body_mut().as_reader(), pieces, place) {
        Ok(cut) => place.session.end_reply(place.number, cut),
        Err(error) => {
            place.session.incoming.take(place.number);
            // The reply ends for the client as it ended for the port: in the middle.
            let _ = pieces.blocking_send(Err(error));
        }
    }
}

/// Sends a request again after a 429, as the provider asks. A wait that is too long, and a fourth 429, are the client's.
fn send_patiently(request: &ForwardedRequest) -> Result<hyper::http::Response<ureq::Body>, ureq::Error> {
    let mut attempt = 1;
    loop {
        let response = send_request(request)?;
        let wait = parse_retry_after(response.headers()).unwrap_or_else(|| compute_backoff(attempt));
        // The wait that a provider asks for may be hours: then the client decides, which has its own limits.
        if response.status() != StatusCode::TOO_MANY_REQUESTS || attempt > MAX_RETRIES || wait > MAX_WAIT {
            return Ok(response);
        }
        sleep(wait);
        attempt += 1;
    }
}

fn send_request(request: &ForwardedRequest) -> Result<hyper::http::Response<ureq::Body>, ureq::Error> {
    let mut sent = hyper::http::Request::builder().method(request.method.clone()).uri(&request.url);
    for (name, value) in request.headers.iter().filter(|(name, _)| !OWN_HEADERS.contains(name)) {
        sent = sent.header(name, value);
    }
    // A compressed reply could not be recorded as readable text.
    let sent = sent.header(ACCEPT_ENCODING, "identity").body(request.body.to_vec())?;
    CLIENT.run(sent)
}

/// Reads a body to its end, or until the client has hung up. Returns whether it was the client who ended it.
fn pass_body_on(mut body: impl io::Read, pieces: &Sender<Piece>, place: &ReplyPlace) -> io::Result<bool> {
    let mut size = 0;
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let read = match body.read(&mut buffer) {
            Ok(0) => return Ok(false),
            Ok(read) if size + read <= MAX_REPLY_BYTES => read,
            Ok(_) => return Err(io::ErrorKind::FileTooLarge.into()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        size += read;
        place.session.incoming.add_piece(place.number, &buffer[..read]);
        // The client has hung up, which some do when they have seen enough. What it has seen is a whole recording of
        // that run.
        if pieces.blocking_send(Ok(Bytes::copy_from_slice(&buffer[..read]))).is_err() {
            return Ok(true);
        }
    }
}
