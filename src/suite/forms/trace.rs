//! Forms of the key `trace`.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use crate::JsonSchema;

use super::Nullable;
use crate::check::support::reading::Amount;
use crate::json::Json;
use crate::suite::trace::WrittenTraceFile;
use crate::trace::{CallStatus, Results};

/// A recorded run: a file, or the run itself.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "trace")]
pub(crate) enum Trace {
    File(String),
    RunOfFile(WrittenTraceFile),
    Run(Box<Run>),
    Steps(Vec<Step>),
}

/// A run that is written in the case.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "run")]
pub(crate) struct Run {
    /// How the recording was made.
    recorded: Option<Nullable<Recorded>>,
    /// The id of the run.
    id: Option<String>,
    /// The agent that ran.
    agent: Option<String>,
    /// The model that the agent asked.
    model: Option<String>,
    /// What the agent was asked.
    input: Option<String>,
    /// Texts and calls, in their order.
    steps: Option<Vec<Step>>,
    /// Short for `steps`.
    calls: Option<Vec<Step>>,
    /// The final answer, if it is not the last text.
    answer: Option<String>,
    /// The reasoning in front of this answer.
    answer_reasoning: Option<String>,
    /// `true`: the run was interrupted, and its last text is not an answer.
    no_answer: Option<bool>,
    /// The tokens of the run.
    usage: Option<Usage>,
    /// The cost in US dollars.
    cost_usd: Option<Amount>,
    /// The duration in milliseconds.
    duration_ms: Option<Amount>,
    /// The reason why the model stopped.
    stop_reason: Option<String>,
    /// How the run ended: a word, or a word and the reason, as in `{failed: 429 from the provider}`. Default: what
    /// `stop_reason` says.
    ended: Option<Ended>,
    /// Whether the results of calls were recorded. Default: `optional`, and `recorded` in a recording.
    results: Option<Results>,
    /// The names of the tools that were offered to the agent, with a server where it is known: `shop:get_order`.
    offered: Option<Vec<String>>,
    /// What a verifier gave the run, by name: `{reward: 1}`.
    rewards: Option<BTreeMap<String, f64>>,
    /// Why the rewards do not count, or why they are missing.
    rewards_invalid: Option<String>,
    /// `true`: the calls of the run were not recorded. A text: why some of its calls may be missing.
    calls_unrecorded: Option<CallsUnrecorded>,
    /// The parts of the original file that were not understood.
    unread: Option<Vec<Json>>,
}

/// How a recording was made.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, inline)]
pub(crate) struct Recorded {
    /// The program that recorded the run.
    by: Option<Nullable<String>>,
    /// The time of the recording.
    at: Option<Nullable<String>>,
    /// The fingerprint of the agent's input.
    input: Option<Nullable<String>>,
    /// The name of the agent that ran.
    agent_name: Option<Nullable<String>>,
    /// The variant of the agent. Default: the baseline.
    variant: Option<Nullable<String>>,
    /// The fingerprint of the agent's definition.
    agent: Option<Nullable<String>>,
    /// The fingerprints of the files that the agent depends on, by path.
    files: Option<Nullable<BTreeMap<String, Nullable<String>>>>,
}

/// How a run ended.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "ended")]
pub(crate) enum Ended {
    Word(End),
    WithReason(EndWithReason),
}

/// How a run ended, in a word.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
pub(crate) enum End {
    /// The run came to its end.
    Well,
    /// The run ended with an error.
    Failed,
    /// The run broke off.
    Cut,
    /// The run reached a limit, such as that of its turns.
    Limit,
    /// It is not known how the run ended.
    Unknown,
}

/// How a run ended, and why.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, inline, extend("maxProperties" = 1))]
pub(crate) struct EndWithReason {
    /// The error with which the run ended.
    failed: Option<Nullable<String>>,
    /// Why the run broke off.
    cut: Option<Nullable<String>>,
    /// The limit that the run reached.
    limit: Option<Nullable<String>>,
}

/// Whether the calls of a run are not recorded, or why some of them may be missing.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "calls_unrecorded")]
pub(crate) enum CallsUnrecorded {
    ByFormat(bool),
    Unread(UnreadReason),
    NotShown(PossibleFormats),
}

/// The formats that a list of roles and texts may have: nothing shows that it would have calls.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, inline)]
pub(crate) struct PossibleFormats {
    /// The names of the formats.
    formats: Vec<String>,
}

/// The first part of a file that was not understood.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, inline)]
pub(crate) struct UnreadReason {
    /// Where the part is.
    place: Option<String>,
    /// What the part is.
    reason: String,
}

/// A text, or a call: a bare name is a call without arguments.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "step")]
pub(crate) enum Step {
    Name(String),
    Fields(Box<StepFields>),
}

/// A text, or a call.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, inline)]
pub(crate) struct StepFields {
    /// A message of the user.
    user: Option<String>,
    /// A message of the model.
    say: Option<String>,
    /// The reasoning that the model wrote in front of its message.
    reasoning: Option<String>,
    /// The system prompt.
    system: Option<String>,
    /// The tool that was called.
    call: Option<String>,
    /// Another name of `call`.
    name: Option<String>,
    /// The arguments. A text is JSON, which may be invalid.
    args: Option<Json>,
    /// Another name of `args`.
    arguments: Option<Json>,
    /// What the tool returned.
    result: Option<Json>,
    /// The error of the tool.
    error: Option<Nullable<String>>,
    /// The id of the call.
    id: Option<Nullable<String>>,
    /// The model's turn, from 1. Calls of one turn are parallel.
    turn: Option<Nullable<NonZeroU64>>,
    /// The MCP server of the tool. If absent, names such as `shop:get_order` and `mcp__shop__get_order` contain it.
    server: Option<Nullable<String>>,
    /// `true`: the tool is built into the host and has no server.
    built_in: Option<bool>,
    /// The name as the host wrote it, if it differs. The name of the call is then not split.
    written: Option<Nullable<String>>,
    /// The number of the call among those that mock tools answered, from 1.
    served: Option<Nullable<NonZeroU64>>,
    /// The start of the call, in milliseconds from the beginning of the run.
    started_ms: Option<Nullable<Amount>>,
    /// The duration of the call in milliseconds.
    duration_ms: Option<Nullable<Amount>>,
    /// The exit code of a command.
    exit_code: Option<Nullable<i64>>,
    /// How the call ended.
    status: Option<Nullable<CallStatus>>,
    /// `true`: the format marks failures, and the call has no such mark.
    status_inferred: Option<bool>,
    /// Why it is not clear how the call ended.
    status_unclear: Option<Nullable<String>>,
    /// The agents that the call is nested in.
    agent_path: Option<Nullable<Vec<String>>>,
    /// `true`: the arguments are unknown.
    args_unrecorded: Option<bool>,
    /// The reason why the arguments are not JSON.
    args_error: Option<Nullable<String>>,
}

/// The tokens of a run.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename = "usage")]
pub(crate) struct Usage {
    /// Input tokens.
    input_tokens: i64,
    /// Output tokens.
    output_tokens: i64,
    /// The input tokens that were read from a cache.
    cached_tokens: Option<Nullable<i64>>,
    /// The output tokens that were used for reasoning.
    reasoning_tokens: Option<Nullable<i64>>,
    /// `true`: the tokens of some turns are missing.
    partial: Option<bool>,
}
