//! [`Json`] as the source of `serde`'s structs, with the same values and the same mistakes as `serde_json::Value`.

use std::borrow::Cow;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Error;

use super::json::Json;

impl<'de> IntoDeserializer<'de, Error> for Json<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Json<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Json::Null => visitor.visit_unit(),
            Json::Bool(bool) => visitor.visit_bool(bool),
            Json::Number(number) => number.deserialize_any(visitor),
            Json::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Json::Text(Cow::Owned(text)) => visitor.visit_string(text),
            Json::List(items) => visit_list(items, visitor),
            // Without doubles: a struct refuses those.
            Json::Object(object) => {
                visitor.visit_map(MapDeserializer::new(object.into_entries().into_iter()))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self {
            Json::Null => visitor.visit_none(),
            some => visitor.visit_some(some),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    /// A word: our enums hold nothing else.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self {
            Json::Text(word) => visitor.visit_enum(word.into_deserializer()),
            other => other.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

fn visit_list<'de, V: Visitor<'de>>(items: Vec<Json<'de>>, visitor: V) -> Result<V::Value, Error> {
    let length = items.len();
    let mut items = SeqDeserializer::<_, Error>::new(items.into_iter());
    let value = visitor.visit_seq(&mut items)?;
    items.end().map_err(|_| Error::invalid_length(length, &"fewer elements in array"))?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::Value;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Pair {
        a: Option<u8>,
        b: Value,
    }

    #[test]
    fn a_word_is_an_enum() {
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Word {
            Ok,
        }
        let read = |text: &str| Word::deserialize(serde_json::from_str::<Json>(text).expect("it is JSON"));
        assert_eq!(read("\"ok\"").expect("a word"), Word::Ok);
        assert!(read("\"no\"").is_err() && read("{\"ok\": 1}").is_err() && read("1").is_err());
    }

    #[test]
    fn structs_and_their_mistakes_are_the_same_as_from_serde_json() {
        for text in [
            r#"{"b": {"z": [1, null], "y": "\n", "z": 1.5}, "a": null}"#,
            r#"{"a": 1, "b": true, "a": 2}"#,
            r#"{"zz": 1, "b": 1}"#,
            r#"{"a": -1, "b": 1}"#,
            r#"{"b": 1, "a": "x"}"#,
            r#"{"a": 1}"#,
            "[1, 2]",
            "[1, 2, 3]",
            "[1]",
            "null",
            "1.5",
        ] {
            let own: Json = serde_json::from_str(text).expect("it is JSON");
            let own = Pair::deserialize(own).map_err(|error| error.to_string());
            let value: Value = serde_json::from_str(text).expect("it is JSON");
            assert_eq!(own, Pair::deserialize(value).map_err(|error| error.to_string()), "{text}");
        }
    }
}
