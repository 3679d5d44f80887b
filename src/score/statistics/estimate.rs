//! Estimates for several attempts: the probability of one success, and of k successes.
//!
//! `pass@k` is the probability that at least one of k attempts passes (a tool that a person can ask again),
//! `pass^k` that all of them do (an agent that nobody watches). Both are unbiased: of all ways to draw k of the n
//! runs, the share that does.

use serde::{Deserialize, Serialize};

use super::rounded;

/// The largest number of attempts that is reported.
const MOST_ATTEMPTS: u32 = 10;

/// The probabilities for `k` attempts, to four decimals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Estimate {
    /// The number of attempts.
    pub k: u32,
    /// The probability that at least one passes.
    pub pass_at_k: f64,
    /// The probability that all pass.
    pub pass_hat_k: f64,
}

/// Estimates every number of attempts up to the number of runs, and up to [`MOST_ATTEMPTS`].
pub(super) fn estimate_attempts(runs: u32, passed: u32) -> Vec<Estimate> {
    let estimates = (1..=runs.min(MOST_ATTEMPTS)).filter_map(|k| {
        let any = pass_at_k(runs, passed, k)?;
        let all = pass_hat_k(runs, passed, k)?;
        Some(Estimate { k, pass_at_k: rounded(any), pass_hat_k: rounded(all) })
    });
    estimates.collect()
}

/// Returns the probability that at least one of `k` attempts passes, if `passed` of `runs` did. `None` if there are fewer
/// than `k` runs, which allow no estimate.
pub fn pass_at_k(runs: u32, passed: u32, k: u32) -> Option<f64> {
    Some(1.0 - pass_hat_k(runs, runs.checked_sub(passed)?, k)?)
}

/// Returns the probability that all of `k` attempts pass, if `passed` of `runs` did. `None` if there are fewer than `k`
/// runs, which allow no estimate.
pub fn pass_hat_k(runs: u32, passed: u32, k: u32) -> Option<f64> {
    if k > runs || passed > runs {
        return None;
    }
    if k > passed {
        return Some(0.0);
    }
    // C(passed, k) / C(runs, k), factor by factor: neither of them fits a float when there are many runs.
    Some((0..k).map(|drawn| f64::from(passed - drawn) / f64::from(runs - drawn)).product())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the draws of `k` runs that are all among the first `passed`, and all draws.
    fn by_counting(runs: u32, passed: u32, k: u32) -> (f64, f64) {
        let draws = (0_u32..1 << runs).filter(|draw| draw.count_ones() == k);
        let mut hits = 0.0;
        let mut all = 0.0;
        for draw in draws {
            all += 1.0;
            hits += if draw >> passed == 0 { 1.0 } else { 0.0 };
        }
        (hits, all)
    }

    #[test]
    fn the_estimates_are_the_share_of_all_draws() {
        for runs in 1..=9 {
            for (passed, k) in (0..=runs).flat_map(|passed| (0..=runs).map(move |k| (passed, k))) {
                let (hits, all) = by_counting(runs, passed, k);
                let (misses, _) = by_counting(runs, runs - passed, k);
                let hat = pass_hat_k(runs, passed, k).expect("k is at most the runs");
                let at = pass_at_k(runs, passed, k).expect("k is at most the runs");
                assert!((hat - hits / all).abs() < 1e-12, "{passed} of {runs}, k = {k}");
                assert!((at - (1.0 - misses / all)).abs() < 1e-12, "{passed} of {runs}, k = {k}");
            }
        }
    }

    #[test]
    fn fewer_runs_than_attempts_tell_nothing() {
        assert_eq!((pass_at_k(3, 2, 4), pass_hat_k(3, 2, 4)), (None, None));
        assert_eq!((pass_at_k(3, 4, 1), pass_hat_k(3, 4, 1)), (None, None));
        assert_eq!(estimate_attempts(0, 0), []);
        assert_eq!(estimate_attempts(2, 2).len(), 2);
    }

    #[test]
    fn many_runs_stay_within_a_float() {
        let hat = pass_hat_k(2_000_000, 1_000_000, 1_000).expect("enough runs");
        assert!(hat.is_finite() && hat < 1e-300);
    }
}
