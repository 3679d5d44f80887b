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
pub(super) use interval::{compute_wilson_bounds, find_z};
pub use spread::{Spread, median};
pub use variance::{LeastByAttempts, RequiredAttempts, Variance, VarianceResult, evaluate_variance};

/// The figures of one run that statistics need.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunScore {
    /// The score, in points from 0 to 100.
    pub score: f64,
    /// Whether the run passed.
    pub passed: bool,
    /// The cost in US dollars, if it is recorded.
    pub cost_usd: Option<f64>,
    /// The duration in milliseconds, if it is recorded.
    pub duration_ms: Option<f64>,
    /// The set of the called tools, which is the pattern of the run.
    pub tools: BTreeSet<String>,
}

impl RunScore {
    /// Takes the figures of `trace`, which has `score` points.
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

/// The combined figures of the runs of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Statistics {
    /// The number of wanted runs, or of recorded runs if that is larger.
    pub runs: u32,
    /// The number of runs that passed.
    pub passed: u32,
    /// The number of runs that failed or are missing.
    pub failed: u32,
    /// The number of runs that are missing or ended with an error.
    pub missing: u32,
    /// The share of runs that passed.
    pub pass_rate: f64,
    /// The confidence interval of the true pass rate (Wilson).
    pub pass_rate_interval: Interval,
    /// The confidence level of the intervals.
    pub confidence_level: f64,
    /// The scores of the recorded runs. `None` without any.
    pub score: Option<Spread>,
    /// The recorded costs in US dollars.
    pub cost_usd: Option<Spread>,
    /// The recorded durations in milliseconds.
    pub duration_ms: Option<Spread>,
    /// How much the runs differ.
    pub flakiness: Flakiness,
    /// The estimates for 1 attempt, 2 attempts, and so on.
    pub estimates: Vec<Estimate>,
}

impl Statistics {
    /// Computes the statistics of `runs`, of which there should be `wanted`. A missing run counts as failed. So does a run
    /// that ended with an error, which is not among `runs`.
    pub fn of_runs(runs: &[RunScore], wanted: u32, confidence_level: f64) -> Self {
        let made = count(runs);
        let passed = count(runs.iter().filter(|run| run.passed));
        // More runs than wanted are all counted; fewer leave the rest missing.
        let all = made.max(wanted);
        let scores: Vec<Option<f64>> = runs.iter().map(|run| Some(run.score)).collect();
        let costs: Vec<Option<f64>> = runs.iter().map(|run| run.cost_usd).collect();
        let durations: Vec<Option<f64>> = runs.iter().map(|run| run.duration_ms).collect();
        let [score, cost_usd, duration_ms] = [scores, costs, durations].map(|values| {
            Spread::of_values(&values.into_iter().flatten().collect::<Vec<f64>>(), confidence_level)
        });
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
            cost_usd,
            duration_ms,
            estimates: estimate::estimate_attempts(all, passed),
        }
    }
}

fn count<T>(things: impl IntoIterator<Item = T>) -> u32 {
    u32::try_from(things.into_iter().count()).unwrap_or(u32::MAX)
}

/// Returns `part` as a share of `whole`, or 0 if both are 0.
fn share(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole.max(1))
}

/// Rounds to four decimals.
fn rounded(value: f64) -> f64 {
    // Adding zero turns -0 into 0.
    round_half_even(value, 4) + 0.0
}
