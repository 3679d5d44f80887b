//! Explains the validator's errors.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};

use super::super::explain::{
    Explanation, ITEMS, explain_forbidden, explain_size, explain_word, named, shown,
};
use super::super::join;
use super::super::plain::ValueWord;
use super::exact::NUMBER_WORDS;
use super::keyword::keyword;
use crate::json::Json;

/// Further alternatives are counted only.
const SHOWN_ALTERNATIVES: usize = 5;

/// Further errors of one alternative are counted only.
const SHOWN_REASONS: usize = 50;

/// Returns what is wrong with the part at `pointer`, and what to do about it.
pub(super) fn explain(error: &ValidationError<'_>, pointer: &str, schema: &Json) -> Explanation {
    if let Some((word, wanted)) = find_plain_word(error, schema) {
        // Only the type needs the value, which the validator copies.
        let found = if word == ValueWord::Type { error.instance().as_ref().into() } else { Json::Null };
        return explain_word(word, &wanted, &found, pointer);
    }
    let name = &named(pointer);
    // From the most special explanation to the validator's own words.
    explain_kind(error.kind(), pointer)
        .or_else(|| explain_multiple(error, pointer, schema))
        .or_else(|| explain_choice(error, name, schema))
        .unwrap_or_else(|| {
            Explanation::new(lower_first(&error.masked().to_string()), format!("change {name}"))
        })
}

/// Finds the plain word that `error` is about, and its value. The validator holds neither numbers as they were written nor
/// types in the order of the file.
fn find_plain_word(error: &ValidationError<'_>, schema: &Json) -> Option<(ValueWord, Json)> {
    let word = match error.kind() {
        Kind::MaxLength { limit } => return Some((ValueWord::MaxLength, (*limit).into())),
        Kind::MinLength { limit } => return Some((ValueWord::MinLength, (*limit).into())),
        Kind::MaxItems { limit } => return Some((ValueWord::MaxItems, (*limit).into())),
        Kind::MinItems { limit } => return Some((ValueWord::MinItems, (*limit).into())),
        Kind::MaxProperties { limit } => return Some((ValueWord::MaxProperties, (*limit).into())),
        Kind::MinProperties { limit } => return Some((ValueWord::MinProperties, (*limit).into())),
        Kind::UniqueItems => return Some((ValueWord::UniqueItems, true.into())),
        Kind::Pattern { pattern } => return Some((ValueWord::Pattern, pattern.as_str().into())),
        Kind::Type { kind: TypeKind::Single(wanted) } => {
            return Some((ValueWord::Type, wanted.to_string().into()));
        }
        Kind::Type { kind: TypeKind::Multiple(_) } => ValueWord::Type,
        Kind::Maximum { .. }
        | Kind::Minimum { .. }
        | Kind::ExclusiveMaximum { .. }
        | Kind::ExclusiveMinimum { .. }
        | Kind::Constant { .. }
        | Kind::Enum { .. }
        | Kind::Custom { .. } => find_number_word(error, schema)?,
        _ => return None,
    };
    Some((word, schema.pointer(&keyword(error, schema))?.clone()))
}

fn find_number_word(error: &ValidationError<'_>, schema: &Json) -> Option<ValueWord> {
    let pointer = keyword(error, schema);
    let (around, name) = pointer.rsplit_once('/')?;
    let is_true =
        |word: &str| schema.pointer(&join(around, word)).and_then(Json::as_bool).unwrap_or_default();
    let (_, word) = NUMBER_WORDS.iter().find(|(known, _)| *known == name)?;
    // In draft 4, a bound may be exclusive by a keyword beside it.
    Some(match (*word)? {
        ValueWord::Maximum if is_true("exclusiveMaximum") => ValueWord::ExclusiveMaximum,
        ValueWord::Minimum if is_true("exclusiveMinimum") => ValueWord::ExclusiveMinimum,
        word => word,
    })
}

fn explain_kind(kind: &Kind, pointer: &str) -> Option<Explanation> {
    let name = named(pointer);
    Some(match kind {
        Kind::AdditionalItems { limit } => {
            explain_size(&name, "has more than", &(*limit).into(), "most", ITEMS)
        }
        Kind::Contains => {
            Explanation::new("no item is of the wanted kind", format!("add such an item to {name}"))
        }
        Kind::Format { format } => Explanation::new(
            format!("value is not a valid {format}"),
            format!("use a valid {format} for {name}"),
        ),
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            Explanation::new(format!("the name `{name}` is not allowed"), format!("leave out `{name}`"))
        }
        Kind::FalseSchema => explain_forbidden(pointer),
        _ => return None,
    })
}

/// Explains `multipleOf`, whose number the validator does not hold as it was written.
fn explain_multiple(error: &ValidationError<'_>, pointer: &str, schema: &Json) -> Option<Explanation> {
    let keyword = keyword(error, schema);
    let is_multiple = matches!(error.kind(), Kind::MultipleOf { .. } | Kind::Custom { .. });
    let unit = schema.pointer(&keyword).filter(|_| is_multiple && keyword.ends_with("/multipleOf"))?;
    let limit = shown(unit);
    let name = named(pointer);
    Some(Explanation::new(
        format!("value is not a multiple of {limit}"),
        format!("use a multiple of {limit} for {name}"),
    ))
}

fn explain_choice(error: &ValidationError<'_>, name: &str, schema: &Json) -> Option<Explanation> {
    Some(match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            // The alternatives name places below the value that this message has named.
            let around = error.instance_path().as_str();
            Explanation::new(
                format!("value fits none of {} alternatives", context.len()),
                list_alternatives(context, around, schema),
            )
        }
        Kind::OneOfMultipleValid { .. } => Explanation::new(
            "value fits several alternatives, not exactly one",
            format!("make {name} fit one alternative only"),
        ),
        Kind::Not { .. } => Explanation::new("value matches what `not` forbids", "use a value outside it"),
        _ => return None,
    })
}

/// Explains why each alternative rejects the value at `around`.
fn list_alternatives(context: &[Vec<ValidationError<'static>>], around: &str, schema: &Json) -> String {
    let shown = context.iter().take(SHOWN_ALTERNATIVES).enumerate().map(|(index, errors)| {
        let reasons = errors.iter().take(SHOWN_REASONS);
        let mut reasons: Vec<String> =
            reasons.map(|error| explain_alternative(error, around, schema)).collect();
        if errors.len() > SHOWN_REASONS {
            reasons.push(format!("{} more", errors.len() - SHOWN_REASONS));
        }
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
        _ => explain(error, at, schema).problem,
    };
    if below.is_empty() { problem } else { format!("{}: {problem}", named(below)) }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}
