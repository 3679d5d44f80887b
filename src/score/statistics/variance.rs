//! The requirements on several runs of a case, and their evaluation.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::{RunScore, Spread, Statistics};
use crate::JsonSchema;
use crate::outcome::Violation;
use crate::score::bounded;

/// Settings: how many runs, and what they must reach together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Variance {
    /// The number of runs. Default: 10.
    pub runs: NonZeroU32,
    /// The minimum share of runs that pass. Default: 0.8.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    #[serde(deserialize_with = "bounded::rate")]
    pub pass_rate: f64,
    /// The minimum mean score, in points.
    #[serde(deserialize_with = "bounded::optional_points")]
    pub min_mean_score: Option<f64>,
    /// The maximum standard deviation of the scores, in points.
    #[serde(deserialize_with = "bounded::optional_points")]
    pub max_std_dev: Option<f64>,
    /// The probability that the intervals hold. Default: 0.95.
    #[schemars(range(min = 0, max = 1))]
    #[serde(deserialize_with = "bounded::level")]
    pub confidence_level: f64,
}

impl Default for Variance {
    fn default() -> Self {
        Self {
            runs: NonZeroU32::MIN.saturating_add(9),
            pass_rate: 0.8,
            min_mean_score: None,
            max_std_dev: None,
            confidence_level: 0.95,
        }
    }
}

/// The result of several runs.
#[derive(Debug, Clone)]
pub struct VarianceResult {
    /// The figures of the runs.
    pub statistics: Statistics,
    /// The failed requirements. Each points at its setting. The case holds if there are none.
    pub failures: Vec<Violation>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
}

/// Evaluates `runs` by the requirements in `variance`. A run that is missing, or that ended in an error, counts as failed
/// and brings no points. `min_score` is the score that a single run must reach, if there is one.
pub fn evaluate_variance(runs: &[RunScore], variance: &Variance, min_score: Option<f64>) -> VarianceResult {
    let statistics = Statistics::of_runs(runs, variance.runs.get(), variance.confidence_level);
    let failures = [
        no_score(&statistics),
        passed_too_rarely(&statistics, variance.pass_rate),
        variance.min_mean_score.and_then(|least| mean_too_low(&statistics, least)),
        variance.max_std_dev.and_then(|most| spread_too_wide(statistics.score.as_ref()?, most)),
    ];
    let notes =
        [some_are_missing(&statistics), min_score.and_then(|least| mean_in_doubt(&statistics, least))];
    VarianceResult {
        failures: failures.into_iter().flatten().collect(),
        notes: notes.into_iter().flatten().collect(),
        statistics,
    }
}

fn no_score(statistics: &Statistics) -> Option<Violation> {
    statistics.score.is_none().then(|| {
        Violation::new(format!("none of the {} runs has a score", statistics.runs))
            .at("/runs")
            .help("record the runs, or look at what they erred with")
    })
}

fn passed_too_rarely(statistics: &Statistics, least: f64) -> Option<Violation> {
    let Statistics { runs, passed, pass_rate, .. } = statistics;
    (*pass_rate < least).then(|| {
        let actual = format_percent(*pass_rate);
        let expected = format_percent(least);
        Violation::new(format!("{passed} of {runs} runs passed: {actual} is below the required {expected}"))
            .at("/pass_rate")
            .expected(expected, actual)
    })
}

/// Counts a missing run as 0 points, so that its absence does not raise the mean.
fn mean_too_low(statistics: &Statistics, least: f64) -> Option<Violation> {
    let score = statistics.score.as_ref()?;
    // The mean over all runs that were wanted is the mean of those with a score, times their share.
    let mean = score.mean * super::share(score.count, statistics.runs);
    let zeros = statistics.runs - score.count;
    let zeros = if zeros == 0 { String::new() } else { format!(" ({zeros} without a score count as 0)") };
    (mean < least).then(|| {
        Violation::new(format!("the mean score {mean:.2}{zeros} is below the required {least}"))
            .at("/min_mean_score")
            .expected(least.to_string(), format!("{mean:.2}"))
    })
}

fn spread_too_wide(score: &Spread, most: f64) -> Option<Violation> {
    let found = score.std_dev;
    (found > most).then(|| {
        Violation::new(format!("the scores' standard deviation {found:.2} is above the allowed {most}"))
            .at("/max_std_dev")
            .expected(most.to_string(), format!("{found:.2}"))
    })
}

