//! JSON texts in attributes, the usual form of messages in spans.
//!
//! The objects of such a text belong to the format, so a duplicate key in one of them is an error of the span. In the
//! arguments of a call, it makes the arguments malformed. In the data of tools, it does not matter.

use serde_json::{Map, Value};

use crate::reader::json::object::Object;
use crate::reader::json::value::Json;

/// Parses an attribute that may be JSON text. `Ok(None)` is a text that is not JSON, for example because a limit on
/// lengths cut it. `Err` is the duplicate key.
pub(crate) fn parse_unique(value: &Json) -> Result<Option<Value>, String> {
    match value {
        Json::Text(text) => match serde_json::from_str::<Json>(text) {
            Ok(parsed) => build_value(parsed).map(Some),
            Err(_) => Ok(None),
        },
        other => Ok(Some(other.clone().into_value())),
    }
}

fn build_value(value: Json) -> Result<Value, String> {
    match value {
        Json::List(items) => items.into_iter().map(build_value).collect(),
        Json::Object(object) => build_object(object).map(Value::Object),
        other => Ok(other.into_value()),
    }
}

fn build_object(object: Object) -> Result<Map<String, Value>, String> {
    if let Some(key) = object.find_duplicate() {
        return Err(key.to_owned());
    }
    let entries = object.into_entries().into_iter().map(|(key, value)| {
        let value = match key.as_ref() {
            // The text keeps both occurrences.
            "arguments" | "args" | "input" if value.has_duplicates() => Value::String(value.render()),
            "arguments" | "args" | "input" | "response" | "result" | "output" => value.into_value(),
            _ => build_value(value)?,
        };
        Ok((key.into_owned(), value))
    });
    entries.collect()
}
