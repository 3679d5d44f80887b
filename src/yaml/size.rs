//! Sizes as users write them: `64 MiB`, `2GB`, or a number of bytes.

use serde::de::{Deserialize, Deserializer, Error};

use crate::json::Json;

/// A number of bytes above 0: a number, or a text with a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileSize(pub(crate) u64);

impl<'de> Deserialize<'de> for FileSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = match Json::deserialize(deserializer)? {
            Json::Number(bytes) => bytes.as_u64(),
            Json::String(text) => parse_bytes(&text),
            _ => None,
        };
        let expected = "expected a size: `64 MiB`, `2 GB`, or a number of bytes";
        bytes.filter(|bytes| *bytes > 0).map(Self).ok_or_else(|| D::Error::custom(expected))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for FileSize {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "size".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]})
    }
}

/// Parses `text` as a number of bytes with an optional unit.
pub fn parse_bytes(text: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 8] = [
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
        ("kb", 1_000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("b", 1),
        ("", 1),
    ];
    let text = text.trim().to_ascii_lowercase();
    // The longest units stand first: `kib` ends with `b`, too.
    let (number, unit) = UNITS
        .iter()
        .find_map(|(unit, bytes)| text.strip_suffix(unit).map(|number| (number.trim(), *bytes)))?;
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in
            [("64 MiB", Some(64 << 20)), ("2GB", Some(2_000_000_000)), ("1kib", Some(1024)), ("77", Some(77))]
        {
            assert_eq!(parse_bytes(text), bytes, "{text}");
        }
        for text in ["", "MiB", "1.5 GB", "-1", "3 parsecs", "99999999999 GiB"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }
}
