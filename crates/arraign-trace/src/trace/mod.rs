//! What one run of an agent did, in one form for every format.
//!
//! A trace is what readers make and checks look at: the messages, the tool calls in the order in which the model
//! made them, the final answer, and what the run cost. What a format cannot tell is `None`, never a guess.

mod answer_doubt;
mod ending;
mod failure;
mod offered;
mod provenance;
mod query;
mod reasoning;
mod rewards;
mod text_calls;
mod tool_server;
mod unread;

use serde::{Deserialize, Serialize};

pub use ending::Ended;
pub(crate) use ending::says_tool_use;
pub use failure::{FailureSign, find_in_result};
pub use offered::OfferedTool;
pub use provenance::Provenance;
pub use rewards::Rewards;
pub use text_calls::TextProtocol;
pub use tool_server::{ToolServer, split_mcp_name, split_server};
pub use unread::{CallsUnrecorded, RecordPlace, UnreadContent, UnreadPart};

use crate::JsonSchema;
use crate::json::{self, Json, JsonMap, parse, parse_borrowed};

/// One run of an agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// How the recording was made, if its file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Box<Provenance>>,
    /// The run's id, where its format has one.
    pub id: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The model's name.
    pub model: Option<String>,
    /// The user's first message.
    pub input: Option<String>,
    /// The texts of the user, the system and the model, in order.
    pub messages: Vec<Message>,
    /// The tool calls, in the order in which the model made them. Attempts, not successes.
    pub calls: Vec<Call>,
    /// Why `calls` may not hold all calls of the run; `None` if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_unrecorded: Option<CallsUnrecorded>,
    /// The parts of the file that the reader did not understand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadPart>,
    /// The text after the last tool call. An empty text is an answer; `None` means that the run has no answer.
    pub answer: Option<String>,
    /// The reasoning in front of an answer that was recorded beside the messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_reasoning: Option<String>,
    /// Tokens of the whole run.
    pub usage: Option<Usage>,
    /// The cost of the run in US dollars, if it was recorded.
    pub cost_usd: Option<f64>,
    /// The duration of the run in milliseconds.
    pub duration_ms: Option<f64>,
    /// The reason why the run ended, in the format's own word. Where the format has none, a sentence after `error:`, `cut:`
    /// or `limit:`.
    pub stop_reason: Option<String>,
    /// How the run ended. Readers whose format has no word for it leave it unknown.
    #[serde(default, skip_serializing_if = "Ended::is_unknown")]
    pub ended: Ended,
    /// What a verifier gave the run, if it was recorded with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewards: Option<Box<Rewards>>,
    /// The tools that were offered to the agent, if the file lists them. They are not a part of the run, so that the JSON of a
    /// run is without them; the native form has them.
    #[serde(skip)]
    pub offered: Vec<OfferedTool>,
    /// Whether the results of calls are in the trace.
    #[serde(default = "Results::recorded", skip_serializing_if = "Results::are_recorded")]
    pub results: Results,
}

/// Whether the trace of a run has the results of its calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Results {
    /// A call without a result was not answered.
    Recorded,
    /// The trace was written by hand: if no call has a result, results were left out.
    #[default]
    Optional,
    /// The format does not record results, such as a log of the model alone.
    NotRecorded,
}

impl Results {
    fn recorded() -> Self {
        Self::Recorded
    }

    /// Whether a call without a result was not answered.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn are_recorded(&self) -> bool {
        *self == Self::Recorded
    }
}

/// One text that somebody said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// The speaker.
    pub role: Role,
    /// The text, without reasoning.
    pub text: String,
    /// The reasoning that the model wrote in front of the text, as it stands there: with its tags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// The number of calls that the model made before this message.
    pub after_calls: usize,
}

impl Message {
    /// A text without reasoning, after so many calls.
    pub fn new(role: Role, text: impl Into<String>, after_calls: usize) -> Self {
        Self { role, text: text.into(), reasoning: None, after_calls }
    }
}

/// The speaker of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The application's instructions.
    System,
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// One tool call that the model made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The number of the call in the trace, from 1.
    pub index: usize,
    /// The assistant turn that made it, from 1. Calls of one turn are parallel: none saw another's result.
    pub turn: usize,
    /// The id of the call, if the format has one.
    pub id: Option<String>,
    /// The tool's own name, without the server that hosts put before it.
    pub name: String,
    /// The server that offers the tool.
    #[serde(default)]
    pub server: ToolServer,
    /// The name as the host wrote it, where that is not `name`: `mcp__shop__get_order`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// The arguments that the model passed.
    pub arguments: Arguments,
    /// The result of the tool. A tool that failed may have one as well.
    pub result: Option<Json>,
    /// How the call ended.
    pub status: CallStatus,
    /// The evidence for the status.
    #[serde(default, skip_serializing_if = "StatusMark::is_recorded")]
    pub status_mark: StatusMark,
    /// The error's text.
    pub error: Option<String>,
    /// The number of the call among those that a server of mock tools answered, from 1. The state behind the tools changed in
    /// this order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<u32>,
    /// The start of the call, in milliseconds since the run began.
    pub started_ms: Option<f64>,
    /// The duration of the call in milliseconds.
    pub duration_ms: Option<f64>,
    /// The process's exit code, for a shell call.
    pub exit_code: Option<i64>,
    /// The nested agents that made the call, outermost first. Empty if the agent itself made it.
    pub agent_path: Vec<String>,
}

