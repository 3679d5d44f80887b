//! The distribution of a list of numbers.

use serde::{Deserialize, Serialize};

use super::interval::Interval;
use super::{count, rounded};

/// The largest absolute value: larger numbers are clamped, so that no square leaves the range of a float.
const LARGEST: f64 = 1e100;

/// The distribution of a list of numbers, to four decimals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Spread {
    /// The count of the numbers.
    pub count: u32,
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the sample; 0 for a single number.
    pub std_dev: f64,
    /// The variance, which is the square of the standard deviation.
    pub variance: f64,
    /// The smallest number.
    pub min: f64,
    /// The largest number.
    pub max: f64,
    /// The median.
    pub median: f64,
    /// The 25th percentile.
    pub percentile_25: f64,
    /// The 75th percentile.
    pub percentile_75: f64,
    /// The 95th percentile.
    pub percentile_95: f64,
    /// The confidence interval of the true mean (normal approximation).
    pub mean_interval: Interval,
}

impl Spread {
    /// Describes the finite numbers among `values`; `None` without finite numbers.
    pub fn of_values(values: &[f64], confidence_level: f64) -> Option<Self> {
        let values = sort_finite(values);
        let min = *values.first()?;
        let max = *values.last()?;
        let count = count(&values);
        let mean = values.iter().sum::<f64>() / f64::from(count);
        let variance = sample_variance(&values, mean, count);
        let [percentile_25, median, percentile_75, percentile_95] =
            [25, 50, 75, 95].map(|percent| rounded(percentile_of(&values, percent)));
        Some(Self {
            count,
            mean: rounded(mean),
            std_dev: rounded(variance.sqrt()),
            variance: rounded(variance),
            min: rounded(min),
            max: rounded(max),
            median,
            percentile_25,
            percentile_75,
            percentile_95,
            mean_interval: Interval::around_mean(mean, variance.sqrt(), count, confidence_level),
        })
    }
}

/// Returns the number in the middle, or the mean of the two in the middle; `None` if there are no numbers.
pub fn median(values: &[f64]) -> Option<f64> {
    let values = sort_finite(values);
    (!values.is_empty()).then(|| percentile_of(&values, 50))
}

/// Returns the finite numbers in ascending order.
fn sort_finite(values: &[f64]) -> Vec<f64> {
    let finite = values.iter().filter(|value| value.is_finite());
    let mut values: Vec<f64> = finite.map(|value| value.clamp(-LARGEST, LARGEST)).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Returns the variance of a sample, divided by one less than its size because the mean is estimated from it, too.
fn sample_variance(values: &[f64], mean: f64, count: u32) -> f64 {
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    squares / f64::from(count.max(2) - 1)
}

/// Returns the percentile of the sorted `values`, interpolated linearly between two neighbours.
fn percentile_of(values: &[f64], percent: usize) -> f64 {
    // The position is `(n - 1) * percent / 100`. It is kept in hundredths, so that it has no rounding error.
    let hundredths = (values.len() - 1) * percent;
    let low = values[hundredths / 100];
    let high = values[hundredths.div_ceil(100)];
    let way = f64::from(u8::try_from(hundredths % 100).unwrap_or_default()) / 100.0;
    low * (1.0 - way) + high * way
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn a_single_number_has_no_spread() {
        let spread = Spread::of_values(&[71.5], 0.95).expect("a number");
        assert_eq!(
            (spread.mean, spread.std_dev, spread.median, spread.percentile_95),
            (71.5, 0.0, 71.5, 71.5)
        );
        assert_eq!((spread.mean_interval.lower, spread.mean_interval.upper), (71.5, 71.5));
    }

    #[test]
    fn numbers_that_are_equal_have_no_spread_but_for_noise_below_the_last_decimal() {
        let spread = Spread::of_values(&[0.1; 3], 0.95).expect("numbers");
        assert_eq!((spread.mean, spread.std_dev, spread.variance), (0.1, 0.0, 0.0));
    }

    #[test]
    fn what_is_no_number_is_left_out_and_what_is_huge_stays_finite() {
        assert_eq!(Spread::of_values(&[f64::NAN, f64::INFINITY], 0.95), None);
        let spread = Spread::of_values(&[f64::MAX, f64::MIN, f64::MAX], 0.99).expect("numbers");
        let json = json::to_string(&spread).expect("JSON");
        assert!(!json.contains("null"), "{json}");
    }

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        assert_eq!(median(&[0.9, 0.1, 0.5, 0.7]), Some(0.6));
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn ties_of_the_fourth_decimal_go_to_the_even_digit() {
        assert_eq!((rounded(66.031_25), rounded(66.031_75)), (66.0312, 66.0318));
        assert!(rounded(-0.000_01).is_sign_positive());
    }
}
