//! The texts of selected values, and the results that are made of them.

use std::borrow::Cow;

use serde_json::Value;

use crate::reader::json::value::Json;

/// Returns a value as text: a list of texts, or of parts with a `text`, is their concatenation.
pub(super) fn text_of<'v>(value: &'v Json<'v>) -> Cow<'v, str> {
    match value {
        Json::Text(text) => Cow::Borrowed(text),
        Json::List(parts) => {
            let texts = parts.iter().map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            // If one part is no text, the list is shown as JSON, so that nothing of it is lost.
            texts.collect::<Option<String>>().map_or_else(|| Cow::Owned(value.render()), Cow::Owned)
        }
        value => Cow::Owned(value.render()),
    }
}

/// Puts the values of a result together: texts and parts of text are one text, other values a list.
pub(super) fn join_values(values: &[&Json], json: bool) -> Option<Value> {
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
    match (values, texts) {
        ([], _) => None,
        (_, Some(texts)) => Some(read_text(texts.join("\n"), json)),
        ([only], None) => match join_parts(only) {
            Some(text) => Some(read_text(text, json)),
            None => Some(only.to_value()),
        },
        (several, None) => Some(Value::Array(several.iter().map(|value| value.to_value()).collect())),
    }
}

fn read_text(text: String, json: bool) -> Value {
    let parsed = if json { serde_json::from_str(&text).ok() } else { None };
    parsed.unwrap_or(Value::String(text))
}

/// Returns the message of a failure: the result as text.
pub(super) fn read_message(result: &Value) -> String {
    let result = Json::from(result.clone());
    text_of(&result).into_owned()
}

/// Joins the texts of a list of parts that are all text.
fn join_parts(value: &Json) -> Option<String> {
    let parts = value.as_list().filter(|parts| !parts.is_empty())?;
    let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text")?.as_str()).collect();
    texts.map(|texts| texts.join("\n"))
}
