//! The tests of a difference between two sides.

use super::TIE;
use super::distribution::RandomBits;
use crate::outcome::count_to_f64;

/// The largest number of differences whose signs are all tried.
const MAX_ENUMERATED: usize = 20;
/// The number of random signs beyond that.
const FLIPS: u32 = 100_000;
/// Fixed, so that the same runs always get the same word.
const SEED: u64 = 0xA11A_1617;

/// Returns the two-sided p-value of the sum of `differences`, if each could as well have the other sign, and whether all signs
/// were tried. Differences of zero change no sum and are left out.
pub fn test_sign_flips(differences: &[f64]) -> (f64, bool) {
    let differing: Vec<f64> = differences.iter().copied().filter(|value| value.abs() > TIE).collect();
    let observed = differing.iter().sum::<f64>().abs();
    if differing.len() <= MAX_ENUMERATED {
        (try_all_signs(&differing, observed), true)
    } else {
        (try_random_signs(&differing, observed), false)
    }
}

/// Returns the share of all signs whose sum is as far from zero as `observed`.
fn try_all_signs(differing: &[f64], observed: f64) -> f64 {
    // In the order of a Gray code each step changes one sign, so that a sum follows from the one before. The signs of step i
    // are the bits of `i ^ (i >> 1)`, and the changed bit is the lowest one of i.
    let mut sum: f64 = differing.iter().sum();
    let mut negative = 0_u32;
    let mut hits = 1_u32;
    let all = 1_u32 << differing.len();
    for step in 1..all {
        let changed = step.trailing_zeros();
        negative ^= 1 << changed;
        let sign = if negative >> changed & 1 == 1 { -2.0 } else { 2.0 };
        sum += sign * differing.get(changed as usize).copied().unwrap_or_default();
        hits += u32::from(sum.abs() >= observed - TIE);
    }
    f64::from(hits) / f64::from(all)
}

/// Estimates the same share from random signs. The observed signs count as one of them, so that p is never 0.
fn try_random_signs(differing: &[f64], observed: f64) -> f64 {
    let total: f64 = differing.iter().sum();
    let mut bits = RandomBits(SEED);
    let mut hits = 0_u32;
    for _ in 0..FLIPS {
        let mut positive = 0.0;
        for part in differing.chunks(64) {
            let mut signs = bits.next().unwrap_or_default();
            for value in part {
                positive += if signs & 1 == 1 { *value } else { 0.0 };
                signs >>= 1;
            }
        }
        // The sum with signs is what is positive minus the rest.
        hits += u32::from((2.0 * positive - total).abs() >= observed - TIE);
    }
    f64::from(hits + 1) / f64::from(FLIPS + 1)
}

/// Adjusts the p-values of several comparisons of one question (Holm): the smallest counts as often as there are comparisons,
/// the next one time less, and none counts less than the one before.
pub fn adjust_p_values(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        least = least.max(p_values[index] * count_to_f64(p_values.len() - rank)).min(1.0);
        adjusted[index] = least;
    }
    adjusted
}

/// Returns the least number of differing pairs that can be significant at `alpha`: if all of them go one way, p is 2 / 2^n.
pub fn find_least_differing(alpha: f64) -> usize {
    let mut p = 2.0;
    let mut count = 0;
    while p >= alpha && count < 1000 {
        p /= 2.0;
        count += 1;
    }
    count
}
