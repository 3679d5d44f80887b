//! The engine's errors in a user's words: what is wrong with a value, and what to do about it.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use crate::yaml::pointer_tokens;

/// Longer values are cut in a message; the violation holds them whole.
const SHOWN_CHARS: usize = 80;
/// Further alternatives are counted only.
const SHOWN_ALTERNATIVES: usize = 5;

/// What is wrong, and what to do about the part called `name`.
pub(super) fn explain(kind: &Kind, error: &ValidationError<'_>, name: &str) -> (String, String) {
    range(kind, name)
        .or_else(|| size(kind, name))
        .or_else(|| word(kind, error, name))
        .or_else(|| choice(kind, error, name))
        .unwrap_or_else(|| (lower_first(&error.masked().to_string()), format!("change {name}")))
}

fn range(kind: &Kind, name: &str) -> Option<(String, String)> {
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
        Kind::MultipleOf { multiple_of } => (
            format!("value is not a multiple of {multiple_of}"),
            format!("use a multiple of {multiple_of} for {name}"),
        ),
        _ => return None,
    })
}

fn size(kind: &Kind, name: &str) -> Option<(String, String)> {
    const CHARACTERS: [&str; 2] = ["character", "characters"];
    const ITEMS: [&str; 2] = ["item", "items"];
    const PROPERTIES: [&str; 2] = ["property", "properties"];
    let said = |problem: &str, limit: u64, most: &str, units: [&str; 2]| {
        let unit = units[usize::from(limit != 1)];
        (format!("value {problem} {limit} {unit}"), format!("use at {most} {limit} {unit} for {name}"))
    };
    Some(match kind {
        Kind::MaxLength { limit } => said("is longer than", *limit, "most", CHARACTERS),
        Kind::MinLength { limit } => said("is shorter than", *limit, "least", CHARACTERS),
        Kind::MaxItems { limit } => said("has more than", *limit, "most", ITEMS),
        Kind::MinItems { limit } => said("has fewer than", *limit, "least", ITEMS),
        Kind::MaxProperties { limit } => said("has more than", *limit, "most", PROPERTIES),
        Kind::MinProperties { limit } => said("has fewer than", *limit, "least", PROPERTIES),
        Kind::AdditionalItems { limit } => said("has more than", *limit as u64, "most", ITEMS),
        Kind::UniqueItems => ("value has an item twice".to_owned(), format!("give each item of {name} once")),
        Kind::Contains => ("no item is of the wanted kind".to_owned(), format!("add such an item to {name}")),
        _ => return None,
    })
}

fn word(kind: &Kind, error: &ValidationError<'_>, name: &str) -> Option<(String, String)> {
    Some(match kind {
        Kind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(wanted) => wanted.to_string(),
                TypeKind::Multiple(wanted) => {
                    wanted.iter().map(|wanted| wanted.to_string()).collect::<Vec<_>>().join(" or ")
                }
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

fn choice(kind: &Kind, error: &ValidationError<'_>, name: &str) -> Option<(String, String)> {
    Some(match kind {
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
            let around = error.instance_path().as_str();
            (format!("value fits none of {} alternatives", context.len()), alternatives(context, around))
        }
        Kind::OneOfMultipleValid { .. } => (
            "value fits several alternatives, not exactly one".to_owned(),
            format!("make {name} fit one alternative only"),
        ),
        Kind::Not { .. } => ("value is of a forbidden kind".to_owned(), format!("use another {name}")),
        Kind::FalseSchema if error.instance_path().is_empty() => (
            "the schema forbids every value".to_owned(),
            "keep the agent from calling the tool, or give it a schema".to_owned(),
        ),
        Kind::FalseSchema => ("the schema forbids every value".to_owned(), format!("leave out {name}")),
        _ => return None,
    })
}

/// Why each alternative declines a value that stands at `around`.
fn alternatives(context: &[Vec<ValidationError<'static>>], around: &str) -> String {
    let shown = context.iter().take(SHOWN_ALTERNATIVES).enumerate().map(|(index, errors)| {
        let reasons: Vec<String> = errors.iter().map(|error| reason(error, around)).collect();
        format!("alternative {}: {}", index + 1, reasons.join(", "))
    });
    let mut why: Vec<String> = shown.collect();
    if context.len() > SHOWN_ALTERNATIVES {
        why.push(format!("{} more", context.len() - SHOWN_ALTERNATIVES));
    }
    why.join("; ")
}

fn reason(error: &ValidationError<'_>, around: &str) -> String {
    let at = error.instance_path().as_str();
    let below = at.strip_prefix(around).unwrap_or(at);
    let problem = match error.kind() {
        Kind::Required { property } => format!("missing {}", shown(property)),
        Kind::AdditionalProperties { unexpected } => format!("unexpected {}", unexpected.join(", ")),
        kind => explain(kind, error, &part(at)).0,
    };
    if below.is_empty() { problem } else { format!("{}: {problem}", part(below)) }
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

/// A pointer as a user reads it.
pub(super) fn part(pointer: &str) -> String {
    let mut tokens = pointer_tokens(pointer);
    match (tokens.next(), tokens.next()) {
        (None, _) => "it".to_owned(),
        (Some(name), None) => name,
        _ => pointer.to_owned(),
    }
}

/// A value, cut to a line's length.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