fn some_are_missing(statistics: &Statistics) -> Option<String> {
    let Statistics { runs, missing, .. } = statistics;
    (*missing > 0).then(|| format!("{missing} of {runs} runs are missing or erred: they count as failed"))
}

fn mean_in_doubt(statistics: &Statistics, least: f64) -> Option<String> {
    let interval = statistics.score.as_ref()?.mean_interval;
    let level = format_percent(statistics.confidence_level);
    (interval.lower < least).then(|| {
        let lower = interval.lower;
        let upper = interval.upper;
        format!("the true mean may be below {least}: the {level} interval is {lower:.2} to {upper:.2}")
    })
}

fn format_percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn runs(scores: &[f64], passed: bool) -> Vec<RunScore> {
        scores.iter().map(|&score| RunScore { score, passed, ..RunScore::default() }).collect()
    }

    fn settings(json: &str) -> Variance {
        json::from_str(json).expect("settings")
    }

    fn claims(held: &VarianceResult) -> Vec<&str> {
        held.failures.iter().map(|failure| failure.message.as_str()).collect()
    }

    #[test]
    fn a_missing_run_counts_as_failed_and_brings_no_points() {
        let held =
            evaluate_variance(&runs(&[90.0; 7], true), &settings(r#"{"min_mean_score": 80}"#), Some(70.0));
        assert_eq!(
            claims(&held),
            [
                "7 of 10 runs passed: 70.0% is below the required 80.0%",
                "the mean score 63.00 (3 without a score count as 0) is below the required 80",
            ]
        );
        assert_eq!(held.notes, ["3 of 10 runs are missing or erred: they count as failed"]);
        assert_eq!((held.statistics.failed, held.statistics.missing), (3, 3));
    }

    #[test]
    fn no_runs_at_all_never_hold() {
        let held = evaluate_variance(&[], &settings(r#"{"pass_rate": 0.1, "max_std_dev": 1}"#), Some(70.0));
        assert_eq!(claims(&held)[0], "none of the 10 runs has a score");
        assert!(!json::to_string(&held.statistics).expect("JSON").contains("NaN"));
    }

    #[test]
    fn one_run_has_no_deviation() {
        let held = evaluate_variance(
            &runs(&[80.0], true),
            &settings(r#"{"runs": 1, "max_std_dev": 0}"#),
            Some(80.0),
        );
        assert!(held.failures.is_empty() && held.notes.is_empty(), "{held:?}");
    }

    #[test]
    fn scores_that_spread_too_far_fail_and_an_interval_below_the_minimum_is_a_note() {
        let variance = settings(r#"{"runs": 2, "max_std_dev": 5, "confidence_level": 0.8}"#);
        let held = evaluate_variance(&runs(&[70.0, 90.0], true), &variance, Some(70.0));
        assert_eq!(claims(&held), ["the scores' standard deviation 14.14 is above the allowed 5"]);
        assert_eq!(held.notes, ["the true mean may be below 70: the 80.0% interval is 67.18 to 92.82"]);
    }

    #[test]
    fn a_run_more_than_wanted_counts_as_well() {
        let held = evaluate_variance(&runs(&[90.0; 3], false), &settings(r#"{"runs": 2}"#), None);
        assert_eq!((held.statistics.runs, held.statistics.failed, held.statistics.missing), (3, 3, 0));
    }

    #[test]
    fn settings_that_cannot_be_meant_are_refused() {
        for (json, error) in [
            (r#"{"runs": 0}"#, "nonzero"),
            (r#"{"pass_rate": 80}"#, "expected a share above 0, up to 1, such as 0.8, found `80`"),
            (r#"{"pass_rate": 0}"#, "`pass_rate: 0` requires nothing"),
            (r#"{"confidence_level": 1}"#, "between 0 and 1"),
            (r#"{"min_mean_score": 101}"#, "points from 0 to 100"),
            (r#"{"max_std_dev": -1}"#, "points from 0 to 100"),
            (r#"{"rums": 3}"#, "unknown field"),
        ] {
            let refused = json::from_str::<Variance>(json).expect_err(json).to_string();
            assert!(refused.contains(error), "{refused}");
        }
        assert_eq!(settings(r#"{"max_std_dev": null}"#), Variance::default());
    }
}
