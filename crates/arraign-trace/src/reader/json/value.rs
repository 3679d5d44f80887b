//! What readers ask of a JSON value.
//!
//! Most of a trace is looked at once and dropped. So keys and texts without escapes borrow from the file, and an object
//! is a list of entries. Only the values that a trace keeps are copied.

use std::borrow::Cow;

use crate::json::{Json, JsonNode};

impl<'t> JsonNode<'t> {
    /// Builds an object from these entries.
    pub(crate) fn object<const N: usize>(entries: [(&'static str, JsonNode<'t>); N]) -> Self {
        entries.into_iter().collect()
    }

    /// Whether the object has `name`, even with null.
    pub(crate) fn has_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether the object has a text under `name`.
    pub(crate) fn has_text(&self, name: &str) -> bool {
        self.get(name).is_some_and(JsonNode::is_string)
    }

    /// Returns the text under `name`, if it is a text.
    pub(crate) fn text_under(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns the first entry, if this is a list that has one.
    pub(crate) fn first(&self) -> Option<&JsonNode<'t>> {
        self.as_array()?.first()
    }

    pub(crate) fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    /// Returns the text, if this is one.
    pub(crate) fn into_text(self) -> Option<Cow<'t, str>> {
        if let Self::String(text) = self { Some(text.into_cow()) } else { None }
    }

    /// Returns a text as it is, and any other value as compact JSON.
    pub(crate) fn into_text_or_json(self) -> Cow<'t, str> {
        match self {
            Self::String(text) => text.into_cow(),
            other => Cow::Owned(other.to_string()),
        }
    }

    /// Returns the value, which no longer borrows. A duplicate key stays one, for the reader that opens the object.
    pub(crate) fn into_static(self) -> Json {
        match self {
            Self::Array(items) => Json::Array(items.into_iter().map(Self::into_static).collect()),
            Self::Object(object) => {
                object.into_iter().map(|(key, value)| (key.into_owned(), value.into_static())).collect()
            }
            other => other.into_json(),
        }
    }

    /// Whether an object in this value has a duplicate key.
    pub(crate) fn has_duplicates(&self) -> bool {
        self.find_duplicate().is_some()
    }
}
