//! Sends requests, again where that helps.

use std::fmt;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::attempt::{Attempt, Failed};
use super::{HttpError, HttpProblem, Limits, Request, Response, retry};

/// Longer limits are none: no clock counts further.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Sends requests and keeps connections for the next. Cheap to clone.
#[derive(Clone)]
pub struct Client(ureq::Agent);

impl Default for Client {
    /// A client that follows no redirect: a key goes where the user says, and nowhere else.
    fn default() -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("arraign/", env!("CARGO_PKG_VERSION")));
        Self(config.build().into())
    }
}

/// What is inside holds the proxy, and so its password.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

impl Client {
    /// Sends `request` until there is an answer, it cannot be had, or its limits are reached. Blocks.
    pub fn send(&self, request: &Request, limits: &Limits) -> Result<Response, HttpError> {
        let mut sending = Sending { client: self, request, limits, since: Instant::now(), attempts: 0 };
        sending.until_answered().map_err(|problem| HttpError {
            method: request.method,
            url: request.shown_url(),
            problem,
            attempts: sending.attempts,
        })
    }
}

/// A request on its way.
struct Sending<'s> {
    client: &'s Client,
    request: &'s Request,
    limits: &'s Limits,
    since: Instant,
    attempts: u32,
}

impl Sending<'_> {
    fn until_answered(&mut self) -> Result<Response, HttpProblem> {
        let mut last = None;
        loop {
            self.attempts += 1;
            let Failed { problem, wish } = match self.attempt() {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };
            if let HttpProblem::OutOfTime { limit, .. } = problem {
                return Err(HttpProblem::OutOfTime { limit, last });
            }
            if self.attempts > self.limits.retries || !problem.is_passing() {
                return Err(problem);
            }
            let wait = wish.unwrap_or_else(|| retry::backoff(self.attempts));
            if wait >= self.left() {
                return Err(self.given_up(problem, wish));
            }
            sleep(wait);
            last = Some(Box::new(problem));
        }
    }

    fn left(&self) -> Duration {
        self.limits.total.min(LONGEST).saturating_sub(self.since.elapsed())
    }

    /// There is no time for the wait that should come now.
    fn given_up(&self, problem: HttpProblem, wish: Option<Duration>) -> HttpProblem {
        let last = Box::new(problem);
        match wish {
            Some(wait) => HttpProblem::Postponed { wait, last },
            None => HttpProblem::OutOfTime { limit: self.limits.total, last: Some(last) },
        }
    }

    fn attempt(&self) -> Result<Response, Failed> {
        let Self { client: Client(agent), request, limits, attempts, .. } = *self;
        Attempt { agent, request, limits, left: self.left(), number: attempts }.answer()
    }
}
