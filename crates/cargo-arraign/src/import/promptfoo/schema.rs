//! JSON Schemas as promptfoo reads them: draft 7, formats are asserted, and `nullable` counts.

use arraign::__internals::place::Source;
use arraign::__internals::yaml::Document;
use arraign::json::{Json, JsonMap, json};

const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// A schema of an assertion.
pub(super) enum ConvertedSchema {
    /// Every value fits.
    Any,
    Schema(Json),
}

/// Converts the value of an assertion. The error says why it cannot be carried.
pub(super) fn convert_schema(value: &Json) -> Result<ConvertedSchema, &'static str> {
    let value = match value {
        Json::String(text) if text.is_empty() => return Ok(ConvertedSchema::Any),
        Json::String(text) => parse_text(text)?,
        other => other.clone(),
    };
    match value {
        Json::Null | Json::Bool(false) => Ok(ConvertedSchema::Any),
        Json::Object(schema) if schema.is_empty() => Ok(ConvertedSchema::Any),
        Json::Object(schema) => convert_mapping(schema).map(ConvertedSchema::Schema),
        _ => Err("the schema is no mapping, so promptfoo ends with an error"),
    }
}

fn parse_text(text: &str) -> Result<Json, &'static str> {
    let documents =
        Document::parse(&Source::new("schema", text)).map_err(|_| "the schema is a text, but no YAML")?;
    match documents.as_slice() {
        [document] => Ok(document.root().to_json()),
        _ => Err("the schema is a text with several documents"),
    }
}

fn convert_mapping(mut schema: JsonMap) -> Result<Json, &'static str> {
    match schema.get("$schema").and_then(Json::as_str) {
        Some(draft) if !draft.contains("draft-07") => {
            return Err("the schema names another draft than 7, which promptfoo does not compile");
        }
        Some(_) => {}
        None => {
            let rest = std::mem::take(&mut schema);
            schema.insert("$schema", json!(DRAFT));
            schema.extend(rest);
        }
    }
    let mut schema = Json::Object(schema);
    // `nullable` is resolved first, as draft 7 does not know it.
    unfold_nullable(&mut schema);
    if has_unknown_keyword(&schema) {
        return Err(
            "the schema has a keyword that draft 7 does not know, with which promptfoo ends with an error",
        );
    }
    Ok(schema)
}

/// The keywords of draft 7 whose values are no schemas.
const PLAIN: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "type",
    "enum",
    "const",
    "format",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxProperties",
    "minProperties",
    "required",
    "readOnly",
    "writeOnly",
    "contentMediaType",
    "contentEncoding",
    "discriminator",
    "nullable",
];

/// The keywords whose values are a schema, or a list of schemas.
const NESTED: &[&str] = &[
    "items",
    "additionalItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "if",
    "then",
    "else",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
];

/// The keywords whose values map names to schemas.
const BY_NAME: &[&str] = &["properties", "patternProperties", "definitions", "$defs", "dependencies"];

/// Whether a schema, or one in it, has a keyword that the strict mode of ajv refuses.
fn has_unknown_keyword(schema: &Json) -> bool {
    match schema {
        Json::Array(list) => list.iter().any(has_unknown_keyword),
        Json::Object(entries) => entries.iter().any(|(key, value)| match (key.as_str(), value) {
            (key, _) if PLAIN.contains(&key) => false,
            (key, _) if NESTED.contains(&key) => has_unknown_keyword(value),
            (key, Json::Object(inner)) if BY_NAME.contains(&key) => inner.values().any(has_unknown_keyword),
            _ => true,
        }),
        _ => false,
    }
}

/// Writes `{type: string, nullable: true}` as `{type: [string, "null"]}`, at every depth.
fn unfold_nullable(value: &mut Json) {
    match value {
        Json::Array(list) => list.iter_mut().for_each(unfold_nullable),
        Json::Object(entries) => {
            let is_nullable = entries.get("nullable") == Some(&Json::Bool(true));
            // `nullable` without a type is unknown to draft 7, so it stays and the schema is refused.
            if entries.get("nullable").is_some_and(Json::is_boolean) && entries.contains_key("type") {
                entries.remove("nullable");
            }
            if let Some(types) = entries.get_mut("type").filter(|types| is_nullable && types.is_string()) {
                *types = json!([types.take(), "null"]);
            }
            entries.values_mut().for_each(unfold_nullable);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_says_its_draft_and_its_null() {
        let value = json!("type: object\nproperties: {a: {type: string, nullable: true}}");
        let Ok(ConvertedSchema::Schema(schema)) = convert_schema(&value) else { panic!("a schema") };
        assert_eq!(schema["$schema"], DRAFT);
        assert_eq!(schema["properties"]["a"], json!({"type": ["string", "null"]}));
        assert!(matches!(convert_schema(&json!({})), Ok(ConvertedSchema::Any)));
        assert!(convert_schema(&json!({"properties": {"type": {"x": 1}}})).is_err());
        assert!(convert_schema(&json!({"properties": {"x": {"enum": [{"y": 1}]}}})).is_ok());
        assert!(convert_schema(&json!({"$schema": "https://json-schema.org/draft/2020-12/schema"})).is_err());
    }
}
