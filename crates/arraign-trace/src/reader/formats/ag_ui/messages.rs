//! The messages of AG-UI, in streams that contain whole messages.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::content::{content_value, text_of};
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::json::input::At;
use crate::trace::{Arguments, Call, Role};

/// Adds what the user asked last, which the run's own events do not tell.
pub(crate) fn ask(builder: &mut TraceBuilder, asked: &[JsonNode], snapshot: &[JsonNode]) {
    if let Some(text) = last_user_text(asked).or_else(|| last_user_text(snapshot)) {
        builder.insert_question(text);
    }
}

/// Returns the text of the last message of the user.
fn last_user_text(messages: &[JsonNode]) -> Option<String> {
    let last = messages.iter().rev().find(|message| message.text_under("role") == Some("user"))?;
    Some(text_of(Some(last.get("content")?.clone())).into_owned())
}

/// Adds all messages of a conversation.
pub(crate) fn add_all(builder: &mut TraceBuilder, messages: Vec<JsonNode>) -> Result<(), DecodeError> {
    for (index, message) in messages.into_iter().enumerate() {
        let spot = RecordSpot::item(At::Whole, "messages", index);
        let evidence = builder.open_record(spot, &message);
        let added = JsonObject::of(message, "a message").and_then(|message| add(builder, message));
        added.map_err(|error| error.at_key(index).at_key("messages"))?;
        builder.close_record(evidence);
    }
    builder.end();
    Ok(())
}

fn add(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let role = match message.required(&["role"])?.as_ref() {
        "user" => Role::User,
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        "tool" => return answer(builder, message),
        _ => return Ok(()),
    };
    builder.begin(Some(role));
    if let Some(content) = message.take(&["content"]) {
        builder.text(&text_of(Some(content)));
    }
    for call in message.list(&["toolCalls", "tool_calls"])? {
        let mut call = JsonObject::of(call, "a tool call")?;
        let id = call.string(&["id"])?;
        let mut function = call.object(&["function"])?.unwrap_or_default();
        let name = function.required(&["name"])?.into_owned();
        // An empty text is a call without arguments and no broken JSON.
        let arguments = function.text(&["arguments"])?.filter(|text| !text.is_empty());
        let arguments = arguments.map_or_else(Arguments::none, |text| Arguments::from_text(&text));
        builder.call(Call { id, ..Call::new(name, arguments, 0) });
    }
    builder.end();
    Ok(())
}

fn answer(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let id = message.required(&["toolCallId", "tool_call_id"])?;
    let marks = OutcomeMarks::of(&message);
    let error = error_of(&mut message);
    let Some(call) = builder.waiting(Some(&id), None) else {
        builder.compare_result(Some(&id), &marks, Unmarked::Unrecorded);
        return Ok(());
    };
    // A message of a tool says an error or nothing: a result without one may still be a failure.
    marks.settle(call, Unmarked::Unrecorded);
    call.error = error;
    call.result = Some(content_value(message.take(&["content"]).unwrap_or_default(), "\n"));
    Ok(())
}
