//! Why a request has no answer.

use std::time::Duration;

/// A request that has no answer.
#[derive(Debug, thiserror::Error)]
#[error("{method} {url}: {problem}{}", render_attempts(*.attempts))]
pub struct HttpError {
    /// What it was.
    pub method: &'static str,
    /// Whom it asked, without what may be a key.
    pub url: String,
    /// What happened at last.
    pub problem: HttpProblem,
    /// How often it was asked.
    pub attempts: u32,
}

/// What happened to a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpProblem {
    /// It cannot be sent as it is.
    #[error("this is no request that can be sent: {0}")]
    Invalid(String),
    /// There is nobody there.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The other side is not who it says.
    #[error("no secure connection: {0}")]
    Insecure(String),
    /// The connection ended too early.
    #[error("the connection broke: {0}")]
    Lost(String),
    /// It took too long.
    #[error("no whole answer within {limit:?}{}", render_earlier(.last.as_deref()))]
    OutOfTime {
        /// The limit.
        limit: Duration,
        /// What had happened before, where it was asked more than once.
        last: Option<Box<HttpProblem>>,
    },
    /// It would take too long.
    #[error("{last}; it asks for {wait:?} of patience, and there is less left")]
    Postponed {
        /// How long it asks to be left alone.
        wait: Duration,
        /// Its answer.
        last: Box<HttpProblem>,
    },
    /// The answer is without end.
    #[error("the answer has more than {0} bytes")]
    TooLong(usize),
    /// The answer stands elsewhere: keys do not go there.
    #[error("it answered {status}, a redirect to {to}: redirects are not followed, so ask there")]
    Redirect {
        /// The number.
        status: u16,
        /// Where to, without what may be a key.
        to: String,
    },
    /// It says no.
    #[error("it answered {}{}", render_status(*.status), render_body(.body))]
    Status {
        /// The number.
        status: u16,
        /// The beginning of what it says, in one line.
        body: String,
    },
    /// The answer is no text.
    #[error("the answer is not UTF-8: byte {0} begins no character")]
    NotText(usize),
    /// The answer is no JSON.
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
}

impl HttpProblem {
    /// Whether asking again may help.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Lost(_) => true,
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
