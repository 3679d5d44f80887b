//! Calls and their outcomes, which have the same few shapes in steps, messages and streams.

use serde_json::Value;

use crate::json_text::render_plain;
use crate::reader::build::tool_result::error_of;
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::trace::{Arguments, Call, CallStatus};

/// Adds the call of a part.
pub(crate) fn add_call(builder: &mut TraceBuilder, part: &mut Object) -> Result<(), DecodeError> {
    let name = part.required(&["toolName"])?.into_owned();
    let id = part.string(&["toolCallId"])?;
    add_named(builder, id, name, part);
    Ok(())
}

/// Adds a call with the input of its part. The SDK marks input that it could not parse as invalid, and keeps the text of
/// the model. A call that is repeated under its id is one attempt.
pub(crate) fn add_named(builder: &mut TraceBuilder, id: Option<String>, name: String, part: &mut Object) {
    if id.as_ref().is_some_and(|id| builder.waiting(Some(id), None).is_some()) {
        return;
    }
    let invalid =
        part.get("invalid").is_some_and(Json::is_true) || part.get("rawInput").is_some_and(Json::is_text);
    let input = part.take(&["input", "args", "rawInput"]).unwrap_or_default();
    let arguments = match input {
        // A tool may accept a plain text. Only the text of an invalid call is broken JSON, and not every form marks it.
        Json::Text(text) if invalid || text.trim_start().starts_with('{') => Arguments::from_text(&text),
        Json::Null => Arguments::none(),
        Json::Text(text) => Arguments::Json(Value::String(text.into_owned())),
        input => Arguments::Json(input.into_value()),
    };
    builder.call(Call { id, ..Call::new(name, arguments, 0) });
}

/// The outcome of a call.
#[derive(Debug)]
pub(crate) enum CallOutcome {
    Result(Value),
    Error { result: Option<Value>, error: Option<String> },
}

impl CallOutcome {
    /// Reads the result under `output`, or under `result` as in version 4.
    pub(crate) fn result(part: &mut Object) -> Self {
        let failed = part.get("isError").is_some_and(Json::is_true);
        let value = part.take(&["output", "result"]).unwrap_or_default().into_value();
        if failed { Self::refusal(value) } else { Self::returned(value) }
    }

    /// Reads the result in a step. Mastra writes it in the form of model messages.
    pub(crate) fn of_step(part: &mut Object) -> Self {
        const TYPES: [&str; 6] = ["text", "json", "content", "error-text", "error-json", "execution-denied"];
        const KEYS: [&str; 4] = ["type", "value", "reason", "providerOptions"];
        let output = part.get("output").and_then(Json::as_object);
        // A tool's own result may have a key `type`, too. It counts as a wrapper only with a type and keys of the SDK.
        let is_typed = output.is_some_and(|output| {
            let kind = output.get("type").and_then(Json::as_str);
            kind.is_some_and(|kind| TYPES.contains(&kind))
                && output.entries().all(|(key, _)| KEYS.contains(&key.as_ref()))
        });
        if is_typed { Self::typed(part) } else { Self::result(part) }
    }

    /// Classifies the value that a tool returned. A Mastra tool that fails returns an object with this code.
    fn returned(value: Value) -> Self {
        let is_failure = value.get("code").and_then(Value::as_str) == Some("TOOL_EXECUTION_FAILED");
        match value.get("message").and_then(Value::as_str).filter(|_| is_failure).map(ToOwned::to_owned) {
            Some(error) => Self::Error { result: Some(value), error: Some(error) },
            None => Self::Result(value),
        }
    }

    /// Reads the output in a model message: a value, and a type that gives its meaning.
    pub(crate) fn typed(part: &mut Object) -> Self {
        let kind = part.get("output").and_then(|output| output.get("type")?.as_str().map(ToOwned::to_owned));
        let Some(kind) = kind else { return Self::result(part) };
        let mut output =
            part.take(&["output"]).and_then(|output| Object::of(output, "it").ok()).unwrap_or_default();
        let denied = kind == "execution-denied";
        let value = output.take(&["value", "reason"]).map(Json::into_value);
        match value {
            None if denied => Self::denied(),
            value if denied || kind.starts_with("error-") => Self::refusal(value.unwrap_or_default()),
            value => Self::returned(value.unwrap_or_default()),
        }
    }

    fn refusal(value: Value) -> Self {
        let error = render_plain(&value);
        Self::Error { result: Some(value), error: Some(error) }
    }

    /// Reads an error. An exception that was written as JSON is an empty object, and says nothing.
    pub(crate) fn error(part: &mut Object) -> Self {
        let told = part.string(&["errorText"]).ok().flatten();
        let empty =
            part.get("error").and_then(Json::as_object).is_some_and(|error| error.values().next().is_none());
        let error = told.or_else(|| error_of(part).filter(|_| !empty));
        Self::Error { result: None, error }
    }

    /// The outcome of a call that the user did not allow.
    pub(crate) fn denied() -> Self {
        Self::Error { result: None, error: Some("execution denied".to_owned()) }
    }

    /// Writes the outcome into the call that a part answers.
    pub(crate) fn settle(self, builder: &mut TraceBuilder, part: &mut Object) -> Result<(), DecodeError> {
        let id = part.text(&["toolCallId"])?;
        let name = part.text(&["toolName"])?;
        // A preliminary result is progress, and the final result replaces it.
        if part.get("preliminary").is_some_and(Json::is_true) {
            return Ok(());
        }
        self.answer(builder, id.as_deref(), name.as_deref());
        Ok(())
    }

    /// Writes the outcome into the call with this id.
    pub(crate) fn answer(self, builder: &mut TraceBuilder, id: Option<&str>, name: Option<&str>) {
        if let Some(call) = builder.waiting(id, name) {
            self.write_to(call);
        }
    }

    /// Writes the outcome into `call`.
    pub(crate) fn write_to(self, call: &mut Call) {
        (call.status, call.result, call.error) = match self {
            Self::Result(value) => (CallStatus::Ok, Some(value), None),
            Self::Error { result, error } => (CallStatus::Error, result, error),
        };
    }
}
