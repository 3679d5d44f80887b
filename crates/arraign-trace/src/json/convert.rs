//! Values of other types as JSON, and JSON as values of other types.

use std::borrow::Cow;

use serde_json::Value;

use crate::json::map::{JsonMap, JsonObject};
use crate::json::number::JsonNumber;
use crate::json::text::JsonText;
use crate::json::tree::{Json, JsonNode};

impl From<bool> for JsonNode<'_> {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

/// A text of its own.
impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned().into())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Self {
        Self::String(text.into())
    }
}

impl From<Cow<'_, str>> for Json {
    fn from(text: Cow<'_, str>) -> Self {
        Self::String(text.into_owned().into())
    }
}

impl<'t> From<JsonText<'t>> for JsonNode<'t> {
    fn from(text: JsonText<'t>) -> Self {
        Self::String(text)
    }
}

impl<'t> From<JsonNumber<'t>> for JsonNode<'t> {
    fn from(number: JsonNumber<'t>) -> Self {
        Self::Number(number)
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {
        $(
            impl From<$integer> for JsonNode<'_> {
                fn from(integer: $integer) -> Self {
                    Self::Number(integer.into())
                }
            }

            impl PartialEq<$integer> for JsonNode<'_> {
                fn eq(&self, integer: &$integer) -> bool {
                    self.as_number().is_some_and(|number| *number == (*integer).into())
                }
            }
        )*
    };
}

from_integers!(u8, u16, u32, u64, usize, i8, i16, i32, i64);

/// Infinity and NaN become null.
impl From<f64> for JsonNode<'_> {
    fn from(float: f64) -> Self {
        JsonNumber::from_f64(float).map_or(Self::Null, Self::Number)
    }
}

impl<'t> From<JsonObject<'t>> for JsonNode<'t> {
    fn from(object: JsonObject<'t>) -> Self {
        Self::Object(object)
    }
}

impl<'t, T: Into<JsonNode<'t>>> From<Vec<T>> for JsonNode<'t> {
    fn from(items: Vec<T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<'t, T: Into<JsonNode<'t>>> From<Option<T>> for JsonNode<'t> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<'t, T: Into<JsonNode<'t>>> FromIterator<T> for JsonNode<'t> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<'t, K: Into<JsonText<'t>>> FromIterator<(K, JsonNode<'t>)> for JsonNode<'t> {
    fn from_iter<I: IntoIterator<Item = (K, JsonNode<'t>)>>(entries: I) -> Self {
        Self::Object(entries.into_iter().collect())
    }
}

impl PartialEq<str> for JsonNode<'_> {
    fn eq(&self, text: &str) -> bool {
        self.as_str() == Some(text)
    }
}

impl PartialEq<&str> for JsonNode<'_> {
    fn eq(&self, text: &&str) -> bool {
        self.as_str() == Some(*text)
    }
}

impl PartialEq<String> for JsonNode<'_> {
    fn eq(&self, text: &String) -> bool {
        self.as_str() == Some(text)
    }
}

impl PartialEq<bool> for JsonNode<'_> {
    fn eq(&self, flag: &bool) -> bool {
        self.as_bool() == Some(*flag)
    }
}

impl PartialEq<JsonNode<'_>> for bool {
    fn eq(&self, value: &JsonNode<'_>) -> bool {
        value == self
    }
}

impl PartialEq<JsonNode<'_>> for str {
    fn eq(&self, value: &JsonNode<'_>) -> bool {
        value == self
    }
}

impl PartialEq<JsonNode<'_>> for &str {
    fn eq(&self, value: &JsonNode<'_>) -> bool {
        value == self
    }
}

impl PartialEq<f64> for &JsonNode<'_> {
    fn eq(&self, float: &f64) -> bool {
        **self == *float
    }
}

