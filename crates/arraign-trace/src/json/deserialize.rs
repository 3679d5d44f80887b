//! JSON as types that serde can deserialize.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

use crate::json::error::JsonError;
use crate::json::map::JsonObject;
use crate::json::number::JsonNumber;
use crate::json::parse::{parse_borrowed, refuse_duplicates};
use crate::json::text::JsonText;
use crate::json::tree::{Json, JsonNode};

/// The name by which a tree asks this module's deserializer for the digits of numbers.
const TREE: &str = "$arraign_trace::Json";

/// The key under which `serde_json` hands out the digits of a number, if the program enables `arbitrary_precision`.
pub(super) const DIGITS_OF_SERDE_JSON: &str = "$serde_json::private::Number";

/// Parses a JSON text into a type. A duplicate key is an error.
pub fn from_str<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, JsonError> {
    let value = parse_borrowed(text)?;
    refuse_duplicates(text, &value)?;
    T::deserialize(value)
}

/// Builds a type from a JSON value.
pub fn from_json<T: DeserializeOwned>(value: impl Into<Json>) -> Result<T, JsonError> {
    T::deserialize(value.into())
}

impl From<&Json> for Json {
    fn from(value: &Json) -> Self {
        value.clone()
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TREE, TreeVisitor)
    }
}

impl<'de> Deserialize<'de> for JsonObject<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::Object(object) => Ok(object),
            other => Err(D::Error::custom(format_args!("an object is expected, not {}", other.describe()))),
        }
    }
}

impl<'de> Deserialize<'de> for JsonNumber<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(TREE, NumberVisitor)
    }
}

/// Builds a number, with its digits where they come.
struct NumberVisitor;

impl NumberVisitor {
    fn take<E: Error>(value: Json) -> Result<JsonNumber<'static>, E> {
        match value {
            Json::Number(number) => Ok(number),
            other => Err(E::custom(format_args!("a number is expected, not {}", other.describe()))),
        }
    }
}

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = JsonNumber<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_i64<E>(self, integer: i64) -> Result<Self::Value, E> {
        Ok(integer.into())
    }

    fn visit_u64<E>(self, integer: u64) -> Result<Self::Value, E> {
        Ok(integer.into())
    }

    fn visit_f64<E: Error>(self, float: f64) -> Result<Self::Value, E> {
        JsonNumber::from_f64(float).ok_or_else(|| E::invalid_value(Unexpected::Float(float), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Self::take(TreeVisitor.visit_map(map)?)
    }

    fn visit_bytes<E: Error>(self, digits: &[u8]) -> Result<Self::Value, E> {
        Self::take(TreeVisitor.visit_bytes(digits)?)
    }
}

/// Builds a tree.
struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_none<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        Json::deserialize(deserializer)
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Json, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, integer: i64) -> Result<Json, E> {
        Ok(integer.into())
    }

    fn visit_u64<E>(self, integer: u64) -> Result<Json, E> {
        Ok(integer.into())
    }

    fn visit_f64<E>(self, float: f64) -> Result<Json, E> {
        Ok(float.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned().into()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let value: Json = map.next_value()?;
            // A program that enables `arbitrary_precision` in `serde_json` gets numbers in this form.
            if key == DIGITS_OF_SERDE_JSON
                && entries.is_empty()
                && let Some(number) = value.as_str().and_then(JsonNumber::parse)
            {
                return Ok(Json::Number(number.into_owned()));
            }
            entries.push((key.into(), value));
        }
        let object = JsonObject::of_entries(entries);
        match object.find_duplicate() {
            // Parsers differ on which of the two counts.
            Some(key) => Err(A::Error::custom(format_args!("duplicate key `{key}`"))),
            None => Ok(Json::Object(object)),
        }
    }

    /// Takes the digits of a number, from this module's deserializer.
    fn visit_bytes<E: Error>(self, digits: &[u8]) -> Result<Json, E> {
        let number = str::from_utf8(digits).ok().and_then(JsonNumber::parse).map(JsonNumber::into_owned);
        number.map(Json::Number).ok_or_else(|| E::invalid_type(Unexpected::Bytes(digits), &self))
    }
}

