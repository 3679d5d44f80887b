//! The facts in an agent's span that the spans of its models lack: the task, the answer, and the tool that returns it.

use crate::json::{Json, JsonNode};

use crate::reader::formats::otel::json_text::parse_attribute;
use crate::reader::formats::otel::langfuse;
use crate::reader::formats::otel::span::{OtelSpan, find_reply};
use crate::trace::Arguments;

/// The facts in the outermost span of a run.
#[derive(Debug, Default)]
pub(crate) struct AgentSpan {
    /// The question of the user.
    pub(crate) question: Option<String>,
    /// The value that the agent returned.
    pub(crate) answer: Option<String>,
    /// Whether this answer precedes the models' last message, because the models are functions of the user's program.
    pub(crate) decides: bool,
    answer_tool: Option<AnswerTool>,
}

/// A tool by which the model returns the answer of the run. Its calls do not count as calls.
#[derive(Debug, Clone, Copy)]
enum AnswerTool {
    /// Pydantic AI's `final_result`, also with a suffix. The span of the agent has the answer.
    FinalResult,
    /// `final_answer` of smolagents. Its argument `answer` is the answer.
    FinalAnswer,
}

impl AgentSpan {
    /// Reads the span of an agent, or of the chain that takes its place.
    pub(crate) fn of(span: &OtelSpan) -> Self {
        let result = span.text(&["final_result"]).map(ToOwned::to_owned);
        let is_smolagents = span.below("smolagents.").next().is_some();
        let answer_tool = match &result {
            Some(_) => Some(AnswerTool::FinalResult),
            None => is_smolagents.then_some(AnswerTool::FinalAnswer),
        };
        let is_agent = span.text(&["openinference.span.kind"]) == Some("AGENT");
        let returned = langfuse::find_answer(span);
        let decides = returned.is_some();
        // The output of a chain may be any value; that of an agent is its answer.
        let answer = result.or_else(|| find_reply(span)).or_else(|| find_output(span).filter(|_| is_agent));
        Self { question: find_question(span), answer: answer.or(returned), decides, answer_tool }
    }

    /// Whether a call of this tool returns the answer.
    pub(crate) fn is_answer_tool(&self, name: &str) -> bool {
        match self.answer_tool {
            Some(AnswerTool::FinalResult) => name.starts_with("final_result"),
            Some(AnswerTool::FinalAnswer) => name == "final_answer",
            None => false,
        }
    }

    /// Returns the answer in the arguments of a call that returns it.
    pub(crate) fn read_answer(&self, arguments: &Arguments) -> Option<String> {
        match (self.answer_tool, arguments.get("answer")) {
            (Some(AnswerTool::FinalAnswer), Some(Json::String(text))) => Some(text.to_string()),
            (Some(AnswerTool::FinalAnswer), Some(value)) => Some(value.to_string()),
            _ => None,
        }
    }

    /// Returns the task of the agent, if `text` is a message that a template made of the task.
    pub(crate) fn find_task(&self, text: &str) -> Option<&str> {
        let task = self.question.as_deref()?;
        text.strip_suffix(task).filter(|head| head.starts_with("New task:"))?;
        Some(task)
    }
}

/// Finds the question: under one of the keys by which agents receive it, or as plain text.
fn find_question(span: &OtelSpan) -> Option<String> {
    const NAMES: [&str; 6] = ["task", "user_msg", "question", "query", "message", "input"];
    let Some(value) = span.get(&["input.value"]) else { return langfuse::find_question(span, &NAMES) };
    match parse_attribute(value) {
        Some(Json::Object(fields)) => {
            let text = NAMES.iter().find_map(|name| fields.get(name)?.as_str());
            text.map(ToOwned::to_owned)
        }
        Some(_) => None,
        None => plain_text(span, value, "input.mime_type"),
    }
}

fn find_output(span: &OtelSpan) -> Option<String> {
    plain_text(span, span.get(&["output.value"])?, "output.mime_type")
}

/// Returns a text that is neither JSON nor a printed Python object.
fn plain_text(span: &OtelSpan, value: &JsonNode, mime_type: &str) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    let is_json = span.text(&[mime_type]) == Some("application/json");
    // Frameworks without a serializer print their objects, as in `AgentRunResult(output=...)`. That is not what a user
    // reads.
    let is_printed = text.ends_with(')') && text.split('(').next().is_some_and(is_identifier);
    (!is_json && !is_printed && parse_attribute(value).is_none()).then(|| text.to_owned())
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}
