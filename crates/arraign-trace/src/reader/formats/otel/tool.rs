//! The call in the span of a tool.

use crate::json::{Json, JsonNode, parse_lenient};

use crate::reader::build::tool_result::OutcomeMarks;
use crate::reader::formats::otel::langfuse;
use crate::reader::formats::otel::message_events::join_texts;
use crate::reader::formats::otel::span::OtelSpan;
use crate::trace::Arguments;

/// The call that the span of a tool records.
#[derive(Debug)]
pub(crate) struct ToolSpan {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    pub(crate) result: Option<Json>,
    /// What the message of the tool says about the outcome, whatever the status of the span is.
    pub(crate) marks: OutcomeMarks,
}

impl ToolSpan {
    pub(crate) fn of(span: &OtelSpan) -> Self {
        const ARGUMENTS: [&str; 6] = [
            "gen_ai.tool.call.arguments",
            "tool_arguments",
            "gcp.vertex.agent.tool_call_args",
            "input.value",
            "traceloop.entity.input",
            langfuse::INPUT,
        ];
        const RESULTS: [&str; 6] = [
            "gen_ai.tool.call.result",
            "tool_response",
            "gcp.vertex.agent.tool_response",
            "output.value",
            "traceloop.entity.output",
            langfuse::OUTPUT,
        ];
        let mut wrapped = span.get(&ARGUMENTS).map(passed).unwrap_or_default();
        // The first three attributes hold the arguments themselves. The others hold the call of a function, which may
        // be wrapped.
        if span.get(&ARGUMENTS[..3]).is_none() {
            wrapped.arguments = unwrap_keywords(wrapped.arguments);
        }
        let message = span.get(&RESULTS).map(ToolMessage::of).unwrap_or_default();
        let id = span.text(&["gen_ai.tool.call.id", "tool_call.id"]).map(ToOwned::to_owned);
        Self {
            id: id.or(wrapped.id).or(message.id),
            name: tool_name(span).to_owned(),
            arguments: wrapped.arguments,
            result: message.content,
            marks: message.marks,
        }
    }
}

/// The attribute in which a span of MCP has the tool: the name of the server's own, without what a host puts before it.
pub(crate) const MCP_TOOL: &str = "mcp.tool.name";

/// Returns the name of the tool that a span records.
pub(crate) fn tool_name<'s>(span: &'s OtelSpan) -> &'s str {
    let told = span.text(&["gen_ai.tool.name", MCP_TOOL, "tool.name", "traceloop.entity.name"]);
    told.unwrap_or_else(|| span.name.strip_prefix("execute_tool ").unwrap_or(&span.name))
}

#[derive(Debug)]
struct Passed {
    id: Option<String>,
    arguments: Arguments,
}

impl Default for Passed {
    fn default() -> Self {
        Self { id: None, arguments: Arguments::Unrecorded }
    }
}

/// Reads the arguments. Traceloop wraps those of LangChain in an object that holds them twice: as text, and under
/// `inputs`.
fn passed(value: &JsonNode) -> Passed {
    let arguments = Arguments::from_json(value.to_json());
    let Some(text) = arguments.get("input_str").and_then(Json::as_str) else {
        return Passed { id: None, arguments };
    };
    let id =
        arguments.json().and_then(|wrapper| wrapper.pointer("/kwargs/tool_call_id")).and_then(Json::as_str);
    let inputs = arguments.get("inputs").filter(|inputs| inputs.is_object());
    // The structured form is preferred: the text may be Python and no JSON.
    let inner = inputs.map_or_else(|| Arguments::from_text(text), |inputs| Arguments::Json(inputs.clone()));
    Passed { id: id.map(ToOwned::to_owned), arguments: inner }
}

/// Unwraps the keyword arguments of a Python call, which OpenInference and Langfuse record as
/// `{"args": [], "kwargs": {"id": 7}}`. Positional arguments have no names, so a call with some is kept as it is.
fn unwrap_keywords(arguments: Arguments) -> Arguments {
    let Arguments::Json(Json::Object(mut call)) = arguments else { return arguments };
    let is_wrapper = call.iter().all(|(key, value)| match key.as_str() {
        "kwargs" => value.is_object(),
        "args" => value.as_array().is_some_and(<[Json]>::is_empty) || value.is_null(),
        // smolagents passes this beside the arguments of the tool.
        "sanitize_inputs_outputs" => value.is_boolean(),
        _ => false,
    });
    match call.get_mut("kwargs").filter(|_| is_wrapper).map(Json::take) {
        Some(keywords) => Arguments::Json(keywords),
        None => Arguments::Json(Json::Object(call)),
    }
}

/// The result of a tool, which LangChain records as a whole message.
#[derive(Debug, Default)]
struct ToolMessage {
    id: Option<String>,
    content: Option<Json>,
    marks: OutcomeMarks,
}

impl ToolMessage {
    fn of(value: &JsonNode) -> Self {
        let value = value.to_json();
        // Tools of some frameworks return messages, which their spans keep as JSON in a text.
        let parsed = value.as_str().and_then(|text| parse_lenient(text).ok());
        if let Some(text) = parsed.as_ref().and_then(join_texts) {
            return Self { content: Some(Json::String(text.into())), ..Self::default() };
        }
        let Some(message) = parsed.as_ref().or(Some(&value)).and_then(tool_message) else {
            return Self { content: Some(value), ..Self::default() };
        };
        let text = |name: &str| message.get(name).and_then(Json::as_str);
        Self {
            id: text("tool_call_id").map(ToOwned::to_owned),
            content: message.get("content").cloned(),
            marks: OutcomeMarks::of_parsed(message),
        }
    }
}

/// Finds the fields of a dumped tool message.
fn tool_message(value: &Json) -> Option<&Json> {
    let value = value.get("output").unwrap_or(value);
    let fields = value.get("kwargs").or_else(|| value.get("data")).unwrap_or(value);
    let is_tool = fields.get("type").and_then(Json::as_str) == Some("tool");
    (is_tool && fields.get("content").is_some()).then_some(fields)
}
