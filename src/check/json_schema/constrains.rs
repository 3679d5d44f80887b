//! Whether a schema can refuse anything at all.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::json::Json;
use crate::pattern::{WordList, list_words};

/// Keywords with schemas of which each must hold.
static APPLICATORS: WordList = LazyLock::new(|| {
    list_words(
        "allOf prefixItems items additionalItems additionalProperties propertyNames unevaluatedItems \
         unevaluatedProperties then else",
    )
});

/// Keywords that refuse some value, whatever their own value is.
static ASSERTIONS: WordList = LazyLock::new(|| {
    list_words(
        "type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern \
         minItems maxItems contains minProperties maxProperties dependentRequired dependencies oneOf not",
    )
});

/// False for `true`, `{}`, and a schema of annotations only: a test against it always passes.
pub(crate) fn constrains(schema: &Json, formats: bool) -> bool {
    Search { root: schema, formats, seen: HashSet::new() }.schema(schema)
}

struct Search<'s> {
    root: &'s Json,
    formats: bool,
    seen: HashSet<&'s str>,
}

impl<'s> Search<'s> {
    fn schema(&mut self, schema: &'s Json) -> bool {
        match schema {
            Json::Bool(allowed) => !allowed,
            Json::Object(map) => map.iter().any(|(keyword, value)| self.keyword(keyword, value)),
            _ => true,
        }
    }

    fn keyword(&mut self, keyword: &str, value: &'s Json) -> bool {
        match keyword {
            // These keywords only hold schemas for parts of a value. They refuse something if one of their schemas
            // does.
            "properties" | "patternProperties" | "dependentSchemas" => {
                value.as_object().is_none_or(|map| map.values().any(|schema| self.schema(schema)))
            }
            keyword if APPLICATORS.contains(&keyword) => self.any(value),
            // One alternative that refuses nothing makes the whole choice accept everything.
            "anyOf" => value.as_array().is_none_or(|all| all.iter().all(|schema| self.schema(schema))),
            "$ref" | "$dynamicRef" | "$recursiveRef" => self.reference(value),
            "required" => value.as_array().is_none_or(|names| !names.is_empty()),
            "uniqueItems" => value != &Json::Bool(false),
            "format" => self.formats,
            keyword => ASSERTIONS.contains(&keyword),
        }
    }

    fn any(&mut self, value: &'s Json) -> bool {
        match value {
            Json::Array(schemas) => schemas.iter().any(|schema| self.schema(schema)),
            schema => self.schema(schema),
        }
    }

    /// Searches each target once: a circle adds nothing to what its members say.
    fn reference(&mut self, value: &'s Json) -> bool {
        // Only references within the file can be followed. Any other one is taken to constrain, so that nothing is
        // refused by mistake.
        let Some(target) = value.as_str().and_then(|reference| reference.strip_prefix('#')) else {
            return true;
        };
        match self.root.pointer(target) {
            Some(schema) => self.seen.insert(target) && self.schema(schema),
            None => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    #[test]
    fn annotations_and_open_doors_constrain_nothing() {
        for schema in [
            json!(true),
            json!({}),
            json!({"title": "pay", "description": "x", "$schema": "x", "default": 1}),
            json!({"properties": {"n": {}, "m": true}, "additionalProperties": true, "required": []}),
            json!({"format": "email", "$defs": {"n": {"type": "integer"}}}),
            json!({"anyOf": [{"type": "object"}, {}]}),
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        ] {
            assert!(!constrains(&schema, false), "{schema}");
        }
    }

    #[test]
    fn anything_that_can_refuse_constrains() {
        for schema in [
            json!(false),
            json!({"type": "object"}),
            json!({"properties": {"n": {"items": {"maximum": 3}}}}),
            json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}),
            json!({"$ref": "#missing"}),
            json!({"not": {}}),
        ] {
            assert!(constrains(&schema, false), "{schema}");
        }
        assert!(constrains(&json!({"format": "email"}), true));
    }
}
