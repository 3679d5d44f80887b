//! Times as users write them: `3s`, `500ms`, `2m`.

use std::time::Duration;

use serde::Deserialize;

use super::{Node, Value};
use crate::json::Json;
use crate::place::LoadError;

/// A time above zero, as users write it: `3s`, `500ms`, `2m`, or a number of milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Json")]
pub(crate) struct Time(pub(crate) Duration);

impl TryFrom<Json> for Time {
    type Error = &'static str;

    fn try_from(value: Json) -> Result<Self, Self::Error> {
        let parsed = match &value {
            Json::Number(millis) => millis.as_u64().map(Duration::from_millis),
            Json::String(text) => {
                parse_milliseconds(text).and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok())
            }
            _ => None,
        };
        let time = parsed.filter(|time| !time.is_zero()).map(Self);
        time.ok_or("expected a time: `3s`, `500ms`, `2m`, or a number of milliseconds")
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Time {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "time".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"anyOf": [
            {"type": "number", "minimum": 0},
            {"type": "string", "pattern": r"^\s*[0-9.eE+]+\s*(ms|s|m)$"},
        ]})
    }
}

impl Node<'_> {
    /// Parses this value as a duration; a bare number is milliseconds. `key` names it in the error.
    pub fn parse_time(self, key: &str) -> Result<Duration, LoadError> {
        let parsed = match self.value() {
            Value::Number(millis) => millis.as_u64().map(Duration::from_millis),
            Value::String(text) => {
                parse_milliseconds(text).and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok())
            }
            _ => None,
        };
        parsed.filter(|time| !time.is_zero()).ok_or_else(|| {
            self.error(format!("`{key}` is a time: \"3s\", \"500ms\", \"2m\", or a number of milliseconds"))
        })
    }
}

/// Parses `text` as a number of milliseconds, with a unit.
pub fn parse_milliseconds(text: &str) -> Option<f64> {
    let units = [("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)];
    let (number, unit) =
        units.iter().find_map(|(unit, millis)| text.strip_suffix(unit).map(|number| (number, millis)))?;
    number.trim().parse::<f64>().ok().map(|number| number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
