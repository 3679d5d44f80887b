//! What a check may look at: what the agent did, what it was asked, and what a judge thinks of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::outcome::Unfit;
use crate::trace::Trace;

/// One run of an agent, as evidence. Checks are pure functions of it.
#[derive(Debug, Clone)]
pub struct Evidence<'t> {
    /// What the agent did.
    pub trace: Cow<'t, Trace>,
    /// What the case says the agent was asked; the trace may tell as well ([`Trace::input`]).
    pub input: Option<Cow<'t, str>>,
    /// What a judge thinks of the run.
    pub opinions: Cow<'t, Opinions>,
}

impl<'t> Evidence<'t> {
    /// A trace as evidence.
    pub fn of(trace: &'t Trace) -> Self {
        Self { trace: Cow::Borrowed(trace), input: None, opinions: Cow::Owned(Opinions::default()) }
    }

    /// Adds what the agent was asked.
    pub fn asked(mut self, input: Option<&'t str>) -> Self {
        self.input = input.map(Cow::Borrowed);
        self
    }

    /// Adds what a judge thinks.
    pub fn judged(mut self, opinions: &'t Opinions) -> Self {
        self.opinions = Cow::Borrowed(opinions);
        self
    }
}

impl From<Trace> for Evidence<'static> {
    fn from(trace: Trace) -> Self {
        Self { trace: Cow::Owned(trace), input: None, opinions: Cow::Owned(Opinions::default()) }
    }
}

/// What a judge is asked about a run. Its answer is the opinion of the same label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it is called; one label, one question.
    pub label: String,
    /// What the judge is to decide.
    pub prompt: String,
    /// The form of the answer.
    pub answer: AnswerForm,
    /// What the judge sees beside the final answer.
    pub context: JudgeContext,
}

/// The form of a judge's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// Whether the run passes.
    PassOrFail,
    /// A score between 0 and 100.
    Score,
}

/// What a judge sees beside the final answer. Nothing unless asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JudgeContext {
    /// What the agent was asked.
    pub include_prompt: bool,
    /// The names of the called tools, in order.
    pub include_tool_sequence: bool,
    /// The arguments of the calls.
    pub include_tool_inputs: bool,
}

/// What a judge thinks of a run, by label.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Opinions {
    given: BTreeMap<String, Opinion>,
    judge: bool,
}

/// One opinion.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// What the judge decided.
    pub judged: Judged,
    /// Why, in its own words. Untrusted text.
    pub reason: Option<String>,
}

/// What a judge decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Judged {
    /// The run passes.
    Pass,
    /// The run fails.
    Fail,
    /// How good it is, between 0 and 100.
    Score(f64),
}

impl Opinions {
    /// Adds the opinion called `label`.
    pub fn insert(&mut self, label: impl Into<String>, opinion: Opinion) {
        self.given.insert(label.into(), opinion);
    }

    /// All opinions, by label.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Opinion)> {
        self.given.iter().map(|(label, opinion)| (label.as_str(), opinion))
    }

    /// Whether nobody has said anything.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Whether a judge is configured: what it has not said is then missing, and nothing else stands in for it.
    pub fn has_judge(&self) -> bool {
        self.judge
    }

    /// Whether anybody has an opinion called `label`.
    pub fn get(&self, label: &str) -> Option<&Opinion> {
        self.given.get(label)
    }

    /// The opinion called `label`; without one the check cannot answer.
    pub fn of(&self, label: &str) -> Result<&Opinion, Unfit> {
        self.get(label).ok_or_else(|| {
            Unfit::missing(format!("there is no opinion on `{label}`")).help(format!(
                "no judge is configured; give its opinion in the case: `opinions: {{{label}: ..}}`"
            ))
        })
    }
}

impl From<Opinions> for Evidence<'static> {
    fn from(opinions: Opinions) -> Self {
        Self { opinions: Cow::Owned(opinions), ..Trace::default().into() }
    }
}