impl Call {
    /// A call of `name` with `arguments`, not answered yet. Its index is set by [`Trace::push_call`].
    pub fn new(name: impl Into<String>, arguments: Arguments, turn: usize) -> Self {
        Self {
            index: 0,
            turn,
            id: None,
            name: name.into(),
            server: ToolServer::NotRecorded,
            written: None,
            arguments,
            result: None,
            status: CallStatus::Unanswered,
            status_mark: StatusMark::Recorded,
            error: None,
            served: None,
            started_ms: None,
            duration_ms: None,
            exit_code: None,
            agent_path: Vec::new(),
        }
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The format says that it worked.
    Ok,
    /// The format says that it failed.
    Error,
    /// The call has a result, and the format does not say whether it is an error.
    Unknown,
    /// No result is in the trace.
    Unanswered,
}

/// The evidence for the status of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatusMark {
    /// The format says how the call ended, or has no word for it.
    #[default]
    Recorded,
    /// The user says which results are failures, whatever they look like.
    Declared,
    /// The status is `ok` because the format marks failures and the call has no such mark.
    Inferred,
    /// The result has a mark that the reader does not know, or marks that contradict each other: it may mean a failure.
    Unclear(String),
}

impl StatusMark {
    /// Whether the status is as the format says.
    pub fn is_recorded(&self) -> bool {
        *self == Self::Recorded
    }
}

/// The arguments of a call: JSON, or what the model wrote instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// JSON; an object, unless the model erred.
    Json(Json),
    /// Text that is not JSON, and why.
    Broken {
        /// As the model wrote it.
        raw: String,
        /// Where parsing stopped.
        error: String,
    },
    /// The format does not tell them.
    Unrecorded,
}

impl Arguments {
    /// No arguments.
    pub fn none() -> Self {
        Self::Json(Json::Object(JsonMap::new()))
    }

    /// Arguments that a format keeps as a JSON string. Empty text means none. JSON inside a JSON string is malformed: the
    /// tool gets a text. So is JSON with a duplicate key: programs differ on which of the two counts.
    pub fn from_text(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::none();
        }
        match parse(text) {
            Ok(Json::Null) => Self::none(),
            Ok(Json::String(inner)) => Self::of_inner_text(inner.into_string()),
            Ok(value) => Self::Json(value),
            Err(error) => Self::Broken { raw: text.to_owned(), error: error.to_string() },
        }
    }

    /// Arguments that are a text, where their format has a value. A text that is JSON itself is malformed.
    fn of_inner_text(text: String) -> Self {
        match parse(&text) {
            Ok(Json::Object(_) | Json::Array(_) | Json::String(_)) => Self::Broken {
                raw: text,
                error: "JSON in a text: the tool gets a text, and no object".to_owned(),
            },
            // The inner text is meant as JSON and has a key twice, so the error is about the inner text.
            Err(error) if parse_borrowed(&text).is_ok() => {
                Self::Broken { raw: text, error: error.to_string() }
            }
            _ => Self::Json(Json::String(text.into())),
        }
    }

    /// Arguments that a format keeps as a value, as APIs do that take an object. Null and an empty text mean none.
    pub fn from_object(value: Json) -> Self {
        match value {
            Json::Null => Self::none(),
            Json::String(text) if text.trim().is_empty() => Self::none(),
            Json::String(text) => match Self::of_inner_text(text.into_string()) {
                // A text that is no JSON has the error of its syntax.
                Self::Json(Json::String(text)) => Self::from_text(&text),
                broken => broken,
            },
            value => Self::Json(value),
        }
    }

    /// Arguments that a format keeps as JSON: text is parsed, null means none.
    pub fn from_json(value: Json) -> Self {
        match value {
            Json::Null => Self::none(),
            Json::String(text) => Self::from_text(&text),
            value => Self::Json(value),
        }
    }

    /// The JSON, if it is JSON.
    pub fn json(&self) -> Option<&Json> {
        match self {
            Self::Json(value) => Some(value),
            Self::Broken { .. } | Self::Unrecorded => None,
        }
    }

    /// Compact JSON, or the broken text as it is.
    pub fn to_text(&self) -> String {
        match self {
            // Faster than `Display`, which goes through the formatter piece by piece; a value always serializes.
            Self::Json(value) => json::to_string(value).unwrap_or_default(),
            Self::Broken { raw, .. } => raw.clone(),
            Self::Unrecorded => "(not recorded)".to_owned(),
        }
    }

    /// The argument `name`, if the arguments are an object that has it.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.json()?.get(name)
    }
}

/// Compact JSON, or the broken text as it is.
impl std::fmt::Display for Arguments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.to_text())
    }
}

/// Tokens of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Read by the model, cached ones included.
    pub input_tokens: u64,
    /// Of these, read from a cache.
    pub cached_tokens: Option<u64>,
    /// Written by the model, reasoning included.
    pub output_tokens: u64,
    /// Of these, reasoning.
    pub reasoning_tokens: Option<u64>,
    /// The figures are incomplete: some model calls, or one side of them (0 here), were not recorded.
    pub partial: bool,
}
