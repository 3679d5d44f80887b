//! The status of a span, as the exporters write it.

use crate::reader::build::tool_result::{OutcomeMarks, is_set};
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;

/// Reads the status of a span, which has its code under `key`: the name of the code in JSON, and its number where the export
/// was converted from protobuf. A code that is not set says nothing.
pub(super) fn read_status(status: &Object, key: &str) -> OutcomeMarks {
    let mut marks = OutcomeMarks::default();
    match status.get(key) {
        Some(Json::Text(code)) if code.ends_with("UNSET") || code.ends_with("UNSPECIFIED") => {}
        Some(Json::Text(code)) => marks.note_word(key, code),
        Some(Json::Number(code)) => match code.as_u64() {
            Some(0) => {}
            Some(1) => marks.note_success(),
            Some(2) => marks.note_failure(true),
            _ => marks.note_unclear(format!("`{key}` is `{code}`")),
        },
        _ => {
            let is_text = |key: &str| ["message", "description"].contains(&key);
            if let Some((key, _)) = status.entries().find(|(key, value)| !is_text(key) && is_set(value)) {
                marks.note_unclear(format!("`{key}` is set"));
            }
        }
    }
    marks
}
