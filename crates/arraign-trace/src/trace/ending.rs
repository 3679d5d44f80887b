//! How a run ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::JsonSchema;
use crate::trace::Trace;

/// How a run ended. A check must interpret each of these, so the enum is exhaustive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The run ended as its writer means a run to end.
    Well,
    /// An error ended the run, such as a refused request to the model.
    Failed(String),
    /// The run or its recording broke off: what it would have done next is not in the trace.
    Cut(String),
    /// A limit of the agent ended the run, such as its number of turns or its budget.
    Limit(String),
    /// The format does not record how a run ends.
    #[default]
    Unknown,
}

/// Reasons that mean a normal end, without case and punctuation: a text was completed, or the model refused.
const WELL: &[&str] = &[
    "assistantresponse",
    "completed",
    "done",
    "endturn",
    "eos",
    "eostoken",
    "finished",
    "refusal",
    "stop",
    "stopsequence",
    "stoptoken",
    "submitted",
    "success",
    "succeeded",
];

/// Reasons that mean that the model called tools. A single response that stops for them ended well.
const CALLS: &[&str] = &["functioncall", "functioncalls", "toolcall", "toolcalls", "tooluse"];

/// Reasons that mean that the model tried to call a tool, and that the provider did not accept the call.
const FAILED_CALLS: &[&str] =
    &["malformedfunctioncall", "malformedtooluse", "toomanytoolcalls", "unexpectedtoolcall"];

/// Reasons that mean that a text or a run broke off.
const CUT: &[&str] = &[
    "abort",
    "aborted",
    "cancelled",
    "canceled",
    "contextwindowexceeded",
    "incomplete",
    "inprogress",
    "interrupted",
    "invocationaborted",
    "length",
    "load",
    "maxoutputtokens",
    "maxtokens",
    "modelcontextwindowexceeded",
    "modellength",
    "pauseturn",
    "queued",
    "suspended",
    "unload",
];

/// Reasons that mean that a limit of the agent was reached.
const LIMIT: &[&str] = &[
    "budgetlimited",
    "errormaxbudgetusd",
    "errormaxturns",
    "iterationlimit",
    "maxbudget",
    "maxiterations",
    "maxllmcalls",
    "maxsteps",
    "maxstepserror",
    "maxturns",
    "maxturnsexceeded",
    "timedout",
    "timeout",
];

/// A text, in lower case, by which a framework reports that a run reached its limit.
struct LimitText {
    /// The framework and the version in which the text was seen.
    _source: &'static str,
    text: &'static str,
}

const fn limit_of(source: &'static str, text: &'static str) -> LimitText {
    LimitText { _source: source, text }
}

/// Limits that frameworks report as errors, in a sentence.
const LIMIT_TEXTS: &[LimitText] = &[
    limit_of("ADK 2.13.0", "max number of llm calls limit of"),
    limit_of("AutoGen 0.7.5", "maximum number of messages"),
    limit_of("AutoGen 0.7.5", "maximum number of turns"),
    limit_of("Gemini CLI 0.61.0", "reached max session turns"),
    limit_of("LangGraph 1.2.24", "recursion limit of"),
    limit_of("LlamaIndex 0.14.25", "max iterations of"),
    limit_of("OpenAI Agents SDK 0.24.0", "max turns ("),
    limit_of("OpenAI Agents SDK 0.24.0", "max turns exceeded"),
    limit_of("Pydantic AI 2.68.0", "_tokens_limit of"),
    limit_of("Pydantic AI 2.68.0", "request_limit of"),
    limit_of("Pydantic AI 2.68.0", "tool_calls_limit of"),
    limit_of("smolagents 1.26.0", "reached max steps"),
];

/// Errors, in lower case, that report a refusal of the model, as the OpenAI Agents SDK 0.24.0 writes them. A refusal is no
/// bad end.
const REFUSAL_TEXTS: &[&str] = &["model refused to produce output"];

/// Reasons that mean an error: of the provider, of a filter, or of the agent.
const FAILED: &[&str] = &[
    "blocklist",
    "contentfilter",
    "contentfiltered",
    "error",
    "expired",
    "failed",
    "failure",
    "guardrailintervened",
    "imageother",
    "imageprohibitedcontent",
    "imagerecitation",
    "imagesafety",
    "insufficientsystemresource",
    "language",
    "malformedmodeloutput",
    "malformedresponse",
    "missingthoughtsignature",
    "modelarmor",
    "noimage",
    "prohibitedcontent",
    "recitation",
    "rejected",
    "safety",
    "spii",
];

/// Gemini's word for a failure of an unknown kind, in capitals. The same word in other formats says nothing.
const GEMINI_OTHER: &str = "OTHER";