/// Every type that is read has its own copy of these functions, so each calls the one method of the visitor that fits, and
/// the rest is in functions without type parameters.
impl<'de> Deserializer<'de> for JsonNode<'de> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::Null => visitor.visit_unit(),
            Self::Bool(flag) => visitor.visit_bool(flag),
            Self::Number(number) => number.deserialize_any(visitor),
            Self::String(text) => MapKey(text).deserialize_any(visitor),
            Self::Array(items) => visitor.visit_seq(Items::new(items)),
            Self::Object(object) => visitor.visit_map(Entries::new(object)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        if let Self::Number(number) = &self
            && let Some(digits) = number.digits_for(name)
        {
            return visitor.visit_bytes(digits.as_bytes());
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::Array(items) => visitor.visit_seq(Items::new(items)),
            other => Err(other.refuse(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self {
            Self::Object(object) => visitor.visit_map(Entries::new(object)),
            other => Err(other.refuse(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_enum(self.into_variant()?)
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f64 char str string bytes byte_buf unit unit_struct identifier
    }
}

impl<'de> JsonNode<'de> {
    /// Returns the error of a type that is read from another kind of value.
    fn refuse(&self, expected: &dyn Expected) -> JsonError {
        let found = match self {
            Self::Null => Unexpected::Unit,
            Self::Bool(flag) => Unexpected::Bool(*flag),
            Self::Number(number) => number.to_unexpected(),
            Self::String(text) => Unexpected::Str(text),
            Self::Array(_) => Unexpected::Seq,
            Self::Object(_) => Unexpected::Map,
        };
        JsonError::invalid_type(found, expected)
    }

    /// A variant is its name, or an object with the name as its key.
    fn into_variant(self) -> Result<Variant<'de>, JsonError> {
        match self {
            Self::String(name) => Ok(Variant { name, value: None }),
            Self::Object(object) if object.len() == 1 => match object.into_iter().next() {
                Some((name, value)) => Ok(Variant { name, value: Some(value) }),
                None => Err(JsonError::custom("expected a variant of an enum")),
            },
            Self::Object(_) => Err(JsonError::invalid_value(Unexpected::Map, &"an object with a single key")),
            other => Err(JsonError::custom(format_args!("{} is no variant of an enum", other.describe()))),
        }
    }
}

impl JsonNumber<'_> {
    /// Hands the number to a visitor.
    pub fn deserialize_any<'de, V: Visitor<'de>, E: Error>(&self, visitor: V) -> Result<V::Value, E> {
        match self.to_unexpected() {
            Unexpected::Unsigned(integer) => visitor.visit_u64(integer),
            Unexpected::Signed(integer) => visitor.visit_i64(integer),
            Unexpected::Float(float) => visitor.visit_f64(float),
            _ => Err(E::custom(self.describe_out_of_range())),
        }
    }

    /// Returns the number as serde knows it: an integer of 64 bits or a float, if it is one.
    pub fn to_unexpected(&self) -> Unexpected<'static> {
        if let Some(integer) = self.as_u64() {
            Unexpected::Unsigned(integer)
        } else if let Some(integer) = self.as_i64() {
            Unexpected::Signed(integer)
        } else if let Some(float) = self.as_f64() {
            Unexpected::Float(float)
        } else {
            Unexpected::Other("number out of range")
        }
    }

    fn describe_out_of_range(&self) -> String {
        format!("number out of range: {self}")
    }

    /// Returns the digits for the visitor of the newtype called `name`, as bytes: if the newtype is a tree or a number of
    /// this module, and the number no integer of 64 bits.
    pub fn digits_for(&self, name: &str) -> Option<Cow<'_, str>> {
        (name == TREE && self.is_f64()).then(|| self.as_str())
    }
}

impl<'de> IntoDeserializer<'de, JsonError> for JsonNode<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

struct Items<'de> {
    index: usize,
    items: std::vec::IntoIter<JsonNode<'de>>,
}

