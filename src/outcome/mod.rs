//! The outcome of a check: items, violations, and a score with the reasons for lost points.
//!
//! All types are plain data. The engine adds the check's name and the places, so that reports need not know any check.

mod missing_feature;
mod score;
mod unfit;
mod violation;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub(crate) use self::missing_feature::suggest_feature;
pub use self::score::{Score, reaches, render_apart};
pub use self::unfit::{CannotDecide, UndecidedCause, UndecidedReason};
pub use self::violation::{LocatedViolation, Violation};

use crate::JsonSchema;
use crate::json::Json;

/// The result of a check or of a whole case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
        self.serialize(f)
    }
}

/// The state of one call, rule or assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// The item was tested and holds.
    Held,
    /// The item was tested and does not hold.
    Violated,
    /// The item was not tested, because its trigger did not occur.
    NotExercised,
    /// The item could not be decided.
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

    /// An item that was tested: held or violated.
    pub(crate) fn tested(label: impl Into<String>, is_held: bool) -> Self {
        Self::new(label, if is_held { State::Held } else { State::Violated })
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
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
    /// The violations. The check holds if and only if the list is empty.
    pub violations: Vec<Violation>,
    /// The lost points, with reasons. They add up to 1 - score.
    pub losses: Vec<Loss>,
    /// Counts for reports, such as `calls_checked`.
    pub stats: BTreeMap<String, u64>,
    /// Values extracted from the evidence, by name.
    pub values: BTreeMap<String, Json>,
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

    /// The outcome of a limit: one item with a note on the figure, and the violation of the limit, if there is one.
    pub(crate) fn of_limit(label: String, note: String, violation: Option<Violation>) -> Self {
        let items = vec![Item::tested(label, violation.is_none()).note(note)];
        Self { items, ..Self::from(violation) }
    }

    /// Adds a value extracted from the evidence.
    pub fn value(mut self, name: &str, value: Json) -> Self {
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

/// Cuts `text` to `most` characters, and marks the cut.
pub(crate) fn truncate_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Renders a number of things: `1 case`, `2 cases`.
pub fn count_noun(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
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
