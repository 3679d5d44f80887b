//! Types that serde can serialize, written as they come: no tree is built of a verdict or a trace that is only written.

use std::fmt::{self, Write};

use serde::Serialize;
use serde::ser::{self, Serializer};

use crate::json::deserialize::DIGITS_OF_SERDE_JSON;
use crate::json::error::JsonError;
use crate::json::serialize::{NUMBER, TextSerializer, TreeSerializer, impl_lists, parse_digits, to_json};
use crate::json::tree::Json;
use crate::json::write::{write_text, write_value};

/// Renders a value as JSON on one line.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, JsonError> {
    let mut text = String::new();
    write_json(&mut text, value)?;
    Ok(text)
}

/// Renders a value as JSON on one line, in UTF-8.
pub fn to_vec<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, JsonError> {
    to_string(value).map(String::into_bytes)
}

/// Renders a value as JSON with an indentation of two blanks.
pub fn to_string_pretty<T: Serialize + ?Sized>(value: &T) -> Result<String, JsonError> {
    Ok(format!("{:#}", to_json(value)?))
}

/// Writes a value as JSON on one line. What has been written before an error is a part of it.
pub fn write_json<T: Serialize + ?Sized>(out: &mut impl Write, value: &T) -> Result<(), JsonError> {
    value.serialize(StreamSerializer { out })
}

impl From<fmt::Error> for JsonError {
    fn from(error: fmt::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// Writes one value.
struct StreamSerializer<'o, W> {
    out: &'o mut W,
}

impl<W: Write> StreamSerializer<'_, W> {
    fn write(self, value: Result<Json, JsonError>) -> Result<(), JsonError> {
        Ok(write_value(self.out, &value?, None)?)
    }
}

impl<'o, W: Write> StreamSerializer<'o, W> {
    /// Begins a list or an object that ends with `end`, in an object under the name of its variant if it has one.
    fn begin(
        self,
        variant: Option<&'static str>,
        start: &'static str,
        end: &'static str,
    ) -> Result<StreamBuilder<'o, W>, JsonError> {
        if let Some(variant) = variant {
            self.out.write_char('{')?;
            write_text(self.out, variant)?;
            self.out.write_char(':')?;
        }
        Ok(StreamBuilder { out: self.out, start, end, has_variant: variant.is_some(), is_number: false })
    }
}

/// Writes what has no parts as the tree of it is written.
macro_rules! write_scalars {
    ($($method:ident: $scalar:ty,)*) => {
        $(fn $method(self, scalar: $scalar) -> Result<(), JsonError> {
            self.write(TreeSerializer.$method(scalar))
        })*
    };
}

impl<'o, W: Write> Serializer for StreamSerializer<'o, W> {
    type Ok = ();
    type Error = JsonError;
    type SerializeSeq = StreamBuilder<'o, W>;
    type SerializeTuple = StreamBuilder<'o, W>;
    type SerializeTupleStruct = StreamBuilder<'o, W>;
    type SerializeTupleVariant = StreamBuilder<'o, W>;
    type SerializeMap = StreamBuilder<'o, W>;
    type SerializeStruct = StreamBuilder<'o, W>;
    type SerializeStructVariant = StreamBuilder<'o, W>;

    write_scalars! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_bytes: &[u8],
    }

    fn serialize_str(self, text: &str) -> Result<(), JsonError> {
        Ok(write_text(self.out, text)?)
    }

    fn serialize_none(self) -> Result<(), JsonError> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), JsonError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), JsonError> {
        Ok(self.out.write_str("null")?)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), JsonError> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), JsonError> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        if name == NUMBER {
            self.write(parse_digits(&value.serialize(TextSerializer::DIGITS)?))
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
    ) -> Result<(), JsonError> {
        let mut object = self.begin(None, "{", "}")?;
        object.write_entry(variant, value)?;
        object.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, JsonError> {
        self.begin(None, "[", "]")
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, JsonError> {
        self.begin(None, "[", "]")
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, JsonError> {
        self.begin(None, "[", "]")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, JsonError> {
        self.begin(Some(variant), "[", "]")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, JsonError> {
        self.begin(None, "{", "}")
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, JsonError> {
        self.begin(None, "{", "}")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, JsonError> {
        self.begin(Some(variant), "{", "}")
    }
}

/// Writes the entries of a list or an object.
pub(super) struct StreamBuilder<'o, W> {
    out: &'o mut W,
    /// What comes before the next entry: the opening bracket, then commas.
    start: &'static str,
    end: &'static str,
    /// The value is in an object under the name of its variant, which ends as well.
    has_variant: bool,
    /// The object was a number of `serde_json`.
    is_number: bool,
}

impl<W: Write> StreamBuilder<'_, W> {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.separate()?;
        write_json(self.out, value)
    }

    fn write_entry<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), JsonError> {
        self.separate()?;
        write_text(self.out, key)?;
        self.out.write_char(':')?;
        write_json(self.out, value)
    }

    fn separate(&mut self) -> fmt::Result {
        let start = std::mem::replace(&mut self.start, ",");
        self.out.write_str(start)
    }

    fn finish(self) -> Result<(), JsonError> {
        if self.is_number {
            return Ok(());
        }
        if self.start != "," {
            self.out.write_str(self.start)?;
        }
        self.out.write_str(self.end)?;
        if self.has_variant {
            self.out.write_char('}')?;
        }
        Ok(())
    }
}

impl_lists!([W: Write] StreamBuilder<'_, W> => ());

impl<W: Write> ser::SerializeMap for StreamBuilder<'_, W> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), JsonError> {
        self.separate()?;
        Ok(write_text(self.out, &key.serialize(TextSerializer::KEY)?)?)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), JsonError> {
        self.out.write_char(':')?;
        write_json(self.out, value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl<W: Write> ser::SerializeStruct for StreamBuilder<'_, W> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        // So `serde_json` writes a number, if the program enables its feature `arbitrary_precision`.
        if key == DIGITS_OF_SERDE_JSON {
            self.is_number = true;
            let digits = value.serialize(TextSerializer::KEY)?;
            return Ok(write_value(self.out, &parse_digits(&digits)?, None)?);
        }
        self.write_entry(key, value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}

impl<W: Write> ser::SerializeStructVariant for StreamBuilder<'_, W> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), JsonError> {
        self.write_entry(key, value)
    }

    fn end(self) -> Result<(), JsonError> {
        self.finish()
    }
}
