//! What a check may look at: what the agent did, what it was asked, and what a judge thinks of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::outcome::Unfit;
use crate::trace::{Arguments, Call, Trace};

/// One run of an agent, as evidence. Checks are pure functions of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
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
#[non_exhaustive]
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

impl Question {
    /// A question that the judge answers from the final answer alone.
    pub fn new(label: impl Into<String>, prompt: impl Into<String>, answer: AnswerForm) -> Self {
        Self { label: label.into(), prompt: prompt.into(), answer, context: JudgeContext::default() }
    }

    /// Shows the judge more than the final answer.
    pub fn context(mut self, context: JudgeContext) -> Self {
        self.context = context;
        self
    }
}

/// The form of a judge's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// Whether the run passes.
    PassOrFail,
    /// A score between 0 and 100.
    Score,
    /// Each claim of the answer, and whether the evidence supports it.
    Claims,
}

/// What a judge sees beside the final answer. Nothing unless asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key that users write, or is as good as one")]
#[non_exhaustive]
pub struct JudgeContext {
    /// The judge sees what the agent was asked.
    pub include_prompt: bool,
    /// The judge sees the names of the called tools, in order.
    pub include_tool_sequence: bool,
    /// The judge sees the arguments of the calls.
    pub include_tool_inputs: bool,
    /// What came back of the calls. For checks whose question is about the results; users do not set it.
    #[serde(skip)]
    pub include_tool_results: bool,
}

impl JudgeContext {
    /// All there is.
    pub const fn everything() -> Self {
        Self {
            include_prompt: true,
            include_tool_sequence: true,
            include_tool_inputs: true,
            include_tool_results: true,
        }
    }
}

/// What a judge thinks of a run, by label.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Opinions {
    given: BTreeMap<String, Opinion>,
    absent: Option<Absent>,
}

/// Why a judge who is configured has not said something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absent {
    /// It was not asked, or what it said is not kept: the check is undecided.
    Undecided {
        /// What is missing.
        why: String,
        /// What to do about it.
        help: String,
    },
    /// It was asked, and gave no answer that could be read: the check is an error.
    Failed(String),
}

/// One opinion.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Opinion {
    /// What the judge decided.
    pub judged: Judged,
    /// Why, in its own words. Untrusted text.
    pub reason: Option<String>,
}

impl Opinion {
    /// An opinion without a reason.
    pub fn new(judged: Judged) -> Self {
        Self { judged, reason: None }
    }

    /// Adds the judge's reason.
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
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
    /// How many claims the answer makes, and how many of them the evidence does not support.
    Claims {
        /// All of them.
        all: u32,
        /// Those without support.
        unsupported: u32,
    },
}

/// What the opinion on a question about one turn of the conversation (from 1) is called among those on the run.
pub fn turn_label(turn: usize, label: &str) -> String {
    format!("turn {turn}: {label}")
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
        self.absent.is_some()
    }

    /// Says that a judge is configured, and why it has not said the rest.
    pub fn with_judge(mut self, absent: Absent) -> Self {
        self.absent = Some(absent);
        self
    }

    /// Those on one turn of the conversation: what is said of that turn alone stands before what is said of each.
    pub fn of_turn(&self, turn: usize) -> Self {
        let prefix = turn_label(turn, "");
        let own = self
            .given
            .iter()
            .filter_map(|(label, opinion)| Some((label.strip_prefix(&prefix)?.to_owned(), opinion.clone())));
        let mut given = self.given.clone();
        given.extend(own.collect::<Vec<_>>());
        Self { given, absent: self.absent.clone() }
    }

    /// Whether anybody has an opinion called `label`.
    pub fn get(&self, label: &str) -> Option<&Opinion> {
        self.given.get(label)
    }

    /// The opinion called `label`; without one the check cannot answer.
    pub fn of(&self, label: &str) -> Result<&Opinion, Unfit> {
        self.get(label).ok_or_else(|| self.none_on(label))
    }

    fn none_on(&self, label: &str) -> Unfit {
        match &self.absent {
            Some(Absent::Failed(why)) => Unfit::invalid(why.as_str()),
            Some(Absent::Undecided { why, help }) => {
                Unfit::missing(format!("the judge gave no opinion on `{label}`: {why}")).help(help.as_str())
            }
            None => Unfit::missing(format!("there is no opinion on `{label}`")).help(format!(
                "no judge is configured: name its `model` under `judge` in arraign.yaml, or give its opinion in the \
                 case: `opinions: {{{label}: ..}}`"
            )),
        }
    }
}

impl From<Opinions> for Evidence<'static> {
    fn from(opinions: Opinions) -> Self {
        Self { opinions: Cow::Owned(opinions), ..Trace::default().into() }
    }
}

/// Fails where the trace does not record the arguments of `call`: some formats keep calls without what was passed.
pub fn require_arguments(call: &Call) -> Result<(), Unfit> {
    if call.arguments != Arguments::Unrecorded {
        return Ok(());
    }
    let what = format!("the trace does not record the arguments of call {}, `{}`", call.index, call.name);
    Err(Unfit::missing(what).help("switch on the capture of content where the run is recorded"))
}
