//! `openai-responses`: requests and responses of OpenAI's Responses API, and files of the Agents SDK.
//!
//! The reader accepts a list of items, a response, a log of responses or of requests and responses, the events of streamed
//! responses, and the results of a batch. Of the Agents SDK, for Python or JavaScript, it accepts a result's
//! `to_input_list()` or `history`, its raw responses, its items, the events of its stream, the state of a run, and exported
//! traces. Items do not record which tools failed: the status of an answered call is unknown. Exported traces record it, but
//! not the ids of calls.

pub(crate) mod items;
mod run_items;
mod run_state;
mod span_tree;
mod spans;
pub(crate) mod stream;

use std::borrow::Cow;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::batch;
use crate::reader::build::conversation::{Conversation, Conversations};
use crate::reader::build::exchange::{Exchange, LocatedMessage, Reply, TurnEnding};
use crate::reader::build::tool_result::error_of;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input};
use crate::reader::json::record_marks::{Mark, hash_marks};
use crate::reader::large::follow::{self, Log};
use crate::reader::large::pieces::{Pieces, Splitting};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Results, Trace};
use items::Items;

pub(crate) const READER: Reader = Reader {
    name: "openai-responses",
    summary: "OpenAI Responses: items, responses, logs, streams; the Agents SDK's results, items, events, run states, traces",
    marks: &hash_marks([
        "type",
        "content/",
        "object",
        "data/",
        "$schemaVersion",
        "output/",
        "input",
        "request/",
        "response/",
    ]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

/// Keys next to requests and responses in the steps of libraries that wrap this format.
const FOREIGN: [&str; 4] = ["stepNumber", "steps", "finishReason", "toolCalls"];

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResponsesShape {
    /// A message, a call or a result.
    Item,
    /// A request, a response, or both.
    ModelCall,
    /// An event of a streamed response.
    Event,
    /// The state of an Agents SDK run.
    State,
    /// A span of an Agents SDK trace, or many.
    Span,
    /// An item of an Agents SDK run, or an event of its stream.
    RunItem,
}

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    // Cases of a batch may have failed, which says nothing about the format.
    let records = input.records.iter().filter(|record| batch::failure(&record.value).is_none());
    let first = records.clone().next().and_then(|record| shape(&record.value));
    let first = first.ok_or("the first record is not of this format")?;
    // Items look like the events of many other formats. Most of these files are declined without a look at each shape.
    let is_item = |record: &JsonNode| batch::failure(record).is_none() && is_telling(record);
    if first == ResponsesShape::Item && !input.any_with(&TELLING_KEYS, is_item) {
        return Err("nothing in it is of this format alone".into());
    }
    // A stream may contain other events between those of this format: `error`, `keepalive`.
    let mut foreign =
        records.filter(|record| first != ResponsesShape::Event && shape(&record.value) != Some(first));
    match foreign.next() {
        Some(record) => Err(Reason::of(record.at, "is not of this format")),
        None => Ok(Certainty::Sure),
    }
}

fn shape(value: &JsonNode) -> Option<ResponsesShape> {
    if span_tree::is_span(value) {
        return Some(ResponsesShape::Span);
    }
    let calls = value.get("model_responses").or_else(|| value.get("modelResponses"));
    if value.get("$schemaVersion").is_some() && calls.is_some_and(JsonNode::is_array) {
        return Some(ResponsesShape::State);
    }
    if stream::is_event(value) {
        return Some(ResponsesShape::Event);
    }
    if run_items::is_run_item(value) {
        return Some(ResponsesShape::RunItem);
    }
    // The forms above are certain; those below are similar to other formats, so their keys must be absent.
    if FOREIGN.iter().any(|key| value.get(key).is_some()) {
        return None;
    }
    let [request, response] = ["request", "response"].map(|name| body(value, name));
    if is_response(value) || response.is_some_and(is_response) || is_request(request.unwrap_or(value)) {
        return Some(ResponsesShape::ModelCall);
    }
    let foreign = ["contents", "parts", "tool_calls", "message", "payload", "data", "kind"];
    let is_item = value.text_under("role").is_some() || value.text_under("type").is_some();
    (is_item && foreign.iter().all(|key| value.get(key).is_none())).then_some(ResponsesShape::Item)
}

/// Keys of which an item that only this format has must have one.
const TELLING_KEYS: [Mark; 4] = hash_marks(["content/", "call_id", "callId", "server_label"]);

/// Whether an item is one that only this format has.
fn is_telling(item: &JsonNode) -> bool {
    let kind = item.get("type").and_then(JsonNode::as_str).unwrap_or_default();
    match kind {
        "message" | "" => content_kinds(item).any(|part| match part {
            "output_text" | "input_text" => true,
            "refusal" => kind == "message",
            _ => false,
        }),
        "function_call" | "custom_tool_call" => {
            (item.has_key("call_id") || item.has_key("callId")) && item.has_key("name")
        }
        "function_call_result" => item.has_key("callId"),
        "mcp_call" => item.has_key("server_label"),
        kind => kind.ends_with("_call_output") && item.has_key("call_id"),
    }
}

fn content_kinds<'v>(item: &'v JsonNode) -> impl Iterator<Item = &'v str> {
    let parts = item.get("content").and_then(JsonNode::as_array).into_iter().flatten();
    parts.filter_map(|part| part.get("type")?.as_str())
}

