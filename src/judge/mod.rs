//! A model that answers the questions which no rule can decide, once for each run of a case.
//!
//! A judge on a server needs settings alone (`judge:` in `arraign.yaml`, feature `judge`). Any other model implements
//! [`Judge`], as a closure does, and is passed to [`Harness::judge`](crate::Harness::judge). What it answers is recorded
//! and replayed.
//!
//! A check asks its [`Question`]s in [`Check::questions`](crate::Check::questions) and finds the [`Opinions`] in its
//! evidence.

// A questionnaire puts all questions of a case and what they are about into one request, and reads the answer; what the
// agent wrote is data in it, and stays data. A panel knows who is asked, whether what was recorded is replayed instead,
// and what has been spent. A hearing is what one trial may ask of it.
//
// The request is built without a look at the world, so that it can be hashed: the hash finds the recorded opinion.

pub(crate) mod agreement;
pub(crate) mod calibration;
pub(crate) mod cassette;
mod error;
mod evidence;
pub(crate) mod hearing;
pub(crate) mod panel;
pub(crate) mod questionnaire;
pub(crate) mod reply;
mod seal;
#[cfg(feature = "judge")]
mod server;
pub(crate) mod spending;
mod votes;
mod words;

pub use crate::evidence::{Absent, AnswerForm, JudgeContext, Judged, Opinion, Opinions, Question};
pub(crate) use calibration::{Calibration, Example};
pub(crate) use cassette::{CASSETTES, cassettes_of};
pub use error::JudgeError;
pub(crate) use hearing::{Hearing, unheard};
pub(crate) use panel::{Mode, Panel};
pub(crate) use questionnaire::{Asked, Questionnaire};
pub(crate) use spending::Spent;

use serde_json::Value;

use crate::trace::Usage;

/// Somebody who can be asked. A closure is one, too.
pub trait Judge: Send + Sync {
    /// Whose opinions these are: a model and its settings. What was recorded of a judge is replayed for one of the
    /// same name only.
    fn name(&self) -> String;

    /// Answers, or says why not. The text of the answer is read by the one who asks.
    fn ask(&self, request: &JudgeRequest) -> Result<Answer, JudgeError>;
}

impl<F> Judge for F
where
    F: Fn(&JudgeRequest) -> Result<Answer, JudgeError> + Send + Sync,
{
    fn name(&self) -> String {
        "a judge of the test target".to_owned()
    }

    fn ask(&self, request: &JudgeRequest) -> Result<Answer, JudgeError> {
        self(request)
    }
}

/// What a judge is sent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JudgeRequest {
    /// What a judge is told of its work.
    pub system: String,
    /// The evidence, between two lines that nobody could have known who wrote it; then the questions.
    pub user: String,
    /// The form of the answer, as a JSON Schema.
    pub schema: Value,
    /// Which vote it is, from 1.
    pub vote: u32,
}

impl JudgeRequest {
    /// The request for the first vote.
    pub fn new(system: impl Into<String>, user: impl Into<String>, schema: Value) -> Self {
        Self { system: system.into(), user: user.into(), schema, vote: 1 }
    }
}

/// What a judge sent back.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// Its words. Untrusted.
    pub text: String,
    /// The tokens that it took.
    pub usage: Option<Usage>,
    /// What it cost in US dollars, where the judge knows.
    pub cost_usd: Option<f64>,
}

impl Answer {
    /// An answer that cost nothing.
    pub fn free(text: impl Into<String>) -> Self {
        Self { text: text.into(), usage: None, cost_usd: Some(0.0) }
    }

    /// Sets what the answer cost, in US dollars.
    pub fn cost_usd(mut self, cost: f64) -> Self {
        self.cost_usd = Some(cost);
        self
    }
}

/// The page's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../../docs/judge.md")]
struct Page;
