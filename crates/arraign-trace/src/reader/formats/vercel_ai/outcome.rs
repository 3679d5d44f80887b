//! Calls and their outcomes, which have the same few shapes in steps, messages and streams.

use std::borrow::Cow;

use crate::json::render_plain;
use crate::json::{Json, JsonNode, JsonObject};
use crate::reader::build::outcome_words::names_failure;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::trace::{Arguments, Call};

/// Adds the call of a part.
pub(crate) fn add_call(builder: &mut TraceBuilder, part: &mut JsonObject) -> Result<(), DecodeError> {
    let name = part.required(&["toolName"])?.into_owned();
    let id = part.string(&["toolCallId"])?;
    add_named(builder, id, name, part);
    Ok(())
}

/// Adds a call with the input of its part. The SDK marks input that it could not parse as invalid, and keeps the text of
/// the model. A call that is repeated under its id is one attempt.
pub(crate) fn add_named(builder: &mut TraceBuilder, id: Option<String>, name: String, part: &mut JsonObject) {
    if id.as_ref().is_some_and(|id| builder.waiting(Some(id), None).is_some()) {
        return;
    }
    let invalid = part.get("invalid").is_some_and(JsonNode::is_true)
        || part.get("rawInput").is_some_and(JsonNode::is_string);
    let input = part.take(&["input", "args", "rawInput"]).unwrap_or_default();
    let arguments = match input {
        // A tool may accept a plain text. Only the text of an invalid call is broken JSON, and not every form marks it.
        JsonNode::String(text) if invalid || text.trim_start().starts_with('{') => {
            Arguments::from_text(&text)
        }
        JsonNode::Null => Arguments::none(),
        JsonNode::String(text) => Arguments::Json(Json::String(text.into_owned())),
        input => Arguments::Json(input.into_json()),
    };
    builder.call(Call { id, ..Call::new(name, arguments, 0) });
}

/// Types of the output of a tool that returned something.
const RETURNED: [&str; 3] = ["text", "json", "content"];

/// Types of the output of a tool that raised, or that the user did not allow.
const REFUSED: [&str; 3] = ["error-text", "error-json", "execution-denied"];

/// The outcome of a call.
#[derive(Debug, Default)]
pub(crate) struct CallOutcome {
    marks: OutcomeMarks,
    result: Option<Json>,
    pub(crate) error: Option<String>,
}

impl CallOutcome {
    /// Reads the result under `output`, or under `result` as in version 4.
    pub(crate) fn result(part: &mut JsonObject) -> Self {
        let marks = OutcomeMarks::of(part);
        let value = part.take(&["output", "result"]).unwrap_or_default().into_json();
        if marks.has_failed() { Self::refusal(marks, value) } else { Self::returned(marks, value) }
    }

    /// Reads the result in a part whose kind or state says that the tool worked.
    pub(crate) fn available(part: &mut JsonObject) -> Self {
        let mut outcome = Self::result(part);
        outcome.marks.note_success();
        outcome
    }

    /// Reads the outcome in a part with a state that is not known.
    pub(crate) fn unclear(state: &str, part: &mut JsonObject) -> Self {
        let mut outcome = Self::result(part);
        outcome.marks.note_unclear(format!("`state` is `{state}`"));
        outcome.result = outcome.result.filter(|value| !value.is_null());
        outcome.error = part.take_text(&["errorText"]).map(Cow::into_owned);
        outcome
    }

    /// Reads the result in a step. Mastra writes it in the form of model messages.
    pub(crate) fn of_step(part: &mut JsonObject) -> Self {
        const KEYS: [&str; 4] = ["type", "value", "reason", "providerOptions"];
        let output = part.get("output").and_then(JsonNode::as_object);
        // A tool's own result may have a key `type`, too. It counts as a wrapper only with a type and keys of the SDK.
        let is_typed = output.is_some_and(|output| {
            let kind = output.get("type").and_then(JsonNode::as_str);
            kind.is_some_and(|kind| {
                RETURNED.contains(&kind) || REFUSED.contains(&kind) || names_failure(kind)
            }) && output.iter().all(|(key, _)| KEYS.contains(&key.as_ref()))
        });
        if is_typed { Self::typed(part) } else { Self::result(part) }
    }

