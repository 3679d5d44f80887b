//! Explains the engine's errors: what is wrong with a value, and how to fix it.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::keyword::keyword;
use crate::secrets::QuotedText;
use crate::yaml::pointer_tokens;

/// Longer values are cut in a message; the violation holds them whole.
const SHOWN_CHARS: usize = 80;
/// Further alternatives are counted only.
const SHOWN_ALTERNATIVES: usize = 5;

/// Returns what is wrong with the part at `pointer`, and what to do about it.
pub(crate) fn explain(error: &ValidationError<'_>, pointer: &str, schema: &Value) -> (String, String) {
    let name = &named(pointer);
    // From the most special explanation to the validator's own words.
    explain_range(error.kind(), &part(pointer))
        .or_else(|| explain_size(error.kind(), name))
        .or_else(|| explain_type(error, name, schema))
        .or_else(|| explain_choice(error, name, schema))
        .unwrap_or_else(|| (lower_first(&error.masked().to_string()), format!("change {name}")))
}

fn explain_range(kind: &Kind, name: &str) -> Option<(String, String)> {
    Some(match kind {
        Kind::Maximum { limit } => {
            (format!("value exceeds maximum of {limit}"), format!("use {name} <= {limit}"))
        }
        Kind::Minimum { limit } => {
            (format!("value is below minimum of {limit}"), format!("use {name} >= {limit}"))
        }
        Kind::ExclusiveMaximum { limit } => {
            (format!("value is not below {limit}"), format!("use {name} < {limit}"))
        }
        Kind::ExclusiveMinimum { limit } => {
            (format!("value is not above {limit}"), format!("use {name} > {limit}"))
        }
        _ => return None,
    })
}

fn explain_size(kind: &Kind, name: &str) -> Option<(String, String)> {
    const CHARACTERS: [&str; 2] = ["character", "characters"];
    const ITEMS: [&str; 2] = ["item", "items"];
    const PROPERTIES: [&str; 2] = ["property", "properties"];
    Some(match kind {
        Kind::MaxLength { limit } => render_size(name, "is longer than", *limit, "most", CHARACTERS),
        Kind::MinLength { limit } => render_size(name, "is shorter than", *limit, "least", CHARACTERS),
        Kind::MaxItems { limit } => render_size(name, "has more than", *limit, "most", ITEMS),
        Kind::MinItems { limit } => render_size(name, "has fewer than", *limit, "least", ITEMS),
        Kind::MaxProperties { limit } => render_size(name, "has more than", *limit, "most", PROPERTIES),
        Kind::MinProperties { limit } => render_size(name, "has fewer than", *limit, "least", PROPERTIES),
        Kind::AdditionalItems { limit } => render_size(name, "has more than", *limit as u64, "most", ITEMS),
        Kind::MultipleOf { multiple_of } => (
            format!("value is not a multiple of {multiple_of}"),
            format!("use a multiple of {multiple_of} for {name}"),
        ),
        Kind::UniqueItems => ("value has an item twice".to_owned(), format!("give each item of {name} once")),
        Kind::Contains => ("no item is of the wanted kind".to_owned(), format!("add such an item to {name}")),
        _ => return None,
    })
}

fn render_size(name: &str, problem: &str, limit: u64, most: &str, units: [&str; 2]) -> (String, String) {
    let unit = units[usize::from(limit != 1)];
    (format!("value {problem} {limit} {unit}"), format!("use at {most} {limit} {unit} for {name}"))
}

fn explain_type(error: &ValidationError<'_>, name: &str, schema: &Value) -> Option<(String, String)> {
    Some(match error.kind() {
        Kind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(wanted) => wanted.to_string(),
                TypeKind::Multiple(_) => listed_types(error, schema),
            };
            let found = type_of(error.instance());
            (format!("expected {wanted}, got {found}"), format!("use type {wanted} for {name}"))
        }
        Kind::Pattern { pattern } => (
            format!("value does not match pattern `{pattern}`"),
            format!("use a value that matches `{pattern}` for {name}"),
        ),
        Kind::Format { format } => {
            (format!("value is not a valid {format}"), format!("use a valid {format} for {name}"))
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            (format!("the name `{name}` is not allowed"), format!("leave out `{name}`"))
        }
        _ => return None,
    })
}

