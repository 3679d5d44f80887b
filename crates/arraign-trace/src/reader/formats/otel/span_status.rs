//! The status of a span, as the exporters write it.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::tool_result::{OutcomeMarks, is_set};

/// Reads the status of a span, which has its code under `key`: the name of the code in JSON, and its number where the export
/// was converted from protobuf. A code that is not set says nothing.
pub(super) fn read_status(status: &JsonObject, key: &str) -> OutcomeMarks {
    let mut marks = OutcomeMarks::default();
    match status.get(key) {
        Some(JsonNode::String(code)) if code.ends_with("UNSET") || code.ends_with("UNSPECIFIED") => {}
        Some(JsonNode::String(code)) => marks.note_word(key, code),
        Some(JsonNode::Number(code)) => match code.as_u64() {
            Some(0) => {}
            Some(1) => marks.note_success(),
            Some(2) => marks.note_failure(true),
            _ => marks.note_unclear(format!("`{key}` is `{code}`")),
        },
        _ => {
            let is_text = |key: &str| ["message", "description"].contains(&key);
            if let Some((key, _)) = status.iter().find(|(key, value)| !is_text(key) && is_set(value)) {
                marks.note_unclear(format!("`{key}` is set"));
            }
        }
    }
    marks
}
