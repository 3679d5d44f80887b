//! Numbers that 64 bits do not hold, in a schema or in a value: the keywords that compare numbers do so by their digits.
//!
//! The validator's schemas hold floats. So where a schema or a value has such a number, these keywords are ours, which look
//! their number up in the schema as it was written.

use jsonschema::{Keyword, ValidationError};
use serde_json::Value;

use super::super::plain::{ValueDemand, ValueWord};
use super::instance::Instance;
use crate::json::{Json, JsonNumber};

/// The message about a number that cannot be compared by its digits.
pub(super) const NOT_COMPARED: &str = "the number cannot be compared by its digits";

/// The keywords that compare numbers. Each is the demand of a plain word, except `multipleOf`, which is `None`.
pub(super) const NUMBER_WORDS: [(&str, Option<ValueWord>); 7] = [
    ("const", Some(ValueWord::Const)),
    ("enum", Some(ValueWord::Enum)),
    ("maximum", Some(ValueWord::Maximum)),
    ("minimum", Some(ValueWord::Minimum)),
    ("exclusiveMaximum", Some(ValueWord::ExclusiveMaximum)),
    ("exclusiveMinimum", Some(ValueWord::ExclusiveMinimum)),
    ("multipleOf", None),
];

/// Whether a number in `value` is one that 64 bits do not hold.
pub(super) fn has_wide_number(value: &Json) -> bool {
    match value {
        Json::Number(number) => !number.fits_64_bits(),
        Json::Array(items) => items.iter().any(has_wide_number),
        Json::Object(object) => object.values().any(has_wide_number),
        _ => false,
    }
}

/// A keyword and what it compares with.
pub(super) enum ExactKeyword {
    Value(ValueDemand),
    MultipleOf(JsonNumber<'static>),
    /// The keyword has no number: in draft 4, `exclusiveMaximum: true` belongs to the bound beside it.
    Anything,
    /// The number as it was written cannot be found.
    Unknown,
}

impl ExactKeyword {
    /// Builds the keyword `name` of the schema object `parent`. `value` is its value as the validator has it, and `pointer` its
    /// place, from which it is found in `schema`.
    pub(super) fn new(
        word: Option<ValueWord>,
        name: &str,
        parent: &serde_json::Map<String, Value>,
        value: &Value,
        schema: &Json,
        pointer: &str,
    ) -> Self {
        let Some(wanted) = find_written(schema, name, pointer, value) else { return Self::Unknown };
        let is_true = |word: &str| parent.get(word).and_then(Value::as_bool).unwrap_or_default();
        let demand = match word {
            None => wanted.as_number().map(|unit| Self::MultipleOf(unit.clone())),
            Some(word) => {
                let word = match word {
                    ValueWord::Maximum if is_true("exclusiveMaximum") => ValueWord::ExclusiveMaximum,
                    ValueWord::Minimum if is_true("exclusiveMinimum") => ValueWord::ExclusiveMinimum,
                    word => word,
                };
                ValueDemand::of_comparison(word, &wanted).map(Self::Value)
            }
        };
        demand.unwrap_or(Self::Anything)
    }

    /// Whether `value` keeps to the keyword; `None` if that cannot be told.
    fn admits(&self, value: &Json) -> Option<bool> {
        match self {
            Self::Value(demand) => Some(demand.admits(value)),
            Self::MultipleOf(unit) => match value {
                Json::Number(number) => number.is_multiple_of(unit),
                _ => Some(true),
            },
            Self::Anything => Some(true),
            Self::Unknown => None,
        }
    }
}

impl<'i> Keyword<'i, Instance> for ExactKeyword {
    fn validate(&self, value: &'i Json) -> Result<(), ValidationError<'i>> {
        match self.admits(value) {
            Some(true) => Ok(()),
            Some(false) => Err(ValidationError::custom("the number does not fit")),
            None => Err(ValidationError::custom(NOT_COMPARED)),
        }
    }

    fn is_valid(&self, value: &'i Json) -> bool {
        self.admits(value) == Some(true)
    }
}

/// Finds the value of a keyword in the schema as it was written. The validator counts some places from the target of a `$ref`,
/// so the place alone does not tell it.
fn find_written(schema: &Json, name: &str, pointer: &str, value: &Value) -> Option<Json> {
    if !has_wide_number(schema) {
        return Some(value.into());
    }
    let mut written = Vec::new();
    collect_values(schema, name, value, &mut written);
    match written.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => Some((*first).clone()),
        _ => schema.pointer(pointer).filter(|found| written.contains(found)).cloned(),
    }
}

/// Collects the values of the keyword `name` that are `value` to the validator.
fn collect_values<'s>(schema: &'s Json, name: &str, value: &Value, written: &mut Vec<&'s Json>) {
    match schema {
        Json::Array(items) => items.iter().for_each(|item| collect_values(item, name, value, written)),
        Json::Object(object) => {
            written.extend(object.get(name).filter(|found| Value::from(*found) == *value));
            object.values().for_each(|inner| collect_values(inner, name, value, written));
        }
        _ => {}
    }
}