impl PartialEq<f64> for JsonNode<'_> {
    fn eq(&self, float: &f64) -> bool {
        self.as_f64() == Some(*float)
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(flag),
            Value::Number(number) => Self::Number(convert_number(&number)),
            Value::String(text) => Self::String(text.into()),
            Value::Array(items) => Self::Array(items.into_iter().map(Self::from).collect()),
            Value::Object(object) => {
                Self::Object(object.into_iter().map(|(key, value)| (key, Self::from(value))).collect())
            }
        }
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => Self::Number(convert_number(number)),
            Value::String(text) => Self::String(text.into()),
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(object) => {
                Self::Object(object.iter().map(|(key, value)| (key, Self::from(value))).collect())
            }
        }
    }
}

/// Keeps the digits, which `serde_json` has if the program enables its feature `arbitrary_precision`.
fn convert_number(number: &serde_json::Number) -> JsonNumber<'static> {
    if let Some(integer) = number.as_i64() {
        return integer.into();
    }
    let digits = number.to_string();
    JsonNumber::parse(&digits).map_or_else(|| 0_i64.into(), JsonNumber::into_owned)
}

/// A number that 64 bits do not hold becomes the nearest float, or, beyond all floats, the largest one of its sign; with
/// `serde_json`'s feature `arbitrary_precision`, it keeps its digits.
impl From<&JsonNode<'_>> for Value {
    fn from(value: &JsonNode<'_>) -> Self {
        match value {
            JsonNode::Null => Self::Null,
            JsonNode::Bool(flag) => Self::Bool(*flag),
            JsonNode::Number(number) => Self::Number(render_number(number)),
            JsonNode::String(text) => Self::String(text.as_str().to_owned()),
            JsonNode::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            JsonNode::Object(object) => Self::Object(object.into()),
        }
    }
}

impl From<&JsonObject<'_>> for serde_json::Map<String, Value> {
    fn from(object: &JsonObject<'_>) -> Self {
        object.iter().map(|(key, value)| (key.as_str().to_owned(), Value::from(value))).collect()
    }
}

impl From<serde_json::Map<String, Value>> for JsonMap {
    fn from(object: serde_json::Map<String, Value>) -> Self {
        object.into_iter().map(|(key, value)| (key, Json::from(value))).collect()
    }
}

impl From<JsonNode<'_>> for Value {
    fn from(value: JsonNode<'_>) -> Self {
        Self::from(&value)
    }
}

fn render_number(number: &JsonNumber) -> serde_json::Number {
    if let Some(integer) = number.as_i64() {
        return integer.into();
    }
    let digits = number.as_str();
    if let Ok(number) = digits.parse() {
        return number;
    }
    let largest = if number.is_negative() { f64::MIN } else { f64::MAX };
    serde_json::Number::from_f64(largest).unwrap_or_else(|| 0.into())
}

/// The schema of each type is that of the type of other crates that holds the same values.
#[cfg(feature = "schema")]
macro_rules! share_schemas {
    ($($own:ty => $other:ty),*) => {
        $(
            impl schemars::JsonSchema for $own {
                fn schema_name() -> Cow<'static, str> {
                    <$other>::schema_name()
                }

                fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                    <$other>::json_schema(generator)
                }

                fn inline_schema() -> bool {
                    <$other>::inline_schema()
                }
            }
        )*
    };
}

#[cfg(feature = "schema")]
share_schemas!(Json => Value, JsonMap => serde_json::Map<String, Value>, JsonNumber<'static> => f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{json, parse};

    #[test]
    fn values_of_serde_json_convert_both_ways() {
        let text = r#"{"a":[1,-2.5,true,null,"x",18446744073709551615],"b":{"c":1e300}}"#;
        let value: Value = serde_json::from_str(text).expect("JSON");
        let ours = parse(text).expect("JSON");
        assert_eq!(Json::from(&value), ours);
        assert_eq!(Value::from(&ours), value);
        assert_eq!(Value::from(parse("1e999").expect("JSON")), Value::from(f64::MAX));
    }

    #[test]
    fn an_index_reads_and_sets() {
        let mut value = json!({"a": [1, 2]});
        assert_eq!(value["a"][1], 2);
        assert!(value["b"]["c"][7].is_null());
        value["b"]["c"] = json!(3);
        value["a"][0] = "x".into();
        assert_eq!(value, json!({"a": ["x", 2], "b": {"c": 3}}));
    }
}
