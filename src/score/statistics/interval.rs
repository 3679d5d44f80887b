//! Where a true figure lies, as far as a sample can tell.

use serde::{Deserialize, Serialize};

use super::{rounded, share};

/// Two bounds, to four decimals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Interval {
    /// The lower bound.
    pub lower: f64,
    /// The upper bound.
    pub upper: f64,
}

impl Interval {
    /// Where the mean lies from which a sample of `count` numbers with this `mean` and deviation was drawn (normal).
    pub(super) fn of_mean(mean: f64, std_dev: f64, count: u32, level: f64) -> Self {
        let margin = printed_z(level) * std_dev / f64::from(count.max(1)).sqrt();
        Self { lower: rounded(mean - margin), upper: rounded(mean + margin) }
    }

    /// Where the rate lies at which `hits` of `all` happen (Wilson's score interval). Without any it may be all.
    pub fn of_rate(hits: u32, all: u32, level: f64) -> Self {
        if all == 0 {
            return Self { lower: 0.0, upper: 1.0 };
        }
        let (n, rate, z) = (f64::from(all), share(hits, all), z(level));
        let scale = 1.0 + z * z / n;
        let centre = (rate + z * z / (2.0 * n)) / scale;
        let margin = z / scale * (rate * (1.0 - rate) / n + z * z / (4.0 * n * n)).sqrt();
        Self { lower: rounded((centre - margin).max(0.0)), upper: rounded((centre + margin).min(1.0)) }
    }
}

/// The z of the three usual levels as tables print it, and so as other tools compute with it: a fourth decimal that
/// differs from theirs looks like a mistake. Any other level is computed.
fn printed_z(level: f64) -> f64 {
    let printed = [(0.90, 1.645), (0.95, 1.96), (0.99, 2.576)];
    let printed = printed.into_iter().find(|(at, _)| (at - level).abs() < 1e-12);
    printed.map_or_else(|| z(level), |(_, z)| z)
}

/// How many standard deviations to each side of a normal mean hold `level` of all cases.
fn z(level: f64) -> f64 {
    if level.is_nan() {
        return 0.0;
    }
    // From the tail: what is left beside a level near 1 would be lost in the sum of the level and 1. A level that
    // leaves no tail, or is none, is taken for the nearest that is one.
    let tail = ((1.0 - level) / 2.0).clamp(f64::MIN_POSITIVE, 0.5);
    upper_quantile(tail)
}

/// The number that a standard normal variable exceeds with probability `tail`, which is at most a half: algorithm
/// AS 241 (Wichura 1988), exact to about 16 digits.
fn upper_quantile(tail: f64) -> f64 {
    let centre = 0.5 - tail;
    if centre <= 0.425 {
        let r = 0.180_625 - centre * centre;
        return centre * polynomial(&NEAR_ABOVE, r) / polynomial(&NEAR_BELOW, r);
    }
    let r = (-tail.ln()).sqrt();
    if r <= 5.0 {
        return polynomial(&MIDDLE_ABOVE, r - 1.6) / polynomial(&MIDDLE_BELOW, r - 1.6);
    }
    polynomial(&FAR_ABOVE, r - 5.0) / polynomial(&FAR_BELOW, r - 5.0)
}

/// Coefficients from the highest power down.
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

