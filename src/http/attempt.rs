//! One attempt at a request: builds the request, sends it, and classifies the response.

use std::fmt;
use std::io::Read as _;
use std::time::{Duration, Instant};

use ureq::http::{self, header, response::Parts};
use ureq::{AsSendBody, Body, Timeout};

use super::{HttpLimits, HttpProblem, HttpRequest, HttpResponse, conceal, retry};
use crate::outcome::truncate_text;

/// The number of bytes that are read from the body of an error response.
const MAX_BODY_BYTES: u64 = 64 << 10;

/// The largest length of that body in an error message, in characters.
const MAX_SHOWN_CHARS: usize = 400;

/// One attempt at a request.
pub(super) struct HttpAttempt<'s> {
    pub(super) agent: &'s ureq::Agent,
    pub(super) request: &'s HttpRequest,
    pub(super) limits: &'s HttpLimits,
    /// The remaining time.
    pub(super) left: Duration,
    /// The number of the attempt, from 1.
    pub(super) number: u32,
}

/// The problem of an attempt, and the wait that the server asks for.
pub(super) struct FailedAttempt {
    pub(super) problem: HttpProblem,
    pub(super) retry_after: Option<Duration>,
}

impl From<HttpProblem> for FailedAttempt {
    fn from(problem: HttpProblem) -> Self {
        Self { problem, retry_after: None }
    }
}

impl HttpAttempt<'_> {
    /// Sends the request, and reads the response to its end.
    pub(super) fn send(&self) -> Result<HttpResponse, FailedAttempt> {
        // Earlier attempts may have used up the time.
        if self.left.is_zero() {
            return Err(self.out_of_time().into());
        }
        let since = Instant::now();
        let answer = match self.request.body() {
            Some(body) => self.run_request(self.build_request(body.to_string())?),
            None => self.run_request(self.build_request(())?),
        };
        let (head, body) = answer.map_err(|error| self.classify_error(error, since))?.into_parts();
        if head.status.is_success() {
            return Ok(self.read_response(&head, body, since)?);
        }
        Err(FailedAttempt {
            retry_after: retry::parse_retry_after(&head.headers),
            problem: self.read_refusal(&head, body),
        })
    }

    fn run_request<B: AsSendBody>(
        &self,
        request: http::Request<B>,
    ) -> Result<http::Response<Body>, ureq::Error> {
        let request = self.agent.configure_request(request).timeout_global(Some(self.left));
        self.agent.run(request.timeout_connect(Some(self.limits.connect)).build())
    }

    fn build_request<B>(&self, body: B) -> Result<http::Request<B>, HttpProblem> {
        let HttpRequest { method, url, headers, .. } = self.request;
        let mut request = http::Request::builder().method(*method).uri(url);
        // The user's own header wins.
        if self.request.body.is_some() && headers.iter().all(|(name, _)| name != "content-type") {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            let Ok(value) = header::HeaderValue::from_str(value) else {
                let problem = format!("the header `{name}` contains invalid characters");
                return Err(HttpProblem::Invalid(problem));
            };
            request = request.header(name, value);
        }
        request.body(body).map_err(|error| HttpProblem::Invalid(error.to_string()))
    }

    fn read_response(
        &self,
        head: &Parts,
        mut body: Body,
        since: Instant,
    ) -> Result<HttpResponse, HttpProblem> {
        let mut bytes = Vec::new();
        let limit = self.limits.response_bytes;
        // One byte more than the limit tells a body of exactly the limit from a longer one.
        let one_more = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let read = body.as_reader().take(one_more).read_to_end(&mut bytes);
        if bytes.len() > limit {
            return Err(HttpProblem::TooLong(limit));
        }
        read.map_err(|error| self.classify_error(error.into(), since))?;
        let text = String::from_utf8(bytes);
        let body = text.map_err(|error| HttpProblem::NotText(error.utf8_error().valid_up_to()))?;
        let media_type =
            retry::header_text(&head.headers, "content-type").and_then(|text| text.split(';').next());
        let media_type = media_type.map(|text| text.trim().to_ascii_lowercase());
        Ok(HttpResponse { status: head.status.as_u16(), media_type, body, attempts: self.number })
    }

    /// Converts a response other than 2xx to a problem.
    fn read_refusal(&self, head: &Parts, mut body: Body) -> HttpProblem {
        let status = head.status.as_u16();
        if head.status.is_redirection() {
            let to = retry::header_text(&head.headers, "location").unwrap_or_default();
            return HttpProblem::Redirect {
                status,
                to: self.request.secrets.mask_text(conceal::strip_url(to)),
            };
        }
        let mut bytes = Vec::new();
        // If the connection breaks, the part that arrived is shown.
        let _ = body.as_reader().take(MAX_BODY_BYTES).read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        HttpProblem::Status { status, body: truncate_to_line(&self.request.secrets.mask_text(text)) }
    }

    fn out_of_time(&self) -> HttpProblem {
        HttpProblem::OutOfTime { limit: self.limits.total, last: None }
    }

    fn classify_error(&self, error: ureq::Error, since: Instant) -> HttpProblem {
        use ureq::Error;

        match error {
            // The whole time was not over yet, so it was the limit on the connection that passed.
            Error::Timeout(Timeout::Connect | Timeout::Resolve) if since.elapsed() < self.left => {
                HttpProblem::Unreachable(format!("timed out after {:?}", self.limits.connect))
            }
            Error::Timeout(_) => self.out_of_time(),
            Error::HostNotFound => HttpProblem::Unreachable("no such host".to_owned()),
            Error::Io(error) => classify_io_error(&error, self.mask_error(&error)),
            Error::ConnectionFailed | Error::ConnectProxyFailed(_) | Error::InvalidProxyUrl => {
                HttpProblem::Unreachable(self.mask_error(&error))
            }
            Error::Tls(_) | Error::Rustls(_) | Error::TlsRequired => {
                HttpProblem::Insecure(self.mask_error(&error))
            }
            // The library's message contains the whole URL, and so its secrets.
            Error::BadUri(_) => HttpProblem::Invalid("the URL has no host".to_owned()),
            Error::Http(error) => HttpProblem::Invalid(self.mask_error(&error)),
            other => HttpProblem::Lost(self.mask_error(&other)),
        }
    }

    fn mask_error(&self, error: &dyn fmt::Display) -> String {
        self.request.secrets.mask_text(error.to_string())
    }
}

fn classify_io_error(error: &std::io::Error, shown: String) -> HttpProblem {
    use std::io::ErrorKind;

    match error.kind() {
        ErrorKind::ConnectionRefused => HttpProblem::Unreachable("connection refused".to_owned()),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::AddrNotAvailable => {
            HttpProblem::Unreachable(shown)
        }
        ErrorKind::UnexpectedEof => HttpProblem::Lost("it ended before the end of the answer".to_owned()),
        _ => HttpProblem::Lost(shown),
    }
}

/// Joins the words of a text on one line without control characters, and cuts it.
fn truncate_to_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    truncate_text(&line, MAX_SHOWN_CHARS)
}
