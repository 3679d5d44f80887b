//! Values that a matcher accepts, for counterexamples. Whoever uses one lets the matcher itself look at it.

use super::test::{Bound, JsonType, ValueTest};
use super::{ArgumentMatcher, ArgumentsMatcher, CallContext, Presence, ValueMatcher};
use crate::json::{Json, JsonMap, JsonNumber, json};
use crate::pattern::find_example;
use crate::trace::Arguments;

impl ArgumentsMatcher {
    /// Returns arguments that are likely to be accepted.
    pub(crate) fn example(&self) -> Option<Arguments> {
        build_object(&self.written).map(Arguments::Json)
    }
}

fn build_object(fields: &[(String, ArgumentMatcher)]) -> Option<Json> {
    let wanted = fields.iter().filter(|(_, field)| field.presence == Presence::Required);
    let built: Option<JsonMap> =
        wanted.map(|(name, field)| Some((name.clone(), field.value.example()?))).collect();
    built.map(Json::Object)
}

impl ValueMatcher {
    pub(crate) fn example(&self) -> Option<Json> {
        match self {
            Self::Literal(value) => Some(value.clone()),
            Self::Object(fields) => build_object(fields),
            Self::List(values) => values.iter().map(Self::example).collect(),
            Self::Tests(tests) => {
                let candidates = tests.iter().filter_map(ValueTest::example).chain([json!("x"), json!(1)]);
                candidates.into_iter().find(|value| self.accepts(value, CallContext::none()).unwrap_or(false))
            }
        }
    }
}

impl ValueTest {
    fn example(&self) -> Option<Json> {
        match self {
            Self::Any(values) => values.iter().find_map(ValueMatcher::example),
            Self::Equals(value) => Some(value.clone()),
            Self::Bound(bound, limit) => step_beside(*bound, limit),
            Self::Matches(pattern) => find_example(pattern.as_str()).map(Json::from),
            Self::Contains(part) => match part.example()? {
                text @ Json::String(_) => Some(text),
                element => Some(json!([element])),
            },
            Self::StartsWith(start) => Some(json!(start)),
            Self::Type(types) => types.first().map(|one| one.example()),
            Self::Length(tests) => {
                let lengths = tests.iter().filter_map(Self::example).filter_map(|length| length.as_u64());
                lengths
                    // A length of many items would make the counterexample unreadable.
                    .filter(|length| *length < 1000)
                    .map(|length| json!(vec!["x"; usize::try_from(length).unwrap_or(0)]))
                    .next()
            }
            Self::Schema(_) | Self::Path(..) | Self::From(_) => None,
            Self::Similar { to, .. } => Some(json!(to)),
        }
    }
}

/// A number on the right side of a limit.
fn step_beside(bound: Bound, limit: &JsonNumber<'static>) -> Option<Json> {
    let step = match bound {
        Bound::AtLeast | Bound::AtMost => return Some(Json::Number(limit.clone())),
        Bound::Above => 1,
        Bound::Below => -1,
    };
    match limit.as_i64() {
        Some(whole) => whole.checked_add(step).map(Json::from),
        None => limit.as_f64().map(|float| json!(float + f64::from(i32::try_from(step).unwrap_or(0)))),
    }
}

impl JsonType {
    fn example(self) -> Json {
        match self {
            Self::String => json!("x"),
            Self::Number | Self::Integer => json!(1),
            Self::Boolean => json!(true),
            Self::Array => json!([]),
            Self::Object => json!({}),
            Self::Null => Json::Null,
        }
    }
}
