//! The figures of one side: how many of its cases passed, what they cost, and how long they took.

use std::collections::BTreeMap;

use serde::Serialize;

use super::trials::{RunRecord, TrialRecord};
use super::{ComparisonReport, SideComparison, render_score, round_share};
use crate::outcome::{count_noun, count_to_f64};
use crate::score::paired::{CaseFigure, Measure, compute_t_interval};
use crate::score::round_half_even;
use crate::score::statistics::{Interval, Spread, pass_at_k, pass_hat_k};

/// The largest number of attempts of which pass^k and pass@k are computed.
const MAX_ATTEMPTS: u32 = 10;
/// A figure that is not known.
const UNKNOWN: &str = "-";

/// The figures of one side. A figure is `null` if some run does not record it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VariantFigures {
    /// The name of the run or of the variant.
    pub name: String,
    /// The number of cases.
    pub cases: usize,
    /// The number of cases with a result, which the shares and scores are about.
    pub cases_with_result: usize,
    /// The number of runs without a result: the agent crashed, or nothing decides what it did.
    pub runs_without_result: usize,
    /// The mean share of runs that passed, over the cases with a result.
    pub passed: Option<f64>,
    /// The interval of that share.
    pub interval: Option<[f64; 2]>,
    /// By k: the probability that all of k runs pass, as the mean over the cases with at least k runs.
    pub pass_hat_k: BTreeMap<String, f64>,
    /// By k: the probability that one of k runs passes.
    pub pass_at_k: BTreeMap<String, f64>,
    /// By k: the number of cases with at least k runs.
    pub cases_with_k: BTreeMap<String, usize>,
    /// The mean score of the cases with a result.
    pub score: Option<f64>,
    /// The cost of all runs in US dollars.
    pub cost_usd: Option<f64>,
    /// The cost of one run of a case.
    pub cost_per_case: Option<f64>,
    /// The cost of all runs for each run that passed.
    pub cost_per_passed: Option<f64>,
    /// The median of the durations of the runs, in milliseconds, as far as they are recorded.
    pub p50_ms: Option<f64>,
    /// The 95th percentile of the durations.
    pub p95_ms: Option<f64>,
    /// The tokens of all runs.
    pub tokens: Option<u64>,
}

impl VariantFigures {
    /// Computes the figures of a side with these cases.
    pub(super) fn new<'t>(name: &str, cases: impl Iterator<Item = &'t TrialRecord>, confidence: f64) -> Self {
        let cases: Vec<&TrialRecord> = cases.collect();
        let runs: Vec<&RunRecord> =
            cases.iter().flat_map(|case| &case.runs).filter(|run| run.has_trace()).collect();
        let [shares, scores] = [Measure::Passed, Measure::Score]
            .map(|measure| cases.iter().filter_map(|case| case.find_figure(measure)).collect::<Vec<_>>());
        let passed = average(shares.iter().map(|share| share.value));
        let cost_usd = sum_known(runs.iter().map(|run| run.cost_usd));
        let count = runs.iter().filter(|run| run.passed == Some(true)).count();
        let per = |count: usize| cost_usd.filter(|_| count > 0).map(|cost| cost / count_to_f64(count));
        let times: Vec<f64> = runs.iter().filter_map(|run| run.duration_ms).collect();
        let times = Spread::of_values(&times, confidence);
        let mut figures = Self {
            name: name.to_owned(),
            cases: cases.len(),
            cases_with_result: shares.len(),
            runs_without_result: cases.iter().map(|case| case.count_lost_runs()).sum(),
            passed: passed.map(round_share),
            interval: passed.map(|passed| find_interval(&shares, passed, confidence)),
            pass_hat_k: BTreeMap::new(),
            pass_at_k: BTreeMap::new(),
            cases_with_k: BTreeMap::new(),
            score: average(scores.iter().map(|score| score.value)).map(round_share),
            cost_usd: cost_usd.map(round_cost),
            cost_per_case: per(runs.len()).map(round_cost),
            cost_per_passed: per(count).map(round_cost),
            p50_ms: times.as_ref().map(|times| times.median),
            p95_ms: times.as_ref().map(|times| times.percentile_95),
            tokens: sum_known(runs.iter().map(|run| run.tokens)),
        };
        figures.add_attempts(&shares);
        figures
    }

    /// Adds pass^k and pass@k for each number of attempts that some case has.
    fn add_attempts(&mut self, shares: &[CaseFigure]) {
        let most = shares.iter().map(|share| share.runs).max().unwrap_or(0).min(MAX_ATTEMPTS);
        for k in 2..=most {
            let estimates: Vec<(f64, f64)> = shares
                .iter()
                .filter_map(|share| {
                    let passed = count_passed(*share);
                    Some((pass_hat_k(share.runs, passed, k)?, pass_at_k(share.runs, passed, k)?))
                })
                .collect();
            let [all, any] = [
                average(estimates.iter().map(|(all, _)| *all)),
                average(estimates.iter().map(|(_, any)| *any)),
            ];
            self.pass_hat_k.extend(all.map(|all| (k.to_string(), round_share(all))));
            self.pass_at_k.extend(any.map(|any| (k.to_string(), round_share(any))));
            self.cases_with_k.insert(k.to_string(), estimates.len());
        }
    }

    /// Returns the largest k that every case with several runs reaches, with the figures of that k.
    fn find_attempts(&self) -> Option<(&str, f64, f64, usize)> {
        let most = self.cases_with_k.values().max()?;
        let (k, count) = self
            .cases_with_k
            .iter()
            .filter(|(_, count)| *count == most)
            .max_by_key(|(k, _)| k.parse::<u32>().unwrap_or_default())?;
        Some((k, *self.pass_hat_k.get(k)?, *self.pass_at_k.get(k)?, *count))
    }
}

