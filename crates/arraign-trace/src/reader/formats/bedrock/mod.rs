//! `bedrock`: messages of Amazon Bedrock's Converse API, and of Strands Agents, which stores the same messages.
//!
//! The reader accepts a list of messages, a request, responses, a log of requests and responses, one per line, the events
//! of `ConverseStream`, and Bedrock's own log of model invocations. Of Strands, it accepts `agent.messages`, the messages
//! of a stored session, the events of a stream, and a result, which contains only the last message: its calls are not
//! recorded. A log records how long the model took, but not the tools: only a run without calls has a duration.

mod message;
mod strands;
mod stream;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::conversation::Conversations;
use crate::reader::build::exchange::{Exchange, LocatedMessage, Reply};
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::follow::{self, Log};
use crate::reader::large::pieces::{Pieces, Splitting};
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{CallsUnrecorded, Trace, Usage};
use message::{add_message, judge_messages};

pub(crate) const READER: Reader = Reader {
    name: "bedrock",
    summary: "Amazon Bedrock Converse: messages, requests, responses, streams, invocation logs; Strands Agents",
    marks: &hash_marks([
        "role",
        "messages/",
        "message/",
        "output/",
        "input/",
        "request/",
        "response/",
        "event/",
        "init_event_loop",
        "beforeInvocationEvent",
        "messageAddedEvent",
        "messageStart/",
        "contentBlockStart/",
        "contentBlockDelta/",
        "contentBlockStop/",
        "messageStop/",
        "metadata/",
        "internalServerException/",
        "modelStreamErrorException/",
        "validationException/",
        "throttlingException/",
        "serviceUnavailableException/",
    ]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

fn detect_format(input: &Input) -> Detection {
    if is_message(input.first()?) {
        return judge_messages(input.records.iter().map(|record| &record.value), "");
    }
    let records = input.records.iter().map(|record| &record.value);
    if strands::is_stream(records.clone()) {
        return judge_messages(records.filter_map(strands::find_message), "message");
    }
    let mut best = Certainty::Possible;
    for record in &input.records {
        let judged = judge_record(&record.value);
        best = best.max(judged.map_err(|reason| reason.in_record(record.at))?);
    }
    Ok(best)
}

fn judge_record(record: &JsonNode) -> Detection {
    if let JsonNode::Array(messages) = record {
        return judge_messages(messages.iter(), "");
    }
    if let Some(message) = stored_message(record) {
        return judge_messages(std::iter::once(message), "message");
    }
    if stream::is_event(record) || is_strands_result(record) {
        return Ok(Certainty::Sure);
    }
    let (request, response, paths) = split_record(record);
    if response.is_some_and(is_response) {
        return Ok(Certainty::Sure);
    }
    match request.get("messages").and_then(JsonNode::as_array) {
        Some(messages) => judge_messages(messages.iter(), paths.messages),
        None => Err("has neither `messages` nor an `output` with a `message`".into()),
    }
}

/// Whether a record is a message itself, not something that holds messages.
fn is_message(value: &JsonNode) -> bool {
    value.get("role").is_some() && value.get("content").is_some_and(JsonNode::is_array)
}

fn is_response(value: &JsonNode) -> bool {
    value.pointer("/output/message/content").is_some_and(JsonNode::is_array)
}

/// Whether a record is `AgentResult.to_dict()` of Strands.
fn is_strands_result(value: &JsonNode) -> bool {
    value.has_key("stop_reason") && !value.has_key("message_id") && stored_message(value).is_some()
}

/// The message that Strands wraps in the file of a stored session, or in a result.
fn stored_message<'v, 't>(record: &'v JsonNode<'t>) -> Option<&'v JsonNode<'t>> {
    let is_wrapped = record.get("message_id").is_some() || record.get("stop_reason").is_some();
    record.get("message").filter(|message| is_wrapped && is_message(message))
}

/// The keys under which a record of a log keeps its parts.
#[derive(Debug)]
struct RecordPaths {
    request: &'static str,
    response: &'static str,
    messages: &'static str,
    system: &'static str,
    reply: &'static str,
}

const BARE: RecordPaths = RecordPaths {
    request: "",
    response: "",
    messages: "messages",
    system: "system",
    reply: "output/message",
};

const LOGGED: RecordPaths = RecordPaths {
    request: "/request",
    response: "/response",
    messages: "request/messages",
    system: "request/system",
    reply: "response/output/message",
};

/// Bedrock's log of model invocations.
const INVOCATION: RecordPaths = RecordPaths {
    request: "/input/inputBodyJson",
    response: "/output/outputBodyJson",
    messages: "input/inputBodyJson/messages",
    system: "input/inputBodyJson/system",
    reply: "output/outputBodyJson/output/message",
};

/// The request and the response of a record. A record that is neither's wrapper is both.
fn split_record<'v, 't>(
    record: &'v JsonNode<'t>,
) -> (&'v JsonNode<'t>, Option<&'v JsonNode<'t>>, RecordPaths) {
    if let Some(body) = record.pointer("/input/inputBodyJson") {
        return (body, record.pointer("/output/outputBodyJson"), INVOCATION);
    }
    let request = record.get("request");
    let response = record.get("response");
    match (request, response) {
        (None, None) => (record, Some(record), BARE),
        (request, response) => (request.unwrap_or(record), response, LOGGED),
    }
}

/// Splits the records of a log. A list of messages is one run, and so are, mostly, the events of a stream.
fn split_file(input: &Input) -> Option<Pieces> {
    is_model_call(input.first().ok()?)
        .then(|| follow::calls(|| Log { is_call: is_model_call, exchange }.follow()))
}

fn is_model_call(value: &JsonNode) -> bool {
    !is_message(value)
        && stored_message(value).is_none()
        && !stream::is_event(value)
        && !strands::is_event(value)
}

fn read_runs(mut input: Input) -> Result<Vec<Trace>, DecodeError> {
    if strands::is_stream(input.records.iter().map(|record| &record.value)) {
        return strands::read(input.records);
    }
    if input.first().is_ok_and(is_strands_result) {
        return input.records.into_iter().map(read_strands_result).collect();
    }
    if input.first().is_ok_and(|first| stored_message(first).is_some()) {
        let messages = input.records.into_iter().map(read_stored_message).collect::<Result<_, _>>()?;
        return Conversations::of_messages(messages).into_iter().map(|run| run.read(add_message)).collect();
    }
    // Joined streams are responses, and are read as such below.
    if input.records.iter().any(|record| stream::is_event(&record.value)) {
        input = input.join_records(stream::join_events)?;
    }
    Conversations::read_input(input, is_message, exchange, |run| run.read(add_message))
}

/// A result is the end of a run: its last message, and the tokens of that message alone.
fn read_strands_result(Record { at, value }: Record) -> Result<Trace, DecodeError> {
    let mut record = JsonObject::of(value, "a result").map_err(|error| at.in_record(error))?;
    let stop_reason = record.string(&["stop_reason"]).map_err(|error| at.in_record(error))?;
    let said = LocatedMessage::part(at, "message", record.take(&["message"]).unwrap_or_default());
    let run = Conversations::of_messages(vec![said]).into_iter().next().unwrap_or_default();
    let mut trace = run.read(add_message)?;
    trace.calls_unrecorded = Some(CallsUnrecorded::ByFormat);
    trace.usage = trace.usage.map(|usage| Usage { partial: true, ..usage });
    trace.stop_reason = stop_reason;
    Ok(trace)
}

/// Reads a stored message. If a guardrail has redacted it, the redacted one is stored beside it, and is the one that
/// counts.
fn read_stored_message(Record { at, value }: Record<'_>) -> Result<LocatedMessage<'_>, DecodeError> {
    let mut record = JsonObject::of(value, "a stored message").map_err(|error| at.in_record(error))?;
    if let Some(redacted) = record.take(&["redact_message"]) {
        return Ok(LocatedMessage::part(at, "redact_message", redacted));
    }
    let message = record.take(&["message"]);
    let message = message.ok_or_else(|| at.in_record(DecodeError::new("`message` is missing")))?;
    Ok(LocatedMessage::part(at, "message", message))
}

/// Reads one record of a log: a request, a response, or both.
fn exchange(at: At, value: JsonNode<'_>) -> Result<Exchange<'_>, DecodeError> {
    if let JsonNode::Array(messages) = value {
        return Ok(Exchange { request: LocatedMessage::list(at, "", messages), ..Exchange::default() });
    }
    let (_, _, paths) = split_record(&value);
    let mut record = JsonObject::of(value, "a model call")?;
    let model = record.string(&["modelId"])?;
    let id = record.string(&["requestId"])?;
    let (mut request, mut response) = take_bodies(record)?;
    let asked = read_request(at, &mut request, &paths).map_err(|error| error.at(paths.request))?;
    // A record without an envelope has the answer beside the question.
    let answer = response.as_mut().unwrap_or(&mut request);
    let answered = read_reply(at, answer, &paths).map_err(|error| error.at(paths.response))?;
    if asked.request.is_empty() && answered.reply.is_none() {
        return Err(DecodeError::new("there are neither `messages` nor an `output` in it"));
    }
    let reply = answered.reply.map(|reply| Reply { id: id.or(reply.id), ..reply });
    Ok(Exchange { reply, model: asked.model.or(model), request: asked.request, ..answered })
}

/// The request of a record, and its response, if the two are apart.
fn take_bodies(mut record: JsonObject<'_>) -> Result<(JsonObject<'_>, Option<JsonObject<'_>>), DecodeError> {
    // Invocation logs keep both bodies, each one level deeper.
    if record.get("input").is_some_and(|input| input.get("inputBodyJson").is_some()) {
        let mut input = record.object(&["input"])?.unwrap_or_default();
        let mut output = record.object(&["output"])?.unwrap_or_default();
        let request = input.object(&["inputBodyJson"]).map_err(|error| error.at_key("input"))?;
        let response = output.object(&["outputBodyJson"]).map_err(|error| error.at_key("output"))?;
        return Ok((request.unwrap_or_default(), Some(response.unwrap_or_default())));
    }
    let request = record.object(&["request"])?;
    let response = record.object(&["response"])?;
    Ok((request.unwrap_or(record), response))
}

fn read_request<'t>(
    at: At,
    request: &mut JsonObject<'t>,
    paths: &RecordPaths,
) -> Result<Exchange<'t>, DecodeError> {
    let system = request.take(&["system"]).filter(JsonNode::is_array);
    let system = system
        .map(|content| JsonNode::object([("role", JsonNode::String("system".into())), ("content", content)]))
        .map(|message| LocatedMessage::part(at, paths.system, message));
    let messages = LocatedMessage::list(at, paths.messages, request.list(&["messages"])?);
    let model = request.string(&["modelId"])?;
    Ok(Exchange { request: system.into_iter().chain(messages).collect(), model, ..Exchange::default() })
}

fn read_reply<'t>(
    at: At,
    response: &mut JsonObject<'t>,
    paths: &RecordPaths,
) -> Result<Exchange<'t>, DecodeError> {
    let Some(message) = response.object(&["output"])?.and_then(|mut output| output.take(&["message"])) else {
        return Ok(Exchange::default());
    };
    let metadata = ["ResponseMetadata", "$metadata"];
    let id = response.within(&metadata, |mut metadata| metadata.string(&["RequestId", "requestId"]))?;
    let model_ms = response.within(&["metrics"], |mut metrics| metrics.figure(&["latencyMs"]))?;
    let reply = Reply {
        id: id.flatten(),
        messages: vec![LocatedMessage::part(at, paths.reply, message)],
        usage: TOKENS.read_from(response, &["usage"])?,
        stop_reason: response.text(&["stopReason"])?,
    };
    Ok(Exchange { reply: Some(reply), model_ms: model_ms.flatten(), ..Exchange::default() })
}

/// The names of tokens. Bedrock counts what a cache holds beside the input; Strands keeps the figures of other providers,
/// some of which include it.
pub(crate) const TOKENS: TokenKeys = TokenKeys {
    input: &["inputTokens"],
    more_input: &[&["cacheReadInputTokens"], &["cacheWriteInputTokens"]],
    output: &["outputTokens"],
    cached: &["cacheReadInputTokens"],
    may_include_more: true,
    ..TokenKeys::NONE
};
