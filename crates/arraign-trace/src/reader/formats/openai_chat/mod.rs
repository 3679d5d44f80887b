//! `openai-chat`: requests and responses of OpenAI's Chat Completions API, which many servers implement.
//!
//! The reader accepts a list of messages, a request body, a `chat.completion`, a log of requests and responses, one per
//! line, the chunks of streamed completions, and the results of a batch, where each case is a run under its `custom_id`.
//! A record with messages and an `id` of its own is a run under this id, unless it continues another record message by
//! message; two equal records are two runs.
//! Responses of Ollama's own API (`/api/chat`) are read as well, with the requests or alone.
//! The format does not record which tools failed: the status of an answered call is unknown.

mod detect;
pub(crate) mod ollama;
pub(crate) mod stream;

use crate::json::{Json, JsonNode, JsonObject};

use self::detect::{PARTS, ROLES, detect_format, is_message};
use crate::reader::Reader;
use crate::reader::build::content::text_of;
use crate::reader::build::conversation::Conversations;
use crate::reader::build::exchange::{Exchange, LocatedMessage, Reply};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::formats::semantic_kernel;
use crate::reader::json::input::{At, Input};
use crate::reader::json::object::read_each;
use crate::reader::json::record_marks::{Mark, hash_marks};
use crate::reader::large::follow::{self, Log};
use crate::reader::large::pieces::{Pieces, Splitting};
use crate::trace::{Arguments, Call, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "openai-chat",
    summary: "OpenAI Chat Completions: messages, completions, logs of requests and responses, streamed chunks; Ollama",
    marks: &hash_marks([
        "role",
        "messages/",
        "choices/",
        "object",
        "done",
        "request/",
        "response/",
        "custom_id",
    ]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

/// The mark of a file with pieces of streamed responses of Ollama.
const PIECES: [Mark; 1] = hash_marks(["done"]);

/// Only logs of requests and responses are split. A list of messages is one run, and so are the chunks of a stream in
/// nearly all files.
fn split_file(input: &Input) -> Option<Pieces> {
    let is_streamed = input.any_with(&PIECES, ollama::is_piece);
    (is_call(input.first().ok()?) && !is_streamed)
        .then(|| follow::calls(|| Log { is_call, exchange }.follow()))
}

fn is_call(value: &JsonNode) -> bool {
    !is_message(value) && !stream::is_chunk(value)
}

fn read_runs(mut input: Input) -> Result<Vec<Trace>, DecodeError> {
    // Streams are joined first, so that everything below reads whole responses.
    if input.first().is_ok_and(stream::is_chunk) {
        let text = input.text;
        input = input.join_records(|records| stream::whole(records, text))?;
    } else if input.any_with(&PIECES, ollama::is_piece) {
        input = input.join_records(ollama::join_pieces)?;
    }
    let has_plugins = semantic_kernel::names_plugins(&input);
    let mut runs = Conversations::read_input(input, is_message, exchange, |run| run.read(add_message))?;
    if has_plugins {
        runs.iter_mut().flat_map(|run| &mut run.calls).for_each(semantic_kernel::split_plugin);
    }
    Ok(runs)
}

/// Reads one record of a log: a request, a response, or both.
fn exchange(at: At, value: JsonNode<'_>) -> Result<Exchange<'_>, DecodeError> {
    if let JsonNode::Array(messages) = value {
        return Ok(Exchange { request: LocatedMessage::list(at, "", messages), ..Exchange::default() });
    }
    if ollama::is_response(&value) {
        return ollama::read_response(at, JsonObject::of(value, "a response")?, "message", Vec::new());
    }
    let mut record = JsonObject::of(value, "a model call")?;
    if record.get("choices").is_some() {
        let request = LocatedMessage::list(at, "messages", record.list(&["messages"])?);
        return completion(at, record, "choices/0/message", request);
    }
    let request = unwrap_body(record.object(&["request"])?)?;
    let response = unwrap_body(record.object(&["response"])?)?;
    let path = if request.is_some() { "request/messages" } else { "messages" };
    let mut request = request.unwrap_or(record);
    let model = request.string(&["model"])?;
    let messages = LocatedMessage::list(at, path, request.list(&["messages"])?);
    match response {
        Some(response) if response.get("choices").is_some() => {
            let exchange = completion(at, response, "response/choices/0/message", messages)?;
            // The response names the version that answered, and the request may name only an alias.
            Ok(Exchange { model: exchange.model.or(model), ..exchange })
        }
        Some(response) if response.get("done").is_some() && response.get("message").is_some() => {
            let exchange = ollama::read_response(at, response, "response/message", messages)?;
            Ok(Exchange { model: exchange.model.or(model), ..exchange })
        }
        _ if messages.is_empty() => Err(DecodeError::new("there are neither `messages` nor `choices` in it")),
        _ => Ok(Exchange { request: messages, model, ..Exchange::default() }),
    }
}

fn unwrap_body(wrapped: Option<JsonObject<'_>>) -> Result<Option<JsonObject<'_>>, DecodeError> {
    let Some(mut object) = wrapped else { return Ok(None) };
    let body =
        if object.get("body").is_some_and(JsonNode::is_object) { object.object(&["body"])? } else { None };
    Ok(Some(body.unwrap_or(object)))
}

fn completion<'t>(
    at: At,
    mut response: JsonObject<'t>,
    path: &'static str,
    request: Vec<LocatedMessage<'t>>,
) -> Result<Exchange<'t>, DecodeError> {
    let usage = TOKENS.read_from(&mut response, &["usage"])?;
    // Further choices are alternatives to the first. Nothing says which of them the agent took.
    let mut choices = response.list(&["choices"])?.into_iter();
    let choice = choices.next();
    let alternatives = choices.len();
    let choice = choice.ok_or_else(|| DecodeError::new("there is no choice in it").at_key("choices"))?;
    let mut choice = JsonObject::of(choice, "a choice").map_err(|error| error.at("/choices/0"))?;
    let message =
        choice.take(&["message"]).ok_or_else(|| DecodeError::new("`message` is missing").at("/choices/0"))?;
    let reply = Reply {
        id: response.string(&["id"])?,
        messages: vec![LocatedMessage { alternatives, ..LocatedMessage::part(at, path, message) }],
        usage,
        stop_reason: choice.text(&["finish_reason"]).map_err(|error| error.at("/choices/0"))?,
    };
    Ok(Exchange { request, reply: Some(reply), model: response.string(&["model"])?, ..Exchange::default() })
}

/// Tokens of a response.
const TOKENS: TokenKeys = TokenKeys {
    input: &["prompt_tokens"],
    output: &["completion_tokens"],
    cached: &["/prompt_tokens_details/cached_tokens"],
    reasoning: &["/completion_tokens_details/reasoning_tokens"],
    ..TokenKeys::NONE
};

fn add_message(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let role = message.required(&["role"])?;
    match role.as_ref() {
        "system" | "developer" => add_text(builder, Role::System, message)?,
        "user" => add_text(builder, Role::User, message)?,
        "assistant" => add_assistant(builder, message)?,
        "tool" | "function" => answer(builder, message)?,
        other => {
            let problem = format!("the role `{other}` is not one of `{}`", ROLES.join("`, `"));
            return Err(DecodeError::new(problem).at_key("role"));
        }
    }
    Ok(())
}

/// Adds a message that is text alone. Without a content, it is the empty text.
fn add_text(builder: &mut TraceBuilder, role: Role, mut message: JsonObject) -> Result<(), DecodeError> {
    builder.begin(Some(role));
    add_content(builder, message.take(&["content"]).unwrap_or(JsonNode::String("".into())))?;
    builder.end();
    Ok(())
}

/// Adds the text of a message's content: itself, or its parts.
fn add_content(builder: &mut TraceBuilder, content: JsonNode) -> Result<(), DecodeError> {
    let JsonNode::Array(parts) = content else {
        builder.text(&content.into_text_or_json());
        return Ok(());
    };
    // A list of parts says something, even if none of them is text.
    builder.text("");
    read_each(parts, |part| add_part(builder, part)).map_err(|error| error.at_key("content"))
}

fn add_part(builder: &mut TraceBuilder, part: JsonNode) -> Result<(), DecodeError> {
    let mut part = match part {
        JsonNode::String(text) => {
            builder.text(&text);
            return Ok(());
        }
        part => JsonObject::of(part, "a content part")?,
    };
    let kind = part.text(&["type"])?;
    let kind = kind.ok_or_else(|| DecodeError::new("a content part without `type`"))?;
    match part.take(&["text", "refusal"]).and_then(JsonNode::into_text) {
        Some(text) => builder.text(&text),
        None => builder.pass_over(&kind, &PARTS),
    }
    Ok(())
}

fn add_assistant(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    builder.begin(Some(Role::Assistant));
    if let Some(content) = message.take(&["content", "refusal"]) {
        // A spoken answer has no text but its transcript.
        add_content(builder, content)?;
    } else if let Some(mut audio) = message.object(&["audio"])? {
        builder.text(&audio.text(&["transcript"])?.unwrap_or_default());
    }
    message.each_value(&["tool_calls"], |value| {
        builder.call(tool_call(value)?);
        Ok(())
    })?;
    if let Some(function) = message.take(&["function_call"]) {
        builder.call(legacy_call(function)?);
    }
    builder.end();
    Ok(())
}

fn legacy_call(value: JsonNode) -> Result<Call, DecodeError> {
    let function = JsonObject::of(value, "a function call").and_then(function_call);
    function.map_err(|error| error.at_key("function_call"))
}

fn tool_call(value: JsonNode) -> Result<Call, DecodeError> {
    let mut call = JsonObject::of(value, "a tool call")?;
    let id = call.string(&["id"])?;
    if let Some(mut custom) = call.object(&["custom"])? {
        let name = custom.required(&["name"])?;
        // A custom tool's input is free text: it is no broken JSON.
        let input = custom.take(&["input"]).unwrap_or_default().into_json();
        return Ok(Call { id, ..Call::new(name, Arguments::Json(input), 0) });
    }
    let function = call.object(&["function"])?.ok_or_else(|| DecodeError::new("`function` is missing"))?;
    let call = function_call(function).map_err(|error| error.at_key("function"))?;
    Ok(Call { id, ..call })
}

fn function_call(mut function: JsonObject) -> Result<Call, DecodeError> {
    let name = function.required(&["name"])?;
    let arguments = function.arguments("arguments");
    Ok(Call::new(name, arguments, 0))
}

/// A result belongs to the call with its id; without one, to the first open call of the tool, or the first at all.
fn answer(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let id = message.text(&["tool_call_id"])?;
    let name = message.text(&["name", "tool_name"])?;
    // The API has no mark of failure, but frameworks that keep its messages add their own.
    let marks = OutcomeMarks::of(&message);
    let call = match (&id, &name) {
        (None, None) => builder.first_waiting(),
        (id, name) => builder.waiting(id.as_deref(), name.as_deref()),
    };
    // The history of a trimmed log answers calls that are not in it.
    let Some(call) = call else {
        builder.compare_result(id.as_deref(), &marks, Unmarked::Unrecorded);
        // With an id, the evidence of the record tells whether the call is in the run.
        if id.is_none() {
            builder.note_stray_result(name.as_deref().unwrap_or_default());
        }
        return Ok(());
    };
    call.result = Some(Json::String(match message.take(&["content"]) {
        Some(JsonNode::Object(object)) => JsonNode::Object(object).into_text_or_json().into_owned().into(),
        content => text_of(content).into_owned().into(),
    }));
    marks.settle(call, Unmarked::Unrecorded);
    if marks.has_failed() {
        call.error = call.result.as_ref().and_then(Json::as_str).map(ToOwned::to_owned);
    }
    Ok(())
}
