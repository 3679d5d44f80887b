//! Our values as the validator sees them.

use std::borrow::Cow;
use std::collections::HashSet;

use arraign_trace::json::JsonText;
use jsonschema::JsonType;
use jsonschema::json::{self as validator, NodeIdentity};
use serde_json::{Number, Value};

use crate::json::{Json, JsonMap, JsonNumber};

/// The representation of values that are validated. Schemas are `serde_json::Value`s.
pub(super) struct Instance;

impl validator::Json for Instance {
    type Node<'a> = &'a Json;
    type PreparedKey = String;
    type StringBuffer = Json;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(buffer: &mut Json, string: &str, f: impl FnOnce(&Json) -> T) -> T {
        *buffer = string.into();
        f(buffer)
    }
}

impl<'a> validator::Node<'a, Instance> for &'a Json {
    type Object = &'a JsonMap;
    type Array = &'a [Json];
    type Number = InstanceNumber<'a>;

    fn as_object(&self) -> Option<&'a JsonMap> {
        Json::as_object(self)
    }

    fn as_array(&self) -> Option<&'a [Json]> {
        Json::as_array(self)
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        Json::as_str(self).map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<InstanceNumber<'a>> {
        Json::as_number(self).map(InstanceNumber)
    }

    fn as_boolean(&self) -> Option<bool> {
        Json::as_bool(self)
    }

    fn is_null(&self) -> bool {
        Json::is_null(self)
    }

    fn json_type(&self) -> JsonType {
        match self {
            Json::Null => JsonType::Null,
            Json::Bool(_) => JsonType::Boolean,
            Json::Number(_) => JsonType::Number,
            Json::String(_) => JsonType::String,
            Json::Array(_) => JsonType::Array,
            Json::Object(_) => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        // An `enum` compares a value with thousands of others. Most differ in what costs nothing to see.
        match (*self, expected) {
            (Json::Array(items), Value::Array(others)) if items.len() != others.len() => false,
            (Json::Object(object), Value::Object(other)) if object.len() != other.len() => false,
            (Json::String(text), Value::String(other)) => text.as_str() == other,
            (Json::Number(_), Value::Number(_))
            | (Json::Array(_), Value::Array(_))
            | (Json::Object(_), Value::Object(_)) => Json::from(expected) == **self,
            (Json::Bool(flag), Value::Bool(other)) => flag == other,
            (Json::Null, Value::Null) => true,
            _ => false,
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(Value::from(*self))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref::<Json>(self) as usize))
    }
}

impl<'a> validator::Object<'a, Instance> for &'a JsonMap {
    type Node = &'a Json;
    type MemberName = &'a str;
    type MembersIter = Box<dyn Iterator<Item = (&'a str, &'a Json)> + 'a>;

    fn len(&self) -> usize {
        JsonMap::len(self)
    }

    fn get(&self, key: &String) -> Option<&'a Json> {
        JsonMap::get(self, key)
    }

    fn members(&self) -> Self::MembersIter {
        Box::new(self.iter().map(|(key, value)| (JsonText::as_str(key), value)))
    }
}

impl<'a> validator::Array<'a, Instance> for &'a [Json] {
    type Node = &'a Json;
    type ElementsIter = std::slice::Iter<'a, Json>;

    fn len(&self) -> usize {
        <[Json]>::len(self)
    }

    fn elements(&self) -> std::slice::Iter<'a, Json> {
        (*self).iter()
    }

    fn is_unique(&self) -> bool {
        let mut seen = HashSet::with_capacity(<[Json]>::len(self));
        self.iter().all(|item| seen.insert(item))
    }
}

/// A number as the validator sees it.
pub(super) struct InstanceNumber<'a>(&'a JsonNumber<'static>);

impl validator::JsonNumber for InstanceNumber<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.as_u64()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.as_i64()
    }

    fn as_f64(&self) -> Option<f64> {
        self.0.as_f64()
    }

    fn as_str(&self) -> Cow<'_, str> {
        self.0.as_str()
    }

    fn to_number(&self) -> Cow<'_, Number> {
        match Value::from(&Json::Number(self.0.clone())) {
            Value::Number(number) => Cow::Owned(number),
            _ => Cow::Owned(0.into()),
        }
    }

    fn is_integer(&self) -> bool {
        self.0.is_whole()
    }

    fn is_written_as_integer(&self) -> bool {
        self.0.is_written_as_integer()
    }
}
