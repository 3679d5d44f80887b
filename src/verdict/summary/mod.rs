//! The summary of a run, computed from its verdicts.
//!
//! A [`Row`] contains the figures of one verdict. A [`Group`] sums up the rows of a suite or of the whole run. The JSON of a
//! [`Summary`] is the file that `summary_baseline` reads.

mod row;

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

pub(crate) use row::reaches_thresholds;
pub use row::{GoldenRow, Row, is_golden};

use self::row::RunFigures;
use crate::case::Tier;
use crate::score::statistics::Spread;

/// The version of the JSON form of a summary.
pub const SUMMARY_VERSION: u32 = 1;

/// The confidence level of the mean's interval. [`Spread`] needs one, but a summary shows no interval.
const LEVEL: f64 = 0.95;

/// The summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// The version of the JSON form: [`SUMMARY_VERSION`].
    #[cfg_attr(test, schemars(extend("const" = SUMMARY_VERSION)))]
    pub schema_version: u32,
    /// The selected tier.
    pub tier: Tier,
    /// All cases that ran.
    pub total: Group,
    /// The cases of each suite with golden rows.
    #[serde(default)]
    pub suites: Vec<Group>,
}

/// The parts of a run's selection that its verdicts do not contain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The selected tier.
    #[serde(default)]
    pub tier: Tier,
    /// The number of cases that the tier or the tags leave out.
    #[serde(default)]
    pub skipped: usize,
    /// The suites with golden rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub golden: Vec<GoldenSuite>,
}

/// A suite with golden rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldenSuite {
    /// The harness that runs the suite, as in its verdicts.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub harness: String,
    /// The prefix of the names of the suite's trials.
    pub name: String,
    /// The number of its cases that the tier or the tags leave out.
    #[serde(default)]
    pub skipped: usize,
    /// The threshold of its gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<f64>,
}

/// The figures of a suite's cases together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// The suite, which is the prefix of its trials' names.
    pub name: String,
    /// The agents and their models, from the traces of golden rows.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub agents: BTreeSet<String>,
    /// The files of the golden rows.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub datasets: BTreeSet<String>,
    /// The number of cases that ran.
    pub cases: usize,
    /// The number of these cases in the smoke tier.
    pub smoke: usize,
    /// The number of cases that the tier or the tags leave out.
    pub skipped: usize,
    /// The number of cases that passed, each by its own threshold.
    pub passed: usize,
    /// The number of cases that did not pass.
    pub failed: usize,
    /// The threshold of the golden rows, if all have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The threshold of the suite's gate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<f64>,
    /// The means of the golden rows' axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<Axes>,
    /// The mean score of the cases; `None` if a case has no score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<f64>,
    /// The number of runs that were evaluated.
    pub runs: usize,
    /// The durations of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// The tokens of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// The cost of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// The scores of a golden row, or their means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Axes {
    /// Whether answers are based on calls.
    pub groundedness: f64,
    /// The share of the expected tools that were called.
    pub correctness: f64,
    /// The share of the expected fields that the answer contains.
    pub completeness: f64,
}

/// The durations of runs, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Latency {
    /// The median.
    pub p50_ms: f64,
    /// The 95th percentile.
    pub p95_ms: f64,
    /// The number of runs that record a duration.
    pub runs: usize,
}

/// The tokens of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tokens {
    /// Read by the model.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// The number of runs that record all their tokens.
    pub runs: usize,
}

/// The cost of runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cost {
    /// The cost in US dollars.
    pub usd: f64,
    /// The number of runs whose cost is known.
    pub runs: usize,
}

impl Summary {
    /// Sums up the rows of a run.
    pub fn from_rows(selection: &Selection, rows: &[Row]) -> Self {
        // Grouped once, because a run can have thousands of rows and hundreds of suites.
        let mut by_suite: HashMap<(&str, &str), Vec<&Row>> = HashMap::new();
        for row in rows {
            by_suite.entry((&row.place.0, &row.place.1)).or_default().push(row);
        }
        let suites = selection.golden.iter().filter_map(|suite| {
            let rows = by_suite.get(&(suite.harness.as_str(), suite.name.as_str()))?;
            let is_golden = rows.iter().any(|row| row.golden.is_some());
            let group = is_golden.then(|| Group::from_rows(&suite.name, &rows.iter().copied()))?;
            Some(Group { skipped: suite.skipped, gate: suite.gate, ..group })
        });
        Self {
            schema_version: SUMMARY_VERSION,
            tier: selection.tier,
            total: Group { skipped: selection.skipped, ..Group::from_rows("all", &rows.iter()) },
            suites: suites.collect(),
        }
    }
}

