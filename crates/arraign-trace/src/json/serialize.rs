//! Types that serde can serialize, as JSON.

use serde::Serialize;
use serde::ser::{self, Error, Impossible, Serializer};

use crate::json::deserialize::DIGITS_OF_SERDE_JSON;
use crate::json::error::JsonError;
use crate::json::map::JsonObject;
use crate::json::number::JsonNumber;
use crate::json::tree::{Json, JsonNode};

/// The name by which this module's serializer recognises a number with its digits.
pub(super) const NUMBER: &str = "$arraign_trace::JsonNumber";

/// Builds the JSON value that a type serializes to. An error is one of the type itself, or a key that is no text.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Result<Json, JsonError> {
    value.serialize(TreeSerializer)
}

impl Serialize for JsonNode<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(flag) => serializer.serialize_bool(*flag),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

impl Serialize for JsonObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, value)| (key.as_str(), value)))
    }
}

/// This module's serializers keep the digits. To any other one, a number is an integer of 64 bits or else the nearest float.
impl Serialize for JsonNumber<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(integer) = self.as_i64() {
            serializer.serialize_i64(integer)
        } else if let Some(integer) = self.as_u64() {
            serializer.serialize_u64(integer)
        } else {
            serializer.serialize_newtype_struct(NUMBER, &WrittenNumber(self))
        }
    }
}

/// A number that is no integer of 64 bits.
struct WrittenNumber<'n, 't>(&'n JsonNumber<'t>);

impl Serialize for WrittenNumber<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(number) = self;
        // The serializer of digits says of itself that nobody can read what it writes. So do binary formats, which then get
        // a text.
        if !serializer.is_human_readable() {
            return serializer.serialize_str(&number.as_str());
        }
        match number.as_f64() {
            Some(float) => serializer.serialize_f64(float),
            None => serializer.serialize_f64(if number.is_negative() { f64::MIN } else { f64::MAX }),
        }
    }
}

/// Builds a tree.
pub(super) struct TreeSerializer;

impl Serializer for TreeSerializer {
    type Ok = Json;
    type Error = JsonError;
    type SerializeSeq = ListBuilder;
    type SerializeTuple = ListBuilder;
    type SerializeTupleStruct = ListBuilder;
    type SerializeTupleVariant = ListBuilder;
    type SerializeMap = ObjectBuilder;
    type SerializeStruct = ObjectBuilder;
    type SerializeStructVariant = ObjectBuilder;

    fn serialize_bool(self, flag: bool) -> Result<Json, JsonError> {
        Ok(flag.into())
    }

    fn serialize_i8(self, integer: i8) -> Result<Json, JsonError> {
        Ok(integer.into())
    }

    fn serialize_i16(self, integer: i16) -> Result<Json, JsonError> {
        Ok(integer.into())
    }

    fn serialize_i32(self, integer: i32) -> Result<Json, JsonError> {
        Ok(integer.into())
    }

    fn serialize_i64(self, integer: i64) -> Result<Json, JsonError> {
        Ok(integer.into())
    }

    fn serialize_i128(self, integer: i128) -> Result<Json, JsonError> {
        parse_digits(&integer.to_string())
    }

    fn serialize_u8(self, integer: u8) -> Result<Json, JsonError> {
        Ok(integer.into())
    }

    fn serialize_u16(self, integer: u16) -> Result<Json, JsonError> {
        Ok(integer.into())
    }

    fn serialize_u32(self, integer: u32) -> Result<Json, JsonError> {
        Ok(integer.into())
    }

    fn serialize_u64(self, integer: u64) -> Result<Json, JsonError> {
        Ok(integer.into())
    }

    fn serialize_u128(self, integer: u128) -> Result<Json, JsonError> {
        parse_digits(&integer.to_string())
    }

    fn serialize_f32(self, float: f32) -> Result<Json, JsonError> {
        // The digits of the short float, not those of the long one that is nearest to it.
        Ok(float.to_string().parse::<f64>().unwrap_or(f64::NAN).into())
    }

    fn serialize_f64(self, float: f64) -> Result<Json, JsonError> {
        Ok(float.into())
    }

    fn serialize_char(self, character: char) -> Result<Json, JsonError> {
        Ok(character.to_string().into())
    }

