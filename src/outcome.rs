//! What a check found: items, violations, and a score whose loss is accounted for.
//!
//! All of it is plain data. The engine adds the check's name and the places; a report needs to know no check.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::place::Place;
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
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
/// `message` is the claim that broke, as one sentence without a full stop. All other fields say where and what,
/// and stay empty where they mean nothing.
#[derive(Debug, Clone, Default)]
pub struct Violation {
    /// The claim: "`refund` was called without `authenticate` before it".
    pub message: String,
    /// A JSON pointer into the check's settings: which of them was broken. Empty: the settings as a whole.
    pub at: String,
    /// The tool concerned.
    pub tool: Option<String>,
    /// The call concerned: its index, from 1.
    pub call: Option<usize>,
    /// That call's id in the trace.
    pub call_id: Option<String>,
    /// All calls concerned, from 1, where there are several.
    pub calls: Vec<usize>,
    /// The argument: its bare name at the top level, a JSON pointer below.
    pub argument: Option<String>,
    /// The value found.
    pub value: Option<serde_json::Value>,
    /// The constraint that it broke, in the policy's words: `max: 30`.
    pub constraint: Option<String>,
    /// The number of the rule, from 1.
    pub rule: Option<usize>,
    /// Where the constraint stands in a policy file.
    pub policy: Option<Place>,
    /// What should have been.
    pub expected: Option<String>,
    /// What was.
    pub actual: Option<String>,
    /// What to do.
    pub suggestion: Option<String>,
}

impl Violation {
    /// A violation that says `message`.
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

    /// Says what should have been, and what was.
    pub fn expected(mut self, expected: impl Into<String>, actual: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.actual = Some(actual.into());
        self
    }
}

/// Points that were lost, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Loss {
    /// How much of the score, in 0..=1.
    pub points: f64,
    /// The item that cost them.
    pub why: String,
}

/// What a check found.
#[derive(Debug, Clone)]
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
        let count = |state: State| share_of(items.iter().filter(|item| item.state == state).count());
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

/// A count as a float: exact below 4 billion, which no trace reaches.
fn share_of(count: usize) -> f64 {
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

/// Why a check cannot answer. Neither is a pass.
#[derive(Debug, Clone)]
pub struct Unfit {
    /// Which of the two it is.
    pub reason: Reason,
    /// Violations found before it.
    pub violations: Vec<Violation>,
    /// What to do about it.
    pub help: Option<String>,
}

/// What a check lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The evidence is silent on what was asked: the trial is `undecided`.
    Missing(String),
    /// The check could not be carried through, for want of budget or because the evidence is wrong in itself: the
    /// trial is an `error`.
    Exhausted(String),
}

impl Unfit {
    /// The evidence does not hold `what`.
    pub fn missing(what: impl Into<String>) -> Self {
        Self { reason: Reason::Missing(what.into()), violations: Vec::new(), help: None }
    }

    /// The evidence is wrong in itself, as `what` says: a negative cost, an opinion in a form that was not asked for.
    pub fn invalid(what: impl Into<String>) -> Self {
        Self::exhausted(what)
    }

    /// `what` ran out of its budget.
    pub fn exhausted(what: impl Into<String>) -> Self {
        Self { reason: Reason::Exhausted(what.into()), violations: Vec::new(), help: None }
    }

    /// Says what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
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
