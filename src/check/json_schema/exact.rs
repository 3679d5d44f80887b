//! Numbers that 64 bits do not hold, in a schema or in a value: the keywords that compare numbers do so by their digits.
//!
//! The validator's schemas hold floats. So where a schema or a value has such a number, these keywords are ours, which look
//! their number up in the schema as it was written.

use jsonschema::{Keyword, ValidationError};
use serde_json::Value;

use super::instance::Instance;
use crate::json::{Json, JsonNumber};

/// The message about a number that cannot be compared by its digits.
pub(crate) const NOT_COMPARED: &str = "the number cannot be compared by its digits";

/// The keywords that compare numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberWord {
    Const,
    Enum,
    Maximum,
    Minimum,
    ExclusiveMaximum,
    ExclusiveMinimum,
    MultipleOf,
}

impl NumberWord {
    pub(crate) const ALL: [(&str, Self); 7] = [
        ("const", Self::Const),
        ("enum", Self::Enum),
        ("maximum", Self::Maximum),
        ("minimum", Self::Minimum),
        ("exclusiveMaximum", Self::ExclusiveMaximum),
        ("exclusiveMinimum", Self::ExclusiveMinimum),
        ("multipleOf", Self::MultipleOf),
    ];

    /// Returns the keyword called `name`.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, word)| *word)
    }
}

/// Whether a number in `value` is one that 64 bits do not hold.
pub(crate) fn has_wide_number(value: &Json) -> bool {
    match value {
        Json::Number(number) => !number.fits_64_bits(),
        Json::Array(items) => items.iter().any(has_wide_number),
        Json::Object(object) => object.values().any(has_wide_number),
        _ => false,
    }
}

/// A keyword and what it compares with.
pub(crate) struct ExactKeyword {
    word: NumberWord,
    /// The value as it was written; `None` if it cannot be told.
    wanted: Option<Json>,
    /// In draft 4, a bound may be exclusive by a keyword beside it.
    is_exclusive: bool,
}

impl ExactKeyword {
    /// Builds the keyword `name` of the schema object `parent`. `value` is its value as the validator has it, and `pointer` its
    /// place, from which it is found in `schema`.
    pub(crate) fn new(
        word: NumberWord,
        name: &str,
        parent: &serde_json::Map<String, Value>,
        value: &Value,
        schema: &Json,
        pointer: &str,
    ) -> Self {
        let exclusive = match word {
            NumberWord::Maximum => "exclusiveMaximum",
            NumberWord::Minimum => "exclusiveMinimum",
            _ => "",
        };
        let is_exclusive = parent.get(exclusive).and_then(Value::as_bool).unwrap_or_default();
        Self { word, wanted: find_written(schema, name, pointer, value), is_exclusive }
    }

    /// Whether `value` keeps to the keyword; `None` if that cannot be told.
    fn admits(&self, value: &Json) -> Option<bool> {
        let wanted = self.wanted.as_ref()?;
        let bound = |holds: fn(&JsonNumber, &JsonNumber) -> bool| match (value, wanted) {
            (Json::Number(number), Json::Number(limit)) => {
                holds(number, limit) && !(self.is_exclusive && number == limit)
            }
            _ => true,
        };
        Some(match self.word {
            NumberWord::Const => value == wanted,
            NumberWord::Enum => wanted.as_array().is_none_or(|options| options.contains(value)),
            NumberWord::Maximum => bound(|number, limit| number <= limit),
            NumberWord::Minimum => bound(|number, limit| number >= limit),
            NumberWord::ExclusiveMaximum => bound(|number, limit| number < limit),
            NumberWord::ExclusiveMinimum => bound(|number, limit| number > limit),
            NumberWord::MultipleOf => match (value, wanted) {
                (Json::Number(number), Json::Number(unit)) => number.is_multiple_of(unit)?,
                _ => true,
            },
        })
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
