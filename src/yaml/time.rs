//! Times as users write them: `3s`, `500ms`, `2m`.

use std::time::Duration;

use serde::de::{Deserialize, Deserializer, Error};

use super::{Node, Unparsed, Value};

/// A time from 0 up, in milliseconds. A bare number is milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Millis(f64);

impl Millis {
    /// Returns the number of milliseconds.
    pub(crate) fn get(self) -> f64 {
        self.0
    }

    /// Parses a number, or a text with a unit.
    fn parse(node: Node<'_>) -> Option<Self> {
        let millis = match node.value() {
            Value::Number(millis) => millis.as_f64(),
            Value::String(text) => parse_milliseconds(text),
            _ => None,
        };
        millis.filter(|millis| millis.is_finite() && *millis >= 0.0).map(Self)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Unparsed::<()>::deserialize(deserializer)?;
        Self::parse(written.node()).ok_or_else(|| {
            D::Error::custom(
                "expected a time from 0 up: \"3s\", \"500ms\", \"2m\", or a number of milliseconds",
            )
        })
    }
}

/// A time above 0 that something may take. A bare number is whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeLimit(pub(crate) Duration);

impl TimeLimit {
    fn parse(node: Node<'_>) -> Option<Self> {
        let time = match node.value() {
            Value::Number(millis) => millis.as_u64().map(Duration::from_millis),
            Value::String(text) => {
                parse_milliseconds(text).and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok())
            }
            _ => None,
        };
        time.filter(|time| !time.is_zero()).map(Self)
    }
}

impl<'de> Deserialize<'de> for TimeLimit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Unparsed::<()>::deserialize(deserializer)?;
        Self::parse(written.node()).ok_or_else(|| {
            D::Error::custom(
                "expected a time above 0: \"3s\", \"500ms\", \"2m\", or a number of milliseconds",
            )
        })
    }
}

/// Parses `text` as a number of milliseconds, with a unit.
fn parse_milliseconds(text: &str) -> Option<f64> {
    let units = [("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)];
    let (number, unit) =
        units.iter().find_map(|(unit, millis)| text.strip_suffix(unit).map(|number| (number, millis)))?;
    number.trim().parse::<f64>().ok().map(|number| number * unit)
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::{Millis, TimeLimit};

    impl JsonSchema for Millis {
        fn schema_name() -> Cow<'static, str> {
            "time".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description": "A duration: a number of milliseconds, or a text such as `3s`.",
                "anyOf": [
                    {"type": "number", "minimum": 0},
                    {"type": "string", "pattern": r"^\s*[0-9.eE+]+\s*(ms|s|m)$"},
                ],
            })
        }
    }

    /// A limit is written like any other time.
    impl JsonSchema for TimeLimit {
        fn schema_name() -> Cow<'static, str> {
            Millis::schema_name()
        }

        fn schema_id() -> Cow<'static, str> {
            Millis::schema_id()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            Millis::json_schema(generator)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Source;
    use crate::yaml::Document;

    #[test]
    fn times_have_units() {
        for (text, millis) in
            [("3s", Some(3000.0)), ("1.5 s", Some(1500.0)), ("500ms", Some(500.0)), ("2m", Some(120_000.0))]
        {
            assert_eq!(parse_milliseconds(text).map(f64::to_bits), millis.map(f64::to_bits), "{text}");
        }
        for text in ["", "3", "s", "3 h", "fast"] {
            assert_eq!(parse_milliseconds(text), None, "{text}");
        }
    }

    #[test]
    fn a_limit_is_above_zero_and_a_bare_number_of_it_whole() {
        for (text, is_time, is_limit) in [
            ("1500", true, true),
            ("1.5", true, false),
            ("1.5s", true, true),
            ("0", true, false),
            ("-1", false, false),
            ("-1s", false, false),
            ("fast", false, false),
            (".inf", false, false),
            ("[3s]", false, false),
        ] {
            let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
            let root = documents[0].root();
            assert_eq!(root.decode::<Millis>().is_ok(), is_time, "{text}");
            assert_eq!(root.decode::<TimeLimit>().is_ok(), is_limit, "{text}");
        }
    }
}
