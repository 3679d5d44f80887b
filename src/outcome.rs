//! The outcome of a check: items, violations, and a score with the reasons for lost points.
//!
//! All types are plain data. The engine adds the check's name and the places, so that reports need not know any check.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::place::{Location, Place};
use crate::trace::Call;

/// A share between 0 and 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Score(#[cfg_attr(test, schemars(range(min = 0, max = 1)))] f64);

impl Score {
    /// The full score, 1.
    pub const FULL: Score = Score(1.0);
    /// The lowest score, 0.
    pub const ZERO: Score = Score(0.0);

    /// Creates a score from `value`, clamped to 0..=1. NaN is 0.
    pub fn new(value: f64) -> Self {
        if value.is_nan() { Self::ZERO } else { Self(value.clamp(0.0, 1.0)) }
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Whether `score` reaches `least`, with a tolerance for rounding errors: as floats, 0.4 + 0.3 + 0.2 + 0.1 is
/// 0.9999999999999999. All thresholds use this function.
pub fn reaches(score: f64, least: f64) -> bool {
    const EPSILON: f64 = 1e-9;
    score + EPSILON >= least
}

/// The result of a check or of a whole case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything required holds.
    Pass,
    /// The evidence does not contain what a check needs.
    Undecided,
    /// Something is violated.
    Fail,
    /// The evaluation failed: no trace, no budget, a panic.
    Error,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Pass => "pass",
            Self::Undecided => "undecided",
            Self::Fail => "fail",
            Self::Error => "error",
        })
    }
}

/// The state of one call, rule or assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It was tested and holds.
    Held,
    /// It was tested and does not hold.
    Violated,
    /// It was not tested, because its trigger did not occur.
    NotExercised,
    /// It could not be decided.
    Open,
}

/// One call, rule or assertion that a check examined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Item {
    /// The name of the item: `rule 2: before`, `call 3: refund`.
    pub label: String,
    /// The state of the item.
    pub state: State,
    /// A note for the reader of a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Item {
    /// Creates an item in `state`.
    pub fn new(label: impl Into<String>, state: State) -> Self {
        Self { label: label.into(), state, note: None }
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// One thing that is wrong with a run.
///
/// A check builds a `Violation` in which `at` is a JSON pointer into the check's settings. The engine resolves the pointer
/// and builds a [`LocatedViolation`]. Fields that do not apply stay empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "Violation", bound = "At: schemars::JsonSchema + Default + Serialize")
)]
#[serde(default)]
#[non_exhaustive]
pub struct Violation<At = String> {
    /// The violated claim, as one sentence without a full stop: "`refund` was called without `authenticate` before it".
    pub message: String,
    /// The place of the violated setting in the case's file. While a check runs, a JSON pointer into the settings, empty for
    /// the settings as a whole.
    pub at: At,
    /// Whether the setting is outside of the case, in the defaults of its suite. The engine sets this field.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
    /// The rule's number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<usize>,
    /// The tool concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The call concerned: its index, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
    /// The id of that call in the trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// All calls concerned, from 1, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<usize>,
    /// The argument concerned: its name at the top level, a JSON pointer below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The value found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// The violated constraint, as in the policy: `max: 30`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<String>,
    /// The policy's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The line of the constraint in the policy, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_line: Option<usize>,
    /// The full location of the constraint in the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_at: Option<Location>,
    /// The expected value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// The actual value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// A [`Violation`] in a verdict: `at` is a location in the case's file.
pub type LocatedViolation = Violation<Location>;

impl Violation {
    /// Returns a violation with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Returns a violation with this message about `call`.
    pub fn of_call(call: &Call, message: impl Into<String>) -> Self {
        Self {
            tool: Some(call.name.clone()),
            call: Some(call.index),
            call_id: call.id.clone(),
            ..Self::new(mention_written_name(message.into(), call))
        }
    }

    /// Points at a part of the settings.
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.at = pointer.into();
        self
    }

    /// Says what to do.
    pub fn help(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Names the argument that is wrong, and its value.
    pub fn argument(mut self, name: impl Into<String>, value: serde_json::Value) -> Self {
        (self.argument, self.value) = (Some(name.into()), Some(value));
        self
    }

    /// Sets the expected and the actual value.
    pub fn expected(mut self, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.actual = Some(actual.into());
        self
    }

    /// Cites the place of the constraint in a policy file.
    pub fn cite_policy(mut self, constraint: &Place) -> Self {
        let location = constraint.locate();
        self.policy = Some(location.file.clone());
        self.policy_line = Some(location.line);
        self.policy_at = Some(location);
        self
    }

    /// Replaces the pointer with the place in the case's file that it leads to.
    pub fn resolve(self, at: Location) -> LocatedViolation {
        Violation {
            at,
            message: self.message,
            shared: self.shared,
            rule: self.rule,
            tool: self.tool,
            call: self.call,
            call_id: self.call_id,
            calls: self.calls,
            argument: self.argument,
            value: self.value,
            constraint: self.constraint,
            policy: self.policy,
            policy_line: self.policy_line,
            policy_at: self.policy_at,
            expected: self.expected,
            actual: self.actual,
            suggestion: self.suggestion,
        }
    }
}

/// Puts the name that the host wrote behind the first mention of the tool, if the host wrote another one.
fn mention_written_name(message: String, call: &Call) -> String {
    let Some(written) = &call.written else { return message };
    let name = format!("`{}`", call.name);
    message.replacen(&name, &format!("{name} (`{written}`)"), 1)
}

/// Lost points and the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Loss {
    /// The lost share of the score, in 0..=1.
    pub points: f64,
    /// The reason.
    pub why: String,
}

