//! `anthropic`: requests and responses of Anthropic's Messages API.
//!
//! The reader accepts a list of messages, a request body, a response, a log of responses, a log of requests and responses,
//! one per line, the events of streamed messages, and the results of a batch, where each case is a run under its
//! `custom_id`. A log with only responses contains no results: its calls stay unanswered.

pub(crate) mod stream;

use std::borrow::Cow;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::batch;
use crate::reader::build::content::content_value;
use crate::reader::build::conversation::Conversations;
use crate::reader::build::exchange::{Exchange, LocatedMessage, Reply};
use crate::reader::build::message_list::MessageMarks;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input};
use crate::reader::json::record_marks::{Mark, hash_marks};
use crate::reader::large::follow::{self, Log};
use crate::reader::large::pieces::{Pieces, Splitting};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, Role, ToolServer, Trace};

pub(crate) const READER: Reader = Reader {
    name: "anthropic",
    summary: "Anthropic Messages: messages, requests, responses, streams",
    marks: &hash_marks([
        "role",
        "message_start",
        "messages/",
        "request/",
        "response/",
        "result/",
        "custom_id",
    ]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

/// The mark of a file with the start of a stream.
const START: [Mark; 1] = hash_marks(["message_start"]);

fn detect_format(input: &Input) -> Detection {
    if is_message(input.first()?) {
        return MESSAGES.judge(input.records.iter().map(|record| &record.value), "");
    }
    // A stream proves itself by its start, but one foreign record among its events makes it another format.
    if input.any_with(&START, stream::is_start) {
        return match input.records.iter().find(|record| !stream::is_event(&record.value)) {
            Some(record) => Err(Reason::of(record.at, "is no event of a stream")),
            None => Ok(Certainty::Sure),
        };
    }
    let mut best = Certainty::Possible;
    let is_batch = batch::may_be_batch(input);
    for record in &input.records {
        // A request of a batch that failed has no message to judge.
        if is_batch && batch::failure(&record.value).is_some() {
            continue;
        }
        let judged = judge_record(&record.value);
        best = best.max(judged.map_err(|reason| reason.in_record(record.at))?);
    }
    Ok(best)
}

/// Whether a record is a message of a list. A response is a message too, but says so in its `type`.
fn is_message(value: &JsonNode) -> bool {
    value.get("role").is_some() && value.get("type").is_none()
}

fn judge_record(value: &JsonNode) -> Detection {
    if let JsonNode::Array(messages) = value {
        return MESSAGES.judge(messages.iter(), "");
    }
    if is_response(value) {
        return MESSAGES.judge(std::iter::once(value), "").map(|_| Certainty::Sure);
    }
    let answer = value.get("response").or_else(|| value.pointer("/result/message"));
    if answer.is_some_and(is_response) {
        return Ok(Certainty::Sure);
    }
    if let Some(kind) = value.get("type").and_then(JsonNode::as_str) {
        return Err(format!("has the type `{kind}`, not `message`").into());
    }
    let request = value.get("request").filter(|request| request.is_object()).unwrap_or(value);
    let Some(messages) = request.get("messages").and_then(JsonNode::as_array) else {
        return Err("has no `messages` and is no response".into());
    };
    let certainty = MESSAGES.judge(messages.iter(), "messages")?;
    // The messages alone are like those of other services: only the schema of a tool is spelled so by this one.
    let floor = match (request.pointer("/tools/0/input_schema"), request.get("system")) {
        (Some(_), _) => Certainty::Sure,
        (None, Some(JsonNode::String(_) | JsonNode::Array(_))) => Certainty::Likely,
        _ => Certainty::Possible,
    };
    Ok(certainty.max(floor))
}

fn is_response(value: &JsonNode) -> bool {
    value.get("type").and_then(JsonNode::as_str) == Some("message")
        && value.get("role").and_then(JsonNode::as_str) == Some("assistant")
        && value.get("content").is_some_and(JsonNode::is_array)
}

const MESSAGES: MessageMarks = MessageMarks { is_telling: has_tool_blocks, object_to };

fn has_tool_blocks(message: &JsonNode) -> bool {
    let blocks = message.get("content").and_then(JsonNode::as_array);
    let mut blocks = blocks.unwrap_or_default().iter();
    message.has_key("role")
        && blocks.any(|block| match kind(block) {
            Some("tool_result") => block.has_key("tool_use_id"),
            Some(kind) => is_call(kind) && block.has_key("input"),
            None => false,
        })
}

fn is_call(kind: &str) -> bool {
    matches!(kind, "tool_use" | "server_tool_use" | "mcp_tool_use")
}

fn kind<'v>(block: &'v JsonNode) -> Option<&'v str> {
    block.get("type").and_then(JsonNode::as_str)
}

