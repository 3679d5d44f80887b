//! How a run ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::trace::Trace;

/// How a run ended. A check must interpret each of these, so the enum is exhaustive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Reasons that mean that a text or a run broke off.
const CUT: &[&str] = &[
    "abort",
    "aborted",
    "cancelled",
    "canceled",
    "contextwindowexceeded",
    "incomplete",
    "interrupted",
    "length",
    "load",
    "maxoutputtokens",
    "maxtokens",
    "modelcontextwindowexceeded",
    "modellength",
    "pauseturn",
    "unload",
];

/// Reasons that mean that a limit of the agent was reached.
const LIMIT: &[&str] = &[
    "errormaxbudgetusd",
    "errormaxturns",
    "iterationlimit",
    "maxbudget",
    "maxiterations",
    "maxllmcalls",
    "maxsteps",
    "maxturns",
    "maxturnsexceeded",
];

/// Reasons that mean an error: of the provider, of a filter, or of the agent.
const FAILED: &[&str] = &[
    "blocklist",
    "contentfilter",
    "contentfiltered",
    "error",
    "failed",
    "failure",
    "guardrailintervened",
    "imagesafety",
    "malformedfunctioncall",
    "malformedmodeloutput",
    "malformedtooluse",
    "prohibitedcontent",
    "recitation",
    "safety",
    "spii",
    "toomanytoolcalls",
    "unexpectedtoolcall",
];

impl Ended {
    /// Interprets a reason why a run stopped, in the words of any provider or framework. A word that is not known says
    /// nothing.
    pub fn from_stop_reason(reason: &str) -> Self {
        if let Some(error) = reason.strip_prefix("error:") {
            return Self::Failed(error.trim().to_owned());
        }
        let word = fold_word(reason);
        let is_in = |words: &[&str]| words.contains(&word.as_str());
        if is_in(WELL) || is_in(CALLS) {
            Self::Well
        } else if is_in(CUT) {
            Self::Cut(reason.to_owned())
        } else if is_in(LIMIT) {
            Self::Limit(reason.to_owned())
        } else if is_in(FAILED) || word.starts_with("error") {
            Self::Failed(reason.to_owned())
        } else {
            Self::Unknown
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

/// The letters of a word in lower case: providers write `tool_use`, `toolUse` and `TOOL_USE`.
fn fold_word(reason: &str) -> String {
    let letters = reason.bytes().filter(u8::is_ascii_alphabetic);
    letters.map(|letter| char::from(letter.to_ascii_lowercase())).collect()
}

impl Trace {
    /// Sets how the run ended, where the reader did not: by the reason why it stopped. A run of several turns whose last
    /// turn called tools lacks the reply of the model, and nothing is known of its end.
    pub(crate) fn settle_ending(&mut self) {
        let Some(reason) = self.stop_reason.as_deref().filter(|_| self.ended.is_unknown()) else { return };
        let is_reply = self.calls.iter().all(|call| call.turn <= 1);
        if is_reply || !CALLS.contains(&fold_word(reason).as_str()) {
            self.ended = Ended::from_stop_reason(reason);
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
