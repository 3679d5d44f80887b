//! [`Json`] as the source of `serde`'s structs, with the same values and the same mistakes as `serde_json::Value`.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Error;

use std::borrow::Cow;

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
            Json::List(items) => {
                let length = items.len();
                let mut items = SeqDeserializer::new(items.into_iter());
                let value = visitor.visit_seq(&mut items)?;
                let too_long = |_| Error::invalid_length(length, &"fewer elements in array");
                items.end().map_err(|error: Error| too_long(error)).map(|()| value)
            }
            // By key and without doubles: a struct refuses those.
            Json::Object(object) => visitor.visit_map(MapDeserializer::new(object.rest().into_iter())),
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

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}
