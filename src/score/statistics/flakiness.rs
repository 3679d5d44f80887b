//! The flakiness of a case: a number for how much its runs differ, a word for the number, and the reasons.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::spread::Spread;
use super::{RunScore, count, rounded, share};

/// The relative deviation in percent, and the range in points, that count as the largest possible.
const WIDEST: f64 = 50.0;

/// The differences between the runs of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Flakiness {
    /// The flakiness, from 0 (all runs are equal) to 1.
    pub score: f64,
    /// The word for the score.
    pub label: Label,
    /// The deviation of the scores relative to their mean, in percent.
    pub score_coefficient_of_variation: f64,
    /// The reasons of the score.
    pub contributing_factors: Vec<String>,
}

/// The word for a flakiness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// Below 0.1.
    Stable,
    /// Below 0.25.
    Low,
    /// Below 0.5.
    Moderate,
    /// Below 0.75.
    High,
    /// 0.75 and above.
    Flaky,
}

impl Label {
    fn from_score(score: f64) -> Self {
        match score {
            ..0.1 => Self::Stable,
            ..0.25 => Self::Low,
            ..0.5 => Self::Moderate,
            ..0.75 => Self::High,
            _ => Self::Flaky,
        }
    }
}

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Stable => "stable",
            Self::Low => "low variance",
            Self::Moderate => "moderate variance",
            Self::High => "high variance",
            Self::Flaky => "flaky",
        })
    }
}

/// The figures that the score is computed from.
struct Signs {
    runs: u32,
    passed: u32,
    /// The deviation of the scores relative to their mean, in percent.
    variation: f64,
    /// The difference between the highest and the lowest score.
    range: f64,
    /// The number of different sets of tools.
    patterns: u32,
}

impl Flakiness {
    /// Computes the flakiness of the runs `made`. The runs that are missing from `all` count as failed.
    pub(super) fn of_runs(made: &[RunScore], all: u32, score: Option<&Spread>) -> Self {
        let signs = Signs {
            runs: all,
            passed: count(made.iter().filter(|run| run.passed)),
            variation: score.map_or(0.0, variation),
            range: score.map_or(0.0, |score| score.max - score.min),
            patterns: count(made.iter().map(|run| &run.tools).collect::<BTreeSet<_>>()),
        };
        let score = signs.score();
        Self {
            score: rounded(score),
            label: Label::from_score(score),
            score_coefficient_of_variation: rounded(signs.variation),
            contributing_factors: signs.factors(),
        }
    }
}

/// Computes the relative deviation from the rounded figures, so that a reader of a report gets the same number.
fn variation(score: &Spread) -> f64 {
    if score.mean > 0.0 { score.std_dev / score.mean * 100.0 } else { 0.0 }
}

impl Signs {
    fn score(&self) -> f64 {
        // The weights are those of EvalView, so that both tools print the same figure. A pass rate of one half is the
        // most mixed.
        let mixed =
            if self.is_mixed() { 1.0 - (share(self.passed, self.runs) - 0.5).abs() * 2.0 } else { 0.0 };
        let variation = (self.variation / WIDEST).min(1.0);
        let range = (self.range / WIDEST).min(1.0);
        let patterns = share(self.patterns.saturating_sub(1), self.runs.saturating_sub(1));
        mixed * 0.4 + variation * 0.3 + range * 0.2 + patterns * 0.1
    }

    fn is_mixed(&self) -> bool {
        0 < self.passed && self.passed < self.runs
    }

    fn factors(&self) -> Vec<String> {
        let mixed = self.is_mixed();
        let varies = match self.variation {
            // A variation up to 10 % is taken for the noise of a score.
            ..=10.0 => None,
            ..=20.0 => Some("moderate"),
            _ => Some("high"),
        };
        let factors = [
            mixed.then(|| format!("inconsistent_pass_fail ({}/{} passed)", self.passed, self.runs)),
            varies.map(|much| format!("{much}_score_variance (CV={:.1}%)", self.variation)),
            (self.range > 30.0).then(|| format!("wide_score_range ({:.1} points)", self.range)),
            (self.patterns > 1).then(|| format!("varying_tool_patterns ({} unique patterns)", self.patterns)),
        ];
        factors.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_begins_at_its_bound() {
        let labels =
            [0.0, 0.0999, 0.1, 0.25, 0.5, 0.75, 1.0].map(|score| Label::from_score(score).to_string());
        let words =
            ["stable", "stable", "low variance", "moderate variance", "high variance", "flaky", "flaky"];
        assert_eq!(labels, words);
    }

    #[test]
    fn a_coin_that_calls_other_tools_each_time_is_as_flaky_as_can_be() {
        let signs = Signs { runs: 4, passed: 2, variation: 80.0, range: 90.0, patterns: 4 };
        assert!((signs.score() - 1.0).abs() < 1e-12);
        assert_eq!(signs.factors().len(), 4);
    }

    #[test]
    fn no_runs_are_stable() {
        let flakiness = Flakiness::of_runs(&[], 0, None);
        assert_eq!((flakiness.score, flakiness.label), (0.0, Label::Stable));
        assert!(flakiness.contributing_factors.is_empty());
    }
}
