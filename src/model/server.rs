//! The requests of an agent to its model: each is answered from the cassette, forwarded or refused.

use std::sync::Arc;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, UPGRADE};
use hyper::{Request, Response, StatusCode};
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

use super::exchange::{RecordedReply, RecordedRequest};
use super::forward::{ForwardedRequest, ReplyHead, ReplyPlace, forward_request};
use super::provider::Provider;
use super::reply_body::ReplyBody;
use super::session::{PortAnswer, PortMode, PortOutcome, PortSession, SessionPlan};
use crate::port::{LoopbackPort, PathService, PortFuture, PortPath};

/// The largest request.
const MAX_REQUEST_BYTES: usize = 64 << 20;

/// The number of pieces of a reply that wait for a slow client.
const WAITING_PIECES: usize = 64;

/// Headers with keys.
const KEY_HEADERS: [&str; 4] = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/// The path of one run. It is closed when this is dropped.
pub struct PortLease {
    path: PortPath,
    session: Arc<PortSession>,
}

impl PortLease {
    /// Opens a path for one run of an agent.
    pub fn open_lease(port: &LoopbackPort, plan: SessionPlan) -> Self {
        let session = Arc::new(PortSession::new(plan));
        Self { path: port.open_path(Arc::clone(&session) as _), session }
    }

    /// Returns the address of the run's path.
    pub fn url(&self) -> String {
        self.path.url()
    }

    /// Returns the address in place of a provider's: its path is that of the upstream. `None` without an upstream.
    pub fn provider_url(&self, provider: Provider) -> Option<String> {
        let upstream = self.session.plan.upstreams.get(&provider)?;
        let (_, path) = split_origin(upstream);
        Some(format!("{}/{}{path}", self.url(), provider.name()))
    }

    /// Whether nothing is sent to a provider.
    pub fn replays(&self) -> bool {
        self.session.plan.mode == PortMode::Replay
    }

    /// Closes the path, and returns what was exchanged.
    pub fn close(self) -> PortOutcome {
        self.session.finish()
    }
}

impl PathService for PortSession {
    fn serve_request(self: Arc<Self>, request: Request<Incoming>) -> PortFuture {
        Box::pin(async move { answer_request(request, self).await.map(BodyExt::boxed) })
    }
}

/// Splits an address into its origin and its path.
fn split_origin(url: &str) -> (&str, &str) {
    let authority = url.find("://").map_or(0, |at| at + "://".len());
    let path = url[authority..].find('/').map_or(url.len(), |at| authority + at);
    url.split_at(path)
}

async fn answer_request(request: Request<Incoming>, session: Arc<PortSession>) -> Response<ReplyBody> {
    let (parts, body) = request.into_parts();
    let mut steps = parts.uri.path().splitn(4, '/').skip(2);
    let Some(provider) = steps.next().and_then(Provider::find_by_name) else {
        return refuse(Provider::OpenAi, 404, "this is not the path of a run that arraign has started");
    };
    // A connection that leaves HTTP cannot be recorded.
    if parts.headers.contains_key(UPGRADE) {
        return refuse(provider, 400, "the model port does not support WebSocket connections");
    }
    let Some(upstream) = session.plan.upstreams.get(&provider) else {
        return refuse(provider, 400, "the address of this provider is not known: set `upstream`");
    };
    // A cassette holds the path below the upstream's, so that another upstream replays it, too.
    let (origin, prefix) = split_origin(upstream);
    let asked = format!("/{}", steps.next().unwrap_or_default());
    let (base, path) = match asked.strip_prefix(prefix).filter(|path| path.starts_with('/')) {
        Some(path) => (upstream.as_str(), path),
        None => (origin, asked.as_str()),
    };
    let path = provider.complete_path(path);
    let Ok(body) = Limited::new(body, MAX_REQUEST_BYTES).collect().await else {
        return refuse(provider, 413, "the request is too large or incomplete");
    };
    // Keys are masked in the recording, also where the request repeats them in its body.
    for header in KEY_HEADERS.iter().filter_map(|name| parts.headers.get(*name)?.to_str().ok()) {
        session.note_key(header.trim_start_matches("Bearer ").trim());
    }
    let body = body.to_bytes();
    let query = parts.uri.query();
    let recorded = RecordedRequest::new(provider.name(), parts.method.as_str(), &path, query, &body);
    match session.answer(&recorded) {
        PortAnswer::Recorded(exchange) => replay_reply(&exchange.response),
        PortAnswer::Refused(message) => refuse(provider, 400, &message),
        PortAnswer::Forward(number) => {
            let query = query.map(|query| format!("?{query}")).unwrap_or_default();
            let url = format!("{base}{path}{query}");
            let sent = ForwardedRequest { method: parts.method, url, headers: parts.headers, body };
            forward(Arc::clone(&session), provider, number, recorded, sent).await
        }
    }
}

/// Forwards a request on a thread of its own, and returns the reply while it comes in.
async fn forward(
    session: Arc<PortSession>,
    provider: Provider,
    number: usize,
    recorded: RecordedRequest,
    sent: ForwardedRequest,
) -> Response<ReplyBody> {
    // The query may contain a key.
    let target = format!("{} {}", sent.method, sent.url.split('?').next().unwrap_or_default());
    let noted = Arc::clone(&session);
    let (head, waiting) = oneshot::channel();
    let (pieces, incoming) = mpsc::channel(WAITING_PIECES);
    let place = ReplyPlace { session, number };
    spawn_blocking(move || forward_request(&sent, recorded, head, &pieces, &place));
    match waiting.await.unwrap_or_else(|_| Err("the connection was closed".to_owned())) {
        Ok(ReplyHead { status, headers }) => {
            if status >= 400 {
                noted.note_failure(format!("{target}: the provider answered {status}"));
            }
            build_reply(status, headers, ReplyBody::Incoming(incoming))
        }
        Err(problem) => {
            let problem = format!("the provider gave no reply: {problem}");
            noted.note_failure(format!("{target}: {problem}"));
            refuse(provider, 502, &problem)
        }
    }
}

fn replay_reply(reply: &RecordedReply) -> Response<ReplyBody> {
    let mut headers = HeaderMap::new();
    if let Some(value) = reply.media_type.as_ref().and_then(|name| HeaderValue::from_str(name).ok()) {
        headers.insert(CONTENT_TYPE, value);
    }
    let body = match &reply.chunks {
        Some(_) => ReplyBody::pieces(reply.pieces(), reply.cut),
        None => ReplyBody::whole(Bytes::from(reply.pieces().concat())),
    };
    build_reply(reply.status, headers, body)
}

/// Refuses a request in the provider's own form. Clients repeat a 409, 429 or 5xx, and would hide it.
fn refuse(provider: Provider, status: u16, message: &str) -> Response<ReplyBody> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("x-should-retry", HeaderValue::from_static("false"));
    let body = provider.render_error(status, &format!("arraign: {message}")).to_string();
    build_reply(status, headers, ReplyBody::whole(body))
}

fn build_reply(status: u16, headers: HeaderMap, body: ReplyBody) -> Response<ReplyBody> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    *response.headers_mut() = headers;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_an_origin_and_a_path() {
        assert_eq!(split_origin("https://api.openai.com/v1"), ("https://api.openai.com", "/v1"));
        assert_eq!(split_origin("http://127.0.0.1:1234"), ("http://127.0.0.1:1234", ""));
    }
}
