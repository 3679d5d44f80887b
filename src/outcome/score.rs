//! A score between 0 and 1, and how it is compared with a threshold.

use serde::{Deserialize, Serialize};

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

/// Renders a figure and the bound that it misses, with `decimals` or as many more as tell the two apart: `29.16` and `29.2`, not
/// `29.2` twice.
pub fn render_apart(found: f64, bound: f64, decimals: usize) -> [String; 2] {
    // What differs in later digits is a rounding error, and reaches the bound.
    let rendered = |decimals: usize| [found, bound].map(|number| format!("{number:.decimals$}"));
    let differs = |decimals: &usize| {
        let [found, bound] = rendered(*decimals);
        found != bound
    };
    rendered((decimals..=9).find(differs).unwrap_or(decimals))
}
