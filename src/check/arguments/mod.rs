//! Matchers of arguments: a written value, or words such as `at_most` and `matches`.
//!
//! A mapping is a matcher if every key in it is a word of [`WORDS`]; any other value is compared as it is written.
//! Numbers compare as numbers (2 is 2.0), and types count (`true` is not 1, `7` is not `"7"`). Everything that compares
//! the arguments of a call uses [`ArgumentsMatcher`].

mod describe;
mod example;
mod ignored;
mod read;
mod relation;
mod test;
mod words;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

pub(crate) use ignored::IgnoredPaths;
pub(crate) use read::{
    ORDINARY_WORDS, RELATION_WORDS, ToolArguments, WORDS, is_matcher, read_arguments, read_value,
    refuse_relations,
};
use relation::Relation;
pub(crate) use relation::{CallContext, RunFacts};
use test::ValueTest;
pub(crate) use words::{MatcherWords, WrittenArgument, WrittenArguments};

use crate::JsonSchema;
use crate::json::{Json, JsonMap, JsonText};
use crate::outcome::{CannotDecide, UndecidedReason};
use crate::pattern::ToolPattern;
use crate::trace::{Arguments, Call};
use crate::yaml::nearest;

/// How the actual arguments relate to the written ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ArgumentsMode {
    /// The expected arguments, and no others.
    Exact,
    /// No arguments other than the expected ones; each of these may be absent.
    Subset,
    /// The expected arguments, and any others.
    Superset,
    /// Any arguments.
    Ignore,
}

impl ArgumentsMode {
    /// The word that users write.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Subset => "subset",
            Self::Superset => "superset",
            Self::Ignore => "ignore",
        }
    }
}

/// The requirements for the arguments of a call.
#[derive(Debug)]
pub(crate) struct ArgumentsMatcher {
    /// The written arguments, by name.
    pub(crate) written: Vec<(String, ArgumentMatcher)>,
    pub(crate) mode: ArgumentsMode,
    /// The value of an argument that a call leaves out.
    pub(crate) defaults: JsonMap,
}

/// One written argument.
#[derive(Debug)]
pub(crate) struct ArgumentMatcher {
    pub(crate) value: ValueMatcher,
    pub(crate) presence: Presence,
}

/// Whether an argument must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    Optional,
    Absent,
}

/// The requirement for a value.
#[derive(Debug)]
pub(crate) enum ValueMatcher {
    /// This value.
    Literal(Json),
    /// An object with these fields, of which some are matchers.
    Object(Vec<(String, ArgumentMatcher)>),
    /// A list of such values, in this order.
    List(Vec<ValueMatcher>),
    /// A value that passes all tests.
    Tests(Vec<ValueTest>),
}

/// One way in which the arguments of a call differ from the written ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ArgumentDifference {
    /// The name of the argument; `None` for the arguments as a whole.
    #[serde(rename = "argument")]
    pub(crate) name: Option<String>,
    /// The actual value; `None` if the argument is missing.
    #[serde(rename = "value")]
    pub(crate) actual: Option<Json>,
    /// The expected value, in words.
    pub(crate) expected: String,
}

impl ArgumentsMatcher {
    /// Compares the arguments of a call with the written ones.
    pub(crate) fn count_differences(
        &self,
        actual: &Arguments,
        context: CallContext<'_>,
    ) -> Result<ArgumentsFit, CannotDecide> {
        let mut fit = ArgumentsFit::default();
        if self.mode == ArgumentsMode::Ignore {
            return Ok(fit);
        }
        let Some(Json::Object(actual)) = actual.json() else {
            // Arguments that are no object differ as a whole.
            fit.differences = 1;
            return Ok(fit);
        };
        fit.differences = self.find_unexpected(actual).count();
        for (name, written) in &self.written {
            match self.accepts_written(name, written, actual, context) {
                Ok(is_accepted) => fit.differences += usize::from(!is_accepted),
                Err(doubt) if is_about_evidence(&doubt) => fit.doubt = fit.doubt.or(Some(doubt)),
                Err(error) => return Err(error),
            }
        }
        Ok(fit)
    }

    /// The tools whose results the arguments are compared with.
    pub(crate) fn list_related_tools(&self) -> Vec<&ToolPattern> {
        let mut tools = Vec::new();
        self.visit_relations(&mut |relation| tools.extend(relation.tool()));
        tools
    }