/// Returns the reason why `message` is not of this format, if there is one.
fn object_to(message: &JsonNode) -> Option<String> {
    match message.get("role").and_then(JsonNode::as_str) {
        Some("user" | "assistant") => {}
        Some(role) => return Some(format!("has the role `{role}`")),
        None => return Some("has no `role`".to_owned()),
    }
    // Keys of other services' messages, whose roles and texts look the same.
    let strange = ["tool_calls", "function_call", "parts", "contents", "refusal"];
    if let Some(key) = strange.iter().find(|key| message.get(key).is_some()) {
        return Some(format!("has the key `{key}`, which this format does not use"));
    }
    match message.get("content") {
        Some(JsonNode::String(_)) => None,
        Some(JsonNode::Array(blocks)) => blocks.iter().find_map(object_to_block),
        _ => Some("has a content that is neither text nor blocks".to_owned()),
    }
}

/// Kinds of blocks that contain no call.
pub(crate) const BLOCKS: [&str; 8] = [
    "text",
    "image",
    "document",
    "thinking",
    "redacted_thinking",
    "search_result",
    "container_upload",
    "tool_reference",
];

fn object_to_block(block: &JsonNode) -> Option<String> {
    match kind(block) {
        Some(kind) if BLOCKS.contains(&kind) || kind.ends_with("_tool_result") => None,
        Some(kind) => Some(format!("has a content block of the type `{kind}`")),
        None => Some("has a content block without `type`".to_owned()),
    }
}

/// Splits the records of a log. A list of messages is one run, and so are, mostly, the events of a stream.
fn split_file(input: &Input) -> Option<Pieces> {
    is_model_call(input.first().ok()?)
        .then(|| follow::calls(|| Log { is_call: is_model_call, exchange }.follow()))
}

fn is_model_call(value: &JsonNode) -> bool {
    !is_message(value) && !stream::is_event(value)
}

fn read_runs(mut input: Input) -> Result<Vec<Trace>, DecodeError> {
    if input.records.iter().any(|record| stream::is_start(&record.value)) {
        input = input.join_records(stream::whole)?;
    }
    Conversations::read_input(input, is_message, exchange, |run| run.read(add_message))
}

/// Reads one record of a log: a request, a response, or both.
fn exchange(at: At, value: JsonNode<'_>) -> Result<Exchange<'_>, DecodeError> {
    if let JsonNode::Array(messages) = value {
        return Ok(Exchange { request: LocatedMessage::list(at, "", messages), ..Exchange::default() });
    }
    if is_response(&value) {
        return response(at, "", value, Vec::new());
    }
    // A line of a batch has the answer without its request.
    let mut record = JsonObject::of(value, "a model call")?;
    let of_batch = record.object(&["result"])?.and_then(|mut result| result.take(&["message"]));
    if let Some(answer) = of_batch.filter(is_response) {
        return response(at, "result/message", answer, Vec::new());
    }
    let answer = record.take(&["response"]).filter(is_response);
    let request = record.object(&["request"])?;
    let path = if request.is_some() { "request/messages" } else { "messages" };
    let mut request = request.unwrap_or(record);
    let messages = request.list(&["messages"])?;
    if messages.is_empty() && answer.is_none() {
        return Err(DecodeError::new("there is neither a request with `messages` nor a response in it"));
    }
    let system = request
        .take(&["system"])
        .map(|text| JsonNode::object([("role", JsonNode::String("system".into())), ("content", text)]));
    let mut said: Vec<LocatedMessage> =
        system.map(|system| LocatedMessage::part(at, "system", system)).into_iter().collect();
    said.extend(LocatedMessage::list(at, path, messages));
    let model = request.string(&["model"])?;
    match answer {
        Some(answer) => response(at, "response", answer, said),
        None => Ok(Exchange { request: said, model, ..Exchange::default() }),
    }
}

fn response<'t>(
    at: At,
    path: &'static str,
    value: JsonNode<'t>,
    request: Vec<LocatedMessage<'t>>,
) -> Result<Exchange<'t>, DecodeError> {
    let mut message = JsonObject::of(value, "a response")?;
    let usage = TOKENS.read_from(&mut message, &["usage"])?;
    let [id, model] = ["id", "model"].map(|name| message.take_text(&[name]).map(Cow::into_owned));
    let stop_reason = message.take_text(&["stop_reason"]);
    let messages = vec![LocatedMessage::part(at, path, JsonNode::Object(message))];
    let reply = Reply { id, messages, usage, stop_reason };
    Ok(Exchange { request, reply: Some(reply), model, ..Exchange::default() })
}

