//! The tree.

use std::ops::{Index, IndexMut};

use crate::json::map::{JsonMap, JsonObject};
use crate::json::number::JsonNumber;
use crate::json::text::JsonText;

/// A JSON value that owns its texts.
pub type Json = JsonNode<'static>;

/// A JSON value, whose texts may borrow from the file that is read.
///
/// Values are equal if they mean the same: numbers are compared by value, and the order of keys does not count.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub enum JsonNode<'t> {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, with its digits.
    Number(JsonNumber<'t>),
    /// A text.
    String(JsonText<'t>),
    /// A list.
    Array(Vec<JsonNode<'t>>),
    /// An object.
    Object(JsonObject<'t>),
}

impl<'t> JsonNode<'t> {
    /// Returns the value under a key, or at an index.
    pub fn get(&self, index: impl JsonIndex) -> Option<&JsonNode<'t>> {
        index.get_in(self)
    }

    /// Returns the value under a key, or at an index, to change it.
    pub fn get_mut(&mut self, index: impl JsonIndex) -> Option<&mut JsonNode<'t>> {
        index.get_mut_in(self)
    }

    /// Returns the value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<&JsonNode<'t>> {
        let Some(mut rest) = pointer.strip_prefix('/') else { return pointer.is_empty().then_some(self) };
        let mut value = self;
        // Readers ask each record for several pointers. Their keys are so short that a loop over the bytes is faster than a
        // search for the slash.
        loop {
            let end = rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
            value = value.follow_token(&rest[..end])?;
            let Some(below) = rest.get(end + 1..) else { return Some(value) };
            rest = below;
        }
    }

    fn follow_token(&self, token: &str) -> Option<&JsonNode<'t>> {
        match self {
            Self::Object(object) => object.get(&crate::json_text::unescape_token(token)),
            Self::Array(items) => items.get(parse_index(token)?),
            _ => None,
        }
    }

    /// Returns the value at a JSON pointer, to change it.
    pub fn pointer_mut(&mut self, pointer: &str) -> Option<&mut JsonNode<'t>> {
        let Some(tokens) = pointer.strip_prefix('/') else { return pointer.is_empty().then_some(self) };
        tokens.split('/').try_fold(self, |value, token| match value {
            Self::Object(object) => object.get_mut(&crate::json_text::unescape_token(token)),
            Self::Array(items) => items.get_mut(parse_index(token)?),
            _ => None,
        })
    }

    /// Returns the text, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// Returns the flag, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(flag) = self { Some(*flag) } else { None }
    }

    /// Returns the number, if this is one.
    pub fn as_number(&self) -> Option<&JsonNumber<'t>> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    /// Returns the number, if this is one that is written as an integer and fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// Returns the number, if this is one that is written as an integer and fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// Returns the nearest float, if this is a number that is not beyond all floats.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// Returns the elements, if this is a list.
    pub fn as_array(&self) -> Option<&[JsonNode<'t>]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the elements, if this is a list, to change them.
    pub fn as_array_mut(&mut self) -> Option<&mut Vec<JsonNode<'t>>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// Returns the object, if this is one.
    pub fn as_object(&self) -> Option<&JsonObject<'t>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Returns the object, if this is one, to change it.
    pub fn as_object_mut(&mut self) -> Option<&mut JsonObject<'t>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether this is `true` or `false`.
    pub fn is_boolean(&self) -> bool {
        matches!(self, Self::Bool(_))
    }

    /// Whether this is a number.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Whether this is a number that is written as an integer and fits into an `i64`.
    pub fn is_i64(&self) -> bool {
        self.as_i64().is_some()
    }

    /// Whether this is a number that is written as an integer and fits into a `u64`.
    pub fn is_u64(&self) -> bool {
        self.as_u64().is_some()
    }

    /// Whether this is a number that is no 64-bit integer.
    pub fn is_f64(&self) -> bool {
        self.as_number().is_some_and(JsonNumber::is_f64)
    }

    /// Whether this is a text.
    pub fn is_string(&self) -> bool {
        matches!(self, Self::String(_))
    }

    /// Whether this is a list.
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }

    /// Whether this is an object.
    pub fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Takes the value, and leaves null.
    pub fn take(&mut self) -> JsonNode<'t> {
        std::mem::take(self)
    }

    /// Returns the value, which no longer borrows. Of two equal keys, the last one counts. Lists and objects keep their memory.
    pub fn into_json(self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Bool(flag) => Json::Bool(flag),
            Self::Number(number) => Json::Number(number.into_owned()),
            Self::String(text) => Json::String(text.into_owned()),
            Self::Array(items) => Json::Array(items.into_iter().map(Self::into_json).collect()),
            Self::Object(object) => Json::Object(object.into_map()),
        }
    }

    /// Copies the value as [`into_json`](Self::into_json) does.
    pub fn to_json(&self) -> Json {
        self.clone().into_json()
    }

    /// Returns the value with each number as `serde_json` prints it where 64 bits hold it: `1.50` as `1.5`. Values that are
    /// equal there have the same text, whoever wrote them, so this is what fingerprints are made of.
    pub fn to_canonical(&self) -> Json {
        match self {
            Self::Number(number) => Json::Number(number.to_canonical()),
            Self::Array(items) => Json::Array(items.iter().map(Self::to_canonical).collect()),
            Self::Object(object) => {
                let entries =
                    object.iter().map(|(key, value)| (key.clone().into_owned(), value.to_canonical()));
                Json::Object(entries.collect())
            }
            other => other.to_json(),
        }
    }

    /// Returns the first key that an object in this value has twice.
    pub fn find_duplicate(&self) -> Option<&str> {
        match self {
            Self::Array(items) => items.iter().find_map(Self::find_duplicate),
            Self::Object(object) => {
                object.find_duplicate().or_else(|| object.values().find_map(Self::find_duplicate))
            }
            _ => None,
        }
    }

    /// Names the type of the value in error messages.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

