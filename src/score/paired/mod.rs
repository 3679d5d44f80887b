//! Compares two sides that ran the same cases: two runs, or two variants of an agent.
//!
//! The unit is the case, whose figure on each side is the share of its runs that passed, or their mean score. Runs of an agent
//! differ by chance, so one case that fell says little. The word for all of them is what chance does not explain:
//! [`ComparisonWord::Worse`], `Better`, `NoWorse` or `Undecided`.

mod distribution;
mod interval;
mod needs;
mod plan;
mod significance;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::outcome::count_to_f64;

pub(crate) use distribution::RandomBits;
pub use interval::{Bounds, compute_newcombe_interval, compute_t_interval};
pub use needs::{Needs, find_needs};
pub use plan::{ComparisonPlan, PlannedCase, PlannedRuns, plan_comparison};
pub use significance::{adjust_p_values, find_least_differing, test_sign_flips};

/// Differences that are smaller are rounding errors.
const TIE: f64 = 1e-9;
/// The largest share of cases without a result on one side.
const MAX_MISSING: f64 = 0.05;
/// The least number of clusters whose spread says anything.
pub const LEAST_CLUSTERS: usize = 10;

/// What is compared of a case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The share of its runs that passed.
    #[default]
    Passed,
    /// The mean score of its runs.
    Score,
}

/// The figure of a case on one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CaseFigure {
    /// The figure, from 0 to 1.
    pub value: f64,
    /// The number of runs with a result.
    pub runs: u32,
    /// The number of runs without a result, which the figure leaves out.
    pub lost: u32,
}

impl CaseFigure {
    /// Returns the share of the runs that have no result.
    fn share_lost(self) -> f64 {
        f64::from(self.lost) / f64::from((self.runs + self.lost).max(1))
    }
}

/// A case that both sides ran. `None` stands for a side without a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CasePair {
    /// The figure on the first side.
    pub before: Option<CaseFigure>,
    /// The figure on the second side.
    pub after: Option<CaseFigure>,
    /// The number of the cluster of the case. Without clusters, it has no effect.
    pub cluster: usize,
}

impl CasePair {
    /// Returns the number of runs without a result on the second side, if they are a larger part there than on the first. A case
    /// that only the second side lacks counts as one run.
    fn count_lost_after(self) -> u32 {
        match (self.before, self.after) {
            (Some(_), None) => 1,
            (Some(before), Some(after)) if after.share_lost() > before.share_lost() => after.lost,
            _ => 0,
        }
    }

    /// Returns the pair with a failure in place of each result that is missing after, but not before.
    fn fail_lost(self) -> Self {
        let after = match (self.before, self.after) {
            (Some(before), None) => Some(CaseFigure { value: 0.0, ..before }),
            (Some(before), Some(after)) if self.count_lost_after() > 0 => {
                // What is lost on both sides says nothing about either of them.
                let excess = after.share_lost() - before.share_lost();
                let value = after.value * (1.0 - after.share_lost()) / (1.0 - after.share_lost() + excess);
                Some(CaseFigure { value, runs: after.runs + after.lost, lost: 0 })
            }
            (_, after) => after,
        };
        Self { after, ..self }
    }
}

/// The settings of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedSettings {
    /// What is compared.
    pub measure: Measure,
    /// The confidence of the intervals; 1 minus the level of the tests.
    pub confidence: f64,
    /// The drop that is accepted, in parts of 1.
    pub margin: Option<f64>,
    /// Whether the clusters of the cases count, because cases of one cluster rise and fall together.
    pub has_clusters: bool,
}

impl Default for PairedSettings {
    fn default() -> Self {
        Self { measure: Measure::Passed, confidence: 0.95, margin: None, has_clusters: false }
    }
}

/// The numbers of cases by whether they passed on each side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairedTable {
    /// Passed on both sides.
    pub both: u32,
    /// Passed before only.
    pub lost: u32,
    /// Passed after only.
    pub won: u32,
    /// Passed on neither side.
    pub neither: u32,
}

impl PairedTable {
    /// Returns the p-value of the difference (`McNemar`, exact, two-sided).
    pub fn test_difference(self) -> f64 {
        distribution::test_even_split(self.lost, self.won)
    }
}

/// How the p-value of a comparison was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PairedMethod {
    /// The exact test of `McNemar`, with Newcombe's interval: each case has one run on each side, which passed or failed.
    McnemarExact,
    /// All signs of the differences, with Student's interval.
    SignFlipExact,
    /// Random signs of the differences, with Student's interval.
    SignFlipSampled,
}

/// The result of a comparison in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ComparisonWord {
    /// The second side is lower, and chance does not explain it.
    Worse,
    /// The second side is higher, and chance does not explain it.
    Better,
    /// The second side is not lower by more than the margin.
    NoWorse,
    /// The cases do not decide it.
    Undecided,
}

