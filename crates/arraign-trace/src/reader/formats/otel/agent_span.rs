//! What the span of an agent adds to the spans of its models: the task, the answer, and the tool that returns the answer.

use serde_json::Value;

use crate::reader::formats::otel::langfuse;
use crate::reader::formats::otel::said::parsed;
use crate::reader::formats::otel::span::OtelSpan;
use crate::reader::json::value::Json;
use crate::trace::Arguments;

/// What the outermost span of a run tells.
#[derive(Debug, Default)]
pub(crate) struct AgentSpan {
    /// What the user asked.
    pub(crate) question: Option<String>,
    /// What the agent returned.
    pub(crate) answer: Option<String>,
    /// The span of the agent decides on the answer, because its models are functions of the user's.
    pub(crate) decides: bool,
    answer_tool: Option<AnswerTool>,
}

/// A tool by which the model returns the answer of the run. Its calls are no calls of the run.
#[derive(Debug, Clone, Copy)]
enum AnswerTool {
    /// Pydantic AI's `final_result`, also with a suffix. The span of the agent has the answer.
    FinalResult,
    /// `final_answer` of smolagents. Its argument `answer` is the answer.
    FinalAnswer,
}

impl AgentSpan {
    /// Reads the span of an agent, or of the chain that stands for one.
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

    /// The text of a call that returns the answer, if the call holds it.
    pub(crate) fn read_answer(&self, arguments: &Arguments) -> Option<String> {
        match (self.answer_tool, arguments.get("answer")) {
            (Some(AnswerTool::FinalAnswer), Some(Value::String(text))) => Some(text.clone()),
            (Some(AnswerTool::FinalAnswer), Some(value)) => Some(value.to_string()),
            _ => None,
        }
    }

    /// The task of the agent, if `text` is a user's message that a template made of the task.
    pub(crate) fn find_task(&self, text: &str) -> Option<&str> {
        let task = self.question.as_deref()?;
        text.strip_suffix(task).filter(|head| head.starts_with("New task:"))?;
        Some(task)
    }
}

/// The question under the keys by which agents take it, or a plain text.
fn find_question(span: &OtelSpan) -> Option<String> {
    const NAMES: [&str; 6] = ["task", "user_msg", "question", "query", "message", "input"];
    let Some(value) = span.get(&["input.value"]) else { return langfuse::find_question(span, &NAMES) };
    match parsed(value) {
        Some(Value::Object(fields)) => {
            let text = NAMES.iter().find_map(|name| fields.get(*name)?.as_str());
            text.map(ToOwned::to_owned)
        }
        Some(_) => None,
        None => plain_text(span, value, "input.mime_type"),
    }
}

fn find_output(span: &OtelSpan) -> Option<String> {
    plain_text(span, span.get(&["output.value"])?, "output.mime_type")
}

/// A text that is neither JSON nor an object as Python prints it.
fn plain_text(span: &OtelSpan, value: &Json, mime_type: &str) -> Option<String> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    let is_json = span.text(&[mime_type]) == Some("application/json");
    let is_printed = text.ends_with(')') && text.split('(').next().is_some_and(is_identifier);
    (!is_json && !is_printed && parsed(value).is_none()).then(|| text.to_owned())
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// The reply of a model as LlamaIndex prints it: `assistant: It ships today.`
pub(crate) fn find_reply(span: &OtelSpan) -> Option<String> {
    let reply = span.text(&["output.value"])?.strip_prefix("assistant:")?.trim_start();
    (!reply.is_empty()).then(|| reply.to_owned())
}
