//! JSON texts in attributes, the usual form of messages in spans.
//!
//! The objects of such a text belong to the format, so a duplicate key in one of them is an error of the span. In the
//! arguments of a call, it makes the arguments malformed. In the data of tools, it does not matter.
use crate::json::{Json, JsonMap, JsonNode, JsonObject, parse_borrowed, parse_lenient};

/// Parses an attribute that may be JSON text. `Ok(None)` is a text that is not JSON, for example because a limit on
/// lengths cut it. `Err` is the duplicate key.
pub(crate) fn parse_unique(value: &JsonNode) -> Result<Option<Json>, String> {
    match value {
        JsonNode::String(text) => match parse_borrowed(text) {
            Ok(parsed) => build_value(parsed).map(Some),
            Err(_) => Ok(None),
        },
        other => Ok(Some(other.to_json())),
    }
}

fn build_value(value: JsonNode) -> Result<Json, String> {
    match value {
        JsonNode::Array(items) => items.into_iter().map(build_value).collect(),
        JsonNode::Object(object) => build_object(object).map(Json::Object),
        other => Ok(other.into_json()),
    }
}

fn build_object(object: JsonObject) -> Result<JsonMap, String> {
    if let Some(key) = object.find_duplicate() {
        return Err(key.to_owned());
    }
    let entries = object.into_entries().into_iter().map(|(key, value)| {
        let value = match key.as_ref() {
            // The text keeps both occurrences.
            "arguments" | "args" | "input" if value.has_duplicates() => {
                Json::String(value.to_string().into())
            }
            "arguments" | "args" | "input" | "response" | "result" | "output" => value.into_json(),
            _ => build_value(value)?,
        };
        Ok((key.into_owned(), value))
    });
    entries.collect()
}

/// Parses an attribute; `None` for a text that is not JSON, for example because a limit on lengths cut it.
pub(crate) fn parse_attribute(value: &JsonNode) -> Option<Json> {
    match value {
        JsonNode::String(text) => parse_lenient(text).ok(),
        other => Some(other.to_json()),
    }
}