/// Returns the number of passed runs, of which the figure is the share.
fn count_passed(share: CaseFigure) -> u32 {
    (0..=share.runs)
        .find(|passed| f64::from(*passed) + 0.5 > share.value * f64::from(share.runs))
        .unwrap_or(0)
}

/// Returns the interval of the mean share: Wilson's for one run of each case, else Student's over the cases.
fn find_interval(shares: &[CaseFigure], passed: f64, confidence: f64) -> [f64; 2] {
    if shares.iter().all(|share| share.runs == 1) {
        let hits = shares.iter().map(|share| count_passed(*share)).sum();
        let all = u32::try_from(shares.len()).unwrap_or(u32::MAX);
        let interval = Interval::around_rate(hits, all, confidence);
        return [interval.lower, interval.upper];
    }
    // Counted from the nearer end, so that a few cases that differ from all others are seen as few.
    let is_high = passed > 0.5;
    let values: Vec<f64> =
        shares.iter().map(|share| if is_high { 1.0 - share.value } else { share.value }).collect();
    let (lower, upper) = compute_t_interval(&values, confidence);
    let bounds = if is_high { [1.0 - upper, 1.0 - lower] } else { [lower, upper] };
    bounds.map(|bound| round_share(bound.clamp(0.0, 1.0)))
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count_to_f64(values.len()))
}

/// Returns the sum of the values; `None` without values, or if one of them is unknown: a part of the cost looks like a saving.
fn sum_known<T: std::iter::Sum>(values: impl Iterator<Item = Option<T>>) -> Option<T> {
    let values: Vec<T> = values.collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.into_iter().sum())
}

/// Rounds to a ten-thousandth of a cent.
fn round_cost(cost: f64) -> f64 {
    round_half_even(cost, 6)
}

impl ComparisonReport {
    /// Renders the figures of all sides as the rows of a table, with its head.
    pub fn render_rows(&self) -> Vec<Vec<String>> {
        let attempts = self.variants.iter().any(|variant| !variant.cases_with_k.is_empty());
        let mut head = vec!["", "cases", "passed"];
        if attempts {
            head.extend(["all of k", "one of k"]);
        }
        let lost = self.variants.iter().any(|variant| variant.runs_without_result > 0);
        if lost {
            head.push("no result");
        }
        head.extend(["score", "difference", "$/case", "$/passed", "p50", "p95", "tokens"]);
        let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<String>>()];
        for variant in &self.variants {
            let mut row = vec![variant.name.clone(), render_cases(variant), render_share(variant)];
            if attempts {
                let of_k = variant.find_attempts();
                let render = |share: f64, k: &str, count: usize| {
                    format!("{} (k = {k}, {})", render_percent(share), count_noun(count, "case"))
                };
                row.push(of_k.map_or(UNKNOWN.to_owned(), |(k, all, _, count)| render(all, k, count)));
                row.push(of_k.map_or(UNKNOWN.to_owned(), |(k, _, any, count)| render(any, k, count)));
            }
            if lost {
                row.push(count_noun(variant.runs_without_result, "run"));
            }
            let own = self.comparisons.iter().find(|comparison| comparison.after == variant.name);
            let known = |value: Option<String>| value.unwrap_or_else(|| UNKNOWN.to_owned());
            row.push(known(variant.score.map(render_score)));
            row.push(known(own.and_then(render_difference)));
            row.push(known(variant.cost_per_case.map(|cost| cost.to_string())));
            row.push(known(variant.cost_per_passed.map(|cost| cost.to_string())));
            row.push(known(variant.p50_ms.map(|time| format!("{} ms", time.round()))));
            row.push(known(variant.p95_ms.map(|time| format!("{} ms", time.round()))));
            row.push(known(variant.tokens.map(|tokens| tokens.to_string())));
            rows.push(row);
        }
        rows
    }
}

/// Renders a share as a percentage with one decimal.
pub(super) fn render_percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Renders a difference in points, with its sign.
pub(super) fn render_points(difference: f64) -> String {
    format!("{:+.1}", difference * 100.0)
}

/// Renders the number of cases that the share is of, and how many there are if some have no result: `97 of 100`.
fn render_cases(variant: &VariantFigures) -> String {
    let VariantFigures { cases, cases_with_result, .. } = variant;
    if cases == cases_with_result { cases.to_string() } else { format!("{cases_with_result} of {cases}") }
}

fn render_share(variant: &VariantFigures) -> String {
    match (variant.passed, variant.interval) {
        (Some(passed), Some([lower, upper])) => {
            format!("{} ({:.1} to {:.1})", render_percent(passed), lower * 100.0, upper * 100.0)
        }
        _ => UNKNOWN.to_owned(),
    }
}

fn render_difference(comparison: &SideComparison) -> Option<String> {
    let [lower, upper] = comparison.interval?.map(render_points);
    Some(format!("{} ({lower} to {upper})", render_points(comparison.difference?)))
}
