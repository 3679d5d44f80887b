//! The evidence of a check: the run of the agent, its input, and the opinions of a judge.

mod injection;
mod programs;
mod success;
mod world;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub(crate) use injection::contains_text;
pub use injection::{Injection, list_text_places};
pub use programs::{ProgramReport, ProgramReports, ProgramRequest};
pub use world::{AskProgram, ProgramAnswer, ProgramReplies};
pub(crate) use world::{ProgramReply, StateEdit};

pub(crate) use success::{CallSuccess, Known, SuccessBasis};

use smol_str::SmolStr;

use crate::JsonSchema;
use crate::outcome::CannotDecide;
use crate::trace::{Arguments, Call, Trace};
use crate::workspace::WorkspaceFacts;

/// One run of an agent, as evidence. Checks are pure functions of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Evidence<'t> {
    /// The run of the agent.
    pub trace: Cow<'t, Trace>,
    /// The agent's input from the case. The trace may record an input as well ([`Trace::input`]).
    pub input: Option<Cow<'t, str>>,
    /// The opinions of a judge on the run.
    pub opinions: Cow<'t, Opinions>,
    /// The reports of programs on the run.
    #[doc(hidden)]
    pub programs: Cow<'t, ProgramReports>,
    /// The answers of programs to calls of mock tools.
    pub(crate) replies: Cow<'t, ProgramReplies>,
    /// What is known of the files of the run's workspace.
    pub(crate) workspace: Option<Cow<'t, WorkspaceFacts>>,
    /// What the answers of mock tools in the trace mean for the state behind them.
    pub(crate) world: WorldEvidence,
    /// What the mock tools of the case add to their results.
    pub(crate) injection: Option<&'t Injection>,
    /// Whether the case says how the run must end: then no check is undecided because of the end.
    pub(crate) judges_end: bool,
    /// The names of tools in the settings of the case. A tool with such a name is no other one by a near name.
    pub(crate) named_tools: Cow<'t, [SmolStr]>,
}

impl<'t> Evidence<'t> {
    /// Creates evidence from a trace alone.
    pub fn of(trace: &'t Trace) -> Self {
        Self { trace: Cow::Borrowed(trace), ..Trace::default().into() }
    }

    /// Sets the agent's input.
    pub fn asked(mut self, input: Option<&'t str>) -> Self {
        self.input = input.map(Cow::Borrowed);
        self
    }

    /// Sets the opinions of a judge.
    pub fn judged(mut self, opinions: &'t Opinions) -> Self {
        self.opinions = Cow::Borrowed(opinions);
        self
    }
}

impl From<Trace> for Evidence<'static> {
    fn from(trace: Trace) -> Self {
        let opinions = Cow::Owned(Opinions::default());
        let programs = Cow::Owned(ProgramReports::default());
        Self {
            trace: Cow::Owned(trace),
            input: None,
            opinions,
            programs,
            replies: Cow::Owned(ProgramReplies::default()),
            workspace: None,
            world: WorldEvidence::default(),
            injection: None,
            judges_end: false,
            named_tools: Cow::Borrowed(&[]),
        }
    }
}

/// What the answers in a trace mean for the state behind mock tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum WorldEvidence {
    /// They are what the tools answered, so that the state must agree with them.
    #[default]
    Recorded,
    /// The calls were changed after they were recorded, so that the answers prove nothing.
    Changed,
    /// Nothing is left of the state: the counterexample of checks of it.
    Emptied,
}

/// A question to a judge about a run. The answer is the opinion with the same label.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// The label of the question, which is unique.
    pub label: String,
    /// The text of the question.
    pub prompt: String,
    /// The form of the answer.
    pub answer: AnswerForm,
    /// The evidence that the judge sees beside the final answer.
    pub context: JudgeContext,
}

impl Question {
    /// Creates a question about the final answer alone.
    pub fn new(label: impl Into<String>, prompt: impl Into<String>, answer: AnswerForm) -> Self {
        Self { label: label.into(), prompt: prompt.into(), answer, context: JudgeContext::default() }
    }

    /// Sets the evidence that the judge sees beside the final answer.
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

/// The evidence that a judge sees beside the final answer. By default, none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, JsonSchema)]
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
    /// The judge sees the results of the calls. Only checks set this; it is not a key that users write.
    #[serde(skip)]
    pub include_tool_results: bool,
}

impl JudgeContext {
    /// Shows the judge everything.
    pub const fn everything() -> Self {
        Self {
            include_prompt: true,
            include_tool_sequence: true,
            include_tool_inputs: true,
            include_tool_results: true,
        }
    }
}

/// The opinions of a judge on a run, by label.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Opinions {
    given: BTreeMap<String, Opinion>,
    /// Why other opinions are missing; `None` if no judge is configured.
    absent: Option<Absent>,
}

/// Why a configured judge has not given an opinion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absent {
    /// The judge was not asked, or there is no recording: the check is undecided.
    Undecided {
        /// The reason.
        why: String,
        /// Advice.
        help: String,
    },
    /// The judge was asked and gave no valid answer: the check is an error.
    Failed(String),
}

impl Absent {
    /// Creates an undecided opinion with its reason and advice.
    pub fn undecided(why: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Undecided { why: why.into(), help: help.into() }
    }
}

