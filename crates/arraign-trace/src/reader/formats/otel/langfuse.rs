//! Langfuse's vocabulary: the attributes `langfuse.observation.*` and `langfuse.trace.*` of its SDKs.
//!
//! An observation has an input and an output, as JSON text: messages where a client of a model is instrumented, and the
//! arguments and the value of a function where a function is decorated.

use crate::json::{Json, JsonNode, JsonObject};

use crate::reader::build::tool_result::OutcomeMarks;
use crate::reader::build::usage::{TokenKeys, dollars};
use crate::reader::formats::otel::chat_message::{
    ChatMessage, ChatPart, Speaker, find_text, read_parts, read_speaker,
};
use crate::reader::formats::otel::json_text::parse_attribute;
use crate::reader::formats::otel::span::OtelSpan;
use crate::trace::{Arguments, Usage};

/// The attributes of an observation, and of the trace that the outermost span records.
pub(crate) const INPUT: &str = "langfuse.observation.input";
pub(crate) const OUTPUT: &str = "langfuse.observation.output";
const TRACE_INPUT: &str = "langfuse.trace.input";
const TRACE_OUTPUT: &str = "langfuse.trace.output";

/// Reads the messages in the input of an observation of a model.
pub(crate) fn read_input(span: &OtelSpan) -> Option<Vec<ChatMessage>> {
    let input = span.get(&[INPUT])?;
    let messages =
        span.parse(&[INPUT]).map_or_else(|| read_texts(input, Speaker::User), |input| find_messages(&input));
    (!messages.is_empty()).then_some(messages)
}

/// Reads the messages in the output of an observation of a model.
pub(crate) fn read_output(span: &OtelSpan) -> Option<Vec<ChatMessage>> {
    let output = span.get(&[OUTPUT])?;
    let said = match span.parse(&[OUTPUT]) {
        None => read_texts(output, Speaker::Model),
        Some(Json::String(text)) => vec![say(Speaker::Model, text.into_string())],
        Some(output) => find_messages(&output),
    };
    (!said.is_empty()).then_some(said)
}

fn read_texts(value: &JsonNode, speaker: Speaker) -> Vec<ChatMessage> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.into_iter().map(|text| say(speaker, text.to_owned())).collect()
}

fn say(speaker: Speaker, text: String) -> ChatMessage {
    ChatMessage { speaker, parts: vec![ChatPart::Text(text)] }
}

/// Finds the messages of a request, of a reply, or in the arguments of a decorated function.
fn find_messages(value: &Json) -> Vec<ChatMessage> {
    match value {
        Json::Array(items) if items.iter().any(is_message) => items.iter().map(read_message).collect(),
        // The arguments of a function are a list as well, one of which is the list of messages.
        Json::Array(items) => {
            items.iter().map(find_messages).find(|found| !found.is_empty()).unwrap_or_default()
        }
        Json::Object(_) if is_message(value) => vec![read_message(value)],
        Json::Object(fields) => {
            let lists = ["messages", "args", "kwargs"].iter().filter_map(|name| fields.get(name));
            lists.map(find_messages).find(|found| !found.is_empty()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn is_message(value: &Json) -> bool {
    value.get("role").is_some_and(Json::is_string)
}

/// Reads a message in the form of OpenAI or LangChain.
fn read_message(message: &Json) -> ChatMessage {
    let speaker = read_speaker(message.get("role").and_then(Json::as_str));
    let content = message.get("content");
    if speaker == Speaker::Tool {
        let id = find_text(message, "tool_call_id");
        let value = content.cloned();
        let marks = OutcomeMarks::of_parsed(message);
        return ChatMessage { speaker, parts: vec![ChatPart::Result { id, value, marks }] };
    }
    let calls = message.get("tool_calls").and_then(Json::as_array).into_iter().flatten();
    let said = content.map(read_parts).unwrap_or_default();
    ChatMessage { speaker, parts: said.into_iter().chain(calls.filter_map(read_call)).collect() }
}

fn read_call(call: &Json) -> Option<ChatPart> {
    let function = call.get("function").unwrap_or(call);
    let arguments = function.get("arguments").or_else(|| function.get("args")).cloned();
    let arguments = arguments.map_or(Arguments::Unrecorded, Arguments::from_json);
    Some(ChatPart::Call { id: find_text(call, "id"), name: find_text(function, "name")?, arguments })
}

/// Finds the question of the user: the text that a decorated agent receives, or the input of the trace.
pub(crate) fn find_question(span: &OtelSpan, names: &[&str]) -> Option<String> {
    let input = span.get(&[INPUT, TRACE_INPUT])?;
    match parse_attribute(input) {
        None => input.as_str().map(ToOwned::to_owned),
        Some(Json::String(text)) => Some(text.into_string()),
        Some(call) => {
            // A decorated function gets its question as the first positional argument, or under a name. The positional
            // one wins, because names are guesses.
            let first = call.get("args").and_then(|args| args.get(0)).and_then(Json::as_str);
            let under =
                |of: &'_ Json| names.iter().find_map(|name| of.get(*name)?.as_str().map(ToOwned::to_owned));
            let first = first.map(ToOwned::to_owned);
            first.or_else(|| under(call.get("kwargs")?)).or_else(|| under(&call))
        }
    }
}

/// Finds the value that an agent returned, if it is a text.
pub(crate) fn find_answer(span: &OtelSpan) -> Option<String> {
    let output = span.get(&[OUTPUT, TRACE_OUTPUT])?;
    match parse_attribute(output) {
        None => output.as_str().map(ToOwned::to_owned),
        Some(Json::String(text)) => Some(text.into_string()),
        Some(_) => None,
    }
}

/// The names of Langfuse. Its handlers take what a cache held out of `input`, and the reasoning of LangChain's models out of
/// `output`; other writers leave both in.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input", "input_tokens"],
    more_input: &[CACHED, &["input_cache_creation", "cache_creation_input_tokens"]],
    output: &["output", "output_tokens"],
    more_output: &[&["output_reasoning"]],
    cached: CACHED,
    reasoning: &["output_reasoning_tokens", "output_reasoning"],
    may_include_more: true,
    ..TokenKeys::NONE
};
const CACHED: &[&str] = &["input_cached_tokens", "input_cache_read", "cache_read_input_tokens"];

/// The names of OpenAI, which Langfuse's instrumentation of its client keeps.
const OPENAI_TOKENS: TokenKeys = TokenKeys {
    input: &["prompt_tokens"],
    output: &["completion_tokens"],
    cached: &["/prompt_tokens_details/cached_tokens"],
    reasoning: &["/completion_tokens_details/reasoning_tokens"],
    ..TokenKeys::NONE
};

/// Reads the tokens of an observation.
pub(crate) fn read_usage(span: &OtelSpan) -> Option<Usage> {
    let usage = find_object(span, "langfuse.observation.usage_details")?;
    OPENAI_TOKENS.read(&usage).ok()?.or(TOKENS.read(&usage).ok()?)
}

/// Reads the cost of an observation in US dollars.
pub(crate) fn read_cost(span: &OtelSpan) -> Option<f64> {
    let cost = find_object(span, "langfuse.observation.cost_details")?;
    let parts = || cost.iter().filter(|(key, _)| *key != "total").filter_map(|(_, value)| dollars(value));
    // The parts are a breakdown of the total. They are added only if the total is missing.
    cost.get("total").and_then(dollars).or_else(|| parts().next().map(|_| parts().sum()))
}

fn find_object(span: &OtelSpan, name: &str) -> Option<JsonObject<'static>> {
    match span.parse(&[name])? {
        JsonNode::Object(object) => Some(object),
        _ => None,
    }
}
