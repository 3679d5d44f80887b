//! Scores: scorecards over the checks of a case, statistics over its runs, the comparison of a run with a baseline, and of two
//! sides that ran the same cases.
//!
//! A [`Scorecard`] weighs the checks of one case and compares the sum with a threshold. Its [`Card`] lists every lost
//! point: score and losses add up to the full score.

mod bounded;
mod card;
pub mod compare;
pub mod paired;
pub mod statistics;

use serde::{Deserialize, Serialize};

use crate::place::Place;

pub(crate) use paired::RandomBits;

pub use card::{Card, CardPart, round_half_even, write_apart, written};

/// The effect of a violated check on its case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The case fails.
    #[default]
    #[serde(rename = "must")]
    Fail,
    /// The case fails with a score of 0, and no other check runs.
    Gate,
    /// The case loses points of a scorecard. Missing evidence still makes the case undecided.
    Points,
    /// Informational: the aggregate over all runs decides.
    #[serde(rename = "told")]
    Inform,
}

impl Effect {
    /// Whether this is `Fail`, the default.
    pub fn is_default(&self) -> bool {
        *self == Self::Fail
    }
}

/// The weighed checks of one case, and the score that they must reach together.
#[derive(Debug, Clone)]
pub struct Scorecard {
    /// The vocabulary of the scorecard, and the part of the case: `expected`, `expected of turn 2`.
    pub name: String,
    /// The weighed checks, in the order in which they are summed up.
    pub parts: Vec<ScorecardPart>,
    /// The threshold of the score.
    pub threshold: Threshold,
    /// The scale of the scores.
    pub scale: Scale,
    /// The effect of a missed threshold: the case fails, or nothing happens because the gate of the suite decides.
    pub effect: Effect,
}

/// A weighed check.
#[derive(Debug, Clone)]
pub struct ScorecardPart {
    /// The name of the part on the card.
    pub name: String,
    /// The share of the score, in 0..=1.
    pub weight: f64,
    /// The source of the score.
    pub scored_by: ScoredBy,
}

/// The source of the score of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoredBy {
    /// The case expects nothing of this part, which has the full score.
    Nothing,
    /// The expectation of the case with this index.
    Expectation(usize),
    /// The check with the name of the part. Its index replaces this once all blocks of the case are read.
    Check,
}

/// The least score that passes, and its setting.
#[derive(Debug, Clone)]
pub struct Threshold {
    /// The name of the setting, such as `min_score`.
    pub setting: &'static str,
    /// The place of the setting.
    pub place: Place,
    /// The least score that passes.
    pub least: f64,
}

/// The scale on which a scorecard writes its scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The full score.
    pub full: f64,
    /// The number of decimals of a score that is compared with the threshold. `None` keeps all of them.
    pub decimals: Option<usize>,
}

impl Scale {
    /// 0 to 100 with two decimals.
    pub const PERCENT: Scale = Scale { full: 100.0, decimals: Some(2) };
    /// 0 to 1.
    pub const SHARE: Scale = Scale { full: 1.0, decimals: None };
}
