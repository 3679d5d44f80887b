//! A model that answers the questions which no rule can decide, once for each run of a case.
//!
//! A judge on a server needs settings alone (`judge:` in `arraign.yaml`, feature `judge`). Any other model implements
//! [`Judge`], as a closure does, and is passed to [`Harness::judge`](crate::Harness::judge). What it answers is recorded
//! and replayed.
//!
//! A check asks its [`Question`]s in [`Check::questions`](crate::Check::questions) and finds the [`Opinions`] in its
//! evidence.

// A questionnaire puts all questions of a case and their evidence into one request, and parses the reply. Text of the
// agent is data in the request and cannot act as an instruction. A pool holds the judges, the mode (replay, record,
// live, off) and the spending. A session is the judge as one trial sees it.
//
// The request depends only on the case and the run, so that its hash finds the recorded opinion.

pub(crate) mod cassette;
mod error;
mod evidence;
mod fence;
pub(crate) mod pool;
mod prompt;
pub(crate) mod questionnaire;
pub(crate) mod reply;
#[cfg(feature = "http")]
mod server;
pub(crate) mod session;
pub(crate) mod spending;
mod votes;

pub use crate::evidence::{Absent, AnswerForm, JudgeContext, Judged, Opinion, Opinions, Question};
pub(crate) use cassette::{CASSETTES, cassette_prefix};
pub use error::JudgeError;
pub(crate) use pool::{JudgeMode, JudgePool};
pub(crate) use questionnaire::{AskedQuestion, Questionnaire};
pub(crate) use session::{JudgeSession, opinions_without_judge};
pub(crate) use spending::JudgeUsage;

use crate::json::Json;
use crate::trace::Usage;

/// A model that answers questions about a run. Closures implement this trait.
pub trait Judge: Send + Sync {
    /// Returns the name of the judge: its model and settings. Recorded opinions are replayed only for a judge of the
    /// same name.
    fn name(&self) -> String;

    /// Answers the request, or returns the reason why not. The caller parses the text of the answer.
    fn ask(&self, request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError>;
}

impl<F> Judge for F
where
    F: Fn(&JudgeRequest) -> Result<JudgeAnswer, JudgeError> + Send + Sync,
{
    fn name(&self) -> String {
        "a judge of the test target".to_owned()
    }

    fn ask(&self, request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
        self(request)
    }
}

/// A request to a judge.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JudgeRequest {
    /// The instructions to the judge.
    pub system: String,
    /// The evidence, fenced by an unguessable marker, followed by the questions.
    pub user: String,
    /// The JSON Schema of the reply.
    pub schema: Json,
    /// The number of the vote, from 1.
    pub vote: u32,
}

impl JudgeRequest {
    /// The request for the first vote.
    pub fn new(system: impl Into<String>, user: impl Into<String>, schema: Json) -> Self {
        Self { system: system.into(), user: user.into(), schema, vote: 1 }
    }
}

/// The answer of a judge.
///
/// ```
/// use arraign::judge::JudgeAnswer;
///
/// let answer = JudgeAnswer::new("{\"code\": \"..\"}").cost_usd(0.002);
/// assert_eq!(answer.cost_usd, Some(0.002));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct JudgeAnswer {
    /// The text of the answer. Untrusted.
    pub text: String,
    /// The tokens used.
    pub usage: Option<Usage>,
    /// The cost in US dollars, if the judge reports it.
    pub cost_usd: Option<f64>,
}

impl JudgeAnswer {
    /// Creates an answer whose tokens and cost are unknown. A budget can then not be enforced.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), usage: None, cost_usd: None }
    }

    /// Sets the tokens used. Without a cost, the suite's prices give it.
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// Sets the cost of the answer in US dollars: 0 for a model that costs nothing.
    pub fn cost_usd(mut self, cost: f64) -> Self {
        self.cost_usd = Some(cost);
        self
    }
}

/// The page's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../../docs/judge.md")]
struct JudgePage;
