//! The outcome of a call in an event of Codex: its status, its duration, its exit code.

use serde_json::Value;

use crate::reader::build::content::text_of;
use crate::reader::build::tool_result::error_of;
use crate::reader::error::DecodeError;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::trace::{Call, CallStatus, ToolServer};

/// The outcome of a call that has ended.
#[derive(Debug)]
pub(crate) struct Mirror {
    status: CallStatus,
    error: Option<String>,
    exit_code: Option<i64>,
    duration_ms: Option<f64>,
    server: ToolServer,
}

impl Mirror {
    /// Reads the outcome in `item`; `None` if it does not record how the call ended.
    pub(crate) fn of(item: &mut Object) -> Result<Option<Self>, DecodeError> {
        let Some(status) = status_of(item) else { return Ok(None) };
        Ok(Some(Self {
            status,
            error: error_of(item).or_else(|| error_in_result(item)),
            exit_code: exit_code(item),
            duration_ms: item.object(&["duration"])?.map(duration_of).transpose()?,
            server: item.string(&["server"])?.into(),
        }))
    }

    /// Adds the outcome to its call.
    pub(crate) fn tell(&self, call: &mut Call) {
        call.status = self.status;
        call.exit_code = self.exit_code.or(call.exit_code);
        call.duration_ms = self.duration_ms.or(call.duration_ms);
        // Only a call that names no server takes the one of its outcome.
        if call.server.name().is_none() {
            call.server = self.server.clone().or(std::mem::take(&mut call.server));
        }
        call.error.clone_from(&self.error);
    }
}

/// Returns the output of a failed call as its error, if it has no other.
pub(crate) fn error_in_output(call: &Call) -> Option<String> {
    let said = call.result.as_ref().and_then(Value::as_str).filter(|text| !text.is_empty());
    said.map(|text| text.trim_end().to_owned())
}

fn exit_code(item: &Object) -> Option<i64> {
    item.get("exit_code").and_then(|code| code.as_number()?.as_i64())
}

fn status_of(item: &Object) -> Option<CallStatus> {
    let failed = match item.get("status").and_then(Json::as_str) {
        Some("completed") => false,
        Some("failed" | "declined") => true,
        Some(_) => return None,
        // Versions differ in what they record. An exit code is more precise than a flag, and a flag more than a
        // result.
        None => match (exit_code(item), item.get("success")) {
            (Some(code), _) => code != 0,
            (None, Some(success)) => !success.is_true(),
            (None, None) => is_error(item.get("result")?),
        },
    };
    Some(if failed { CallStatus::Error } else { CallStatus::Ok })
}

/// Whether a server's result is an error; early versions wrap it in `Ok` or `Err`.
fn is_error(result: &Json) -> bool {
    let inner = result.get("Ok").unwrap_or(result);
    let told = inner.get("isError").or_else(|| inner.get("is_error"));
    result.get("Err").is_some() || told.is_some_and(Json::is_true)
}

/// The text of a result that is an error.
fn error_in_result(item: &Object) -> Option<String> {
    let result = item.get("result").filter(|result| is_error(result))?;
    if let Some(error) = result.get("Err").and_then(Json::as_str) {
        return Some(error.to_owned());
    }
    let text = text_of(result.get("Ok").unwrap_or(result).get("content").cloned());
    (!text.is_empty()).then(|| text.into_owned())
}

fn duration_of(mut duration: Object) -> Result<f64, DecodeError> {
    let seconds = duration.figure(&["secs"])?.unwrap_or_default();
    let nanos = duration.figure(&["nanos"])?.unwrap_or_default();
    Ok(seconds * 1000.0 + nanos / 1_000_000.0)
}
