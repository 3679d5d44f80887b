//! A node as a serde deserializer whose errors know their place.
//!
//! Settings stay plain derives. A key that a type would ignore is a mistake here, whether or not the type says
//! `deny_unknown_fields`: a user's own check gets the same protection from typos as a built-in one.

use std::cell::Cell;

use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};

use super::{Key, Node, Tree, Value, did_you_mean, placed};
use crate::place::{LoadError, LoadErrors, Place, Span};

/// Deserializes `node`.
pub(super) fn decode<T: DeserializeOwned>(node: Node<'_>) -> Result<T, LoadError> {
    decode_or_error(node).map_err(|error| error.into_load_error(node))
}

/// Lists the keys of the mapping that `T` is read from, with their other names. None: `T` is no struct.
pub(crate) fn list_keys<T: DeserializeOwned>() -> &'static [&'static str] {
    /// A deserializer that has no value: it takes down which fields it is asked for, and fails.
    struct KeysProbe<'k>(&'k mut &'static [&'static str]);

    impl<'de> de::Deserializer<'de> for KeysProbe<'_> {
        type Error = de::value::Error;

        fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Self::Error> {
            Err(de::Error::custom("there is no value"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _name: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            *self.0 = fields;
            self.deserialize_any(visitor)
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
            seq tuple tuple_struct map identifier option newtype_struct enum ignored_any
        }
    }

    let mut keys: &[&str] = &[];
    // The error only ends the probe.
    let _ended = T::deserialize(KeysProbe(&mut keys)).is_err();
    keys
}

/// Deserializes `node` and keeps the error of serde as it is.
pub(super) fn decode_or_error<T: DeserializeOwned>(node: Node<'_>) -> Result<T, YamlDecodeError> {
    T::deserialize(ItemDeserializer { node, field: None })
}

/// An error of serde with its place.
#[derive(Debug)]
pub(super) struct YamlDecodeError {
    /// The span of the innermost node that was being read.
    pub(super) span: Option<Span>,
    pub(super) problem: String,
    pub(super) help: Option<String>,
    /// The key that a struct needs and does not have.
    pub(super) missing: Option<&'static str>,
    /// The errors of settings that do not agree, in place of the problem.
    pub(super) failed: Option<LoadErrors>,
    /// Whether two keys set one field.
    is_duplicate: bool,
}

impl YamlDecodeError {
    fn at(mut self, span: Span) -> Self {
        self.span.get_or_insert(span);
        self
    }

    /// Places the error of two keys that mean the same at the second one, which is the mistake.
    fn at_duplicate(self, last_key: Span) -> Self {
        if self.is_duplicate { self.at(last_key) } else { self }
    }

    /// Adds the errors with which a value of several settings has just failed.
    fn with_failed(self) -> Self {
        let failed = placed::take_failed();
        Self { failed: failed.or(self.failed), ..self }
    }

    /// Returns the error as one of the file that `node` is in.
    fn into_load_error(self, node: Node<'_>) -> LoadError {
        if let Some(first) = self.failed.as_ref().and_then(|failed| failed.iter().next()) {
            return first.clone();
        }
        let span = self.span.unwrap_or(node.tree.span);
        LoadError::new(Place::new(node.source, span), self.problem).help_if(self.help)
    }
}

/// Names the value that was found with the words of YAML.
fn describe_found(found: de::Unexpected<'_>) -> String {
    match found {
        de::Unexpected::Seq => "a list".to_owned(),
        de::Unexpected::Map => "a mapping".to_owned(),
        de::Unexpected::Unit => "nothing".to_owned(),
        de::Unexpected::Bool(flag) => format!("`{flag}`"),
        de::Unexpected::Signed(number) => format!("`{number}`"),
        de::Unexpected::Unsigned(number) => format!("`{number}`"),
        de::Unexpected::Float(number) => format!("`{number}`"),
        de::Unexpected::Str(text) => format!("the text `{text}`"),
        other => other.to_string(),
    }
}

/// Returns the only number of a text with a unit or a currency, such as `$0.05` and `10 runs`.
fn find_number(text: &str) -> Option<&str> {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let number = text.trim_matches(|c| !is_digit(c)).trim_end_matches('.');
    (number.parse::<f64>().is_ok() && number.chars().all(is_digit)).then_some(number)
}

