//! The words of a matcher, as tests of one value.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::relation::Relation;
use super::{CallContext, ValueMatcher, accept_all, accept_any};
use crate::JsonSchema;
use crate::check::json_schema::Schema;
use crate::check::support::js_pattern::exhausted;
use crate::json::{Json, JsonNumber};
use crate::outcome::CannotDecide;
use crate::pattern::{JsRegex, JsonPath};

/// The longest text, in characters, that `similar` compares: the cost grows with the square of the length.
const MAX_SIMILAR_CHARS: usize = 20_000;

/// One test of a value.
#[derive(Debug)]
pub(crate) enum ValueTest {
    /// One of these values.
    Any(Vec<ValueMatcher>),
    /// This value.
    Equals(Json),
    /// A number within a bound.
    Bound(Bound, JsonNumber<'static>),
    /// A text in which the pattern is found.
    Matches(JsRegex),
    /// A text with this part, or a list with such an element.
    Contains(ValueMatcher),
    /// A text with this beginning.
    StartsWith(String),
    /// A value of one of these types.
    Type(Vec<JsonType>),
    /// A value that satisfies the schema.
    Schema(Box<Schema>),
    /// A text, list or object whose length passes all tests.
    Length(Vec<ValueTest>),
    /// The path selects a value that passes all tests.
    Path(JsonPath, Vec<ValueTest>),
    /// A text with this share of equal characters.
    Similar { to: String, at_least: f64 },
    /// A value from elsewhere in the run.
    From(Relation),
}

/// The side of a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    AtLeast,
    AtMost,
    Above,
    Below,
}

/// A type of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "json_type")]
#[serde(rename_all = "snake_case")]
pub(crate) enum JsonType {
    /// A text.
    String,
    /// A number.
    Number,
    /// A number without a fraction: 2, 2.0.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A list.
    Array,
    /// A mapping.
    Object,
    /// `null`.
    Null,
}

impl ValueTest {
    /// Whether `value` passes.
    pub(crate) fn accepts(&self, value: &Json, context: CallContext<'_>) -> Result<bool, CannotDecide> {
        match self {
            Self::Any(values) => accept_any(values, |matcher| matcher.accepts(value, context)),
            Self::Equals(wanted) => Ok(wanted == value),
            Self::Bound(bound, limit) => Ok(value.as_number().is_some_and(|it| bound.admits(it, limit))),
            Self::Matches(pattern) => match value {
                Json::String(text) => pattern.is_match(text).map_err(|_| exhausted(pattern)),
                _ => Ok(false),
            },
            Self::Contains(part) => has_part(value, part, context),
            Self::StartsWith(start) => Ok(value.as_str().is_some_and(|text| text.starts_with(start))),
            Self::Type(types) => Ok(types.iter().any(|one| one.includes(value))),
            Self::Schema(schema) => Ok(schema.faults(value, "field")?.is_empty()),
            Self::Length(tests) => match measure_length(value) {
                Some(length) => accept_all(tests, |test| test.accepts(&length.into(), context)),
                None => Ok(false),
            },
            Self::Path(path, tests) => accept_any(path.select(value), |selected| {
                accept_all(tests, |test| test.accepts(selected, context))
            }),
            Self::Similar { to, at_least } => match value {
                Json::String(text) => Ok(measure_similarity(text, to)? >= *at_least),
                _ => Ok(false),
            },
            Self::From(relation) => context.relates(value, relation),
        }
    }

    pub(super) fn visit_relations<'t>(&'t self, visit: &mut dyn FnMut(&'t Relation)) {
        match self {
            Self::Any(values) => values.iter().for_each(|value| value.visit_relations(visit)),
            Self::Contains(part) => part.visit_relations(visit),
            Self::Path(_, tests) => tests.iter().for_each(|test| test.visit_relations(visit)),
            Self::From(relation) => visit(relation),
            _ => {}
        }
    }
}

fn has_part(value: &Json, part: &ValueMatcher, context: CallContext<'_>) -> Result<bool, CannotDecide> {
    match (value, part) {
        (Json::String(text), ValueMatcher::Literal(Json::String(part))) => Ok(text.contains(part.as_str())),
        (Json::Array(elements), part) => accept_any(elements, |element| part.accepts(element, context)),
        _ => Ok(false),
    }
}

fn measure_length(value: &Json) -> Option<usize> {
    match value {
        Json::String(text) => Some(text.chars().count()),
        Json::Array(elements) => Some(elements.len()),
        Json::Object(fields) => Some(fields.len()),
        _ => None,
    }
}

/// Returns 1 minus the number of edits between the texts, as a share of the longer one's length.
fn measure_similarity(text: &str, to: &str) -> Result<f64, CannotDecide> {
    let is_long = [text, to].iter().any(|text| text.chars().nth(MAX_SIMILAR_CHARS).is_some());
    if is_long {
        let why = format!("`similar` compares texts of at most {MAX_SIMILAR_CHARS} characters");
        return Err(CannotDecide::budget_exceeded(why));
    }
    Ok(strsim::normalized_levenshtein(text, to))
}

impl Bound {
    fn admits(self, value: &JsonNumber, limit: &JsonNumber) -> bool {
        match self {
            Self::AtLeast => value >= limit,
            Self::AtMost => value <= limit,
            Self::Above => value > limit,
            Self::Below => value < limit,
        }
    }
}

impl JsonType {
    fn includes(self, value: &Json) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => is_integer(value),
            Self::Boolean => value.is_boolean(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
            Self::Null => value.is_null(),
        }
    }
}

/// The word that users write.
impl fmt::Display for JsonType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

fn is_integer(value: &Json) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}
