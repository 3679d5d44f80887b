//! Values of settings that come in several shapes: one or a list, a mapping or something shorter, a mapping in its order.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::placed::{SHAPED, Shape, explain_other_format, take_shape};

/// One value, or a list of values.
#[derive(Debug, Clone)]
pub(crate) struct OneOrMany<T>(pub(crate) Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match ListOr::deserialize(deserializer)? {
            ListOr::List(values) => Self(values),
            ListOr::Other(value) => Self(vec![value]),
        })
    }
}

/// A list, or another form of it.
#[derive(Debug, Clone)]
pub(crate) enum ListOr<T, S> {
    /// The value is a list.
    List(Vec<T>),
    /// The value is no list.
    Other(S),
}

impl<'de, T: Deserialize<'de>, S: Deserialize<'de>> Deserialize<'de> for ListOr<T, S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T, S>(PhantomData<(T, S)>);

        impl<'de, T: Deserialize<'de>, S: Deserialize<'de>> Visitor<'de> for ListVisitor<T, S> {
            type Value = ListOr<T, S>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or a list of values")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
                match take_shape() {
                    Some(Shape::List) => Vec::deserialize(value).map(ListOr::List),
                    Some(_) => S::deserialize(value).map(ListOr::Other),
                    None => Err(explain_other_format()),
                }
            }
        }

        deserializer.deserialize_newtype_struct(SHAPED, ListVisitor(PhantomData))
    }
}

/// A mapping, or a shorter form of it.
#[derive(Debug, Clone)]
pub(crate) enum MappingOr<M, S> {
    /// The value is no mapping.
    Short(S),
    /// The value is a mapping.
    Mapping(M),
}

impl<'de, M: Deserialize<'de>, S: Deserialize<'de>> Deserialize<'de> for MappingOr<M, S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ShapeVisitor<M, S>(PhantomData<(M, S)>);

        impl<'de, M: Deserialize<'de>, S: Deserialize<'de>> Visitor<'de> for ShapeVisitor<M, S> {
            type Value = MappingOr<M, S>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping or a shorter form of it")
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<Self::Value, D::Error> {
                match take_shape() {
                    Some(Shape::Mapping) => M::deserialize(value).map(MappingOr::Mapping),
                    Some(_) => S::deserialize(value).map(MappingOr::Short),
                    None => Err(explain_other_format()),
                }
            }
        }

        deserializer.deserialize_newtype_struct(SHAPED, ShapeVisitor(PhantomData))
    }
}

/// The entries of a mapping in the order of the file.
#[derive(Debug, Clone)]
pub(crate) struct OrderedMap<K, V>(pub(crate) Vec<(K, V)>);

impl<K, V> Default for OrderedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for OrderedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<K, V>(PhantomData<(K, V)>);

        impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<K, V> {
            type Value = OrderedMap<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(OrderedMap(entries))
            }
        }

        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;
    use std::collections::BTreeMap;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::{ListOr, MappingOr, OneOrMany, OrderedMap};

    impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> Cow<'static, str> {
            ListOr::<T, T>::schema_name()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            ListOr::<T, T>::json_schema(generator)
        }
    }

    impl<T: JsonSchema, S: JsonSchema> JsonSchema for ListOr<T, S> {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> Cow<'static, str> {
            format!("{}_or_list_of_{}", S::schema_name(), T::schema_name()).into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let other = generator.subschema_for::<S>();
            let list = generator.subschema_for::<Vec<T>>();
            json_schema!({"anyOf": [other, list]})
        }
    }

    impl<M: JsonSchema, S: JsonSchema> JsonSchema for MappingOr<M, S> {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> Cow<'static, str> {
            format!("{}_or_{}", M::schema_name(), S::schema_name()).into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let short = generator.subschema_for::<S>();
            let mapping = generator.subschema_for::<M>();
            json_schema!({"anyOf": [short, mapping]})
        }
    }

    /// A key is a text, whatever it means.
    impl<K, V: JsonSchema> JsonSchema for OrderedMap<K, V> {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> Cow<'static, str> {
            BTreeMap::<String, V>::schema_name()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            BTreeMap::<String, V>::json_schema(generator)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::place::Source;
    use crate::yaml::{Document, Placed};

    #[derive(Debug, Deserialize)]
    struct Settings {
        ignore: Option<OneOrMany<Placed<String>>>,
        times: Option<MappingOr<Bounds, u32>>,
        defaults: Option<OrderedMap<String, u32>>,
    }

    #[derive(Debug, Deserialize)]
    struct Bounds {
        at_least: Option<u32>,
    }

    fn read(text: &str) -> Result<Settings, String> {
        let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
        documents[0].root().decode_all().map_err(|errors| errors.to_string())
    }

    #[test]
    fn each_shape_is_read() {
        let ignored = |text: &str| {
            let ignored = read(text).expect(text).ignore.expect("a list").0;
            ignored.iter().map(|path| format!("{} {}", path.place(), **path)).collect::<Vec<_>>()
        };
        assert_eq!(ignored("ignore: a"), ["s.yaml:1:9 a"]);
        assert_eq!(ignored("ignore: [a, b]"), ["s.yaml:1:10 a", "s.yaml:1:13 b"]);
        assert!(matches!(read("times: 3").expect("3").times, Some(MappingOr::Short(3))));
        let bounds = read("times: {at_least: 2}").expect("bounds").times;
        assert!(matches!(bounds, Some(MappingOr::Mapping(Bounds { at_least: Some(2) }))));
        let defaults = read("defaults: {z: 1, a: 2}").expect("defaults").defaults.expect("entries").0;
        assert_eq!(defaults, [("z".to_owned(), 1), ("a".to_owned(), 2)]);
    }

    #[test]
    fn a_mistake_keeps_its_place_in_each_shape() {
        for (text, error) in [
            (
                "ignore: [a, 1]",
                "s.yaml:1:13: expected a text, found `1` (help: quote it, so that it is a text)",
            ),
            ("times: x", "s.yaml:1:8: expected a whole number from 0 up, found the text `x`"),
            ("times: {at_leats: 2}", "s.yaml:1:9: unknown key `at_leats` (help: did you mean `at_least`?)"),
            ("defaults: {a: x}", "s.yaml:1:15: expected a whole number from 0 up, found the text `x`"),
        ] {
            assert_eq!(read(text).expect_err(text), error);
        }
    }
}
