//! Forms of values that settings have, for the schema: types that only describe what is read by hand.
#![expect(dead_code, reason = "the types describe forms, and hold no value")]

use crate::json::JsonMap;
use std::collections::BTreeMap;

/// One check with its settings, as in a list under `expect`.
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(schema_with = "refer_to_entry", description = "", inline)
)]
pub(crate) struct ExpectEntry;

#[cfg(feature = "schema")]
fn refer_to_entry(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"$ref": "#/definitions/entry_of_expect"})
}

/// A JSON Schema: a mapping, `true` or `false`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
pub(crate) enum InlineSchema {
    Keywords(JsonMap),
    Always(bool),
}

/// A JSON Schema, or a file that contains one.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
pub(crate) enum SchemaOrFile {
    File(String),
    Inline(InlineSchema),
}

/// The JSON Schema of each tool or argument.
pub(crate) type SchemasByName = BTreeMap<String, InlineSchema>;

/// A policy, or a file that contains one.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
pub(crate) enum PolicyOrFile {
    File(String),
    Inline(JsonMap),
}
