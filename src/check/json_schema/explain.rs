//! Explains the engine's errors: what is wrong with a value, and how to fix it.

use crate::json::Json;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};

use super::exact::NumberWord;
use super::join;
use super::keyword::keyword;
use crate::secrets::QuotedText;
use crate::yaml::pointer_tokens;

/// Longer values are cut in a message; the violation holds them whole.
const SHOWN_CHARS: usize = 80;
/// Further alternatives are counted only.
const SHOWN_ALTERNATIVES: usize = 5;

/// Returns what is wrong with the part at `pointer`, and what to do about it.
pub(crate) fn explain(error: &ValidationError<'_>, pointer: &str, schema: &Json) -> (String, String) {
    let name = &named(pointer);
    // From the most special explanation to the validator's own words.
    explain_number(error, pointer, schema)
        .or_else(|| explain_size(error.kind(), name))
        .or_else(|| explain_type(error, name, schema))
        .or_else(|| explain_choice(error, name, schema))
        .unwrap_or_else(|| (lower_first(&error.masked().to_string()), format!("change {name}")))
}

/// Explains a keyword that compares with numbers, which the validator does not hold as they were written.
fn explain_number(
    error: &ValidationError<'_>,
    value_pointer: &str,
    schema: &Json,
) -> Option<(String, String)> {
    let name = &part(value_pointer);
    let pointer = keyword(error, schema);
    let word = NumberWord::find(pointer.rsplit('/').next()?)?;
    let wanted = schema.pointer(&pointer)?;
    let limit = shown(wanted);
    let named = &named(value_pointer);
    let is_exclusive = |word: &str| {
        let around = pointer.rsplit_once('/').map_or("", |(around, _)| around);
        schema.pointer(&join(around, word)).and_then(Json::as_bool).unwrap_or_default()
    };
    Some(match word {
        NumberWord::Maximum if is_exclusive("exclusiveMaximum") => explain_below(&limit, name),
        NumberWord::Minimum if is_exclusive("exclusiveMinimum") => explain_above(&limit, name),
        NumberWord::Maximum => {
            (format!("value exceeds maximum of {limit}"), format!("use {name} <= {limit}"))
        }
        NumberWord::Minimum => {
            (format!("value is below minimum of {limit}"), format!("use {name} >= {limit}"))
        }
        NumberWord::ExclusiveMaximum => explain_below(&limit, name),
        NumberWord::ExclusiveMinimum => explain_above(&limit, name),
        NumberWord::MultipleOf => {
            (format!("value is not a multiple of {limit}"), format!("use a multiple of {limit} for {named}"))
        }
        NumberWord::Const => (format!("value is not {limit}"), format!("use {limit} for {named}")),
        NumberWord::Enum => {
            let options: Vec<String> = wanted.as_array()?.iter().map(shown).collect();
            let options = options.join(", ");
            (format!("value is not one of {options}"), format!("use one of {options} for {named}"))
        }
    })
}

fn explain_below(limit: &str, name: &str) -> (String, String) {
    (format!("value is not below {limit}"), format!("use {name} < {limit}"))
}

fn explain_above(limit: &str, name: &str) -> (String, String) {
    (format!("value is not above {limit}"), format!("use {name} > {limit}"))
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
        Kind::UniqueItems => ("value has an item twice".to_owned(), format!("give each item of {name} once")),
        Kind::Contains => ("no item is of the wanted kind".to_owned(), format!("add such an item to {name}")),
        _ => return None,
    })
}

fn render_size(name: &str, problem: &str, limit: u64, most: &str, units: [&str; 2]) -> (String, String) {
    let unit = units[usize::from(limit != 1)];
    (format!("value {problem} {limit} {unit}"), format!("use at {most} {limit} {unit} for {name}"))
}

fn explain_type(error: &ValidationError<'_>, name: &str, schema: &Json) -> Option<(String, String)> {
    Some(match error.kind() {
        Kind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(wanted) => wanted.to_string(),
                TypeKind::Multiple(_) => listed_types(error, schema),
            };
            let found = type_of(&error.instance().as_ref().into());
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
fn listed_types(error: &ValidationError<'_>, schema: &Json) -> String {
    let list = schema.pointer(&keyword(error, schema)).and_then(Json::as_array);
    let names: Vec<&str> = list.into_iter().flatten().filter_map(Json::as_str).collect();
    names.join(" or ")
}

fn explain_choice(error: &ValidationError<'_>, name: &str, schema: &Json) -> Option<(String, String)> {
    Some(match error.kind() {
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
fn list_alternatives(context: &[Vec<ValidationError<'static>>], around: &str, schema: &Json) -> String {
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

fn explain_alternative(error: &ValidationError<'_>, around: &str, schema: &Json) -> String {
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

fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
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
pub(crate) fn shown(value: &Json) -> String {
    let quoted = QuotedText::from_json(value);
    let shown = quoted.cut_end(SHOWN_CHARS);
    format!("{}{}", shown.text, if shown.cut_after { "…" } else { "" })
}
