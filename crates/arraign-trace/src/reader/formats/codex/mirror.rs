//! The outcome of a call in an event of Codex: its status, its duration, its exit code.

use crate::json::{Json, JsonNode, JsonObject};

use crate::reader::build::content::text_of;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::error::DecodeError;
use crate::trace::{Call, ToolServer};

/// The outcome of a call that has ended.
#[derive(Debug)]
pub(crate) struct Mirror {
    marks: OutcomeMarks,
    error: Option<String>,
    duration_ms: Option<f64>,
    server: ToolServer,
}

impl Mirror {
    /// Reads the outcome in `item`; `None` if it does not record how the call ended.
    pub(crate) fn of(item: &mut JsonObject) -> Result<Option<Self>, DecodeError> {
        let Some(marks) = read_marks(item) else { return Ok(None) };
        Ok(Some(Self {
            marks,
            error: error_of(item).or_else(|| error_in_result(item)),
            duration_ms: item.object(&["duration"])?.map(duration_of).transpose()?,
            server: item.string(&["server"])?.into(),
        }))
    }

    /// Adds the outcome to its call.
    pub(crate) fn tell(&self, call: &mut Call) {
        self.marks.settle(call, Unmarked::Worked);
        call.exit_code = self.marks.exit_code().or(call.exit_code);
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
    let said = call.result.as_ref().and_then(Json::as_str).filter(|text| !text.is_empty());
    said.map(|text| text.trim_end().to_owned())
}

/// Reads the marks of a call that has ended. Versions differ in what they record: a status, a flag, an exit code, or only
/// the result of a server.
fn read_marks(item: &JsonObject) -> Option<OutcomeMarks> {
    let mut marks = OutcomeMarks::of(item);
    let result = item.get("result").filter(|result| !result.is_null());
    if marks.is_pending() || !marks.is_marked() && result.is_none() {
        return None;
    }
    if let Some(result) = result {
        read_server_marks(&mut marks, result);
    }
    Some(marks)
}

/// Reads the marks in a server's result; early versions wrap it in `Ok` or `Err`.
fn read_server_marks(marks: &mut OutcomeMarks, result: &JsonNode) {
    marks.note_failure(result.get("Err").is_some());
    marks.read_value(Some(result.get("Ok").unwrap_or(result)));
}

/// The text of a result that is an error.
fn error_in_result(item: &JsonObject) -> Option<String> {
    let result = item.get("result")?;
    let mut marks = OutcomeMarks::default();
    read_server_marks(&mut marks, result);
    if !marks.has_failed() {
        return None;
    }
    if let Some(error) = result.get("Err").and_then(JsonNode::as_str) {
        return Some(error.to_owned());
    }
    let text = text_of(result.get("Ok").unwrap_or(result).get("content").cloned());
    (!text.is_empty()).then(|| text.into_owned())
}

fn duration_of(mut duration: JsonObject) -> Result<f64, DecodeError> {
    let seconds = duration.figure(&["secs"])?.unwrap_or_default();
    let nanos = duration.figure(&["nanos"])?.unwrap_or_default();
    Ok(seconds * 1000.0 + nanos / 1_000_000.0)
}