impl Loss {
    /// Creates a loss of `points` (0 to 1) with its reason.
    pub fn new(points: f64, why: impl Into<String>) -> Self {
        Self { points, why: why.into() }
    }
}

/// The outcome of a check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// The share of the tested items that hold; 1 if nothing was tested.
    pub score: Score,
    /// The calls, rules or assertions that were examined.
    pub items: Vec<Item>,
    /// The violations. The check holds if and only if there are none.
    pub violations: Vec<Violation>,
    /// The lost points, with reasons. They add up to 1 - score.
    pub losses: Vec<Loss>,
    /// Counts for reports, such as `calls_checked`.
    pub stats: BTreeMap<String, u64>,
    /// Values extracted from the evidence, by name.
    pub values: BTreeMap<String, serde_json::Value>,
}

impl Outcome {
    /// Creates an outcome in which the score is the share of held items among the tested ones.
    pub fn of_items(items: Vec<Item>, violations: Vec<Violation>) -> Self {
        let [held, violated] = [State::Held, State::Violated]
            .map(|state| count_to_f64(items.iter().filter(|item| item.state == state).count()));
        // Items that were not exercised, or are open, count neither for nor against.
        let points = 1.0 / (held + violated).max(1.0);
        let lost = items.iter().filter(|item| item.state == State::Violated);
        let losses = lost.map(|item| Loss { points, why: item.label.clone() }).collect();
        let score = if violated == 0.0 { Score::FULL } else { Score::new(held / (held + violated)) };
        Self { score, items, violations, losses, stats: BTreeMap::new(), values: BTreeMap::new() }
    }

    /// Adds a value extracted from the evidence.
    pub fn value(mut self, name: &str, value: serde_json::Value) -> Self {
        self.values.insert(name.to_owned(), value);
        self
    }

    /// Adds a count for reports.
    pub fn stat(mut self, name: &str, value: usize) -> Self {
        self.stats.insert(name.to_owned(), value as u64);
        self
    }
}

/// Converts a count to a float: exact below 4 billion, which no trace reaches.
pub(crate) fn count_to_f64(count: usize) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

/// Creates the outcome of a check with at most one violation.
impl From<Option<Violation>> for Outcome {
    fn from(violation: Option<Violation>) -> Self {
        let score = if violation.is_none() { Score::FULL } else { Score::ZERO };
        let losses = violation.iter().map(|violation| Loss { points: 1.0, why: violation.message.clone() });
        Self {
            score,
            items: Vec::new(),
            losses: losses.collect(),
            violations: violation.into_iter().collect(),
            stats: BTreeMap::new(),
            values: BTreeMap::new(),
        }
    }
}

/// Why a check cannot answer. The trial does not pass.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Unfit {
    /// The reason.
    pub reason: UnfitReason,
    /// The violations found before the check gave up.
    pub violations: Vec<Violation>,
    /// What to do about it.
    pub help: Option<String>,
}

/// The reason why a check cannot answer, with a sentence for the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnfitReason {
    /// The evidence does not contain what the check needs: the trial is `undecided`.
    MissingEvidence(String),
    /// The evidence contradicts itself or is impossible, such as a negative cost: the trial is an `error`.
    InvalidEvidence(String),
    /// The check ran out of its budget of steps: the trial is an `error`.
    BudgetExceeded(String),
}

impl Unfit {
    /// The evidence does not contain `what`.
    pub fn missing(what: impl Into<String>) -> Self {
        Self::from(UnfitReason::MissingEvidence(what.into()))
    }

    /// The evidence is wrong in itself, as `what` says: a negative cost, an opinion in a form that was not asked for.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::from(UnfitReason::InvalidEvidence(what.into()))
    }

    /// The check ran out of its budget, as `what` says.
    pub fn budget_exceeded(what: impl Into<String>) -> Self {
        Self::from(UnfitReason::BudgetExceeded(what.into()))
    }

    /// Says what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<UnfitReason> for Unfit {
    fn from(reason: UnfitReason) -> Self {
        Self { reason, violations: Vec::new(), help: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_add_up_to_what_is_missing_from_the_score() {
        let states = [State::Held, State::Violated, State::NotExercised, State::Violated, State::Held];
        let items = states.iter().map(|state| Item::new("rule", *state)).collect();
        let outcome = Outcome::of_items(items, vec![Violation::new("x")]);
        let lost: f64 = outcome.losses.iter().map(|loss| loss.points).sum();
        assert!((outcome.score.get() - 0.5).abs() < 1e-12 && (lost - 0.5).abs() < 1e-12);
    }

    #[test]
    fn nothing_tested_loses_nothing() {
        let outcome = Outcome::of_items(vec![Item::new("rule", State::NotExercised)], Vec::new());
        assert_eq!((outcome.score, outcome.losses.len()), (Score::FULL, 0));
    }
}