    fn serialize_str(self, text: &str) -> Result<Json, JsonError> {
        Ok(text.into())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<Json, JsonError> {
        Ok(bytes.iter().copied().collect())
    }

    fn serialize_none(self) -> Result<Json, JsonError> {
        Ok(Json::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Json, JsonError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Json, JsonError> {
        Ok(Json::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Json, JsonError> {
        Ok(Json::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Json, JsonError> {
        Ok(variant.into())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Json, JsonError> {
        if name == NUMBER {
            parse_digits(&value.serialize(TextSerializer::DIGITS)?)
        } else {
            value.serialize(self)
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Json, JsonError> {
        Ok(name_variant(Some(variant), to_json(value)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<ListBuilder, JsonError> {
        Ok(ListBuilder { variant: None, items: Vec::with_capacity(len.unwrap_or(0).min(1024)) })
    }

    fn serialize_tuple(self, len: usize) -> Result<ListBuilder, JsonError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<ListBuilder, JsonError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ListBuilder, JsonError> {
        Ok(ListBuilder { variant: Some(variant), items: Vec::new() })
    }

    fn serialize_map(self, len: Option<usize>) -> Result<ObjectBuilder, JsonError> {
        Ok(ObjectBuilder { variant: None, object: JsonObject::with_capacity(len.unwrap_or(0)), key: None })
    }

    fn serialize_struct(self, _: &'static str, len: usize) -> Result<ObjectBuilder, JsonError> {
        self.serialize_map(Some(len))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<ObjectBuilder, JsonError> {
        Ok(ObjectBuilder { variant: Some(variant), ..self.serialize_map(Some(len))? })
    }
}

pub(super) fn parse_digits(digits: &str) -> Result<Json, JsonError> {
    let number =
        JsonNumber::parse(digits).ok_or_else(|| JsonError::new(format!("`{digits}` is not a number")))?;
    Ok(Json::Number(number.into_owned()))
}

/// Returns the value of an enum, in an object under the name of its variant.
fn name_variant(variant: Option<&'static str>, value: Json) -> Json {
    match variant {
        Some(variant) => Json::Object([(variant, value)].into_iter().collect()),
        None => value,
    }
}

/// Implements the traits of serde by which a type is a list: each entry is pushed, whatever the kind of the list.
macro_rules! impl_lists {
    ([$($generic:tt)*] $builder:ty => $ok:ty) => {
        impl_lists!(@one SerializeSeq::serialize_element [$($generic)*] $builder => $ok);
        impl_lists!(@one SerializeTuple::serialize_element [$($generic)*] $builder => $ok);
        impl_lists!(@one SerializeTupleStruct::serialize_field [$($generic)*] $builder => $ok);
        impl_lists!(@one SerializeTupleVariant::serialize_field [$($generic)*] $builder => $ok);
    };
    (@one $list:ident::$push:ident [$($generic:tt)*] $builder:ty => $ok:ty) => {
        impl<$($generic)*> ser::$list for $builder {
            type Ok = $ok;
            type Error = JsonError;

            fn $push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
                self.push(value)
            }

            fn end(self) -> Result<$ok, JsonError> {
                self.finish()
            }
        }
    };
}

pub(super) use impl_lists;

pub(super) struct ListBuilder {
    /// The variant of an enum that holds the list.
    variant: Option<&'static str>,
    items: Vec<Json>,
}

impl ListBuilder {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.items.push(to_json(value)?);
        Ok(())
    }

    #[expect(clippy::unnecessary_wraps, reason = "the same signature as of what writes a list")]
    fn finish(self) -> Result<Json, JsonError> {
        Ok(name_variant(self.variant, Json::Array(self.items)))
    }
}

impl_lists!([] ListBuilder => Json);

pub(super) struct ObjectBuilder {
    /// The variant of an enum that holds the object.
    variant: Option<&'static str>,
    object: JsonObject<'static>,
    key: Option<String>,
}

impl ObjectBuilder {
    fn finish(self) -> Json {
        name_variant(self.variant, Json::Object(self.object))
    }
}

impl ser::SerializeMap for ObjectBuilder {
    type Ok = Json;
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), JsonError> {
        self.key = Some(key.serialize(TextSerializer::KEY)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        let key = self.key.take().unwrap_or_default();
        self.object.insert(key, to_json(value)?);
        Ok(())
    }

    fn end(self) -> Result<Json, JsonError> {
        Ok(self.finish())
    }
}

impl ser::SerializeStruct for ObjectBuilder {
    type Ok = Json;
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        self.object.insert(key, to_json(value)?);
        Ok(())
    }

    fn end(self) -> Result<Json, JsonError> {
        // So `serde_json` writes a number, if the program enables its feature `arbitrary_precision`.
        match self.object.get(DIGITS_OF_SERDE_JSON).and_then(Json::as_str) {
            Some(digits) => parse_digits(digits),
            None => Ok(self.finish()),
        }
    }
}

impl ser::SerializeStructVariant for ObjectBuilder {
    type Ok = Json;
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        self.object.insert(key, to_json(value)?);
        Ok(())
    }

    fn end(self) -> Result<Json, JsonError> {
        Ok(self.finish())
    }
}

/// Takes what has a text: a key of an object, or the digits of a number.
pub(super) struct TextSerializer {
    wants_digits: bool,
}

impl TextSerializer {
    pub(super) const KEY: Self = Self { wants_digits: false };
    pub(super) const DIGITS: Self = Self { wants_digits: true };

    fn refuse<T>() -> Result<T, JsonError> {
        Err(JsonError::custom("key must be a string"))
    }
}

impl Serializer for TextSerializer {
    type Ok = String;
    type Error = JsonError;
    type SerializeSeq = Impossible<String, JsonError>;
    type SerializeTuple = Impossible<String, JsonError>;
    type SerializeTupleStruct = Impossible<String, JsonError>;
    type SerializeTupleVariant = Impossible<String, JsonError>;
    type SerializeMap = Impossible<String, JsonError>;
    type SerializeStruct = Impossible<String, JsonError>;
    type SerializeStructVariant = Impossible<String, JsonError>;

    fn is_human_readable(&self) -> bool {
        !self.wants_digits
    }

    fn serialize_bool(self, flag: bool) -> Result<String, JsonError> {
        Ok(flag.to_string())
    }

    fn serialize_i8(self, integer: i8) -> Result<String, JsonError> {
        Ok(integer.to_string())
    }

    fn serialize_i16(self, integer: i16) -> Result<String, JsonError> {
        Ok(integer.to_string())
    }

    fn serialize_i32(self, integer: i32) -> Result<String, JsonError> {
        Ok(integer.to_string())
    }

    fn serialize_i64(self, integer: i64) -> Result<String, JsonError> {
        Ok(integer.to_string())
    }

    fn serialize_u8(self, integer: u8) -> Result<String, JsonError> {
        Ok(integer.to_string())
    }

    fn serialize_u16(self, integer: u16) -> Result<String, JsonError> {
        Ok(integer.to_string())
    }

    fn serialize_u32(self, integer: u32) -> Result<String, JsonError> {
        Ok(integer.to_string())
    }

    fn serialize_u64(self, integer: u64) -> Result<String, JsonError> {
        Ok(integer.to_string())
    }

    fn serialize_f32(self, _: f32) -> Result<String, JsonError> {
        Self::refuse()
    }

    fn serialize_f64(self, _: f64) -> Result<String, JsonError> {
        Self::refuse()
    }

    fn serialize_char(self, character: char) -> Result<String, JsonError> {
        Ok(character.to_string())
    }

    fn serialize_str(self, text: &str) -> Result<String, JsonError> {
        Ok(text.to_string())
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<String, JsonError> {
        Self::refuse()
    }

    fn serialize_none(self) -> Result<String, JsonError> {
        Self::refuse()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<String, JsonError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<String, JsonError> {
        Self::refuse()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<String, JsonError> {
        Self::refuse()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<String, JsonError> {
        Ok(variant.to_string())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<String, JsonError> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<String, JsonError> {
        Self::refuse()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, JsonError> {
        Self::refuse()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, JsonError> {
        Self::refuse()
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, JsonError> {
        Self::refuse()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, JsonError> {
        Self::refuse()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, JsonError> {
        Self::refuse()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, JsonError> {
        Self::refuse()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, JsonError> {
        Self::refuse()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::json::{json, parse, to_string};

    #[derive(Serialize)]
    struct Report {
        name: Option<String>,
        sizes: Vec<u8>,
        by_id: BTreeMap<u32, f64>,
        state: State,
        kept: Json,
    }

    #[derive(Serialize)]
    enum State {
        Done,
        Failed(String),
        At { line: u32 },
        Between(u32, f32),
        Nowhere {},
    }

    #[test]
    fn a_derived_type_is_what_serde_json_makes_of_it() {
        for state in [
            State::Done,
            State::Failed("x".to_owned()),
            State::At { line: 3 },
            State::Between(1, 0.1),
            State::Nowhere {},
        ] {
            let report = Report {
                name: None,
                sizes: vec![1, 2],
                by_id: [(7, 0.1), (8, 1e21), (9, 2.0)].into(),
                state,
                kept: json!({"b": [1.5, null], "a": -1}),
            };
            let theirs = serde_json::to_string(&report).expect("JSON");
            let ours = to_json(&report).expect("JSON");
            assert_eq!(parse(&theirs).expect("JSON"), ours);
            assert_eq!(ours.to_string(), theirs);
            assert_eq!(to_string(&report).expect("JSON"), theirs);
        }
        assert!(to_json(&BTreeMap::from([(Some(vec![1]), 2)])).is_err());
    }

    #[test]
    fn a_number_of_a_program_with_arbitrary_precision_keeps_its_digits() {
        #[derive(Serialize)]
        struct Number {
            #[serde(rename = "$serde_json::private::Number")]
            digits: &'static str,
        }
        let number = Number { digits: "100000000000000000001" };
        assert_eq!(to_string(&[&number]).expect("JSON"), "[100000000000000000001]");
        assert_eq!(to_json(&[number]).expect("JSON").to_string(), "[100000000000000000001]");
    }

    #[test]
    fn digits_are_kept_and_other_serializers_get_the_nearest_number() {
        let text = r"[100000000000000000001,1.50,-1e999,18446744073709551615]";
        let kept = parse(text).expect("JSON");
        assert_eq!(to_json(&[&kept]).expect("JSON").to_string(), format!("[{text}]"));
        assert_eq!(to_string(&[&kept]).expect("JSON"), format!("[{text}]"));
        let theirs = serde_json::to_string(&kept).expect("JSON");
        let floats: Vec<f64> = serde_json::from_str(&theirs).expect("floats");
        assert_eq!(floats[2].to_bits(), f64::MIN.to_bits());
        assert!(theirs.contains("1.5,") && theirs.ends_with(",18446744073709551615]"), "{theirs}");
    }
}