/// The opinion of a judge on one question.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Opinion {
    /// The judge's decision.
    pub judged: Judged,
    /// The judge's reason. Untrusted text.
    pub reason: Option<String>,
}

impl Opinion {
    /// Creates an opinion without a reason.
    pub fn new(judged: Judged) -> Self {
        Self { judged, reason: None }
    }

    /// Adds the judge's reason.
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

/// The decision of a judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Judged {
    /// The run passes.
    Pass,
    /// The run fails.
    Fail,
    /// A score between 0 and 100.
    Score(f64),
    /// The numbers of claims in the answer.
    Claims {
        /// The number of all claims.
        all: u32,
        /// The number of claims that the evidence does not support.
        unsupported: u32,
    },
}

/// Returns the label of an opinion on one turn of the conversation, from 1.
pub fn turn_label(turn: usize, label: &str) -> String {
    format!("turn {turn}: {label}")
}

impl Opinions {
    /// Adds an opinion with this label.
    pub fn insert(&mut self, label: impl Into<String>, opinion: Opinion) {
        self.given.insert(label.into(), opinion);
    }

    /// Returns all opinions, by label.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Opinion)> {
        self.given.iter().map(|(label, opinion)| (label.as_str(), opinion))
    }

    /// Whether there are no opinions.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Whether a judge is configured. Then a missing opinion stays missing, and no other method replaces it.
    pub fn has_judge(&self) -> bool {
        self.absent.is_some()
    }

    /// Marks that a judge is configured, and sets the reason for missing opinions.
    pub fn with_judge(mut self, absent: Absent) -> Self {
        self.absent = Some(absent);
        self
    }

    /// Returns the opinions on one turn of the conversation. An opinion on that turn takes precedence over one on all turns.
    pub fn of_turn(&self, turn: usize) -> Self {
        let prefix = turn_label(turn, "");
        let mut given = self.given.clone();
        for (label, opinion) in &self.given {
            if let Some(label) = label.strip_prefix(&prefix) {
                // Inserted last, so that the opinion on this turn replaces the general one.
                given.insert(label.to_owned(), opinion.clone());
            }
        }
        Self { given, absent: self.absent.clone() }
    }

    /// Returns the opinion with this label.
    pub fn get(&self, label: &str) -> Option<&Opinion> {
        self.given.get(label)
    }

    /// Returns the opinion with this label. The error says why the opinion is missing.
    pub fn of(&self, label: &str) -> Result<&Opinion, CannotDecide> {
        self.get(label).ok_or_else(|| self.explain_missing(label))
    }

    fn explain_missing(&self, label: &str) -> CannotDecide {
        match &self.absent {
            Some(Absent::Failed(why)) => CannotDecide::invalid(why.as_str()),
            Some(Absent::Undecided { why, help }) => {
                CannotDecide::missing(format!("the judge gave no opinion on `{label}`: {why}")).help(help.as_str())
            }
            None => CannotDecide::missing(format!("there is no opinion on `{label}`")).help(format!(
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

impl From<WorkspaceFacts> for Evidence<'static> {
    fn from(facts: WorkspaceFacts) -> Self {
        Self { workspace: Some(Cow::Owned(facts)), ..Trace::default().into() }
    }
}

impl From<ProgramReports> for Evidence<'static> {
    fn from(programs: ProgramReports) -> Self {
        Self { programs: Cow::Owned(programs), ..Trace::default().into() }
    }
}

/// Whether the arguments of `call` are there and cannot be read: text that is not JSON, or JSON that is no object. They may
/// hold anything, so they prove neither that an argument has a value nor that it has not.
pub(crate) fn has_unreadable_arguments(call: &Call) -> bool {
    match &call.arguments {
        Arguments::Broken { .. } => true,
        Arguments::Json(value) => !value.is_object() && !value.is_null(),
        Arguments::Unrecorded => false,
    }
}

/// Explains that a check cannot tell what the unreadable arguments of `call` are.
pub(crate) fn explain_unreadable_arguments(call: &Call) -> CannotDecide {
    let Call { index, name, .. } = call;
    let what = match &call.arguments {
        Arguments::Json(_) => "no JSON object",
        _ => "not valid JSON",
    };
    CannotDecide::missing(format!(
        "the arguments of call {index} of `{name}` are {what}, so they may be the ones that the check is about"
    ))
    .help("a check of the tool without arguments, such as `not_called`, counts every call of it")
}

/// Returns an error if the trace does not record the arguments of `call`, as some formats do not.
pub fn require_arguments(call: &Call) -> Result<(), CannotDecide> {
    if call.arguments == Arguments::Unrecorded { Err(explain_unrecorded_arguments(call)) } else { Ok(()) }
}

/// Explains that the trace does not record the arguments of `call`.
pub(crate) fn explain_unrecorded_arguments(call: &Call) -> CannotDecide {
    let what = format!("the trace does not record the arguments of call {}, `{}`", call.index, call.name);
    CannotDecide::missing(what).help("enable the capture of content where the run is recorded")
}

/// Whether two calls are of one turn of an agent: then neither was made with the result of the other. Turns are counted by
/// each agent for itself.
pub(crate) fn is_same_turn(one: &Call, other: &Call) -> bool {
    one.turn == other.turn && one.agent_path == other.agent_path
}
