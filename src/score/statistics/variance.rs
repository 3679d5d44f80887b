//! The requirements on several runs of a case, and their evaluation.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::{RunScore, Spread, Statistics, pass_at_k, pass_hat_k};
use crate::JsonSchema;
use crate::outcome::{Violation, count_noun, reaches, render_apart};
use crate::score::bounded;

/// The minimum share of runs that pass where nothing else is required of them.
const DEFAULT_PASS_RATE: f64 = 0.8;

/// Settings: how many runs, and what they must reach together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Variance {
    /// The number of runs that are counted. Default: `repeat` of the case, or 10.
    pub runs: NonZeroU32,
    /// The minimum share of runs that pass. Default: 0.8, unless `pass_hat_k` or `pass_at_k` is set.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    #[serde(deserialize_with = "bounded::optional_rate")]
    pub pass_rate: Option<f64>,
    /// The minimum probability that k runs all pass (pass^k), by k: `{3: 0.5}`. k is at most the number of runs.
    pub pass_hat_k: LeastByAttempts,
    /// The minimum probability that at least one of k runs passes (pass@k), by k: `{3: 0.9}`. k is at most the number of runs.
    pub pass_at_k: LeastByAttempts,
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

/// The least probability for each number of attempts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, f64>")]
pub struct LeastByAttempts(pub BTreeMap<u32, f64>);

impl TryFrom<BTreeMap<String, f64>> for LeastByAttempts {
    type Error = String;

    fn try_from(written: BTreeMap<String, f64>) -> Result<Self, String> {
        let entries = written.into_iter().map(|(k, least)| {
            let attempts = k.parse::<NonZeroU32>();
            let attempts = attempts
                .map_err(|_| format!("`{k}` is no number of runs: expected a whole number from 1 up"))?;
            if !(least > 0.0 && least <= 1.0) {
                return Err(format!(
                    "`{k}: {least}` is no probability: expected a share above 0, up to 1, such as 0.8"
                ));
            }
            Ok((attempts.get(), least))
        });
        entries.collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for LeastByAttempts {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "least_by_attempts".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A probability for each number of runs: `{3: 0.5}`.",
            "type": "object",
            "patternProperties": {"^[1-9][0-9]*$": {"type": "number", "exclusiveMinimum": 0, "maximum": 1}},
            "additionalProperties": false,
        })
    }
}

/// A requirement on several attempts, and what the runs reach.
#[derive(Debug, Clone, PartialEq)]
pub struct RequiredAttempts {
    /// The name with the number of attempts: `pass^3`, `pass@3`.
    pub name: String,
    /// The pointer to the setting.
    pub at: String,
    /// The least probability.
    pub least: f64,
    /// The probability by the runs. `None` if there are fewer runs than attempts.
    pub found: Option<f64>,
    /// The event whose probability it is.
    event: String,
}

impl RequiredAttempts {
    /// Whether the runs reach the requirement.
    pub fn holds(&self) -> bool {
        self.found.is_some_and(|found| reaches(found, self.least))
    }

    /// Renders the probability beside the required one: `40.0%, at least 50.0%`.
    pub fn render(&self) -> String {
        let [found, least] = match self.found {
            Some(found) if !self.holds() => format_percents_apart(found, self.least),
            found => [found.map_or_else(|| "unknown".to_owned(), format_percent), format_percent(self.least)],
        };
        format!("{found}, at least {least}")
    }

    fn find_failure(&self, statistics: &Statistics) -> Option<Violation> {
        let Statistics { runs, passed, .. } = statistics;
        let Self { name, event, .. } = self;
        let violation = match self.found {
            _ if self.holds() => return None,
            Some(found) => {
                let [actual, least] = format_percents_apart(found, self.least);
                let runs = count_noun(*runs as usize, "run");
                let message = format!(
                    "{passed} of {runs} passed: the probability that {event} ({name}) is {actual}, below the \
                     required {least}"
                );
                Violation::new(message).expected(least, actual)
            }
            None => Violation::new(format!("{name} needs more than {}", count_noun(*runs as usize, "run"))),
        };
        Some(violation.at(&self.at))
    }
}