impl<'de> Items<'de> {
    fn new(items: Vec<JsonNode<'de>>) -> Self {
        Self { index: 0, items: items.into_iter() }
    }
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, JsonError> {
        let Some(item) = self.items.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        match seed.deserialize(item) {
            Ok(item) => Ok(Some(item)),
            Err(error) => Err(error.below(index)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Entries<'de> {
    /// The key of the value that comes next.
    key: JsonText<'de>,
    value: Option<JsonNode<'de>>,
    rest: std::vec::IntoIter<(JsonText<'de>, JsonNode<'de>)>,
}

impl<'de> Entries<'de> {
    fn new(object: JsonObject<'de>) -> Self {
        Self { key: JsonText::default(), value: None, rest: object.into_iter() }
    }

    /// Returns the next key, and keeps its value.
    fn next_key(&mut self) -> Option<MapKey<'de>> {
        let (key, value) = self.rest.next()?;
        self.key = key.clone();
        self.value = Some(value);
        Some(MapKey(key))
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, JsonError> {
        match self.next_key() {
            Some(key) => seed.deserialize(key).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, JsonError> {
        let value = self.value.take().unwrap_or_default();
        seed.deserialize(value).map_err(|error| error.below(&self.key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A key, which is a number where the type wants one.
struct MapKey<'de>(JsonText<'de>);

macro_rules! deserialize_key_as_number {
    ($($method:ident: $number:ty => $visit:ident),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
            match self.0.parse::<$number>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => Err(JsonError::invalid_value(Unexpected::Str(&self.0), &visitor)),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for MapKey<'de> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        match self.0 {
            JsonText::Borrowed(text) => visitor.visit_borrowed_str(text),
            text @ JsonText::Shared(_) => visitor.visit_str(&text),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        visitor.visit_enum(Variant { name: self.0, value: None })
    }

    deserialize_key_as_number! {
        deserialize_i8: i8 => visit_i8, deserialize_i16: i16 => visit_i16, deserialize_i32: i32 => visit_i32,
        deserialize_i64: i64 => visit_i64, deserialize_u8: u8 => visit_u8, deserialize_u16: u16 => visit_u16,
        deserialize_u32: u32 => visit_u32, deserialize_u64: u64 => visit_u64, deserialize_bool: bool => visit_bool
    }

    forward_to_deserialize_any! {
        i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

/// A variant of an enum, with what it holds.
struct Variant<'de> {
    name: JsonText<'de>,
    value: Option<JsonNode<'de>>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = JsonError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), JsonError> {
        Ok((seed.deserialize(MapKey(self.name.clone()))?, self))
    }
}

impl<'de> Variant<'de> {
    /// Returns what the variant holds.
    fn take_value(&mut self, expected: &'static str) -> Result<JsonNode<'de>, JsonError> {
        self.value.take().ok_or_else(|| JsonError::invalid_type(Unexpected::UnitVariant, &expected))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = JsonError;

    fn unit_variant(self) -> Result<(), JsonError> {
        if self.value.is_none() { Ok(()) } else { self.newtype_variant_seed(PhantomData::<()>) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(mut self, seed: T) -> Result<T::Value, JsonError> {
        let value = self.take_value("newtype variant")?;
        seed.deserialize(value).map_err(|error| error.below(&self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(mut self, _: usize, visitor: V) -> Result<V::Value, JsonError> {
        let value = self.take_value("tuple variant")?;
        value.deserialize_seq(visitor).map_err(|error| error.below(&self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        mut self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        let value = self.take_value("struct variant")?;
        value.deserialize_map(visitor).map_err(|error| error.below(&self.name))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::json::json;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Report {
        name: Option<String>,
        #[serde(default)]
        sizes: Vec<u8>,
        by_id: BTreeMap<u32, f64>,
        states: Vec<State>,
        kept: Json,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum State {
        Done,
        Failed(String),
        At { line: u32 },
        Pair(u8, u8),
    }

    #[test]
    fn a_derived_type_is_read() {
        let text = r#"{"name": "a", "by_id": {"7": 0.1}, "kept": {"wei": [100000000000000000001, 1.50]},
            "states": ["Done", {"Failed": "x\n"}, {"At": {"line": 3}}, {"Pair": [1, 2]}]}"#;
        let report: Report = from_str(text).expect("it fits");
        assert_eq!(report.kept.to_string(), r#"{"wei":[100000000000000000001,1.50]}"#);
        assert_eq!(report.by_id, BTreeMap::from([(7, 0.1)]));
        assert_eq!(
            report.states,
            [State::Done, State::Failed("x\n".to_owned()), State::At { line: 3 }, State::Pair(1, 2)]
        );
    }

    #[test]
    fn an_error_names_the_place() {
        for (text, error) in [
            (
                r#"{"by_id": {}, "states": ["Done", {"At": {"line": "x"}}], "kept": 1}"#,
                "/states/1/At/line: invalid type: string \"x\", expected u32",
            ),
            (
                r#"{"by_id": {"x": 1}, "states": [], "kept": 1}"#,
                "/by_id: invalid value: string \"x\", expected u32",
            ),
            (r#"{"by_id": {}, "by_id": {}}"#, "duplicate key `by_id` at line 1 column 15"),
            ("[1", "EOF while parsing a list at line 1 column 2"),
        ] {
            assert_eq!(from_str::<Report>(text).expect_err(text).to_string(), error);
        }
    }

    #[test]
    fn other_deserializers_build_trees_as_well() {
        let text = r#"{"a": [1, -2, 2.5, true, null, "x"], "b": {}}"#;
        let theirs: Json = serde_json::from_str(text).expect("JSON");
        assert_eq!(theirs, crate::json::parse(text).expect("JSON"));
        assert!(serde_json::from_str::<Json>(r#"{"a": 1, "a": 2}"#).is_err());
        // The form in which digits come from a program with `arbitrary_precision`.
        let digits: Json = serde_json::from_str(r#"{"$serde_json::private::Number": "1.50"}"#).expect("JSON");
        assert_eq!(digits.to_string(), "1.50");
        assert_eq!(from_json::<Vec<Option<u8>>>(json!([1, null])).expect("it fits"), [Some(1), None]);
    }
}
