//! How many cases a comparison needs: before it is made, and before anybody pays for it.

use serde::Serialize;

use super::distribution::RandomBits;
use super::{PairedTable, TIE, compute_newcombe_interval, compute_t_interval, find_least_differing};
use crate::outcome::count_to_f64;
use crate::score::statistics::find_z;

/// The share of comparisons that get the word.
const POWER: f64 = 0.8;
/// The numbers of runs for each case and side that are planned.
const RUNS: [u32; 4] = [1, 3, 5, 10];
/// More cases than these are no plan.
const MOST_CASES: usize = 20_000;
/// The fewest cases that are looked at.
const FEWEST_CASES: usize = 5;
/// The number of comparisons that are simulated for one number of cases: their share has a standard error of two percent.
const REPETITIONS: usize = 400;
/// The number of difficulties that stand for all.
const DIFFICULTIES: usize = 4096;
/// Fixed, so that a plan is the same each time.
const SEED: u64 = 0x9_1A4;

/// The results of one case so far, from which its difficulty is drawn. Without any, it is drawn from Beta(4, 1), of which the mean
/// is 0.8.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlannedCase {
    /// The number of its runs that passed.
    pub passed: u32,
    /// The number of its runs that failed.
    pub failed: u32,
}

/// How many cases two words need.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonPlan {
    /// The drop that is accepted.
    pub margin: f64,
    /// The confidence of the intervals, and 1 minus the level of the test.
    pub confidence: f64,
    /// The share of comparisons that get the word.
    pub power: f64,
    /// The share of runs that pass before.
    pub passed: f64,
    /// The number of cases for each number of runs.
    pub plans: Vec<PlannedRuns>,
}

/// The numbers of cases for one number of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PlannedRuns {
    /// The number of runs of each case on each side.
    pub runs: u32,
    /// The cases for `no worse`, if nothing has changed. `None` for more than 20,000.
    pub no_worse: Option<usize>,
    /// The cases for `worse`, if the drop is the margin. `None` for more than 20,000.
    pub worse: Option<usize>,
}

/// Plans a comparison with this margin, of cases that are as hard as `cases`.
pub fn plan_comparison(cases: &[PlannedCase], margin: f64, confidence: f64) -> ComparisonPlan {
    let model = PlanModel::new(cases, margin, confidence);
    let plans = RUNS.map(|runs| PlannedRuns {
        runs,
        no_worse: find_cases(|count| model.simulate_no_worse(count, runs)),
        worse: find_cases(|count| model.find_worse_power(count, runs)),
    });
    ComparisonPlan { margin, confidence, power: POWER, passed: model.mean(), plans: plans.to_vec() }
}

/// Finds the least number of cases that has the power. The number is rounded up to two digits, because the power of a simulation
/// has no more.
fn find_cases(find_power: impl Fn(usize) -> f64) -> Option<usize> {
    let mut high = FEWEST_CASES;
    while find_power(high) < POWER {
        high *= 2;
        if high > MOST_CASES {
            return None;
        }
    }
    let mut low = high / 2;
    // Halves the gap until it is smaller than what two digits can say.
    while high - low > (high / 50).max(1) {
        let middle = usize::midpoint(low, high);
        if find_power(middle) < POWER {
            low = middle;
        } else {
            high = middle;
        }
    }
    let unit = 10_usize.pow(high.ilog10().saturating_sub(1));
    Some(high.div_ceil(unit) * unit)
}

/// The probabilities that the runs of cases pass.
struct PlanModel {
    /// The probability of each case before.
    before: Vec<f64>,
    /// The factor by which each falls if the mean falls by the margin.
    factor: f64,
    margin: f64,
    confidence: f64,
}

impl PlanModel {
    fn new(cases: &[PlannedCase], margin: f64, confidence: f64) -> Self {
        let mut random = RandomShare(RandomBits(SEED));
        let unknown = [PlannedCase::default()];
        let cases = if cases.is_empty() { &unknown } else { cases };
        let before: Vec<f64> =
            (0..DIFFICULTIES).map(|number| random.draw_beta(cases[number % cases.len()])).collect();
        let mean = before.iter().sum::<f64>() / count_to_f64(before.len());
        Self { before, factor: (1.0 - margin / mean).max(0.0), margin, confidence }
    }

    fn mean(&self) -> f64 {
        (self.before.iter().sum::<f64>() / count_to_f64(self.before.len()) * 1e4).round() / 1e4
    }

