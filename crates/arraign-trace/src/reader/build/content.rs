//! Contents of messages and results: a text, or parts of which some are texts.

use std::borrow::Cow;

use crate::json::{Json, JsonNode};

/// Returns the text of a content: itself, or its text parts joined.
pub(crate) fn text_of(content: Option<JsonNode<'_>>) -> Cow<'_, str> {
    match content {
        Some(JsonNode::String(text)) => text.into_cow(),
        Some(JsonNode::Array(parts)) => Cow::Owned(parts.iter().filter_map(text_of_part).collect()),
        _ => Cow::Borrowed(""),
    }
}

/// Returns the text of a part: itself, or under its key.
fn text_of_part<'v>(part: &'v JsonNode) -> Option<&'v str> {
    part.as_str().or_else(|| part.get("text").or_else(|| part.get("refusal"))?.as_str())
}

/// Returns the result of a tool as a trace keeps it. Parts that are all text become one text, joined with `glue`. In
/// every format, an empty list becomes the empty text.
pub(crate) fn content_value(content: JsonNode, glue: &str) -> Json {
    match all_texts(&content) {
        Some(texts) => Json::String(texts.join(glue).into()),
        None => content.into_json(),
    }
}

/// Returns the texts of a list of parts that are all text.
pub(crate) fn all_texts<'v>(content: &'v JsonNode) -> Option<Vec<&'v str>> {
    content.as_array()?.iter().map(|part| part.get("text")?.as_str()).collect()
}
