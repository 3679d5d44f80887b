//! `maf`: results of agents in Microsoft Agent Framework, from Python and from .NET.
//!
//! The reader accepts a response of any version, a list of messages, the updates of a streamed run as JSON Lines, and the
//! dump of a session. In a log of responses, each line is one run.

mod content;
mod updates;

use crate::json::{JsonError, JsonNode, JsonObject};
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::formats::maf::content::MafWalk;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Trace, Usage};

pub(crate) const READER: Reader = Reader {
    name: "maf",
    summary: "Microsoft Agent Framework: agent responses, streamed updates, sessions",
    marks: &hash_marks([
        "type",
        "contents/",
        "messages/",
        "state/",
        "chat_message_store_state/",
        "chatMessageStoreState/",
        "storeState/",
        "stateBag/",
    ]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

/// The largest depth of the messages in the state of a session.
const STATE_DEPTH: usize = 4;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MafShape {
    Response,
    Message,
    Update,
    Session,
}

fn detect_format(input: &Input) -> Detection {
    let expected = shape(input.first()?);
    let mut seen = Vec::new();
    for record in &input.records {
        let found = shape(&record.value);
        let found = found.ok_or_else(|| Reason::of(record.at, "has no `contents` in it"))?;
        seen.push(found);
    }
    // A mixture is a file of several exports, which would be read as one wrong run.
    if seen.iter().any(|shape| Some(*shape) != expected) {
        return Err("responses, messages and updates are mixed in it".into());
    }
    Ok(Certainty::Sure)
}

fn shape(value: &JsonNode) -> Option<MafShape> {
    let kind = value.get("type").and_then(JsonNode::as_str).unwrap_or_default();
    if kind.ends_with("response_update") {
        return Some(MafShape::Update);
    }
    if is_message(value) {
        // A message of a response names the response only while it is streamed.
        let update = ["response_id", "responseId"].iter().any(|key| value.get(key).is_some());
        return Some(if update { MafShape::Update } else { MafShape::Message });
    }
    let messages = value.get("messages").and_then(JsonNode::as_array);
    match (kind, messages) {
        ("agent_response" | "agent_run_response" | "chat_response", Some(_)) => Some(MafShape::Response),
        ("", Some(messages)) if messages.iter().any(is_message) => Some(MafShape::Response),
        _ => state(value).and_then(|state| find_messages(state, STATE_DEPTH)).map(|_| MafShape::Session),
    }
}

/// Whether this is a message of the framework: it has `contents` with types.
fn is_message(value: &JsonNode) -> bool {
    let contents = value.get("contents").and_then(JsonNode::as_array);
    value.has_key("role")
        && contents.is_some_and(|contents| {
            contents.iter().all(|content| content.has_key("type") || content.has_key("$type"))
        })
}

/// Returns the part of a session that contains its messages. Each version has its own name for it.
fn state<'v, 't>(value: &'v JsonNode<'t>) -> Option<&'v JsonObject<'t>> {
    const NAMES: [&str; 5] =
        ["state", "chat_message_store_state", "chatMessageStoreState", "storeState", "stateBag"];
    NAMES.iter().find_map(|name| value.get(name)?.as_object())
}

fn find_messages<'v, 't>(state: &'v JsonObject<'t>, depth: usize) -> Option<&'v [JsonNode<'t>]> {
    if let Some(JsonNode::Array(messages)) = state.get("messages")
        && !messages.is_empty()
        && messages.iter().all(is_message)
    {
        return Some(messages);
    }
    let below = depth.checked_sub(1)?;
    // The keys are sorted, so that the choice does not depend on the order in the file.
    state
        .iter()
        .collect::<std::collections::BTreeMap<_, _>>()
        .into_values()
        .filter_map(JsonNode::as_object)
        .find_map(|inner| find_messages(inner, below))
}

/// Splits a log of responses: each is a run.
fn split_file(input: &Input) -> Option<Pieces> {
    let is_log = input.first().is_ok_and(|first| shape(first) == Some(MafShape::Response));
    is_log.then_some(Pieces::records(find_run_key))
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    const ID: [&str; 2] = ["response_id", "responseId"];
    Ok(RunKey::Own(look(text, &ID)?.string(&ID).ok().flatten()).into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let first = input.records.first().and_then(|record| shape(&record.value));
    match first {
        Some(MafShape::Update) => updates::read(input.records).map(|trace| vec![trace]),
        Some(MafShape::Message) => read_messages(input.records).map(|trace| vec![trace]),
        _ => input.records.into_iter().map(read_record).collect(),
    }
}

fn read_messages(records: Vec<Record>) -> Result<Trace, DecodeError> {
    let mut walk = MafWalk::default();
    for Record { at, value } in records {
        walk.message(at, value).map_err(|error| at.in_record(error))?;
    }
    Ok(walk.finish())
}

fn read_record(record: Record) -> Result<Trace, DecodeError> {
    let at = record.at;
    let run = match shape(&record.value) {
        Some(MafShape::Session) => read_session(at, &record.value),
        _ => JsonObject::of(record.value, "a response").and_then(|response| read_response(at, response)),
    };
    run.map_err(|error| at.in_record(error))
}

fn read_session(at: At, session: &JsonNode) -> Result<Trace, DecodeError> {
    let messages = state(session).and_then(|state| find_messages(state, STATE_DEPTH));
    let mut walk = MafWalk::default();
    for (index, message) in messages.into_iter().flatten().enumerate() {
        walk.message(at, message.clone()).map_err(|error| error.at_key(index).at_key("messages"))?;
    }
    let id = session.get("session_id").or_else(|| session.get("sessionId")).and_then(JsonNode::as_str);
    walk.builder.trace.id = id.map(ToOwned::to_owned);
    Ok(walk.finish())
}

fn read_response(at: At, mut response: JsonObject) -> Result<Trace, DecodeError> {
    let messages = response.list(&["messages"])?;
    // An object with empty `messages` may be anything, if its type does not say that it is a response.
    if messages.is_empty() && response.get("type").is_none() {
        return Err(DecodeError::new("there are no `messages` in it"));
    }
    let mut walk = MafWalk::default();
    for (index, message) in messages.into_iter().enumerate() {
        let read = walk.message(RecordSpot::item(at, "messages", index), message);
        read.map_err(|error| error.at_key(index).at_key("messages"))?;
    }
    walk.builder.trace.id = response.string(&["response_id", "responseId"])?;
    walk.builder.trace.model = response.string(&["model", "model_id", "modelId"])?;
    if let Some(reason) = finish_reason(&mut response) {
        walk.builder.trace.stop_reason = Some(reason);
    }
    if let Some(usage) = TOKENS.read_from(&mut response, &["usage_details", "usage"])? {
        walk.builder.trace.usage = Some(Usage { partial: usage.partial || walk.is_before_1_0(), ..usage });
    }
    let agent = response.string(&["agent_id", "agentId"])?;
    walk.builder.trace.agent = walk.builder.trace.agent.take().or(agent);
    Ok(walk.finish())
}

/// A word, or in early versions an object that wraps it.
pub(crate) fn finish_reason(object: &mut JsonObject) -> Option<String> {
    match object.take(&["finish_reason", "finishReason"])? {
        JsonNode::String(reason) => Some(reason.into_string()),
        wrapped => wrapped.get("value").and_then(JsonNode::as_str).map(ToOwned::to_owned),
    }
}

/// Tokens by the names of all versions and of both languages.
pub(crate) const TOKENS: TokenKeys = TokenKeys {
    input: &["input_token_count", "inputTokenCount"],
    output: &["output_token_count", "outputTokenCount"],
    cached: &[
        "cache_read_input_token_count",
        "openai.cached_input_tokens",
        "prompt/cached_tokens",
        "cachedInputTokenCount",
        "InputTokenDetails.CachedTokenCount",
        "/additional_counts/cache_read_input_token_count",
        "/additional_counts/openai.cached_input_tokens",
        "/additional_counts/prompt/cached_tokens",
        "/additional_counts/cachedInputTokenCount",
        "/additional_counts/InputTokenDetails.CachedTokenCount",
        "/additionalCounts/cache_read_input_token_count",
        "/additionalCounts/openai.cached_input_tokens",
        "/additionalCounts/prompt/cached_tokens",
        "/additionalCounts/cachedInputTokenCount",
        "/additionalCounts/InputTokenDetails.CachedTokenCount",
    ],
    reasoning: &[
        "reasoning_output_token_count",
        "openai.reasoning_tokens",
        "completion/reasoning_tokens",
        "reasoningTokenCount",
        "OutputTokenDetails.ReasoningTokenCount",
        "/additional_counts/reasoning_output_token_count",
        "/additional_counts/openai.reasoning_tokens",
        "/additional_counts/completion/reasoning_tokens",
        "/additional_counts/reasoningTokenCount",
        "/additional_counts/OutputTokenDetails.ReasoningTokenCount",
        "/additionalCounts/reasoning_output_token_count",
        "/additionalCounts/openai.reasoning_tokens",
        "/additionalCounts/completion/reasoning_tokens",
        "/additionalCounts/reasoningTokenCount",
        "/additionalCounts/OutputTokenDetails.ReasoningTokenCount",
    ],
    ..TokenKeys::NONE
};
