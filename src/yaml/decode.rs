//! A node as a serde deserializer whose errors know their place.
//!
//! Settings stay plain derives. A key that a type would ignore is a mistake here, whether or not the type says
//! `deny_unknown_fields`: a user's own check gets the same protection from typos as a built-in one.

use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};

use super::{Key, Node, Tree, Value, did_you_mean, placed, shape};
use crate::json::JsonNumber;
use crate::place::{LoadError, LoadErrors, Place, Span};

/// Deserializes `node`.
pub(super) fn decode<T: DeserializeOwned>(node: Node<'_>) -> Result<T, LoadError> {
    decode_or_error(node).map_err(|error| {
        if let Some(first) = error.failed.as_ref().and_then(|failed| failed.iter().next()) {
            return first.clone();
        }
        let span = error.span.unwrap_or(node.tree.span);
        LoadError::new(Place::new(node.source, span), error.problem).help_if(error.help)
    })
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
        Self { help, ..Self::custom(format!("`{variant}` is none of the known values")) }
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let error = Self::custom(format!(
            "expected {}, found {}",
            describe_expected(expected),
            describe_found(found)
        ));
        match found {
            de::Unexpected::Str("yes" | "on") => Self { help: Some("write `true`".to_owned()), ..error },
            de::Unexpected::Str("no" | "off") => Self { help: Some("write `false`".to_owned()), ..error },
            de::Unexpected::Signed(_) | de::Unexpected::Unsigned(_) | de::Unexpected::Float(_)
                if describe_expected(expected) == "a text" =>
            {
                Self { help: Some("quote it, so that it is a text".to_owned()), ..error }
            }
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
#[derive(Clone, Copy)]
struct ItemDeserializer<'n> {
    node: Node<'n>,
    field: Option<(&'n Key, &'static [&'static str])>,
}

impl<'de> de::Deserializer<'de> for ItemDeserializer<'_> {
    type Error = YamlDecodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlDecodeError> {
        let result = match self.node.value() {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::NotFinite(number) => visitor.visit_f64(*number),
            Value::String(text) => visitor.visit_str(text),
            Value::List(items) => visitor.visit_seq(ItemsAccess { node: self.node, rest: items.iter() }),
            Value::Map(entries) => visitor.visit_map(EntriesAccess::new(self.node, entries, &[])),
        };
        result.map_err(|error| error.at(self.node.tree.span))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlDecodeError> {
        match self.node.value() {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, YamlDecodeError> {
        let Value::Map(entries) = self.node.value() else { return self.deserialize_any(visitor) };
        let mut access = EntriesAccess::new(self.node, entries, fields);
        visitor.visit_map(&mut access).map_err(|error| match access.current {
            // The second of two keys that mean the same is the mistake.
            Some((key, _)) if error.is_duplicate => error.at(key.span),
            _ => error.at(self.node.tree.span),
        })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, YamlDecodeError> {
        let result = match (name, self.node.value()) {
            (placed::PLACED | placed::CHECKED, _) => {
                placed::hand_place(self.node, self.field.map(|(key, _)| key));
                visitor.visit_newtype_struct(self).map_err(|error: YamlDecodeError| {
                    let failed = placed::take_failed();
                    YamlDecodeError { failed: failed.or(error.failed), ..error }
                })
            }
            (placed::UNPARSED, _) => {
                placed::hand_tree(self.node);
                visitor.visit_unit()
            }
            (placed::ELSEWHERE, _) => visitor.visit_unit(),
            (shape::LIST_OR, Value::List(items)) => {
                visitor.visit_seq(ItemsAccess { node: self.node, rest: items.iter() })
            }
            (shape::LIST_OR, _) | (shape::MAPPING_OR, Value::Map(_)) => visitor.visit_newtype_struct(self),
            (shape::MAPPING_OR, _) => visitor.visit_some(self),
            (_, Value::Number(number)) if JsonNumber::keeps_digits(name) => {
                number.deserialize_newtype_struct(name, visitor)
            }
            _ => visitor.visit_newtype_struct(self),
        };
        result.map_err(|error| error.at(self.node.tree.span))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, YamlDecodeError> {
        let result = match self.node.value() {
            Value::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            Value::Map(entries) => visitor.visit_enum(de::value::MapAccessDeserializer::new(
                EntriesAccess::new(self.node, entries, &[]),
            )),
            _ => Err(de::Error::custom(format!("expected a word, found {}", self.node.describe()))),
        };
        result.map_err(|error| error.at(self.node.tree.span))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, YamlDecodeError> {
        match self.field {
            Some((key, fields)) => {
                let unknown: YamlDecodeError = de::Error::unknown_field(&key.name, fields);
                Err(unknown.at(key.span))
            }
            None => visitor.visit_unit(),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier
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
        let item = ItemDeserializer { node: self.node.child(tree), field: None };
        seed.deserialize(item).map(Some).map_err(|error| error.at(tree.span))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct EntriesAccess<'n> {
    node: Node<'n>,
    rest: std::slice::Iter<'n, (Key, Tree)>,
    fields: &'static [&'static str],
    current: Option<&'n (Key, Tree)>,
}

impl<'n> EntriesAccess<'n> {
    fn new(node: Node<'n>, entries: &'n [(Key, Tree)], fields: &'static [&'static str]) -> Self {
        Self { node, rest: entries.iter(), fields, current: None }
    }
}

impl<'de> de::MapAccess<'de> for EntriesAccess<'_> {
    type Error = YamlDecodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, YamlDecodeError> {
        let hidden = self.node.hidden;
        let Some(entry) = self.rest.find(|(key, _)| !hidden.contains(&key.name.as_str())) else {
            return Ok(None);
        };
        self.current = Some(entry);
        // A key is read like a text of its own, so that it can have a place.
        let (Key { span, name }, _) = entry;
        let tree = Tree { span: *span, value: Value::String(name.clone()) };
        let key = ItemDeserializer { node: self.node.child(&tree), field: None };
        seed.deserialize(key).map(Some).map_err(|error| error.at(*span))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, YamlDecodeError> {
        let Some((key, tree)) = self.current else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        let value = ItemDeserializer { node: self.node.child(tree), field: Some((key, self.fields)) };
        seed.deserialize(value).map_err(|error| error.at(tree.span))
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
            ("tools: [a, [b]]", "s.yaml:1:12: expected a text, found a list"),
            ("mode: strict", "s.yaml:1:1: `tools` is missing"),
            (
                "tools: []\nmode: stirct",
                "s.yaml:2:7: `stirct` is none of the known values (help: did you mean `strict`?)",
            ),
            ("tools: []\nmost: -1", "s.yaml:2:7: expected a whole number from 0 up, found `-1`"),
        ] {
            assert_eq!(read(text).expect_err(text), error);
        }
    }
}