    /// Returns the share of comparisons that say `worse` if the mean falls by the margin.
    fn find_worse_power(&self, count: usize, runs: u32) -> f64 {
        if runs == 1 {
            let share = |one: fn(f64, f64) -> f64| {
                let sum: f64 = self.before.iter().map(|before| one(*before, before * self.factor)).sum();
                sum / count_to_f64(self.before.len())
            };
            let lost = share(|before, after| before * (1.0 - after));
            let won = share(|before, after| (1.0 - before) * after);
            return find_mcnemar_power(count, lost, won, 1.0 - self.confidence);
        }
        let least = find_least_differing(1.0 - self.confidence);
        let z = find_z(self.confidence);
        // With as many differences as a plan has, the signs of the test are a normal distribution: simulating a hundred thousand of
        // them in each of hundreds of comparisons would change no digit that is shown.
        self.simulate(count, runs, self.factor, |pairs| {
            let differences = list_differences(pairs);
            let sum: f64 = differences.iter().sum();
            let squares: f64 = differences.iter().map(|value| value * value).sum();
            let differing = differences.iter().filter(|value| value.abs() > TIE).count();
            sum < 0.0 && differing >= least && sum * sum > z * z * squares
        })
    }

    /// Returns the share of comparisons that say `no worse` if nothing has changed.
    fn simulate_no_worse(&self, count: usize, runs: u32) -> f64 {
        self.simulate(count, runs, 1.0, |pairs| {
            let (lower, _) = if runs == 1 {
                compute_newcombe_interval(count_table(pairs), self.confidence)
            } else {
                compute_t_interval(&list_differences(pairs), self.confidence)
            };
            lower > -self.margin
        })
    }

    /// Returns the share of simulated comparisons in which `decides` holds for the pairs of `count` cases. Each case passes `factor`
    /// times as often after as before.
    fn simulate(
        &self,
        count: usize,
        runs: u32,
        factor: f64,
        decides: impl Fn(&[SimulatedPair]) -> bool,
    ) -> f64 {
        let mut random = RandomShare(RandomBits(SEED));
        let mut hits = 0;
        let mut pairs = Vec::with_capacity(count);
        for _ in 0..REPETITIONS {
            pairs.clear();
            pairs.extend((0..count).map(|_| {
                let share = self.before[random.draw_index(self.before.len())];
                let [before, after] = [share, share * factor]
                    .map(|share| f64::from(random.count_hits(runs, share)) / f64::from(runs));
                SimulatedPair { before, after }
            }));
            hits += usize::from(decides(&pairs));
        }
        count_to_f64(hits) / count_to_f64(REPETITIONS)
    }
}

/// The share of the runs of a case that passed on each side.
#[derive(Debug, Clone, Copy)]
struct SimulatedPair {
    before: f64,
    after: f64,
}

fn list_differences(pairs: &[SimulatedPair]) -> Vec<f64> {
    pairs.iter().map(|pair| pair.after - pair.before).collect()
}

/// Counts the pairs of one run a side.
fn count_table(pairs: &[SimulatedPair]) -> PairedTable {
    let mut table = PairedTable::default();
    for pair in pairs {
        let count = match (pair.before > 0.5, pair.after > 0.5) {
            (true, true) => &mut table.both,
            (true, false) => &mut table.lost,
            (false, true) => &mut table.won,
            (false, false) => &mut table.neither,
        };
        *count += 1;
    }
    table
}

/// Returns the probability that `McNemar`'s exact test of `count` cases says `worse`, if a case is lost or won with these
/// probabilities.
///
/// It sums over the number of cases that differ, and for each over how many of them are lost. Numbers that are too unlikely to
/// change the sum are left out.
fn find_mcnemar_power(count: usize, lost: f64, won: f64, alpha: f64) -> f64 {
    let differ = lost + won;
    if differ <= 0.0 {
        return 0.0;
    }
    let (mean, deviation) =
        (count_to_f64(count) * differ, (count_to_f64(count) * differ * (1.0 - differ)).sqrt());
    let is_likely = |number: usize| (count_to_f64(number) - mean).abs() <= 8.0 * deviation + 2.0;
    (0..=count)
        .filter(|number| is_likely(*number))
        .map(|number| {
            let significant = (0..=number).rev().take_while(|lost| {
                let fewer = number - lost;
                let [lost, fewer] = [*lost, fewer].map(|part| u32::try_from(part).unwrap_or(u32::MAX));
                lost > fewer
                    && PairedTable { lost, won: fewer, ..PairedTable::default() }.test_difference() < alpha
            });
            let tail: f64 = significant.map(|hits| find_binomial(number, hits, lost / differ)).sum();
            find_binomial(count, number, differ) * tail
        })
        .sum()
}

