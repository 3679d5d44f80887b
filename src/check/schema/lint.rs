//! Mistakes in a JSON Schema that JSON Schema itself lets pass: `max` is no keyword, so it would constrain
//! nothing.

use super::words::json_word;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Node, Value, did_you_mean};

const TYPES: &[&str] = &["string", "number", "integer", "boolean", "object", "array", "null"];

/// Finds what is no JSON Schema, or means nothing in one.
pub(super) fn check(schema: Node<'_>) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    walk(schema, &mut errors);
    errors.or(())
}

fn walk(schema: Node<'_>, errors: &mut LoadErrors) {
    let Some(entries) = schema.entries() else {
        if !matches!(schema.value(), Value::Bool(_)) {
            errors.push(schema.error(format!("a JSON Schema is a mapping, not {}", schema.describe())));
        }
        return;
    };
    for (key, value) in entries {
        let place = Place::new(schema.source(), key.span);
        errors.take(check_keyword(&key.name, value, place));
        for below in subschemas(&key.name, value) {
            walk(below, errors);
        }
    }
}

fn check_keyword(keyword: &str, value: Node<'_>, place: Place) -> Result<(), LoadError> {
    if let Some(json) = json_word(keyword) {
        let problem = format!("`{keyword}` means nothing in a JSON Schema");
        return Err(LoadError::new(place, problem).help(help_for(keyword, json)));
    }
    match (keyword, value.value()) {
        ("type", _) => check_types(value),
        ("required", Value::Bool(_)) => Err(LoadError::new(place, "`required` is a list of names here")
            .help("JSON Schema says `required: [NAME]` beside `properties`")),
        _ => Ok(()),
    }
}

fn help_for(keyword: &str, json: &str) -> String {
    match keyword {
        "min" | "max" => "JSON Schema says minimum/maximum".to_owned(),
        _ => format!("JSON Schema says {json}"),
    }
}

/// Refuses a `type` that does not exist.
pub(in crate::check) fn check_types(types: Node<'_>) -> Result<(), LoadError> {
    let unknown = |node: &Node<'_>| node.as_str().is_none_or(|name| !TYPES.contains(&name));
    let Some(node) = types.one_or_many().into_iter().find(unknown) else { return Ok(()) };
    let Some(name) = node.as_str() else {
        return Err(node
            .error(format!("a type is a word, not {}", node.describe()))
            .help("quote it if it is the type `null`: \"null\""));
    };
    let error = node.error(format!("there is no type `{name}`"));
    Err(did_you_mean(name, TYPES).into_iter().fold(error, LoadError::help))
}

/// The schemas under a keyword.
fn subschemas<'n>(keyword: &str, value: Node<'n>) -> Vec<Node<'n>> {
    match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => {
            value.entries().into_iter().flatten().map(|(_, node)| node).collect()
        }
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => value.list().into_iter().flatten().collect(),
        "items" => value.one_or_many(),
        "additionalProperties"
        | "additionalItems"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "contains"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else" => vec![value],
        _ => Vec::new(),
    }
}