    /// Whether an argument is compared with something else in the run.
    pub(crate) fn has_relations(&self) -> bool {
        let mut has_relations = false;
        self.visit_relations(&mut |_| has_relations = true);
        has_relations
    }

    fn visit_relations<'m>(&'m self, visit: &mut dyn FnMut(&'m Relation)) {
        self.written.iter().for_each(|(_, written)| written.value.visit_relations(visit));
    }

    /// Returns all differences between the arguments of a call and the written ones.
    pub(crate) fn list_differences(
        &self,
        actual: &Arguments,
        context: CallContext<'_>,
    ) -> Result<Vec<ArgumentDifference>, CannotDecide> {
        if self.mode == ArgumentsMode::Ignore {
            return Ok(Vec::new());
        }
        let Some(Json::Object(actual)) = actual.json() else {
            let expected = "a JSON object".to_owned();
            let actual = Some(Json::String(actual.to_text().into()));
            return Ok(vec![ArgumentDifference { name: None, actual, expected }]);
        };
        let mut found = Vec::new();
        for (name, written) in &self.written {
            let is_accepted = match self.accepts_written(name, written, actual, context) {
                // What nobody knows is no difference.
                Err(doubt) if is_about_evidence(&doubt) => true,
                decided => decided?,
            };
            if !is_accepted {
                let name = Some(name.clone());
                let expected = written.describe_in(context);
                // Only the values of named arguments are shown; a pattern over all of them has no single value.
                let actual = name.as_ref().and_then(|name| self.find_value(name, actual)).cloned();
                found.push(ArgumentDifference { name, actual, expected });
            }
        }
        let unexpected = self.find_unexpected(actual).map(|(name, value)| ArgumentDifference {
            name: Some(name.to_string()),
            actual: Some(value.clone()),
            expected: "no such argument".to_owned(),
        });
        found.extend(unexpected);
        Ok(found)
    }

    /// Suggests the name that a written argument is a slip of: no call has the argument, and a call has one of nearly this
    /// name.
    pub(crate) fn suggest_name(&self, calls: &[&Call]) -> Option<String> {
        let passed = calls.iter().filter_map(|call| call.arguments.json()?.as_object());
        let passed: BTreeSet<&str> = passed.flat_map(|passed| passed.keys().map(JsonText::as_str)).collect();
        let is_written = |name: &str| self.written.iter().any(|(written, _)| written == name);
        self.written.iter().find_map(|(name, _)| {
            let unwritten = passed.iter().copied().filter(|passed| !is_written(passed));
            let near = if passed.contains(name.as_str()) { None } else { nearest(name, unwritten) };
            near.map(|near| format!("no call has the argument `{name}`: did you mean `{near}`?"))
        })
    }

    /// The value of an argument, or its default.
    fn find_value<'v>(&'v self, name: &str, actual: &'v JsonMap) -> Option<&'v Json> {
        actual.get(name).or_else(|| self.defaults.get(name))
    }

    fn accepts_written(
        &self,
        name: &str,
        written: &ArgumentMatcher,
        actual: &JsonMap,
        context: CallContext<'_>,
    ) -> Result<bool, CannotDecide> {
        match self.find_value(name, actual) {
            None if self.mode == ArgumentsMode::Subset => Ok(true),
            value => written.accepts(value, context),
        }
    }

    /// Finds the arguments that are not written, where others are not allowed. An argument with its default value is as
    /// good as omitted.
    fn find_unexpected<'v>(
        &'v self,
        actual: &'v JsonMap,
    ) -> impl Iterator<Item = (&'v JsonText<'static>, &'v Json)> {
        let is_closed = matches!(self.mode, ArgumentsMode::Exact | ArgumentsMode::Subset);
        actual.iter().filter(move |(name, value)| {
            is_closed
                && !self.written.iter().any(|(written, _)| written == *name)
                && !self.defaults.get(name).is_some_and(|default| default == *value)
        })
    }
}

/// The requirement for the result of a call.
#[derive(Debug)]
pub(crate) struct ResultMatcher {
    tests: Vec<ValueTest>,
}