/// Returns the probability of `hits` among `all`, in logarithms because the factors leave the range of a float.
fn find_binomial(all: usize, hits: usize, share: f64) -> f64 {
    let misses = all - hits;
    if share >= 1.0 {
        return if misses == 0 { 1.0 } else { 0.0 };
    }
    let ways: f64 = (1..=hits.min(misses))
        .map(|drawn| (count_to_f64(all - hits.min(misses) + drawn) / count_to_f64(drawn)).ln())
        .sum();
    (ways + count_to_f64(hits) * share.ln() + count_to_f64(misses) * (1.0 - share).ln()).exp()
}

/// Draws from distributions.
struct RandomShare(RandomBits);

impl RandomShare {
    /// Draws a number from 0 to 1, without 1.
    fn draw(&mut self) -> f64 {
        // The upper 53 bits are as many as a float has.
        let bits = self.0.next().unwrap_or_default() >> 11;
        #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
        let share = bits as f64 / (1_u64 << 53) as f64;
        share
    }

    fn draw_index(&mut self, count: usize) -> usize {
        usize::try_from(self.0.next().unwrap_or_default() % count.max(1) as u64).unwrap_or_default()
    }

    fn count_hits(&mut self, runs: u32, share: f64) -> u32 {
        (0..runs).map(|_| u32::from(self.draw() < share)).sum()
    }

    /// Draws the probability that a run of a case passes, from Beta(4 + passed, 1 + failed): a sum of exponential draws beside
    /// another one.
    fn draw_beta(&mut self, case: PlannedCase) -> f64 {
        let passes = self.draw_gamma(4 + case.passed);
        let failures = self.draw_gamma(1 + case.failed);
        passes / (passes + failures)
    }

    fn draw_gamma(&mut self, count: u32) -> f64 {
        (0..count).map(|_| -(1.0 - self.draw()).ln()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values were computed with scipy's binomial distribution.
    #[test]
    fn the_power_of_mcnemars_test_is_exact() {
        for (count, lost, won, power) in [
            (100, 0.10, 0.0, 0.94),
            (100, 0.15, 0.05, 0.54),
            (200, 0.15, 0.05, 0.88),
            (300, 0.10, 0.05, 0.56),
        ] {
            let found = find_mcnemar_power(count, lost, won, 0.05);
            assert!((found - power).abs() < 0.006, "{count} {lost} {won}: {found}");
        }
    }

    /// Beta(4, 1), and the test of all signs: simulated beforehand with scipy's permutation test.
    #[test]
    fn more_runs_need_fewer_cases() {
        for (count, runs, drop, power) in
            [(20, 10, 0.10, 0.65), (50, 5, 0.10, 0.71), (100, 3, 0.10, 0.81), (100, 10, 0.05, 0.77)]
        {
            let found = PlanModel::new(&[], drop, 0.95).find_worse_power(count, runs);
            assert!((found - power).abs() < 0.1, "{count} x {runs}: {found}");
        }
    }

    #[test]
    fn a_plan_has_fewer_cases_for_more_runs_and_for_a_wider_margin() {
        let wide = plan_comparison(&[], 0.1, 0.95);
        assert!((wide.passed - 0.8).abs() < 0.01, "{wide:?}");
        let cases: Vec<usize> = wide.plans.iter().filter_map(|plan| plan.worse).collect();
        assert!(cases.len() == 4 && cases.is_sorted_by(|one, other| one > other), "{wide:?}");
        let narrow = PlanModel::new(&[], 0.02, 0.95);
        let narrow = find_cases(|count| narrow.simulate_no_worse(count, 10));
        assert!(narrow > wide.plans[3].no_worse, "{narrow:?} {wide:?}");
        assert_eq!(find_cases(|_| 0.0), None);
        assert_eq!(find_cases(|count| if count >= 123 { 1.0 } else { 0.0 }), Some(130));
    }

    #[test]
    fn an_agent_that_was_always_right_is_planned_as_one_that_nearly_is() {
        let steady = [PlannedCase { passed: 10, failed: 0 }; 20];
        assert!((PlanModel::new(&steady, 0.05, 0.95).mean() - 14.0 / 15.0).abs() < 0.01);
    }
}