fn parse_index(token: &str) -> Option<usize> {
    let is_index = !token.starts_with('+') && (token == "0" || !token.starts_with('0'));
    is_index.then(|| token.parse().ok())?
}

impl std::fmt::Debug for JsonNode<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Null => f.write_str("Null"),
            Self::Bool(flag) => write!(f, "Bool({flag})"),
            Self::Number(number) => std::fmt::Debug::fmt(number, f),
            Self::String(text) => write!(f, "String({text:?})"),
            Self::Array(items) => f.debug_tuple("Array").field(items).finish(),
            Self::Object(object) => f.debug_tuple("Object").field(object).finish(),
        }
    }
}

/// What an index finds where nothing is.
static NULL: Json = Json::Null;

/// A key of an object, or an index of a list.
pub trait JsonIndex {
    /// Returns the value in `value` that this selects.
    #[doc(hidden)]
    fn get_in<'v, 't>(&self, value: &'v JsonNode<'t>) -> Option<&'v JsonNode<'t>>;

    /// Returns the value in `value` that this selects, to change it.
    #[doc(hidden)]
    fn get_mut_in<'v, 't>(&self, value: &'v mut JsonNode<'t>) -> Option<&'v mut JsonNode<'t>>;

    /// Returns the value in `value` that this selects. An object gets a key that it lacks.
    ///
    /// # Panics
    ///
    /// If `value` is neither null nor an object, for a key; if the list has no such element, for an index.
    #[doc(hidden)]
    fn get_or_insert<'v>(&self, value: &'v mut Json) -> &'v mut Json;
}

impl JsonIndex for str {
    fn get_in<'v, 't>(&self, value: &'v JsonNode<'t>) -> Option<&'v JsonNode<'t>> {
        value.as_object()?.get(self)
    }

    fn get_mut_in<'v, 't>(&self, value: &'v mut JsonNode<'t>) -> Option<&'v mut JsonNode<'t>> {
        value.as_object_mut()?.get_mut(self)
    }

    fn get_or_insert<'v>(&self, value: &'v mut Json) -> &'v mut Json {
        if value.is_null() {
            *value = Json::Object(JsonObject::new());
        }
        let kind = value.describe();
        let Some(object) = value.as_object_mut() else { panic!("cannot set the key {self:?} of {kind}") };
        object.get_or_insert_null(self.to_owned())
    }
}

impl JsonIndex for usize {
    fn get_in<'v, 't>(&self, value: &'v JsonNode<'t>) -> Option<&'v JsonNode<'t>> {
        value.as_array()?.get(*self)
    }

    fn get_mut_in<'v, 't>(&self, value: &'v mut JsonNode<'t>) -> Option<&'v mut JsonNode<'t>> {
        value.as_array_mut()?.get_mut(*self)
    }