/// Names the expected value with the words of YAML, because serde names types of Rust.
fn describe_expected(expected: &dyn de::Expected) -> String {
    let text = expected.to_string();
    match text.as_str() {
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number from 0 up".to_owned(),
        text if text.starts_with("a nonzero u") => "a whole number from 1 up".to_owned(),
        "i64" | "i32" | "i16" | "i8" | "isize" => "a whole number".to_owned(),
        "f64" | "f32" => "a number".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a mapping".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "a string" => "a text".to_owned(),
        text if text.starts_with("struct ") => "a mapping of settings".to_owned(),
        text => text.to_owned(),
    }
}

impl std::fmt::Display for YamlDecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for YamlDecodeError {}

impl de::Error for YamlDecodeError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self {
            span: None,
            problem: message.to_string(),
            help: None,
            missing: None,
            failed: None,
            is_duplicate: false,
        }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        Self { help: did_you_mean(field, expected), ..Self::custom(format!("unknown key `{field}`")) }
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let help = did_you_mean(variant, expected);
        Self { help, ..Self::custom(format!("`{variant}` is not one of the known values")) }
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let error = Self::custom(format!(
            "expected {}, found {}",
            describe_expected(expected),
            describe_found(found)
        ));
        match found {
            de::Unexpected::Str("yes" | "on") => Self { help: Some("write `true`".to_owned()), ..error },
            de::Unexpected::Unit => {
                Self { help: Some("write a value, or take the key out".to_owned()), ..error }
            }
            de::Unexpected::Str("no" | "off") => Self { help: Some("write `false`".to_owned()), ..error },
            de::Unexpected::Signed(_) | de::Unexpected::Unsigned(_) | de::Unexpected::Float(_)
                if describe_expected(expected) == "a text" =>
            {
                Self { help: Some("quote it, so that it is a text".to_owned()), ..error }
            }
            de::Unexpected::Seq if describe_expected(expected) == "a text" => {
                let help = "write one text, not a list: a check or a rule can be written once for each text";
                Self { help: Some(help.to_owned()), ..error }
            }
            de::Unexpected::Str(text) if describe_expected(expected).contains("number") => Self {
                help: find_number(text).map(|number| format!("write the number alone: `{number}`")),
                ..error
            },
            _ => error,
        }
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(format!("expected {}, found {}", describe_expected(expected), describe_found(found)))
    }

    fn missing_field(field: &'static str) -> Self {
        Self { missing: Some(field), ..Self::custom(format!("`{field}` is missing")) }
    }

    fn duplicate_field(field: &'static str) -> Self {
        let error = Self::custom(format!("`{field}` is given twice, once by another name"));
        Self { is_duplicate: true, ..error }
    }
}

/// A node being read. The value of a field also knows its key: if the value is ignored, the key is unknown.
///
/// Every type that is read has its own copy of the functions below, so each calls the one method of the visitor that fits,
/// and the rest is in functions without type parameters. An error gets its place where a list or a mapping hands out a
/// value.
#[derive(Clone, Copy)]
struct ItemDeserializer<'n> {
    node: Node<'n>,
    field: Option<(&'n Key, &'static [&'static str])>,
}

impl<'n> ItemDeserializer<'n> {
    /// Returns the error of a type that is read from another kind of value.
    fn refuse(&self, expected: &dyn de::Expected) -> YamlDecodeError {
        let found = match self.node.value() {
            Value::Null => de::Unexpected::Unit,
            Value::Bool(flag) => de::Unexpected::Bool(*flag),
            Value::Number(number) => number.to_unexpected(),
            Value::NotFinite(number) => de::Unexpected::Float(*number),
            Value::String(text) => de::Unexpected::Str(text),
            Value::List(_) => de::Unexpected::Seq,
            Value::Map(_) => de::Unexpected::Map,
        };
        de::Error::invalid_type(found, expected)
    }

    /// Returns the error of a value that no type wants.
    fn refuse_unknown(&self) -> Result<(), YamlDecodeError> {
        let Some((key, fields)) = self.field else { return Ok(()) };
        let unknown: YamlDecodeError = de::Error::unknown_field(&key.name, fields);
        Err(unknown.at(key.span))
    }

    /// A variant is its name, or a mapping with the name as its key.
    fn to_variant(self) -> Result<Variant<'n>, YamlDecodeError> {
        match self.node.value() {
            Value::String(name) => Ok(Variant { name, span: self.node.tree.span, value: None }),
            Value::Map(_) => {
                let mut entries = self.node.entries().into_iter().flatten();
                let Some((key, node)) = entries.next() else {
                    return Err(de::Error::invalid_type(de::Unexpected::Map, &"enum"));
                };
                if let Some((second, _)) = entries.next() {
                    let unknown: YamlDecodeError = de::Error::unknown_field(&second.name, &[]);
                    return Err(unknown.at(second.span));
                }
                let value = Self { node, field: Some((key, &[])) };
                Ok(Variant { name: &key.name, span: key.span, value: Some(value) })
            }
            _ => Err(de::Error::custom(format!("expected a word, found {}", self.node.describe()))),
        }
    }
}