const NEAR_ABOVE: [f64; 8] = [
    2_509.080_928_730_122_7,
    33_430.575_583_588_13,
    67_265.770_927_008_7,
    45_921.953_931_549_87,
    13_731.693_765_509_46,
    1_971.590_950_306_551_3,
    133.141_667_891_784_38,
    3.387_132_872_796_366_5,
];
const NEAR_BELOW: [f64; 8] = [
    5_226.495_278_852_854,
    28_729.085_735_721_943,
    39_307.895_800_092_71,
    21_213.794_301_586_597,
    5_394.196_021_424_751,
    687.187_007_492_057_9,
    42.313_330_701_600_91,
    1.0,
];
const MIDDLE_ABOVE: [f64; 8] = [
    7.745_450_142_783_414e-4,
    0.022_723_844_989_269_184,
    0.241_780_725_177_450_6,
    1.270_458_252_452_368_4,
    3.647_848_324_763_204_5,
    5.769_497_221_460_691,
    4.630_337_846_156_546,
    1.423_437_110_749_683_5,
];
const MIDDLE_BELOW: [f64; 8] = [
    1.050_750_071_644_416_9e-9,
    5.475_938_084_995_345e-4,
    0.015_198_666_563_616_457,
    0.148_103_976_427_480_08,
    0.689_767_334_985_1,
    1.676_384_830_183_803_8,
    2.053_191_626_637_759,
    1.0,
];
const FAR_ABOVE: [f64; 8] = [
    2.010_334_399_292_288_1e-7,
    2.711_555_568_743_487_6e-5,
    1.242_660_947_388_078_4e-3,
    0.026_532_189_526_576_124,
    0.296_560_571_828_504_87,
    1.784_826_539_917_291_3,
    5.463_784_911_164_114,
    6.657_904_643_501_103,
];
const FAR_BELOW: [f64; 8] = [
    2.044_263_103_389_939_8e-15,
    1.421_511_758_316_446e-7,
    1.846_318_317_510_054_8e-5,
    7.868_691_311_456_133e-4,
    0.014_875_361_290_850_615,
    0.136_929_880_922_735_8,
    0.599_832_206_555_888,
    1.0,
];

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF, Normal};

    use super::*;

    #[test]
    fn the_quantile_agrees_with_another_implementation_in_all_three_regions() {
        let normal = Normal::standard();
        let tails = (1..=500).map(|step| f64::from(step) / 1000.0);
        for tail in tails.chain((3..300).map(|power| 10_f64.powi(-power))) {
            let (ours, theirs) = (upper_quantile(tail), -normal.inverse_cdf(tail));
            assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1e-3), "{tail}: {ours}, {theirs}");
        }
    }

    /// Computed with forty digits; the other implementation is exact to ten digits only.
    #[test]
    fn the_quantile_is_exact_to_the_last_digits() {
        for (tail, exact) in [
            (0.25, 0.674_489_750_196_081_7),
            (0.1, 1.281_551_565_544_600_4),
            (0.025, 1.959_963_984_540_054),
            (0.005, 2.575_829_303_548_900_4),
            (1e-5, 4.264_890_793_922_825),
            (1e-10, 6.361_340_902_404_056),
            (1e-300, 37.047_096_299_361_2),
        ] {
            let ours = upper_quantile(tail);
            assert!((ours - exact).abs() <= 1e-15 * exact, "{tail}: {ours}, {exact}");
        }
    }

    #[test]
    fn a_level_that_is_none_still_has_a_finite_z() {
        for level in [f64::NAN, f64::INFINITY, -f64::INFINITY, -1.0, 0.0, 1.0, 2.0, 1.0 - f64::EPSILON / 2.0]
        {
            assert!(z(level).is_finite() && z(level) >= 0.0, "{level}");
        }
    }

    /// Wilson's bounds are where the normal approximation of the binomial just reaches the observed rate.
    #[test]
    fn the_observed_rate_lies_z_deviations_from_either_bound() {
        for (hits, all, level) in [(8, 10, 0.95), (1, 3, 0.5), (70, 1000, 0.99), (3, 4, 0.8)] {
            let interval = Interval::of_rate(hits, all, level);
            let z = Normal::standard().inverse_cdf(f64::midpoint(1.0, level));
            for bound in [interval.lower, interval.upper] {
                let deviation = (bound * (1.0 - bound) / f64::from(all)).sqrt();
                let distance = (share(hits, all) - bound).abs() / deviation;
                assert!((distance - z).abs() < 2e-2, "{hits}/{all}: {distance}, {z}");
            }
        }
    }

    #[test]
    fn a_rate_of_none_or_all_keeps_an_interval() {
        assert_eq!(Interval::of_rate(0, 10, 0.95), Interval { lower: 0.0, upper: 0.2775 });
        assert_eq!(Interval::of_rate(10, 10, 0.95), Interval { lower: 0.7225, upper: 1.0 });
        assert_eq!(Interval::of_rate(8, 10, 0.95), Interval { lower: 0.4902, upper: 0.9433 });
        assert_eq!(Interval::of_rate(0, 0, 0.95), Interval { lower: 0.0, upper: 1.0 });
    }

    #[test]
    fn an_interval_uses_the_level_that_was_asked_for() {
        let at = |level| Interval::of_mean(80.0, 10.0, 100, level).upper;
        assert_eq!((at(0.8), at(0.95), at(0.99)), (81.2816, 81.96, 82.576));
    }
}