impl Axes {
    /// Returns the axes by name, in the order of the tables.
    pub fn by_name(self) -> [(&'static str, f64); 3] {
        [
            ("groundedness", self.groundedness),
            ("correctness", self.correctness),
            ("completeness", self.completeness),
        ]
    }

    fn from_each(mut axis: impl FnMut(&str) -> Option<f64>) -> Option<Self> {
        Some(Self {
            groundedness: axis("groundedness")?,
            correctness: axis("correctness")?,
            completeness: axis("completeness")?,
        })
    }

    fn get(self, axis: &str) -> Option<f64> {
        self.by_name().into_iter().find_map(|(name, value)| (name == axis).then_some(value))
    }
}

impl Group {
    /// Sums up `rows`. The number of skipped cases and the gate are not known from the rows.
    pub fn from_rows<'r>(name: &str, rows: &(impl Iterator<Item = &'r Row> + Clone)) -> Self {
        let runs: Vec<&RunFigures> = rows.clone().flat_map(|row| &row.runs).collect();
        let golden: Vec<&GoldenRow> = rows.clone().filter_map(|row| row.golden.as_ref()).collect();
        let cases = rows.clone().count();
        let passed = rows.clone().filter(|row| row.passed).count();
        Self {
            name: name.to_owned(),
            agents: golden.iter().flat_map(|row| row.agents.iter().cloned()).collect(),
            datasets: golden.iter().map(|row| row.dataset.clone()).collect(),
            cases,
            smoke: rows.clone().filter(|row| row.tier == Tier::Smoke).count(),
            skipped: 0,
            passed,
            failed: cases - passed,
            threshold: common_value(golden.iter().map(|row| row.threshold)),
            gate: None,
            axes: Axes::from_each(|axis| mean_of_known(golden.iter().map(|row| row.axes?.get(axis)))),
            overall: mean_of_known(rows.clone().map(|row| row.score)),
            runs: runs.len(),
            latency: summarize_latency(&runs),
            tokens: sum_tokens(&runs),
            cost: sum_costs(&runs),
        }
    }

    /// Returns the threshold of the means: that of the gate, or else that of the rows.
    pub fn least(&self) -> Option<f64> {
        self.gate.or(self.threshold)
    }
}

/// Returns the mean of the values; `None` without values, or if one of them is unknown.
fn mean_of_known(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mut sum = 0.0;
    let mut count = 0.0;
    for value in values {
        sum += value?;
        count += 1.0;
    }
    (count > 0.0).then_some(sum / count)
}

/// Returns the value that all values have in common.
fn common_value(mut values: impl Iterator<Item = f64>) -> Option<f64> {
    let first = values.next()?;
    values.all(|value| value.total_cmp(&first).is_eq()).then_some(first)
}

fn summarize_latency(runs: &[&RunFigures]) -> Option<Latency> {
    let times: Vec<f64> = runs.iter().filter_map(|run| run.latency_ms).collect();
    let spread = Spread::of_values(&times, LEVEL)?;
    Some(Latency { p50_ms: spread.median, p95_ms: spread.percentile_95, runs: times.len() })
}

fn sum_tokens(runs: &[&RunFigures]) -> Option<Tokens> {
    let mut sum = Tokens::default();
    for (input, output) in runs.iter().filter_map(|run| run.tokens) {
        sum.input = sum.input.saturating_add(input);
        sum.output = sum.output.saturating_add(output);
        sum.runs += 1;
    }
    (sum.runs > 0).then_some(sum)
}

fn sum_costs(runs: &[&RunFigures]) -> Option<Cost> {
    let costs: Vec<f64> = runs.iter().filter_map(|run| run.cost_usd).collect();
    (!costs.is_empty()).then(|| Cost { usd: costs.iter().sum(), runs: costs.len() })
}
