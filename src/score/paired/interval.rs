//! The intervals of a difference between two sides.

use super::PairedTable;
use super::distribution::find_t;
use crate::outcome::count_to_f64;
use crate::score::statistics::{compute_wilson_bounds, find_z};

/// The lower and the upper bound of a difference.
pub type Bounds = (f64, f64);

/// The least number of pairs that must differ before their spread says anything about the others.
const LEAST_DIFFERING: usize = 6;

/// Returns the interval of the difference `after - before` of two shares of the same cases (Newcombe 1998, method 10): the
/// Wilson intervals of both shares, squared and added, with the correlation phi of the pairs.
pub fn compute_newcombe_interval(table: PairedTable, level: f64) -> Bounds {
    let PairedTable { both, lost, won, neither } = table;
    let [both, lost, won, neither] = [both, lost, won, neither].map(f64::from);
    let all = both + lost + won + neither;
    let z = find_z(level);
    let before = (both + lost) / all;
    let after = (both + won) / all;
    let (before_low, before_high) = compute_wilson_bounds(before, all, z);
    let (after_low, after_high) = compute_wilson_bounds(after, all, z);
    let margins = (both + lost) * (won + neither) * (both + won) * (lost + neither);
    // Phi with Newcombe's correction: a positive association is reduced by half a pair, down to none.
    let association = both * neither - lost * won;
    let corrected = if association > 0.0 { (association - all / 2.0).max(0.0) } else { association };
    let phi = if margins > 0.0 { corrected / margins.sqrt() } else { 0.0 };
    // A difference is lowest with `after` at its lower and `before` at its upper bound.
    let combine =
        |one: f64, other: f64| (one * one - 2.0 * phi * one * other + other * other).max(0.0).sqrt();
    let difference = (won - lost) / all;
    let lower = difference - combine(after - after_low, before_high - before);
    let upper = difference + combine(after_high - after, before - before_low);
    (lower, upper)
}

/// Returns the interval of the mean of `values` (Student's t). Without a value it is the whole range of a difference.
///
/// A spread of zero is no knowledge: ten pairs without any difference do not prove a difference of zero. If fewer than six values
/// are not zero, or if all are the same, each end is at least as far from the mean as the share of an event that `values.len()`
/// observations can have missed.
pub fn compute_t_interval(values: &[f64], level: f64) -> Bounds {
    if values.is_empty() {
        return (-1.0, 1.0);
    }
    let count = count_to_f64(values.len());
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (count - 1.0).max(1.0) / count).sqrt();
    let freedom = u32::try_from(values.len() - 1).unwrap_or(u32::MAX);
    let spread = if freedom == 0 { 0.0 } else { find_t(level, freedom) * error };
    let differing = values.iter().filter(|value| value.abs() > super::TIE).count();
    let is_degenerate = differing < LEAST_DIFFERING || spread <= super::TIE;
    let least = if is_degenerate { 1.0 - ((1.0 - level) / 2.0).powf(1.0 / count) } else { 0.0 };
    let width = spread.max(least);
    (mean - width, mean + width)
}