/// Lists the types in the order of the file, which the engine does not keep.
fn listed_types(error: &ValidationError<'_>, schema: &Value) -> String {
    let list = schema.pointer(&keyword(error, schema)).and_then(Value::as_array);
    let names: Vec<&str> = list.into_iter().flatten().filter_map(Value::as_str).collect();
    names.join(" or ")
}

fn explain_choice(error: &ValidationError<'_>, name: &str, schema: &Value) -> Option<(String, String)> {
    Some(match error.kind() {
        Kind::Enum { options } => {
            let options = options.as_array().map(|all| all.iter().map(shown).collect::<Vec<_>>());
            let options = options.unwrap_or_default().join(", ");
            (format!("value is not one of {options}"), format!("use one of {options} for {name}"))
        }
        Kind::Constant { expected_value } => {
            let wanted = shown(expected_value);
            (format!("value is not {wanted}"), format!("use {wanted} for {name}"))
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            // The alternatives name places below the value that this message has named.
            let around = error.instance_path().as_str();
            (
                format!("value fits none of {} alternatives", context.len()),
                list_alternatives(context, around, schema),
            )
        }
        Kind::OneOfMultipleValid { .. } => (
            "value fits several alternatives, not exactly one".to_owned(),
            format!("make {name} fit one alternative only"),
        ),
        Kind::Not { .. } => {
            ("value matches what `not` forbids".to_owned(), "use a value outside it".to_owned())
        }
        // For the root there is no argument that the agent could leave out.
        Kind::FalseSchema if error.instance_path().is_empty() => (
            "the schema forbids every value".to_owned(),
            "keep the agent from calling the tool, or give it a schema".to_owned(),
        ),
        Kind::FalseSchema => ("the schema forbids every value".to_owned(), format!("leave out {name}")),
        _ => return None,
    })
}

/// Explains why each alternative rejects the value at `around`.
fn list_alternatives(context: &[Vec<ValidationError<'static>>], around: &str, schema: &Value) -> String {
    let shown = context.iter().take(SHOWN_ALTERNATIVES).enumerate().map(|(index, errors)| {
        let reasons: Vec<String> =
            errors.iter().map(|error| explain_alternative(error, around, schema)).collect();
        format!("alternative {}: {}", index + 1, reasons.join(", "))
    });
    let mut why: Vec<String> = shown.collect();
    if context.len() > SHOWN_ALTERNATIVES {
        why.push(format!("{} more", context.len() - SHOWN_ALTERNATIVES));
    }
    why.join("; ")
}

fn explain_alternative(error: &ValidationError<'_>, around: &str, schema: &Value) -> String {
    // The path of an alternative's value begins at the value around it, which the message has named already.
    let at = error.instance_path().as_str();
    let below = at.strip_prefix(around).unwrap_or(at);
    let problem = match error.kind() {
        Kind::Required { property } => format!("missing `{}`", property.as_str().unwrap_or_default()),
        Kind::AdditionalProperties { unexpected } => format!("unexpected `{}`", unexpected.join("`, `")),
        _ => explain(error, at, schema).0,
    };
    if below.is_empty() { problem } else { format!("{}: {problem}", named(below)) }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// A pointer as a user reads it in a sentence.
pub(crate) fn named(pointer: &str) -> String {
    if pointer.is_empty() { "it".to_owned() } else { format!("`{}`", part(pointer)) }
}

/// A pointer as a user reads it.
pub(crate) fn part(pointer: &str) -> String {
    let mut tokens = pointer_tokens(pointer);
    match (tokens.next(), tokens.next()) {
        (None, _) => "it".to_owned(),
        (Some(name), None) => name.into_owned(),
        _ => pointer.to_owned(),
    }
}

/// A value, cut to a line's length.
pub(crate) fn shown(value: &Value) -> String {
    let quoted = QuotedText::from_json(value);
    let shown = quoted.cut_end(SHOWN_CHARS);
    format!("{}{}", shown.text, if shown.cut_after { "…" } else { "" })
}
