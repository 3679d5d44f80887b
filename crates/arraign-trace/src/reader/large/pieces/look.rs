//! A cheap look at a piece: builds some of its entries, and only checks that the rest is JSON.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};

use crate::reader::json::object::Object;
use crate::reader::json::value::JsonKey;

/// Reads the entries of the object in `text` with one of `names`. The others are skipped, not built.
pub(crate) fn look<'t>(text: &'t str, names: &[&str]) -> Result<Object<'t>, serde_json::Error> {
    // A piece that is no object has no entries, but it must still be JSON.
    if !text.starts_with('{') {
        return serde_json::from_str::<IgnoredAny>(text).map(|_| Object::default());
    }
    let mut source = serde_json::Deserializer::from_str(text);
    let object = source.deserialize_map(Look { names })?;
    source.end().map(|()| object)
}

struct Look<'n> {
    names: &'n [&'n str],
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
        let mut object = Object::default();
        while let Some(JsonKey(key)) = map.next_key()? {
            if self.names.contains(&key.as_ref()) {
                object.push(key, map.next_value()?);
            } else {
                // The rest is skipped without building it, which is what makes this faster than reading.
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_entries_are_built_and_all_must_be_json() {
        let mut found =
            look(r#"{"a": {"id": 1}, "id": "x", "b": [1e5, "\u00e9"]}"#, &["id", "run"]).expect("JSON");
        assert_eq!(found.text(&["run", "id"]).expect("a text").as_deref(), Some("x"));
        assert!(found.get("a").is_none());
        assert!(look("[1]", &["id"]).expect("JSON").get("id").is_none());
        for broken in [r#"{"a": tru, "id": "x"}"#, r#"{"id": "x"} 1"#, r#"{"id": "x""#, "nul"] {
            assert!(look(broken, &["id"]).is_err(), "{broken}");
        }
    }
}