fn is_response(value: &JsonNode) -> bool {
    let of_service = value.get("object").and_then(JsonNode::as_str) == Some("response");
    (of_service || is_model_response(value)) && value.get("output").is_some_and(JsonNode::is_array)
}

/// Whether this is the Agents SDK's own form of a response: an entry of `raw_responses` or `rawResponses`.
fn is_model_response(value: &JsonNode) -> bool {
    value.get("usage").is_some() && ["response_id", "responseId"].iter().any(|name| value.get(name).is_some())
}

/// Whether a value is a request. Its `input` is a text or a list of items. Records of other formats with an `input` lack
/// the `model` or have more keys.
fn is_request(value: &JsonNode) -> bool {
    let strange = ["messages", "steps", "calls", "output", "contents", "tool_calls", "type"];
    match value.get("input") {
        Some(JsonNode::Array(_)) => ["input", "output"].iter().any(|name| tells(value, name)),
        Some(JsonNode::String(_)) => {
            let plain = strange.iter().all(|key| value.get(key).is_none());
            tells(value, "output") || (plain && value.get("model").is_some_and(JsonNode::is_string))
        }
        _ => false,
    }
}

/// Whether the items under `name` are of this format alone.
fn tells(value: &JsonNode, name: &str) -> bool {
    value.get(name).and_then(JsonNode::as_array).is_some_and(|items| items.iter().any(is_telling))
}

/// Returns the request or response in a line of a log. Some loggers wrap it in `body`.
fn body<'v, 't>(value: &'v JsonNode<'t>, name: &str) -> Option<&'v JsonNode<'t>> {
    let found = value.get(name).filter(|found| found.is_object())?;
    Some(found.get("body").filter(|body| body.is_object()).unwrap_or(found))
}

/// Only logs of model calls are split. A file of items is one run. The run of an event or a span depends on records that
/// may be far from it.
fn split_file(input: &Input) -> Option<Pieces> {
    is_call(input.first().ok()?).then(|| follow::calls(|| Log { is_call, exchange }.follow()))
}

fn is_call(value: &JsonNode) -> bool {
    shape(value) == Some(ResponsesShape::ModelCall)
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    match input.records.first().and_then(|record| shape(&record.value)) {
        Some(ResponsesShape::Span) => spans::read(input.records),
        Some(ResponsesShape::State) => input.records.into_iter().map(run_state::read).collect(),
        Some(ResponsesShape::Event) => {
            let records = stream::whole(input.records)?;
            log(Input::new(input.text, input.source, records))
        }
        Some(ResponsesShape::RunItem) => Ok(vec![run_items::read(input.records)?]),
        _ => log(input),
    }
}

fn log(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let is_item = |value: &JsonNode| shape(value) == Some(ResponsesShape::Item);
    Conversations::read_input(input, is_item, exchange, trace_of)
}

/// Reads one record of a log: a request, a response, or both.
fn exchange(at: At, value: JsonNode<'_>) -> Result<Exchange<'_>, DecodeError> {
    let mut record = JsonObject::of(value, "a model call")?;
    if record.get("output").is_some_and(JsonNode::is_array) {
        // Some loggers put the request's `input` beside the output of the response.
        let has_input = record.get("input").is_some();
        let request = if has_input { Some(asked(at, "input", &mut record)?) } else { None };
        return response(at, "output", record, request);
    }
    let answer = unwrap_body(record.object(&["response"])?)?;
    let request = unwrap_body(record.object(&["request"])?)?;
    let path = if request.is_some() { "request/input" } else { "input" };
    let mut request = request.unwrap_or(record);
    if request.get("input").is_none() && answer.is_none() {
        return Err(DecodeError::new("there is neither a request with `input` nor a response in it"));
    }
    let asked = asked(at, path, &mut request)?;
    match answer {
        Some(answer) => response(at, "response/output", answer, Some(asked)),
        None => Ok(asked),
    }
}

fn unwrap_body(wrapped: Option<JsonObject<'_>>) -> Result<Option<JsonObject<'_>>, DecodeError> {
    let Some(mut object) = wrapped else { return Ok(None) };
    let body =
        if object.get("body").is_some_and(JsonNode::is_object) { object.object(&["body"])? } else { None };
    Ok(Some(body.unwrap_or(object)))
}

/// Reads the messages of a request.
fn asked<'t>(at: At, path: &'static str, request: &mut JsonObject<'t>) -> Result<Exchange<'t>, DecodeError> {
    let mut said: Vec<LocatedMessage> = instructions(at, request).into_iter().collect();
    match request.take(&["input"]) {
        Some(JsonNode::Array(items)) => said.extend(LocatedMessage::list(at, path, items)),
        Some(text @ JsonNode::String(_)) => said.push(LocatedMessage::part(at, path, message("user", text))),
        None => {}
        Some(_) => return Err(DecodeError::new("neither text nor a list of items").at_key("input")),
    }
    // A replayed request is compared with the run item by item. An item that some clients drop would make them differ.
    said.retain(|said| !is_reasoning(&said.value));
    let previous = request.string(&["previous_response_id"])?;
    Ok(Exchange {
        request: said,
        reply: None,
        model: request.string(&["model"])?,
        previous,
        ..Exchange::default()
    })
}

fn instructions<'t>(at: At, object: &mut JsonObject<'t>) -> Option<LocatedMessage<'t>> {
    let text = object.take(&["instructions"]).filter(JsonNode::is_string)?;
    Some(LocatedMessage::part(at, "instructions", message("system", text)))
}

