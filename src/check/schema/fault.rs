//! What a value does wrong, in a user's words.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::{Raw, join};
use crate::yaml::{nearest, pointer_tokens};

/// Longer values are cut in a message; the violation holds them whole.
const SHOWN_CHARS: usize = 80;

/// What a fault is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check) enum Subject {
    /// A value that is there.
    Value,
    /// A part that is not there.
    Missing,
    /// A part that should not be there.
    Unexpected,
}

/// One constraint that a value breaks.
#[derive(Debug)]
pub(in crate::check) struct Fault {
    /// Which part of the value: a JSON pointer, empty for all of it.
    pub(in crate::check) pointer: String,
    /// Whether it is there.
    pub(in crate::check) subject: Subject,
    /// The part itself, where it is there.
    pub(in crate::check) value: Option<Value>,
    /// The constraint in the file's words: `max: 30`.
    pub(in crate::check) constraint: String,
    /// The constraint's pointer in the file.
    pub(super) written: String,
    /// What is wrong: "value exceeds maximum of 30".
    pub(in crate::check) problem: String,
    /// What to do: "use percent <= 30".
    pub(in crate::check) advice: String,
}

impl Fault {
    /// The part's bare name at the top level, its JSON pointer below; `None` for the value as a whole.
    pub(in crate::check) fn part(&self) -> Option<String> {
        (!self.pointer.is_empty()).then(|| part(&self.pointer))
    }

    /// The value, cut to a line's length.
    pub(in crate::check) fn shown(&self) -> String {
        self.value.as_ref().map_or_else(String::new, shown)
    }
}

/// What stopped the engine before it could decide.
pub(super) fn unfinished(error: &ValidationError<'_>) -> Option<String> {
    let at = if error.instance_path().is_empty() { "a value" } else { error.instance_path().as_str() };
    match error.kind() {
        Kind::BacktrackLimitExceeded { .. } => {
            Some(format!("a pattern needs too many steps on {at}: simplify it, or bound its repetitions"))
        }
        Kind::RegexEngineFailure { message } => Some(format!("a pattern failed on {at}: {message}")),
        _ => None,
    }
}

/// The faults that `error` stands for: one for each part concerned.
pub(super) fn faults(error: &ValidationError<'_>, raw: &Raw, noun: &str) -> Vec<Fault> {
    let keyword = error.schema_path().as_str();
    match error.kind() {
        Kind::Required { property } => vec![missing(error, property.as_str().unwrap_or_default(), raw, noun)],
        Kind::AdditionalProperties { unexpected: names }
        | Kind::UnevaluatedProperties { unexpected: names } => {
            names.iter().map(|name| unexpected(error, name, raw, noun)).collect()
        }
        kind => {
            let pointer = error.instance_path().as_str().to_owned();
            let (problem, advice) = explain(kind, error, &part(&pointer));
            let written = raw.origin.locate(keyword);
            let constraint = constraint(&written, raw.json.pointer(keyword));
            let value = Some(error.instance().as_ref().clone());
            vec![Fault { pointer, subject: Subject::Value, value, constraint, written, problem, advice }]
        }
    }
}

fn missing(error: &ValidationError<'_>, name: &str, raw: &Raw, noun: &str) -> Fault {
    let pointer = join(error.instance_path().as_str(), name);
    let keyword = error.schema_path().as_str();
    let names = raw.json.pointer(keyword).and_then(Value::as_array);
    let entry = names.and_then(|names| names.iter().position(|known| known == name));
    let written = raw.origin.locate(&entry.map_or(keyword.to_owned(), |entry| format!("{keyword}/{entry}")));
    Fault {
        subject: Subject::Missing,
        value: None,
        constraint: if written.ends_with("/required") && entry.is_some() {
            "required: true"
        } else {
            "required"
        }
        .to_owned(),
        written,
        problem: format!("missing required {noun}"),
        advice: format!("pass {}", part(&pointer)),
        pointer,
    }
}

fn unexpected(error: &ValidationError<'_>, name: &str, raw: &Raw, noun: &str) -> Fault {
    let pointer = join(error.instance_path().as_str(), name);
    let keyword = error.schema_path().as_str();
    let written = raw.origin.locate(keyword);
    let around = keyword.rsplit_once('/').map_or("", |(around, _)| around);
    let known = raw.json.pointer(&format!("{around}/properties")).and_then(Value::as_object);
    let near = known.and_then(|known| nearest(name, known.keys().map(String::as_str)));
    let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Fault {
        subject: Subject::Unexpected,
        value: error.instance().get(name).cloned(),
        constraint: constraint(&written, raw.json.pointer(keyword)),
        written,
        problem: format!("unexpected {noun}"),
        advice: format!("leave out {}{near}", part(&pointer)),
        pointer,
    }
}

/// A pointer as a user reads it.
fn part(pointer: &str) -> String {
    let mut tokens = pointer_tokens(pointer);
    match (tokens.next(), tokens.next()) {
        (None, _) => "a value".to_owned(),
        (Some(name), None) => name,
        _ => pointer.to_owned(),
    }
}

/// `KEYWORD: VALUE`, or the keyword alone where its value is schemas.
fn constraint(written: &str, value: Option<&Value>) -> String {
    let keyword = pointer_tokens(written).last().unwrap_or_default();
    let is_schema = |value: &Value| value.is_object();
    match value {
        Some(Value::Array(items)) if items.iter().any(is_schema) && keyword != "enum" => keyword,
        Some(Value::Object(_)) if keyword != "const" => keyword,
        Some(Value::String(text)) if keyword != "const" => format!("{keyword}: {text}"),
        Some(value) => format!("{keyword}: {value}"),
        None => keyword,
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// What is wrong, and what to do about the part called `name`.
fn explain(kind: &Kind, error: &ValidationError<'_>, name: &str) -> (String, String) {
    range(kind, name)
        .or_else(|| size(kind, name))
        .or_else(|| word(kind, error, name))
        .or_else(|| choice(kind, name))
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

fn choice(kind: &Kind, name: &str) -> Option<(String, String)> {
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
            (format!("value fits none of {} alternatives", context.len()), alternatives(context))
        }
        Kind::OneOfMultipleValid { .. } => (
            "value fits several alternatives, not exactly one".to_owned(),
            format!("make {name} fit one alternative only"),
        ),
        Kind::Not { .. } => ("value is of a forbidden kind".to_owned(), format!("use another {name}")),
        Kind::FalseSchema => ("nothing is allowed here".to_owned(), format!("leave out {name}")),
        _ => return None,
    })
}

/// Why each alternative declines.
fn alternatives(context: &[Vec<ValidationError<'static>>]) -> String {
    let reason = |error: &ValidationError<'_>| {
        let at = error.instance_path().as_str();
        let (problem, _) = explain(error.kind(), error, &part(at));
        if at.is_empty() { problem } else { format!("{at}: {problem}") }
    };
    let why = context.iter().enumerate().map(|(index, errors)| {
        let reasons: Vec<String> = errors.iter().map(reason).collect();
        format!("alternative {}: {}", index + 1, reasons.join(", "))
    });
    why.collect::<Vec<_>>().join("; ")
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
