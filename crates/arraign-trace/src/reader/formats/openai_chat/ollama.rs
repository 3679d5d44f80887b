//! Responses of Ollama's own chat API (`/api/chat`), around messages like those of Chat Completions.

use std::borrow::Cow;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::exchange::{Exchange, LocatedMessage, Reply};
use crate::reader::build::stream_end;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Record};

/// Whether this is a response, or a piece of a streamed one.
pub(crate) fn is_response(value: &JsonNode) -> bool {
    matches!(value.get("done"), Some(JsonNode::Bool(_)))
        && value.get("message").is_some_and(|message| message.get("role").is_some())
}

/// Whether this is a piece of a streamed response: all but the last are not done.
pub(crate) fn is_piece(value: &JsonNode) -> bool {
    is_response(value) && !value.get("done").is_some_and(JsonNode::is_true)
}

/// Joins the pieces of streamed responses, each where its first piece is. A response that broke off has no end.
pub(crate) fn join_pieces(records: Vec<Record>) -> Result<Vec<Record>, DecodeError> {
    let mut joined: Vec<Record> = Vec::new();
    let mut is_open = false;
    for Record { at, value } in records {
        // A piece goes on with the record before it if that was a piece, too: pieces have no id.
        let goes_on = std::mem::replace(&mut is_open, is_piece(&value));
        match joined.last_mut() {
            Some(Record { value: begun, .. }) if goes_on => {
                add_piece(begun, value).map_err(|error| at.in_record(error))?;
            }
            _ => joined.push(Record { at, value }),
        }
    }
    Ok(joined)
}

/// Adds a piece to the response that has begun: its text goes on, its calls are more, and what else it says counts.
fn add_piece<'t>(begun: &mut JsonNode<'t>, piece: JsonNode<'t>) -> Result<(), DecodeError> {
    let mut piece = JsonObject::of(piece, "a response")?;
    let mut more = piece.object(&["message"])?.unwrap_or_default();
    let Some(response) = begun.as_object_mut() else { return Ok(()) };
    let mut message = response.object(&["message"])?.unwrap_or_default();
    let text = message.text(&["content"])?.unwrap_or_default() + more.text(&["content"])?.unwrap_or_default();
    let mut calls = message.list(&["tool_calls"])?;
    calls.extend(more.list(&["tool_calls"])?);
    // Thoughts of later pieces replace earlier ones: nobody reads them. Other keys are kept for what they may hold.
    for (key, value) in more.into_entries() {
        if !value.is_null() {
            message.insert(key, value);
        }
    }
    for (key, value) in piece.into_entries() {
        if !value.is_null() {
            response.insert(key, value);
        }
    }
    message.insert("content", JsonNode::String(text.into()));
    message.insert("tool_calls", JsonNode::Array(calls));
    response.insert("message", JsonNode::Object(message));
    Ok(())
}

/// Reads a response, whose message is at `path` of its record.
pub(crate) fn read_response<'t>(
    at: At,
    mut response: JsonObject<'t>,
    path: &'static str,
    request: Vec<LocatedMessage<'t>>,
) -> Result<Exchange<'t>, DecodeError> {
    let usage = TOKENS.read(&response)?;
    let message = response.take(&["message"]).unwrap_or_default();
    let is_done = response.get("done").is_some_and(JsonNode::is_true);
    // Early versions have no reason.
    let assumed = if is_done { Cow::Borrowed("done") } else { stream_end::OLLAMA.stop_reason().into() };
    let reply = Reply {
        id: None,
        messages: vec![LocatedMessage::part(at, path, message)],
        usage,
        stop_reason: response.text(&["done_reason"])?.or(Some(assumed)),
    };
    let nanoseconds = response.figure(&["total_duration"])?;
    Ok(Exchange {
        request,
        reply: Some(reply),
        model: response.string(&["model"])?,
        model_ms: nanoseconds.map(|nanoseconds| nanoseconds / 1_000_000.0),
        ..Exchange::default()
    })
}

/// Tokens of a response.
const TOKENS: TokenKeys =
    TokenKeys { input: &["prompt_eval_count"], output: &["eval_count"], ..TokenKeys::NONE };