fn message<'t>(role: &'static str, content: JsonNode<'t>) -> JsonNode<'t> {
    JsonNode::object([("role", JsonNode::String(role.into())), ("content", content)])
}

/// Whether an item is reasoning, which a client may drop when it replays a conversation.
fn is_reasoning(item: &JsonNode) -> bool {
    item.get("type").and_then(JsonNode::as_str) == Some("reasoning")
}

/// Reads the messages of a response. The instructions are read from it only if there is no request.
fn response<'t>(
    at: At,
    path: &'static str,
    mut response: JsonObject<'t>,
    request: Option<Exchange<'t>>,
) -> Result<Exchange<'t>, DecodeError> {
    let instructions = if request.is_none() { instructions(at, &mut response) } else { None };
    let mut messages: Vec<LocatedMessage> = instructions.into_iter().collect();
    let output = response.list(&["output"])?;
    messages
        // Reasoning is no message, and most logs have it only encrypted.
        .extend(LocatedMessage::list(at, path, output).into_iter().filter(|said| !is_reasoning(&said.value)));
    let reply = Reply {
        id: response.string(&["id", "response_id", "responseId"])?,
        messages,
        usage: TOKENS.read_from(&mut response, &["usage"])?,
        stop_reason: stop_reason(&mut response)?,
    };
    let request = request.unwrap_or_default();
    let provider_model = response.get("providerData").and_then(|data| data.get("model")?.as_str());
    let provider_model = provider_model.map(ToOwned::to_owned);
    let model = response.string(&["model"])?.or(provider_model).or(request.model);
    let previous = response.string(&["previous_response_id"])?.or(request.previous);
    Ok(Exchange { request: request.request, reply: Some(reply), model, previous, ..Exchange::default() })
}

/// Returns the reason why a response ended: the details of an incomplete response, the error, or else the status. A
/// response that was cancelled is a failure, and has no error of its own.
fn stop_reason<'t>(response: &mut JsonObject<'t>) -> Result<Option<Cow<'t, str>>, DecodeError> {
    let reason = response
        .get("incomplete_details")
        .and_then(|details| details.get("reason"))
        .and_then(JsonNode::as_str);
    let reason = reason.map(ToOwned::to_owned);
    let said = reason.or_else(|| error_of(response).map(|error| format!("error: {error}")));
    let status = response.text(&["status"])?;
    let status = status.map(|status| if status == "cancelled" { "error: cancelled".into() } else { status });
    Ok(said.map(Cow::Owned).or(status))
}

/// Tokens of a response. In the state of a run, the details are lists with one entry for each model call.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens", "inputTokens", "prompt_tokens"],
    output: &["output_tokens", "outputTokens", "completion_tokens"],
    cached: &[
        "/input_tokens_details/cached_tokens",
        "/inputTokensDetails/cached_tokens",
        "/prompt_tokens_details/cached_tokens",
    ],
    reasoning: &[
        "/output_tokens_details/reasoning_tokens",
        "/outputTokensDetails/reasoning_tokens",
        "/completion_tokens_details/reasoning_tokens",
    ],
    ..TokenKeys::NONE
};

fn trace_of(run: Conversation) -> Result<Trace, DecodeError> {
    let (messages, mut trace, beside) = run.finish();
    // Some programs keep the outputs of their tools among those of the model.
    let is_output = |kind: &str| kind.ends_with("_call_output") || kind.ends_with("_call_result");
    if messages.iter().any(|said| said.value.text_under("type").is_some_and(is_output)) {
        trace.results = Results::Recorded;
    }
    let mut items = Items::default();
    *items.trace() = trace;
    for LocatedMessage { spot, reply, ending, value, .. } in messages {
        let evidence = items.builder.open_record(spot, &value);
        items.add(value, reply).map_err(|error| spot.blame(error))?;
        items.builder.close_record(evidence);
        // Only the last item of a reply has the ending: a reply with three calls is one turn with one usage.
        if let Some(TurnEnding { stop_reason, usage }) = ending {
            items.builder.end_turn(stop_reason.as_deref(), usage);
        }
    }
    items.builder.close_records(beside);
    Ok(items.builder.finish())
}