impl Ended {
    /// Interprets a reason why a run stopped, in the words of any provider or framework. A word that is not known says
    /// nothing. Where a format has no word of its own, the reason begins with `error:`, `cut:` or `limit:`.
    pub fn from_stop_reason(reason: &str) -> Self {
        if let Some(error) = reason.strip_prefix("error:") {
            return Self::from_error(error.trim());
        }
        if let Some(limit) = reason.strip_prefix("limit:") {
            return Self::Limit(limit.trim().to_owned());
        }
        if let Some(cut) = reason.strip_prefix("cut:") {
            return Self::Cut(cut.trim().to_owned());
        }
        let word = fold_word(reason);
        let is_in = |words: &[&str]| words.contains(&word.as_str());
        if is_in(WELL) || is_in(CALLS) {
            Self::Well
        } else if is_in(CUT) {
            Self::Cut(reason.to_owned())
        } else if is_in(LIMIT) || reports_limit(reason) {
            Self::Limit(reason.to_owned())
        } else if is_in(FAILED) || is_in(FAILED_CALLS) || reason == GEMINI_OTHER || word.starts_with("error")
        {
            Self::Failed(reason.to_owned())
        } else {
            Self::Unknown
        }
    }

    /// Interprets the text of an error that ended a run. Frameworks report limits and refusals as errors as well.
    pub(crate) fn from_error(error: &str) -> Self {
        let lower = error.to_ascii_lowercase();
        if REFUSAL_TEXTS.iter().any(|text| lower.contains(text)) {
            Self::Well
        } else if reports_limit(error) {
            Self::Limit(error.to_owned())
        } else {
            Self::Failed(error.to_owned())
        }
    }

    /// Whether nothing is known of the end.
    pub fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    /// The kind of the end in a word: `well`, `failed`, `cut`, `limit` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Well => "well",
            Self::Failed(_) => "failed",
            Self::Cut(_) => "cut",
            Self::Limit(_) => "limit",
            Self::Unknown => "unknown",
        }
    }

    /// The reason, in the words of the format.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Failed(reason) | Self::Cut(reason) | Self::Limit(reason) => {
                Some(reason.as_str()).filter(|reason| !reason.is_empty())
            }
            Self::Well | Self::Unknown => None,
        }
    }
}

/// Whether a text reports the limit of a framework.
fn reports_limit(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    LIMIT_TEXTS.iter().any(|known| lower.contains(known.text))
}

/// Whether the reason why a turn stopped is that the model called a tool or tried to, in the words of any provider.
pub(crate) fn says_tool_use(reason: &str) -> bool {
    // This is asked for each turn of a log, so the word is compared without a copy.
    let reason = reason.strip_prefix("error:").unwrap_or(reason);
    let letters = reason.bytes().filter(u8::is_ascii_alphabetic).map(|letter| letter.to_ascii_lowercase());
    CALLS.iter().chain(FAILED_CALLS).any(|word| letters.clone().eq(word.bytes()))
}

/// The letters of a word in lower case: providers write `tool_use`, `toolUse` and `TOOL_USE`.
fn fold_word(reason: &str) -> String {
    let letters = reason.bytes().filter(u8::is_ascii_alphabetic);
    letters.map(|letter| char::from(letter.to_ascii_lowercase())).collect()
}

impl Trace {
    /// Sets how the run ended, where the reader did not.
    pub(crate) fn settle_ending(&mut self) {
        if self.ended.is_unknown() {
            self.ended = self.infer_ending();
        }
    }

    /// Notes that the run goes on: what was recorded of an end was not the end.
    pub(crate) fn reopen(&mut self) {
        self.stop_reason = None;
        self.ended = Ended::Unknown;
    }

    /// Notes that the run ended well, without a reason.
    pub(crate) fn end_well(&mut self) {
        self.stop_reason = None;
        self.ended = Ended::Well;
    }

    /// Infers how the run ended from the reason why it stopped. A run of several turns whose last turn called tools lacks
    /// the reply of the model, and nothing is known of its end: some providers write `stop` even there.
    pub(crate) fn infer_ending(&self) -> Ended {
        let Some(reason) = self.stop_reason.as_deref() else { return Ended::Unknown };
        let is_reply = self.calls.iter().all(|call| call.turn <= 1);
        let lacks_reply = self.answer.is_none() || CALLS.contains(&fold_word(reason).as_str());
        match Ended::from_stop_reason(reason) {
            Ended::Well if lacks_reply && !is_reply => Ended::Unknown,
            ended => ended,
        }
    }
}

/// The kind and the reason: `failed: 429 from the provider`.
impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason() {
            Some(reason) => write!(f, "{}: {reason}", self.word()),
            None => f.write_str(self.word()),
        }
    }
}