/// The format counts what was read from a cache or written to one beside its input; a trace counts it in the input.
pub(crate) const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens"],
    more_input: &[&["cache_read_input_tokens"], &["cache_creation_input_tokens"]],
    output: &["output_tokens"],
    cached: &["cache_read_input_tokens"],
    reasoning: &["/output_tokens_details/thinking_tokens"],
    ..TokenKeys::NONE
};

/// Reads the role of a message, which is one of three.
pub(crate) fn read_role(message: &mut JsonObject) -> Result<Role, DecodeError> {
    match message.required(&["role"])?.as_ref() {
        "user" => Ok(Role::User),
        "system" => Ok(Role::System),
        "assistant" => Ok(Role::Assistant),
        other => {
            let problem = format!("the role `{other}` is neither `user` nor `assistant`");
            Err(DecodeError::new(problem).at_key("role"))
        }
    }
}

fn add_message(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let role = read_role(&mut message)?;
    builder.begin(Some(role));
    match message.take(&["content"]) {
        Some(JsonNode::Array(blocks)) => add_blocks(builder, blocks),
        Some(JsonNode::String(text)) => {
            builder.text(&text);
            Ok(())
        }
        None => Ok(()),
        Some(_) => Err(DecodeError::new("neither text nor a list of blocks").at_key("content")),
    }
}

/// Neighbouring texts are one text (citations cut it into blocks); a call between them makes them two.
fn add_blocks(builder: &mut TraceBuilder, blocks: Vec<JsonNode>) -> Result<(), DecodeError> {
    for (index, value) in blocks.into_iter().enumerate() {
        let blame = |error: DecodeError| error.at_key(index).at_key("content");
        builder.enter_part("content", index);
        let mut block = JsonObject::of(value, "a content block").map_err(blame)?;
        let kind = block.text(&["type"]).map_err(blame)?.unwrap_or_default();
        match kind.as_ref() {
            "text" => {
                let more = block.text(&["text"]).map_err(blame)?.unwrap_or_default();
                builder.text(&more);
            }
            kind if is_call(kind) => builder.call(call(block).map_err(blame)?),
            // Tools of the server have results of their own kinds: `web_search_tool_result` and others.
            kind if kind.ends_with("tool_result") => answer(builder, block).map_err(blame)?,
            other => builder.pass_over(other, &BLOCKS),
        }
    }
    Ok(())
}

/// The call that a block makes.
pub(crate) fn call(mut block: JsonObject) -> Result<Call, DecodeError> {
    let name = block.required(&["name"])?;
    let arguments = block.object_arguments("input");
    let id = block.string(&["id"])?;
    let by_service = block.get("type").and_then(JsonNode::as_str) == Some("server_tool_use");
    let server = match block.string(&["server_name"])? {
        None if by_service => ToolServer::BuiltIn,
        server => server.into(),
    };
    Ok(Call { id, server, ..Call::new(name, arguments, 0) })
}

/// Adds a result to its call.
pub(crate) fn answer(builder: &mut TraceBuilder, mut block: JsonObject) -> Result<(), DecodeError> {
    let id = block.required(&["tool_use_id"])?;
    let content = block.take(&["content"]).unwrap_or_default();
    let mut marks = OutcomeMarks::of(&block);
    // The results of tools of the server are objects of their own, with an error code or an exit code.
    marks.read_value(Some(&content));
    // The history of a trimmed log answers calls that are not in it.
    let Some(call) = builder.waiting(Some(&id), None) else {
        builder.compare_result(Some(&id), &marks, Unmarked::Worked);
        return Ok(());
    };
    let refused = content.get("error_code").and_then(JsonNode::as_str).map(ToOwned::to_owned);
    let result = content_value(content, "");
    marks.settle(call, Unmarked::Worked);
    call.exit_code = marks.exit_code();
    if marks.has_failed() {
        call.error = refused.or_else(|| result.as_str().map(ToOwned::to_owned));
    }
    call.result = Some(result);
    Ok(())
}
