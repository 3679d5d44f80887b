//! The reasons why a request has no response.

use std::time::Duration;

/// A failed request.
#[derive(Debug, thiserror::Error)]
#[error("{method} {url}: {problem}{}", render_attempts(*.attempts))]
pub struct HttpError {
    /// The method.
    pub method: &'static str,
    /// The URL without parts that may contain a key.
    pub url: String,
    /// The problem of the last attempt.
    pub problem: HttpProblem,
    /// The number of attempts.
    pub attempts: u32,
}

/// The problem of a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpProblem {
    /// The request cannot be sent.
    #[error("invalid request: {0}")]
    Invalid(String),
    /// No connection to the server.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The certificate or the TLS handshake failed.
    #[error("no secure connection: {0}")]
    Insecure(String),
    /// The connection ended before the response did.
    #[error("the connection broke: {0}")]
    Lost(String),
    /// The time limit passed.
    #[error("no complete answer within {limit:?}{}", render_earlier(.last.as_deref()))]
    OutOfTime {
        /// The time limit.
        limit: Duration,
        /// The problem of the attempt before, if there was one.
        last: Option<Box<HttpProblem>>,
    },
    /// The server asks for a wait that exceeds the time limit.
    #[error("{last}; it asks to wait {wait:?}, which exceeds the remaining time")]
    Postponed {
        /// The wait that the server asks for.
        wait: Duration,
        /// The problem that the server reported.
        last: Box<HttpProblem>,
    },
    /// The response exceeds the size limit.
    #[error("the answer has more than {0} bytes")]
    TooLong(usize),
    /// The response is a redirect. Redirects are not followed, so that keys stay with the named host.
    #[error("it answered {status}, a redirect to {to}: redirects are not followed; use that URL")]
    Redirect {
        /// The number.
        status: u16,
        /// The target, without parts that may contain a key.
        to: String,
    },
    /// The response has an error status.
    #[error("it answered {}{}", render_status(*.status), render_body(.body))]
    Status {
        /// The number.
        status: u16,
        /// The beginning of the body, on one line.
        body: String,
    },
    /// The response is not UTF-8.
    #[error("the answer is not UTF-8: invalid byte {0}")]
    NotText(usize),
    /// The response is not JSON.
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
}

impl HttpProblem {
    /// Whether a retry may help.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Lost(_) => true,
            // 501 (not implemented) is the one server error that stays.
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500 | 502..=599),
            _ => false,
        }
    }
}

fn render_attempts(attempts: u32) -> String {
    if attempts > 1 { format!(" (asked {attempts} times)") } else { String::new() }
}

fn render_earlier(last: Option<&HttpProblem>) -> String {
    last.map_or_else(String::new, |last| format!("; before that, {last}"))
}

fn render_body(body: &str) -> String {
    if body.is_empty() { String::new() } else { format!(": {body}") }
}

fn render_status(number: u16) -> String {
    let known = ureq::http::StatusCode::from_u16(number).ok().and_then(|status| status.canonical_reason());
    known.map_or_else(|| number.to_string(), |reason| format!("{number} {reason}"))
}
