//! Statistics over the runs of one case.
//!
//! An agent does not act the same way twice, so one run is an anecdote: several say how often it succeeds, how far
//! its scores spread, and how much of that is chance. Every figure is a finite number. Figures that are printed are
//! rounded to four decimals.

mod estimate;
mod flakiness;
mod interval;
mod spread;
mod variance;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::round_half_even;
use crate::trace::Trace;

pub use estimate::{Estimate, pass_at_k, pass_hat_k};
pub use flakiness::{Flakiness, Label};
pub use interval::Interval;
pub use spread::{Spread, median};
pub use variance::{Variance, VarianceResult, evaluate_variance};

/// What statistics ask of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunScore {
    /// Its score, in points from 0 to 100.
    pub score: f64,
    /// Whether it passed.
    pub passed: bool,
    /// Its cost in US dollars, where it was recorded.
    pub cost_usd: Option<f64>,
    /// How long it took, in milliseconds, where it was recorded.
    pub duration_ms: Option<f64>,
    /// The tools that it called, in whatever order: its pattern.
    pub tools: BTreeSet<String>,
}

impl RunScore {
    /// The run of `trace`, which got `score` points.
    pub fn from_trace(trace: &Trace, score: f64, passed: bool) -> Self {
        Self {
            score,
            passed,
            cost_usd: trace.cost_usd,
            duration_ms: trace.duration_ms,
            tools: trace.calls.iter().map(|call| call.name.clone()).collect(),
        }
    }
}

/// How the runs of a case went, taken together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Statistics {
    /// How many runs were wanted, or made, if that is more.
    pub runs: u32,
    /// How many passed.
    pub passed: u32,
    /// How many did not: those that failed, and those that are missing.
    pub failed: u32,
    /// How many are missing, or erred.
    pub missing: u32,
    /// The share of runs that passed.
    pub pass_rate: f64,
    /// Where the true pass rate lies (Wilson).
    pub pass_rate_interval: Interval,
    /// The probability that the intervals hold.
    pub confidence_level: f64,
    /// The scores of the runs that are there; `None` when there are none.
    pub score: Option<Spread>,
    /// Their costs in US dollars, where recorded.
    pub cost_usd: Option<Spread>,
    /// Their durations in milliseconds, where recorded.
    pub duration_ms: Option<Spread>,
    /// How much the runs differ.
    pub flakiness: Flakiness,
    /// What is to be expected of several attempts: of 1, of 2, and so on.
    pub estimates: Vec<Estimate>,
}

impl Statistics {
    /// Statistics of `runs`, of which `wanted` should be there. A run that is missing, or that erred and is
    /// therefore not among them, counts as failed.
    pub fn of_runs(runs: &[RunScore], wanted: u32, confidence_level: f64) -> Self {
        let (made, passed) = (count(runs), count(runs.iter().filter(|run| run.passed)));
        let all = made.max(wanted);
        let spread = |values: Vec<f64>| Spread::of_values(&values, confidence_level);
        let score = spread(runs.iter().map(|run| run.score).collect());
        Self {
            runs: all,
            passed,
            failed: all - passed,
            missing: all - made,
            pass_rate: share(passed, all),
            pass_rate_interval: Interval::around_rate(passed, all, confidence_level),
            confidence_level,
            flakiness: Flakiness::of_runs(runs, all, score.as_ref()),
            score,
            cost_usd: spread(runs.iter().filter_map(|run| run.cost_usd).collect()),
            duration_ms: spread(runs.iter().filter_map(|run| run.duration_ms).collect()),
            estimates: estimate::estimate_attempts(all, passed),
        }
    }
}

fn count<T>(things: impl IntoIterator<Item = T>) -> u32 {
    u32::try_from(things.into_iter().count()).unwrap_or(u32::MAX)
}

/// `part` of `whole`; nothing of nothing is 0.
fn share(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole.max(1))
}

/// Four decimals.
fn rounded(value: f64) -> f64 {
    // Adding zero turns -0 into 0.
    round_half_even(value, 4) + 0.0
}