    /// Classifies the value that a tool returned. A Mastra tool that fails returns an object with this code.
    fn returned(mut marks: OutcomeMarks, value: Json) -> Self {
        let is_failure = value.get("code").and_then(Json::as_str) == Some("TOOL_EXECUTION_FAILED");
        let error = value.get("message").and_then(Json::as_str).filter(|_| is_failure).map(ToOwned::to_owned);
        marks.note_failure(error.is_some());
        Self { marks, result: Some(value), error }
    }

    /// Reads the output in a model message: a value, and a type that gives its meaning.
    pub(crate) fn typed(part: &mut JsonObject) -> Self {
        let kind = part.get("output").and_then(|output| output.get("type")?.as_str().map(ToOwned::to_owned));
        let Some(kind) = kind else { return Self::result(part) };
        let mut output =
            part.take(&["output"]).and_then(|output| JsonObject::of(output, "it").ok()).unwrap_or_default();
        let mut marks = OutcomeMarks::of(part);
        let value = output.take(&["value", "reason"]).map(JsonNode::into_json);
        match kind.as_str() {
            "execution-denied" if value.is_none() => return Self::denied(),
            kind if REFUSED.contains(&kind) => {
                marks.note_failure(true);
                return Self::refusal(marks, value.unwrap_or_default());
            }
            kind if RETURNED.contains(&kind) => marks.note_success(),
            kind if names_failure(kind) => marks.note_unclear(format!("`type` is `{kind}`")),
            _ => {}
        }
        Self::returned(marks, value.unwrap_or_default())
    }

    fn refusal(marks: OutcomeMarks, value: Json) -> Self {
        Self { marks, error: Some(render_plain(&value)), result: Some(value) }
    }

    /// Reads an error. An exception that was written as JSON is an empty object, and says nothing.
    pub(crate) fn error(part: &mut JsonObject) -> Self {
        let told = part.string(&["errorText"]).ok().flatten();
        let empty = part
            .get("error")
            .and_then(JsonNode::as_object)
            .is_some_and(|error| error.values().next().is_none());
        Self::failed(told.or_else(|| error_of(part).filter(|_| !empty)))
    }

    /// The outcome of a call that the user did not allow.
    pub(crate) fn denied() -> Self {
        Self::failed(Some("execution denied".to_owned()))
    }

    fn failed(error: Option<String>) -> Self {
        let mut marks = OutcomeMarks::default();
        marks.note_failure(true);
        Self { marks, result: None, error }
    }

    /// Writes the outcome into the call that a part answers.
    pub(crate) fn settle(self, builder: &mut TraceBuilder, part: &mut JsonObject) -> Result<(), DecodeError> {
        let id = part.text(&["toolCallId"])?;
        let name = part.text(&["toolName"])?;
        // A preliminary result is progress, and the final result replaces it.
        if part.get("preliminary").is_some_and(JsonNode::is_true) {
            return Ok(());
        }
        self.answer(builder, id.as_deref(), name.as_deref());
        Ok(())
    }

    /// Writes the outcome into the call with this id.
    pub(crate) fn answer(self, builder: &mut TraceBuilder, id: Option<&str>, name: Option<&str>) {
        match builder.waiting(id, name) {
            Some(call) => self.write_to(call),
            None => builder.compare_result(id, &self.marks, Unmarked::Worked),
        }
    }

    /// Writes the outcome into `call`.
    pub(crate) fn write_to(self, call: &mut Call) {
        self.marks.settle(call, Unmarked::Worked);
        (call.result, call.error) = (self.result, self.error);
    }
}
