//! Scores: scorecards over the checks of a case, statistics over its runs, the comparison with a baseline.
//!
//! A [`Scorecard`] weighs checks of one case and holds the sum against a threshold. Its [`Card`] says where every
//! point went: the losses add up to what is missing from the full score.

mod bounded;
mod card;
pub mod compare;
pub mod statistics;

use serde::{Deserialize, Serialize};

use crate::place::Place;

pub use card::{Card, CardPart, round_half_even, written};

/// The effect of a violated check on its case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The case fails.
    #[default]
    #[serde(rename = "must")]
    Fail,
    /// The case fails with a score of 0, and nothing else is asked.
    Gate,
    /// Points of a scorecard, no more. Evidence that is absent still makes the case undecided.
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

/// Checks of one case, weighed, and the score that they must reach together.
#[derive(Debug, Clone)]
pub struct Scorecard {
    /// The vocabulary that it belongs to, and which part of the case it is about: `expected`, `expected of turn 2`.
    pub name: String,
    /// The weighed checks, in the order in which they are summed up.
    pub parts: Vec<ScorecardPart>,
    /// What must be reached.
    pub threshold: Threshold,
    /// How scores are written.
    pub scale: Scale,
    /// What missing the threshold costs: the case, or nothing where a suite's gate decides.
    pub effect: Effect,
}

/// A weighed check.
#[derive(Debug, Clone)]
pub struct ScorecardPart {
    /// What it is called on the card.
    pub name: String,
    /// Its share of the score, in 0..=1.
    pub weight: f64,
    /// Where its score comes from.
    pub scored_by: ScoredBy,
}

/// Where the score of a part comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoredBy {
    /// Nothing is expected of it: full.
    Nothing,
    /// The case's expectation of this index.
    Expectation(usize),
    /// The case's check that is called like the part; replaced by its index once all blocks of the case are read.
    Check,
}

/// The score that must be reached.
#[derive(Debug, Clone)]
pub struct Threshold {
    /// The setting that says it: `min_score`.
    pub setting: &'static str,
    /// Where it says it.
    pub place: Place,
    /// The least score that passes.
    pub least: f64,
}

/// How a scorecard writes its scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The full score.
    pub full: f64,
    /// Decimals that a score is rounded to before it is held against the threshold; `None` for all of them.
    pub decimals: Option<usize>,
}

impl Scale {
    /// 0 to 100 with two decimals.
    pub const PERCENT: Scale = Scale { full: 100.0, decimals: Some(2) };
    /// 0 to 1.
    pub const SHARE: Scale = Scale { full: 1.0, decimals: None };
}
