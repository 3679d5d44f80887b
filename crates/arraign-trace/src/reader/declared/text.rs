//! The texts of selected values, and the results that are made of them.

use std::borrow::Cow;

use crate::json::{Json, JsonNode, parse_lenient};

/// Returns a value as text: a list of texts, or of parts with a `text`, is their concatenation.
pub(super) fn text_of<'v>(value: &'v JsonNode<'v>) -> Cow<'v, str> {
    match value {
        JsonNode::String(text) => Cow::Borrowed(text),
        JsonNode::Array(parts) => {
            let texts = parts.iter().map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            // If one part is no text, the list is shown as JSON, so that nothing of it is lost.
            texts.collect::<Option<String>>().map_or_else(|| Cow::Owned(value.to_string()), Cow::Owned)
        }
        value => Cow::Owned(value.to_string()),
    }
}

/// Puts the values of a result together: texts and parts of text are one text, other values a list.
pub(super) fn join_values(values: &[&JsonNode], json: bool) -> Option<Json> {
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
    match (values, texts) {
        ([], _) => None,
        (_, Some(texts)) => Some(read_text(texts.join("\n"), json)),
        ([only], None) => match join_parts(only) {
            Some(text) => Some(read_text(text, json)),
            None => Some(only.to_json()),
        },
        (several, None) => Some(Json::Array(several.iter().map(|value| value.to_json()).collect())),
    }
}

fn read_text(text: String, json: bool) -> Json {
    let parsed = if json { parse_lenient(&text).ok() } else { None };
    parsed.unwrap_or(Json::String(text.into()))
}

/// Returns the message of a failure: the result as text.
pub(super) fn read_message(result: &Json) -> String {
    let result = result.clone();
    text_of(&result).into_owned()
}

/// Joins the texts of a list of parts that are all text.
fn join_parts(value: &JsonNode) -> Option<String> {
    let parts = value.as_array().filter(|parts| !parts.is_empty())?;
    let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text")?.as_str()).collect();
    texts.map(|texts| texts.join("\n"))
}
