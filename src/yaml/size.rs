//! Sizes as users write them: `64 MiB`, `2GB`, or a number of bytes.

use super::{Node, Value};
use crate::place::LoadError;

impl Node<'_> {
    /// Parses this value as a number of bytes; `key` names it in the error.
    pub fn parse_size(self, key: &str) -> Result<u64, LoadError> {
        let parsed = match self.value() {
            Value::Number(bytes) => bytes.as_u64(),
            Value::String(text) => parse_bytes(text),
            _ => None,
        };
        parsed
            .filter(|bytes| *bytes > 0)
            .ok_or_else(|| self.error(format!("`{key}` is a size: `64 MiB`, `2 GB`, or a number of bytes")))
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
