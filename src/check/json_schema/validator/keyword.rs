//! Where, in a schema, the keyword stands that the engine reports.

use jsonschema::ValidationError;

use super::join;

use crate::json::Json;

/// The pointer of the keyword that `error` is about. Behind a `$ref` the engine gives the target's pointer, but
/// counts it from the nearest `$id`: then the absolute location says which part of the schema that is.
pub(super) fn keyword(error: &ValidationError<'_>, schema: &Json) -> String {
    let path = error.schema_path().as_str();
    let Some(absolute) = error.absolute_keyword_location() else { return path.to_owned() };
    let base = absolute.as_str().split('#').next().unwrap_or_default();
    match resource(schema, base, "") {
        // A path that begins with the part already needs no prefix.
        Some(around) if !path.starts_with(&around) => format!("{around}{path}"),
        _ => path.to_owned(),
    }
}

/// The pointer of the part whose `$id` is `base`, or ends it.
pub(super) fn resource(value: &Json, base: &str, pointer: &str) -> Option<String> {
    match value {
        Json::Object(map) => {
            let own = map.get("$id").and_then(Json::as_str).map(|id| id.trim_end_matches('#'));
            // The engine may resolve an `$id` against its own base address, so the end of the address is enough.
            if own.is_some_and(|id| base == id || base.ends_with(&format!("/{id}"))) {
                return Some(pointer.to_owned());
            }
            map.iter().find_map(|(key, value)| resource(value, base, &join(pointer, key)))
        }
        Json::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, value)| resource(value, base, &format!("{pointer}/{index}"))),
        _ => None,
    }
}
