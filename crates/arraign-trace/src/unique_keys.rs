//! JSON in which no object has a key twice.
//!
//! JSON readers differ on which of two equal keys counts, so that a text with such keys means one thing to the program
//! that acts on it and another to the program that checks it.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

/// Parses a JSON text. A duplicate key is an error that names the key and its place.
pub fn parse_value(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str::<UniqueValue>(text).map(|value| value.0)
}

/// Parses the JSON value at the beginning of a text, as [`parse_value`] does.
pub fn parse_first_value(text: &str) -> Option<Result<Value, serde_json::Error>> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<UniqueValue>();
    values.next().map(|value| value.map(|value| value.0))
}

/// Checks that no object in a JSON text has a key twice, without building its values.
pub fn check_keys(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<CheckedKeys>(text).map(|_| ())
}

fn duplicate<E: Error>(key: &str) -> E {
    E::custom(format_args!("duplicate key `{key}`"))
}

/// A value of which no object has a key twice.
struct UniqueValue(Value);

impl<'de> Deserialize<'de> for UniqueValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueValueVisitor).map(UniqueValue)
    }
}

struct UniqueValueVisitor;

impl<'de> Visitor<'de> for UniqueValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(UniqueValue(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            let UniqueValue(value) = map.next_value()?;
            // serde_json keeps the last of two equal keys without a word.
            match object.entry(key) {
                Entry::Vacant(entry) => drop(entry.insert(value)),
                Entry::Occupied(entry) => return Err(duplicate(entry.key())),
            }
        }
        Ok(Value::Object(object))
    }
}

/// Any value, of which only the keys are looked at.
struct CheckedKeys;

impl<'de> Deserialize<'de> for CheckedKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CheckedKeysVisitor)
    }
}

struct CheckedKeysVisitor;

impl<'de> Visitor<'de> for CheckedKeysVisitor {
    type Value = CheckedKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<CheckedKeys, E> {
        Ok(CheckedKeys)
    }

    fn visit_bool<E>(self, _: bool) -> Result<CheckedKeys, E> {
        Ok(CheckedKeys)
    }

    fn visit_i64<E>(self, _: i64) -> Result<CheckedKeys, E> {
        Ok(CheckedKeys)
    }

    fn visit_u64<E>(self, _: u64) -> Result<CheckedKeys, E> {
        Ok(CheckedKeys)
    }

    fn visit_f64<E>(self, _: f64) -> Result<CheckedKeys, E> {
        Ok(CheckedKeys)
    }

    fn visit_str<E>(self, _: &str) -> Result<CheckedKeys, E> {
        Ok(CheckedKeys)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<CheckedKeys, A::Error> {
        while let Some(CheckedKeys) = seq.next_element()? {}
        Ok(CheckedKeys)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CheckedKeys, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            let CheckedKeys = map.next_value()?;
            if let Some(key) = keys.replace(key) {
                return Err(duplicate(&key));
            }
        }
        Ok(CheckedKeys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_comes_twice_is_an_error_at_any_depth() {
        for text in [r#"{"a": 1, "a": 2}"#, r#"[{"b": {"a": 1, "a": 1}}]"#, r#"{"a": 1, "\u0061": 2}"#] {
            let error = parse_value(text).expect_err(text).to_string();
            assert!(error.starts_with("duplicate key `a`"), "{error}");
            assert!(check_keys(text).is_err(), "{text}");
        }
    }

    #[test]
    fn other_values_are_those_of_serde_json() {
        for text in ["null", "[1, -2, 1.5, true, \"x\"]", r#"{"a": {"b": []}, "c": "\n"}"#, "1e400", "{"] {
            let plain = serde_json::from_str::<Value>(text);
            assert_eq!(parse_value(text).ok(), plain.as_ref().ok().cloned(), "{text}");
            assert_eq!(check_keys(text).is_ok(), plain.is_ok(), "{text}");
        }
    }
}
