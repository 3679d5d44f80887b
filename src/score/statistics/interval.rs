//! Confidence intervals of figures that a sample estimates.

use serde::{Deserialize, Serialize};

use super::{rounded, share};

/// The two bounds of an interval, to four decimals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Interval {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

impl Interval {
    /// The interval around the `mean` of a sample of `count` numbers that contains the true mean with probability
    /// `level` (normal approximation).
    pub(super) fn around_mean(mean: f64, std_dev: f64, count: u32, level: f64) -> Self {
        let margin = z_of_level(level) * std_dev / f64::from(count.max(1)).sqrt();
        Self { lower: rounded(mean - margin), upper: rounded(mean + margin) }
    }

    /// The interval that contains the true rate with probability `level` when `hits` of `all` were observed (Wilson's
    /// score interval). Without any observation it is 0 to 1.
    pub fn around_rate(hits: u32, all: u32, level: f64) -> Self {
        if all == 0 {
            return Self { lower: 0.0, upper: 1.0 };
        }
        let (lower, upper) = compute_wilson_bounds(share(hits, all), f64::from(all), z_of_level(level));
        Self { lower: rounded(lower), upper: rounded(upper) }
    }
}

/// Returns the bounds of Wilson's score interval for a `rate` of `n` observations, `z` standard deviations to each side. The
/// interval stays between 0 and 1, and is honest for a few observations, unlike the normal approximation.
pub(in crate::score) fn compute_wilson_bounds(rate: f64, n: f64, z: f64) -> (f64, f64) {
    let scale = 1.0 + z * z / n;
    let centre = (rate + z * z / (2.0 * n)) / scale;
    let margin = z / scale * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
    ((centre - margin).max(0.0), (centre + margin).min(1.0))
}

/// The z of the usual levels as tables print it. Other tools compute with these: a fourth decimal that differs from
/// theirs (the goldens in `tests/goldens/evalview` have 1.96) looks like a mistake.
const USUAL_Z: [(f64, f64); 3] = [(0.90, 1.645), (0.95, 1.96), (0.99, 2.576)];

/// More standard deviations than this leave no tail that a level below 1 could express.
const LARGEST_Z: f64 = 9.0;

/// Returns how many standard deviations to each side of a normal mean contain `level` of all cases: from the table, or
/// computed.
fn z_of_level(level: f64) -> f64 {
    let usual = USUAL_Z.into_iter().find(|(at, _)| (at - level).abs() < 1e-12);
    usual.map_or_else(|| find_z(level), |(_, z)| z)
}

/// Finds the z for `level` by bisection, since [`share_within`] grows with z. A level that is no probability gets the
/// nearest bound.
pub(in crate::score) fn find_z(level: f64) -> f64 {
    let mut low = 0.0;
    let mut high = LARGEST_Z;
    // Each step halves the interval: after 60 of them it is narrower than the last digit of a float.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if share_within(middle) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Returns the share of a normal distribution within `z` standard deviations of its mean.
///
/// It is 2 phi(z) (z + z^3/3 + z^5/(3*5) + ...). All terms are positive, so that nothing cancels; they fall as soon as
/// the odd number exceeds z^2.
fn share_within(z: f64) -> f64 {
    let mut term = z;
    let mut sum = z;
    let mut odd = 1.0;
    // The sum cannot change any more when a term is smaller than its last digit.
    while term > sum * f64::EPSILON {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    sum * (2.0 / std::f64::consts::PI).sqrt() * (-z * z / 2.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values were computed with forty digits.
    #[test]
    fn z_is_exact_to_twelve_digits() {
        for (level, exact) in [
            (0.5, 0.674_489_750_196_081_7),
            (0.8, 1.281_551_565_544_600_4),
            (0.95, 1.959_963_984_540_054),
            (0.99, 2.575_829_303_548_900_4),
            (1.0 - 2e-5, 4.264_890_793_922_825),
        ] {
            let z = find_z(level);
            assert!((z - exact).abs() <= 1e-12 * exact, "{level}: {z}, {exact}");
        }
    }

    #[test]
    fn usual_levels_have_the_z_of_the_tables() {
        for (level, printed) in USUAL_Z {
            assert!((find_z(level) - printed).abs() < 5e-4, "{level}");
        }
    }

    #[test]
    fn a_level_that_is_no_probability_still_has_a_finite_z() {
        for level in [f64::NAN, f64::INFINITY, -f64::INFINITY, -1.0, 0.0, 1.0, 2.0, 1.0 - f64::EPSILON / 2.0]
        {
            assert!((0.0..=LARGEST_Z).contains(&z_of_level(level)), "{level}");
        }
    }

    /// Wilson's bounds are where the normal approximation of the binomial just reaches the observed rate.
    #[test]
    fn the_observed_rate_lies_z_deviations_from_either_bound() {
        for (hits, all, level) in [(8, 10, 0.95), (1, 3, 0.5), (70, 1000, 0.99), (3, 4, 0.8)] {
            let interval = Interval::around_rate(hits, all, level);
            let z = find_z(level);
            for bound in [interval.lower, interval.upper] {
                let deviation = (bound * (1.0 - bound) / f64::from(all)).sqrt();
                let distance = (share(hits, all) - bound).abs() / deviation;
                assert!((distance - z).abs() < 2e-2, "{hits}/{all}: {distance}, {z}");
            }
        }
    }

    #[test]
    fn a_rate_of_none_or_all_keeps_an_interval() {
        assert_eq!(Interval::around_rate(0, 10, 0.95), Interval { lower: 0.0, upper: 0.2775 });
        assert_eq!(Interval::around_rate(10, 10, 0.95), Interval { lower: 0.7225, upper: 1.0 });
        assert_eq!(Interval::around_rate(8, 10, 0.95), Interval { lower: 0.4902, upper: 0.9433 });
        assert_eq!(Interval::around_rate(0, 0, 0.95), Interval { lower: 0.0, upper: 1.0 });
    }

    #[test]
    fn an_interval_uses_the_level_that_was_asked_for() {
        let at = |level| Interval::around_mean(80.0, 10.0, 100, level).upper;
        assert_eq!((at(0.8), at(0.95), at(0.99)), (81.2816, 81.96, 82.576));
    }
}