    fn get_or_insert<'v>(&self, value: &'v mut Json) -> &'v mut Json {
        let kind = value.describe();
        let Some(item) = self.get_mut_in(value) else { panic!("{kind} has no element {self}") };
        item
    }
}

impl JsonIndex for String {
    fn get_in<'v, 't>(&self, value: &'v JsonNode<'t>) -> Option<&'v JsonNode<'t>> {
        self.as_str().get_in(value)
    }

    fn get_mut_in<'v, 't>(&self, value: &'v mut JsonNode<'t>) -> Option<&'v mut JsonNode<'t>> {
        self.as_str().get_mut_in(value)
    }

    fn get_or_insert<'v>(&self, value: &'v mut Json) -> &'v mut Json {
        self.as_str().get_or_insert(value)
    }
}

impl JsonIndex for JsonText<'_> {
    fn get_in<'v, 't>(&self, value: &'v JsonNode<'t>) -> Option<&'v JsonNode<'t>> {
        self.as_str().get_in(value)
    }

    fn get_mut_in<'v, 't>(&self, value: &'v mut JsonNode<'t>) -> Option<&'v mut JsonNode<'t>> {
        self.as_str().get_mut_in(value)
    }

    fn get_or_insert<'v>(&self, value: &'v mut Json) -> &'v mut Json {
        self.as_str().get_or_insert(value)
    }
}

impl<I: JsonIndex + ?Sized> JsonIndex for &I {
    fn get_in<'v, 't>(&self, value: &'v JsonNode<'t>) -> Option<&'v JsonNode<'t>> {
        (**self).get_in(value)
    }

    fn get_mut_in<'v, 't>(&self, value: &'v mut JsonNode<'t>) -> Option<&'v mut JsonNode<'t>> {
        (**self).get_mut_in(value)
    }

    fn get_or_insert<'v>(&self, value: &'v mut Json) -> &'v mut Json {
        (**self).get_or_insert(value)
    }
}

/// Returns null for a key or an index that is not there.
impl<'t, I: JsonIndex> Index<I> for JsonNode<'t> {
    type Output = JsonNode<'t>;

    fn index(&self, index: I) -> &Self {
        index.get_in(self).unwrap_or(&NULL)
    }
}

/// Returns null for a key that is not there.
impl<'t> Index<&str> for JsonObject<'t> {
    type Output = JsonNode<'t>;

    fn index(&self, key: &str) -> &JsonNode<'t> {
        self.get(key).unwrap_or(&NULL)
    }
}

/// A key that is not there is added.
impl IndexMut<&str> for JsonMap {
    fn index_mut(&mut self, key: &str) -> &mut Json {
        self.get_or_insert_null(key.to_owned())
    }
}

/// A key that an object lacks is added.
impl<I: JsonIndex> IndexMut<I> for Json {
    fn index_mut(&mut self, index: I) -> &mut Self {
        index.get_or_insert(self)
    }
}

#[cfg(test)]
mod tests {
    use crate::json::{Json, json, parse};

    #[test]
    fn a_pointer_finds_what_rfc_6901_says() {
        let document = parse(r#"{"a": [1, {"b/c": 2, "m~n": 3}], "": 4}"#).expect("JSON");
        for (pointer, found) in [
            ("/a/0", Some(1)),
            ("/a/1/b~1c", Some(2)),
            ("/a/1/m~0n", Some(3)),
            ("/", Some(4)),
            ("/a/00", None),
            ("/a/+0", None),
            ("a", None),
        ] {
            assert_eq!(document.pointer(pointer).and_then(Json::as_i64), found, "{pointer}");
            assert_eq!(
                document.clone().pointer_mut(pointer).and_then(|value| value.as_i64()),
                found,
                "{pointer}"
            );
        }
        assert_eq!(document.pointer(""), Some(&document));
    }

    #[test]
    fn values_are_equal_if_they_mean_the_same() {
        assert_eq!(
            json!({"a": [1, {"b": 0}], "c": null}),
            parse(r#"{"c": null, "a": [1.0, {"b": -0.0}]}"#).expect("JSON")
        );
        for (one, other) in [
            (json!(1), json!("1")),
            (json!(0), json!(false)),
            (json!(null), json!(0)),
            (json!([1]), json!([1, 1])),
            (json!({"a": null}), json!({"b": null})),
            (json!({"a": 1}), json!({"a": 1, "b": 2})),
        ] {
            assert_ne!(one, other);
            assert_ne!(other, one);
        }
    }
}
