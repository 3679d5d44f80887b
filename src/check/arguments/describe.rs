//! Matchers in words, for the texts that users read.

use std::fmt;

use super::test::{Bound, ValueTest};
use super::{ArgumentMatcher, CallContext, Presence, ValueMatcher};
use crate::check::support::answer_json::shown;

impl fmt::Display for ArgumentMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.presence {
            Presence::Required => write!(f, "{}", self.value),
            Presence::Optional => write!(f, "{}, or none", self.value),
            Presence::Absent => f.write_str("no such argument"),
        }
    }
}

impl ArgumentMatcher {
    /// The matcher in words, with what the run has where a value should come from.
    pub(super) fn describe_in(&self, context: CallContext<'_>) -> String {
        let ValueMatcher::Tests(tests) = &self.value else { return self.to_string() };
        let mut sources = tests.iter().filter_map(|test| match test {
            ValueTest::From(relation) => context.describe_source(relation),
            _ => None,
        });
        match sources.next() {
            Some(source) => format!("{self} ({source})"),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for ValueMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(value) => f.write_str(&shown(value)),
            Self::Object(fields) => {
                let fields = fields.iter().map(|(name, field)| format!("{name}: {field}"));
                write!(f, "{{{}}}", join_words(fields, ", "))
            }
            Self::List(values) => write!(f, "[{}]", join_words(values, ", ")),
            Self::Tests(tests) if tests.is_empty() => f.write_str("any value"),
            Self::Tests(tests) => f.write_str(&join_words(tests, " and ")),
        }
    }
}

impl fmt::Display for ValueTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any(values) => write!(f, "one of {}", join_words(values, ", ")),
            Self::Equals(value) => f.write_str(&shown(value)),
            Self::Bound(bound, limit) => write!(f, "{} {limit}", bound.words()),
            Self::Matches(pattern) => write!(f, "a text that matches {pattern}"),
            Self::Contains(part) => write!(f, "a value that contains {part}"),
            Self::StartsWith(start) => write!(f, "a text that starts with {start:?}"),
            Self::Type(types) => {
                write!(f, "a value of type {}", join_words(types, " or "))
            }
            Self::Schema(_) => f.write_str("a value of the schema"),
            Self::Length(tests) => write!(f, "a length of {}", join_words(tests, " and ")),
            Self::Path(path, tests) if tests.is_empty() => write!(f, "something at `{path}`"),
            Self::Path(path, tests) => write!(f, "{} at `{path}`", join_words(tests, " and ")),
            Self::Similar { to, at_least } => write!(f, "a text similar to {to:?} ({at_least} or more)"),
            Self::From(relation) => write!(f, "{relation}"),
        }
    }
}

impl Bound {
    fn words(self) -> &'static str {
        match self {
            Self::AtLeast => "at least",
            Self::AtMost => "at most",
            Self::Above => "above",
            Self::Below => "below",
        }
    }
}

fn join_words<T: fmt::Display>(values: impl IntoIterator<Item = T>, between: &str) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(between)
}