impl Variance {
    /// Returns the minimum share of runs that pass. `None` if only attempts are required.
    pub fn least_pass_rate(&self) -> Option<f64> {
        let has_attempts = !(self.pass_hat_k.0.is_empty() && self.pass_at_k.0.is_empty());
        self.pass_rate.or((!has_attempts).then_some(DEFAULT_PASS_RATE))
    }

    /// Whether the requirements hold if some run fails.
    pub fn allows_failures(&self) -> bool {
        let needs_all = |least: &f64| reaches(*least, 1.0);
        let all_pass = self.least_pass_rate().is_some_and(|least| needs_all(&least));
        !all_pass && !self.pass_hat_k.0.values().any(needs_all)
    }

    /// Returns the requirements on several attempts, with what the runs reach.
    pub fn list_attempts(&self, statistics: &Statistics) -> Vec<RequiredAttempts> {
        let Statistics { runs, passed, .. } = *statistics;
        let all = self.pass_hat_k.0.iter().map(|(k, least)| RequiredAttempts {
            name: format!("pass^{k}"),
            at: format!("/pass_hat_k/{k}"),
            least: *least,
            found: pass_hat_k(runs, passed, *k),
            event: format!("{k} runs all pass"),
        });
        let any = self.pass_at_k.0.iter().map(|(k, least)| RequiredAttempts {
            name: format!("pass@{k}"),
            at: format!("/pass_at_k/{k}"),
            least: *least,
            found: pass_at_k(runs, passed, *k),
            event: format!("one of {k} runs passes"),
        });
        all.chain(any).collect()
    }
}

