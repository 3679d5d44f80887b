//! The JSON of a trace file while it is read: a tree that borrows from the file's text.
//!
//! Most of a trace is looked at once and dropped. So keys and texts without escapes borrow from the file, and an object
//! is a list of entries. Only the values that a trace keeps are copied.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::{Number, Value};

use crate::reader::json::object::Object;

/// A JSON value.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Json<'t> {
    #[default]
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
    List(Vec<Json<'t>>),
    Object(Object<'t>),
}

impl<'t> Json<'t> {
    /// Builds an object from these entries.
    pub(crate) fn object<const N: usize>(entries: [(&'static str, Json<'t>); N]) -> Self {
        Self::Object(entries.into_iter().map(|(key, value)| (Cow::Borrowed(key), value)).collect())
    }

    /// Whether the object has `name`, even with null.
    pub(crate) fn has_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Whether the object has a text under `name`.
    pub(crate) fn has_text(&self, name: &str) -> bool {
        self.get(name).is_some_and(Json::is_text)
    }

    /// Returns the text under `name`, if it is a text.
    pub(crate) fn text_under(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns the value under `name`, if this is an object that has it.
    pub(crate) fn get(&self, name: &str) -> Option<&Json<'t>> {
        self.as_object()?.get(name)
    }

    /// Returns the first entry, if this is a list that has one.
    pub(crate) fn first(&self) -> Option<&Json<'t>> {
        self.as_list()?.first()
    }

    /// Returns the value at a JSON pointer. Its keys must need no escapes.
    pub(crate) fn pointer(&self, path: &str) -> Option<&Json<'t>> {
        let Some(mut rest) = path.strip_prefix('/') else { return Some(self) };
        let mut value = self;
        // Detection asks each record for several pointers. Their keys are so short that a loop over the bytes is faster
        // than a search for the slash.
        loop {
            let end = rest.bytes().position(|byte| byte == b'/').unwrap_or(rest.len());
            value = match value {
                Self::Object(object) => object.get(&rest[..end])?,
                Self::List(items) => items.get(rest[..end].parse::<usize>().ok()?)?,
                _ => return None,
            };
            let Some(below) = rest.get(end + 1..) else { return Some(value) };
            rest = below;
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub(crate) fn as_list(&self) -> Option<&[Json<'t>]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    pub(crate) fn as_object(&self) -> Option<&Object<'t>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    pub(crate) fn as_object_mut(&mut self) -> Option<&mut Object<'t>> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    pub(crate) fn as_number(&self) -> Option<&Number> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns the text, if this is one.
    pub(crate) fn into_text(self) -> Option<Cow<'t, str>> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns a text as it is, and any other value as compact JSON.
    pub(crate) fn into_text_or_json(self) -> Cow<'t, str> {
        match self {
            Self::Text(text) => text,
            other => Cow::Owned(other.into_value().to_string()),
        }
    }

    /// Copies the value, so that it no longer borrows from the file.
    pub(crate) fn into_owned(self) -> Json<'static> {
        match self {
            Self::Null => Json::Null,
            Self::Bool(bool) => Json::Bool(bool),
            Self::Number(number) => Json::Number(number),
            Self::Text(text) => Json::Text(Cow::Owned(text.into_owned())),
            Self::List(items) => Json::List(items.into_iter().map(Self::into_owned).collect()),
            Self::Object(object) => Json::Object(object.into_owned()),
        }
    }

    /// Converts the value into the type that a trace keeps.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(bool) => Value::Bool(bool),
            Self::Number(number) => Value::Number(number),
            Self::Text(text) => Value::String(text.into_owned()),
            Self::List(items) => Value::Array(items.into_iter().map(Self::into_value).collect()),
            Self::Object(object) => Value::Object(object.into_map()),
        }
    }

    /// Copies the value into the type that a trace keeps.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(bool) => Value::Bool(*bool),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.as_ref().to_owned()),
            Self::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Object(object) => {
                let entries =
                    object.entries().map(|(key, value)| (key.as_ref().to_owned(), value.to_value()));
                Value::Object(entries.collect())
            }
        }
    }

    /// Whether an object in this value has a duplicate key.
    pub(crate) fn has_duplicates(&self) -> bool {
        match self {
            Self::List(items) => items.iter().any(Self::has_duplicates),
            Self::Object(object) => {
                object.find_duplicate().is_some() || object.values().any(Self::has_duplicates)
            }
            _ => false,
        }
    }

    /// Renders the value as compact JSON, with both occurrences of a duplicate key.
    pub(crate) fn render(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Names the type of the value in error messages.
    pub(crate) fn describe(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl From<Value> for Json<'static> {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(bool) => Self::Bool(bool),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(Cow::Owned(text)),
            Value::Array(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Value::Object(map) => {
                Self::Object(map.into_iter().map(|(key, value)| (Cow::Owned(key), value.into())).collect())
            }
        }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(object) => serializer.collect_map(object.entries()),
        }
    }
}

