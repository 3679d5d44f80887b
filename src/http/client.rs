//! Sends requests, with retries.

use std::fmt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::attempt::{FailedAttempt, HttpAttempt};
use super::{HttpError, HttpLimits, HttpProblem, HttpRequest, HttpResponse, retry};

/// The largest time limit: longer ones overflow some clocks.
const MAX_TOTAL: Duration = Duration::from_hours(24);

/// Sends requests and reuses connections. Cheap to clone.
#[derive(Clone)]
pub struct HttpClient(ureq::Agent);

impl Default for HttpClient {
    /// Creates a client that follows no redirects: an API key goes to the host that the user names, and nowhere else.
    fn default() -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("arraign/", env!("CARGO_PKG_VERSION")));
        Self(config.build().into())
    }
}

/// Shows nothing of the inner agent, which contains the password of a proxy.
impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

impl HttpClient {
    /// Sends `request` until there is a response, a retry is useless, or the limits are reached. Blocks the thread.
    pub fn send_request(
        &self,
        request: &HttpRequest,
        limits: &HttpLimits,
    ) -> Result<HttpResponse, HttpError> {
        let mut sending = RetryLoop { client: self, request, limits, since: Instant::now(), attempts: 0 };
        sending.send_until_answered().map_err(|problem| HttpError {
            method: request.method,
            url: request.shown_url(),
            problem,
            attempts: sending.attempts,
        })
    }
}

/// A request with the state of its retries.
struct RetryLoop<'s> {
    client: &'s HttpClient,
    request: &'s HttpRequest,
    limits: &'s HttpLimits,
    since: Instant,
    attempts: u32,
}

impl RetryLoop<'_> {
    /// Repeats the request until one of four things happens: a response; the end of the time, whose error names the problem
    /// of the attempt before; a problem that a retry does not solve, or no retry left; a wait that would exceed the time.
    fn send_until_answered(&mut self) -> Result<HttpResponse, HttpProblem> {
        let mut last = None;
        loop {
            self.attempts += 1;
            let FailedAttempt { problem, retry_after } = match self.send_once() {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };
            // The time is over in the middle of this attempt. The problem of the attempt before says more than that.
            if let HttpProblem::OutOfTime { limit, .. } = problem {
                return Err(HttpProblem::OutOfTime { limit, last });
            }
            if self.attempts > self.limits.retries || !problem.is_passing() {
                return Err(problem);
            }
            let wait = retry_after.unwrap_or_else(|| retry::compute_backoff(self.attempts));
            // Giving up now is better than sleeping until the time is over.
            if wait >= self.time_left() {
                return Err(self.give_up(problem, retry_after));
            }
            sleep(wait);
            last = Some(Box::new(problem));
        }
    }

    fn time_left(&self) -> Duration {
        self.limits.total.min(MAX_TOTAL).saturating_sub(self.since.elapsed())
    }

    /// Returns the problem if the next wait exceeds the remaining time.
    fn give_up(&self, problem: HttpProblem, retry_after: Option<Duration>) -> HttpProblem {
        let last = Box::new(problem);
        match retry_after {
            Some(wait) => HttpProblem::Postponed { wait, last },
            None => HttpProblem::OutOfTime { limit: self.limits.total, last: Some(last) },
        }
    }

    fn send_once(&self) -> Result<HttpResponse, FailedAttempt> {
        let Self { client: HttpClient(agent), request, limits, attempts, .. } = *self;
        HttpAttempt { agent, request, limits, left: self.time_left(), number: attempts }.send()
    }
}
