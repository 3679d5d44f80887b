//! The summary of a run: what many verdicts come to together.
//!
//! A [`Row`] is what a summary keeps of one verdict; a [`Group`] is what the rows of a suite, or of all of them, come
//! to. The JSON of a [`Summary`] is what `summary_baseline` reads back.

mod row;

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

pub use row::{GoldenRow, Row, is_golden};

use self::row::RunFigures;
use crate::case::Tier;
use crate::score::statistics::Spread;

/// The version of the JSON that a summary is written as.
pub const SUMMARY_VERSION: u32 = 1;

/// What a percentile of times needs and a summary does not show: the level of the mean's interval.
const LEVEL: f64 = 0.95;

/// What a run comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Summary {
    /// The version of this form: [`SUMMARY_VERSION`].
    #[cfg_attr(test, schemars(extend("const" = SUMMARY_VERSION)))]
    pub schema_version: u32,
    /// The tier that was asked for.
    pub tier: Tier,
    /// All cases that ran.
    pub total: Group,
    /// Those of each suite that holds golden rows.
    #[serde(default)]
    pub suites: Vec<Group>,
}

/// What a run was asked for, as far as its verdicts do not tell it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The tier that was asked for.
    #[serde(default)]
    pub tier: Tier,
    /// How many cases did not run for their tier or tags.
    #[serde(default)]
    pub skipped: usize,
    /// The suites that hold golden rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub golden: Vec<GoldenSuite>,
}

/// A suite that holds golden rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldenSuite {
    /// The harness that runs it, as verdicts name it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub harness: String,
    /// What the names of its trials begin with.
    pub name: String,
    /// How many of its cases did not run for their tier or tags.
    #[serde(default)]
    pub skipped: usize,
    /// The least mean that its gate asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<f64>,
}

/// What the cases of a suite come to together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// The suite: what the names of its trials begin with.
    pub name: String,
    /// The agents and their models, as the traces of golden rows tell them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub agents: BTreeSet<String>,
    /// The files that the golden rows stand in.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub datasets: BTreeSet<String>,
    /// How many cases ran.
    pub cases: usize,
    /// Of these, those of the smoke tier.
    pub smoke: usize,
    /// How many did not run for their tier or tags.
    pub skipped: usize,
    /// How many passed, by their own threshold.
    pub passed: usize,
    /// How many did not.
    pub failed: usize,
    /// The threshold of the golden rows, where it is the same for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The least mean that the suite's gate asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<f64>,
    /// The means of the golden rows' axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<Axes>,
    /// The mean score of the cases; `None` where a case has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<f64>,
    /// How many runs were looked at.
    pub runs: usize,
    /// How long they took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// Their tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// What they cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// The scores of a golden row, or their means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Axes {
    /// Whether answers rest on calls.
    pub groundedness: f64,
    /// The share of the expected tools that were called.
    pub correctness: f64,
    /// The share of the expected fields that were told.
    pub completeness: f64,
}

/// How long runs took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Latency {
    /// Half of the runs took no longer.
    pub p50_ms: f64,
    /// All but one in twenty took no longer.
    pub p95_ms: f64,
    /// How many runs tell it.
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
    /// How many runs tell them whole.
    pub runs: usize,
}

/// What runs cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cost {
    /// In US dollars.
    pub usd: f64,
    /// Of how many runs it can be told.
    pub runs: usize,
}

impl Summary {
    /// What the rows of a run come to.
    pub fn from_rows(selection: &Selection, rows: &[Row]) -> Self {
        let mut by_suite: HashMap<(&str, &str), Vec<&Row>> = HashMap::new();
        for row in rows {
            by_suite.entry((&row.place.0, &row.place.1)).or_default().push(row);
        }
        let group = |suite: &GoldenSuite| {
            let rows = by_suite.get(&(suite.harness.as_str(), suite.name.as_str()))?;
            let is_golden = rows.iter().any(|row| row.golden.is_some());
            let group = is_golden.then(|| Group::from_rows(&suite.name, &rows.iter().copied()))?;
            Some(Group { skipped: suite.skipped, gate: suite.gate, ..group })
        };
        Self {
            schema_version: SUMMARY_VERSION,
            tier: selection.tier,
            total: Group { skipped: selection.skipped, ..Group::from_rows("all", &rows.iter()) },
            suites: selection.golden.iter().filter_map(group).collect(),
        }
    }
}

impl Axes {
    /// By name, in the order in which they are summed up.
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
    /// What `rows` come to. What was left out, and what a gate asks for, is not theirs to know.
    pub fn from_rows<'r>(name: &str, rows: &(impl Iterator<Item = &'r Row> + Clone)) -> Self {
        let runs = || rows.clone().flat_map(|row| &row.runs);
        let count = |wanted: fn(&Row) -> bool| rows.clone().filter(|row| wanted(row)).count();
        let golden = || rows.clone().filter_map(|row| row.golden.as_ref());
        Self {
            name: name.to_owned(),
            agents: golden().flat_map(|row| row.agents.iter().cloned()).collect(),
            datasets: golden().map(|row| row.dataset.clone()).collect(),
            cases: rows.clone().count(),
            smoke: count(|row| row.tier == Tier::Smoke),
            skipped: 0,
            passed: count(|row| row.passed),
            failed: count(|row| !row.passed),
            threshold: common_value(golden().map(|row| row.threshold)),
            gate: None,
            axes: Axes::from_each(|axis| mean_of_known(golden().map(|row| row.axes?.get(axis)))),
            overall: mean_of_known(rows.clone().map(|row| row.score)),
            runs: runs().count(),
            latency: summarize_latency(runs()),
            tokens: sum_tokens(runs()),
            cost: sum_costs(runs()),
        }
    }

    /// What its means are held against: the gate, else the threshold of its rows.
    pub fn least(&self) -> Option<f64> {
        self.gate.or(self.threshold)
    }
}

/// The mean of what is known of all; `None` where it is not known of one, or there is none.
fn mean_of_known(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value?;
        count += 1.0;
    }
    (count > 0.0).then_some(sum / count)
}

/// What all values are.
fn common_value(mut values: impl Iterator<Item = f64>) -> Option<f64> {
    let first = values.next()?;
    values.all(|value| value.total_cmp(&first).is_eq()).then_some(first)
}

fn summarize_latency<'r>(runs: impl Iterator<Item = &'r RunFigures>) -> Option<Latency> {
    let times: Vec<f64> = runs.filter_map(|run| run.latency_ms).collect();
    let spread = Spread::of_values(&times, LEVEL)?;
    Some(Latency { p50_ms: spread.median, p95_ms: spread.percentile_95, runs: times.len() })
}

fn sum_tokens<'r>(runs: impl Iterator<Item = &'r RunFigures>) -> Option<Tokens> {
    let add = |sum: Option<Tokens>, (input, output): (u64, u64)| {
        let sum = sum.unwrap_or_default();
        let (input, output) = (sum.input.saturating_add(input), sum.output.saturating_add(output));
        Some(Tokens { input, output, runs: sum.runs + 1 })
    };
    runs.filter_map(|run| run.tokens).fold(None, add)
}

fn sum_costs<'r>(runs: impl Iterator<Item = &'r RunFigures>) -> Option<Cost> {
    let add = |sum: Option<Cost>, usd: f64| {
        let sum = sum.unwrap_or_default();
        Some(Cost { usd: sum.usd + usd, runs: sum.runs + 1 })
    };
    runs.filter_map(|run| run.cost_usd).fold(None, add)
}