impl Default for Variance {
    fn default() -> Self {
        Self {
            runs: NonZeroU32::MIN.saturating_add(9),
            pass_rate: None,
            pass_hat_k: LeastByAttempts::default(),
            pass_at_k: LeastByAttempts::default(),
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
    /// The failed requirements. Each points at its setting. The case holds if the list is empty.
    pub failures: Vec<Violation>,
    /// The requirements on several attempts, with what the runs reach.
    pub attempts: Vec<RequiredAttempts>,
    /// Remarks for the reader.
    pub notes: Vec<String>,
}

/// Evaluates `runs` by the requirements in `variance`. A run that is missing, or that ended in an error, counts as failed
/// and brings no points. `min_score` is the score that a single run must reach, if there is one.
pub fn evaluate_variance(runs: &[RunScore], variance: &Variance, min_score: Option<f64>) -> VarianceResult {
    let statistics = Statistics::of_runs(runs, variance.runs.get(), variance.confidence_level);
    let failures = [
        no_score(&statistics),
        variance.least_pass_rate().and_then(|least| passed_too_rarely(&statistics, least)),
        variance.min_mean_score.and_then(|least| mean_too_low(&statistics, least)),
        variance.max_std_dev.and_then(|most| spread_too_wide(statistics.score.as_ref()?, most)),
    ];
    let attempts = variance.list_attempts(&statistics);
    let missed = attempts.iter().filter_map(|required| required.find_failure(&statistics));
    let notes =
        [some_are_missing(&statistics), min_score.and_then(|least| mean_in_doubt(&statistics, least))];
    VarianceResult {
        failures: failures.into_iter().flatten().chain(missed).collect(),
        attempts,
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
        let [actual, expected] = format_percents_apart(*pass_rate, least);
        let runs = count_noun(*runs as usize, "run");
        Violation::new(format!("{passed} of {runs} passed: {actual} is below the required {expected}"))
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
        let [mean, _] = render_apart(mean, least, 2);
        Violation::new(format!("the mean score {mean}{zeros} is below the required {least}"))
            .at("/min_mean_score")
            .expected(least.to_string(), mean)
    })
}

fn spread_too_wide(score: &Spread, most: f64) -> Option<Violation> {
    let found = score.std_dev;
    (found > most).then(|| {
        let [found, _] = render_apart(found, most, 2);
        Violation::new(format!("the scores' standard deviation {found} is above the allowed {most}"))
            .at("/max_std_dev")
            .expected(most.to_string(), found)
    })
}

fn some_are_missing(statistics: &Statistics) -> Option<String> {
    let Statistics { runs, missing, .. } = statistics;
    let (is, they) = if *missing == 1 { ("is", "it counts") } else { ("are", "they count") };
    let runs = count_noun(*runs as usize, "run");
    (*missing > 0).then(|| format!("{missing} of {runs} {is} missing or erred: {they} as failed"))
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

/// Renders a share and the one that is required of it, so that they can be told apart.
fn format_percents_apart(found: f64, least: f64) -> [String; 2] {
    render_apart(found * 100.0, least * 100.0, 1).map(|percent| percent + "%")
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
    fn a_figure_is_told_apart_from_the_bound_that_it_misses() {
        let seven = [runs(&[90.0; 7], true), runs(&[10.0; 17], false)].concat();
        let held = evaluate_variance(&seven, &settings(r#"{"runs": 24, "pass_rate": 0.292}"#), None);
        assert_eq!(claims(&held), ["7 of 24 runs passed: 29.17% is below the required 29.20%"]);
        let held = evaluate_variance(&seven, &settings(r#"{"runs": 24, "pass_at_k": {"1": 0.292}}"#), None);
        assert!(claims(&held)[0].ends_with("(pass@1) is 29.17%, below the required 29.20%"), "{held:?}");
        let mean = settings(r#"{"runs": 2, "pass_rate": 0.1, "min_mean_score": 80}"#);
        let held = evaluate_variance(&runs(&[79.999, 80.0], true), &mean, None);
        assert_eq!(claims(&held), ["the mean score 79.999 is below the required 80"]);
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
    fn attempts_are_required_of_all_or_of_one() {
        let four_of_five = [runs(&[90.0; 4], true), runs(&[10.0], false)].concat();
        let held = evaluate_variance(
            &four_of_five,
            &settings(r#"{"runs": 5, "pass_hat_k": {"2": 0.6, "3": 0.5}, "pass_at_k": {"2": 1}}"#),
            None,
        );
        let claim = "4 of 5 runs passed: the probability that 3 runs all pass (pass^3) is 40.0%, below the required 50.0%";
        assert_eq!(claims(&held), [claim]);
        assert_eq!(held.failures[0].at, "/pass_hat_k/3");
        let rendered: Vec<String> = held
            .attempts
            .iter()
            .map(|required| format!("{}: {}", required.name, required.render()))
            .collect();
        assert_eq!(
            rendered,
            [
                "pass^2: 60.0%, at least 60.0%",
                "pass^3: 40.0%, at least 50.0%",
                "pass@2: 100.0%, at least 100.0%"
            ]
        );
    }

    #[test]
    fn attempts_alone_require_no_pass_rate() {
        let two_of_five = [runs(&[90.0; 2], true), runs(&[10.0; 3], false)].concat();
        let claims_of = |json: &str| {
            let held = evaluate_variance(&two_of_five, &settings(json), None);
            held.failures.into_iter().map(|failure| failure.at).collect::<Vec<_>>()
        };
        assert!(claims_of(r#"{"runs": 5, "pass_at_k": {"3": 0.9}}"#).is_empty());
        assert_eq!(claims_of(r#"{"runs": 5}"#), ["/pass_rate"]);
        assert_eq!(claims_of(r#"{"runs": 5, "pass_at_k": {"3": 0.9}, "pass_rate": 0.5}"#), ["/pass_rate"]);
        assert_eq!(claims_of(r#"{"runs": 2, "pass_hat_k": {"6": 0.9}}"#), ["/pass_hat_k/6"], "of more runs");
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
            (r#"{"pass_hat_k": {"0": 0.5}}"#, "`0` is no number of runs"),
            (r#"{"pass_hat_k": {"x": 0.5}}"#, "`x` is no number of runs"),
            (r#"{"pass_at_k": {"2": 0}}"#, "`2: 0` is no probability"),
            (r#"{"pass_at_k": {"2": 80}}"#, "expected a share above 0"),
        ] {
            let refused = json::from_str::<Variance>(json).expect_err(json).to_string();
            assert!(refused.contains(error), "{refused}");
        }
        assert_eq!(settings(r#"{"max_std_dev": null}"#), Variance::default());
    }
}