impl<'de> de::Deserializer<'de> for ItemDeserializer<'_> {
    type Error = YamlDecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlDecodeError> {
        match self.node.value() {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::NotFinite(number) => visitor.visit_f64(*number),
            Value::String(text) => visitor.visit_str(text),
            Value::List(_) => self.deserialize_seq(visitor),
            Value::Map(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlDecodeError> {
        match self.node.value() {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlDecodeError> {
        match self.node.value() {
            Value::List(items) => visitor.visit_seq(ItemsAccess { node: self.node, rest: items.iter() }),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, YamlDecodeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, YamlDecodeError> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlDecodeError> {
        self.deserialize_struct("", &[], visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, YamlDecodeError> {
        let Value::Map(entries) = self.node.value() else { return Err(self.refuse(&visitor)) };
        let last_key = Cell::new(self.node.tree.span);
        match visitor.visit_map(EntriesAccess::new(self, entries, fields, &last_key)) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.at_duplicate(last_key.get())),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, YamlDecodeError> {
        if let Value::Number(number) = self.node.value()
            && let Some(digits) = number.digits_for(name)
        {
            return visitor.visit_bytes(digits.as_bytes());
        }
        placed::hand(name, self.node, self.field.map(|(key, _)| key));
        match visitor.visit_newtype_struct(self) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.with_failed()),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, YamlDecodeError> {
        visitor.visit_enum(self.to_variant()?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlDecodeError> {
        self.refuse_unknown()?;
        visitor.visit_unit()
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlDecodeError> {
        match self.node.value() {
            Value::String(name) => visitor.visit_str(name),
            _ => Err(self.refuse(&visitor)),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
    }
}

struct ItemsAccess<'n> {
    node: Node<'n>,
    rest: std::slice::Iter<'n, Tree>,
}

impl<'de> de::SeqAccess<'de> for ItemsAccess<'_> {
    type Error = YamlDecodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, YamlDecodeError> {
        let Some(tree) = self.rest.next() else { return Ok(None) };
        match seed.deserialize(ItemDeserializer { node: self.node.child(tree), field: None }) {
            Ok(item) => Ok(Some(item)),
            Err(error) => Err(error.at(tree.span)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct EntriesAccess<'n, 'c> {
    node: Node<'n>,
    rest: std::slice::Iter<'n, (Key, Tree)>,
    fields: &'static [&'static str],
    /// The key that was read last. It is read like a text of its own, so that it can have a place.
    key: Tree,
    /// The value that comes next; the mapping itself before its first key.
    value: ItemDeserializer<'n>,
    /// The span of the key, for whoever reads the mapping.
    last_key: &'c Cell<Span>,
}

impl<'n, 'c> EntriesAccess<'n, 'c> {
    fn new(
        mapping: ItemDeserializer<'n>,
        entries: &'n [(Key, Tree)],
        fields: &'static [&'static str],
        last_key: &'c Cell<Span>,
    ) -> Self {
        let key = Tree { span: last_key.get(), value: Value::Null };
        Self { node: mapping.node, rest: entries.iter(), fields, key, value: mapping, last_key }
    }

    /// Returns the next key that is not hidden, and keeps its value.
    fn next_key(&mut self) -> Option<ItemDeserializer<'_>> {
        let hidden = self.node.hidden;
        let (key, tree) = self.rest.find(|(key, _)| !hidden.contains(&key.name.as_str()))?;
        self.last_key.set(key.span);
        self.value = ItemDeserializer { node: self.node.child(tree), field: Some((key, self.fields)) };
        self.key = Tree { span: key.span, value: Value::String(key.name.clone()) };
        Some(ItemDeserializer { node: self.node.child(&self.key), field: None })
    }
}

impl<'de> de::MapAccess<'de> for EntriesAccess<'_, '_> {
    type Error = YamlDecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, YamlDecodeError> {
        let Some(key) = self.next_key() else { return Ok(None) };
        match seed.deserialize(key) {
            Ok(key) => Ok(Some(key)),
            Err(error) => Err(error.at(self.last_key.get())),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, YamlDecodeError> {
        match seed.deserialize(self.value) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.at(self.value.node.tree.span)),
        }
    }
}

/// A variant of an enum, with what it holds.
struct Variant<'n> {
    name: &'n str,
    span: Span,
    value: Option<ItemDeserializer<'n>>,
}

impl Variant<'_> {
    /// Returns what the variant holds.
    fn value(&self, expected: &'static str) -> Result<ItemDeserializer<'_>, YamlDecodeError> {
        self.value.ok_or_else(|| de::Error::invalid_type(de::Unexpected::UnitVariant, &expected))
    }

    /// Places an error of what the variant holds.
    fn place(&self, error: YamlDecodeError) -> YamlDecodeError {
        error.at(self.value.map_or(self.span, |value| value.node.tree.span))
    }
}

impl<'de> de::EnumAccess<'de> for Variant<'_> {
    type Error = YamlDecodeError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), YamlDecodeError> {
        match seed.deserialize(self.name.into_deserializer()) {
            Ok(variant) => Ok((variant, self)),
            Err(error) => Err(YamlDecodeError::at(error, self.span)),
        }
    }
}

impl<'de> de::VariantAccess<'de> for Variant<'_> {
    type Error = YamlDecodeError;

    fn unit_variant(self) -> Result<(), YamlDecodeError> {
        if self.value.is_none() { Ok(()) } else { self.newtype_variant_seed(std::marker::PhantomData::<()>) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, YamlDecodeError> {
        seed.deserialize(self.value("newtype variant")?).map_err(|error| self.place(error))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, YamlDecodeError> {
        let value = self.value("tuple variant")?;
        de::Deserializer::deserialize_seq(value, visitor).map_err(|error| self.place(error))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, YamlDecodeError> {
        let value = self.value("struct variant")?;
        de::Deserializer::deserialize_struct(value, "", fields, visitor).map_err(|error| self.place(error))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use crate::place::Source;
    use crate::yaml::Document;

    #[derive(Debug, Deserialize, PartialEq)]
    struct ToolSettings {
        tools: Vec<String>,
        #[serde(default)]
        mode: MatchMode,
        most: Option<u32>,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum MatchMode {
        #[default]
        Loose,
        Strict,
    }

    fn read(text: &str) -> Result<ToolSettings, String> {
        let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
        documents[0].root().decode().map_err(|error| error.to_string())
    }

    #[test]
    fn settings_are_plain_derives() {
        let settings = read("tools: [a]\nmode: strict\nmost: 3").expect("it is valid");
        assert_eq!(
            settings,
            ToolSettings { tools: vec!["a".into()], mode: MatchMode::Strict, most: Some(3) }
        );
    }

    #[test]
    fn each_mistake_has_its_own_place() {
        for (text, error) in [
            ("tools: [a]\nmots: 3", "s.yaml:2:1: unknown key `mots` (help: did you mean `most`?)"),
            (
                "tools: [a, [b]]",
                "s.yaml:1:12: expected a text, found a list (help: write one text, not a list: a check or a rule can be written once for each text)",
            ),
            ("mode: strict", "s.yaml:1:1: `tools` is missing"),
            (
                "tools: []\nmode: stirct",
                "s.yaml:2:7: `stirct` is not one of the known values (help: did you mean `strict`?)",
            ),
            ("tools: []\nmost: -1", "s.yaml:2:7: expected a whole number from 0 up, found `-1`"),
        ] {
            assert_eq!(read(text).expect_err(text), error);
        }
    }
}