impl ComparisonWord {
    /// Returns the word for people: `no worse`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Better => "better",
            Self::NoWorse => "no worse",
            Self::Undecided => "undecided",
        }
    }
}

/// Why a comparison is undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndecidedWhy {
    /// More than 5 % of the cases have no result on one side.
    ManyMissing,
    /// No case has a result on both sides.
    NoPairs,
    /// There are fewer than ten clusters.
    FewClusters,
    /// It would be decided, unless the cases and runs without a result on the second side failed.
    MissingMatters,
    /// So few pairs differ that no test can call them anything but chance.
    FewDiffer,
    /// The difference may be chance.
    Chance,
}

/// The figures of the pairs of one comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedStatistics {
    /// The figures that are compared, one for each pair.
    pub sample: PairedSample,
    /// The mean difference, `after - before`.
    pub difference: f64,
    /// The interval of the difference.
    pub interval: Bounds,
    /// The p-value of the difference.
    pub p_value: f64,
    /// How the p-value was computed.
    pub method: PairedMethod,
}

/// The differences of a comparison, in the form that its test reads.
#[derive(Debug, Clone, PartialEq)]
pub enum PairedSample {
    /// One run on each side, which passed or failed.
    Table(PairedTable),
    /// A difference for each case or cluster.
    Differences(Vec<f64>),
}

/// The result of one comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedResult {
    /// The number of cases with a result on both sides.
    pub pairs: usize,
    /// The number of cases without a result on the first side.
    pub missing_before: usize,
    /// The number of cases without a result on the second side.
    pub missing_after: usize,
    /// The number of runs without a result on the second side, of cases with a figure in which they are a larger part there.
    pub lost_after: usize,
    /// The number of clusters, if they count.
    pub clusters: Option<usize>,
    /// The figures; `None` without a pair.
    pub statistics: Option<PairedStatistics>,
    /// The p-value, adjusted for several comparisons; 1 without a pair.
    pub p_adjusted: f64,
    /// The word.
    pub word: ComparisonWord,
    /// Why the word is `undecided`.
    pub why: Option<UndecidedWhy>,
    /// The least number of differing pairs that can be decisive.
    pub least_differing: usize,
}

/// Compares the cases of several comparisons that belong to one question, such as several variants beside one baseline. Each of
/// them is held to a stricter level, so that all together err as rarely as one alone.
pub fn compare_sides(comparisons: &[Vec<CasePair>], settings: &PairedSettings) -> Vec<PairedResult> {
    let alpha = 1.0 - settings.confidence;
    let count = count_to_f64(comparisons.len().max(1));
    let level = 1.0 - alpha / count;
    let measured: Vec<_> = comparisons.iter().map(|pairs| measure_pairs(pairs, settings, level)).collect();
    // The same with each case and each run failed that only the second side left without a result.
    let worst: Vec<_> = comparisons
        .iter()
        .zip(&measured)
        .map(|(pairs, measured)| {
            if pairs.iter().any(|pair| pair.count_lost_after() > 0) {
                let failed: Vec<CasePair> = pairs.iter().map(|pair| pair.fail_lost()).collect();
                measure_pairs(&failed, settings, level)
            } else {
                measured.clone()
            }
        })
        .collect();
    let [adjusted, worst_adjusted] = [&measured, &worst].map(|all| {
        let p_values: Vec<f64> =
            all.iter().map(|one| one.as_ref().map_or(1.0, |statistics| statistics.p_value)).collect();
        adjust_p_values(&p_values)
    });
    let least_differing = find_least_differing(alpha / count);
    let each = comparisons.iter().zip(measured).zip(worst).zip(adjusted.into_iter().zip(worst_adjusted));
    each.map(|(((pairs, statistics), worst), (p_adjusted, worst_adjusted))| {
        let mut result = PairedResult {
            pairs: pairs.iter().filter(|pair| pair.before.is_some() && pair.after.is_some()).count(),
            missing_before: pairs.iter().filter(|pair| pair.before.is_none()).count(),
            missing_after: pairs.iter().filter(|pair| pair.after.is_none()).count(),
            lost_after: pairs
                .iter()
                .filter(|pair| pair.after.is_some())
                .map(|pair| pair.count_lost_after() as usize)
                .sum(),
            clusters: settings.has_clusters.then(|| count_clusters(pairs)),
            statistics,
            p_adjusted,
            word: ComparisonWord::Undecided,
            why: None,
            least_differing,
        };
        match choose_word(&result, pairs.len(), worst.as_ref(), worst_adjusted, settings) {
            Ok(word) => result.word = word,
            Err(why) => result.why = Some(why),
        }
        result
    })
    .collect()
}