impl ResultMatcher {
    /// Whether `result` is accepted. A path alone accepts a result in which it selects anything but `null` and `false`.
    pub(crate) fn accepts(&self, result: &Json) -> Result<bool, CannotDecide> {
        if let [ValueTest::Path(path, others)] = self.tests.as_slice()
            && others.is_empty()
        {
            let is_set = |value: &&Json| !matches!(value, Json::Null | Json::Bool(false));
            return Ok(path.select(result).iter().any(is_set));
        }
        accept_all(&self.tests, |test| test.accepts(result, CallContext::none()))
    }
}

impl ArgumentMatcher {
    /// Whether the argument is accepted with this value, or as missing.
    pub(crate) fn accepts(
        &self,
        value: Option<&Json>,
        context: CallContext<'_>,
    ) -> Result<bool, CannotDecide> {
        match (value, self.presence) {
            (None, presence) => Ok(presence != Presence::Required),
            (Some(_), Presence::Absent) => Ok(false),
            (Some(value), _) => self.value.accepts(value, context),
        }
    }
}

impl ValueMatcher {
    /// Whether `value` is accepted.
    pub(crate) fn accepts(&self, value: &Json, context: CallContext<'_>) -> Result<bool, CannotDecide> {
        match (self, value) {
            (Self::Literal(literal), value) => Ok(literal == value),
            (Self::Tests(tests), value) => accept_all(tests, |test| test.accepts(value, context)),
            (Self::List(matchers), Json::Array(values)) if matchers.len() == values.len() => {
                accept_all(matchers.iter().zip(values), |(matcher, value)| matcher.accepts(value, context))
            }
            (Self::Object(fields), Json::Object(values)) => {
                // A nested mapping is exact, as a written value is: an entry that nobody wrote makes it another
                // value.
                if !values.keys().all(|name| fields.iter().any(|(field, _)| field == name)) {
                    return Ok(false);
                }
                accept_all(fields, |(name, field)| field.accepts(values.get(name), context))
            }
            _ => Ok(false),
        }
    }

    fn visit_relations<'m>(&'m self, visit: &mut dyn FnMut(&'m Relation)) {
        match self {
            Self::Literal(_) => {}
            Self::Object(fields) => fields.iter().for_each(|(_, field)| field.value.visit_relations(visit)),
            Self::List(values) => values.iter().for_each(|value| value.visit_relations(visit)),
            Self::Tests(tests) => tests.iter().for_each(|test| test.visit_relations(visit)),
        }
    }
}

/// How the arguments of a call fit the written ones.
#[derive(Debug, Default)]
pub(crate) struct ArgumentsFit {
    /// The number of differences.
    pub(crate) differences: usize,
    /// Why it is not known whether a further argument differs.
    pub(crate) doubt: Option<CannotDecide>,
}

/// Whether the evidence is silent. An exhausted budget is another matter: it says nothing about the run.
fn is_about_evidence(doubt: &CannotDecide) -> bool {
    matches!(doubt.reason, UndecidedReason::MissingEvidence(_))
}

/// Whether all of `tests` accept. One that refuses decides, whatever is not known of the others.
fn accept_all<T>(
    tests: impl IntoIterator<Item = T>,
    accepts: impl FnMut(T) -> Result<bool, CannotDecide>,
) -> Result<bool, CannotDecide> {
    decide_by(tests, accepts, false)
}

/// Whether `accepts` one of `values`. One that is accepted decides, whatever is not known of the others.
pub(crate) fn accept_any<T>(
    values: impl IntoIterator<Item = T>,
    accepts: impl FnMut(T) -> Result<bool, CannotDecide>,
) -> Result<bool, CannotDecide> {
    decide_by(values, accepts, true)
}

/// Stops at the first answer that is `decisive`. Without one, the answer is unknown if one of them is.
fn decide_by<T>(
    values: impl IntoIterator<Item = T>,
    accepts: impl FnMut(T) -> Result<bool, CannotDecide>,
    decisive: bool,
) -> Result<bool, CannotDecide> {
    let mut doubt = None;
    for answer in values.into_iter().map(accepts) {
        match answer {
            Ok(answer) if answer == decisive => return Ok(decisive),
            Ok(_) => {}
            Err(missing) if is_about_evidence(&missing) => doubt = doubt.or(Some(missing)),
            Err(error) => return Err(error),
        }
    }
    doubt.map_or(Ok(!decisive), Err)
}
