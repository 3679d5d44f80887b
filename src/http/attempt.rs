//! One attempt at a request: what is sent, and what its answer means.

use std::fmt;
use std::io::Read as _;
use std::time::{Duration, Instant};

use ureq::http::{self, HeaderMap, header, response::Parts};
use ureq::{AsSendBody, Body, Timeout};

use super::{HttpProblem, Limits, Request, Response, conceal, retry};

/// How much of a refusal's body is read.
const READ: u64 = 64 << 10;

/// How much of it is shown, in characters.
const SHOWN: usize = 400;

/// One attempt.
pub(super) struct Attempt<'s> {
    pub(super) agent: &'s ureq::Agent,
    pub(super) request: &'s Request,
    pub(super) limits: &'s Limits,
    /// The time that is left.
    pub(super) left: Duration,
    /// Which one it is, from 1.
    pub(super) number: u32,
}

/// What came of it, and how long the server then wishes to be left alone.
pub(super) struct Failed {
    pub(super) problem: HttpProblem,
    pub(super) wish: Option<Duration>,
}

impl From<HttpProblem> for Failed {
    fn from(problem: HttpProblem) -> Self {
        Self { problem, wish: None }
    }
}

impl Attempt<'_> {
    /// Asks, and reads the answer to its end.
    pub(super) fn answer(&self) -> Result<Response, Failed> {
        if self.left.is_zero() {
            return Err(self.out_of_time().into());
        }
        let since = Instant::now();
        let answer = match self.request.body() {
            Some(body) => self.run(self.built(body.to_string())?),
            None => self.run(self.built(())?),
        };
        let (head, body) = answer.map_err(|error| self.problem(error, since))?.into_parts();
        if head.status.is_success() {
            return Ok(self.accepted(&head, body, since)?);
        }
        Err(Failed { wish: retry::wished(&head.headers), problem: self.refused(&head, body) })
    }

    fn run<B: AsSendBody>(&self, request: http::Request<B>) -> Result<http::Response<Body>, ureq::Error> {
        let request = self.agent.configure_request(request).timeout_global(Some(self.left));
        self.agent.run(request.timeout_connect(Some(self.limits.connect)).build())
    }

    fn built<B>(&self, body: B) -> Result<http::Request<B>, HttpProblem> {
        let Request { method, url, headers, .. } = self.request;
        let mut request = http::Request::builder().method(*method).uri(url);
        if self.request.body.is_some() && headers.iter().all(|(name, _)| name != "content-type") {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            let Ok(value) = header::HeaderValue::from_str(value) else {
                let problem = format!("the header `{name}` has characters that none may have");
                return Err(HttpProblem::Invalid(problem));
            };
            request = request.header(name, value);
        }
        request.body(body).map_err(|error| HttpProblem::Invalid(error.to_string()))
    }

    fn accepted(&self, head: &Parts, mut body: Body, since: Instant) -> Result<Response, HttpProblem> {
        let (mut bytes, limit) = (Vec::new(), self.limits.response_bytes);
        let one_more = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let read = body.as_reader().take(one_more).read_to_end(&mut bytes);
        if bytes.len() > limit {
            return Err(HttpProblem::TooLong(limit));
        }
        read.map_err(|error| self.problem(error.into(), since))?;
        let text = String::from_utf8(bytes);
        let body = text.map_err(|error| HttpProblem::NotText(error.utf8_error().valid_up_to()))?;
        let media_type = said(&head.headers, &header::CONTENT_TYPE).and_then(|text| text.split(';').next());
        let media_type = media_type.map(|text| text.trim().to_ascii_lowercase());
        Ok(Response { status: head.status.as_u16(), media_type, body, attempts: self.number })
    }

    /// What an answer says that is not 2xx.
    fn refused(&self, head: &Parts, mut body: Body) -> HttpProblem {
        let status = head.status.as_u16();
        if head.status.is_redirection() {
            let to = said(&head.headers, &header::LOCATION).unwrap_or_default();
            return HttpProblem::Redirect { status, to: self.request.secrets.hidden(conceal::plain_url(to)) };
        }
        let mut bytes = Vec::new();
        // What came before a break is shown as well.
        let _ = body.as_reader().take(READ).read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        HttpProblem::Status { status, body: one_line(&self.request.secrets.hidden(text)) }
    }

    fn out_of_time(&self) -> HttpProblem {
        HttpProblem::OutOfTime { limit: self.limits.total, last: None }
    }

    fn problem(&self, error: ureq::Error, since: Instant) -> HttpProblem {
        use ureq::Error;

        let shown = |error: &dyn fmt::Display| self.request.secrets.hidden(error.to_string());
        match error {
            Error::Timeout(Timeout::Connect | Timeout::Resolve) if since.elapsed() < self.left => {
                HttpProblem::Unreachable(format!("none within {:?}", self.limits.connect))
            }
            Error::Timeout(_) => self.out_of_time(),
            Error::HostNotFound => HttpProblem::Unreachable("there is no such host".to_owned()),
            Error::Io(error) => lost(&error, shown(&error)),
            Error::ConnectionFailed | Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => {
                HttpProblem::Unreachable(shown(&error))
            }
            Error::Tls(_) | Error::Rustls(_) | Error::TlsRequired => HttpProblem::Insecure(shown(&error)),
            // The library's text would show the whole URL.
            Error::BadUri(_) => HttpProblem::Invalid("its URL names no host".to_owned()),
            Error::Http(error) => HttpProblem::Invalid(shown(&error)),
            other => HttpProblem::Lost(shown(&other)),
        }
    }
}

fn lost(error: &std::io::Error, shown: String) -> HttpProblem {
    use std::io::ErrorKind;

    match error.kind() {
        ErrorKind::ConnectionRefused => HttpProblem::Unreachable("connection refused".to_owned()),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::AddrNotAvailable => {
            HttpProblem::Unreachable(shown)
        }
        ErrorKind::UnexpectedEof => HttpProblem::Lost("it ended before the answer was whole".to_owned()),
        _ => HttpProblem::Lost(shown),
    }
}

fn said<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The beginning of a text, without what would break a line.
fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
