//! Explains what is wrong with a value, and how to fix it.

use super::plain::{ValueWord, read_size};
use crate::json::Json;
use crate::secrets::QuotedText;
use crate::yaml::pointer_tokens;

/// Longer values are cut in a message; the violation holds them whole.
const SHOWN_CHARS: usize = 80;

/// Of an `enum` with more options, only some are listed, because each fault lists them twice.
const MAX_SHOWN_OPTIONS: usize = 100;
const SHOWN_OF_MANY_OPTIONS: usize = 10;

/// What is wrong with a value, and what to do about it.
pub(super) struct Explanation {
    pub(super) problem: String,
    pub(super) advice: String,
}

impl Explanation {
    pub(super) fn new(problem: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { problem: problem.into(), advice: advice.into() }
    }
}

/// Explains why `found`, the value at `pointer`, is not as the keyword `word` demands. The value of the keyword is `wanted`.
pub(super) fn explain_word(word: ValueWord, wanted: &Json, found: &Json, pointer: &str) -> Explanation {
    let bare = part(pointer);
    let name = named(pointer);
    // The options of an `enum` may be megabytes, which are not rendered as a whole.
    let limit = if word == ValueWord::Enum { String::new() } else { shown(wanted) };
    match word {
        ValueWord::Type => {
            let names = match wanted {
                Json::Array(names) => names.as_slice(),
                name => std::slice::from_ref(name),
            };
            let names: Vec<&str> = names.iter().filter_map(Json::as_str).collect();
            let wanted = names.join(" or ");
            let found = type_of(found);
            Explanation::new(
                format!("expected {wanted}, got {found}"),
                format!("use type {wanted} for {name}"),
            )
        }
        ValueWord::Enum => {
            let all = wanted.as_array().unwrap_or_default();
            let is_long = all.len() > MAX_SHOWN_OPTIONS;
            let count = if is_long { SHOWN_OF_MANY_OPTIONS } else { all.len() };
            let mut options: Vec<String> = all[..count].iter().map(shown).collect();
            if is_long {
                options.push(format!("{} more", all.len() - count));
            }
            let options = options.join(", ");
            Explanation::new(
                format!("value is not one of {options}"),
                format!("use one of {options} for {name}"),
            )
        }
        ValueWord::Const => {
            Explanation::new(format!("value is not {limit}"), format!("use {limit} for {name}"))
        }
        ValueWord::Maximum => {
            Explanation::new(format!("value exceeds maximum of {limit}"), format!("use {bare} <= {limit}"))
        }
        ValueWord::Minimum => {
            Explanation::new(format!("value is below minimum of {limit}"), format!("use {bare} >= {limit}"))
        }
        ValueWord::ExclusiveMaximum => {
            Explanation::new(format!("value is not below {limit}"), format!("use {bare} < {limit}"))
        }
        ValueWord::ExclusiveMinimum => {
            Explanation::new(format!("value is not above {limit}"), format!("use {bare} > {limit}"))
        }
        ValueWord::MaxLength => explain_size(&name, "is longer than", wanted, "most", CHARACTERS),
        ValueWord::MinLength => explain_size(&name, "is shorter than", wanted, "least", CHARACTERS),
        ValueWord::MaxItems => explain_size(&name, "has more than", wanted, "most", ITEMS),
        ValueWord::MinItems => explain_size(&name, "has fewer than", wanted, "least", ITEMS),
        ValueWord::MaxProperties => explain_size(&name, "has more than", wanted, "most", PROPERTIES),
        ValueWord::MinProperties => explain_size(&name, "has fewer than", wanted, "least", PROPERTIES),
        ValueWord::UniqueItems => {
            Explanation::new("value has an item twice", format!("give each item of {name} once"))
        }
        ValueWord::Pattern => {
            let pattern = wanted.as_str().unwrap_or_default();
            Explanation::new(
                format!("value does not match pattern `{pattern}`"),
                format!("use a value that matches `{pattern}` for {name}"),
            )
        }
    }
}

/// Explains a value that the schema `false` forbids.
pub(super) fn explain_forbidden(pointer: &str) -> Explanation {
    let advice = if pointer.is_empty() {
        // For the root there is no argument that the agent could leave out.
        "keep the agent from calling the tool, or give it a schema".to_owned()
    } else {
        format!("leave out {}", named(pointer))
    };
    Explanation::new("the schema forbids every value", advice)
}

/// What a size counts: one, and several.
pub(super) type SizeUnits = [&'static str; 2];
const CHARACTERS: SizeUnits = ["character", "characters"];
pub(super) const ITEMS: SizeUnits = ["item", "items"];
const PROPERTIES: SizeUnits = ["property", "properties"];

pub(super) fn explain_size(
    name: &str,
    problem: &str,
    limit: &Json,
    most: &str,
    units: SizeUnits,
) -> Explanation {
    let limit = read_size(limit).unwrap_or_default();
    let unit = units[usize::from(limit != 1)];
    Explanation::new(
        format!("value {problem} {limit} {unit}"),
        format!("use at {most} {limit} {unit} for {name}"),
    )
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