impl<'de: 't, 't> Deserialize<'de> for Json<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Most values are objects of few entries; many have no list.
        let mut open = OpenValues { items: Vec::new(), entries: Vec::with_capacity(16) };
        JsonSeed(&mut open).deserialize(deserializer)
    }
}

/// The values of a text, parsed one after another.
///
/// They share the memory of open values: with a stream of `serde_json`, each value would allocate its own.
pub(crate) struct JsonValues<'t> {
    text: &'t str,
    /// Where the last value ends.
    end: usize,
    open: OpenValues<'t>,
}

impl<'t> JsonValues<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, end: 0, open: OpenValues::default() }
    }

    /// Parses the next value, and returns the offset at which it begins, and the value; `None` at the end of the text.
    pub(crate) fn next(&mut self) -> Result<Option<(usize, Json<'t>)>, serde_json::Error> {
        let rest = self.text[self.end..].trim_start_matches([' ', '\n', '\r', '\t']);
        if rest.is_empty() {
            return Ok(None);
        }
        let start = self.text.len() - rest.len();
        let mut parser = serde_json::Deserializer::from_str(rest);
        let value = match JsonSeed(&mut self.open).deserialize(&mut parser) {
            Ok(value) => value,
            Err(error) => return Err(self.find_error().unwrap_or(error)),
        };
        self.end = start + parser.into_iter::<IgnoredAny>().byte_offset();
        // A number or a word ends only where something else begins: `1x` and `nulltrue` are no two values.
        let goes_on = |next: char| !" \n\r\t\"[]{},:".contains(next);
        match value {
            Json::Null | Json::Bool(_) | Json::Number(_) if self.text[self.end..].starts_with(goes_on) => {
                self.find_error().map_or(Ok(Some((start, value))), Err)
            }
            value => Ok(Some((start, value))),
        }
    }

    /// Finds the first error of the text, with its place counted from the start of the text.
    fn find_error(&self) -> Option<serde_json::Error> {
        serde_json::Deserializer::from_str(self.text).into_iter::<Json>().find_map(Result::err)
    }
}

/// The values of the lists and objects that are not read to their end, the innermost last.
///
/// A list or an object takes its own values from the end once it is complete. So each is allocated once and at its exact
/// size, and none is moved while it grows.
#[derive(Default)]
struct OpenValues<'t> {
    items: Vec<Json<'t>>,
    entries: Vec<(Cow<'t, str>, Json<'t>)>,
}

/// The length from which an outermost list keeps its memory instead of being copied.
const LONG: usize = 1024;

/// Takes the values from `first` on, which are complete.
fn close<T>(open: &mut Vec<T>, first: usize) -> Vec<T> {
    if first == 0 && open.len() >= LONG { std::mem::take(open) } else { open.split_off(first) }
}

/// Reads a value.
struct JsonSeed<'o, 't>(&'o mut OpenValues<'t>);

impl<'de> DeserializeSeed<'de> for JsonSeed<'_, 'de> {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonSeed<'_, 'de> {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json<'de>, A::Error> {
        let Self(open) = self;
        let first = open.items.len();
        while let Some(item) = seq.next_element_seed(JsonSeed(open))? {
            open.items.push(item);
        }
        Ok(Json::List(close(&mut open.items, first)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json<'de>, A::Error> {
        let Self(open) = self;
        let first = open.entries.len();
        while let Some(JsonKey(key)) = map.next_key()? {
            let value = map.next_value_seed(JsonSeed(open))?;
            open.entries.push((key, value));
        }
        Ok(Json::Object(Object::of_entries(close(&mut open.entries, first))))
    }
}

/// A key of an object. Deserializing a `Cow` itself would always copy the text.
pub(crate) struct JsonKey<'t>(pub(crate) Cow<'t, str>);

impl<'de: 't, 't> Deserialize<'de> for JsonKey<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = JsonKey<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<JsonKey<'de>, E> {
        Ok(JsonKey(Cow::Borrowed(key)))
    }

    fn visit_str<E>(self, key: &str) -> Result<JsonKey<'de>, E> {
        Ok(JsonKey(Cow::Owned(key.to_owned())))
    }
}