/// Chooses the word of a comparison. The order of the questions is part of the definition.
fn choose_word(
    result: &PairedResult,
    cases: usize,
    worst: Option<&PairedStatistics>,
    worst_adjusted: f64,
    settings: &PairedSettings,
) -> Result<ComparisonWord, UndecidedWhy> {
    let alpha = 1.0 - settings.confidence;
    let most_missing = result.missing_before.max(result.missing_after);
    if count_to_f64(most_missing) > MAX_MISSING * count_to_f64(cases) {
        return Err(UndecidedWhy::ManyMissing);
    }
    let (Some(statistics), Some(worst)) = (&result.statistics, worst) else {
        return Err(UndecidedWhy::NoPairs);
    };
    if result.clusters.is_some_and(|clusters| clusters < LEAST_CLUSTERS) {
        return Err(UndecidedWhy::FewClusters);
    }
    let mut why = UndecidedWhy::Chance;
    // The interval alone decides whether a drop is within the margin, also one that is no chance.
    if let Some(margin) = settings.margin
        && statistics.interval.0 > -margin
    {
        // A side must not become better by leaving out the cases in which it crashes.
        if worst.interval.0 > -margin {
            return Ok(ComparisonWord::NoWorse);
        }
        why = UndecidedWhy::MissingMatters;
    }
    let is_significant = result.p_adjusted < alpha;
    if is_significant && statistics.difference < 0.0 {
        return Ok(ComparisonWord::Worse);
    }
    if is_significant && statistics.difference > 0.0 {
        if worst_adjusted < alpha && worst.difference > 0.0 {
            return Ok(ComparisonWord::Better);
        }
        why = UndecidedWhy::MissingMatters;
    }
    if why == UndecidedWhy::Chance && statistics.sample.count_differing() < result.least_differing {
        why = UndecidedWhy::FewDiffer;
    }
    Err(why)
}

impl PairedSample {
    /// Returns the number of pairs, or of clusters, that differ.
    pub fn count_differing(&self) -> usize {
        match self {
            Self::Table(table) => (table.lost + table.won) as usize,
            Self::Differences(all) => all.iter().filter(|difference| difference.abs() > TIE).count(),
        }
    }
}

/// Computes the figures of the pairs with a result on both sides; `None` without one.
fn measure_pairs(pairs: &[CasePair], settings: &PairedSettings, level: f64) -> Option<PairedStatistics> {
    let complete: Vec<(CaseFigure, CaseFigure, usize)> =
        pairs.iter().filter_map(|pair| Some((pair.before?, pair.after?, pair.cluster))).collect();
    if complete.is_empty() {
        return None;
    }
    let has_single_runs = complete.iter().all(|(before, after, _)| before.runs == 1 && after.runs == 1);
    if settings.measure == Measure::Passed && has_single_runs && !settings.has_clusters {
        let mut table = PairedTable::default();
        for (before, after, _) in &complete {
            let cell = match (before.value > 0.5, after.value > 0.5) {
                (true, true) => &mut table.both,
                (true, false) => &mut table.lost,
                (false, true) => &mut table.won,
                (false, false) => &mut table.neither,
            };
            *cell += 1;
        }
        let difference = (f64::from(table.won) - f64::from(table.lost)) / count_to_f64(complete.len());
        return Some(PairedStatistics {
            sample: PairedSample::Table(table),
            difference,
            interval: compute_newcombe_interval(table, level),
            p_value: table.test_difference(),
            method: PairedMethod::McnemarExact,
        });
    }
    let differences = average_clusters(&complete, settings.has_clusters);
    let (p_value, is_exact) = test_sign_flips(&differences);
    Some(PairedStatistics {
        difference: differences.iter().sum::<f64>() / count_to_f64(differences.len()),
        interval: compute_t_interval(&differences, level),
        p_value,
        method: if is_exact { PairedMethod::SignFlipExact } else { PairedMethod::SignFlipSampled },
        sample: PairedSample::Differences(differences),
    })
}

/// Returns the difference of each case, or the mean difference of each cluster.
fn average_clusters(complete: &[(CaseFigure, CaseFigure, usize)], has_clusters: bool) -> Vec<f64> {
    let differences = complete.iter().map(|(before, after, cluster)| (after.value - before.value, *cluster));
    if !has_clusters {
        return differences.map(|(difference, _)| difference).collect();
    }
    let mut clusters: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    for (difference, cluster) in differences {
        clusters.entry(cluster).or_default().push(difference);
    }
    clusters.into_values().map(|of_one| of_one.iter().sum::<f64>() / count_to_f64(of_one.len())).collect()
}

fn count_clusters(pairs: &[CasePair]) -> usize {
    let complete = pairs.iter().filter(|pair| pair.before.is_some() && pair.after.is_some());
    complete.map(|pair| pair.cluster).collect::<std::collections::BTreeSet<_>>().len()
}
