//! What a check found: items, violations, and a score whose loss is accounted for.
//!
//! All of it is plain data. The engine adds the check's name and the places; a report needs to know no check.

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
    /// All of it.
    pub const FULL: Score = Score(1.0);
    /// Nothing.
    pub const ZERO: Score = Score(0.0);

    /// `value` held to 0..=1; not a number is 0.
    pub fn new(value: f64) -> Self {
        if value.is_nan() { Self::ZERO } else { Self(value.clamp(0.0, 1.0)) }
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Whether `score` reaches `least`, but for what adding weights loses in binary fractions: 0.4 + 0.3 + 0.2 + 0.1 is
/// 0.9999999999999999. Every threshold is held by this.
pub fn reaches(score: f64, least: f64) -> bool {
    const EPSILON: f64 = 1e-9;
    score + EPSILON >= least
}

/// How a check, or a whole case, ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(any(test, feature = "schema"), derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything asked for holds.
    Pass,
    /// The evidence is silent on something that was asked.
    Undecided,
    /// Something is violated.
    Fail,
    /// No answer could be had: no trace, no budget, a panic.
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

/// How one call, rule or assertion stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It was put to the test and holds.
    Held,
    /// It was put to the test and does not hold.
    Violated,
    /// Its trigger never came: nothing was tested.
    NotExercised,
    /// It could not be decided.
    Open,
}

/// One call, rule or assertion that a check looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Item {
    /// What it is: `rule 2: before`, `call 3: refund`.
    pub label: String,
    /// How it stands.
    pub state: State,
    /// A remark for the reader of a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Item {
    /// An item in `state`.
    pub fn new(label: impl Into<String>, state: State) -> Self {
        Self { label: label.into(), state, note: None }
    }

    /// Adds a remark.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// One thing that is wrong with a run.
///
/// A check builds a `Violation`, whose `at` is a JSON pointer into the check's settings. The engine resolves the pointer
/// and makes a [`LocatedViolation`] of it. All fields but `message` say where and what, and stay empty where they do not
/// apply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "Violation", bound = "At: schemars::JsonSchema + Default + Serialize")
)]
#[serde(default)]
#[non_exhaustive]
pub struct Violation<At = String> {
    /// The claim that broke, as one sentence without a full stop: "`refund` was called without `authenticate` before it".
    pub message: String,
    /// The setting that was broken: its place in the case's file. While a check runs, a JSON pointer into the settings;
    /// empty for the settings as a whole.
    pub at: At,
    /// The setting is outside of the case, in the defaults of its suite. Set by the engine.
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
    /// All calls concerned, from 1, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<usize>,
    /// The argument concerned: its bare name at the top level, a JSON pointer below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The value found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// The constraint that it broke, in the policy's words: `max: 30`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constraint: Option<String>,
    /// The policy's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The line of the constraint in the policy, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_line: Option<usize>,
    /// The whole place of the constraint in the policy.
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

/// A [`Violation`] as verdicts hold it: `at` is a place in the case's file.
pub type LocatedViolation = Violation<Location>;

impl Violation {
    /// Returns a violation with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// A violation that says `message` about `call`.
    pub fn of_call(call: &Call, message: impl Into<String>) -> Self {
        Self {
            tool: Some(call.name.clone()),
            call: Some(call.index),
            call_id: call.id.clone(),
            ..Self::new(message)
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

/// Points that were lost, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Loss {
    /// How much of the score, in 0..=1.
    pub points: f64,
    /// The item that cost them.
    pub why: String,
}

impl Loss {
    /// A loss of `points` (0 to 1), with its reason.
    pub fn new(points: f64, why: impl Into<String>) -> Self {
        Self { points, why: why.into() }
    }
}

/// What a check found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// The share of what was tested that holds. Nothing tested: 1.
    pub score: Score,
    /// Each call, rule or assertion looked at.
    pub items: Vec<Item>,
    /// Everything that is wrong. The check holds iff this is empty.
    pub violations: Vec<Violation>,
    /// Where the points went: they add up to 1 - score.
    pub losses: Vec<Loss>,
    /// Numbers worth reporting: `calls_checked`.
    pub stats: BTreeMap<String, u64>,
    /// Values taken out of the evidence, by name.
    pub values: BTreeMap<String, serde_json::Value>,
}

impl Outcome {
    /// An outcome whose score is the share of held items among those put to the test, each worth the same.
    pub fn of_items(items: Vec<Item>, violations: Vec<Violation>) -> Self {
        let count = |state: State| count_to_f64(items.iter().filter(|item| item.state == state).count());
        let (held, violated) = (count(State::Held), count(State::Violated));
        let points = 1.0 / (held + violated).max(1.0);
        let lost = items.iter().filter(|item| item.state == State::Violated);
        let losses = lost.map(|item| Loss { points, why: item.label.clone() }).collect();
        let score = if violated == 0.0 { Score::FULL } else { Score::new(held / (held + violated)) };
        Self { score, items, violations, losses, stats: BTreeMap::new(), values: BTreeMap::new() }
    }

    /// Adds a value taken out of the evidence.
    pub fn value(mut self, name: &str, value: serde_json::Value) -> Self {
        self.values.insert(name.to_owned(), value);
        self
    }

    /// Adds a number worth reporting.
    pub fn stat(mut self, name: &str, value: usize) -> Self {
        self.stats.insert(name.to_owned(), value as u64);
        self
    }
}

/// Converts a count to a float: exact below 4 billion, which no trace reaches.
pub(crate) fn count_to_f64(count: usize) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

/// Nothing is wrong, or one thing is.
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

/// Why a check cannot answer. None of the reasons is a pass.
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
    /// The evidence is silent on what was asked: the trial is `undecided`.
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
