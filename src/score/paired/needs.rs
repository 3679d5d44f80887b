//! How many cases would decide a comparison that is undecided.

use serde::Serialize;

use super::distribution::find_t;
use super::significance::{find_least_differing, test_sign_flips};
use super::{
    ComparisonWord, PairedResult, PairedSample, PairedSettings, PairedTable, UndecidedWhy,
    compute_newcombe_interval,
};
use crate::outcome::count_to_f64;
use crate::score::statistics::find_z;

/// The largest number of cases that is looked at.
const MAX_CASES: u32 = 100_000;

/// The largest number of differences that are tested by their signs. Of more, the interval says the same.
const MOST_TESTED: usize = 40;

/// The number of cases, with so many runs each, that would decide a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Needs {
    /// The number of cases with a result on both sides.
    pub cases: u32,
    /// The number of runs of each case.
    pub runs: u32,
}

/// Returns the least number of cases at which the observed differences, in the same proportions, get another word than
/// `undecided`. `None` if the comparison is decided, if more cases of this kind do not decide it, or if there would have to be more
/// than 100,000. `comparisons` is the number of comparisons that belong together, and `runs` the number of runs of a case.
pub fn find_needs(
    result: &PairedResult,
    settings: &PairedSettings,
    comparisons: usize,
    runs: u32,
) -> Option<Needs> {
    let can_help = matches!(result.why, Some(UndecidedWhy::Chance | UndecidedWhy::FewDiffer));
    if result.word != ComparisonWord::Undecided || !can_help {
        return None;
    }
    let alpha = (1.0 - settings.confidence) / count_to_f64(comparisons.max(1));
    let cases = match &result.statistics.as_ref()?.sample {
        PairedSample::Table(table) => find_table(*table, alpha, settings.margin)?,
        PairedSample::Differences(differences) => {
            let units = find_differences(differences, alpha, settings.margin)?;
            // Clusters would grow in number and not in size.
            let size = count_to_f64(result.pairs) / count_to_f64(differences.len());
            round_to_count(f64::from(units) * size)
        }
    };
    Some(Needs { cases, runs })
}

/// Finds the size at which the table, scaled and rounded, gets a word.
fn find_table(table: PairedTable, alpha: f64, margin: Option<f64>) -> Option<u32> {
    let counted = table.both + table.lost + table.won + table.neither;
    let z = find_z(1.0 - alpha);
    let mut tested = (0, 0, 1.0);
    (counted + 1..=MAX_CASES).find(|size| {
        let scale = f64::from(*size) / f64::from(counted);
        let scaled = |count: u32| round_to_count(f64::from(count) * scale);
        let both = scaled(table.both);
        let lost = scaled(table.lost);
        let won = scaled(table.won);
        let neither = size.saturating_sub(both + lost + won);
        let larger = PairedTable { both, lost, won, neither };
        if margin.is_some_and(|margin| compute_newcombe_interval(larger, 1.0 - alpha).0 > -margin) {
            return true;
        }
        // The exact test is slow for large counts, and never significant where its normal approximation is far from it.
        let deviation = f64::from(lost.abs_diff(won)) / f64::from((lost + won).max(1)).sqrt();
        if deviation < 0.5 * z {
            return false;
        }
        if (tested.0, tested.1) != (lost, won) {
            tested = (lost, won, larger.test_difference());
        }
        tested.2 < alpha
    })
}

/// Finds the number of differences with the same mean and the same spread that gets a word. More differences never make the
/// interval wider, so the first number is found by bisection. The word `worse` is that of the test of signs, which is
/// asked about few differences: they are coarser than the interval tells.
fn find_differences(differences: &[f64], alpha: f64, margin: Option<f64>) -> Option<u32> {
    let count = count_to_f64(differences.len());
    let mean = differences.iter().sum::<f64>() / count;
    let squares: f64 = differences.iter().map(|value| (value - mean).powi(2)).sum();
    let spread = (squares / (count - 1.0).max(1.0)).sqrt();
    let differing = differences.iter().filter(|value| value.abs() > super::TIE).count();
    let least_differing = find_least_differing(alpha);
    let decides = |size: u32| {
        let enough = count_to_f64(differing) * f64::from(size) / count >= count_to_f64(least_differing);
        let width = find_t(1.0 - alpha, size - 1) * spread / f64::from(size).sqrt();
        let missed = 1.0 - (alpha / 2.0).powf(1.0 / f64::from(size));
        let width = if enough { width } else { width.max(missed) };
        mean.abs() > width && enough || margin.is_some_and(|margin| mean - width > -margin)
    };
    // At the present number, nothing is decided.
    let mut low = u32::try_from(differences.len()).unwrap_or(MAX_CASES).saturating_add(1).max(2);
    let mut high = MAX_CASES;
    if !decides(high) {
        return None;
    }
    while low < high {
        let middle = low.midpoint(high);
        if decides(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let is_within = |size: u32| {
        let width = find_t(1.0 - alpha, size - 1) * spread / f64::from(size).sqrt();
        margin.is_some_and(|margin| mean - width > -margin)
    };
    let mut tested = (Vec::new(), 1.0);
    (high..=MAX_CASES).find(|size| {
        let scaled = scale_differences(differences, *size);
        if is_within(*size) || scaled.len() > MOST_TESTED {
            return true;
        }
        // Most sizes have the differences of the one before.
        if tested.0 != scaled {
            let (p_value, _) = test_sign_flips(&scaled);
            tested = (scaled, p_value);
        }
        tested.1 < alpha
    })
}

/// Returns the differences that are not zero, each value as often as it is in so many cases.
fn scale_differences(differences: &[f64], size: u32) -> Vec<f64> {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|value| value.abs() > super::TIE).collect();
    sorted.sort_by(f64::total_cmp);
    let scale = f64::from(size) / count_to_f64(differences.len());
    let equals = sorted.chunk_by(|one, other| (one - other).abs() <= super::TIE);
    let repeated = equals.flat_map(|equal| {
        let count = round_to_count(count_to_f64(equal.len()) * scale);
        std::iter::repeat_n(equal[0], count as usize)
    });
    repeated.collect()
}

/// Rounds a small positive number to the nearest count.
fn round_to_count(value: f64) -> u32 {
    // The value is at most a few times `MAX_CASES`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded above")]
    let count = value.round() as u32;
    count
}
