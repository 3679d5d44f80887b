//! The distributions behind the tests and the intervals of a comparison.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2};

/// Returns the probability that two outcomes of equal chance split `one` to `other`, or more unequally, in either direction:
/// the exact two-sided binomial test.
pub(super) fn test_even_split(one: u32, other: u32) -> f64 {
    let fewer = one.min(other);
    let all = f64::from(one) + f64::from(other);
    // The middle outcome belongs to both tails.
    if one == other {
        return 1.0;
    }
    // The largest term of the lower tail, in logarithms because it leaves the range of a float when there are many outcomes.
    // The others follow from it one by one.
    let first: f64 =
        (1..=fewer).map(|drawn| ((all - f64::from(fewer - drawn)) / f64::from(drawn)).ln()).sum();
    let mut term = (first - all * LN_2).exp();
    let mut tail = term;
    for drawn in (1..=fewer).rev() {
        term *= f64::from(drawn) / (all - f64::from(drawn) + 1.0);
        tail += term;
        // The terms fall faster and faster, so the rest cannot change the sum.
        if term < tail * f64::EPSILON {
            break;
        }
    }
    (2.0 * tail).min(1.0)
}

/// Returns the number of standard errors to each side of the mean of a sample that contain the true mean with probability
/// `level`: the two-sided quantile of Student's t distribution with `freedom` degrees of freedom.
pub(super) fn find_t(level: f64, freedom: u32) -> f64 {
    let root = f64::from(freedom).sqrt();
    // As the angle `atan(t / root)` every t, however large, lies in a bounded interval, and the share grows with the angle.
    // Each step halves the interval: after 60 of them it is narrower than the last digit of a float.
    let mut low = 0.0;
    let mut high = FRAC_PI_2;
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if share_within_angle(middle, freedom) < level {
            low = middle;
        } else {
            high = middle;
        }
    }
    root * low.tan()
}

/// Returns the share of Student's t distribution within `root * tan(angle)` of its middle (Abramowitz and Stegun, 26.7.3 and
/// 26.7.4). For whole degrees of freedom it is a finite sum of positive terms, so that nothing cancels.
fn share_within_angle(angle: f64, freedom: u32) -> f64 {
    let (sine, cosine) = angle.sin_cos();
    // An even number of degrees sums cos^0, cos^2, ...; an odd one cos^1, cos^3, ... beside the angle itself.
    let odd = freedom % 2 == 1;
    let mut power = u32::from(odd);
    let mut term = if odd { cosine } else { 1.0 };
    let mut sum = 0.0;
    while power + 2 <= freedom {
        sum += term;
        term *= cosine * cosine * f64::from(power + 1) / f64::from(power + 2);
        power += 2;
        if term < sum * f64::EPSILON {
            break;
        }
    }
    if odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

/// A generator of random bits with a fixed seed (`SplitMix64`), so that a comparison of the same runs always says the same.
pub(crate) struct RandomBits(pub(crate) u64);

impl Iterator for RandomBits {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Some(mixed ^ (mixed >> 31))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binomial_test_counts_both_tails() {
        // Three wins of three: 2 of 8 outcomes are that unequal. One of six: 2 (1 + 6) of 64.
        let cases =
            [(0, 0, 1.0), (3, 0, 0.25), (0, 5, 0.0625), (0, 6, 0.03125), (1, 5, 14.0 / 64.0), (4, 4, 1.0)];
        for (one, other, exact) in cases {
            assert!((test_even_split(one, other) - exact).abs() < 1e-14, "{one} to {other}");
        }
        assert!(test_even_split(50_000, 51_000).is_finite());
    }

    /// The expected values are those of every printed table.
    #[test]
    fn t_is_that_of_the_tables() {
        let table = [
            (1, 12.706_204_736),
            (2, 4.302_652_730),
            (9, 2.262_157_163),
            (29, 2.045_229_642),
            (100, 1.983_971_519),
        ];
        for (freedom, printed) in table {
            assert!((find_t(0.95, freedom) - printed).abs() < 1e-8, "{freedom}");
        }
        // With many degrees of freedom it is the normal distribution.
        assert!((find_t(0.95, 100_000) - 1.959_963_98).abs() < 1e-4);
    }
}
