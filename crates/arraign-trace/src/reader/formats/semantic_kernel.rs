//! `semantic-kernel`: chat histories of Semantic Kernel, from Python and from .NET.
//!
//! The reader accepts a serialized `ChatHistory`, and a list of its messages. The plugin of a function is the server of
//! its tool. A call has failed if its result is the text that the kernel writes for a function that raised.

use crate::json::{JsonNode, JsonObject};

use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, Role, ToolServer, Trace};

pub(crate) const READER: Reader = Reader {
    name: "semantic-kernel",
    summary: "Semantic Kernel: chat histories",
    marks: &hash_marks(["messages/", "items/", "Items/"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Never,
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    for record in &input.records {
        // A history is a list of messages, or one message in each record.
        let messages = record.value.get("messages").and_then(JsonNode::as_array);
        let is_history =
            messages.map_or(is_message(&record.value), |messages| messages.iter().any(is_message));
        if !is_history {
            return Err(Reason::of(record.at, "is no history of messages with `items`"));
        }
    }
    Ok(Certainty::Sure)
}

/// Whether this is a message with a list of items, each with its type. Programs in .NET write the keys in Pascal case.
fn is_message(value: &JsonNode) -> bool {
    let items = value.get("items").or_else(|| value.get("Items")).and_then(JsonNode::as_array);
    (value.has_key("role") || value.has_key("Role"))
        && items.is_some_and(|items| {
            items.iter().all(|item| item.has_key("content_type") || item.has_key("$type"))
        })
}

/// Each history is a run; messages themselves are one run.
fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut runs = Vec::new();
    let mut builder: Option<TraceBuilder> = None;
    for Record { at, value } in input.records {
        if value.get("messages").is_none() {
            add_record(builder.get_or_insert_default(), at, value)?;
            continue;
        }
        let mut run = TraceBuilder::default();
        add_record(&mut run, at, value)?;
        runs.push(run.finish());
    }
    // Messages that stand alone are the last run, whatever histories are between them.
    runs.extend(builder.map(TraceBuilder::finish));
    Ok(runs)
}

fn add_record(builder: &mut TraceBuilder, at: At, value: JsonNode) -> Result<(), DecodeError> {
    let evidence = builder.open_record(at, &value);
    let added = JsonObject::of(value, "a message").and_then(|mut record| {
        if record.get("messages").is_some() {
            return record.each(&["messages"], "a message", |message| add_message(builder, message));
        }
        add_message(builder, record)
    });
    added.map_err(|error| at.in_record(error))?;
    builder.close_record(evidence);
    Ok(())
}

fn add_message(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let role = match message.take(&["role", "Role"]).unwrap_or_default() {
        JsonNode::String(role) => role,
        labelled => labelled.get("Label").and_then(JsonNode::as_str).unwrap_or_default().to_owned().into(),
    };
    let role = match role.as_ref() {
        "system" | "developer" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    };
    builder.begin(role);
    message.each(&["items", "Items"], "an item", |item| add_item(builder, item))?;
    builder.end();
    if role == Some(Role::Assistant) {
        end_reply(builder, message)?;
    }
    Ok(())
}

/// Adds what a reply says of itself: its model, its tokens, and why it ended.
fn end_reply(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let mut metadata = message.object(&["metadata", "Metadata"])?.unwrap_or_default();
    let usage = TOKENS.read_from(&mut metadata, &["usage", "Usage"])?;
    let stop = message.string(&["finish_reason"])?.or(metadata.string(&["FinishReason"])?);
    builder.tally.add(usage);
    builder.end_turn(stop.as_deref(), usage);
    let trace = &mut builder.trace;
    trace.agent = trace.agent.take().or(message.string(&["name", "AuthorName"])?);
    trace.model = message.string(&["ai_model_id", "ModelId"])?.or(trace.model.take());
    trace.stop_reason = stop;
    Ok(())
}

/// Kinds of items that contain no call.
const HARMLESS_ITEMS: [&str; 16] = [
    "image",
    "audio",
    "binary",
    "file_reference",
    "annotation",
    "streaming_annotation",
    "streaming_file_reference",
    "reasoning",
    "streaming_text",
    "ImageContent",
    "AudioContent",
    "BinaryContent",
    "FileReferenceContent",
    "AnnotationContent",
    "ReasoningContent",
    "ActionContent",
];

fn add_item(builder: &mut TraceBuilder, mut item: JsonObject) -> Result<(), DecodeError> {
    let kind = item.text(&["content_type", "$type"])?.unwrap_or_default();
    match kind.as_ref() {
        "text" | "TextContent" => builder.text(&item.text(&["text", "Text"])?.unwrap_or_default()),
        "function_call" | "FunctionCallContent" => {
            let call = read_call(item)?;
            builder.call(call);
        }
        "function_result" | "FunctionResultContent" => answer_call(builder, item)?,
        kind => builder.pass_over(kind, &HARMLESS_ITEMS),
    }
    Ok(())
}

fn read_call(mut item: JsonObject) -> Result<Call, DecodeError> {
    let id = item.string(&["id", "Id"])?;
    let server = item.string(&["plugin_name", "PluginName"])?.into();
    let is_whole = item.get("function_name").is_none() && item.get("FunctionName").is_none();
    let name = item.required(&["function_name", "FunctionName", "name"])?;
    let arguments = item.arguments(if item.get("Arguments").is_some() { "Arguments" } else { "arguments" });
    let mut call = Call { id, server, ..Call::new(name, arguments, 0) };
    if is_whole {
        split_plugin(&mut call);
    }
    Ok(call)
}

/// Splits the name that the kernel gives a model, `PLUGIN-FUNCTION`, unless the call has another server.
pub(crate) fn split_plugin(call: &mut Call) {
    let Some((plugin, function)) = find_plugin(&call.name) else { return };
    if matches!(&call.server, ToolServer::Named(known) if known != plugin) {
        return;
    }
    let server = ToolServer::Named(plugin.to_owned());
    let function = function.to_owned();
    call.set_tool(function, server);
}

/// Splits a name with one hyphen between two words: the kernel allows letters, digits and underscores in both.
fn find_plugin(name: &str) -> Option<(&str, &str)> {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    name.split_once('-').filter(|(plugin, function)| is_word(plugin) && is_word(function))
}

/// Whether messages in the form of OpenAI are those that the kernel makes of a history of an agent: each message with calls has
/// the name of its agent and no content, and each call has a plugin.
pub(crate) fn names_plugins(input: &Input) -> bool {
    let messages = input.records.iter().map(|record| &record.value);
    let mut called = messages.filter(|message| message.get("tool_calls").is_some()).peekable();
    called.peek().is_some()
        && called.all(|message| {
            let calls = message.get("tool_calls").and_then(JsonNode::as_array).unwrap_or_default();
            message.has_text("name")
                && message.get("content").is_none()
                && calls.iter().filter_map(|call| call.get("function")?.text_under("name")).all(is_plugin)
        })
}

fn is_plugin(name: &str) -> bool {
    find_plugin(name).is_some()
}

/// The beginnings of the results of calls that did not succeed.
const FAILURES: [&str; 4] = [
    "An error occurred while invoking the function ",
    "Error: Exception while invoking function",
    "Error: Function call arguments",
    "The tool call with name ",
];

fn answer_call(builder: &mut TraceBuilder, mut item: JsonObject) -> Result<(), DecodeError> {
    let id = item.string(&["call_id", "CallId", "id", "Id"])?;
    let result = item.take(&["result", "Result"]).unwrap_or_default().into_json();
    // A failure has no field of its own: the library begins its text with one of these.
    let text = result.as_str().filter(|text| FAILURES.iter().any(|start| text.starts_with(start)));
    let mut marks = OutcomeMarks::of(&item);
    marks.note_failure(text.is_some());
    let Some(call) = builder.waiting(id.as_deref(), None) else {
        builder.compare_result(id.as_deref(), &marks, Unmarked::Worked);
        return Ok(());
    };
    call.error = text.map(ToOwned::to_owned);
    marks.settle(call, Unmarked::Worked);
    call.result = Some(result);
    Ok(())
}

/// Tokens of a reply, as the provider's library names them.
const TOKENS: TokenKeys = TokenKeys {
    input: &["prompt_tokens", "InputTokenCount", "PromptTokens"],
    output: &["completion_tokens", "OutputTokenCount", "CompletionTokens"],
    cached: &["/prompt_tokens_details/cached_tokens", "/InputTokenDetails/CachedTokenCount"],
    reasoning: &["/completion_tokens_details/reasoning_tokens", "/OutputTokenDetails/ReasoningTokenCount"],
    ..TokenKeys::NONE
};
