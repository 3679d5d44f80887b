//! The figures of the agent: for each row of the list, and for the run as a whole.

use serde::Serialize;

use crate::outcome::count_to_f64;
use crate::report::RunInfo;
use crate::report::plain::{count_noun, escape_line};
use crate::report::summary::{SummaryRows, describe_agent, group_thousands};
use crate::verdict::{RunSummary, Verdict};

/// The figures of the agent of a case: means over the runs that record the figure. Figures that no run records are omitted.
#[derive(Serialize)]
pub(super) struct AgentFigures {
    #[serde(skip_serializing_if = "String::is_empty")]
    model: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
    /// The number of runs, if it is not 1.
    #[serde(skip_serializing_if = "is_one")]
    runs: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(count: &usize) -> bool {
    *count == 1
}

impl AgentFigures {
    pub(super) fn from_runs(runs: &[RunSummary]) -> Self {
        Self {
            model: join_names(runs.iter().filter_map(|run| run.model.as_deref())),
            agent: join_names(runs.iter().filter_map(|run| run.agent.as_deref())),
            calls: compute_mean(runs.iter().map(|run| count_to_f64(run.count_calls()))),
            tokens: compute_mean(runs.iter().filter_map(count_tokens)),
            usd: compute_mean(runs.iter().filter_map(|run| run.cost_usd)),
            ms: compute_mean(runs.iter().filter_map(|run| run.duration_ms)),
            runs: runs.len(),
        }
    }
}

/// The tokens of a run, if its trace records all of them.
fn count_tokens(run: &RunSummary) -> Option<f64> {
    let usage = run.usage.filter(|usage| !usage.partial)?;
    let all = usage.input_tokens.saturating_add(usage.output_tokens);
    Some(count_to_f64(usize::try_from(all).unwrap_or(usize::MAX)))
}

/// Joins the distinct names in the order of the runs.
fn join_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct.join(", ")
}

fn compute_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let mean = values.iter().sum::<f64>() / count_to_f64(values.len());
    // Eight decimals keep the cost of a cheap call, and drop the noise of a sum.
    (!values.is_empty()).then(|| (mean * 1e8).round() / 1e8)
}

/// The figures of all runs together.
pub(super) struct RunFigureTotals<'r> {
    rows: SummaryRows<'r>,
    calls: usize,
    pinned: usize,
    pinned_cases: usize,
}

/// A figure with its name, as the page shows it.
#[derive(Serialize)]
pub(super) struct NamedFigure {
    name: &'static str,
    value: String,
}

impl<'r> RunFigureTotals<'r> {
    pub(super) fn new(run: &'r RunInfo) -> Self {
        Self { rows: SummaryRows::new(run), calls: 0, pinned: 0, pinned_cases: 0 }
    }

    pub(super) fn add_verdict(&mut self, verdict: &Verdict) {
        self.rows.add_verdict(verdict);
        self.calls += verdict.runs.iter().map(RunSummary::count_calls).sum::<usize>();
        self.pinned += verdict.pinned;
        self.pinned_cases += usize::from(verdict.pinned > 0);
    }

    /// Lists what the agent did and used; empty if there are no runs.
    pub(super) fn list_figures(&self) -> Vec<NamedFigure> {
        let total = self.rows.summarize().total;
        if total.runs == 0 {
            return Vec::new();
        }
        let counts = [("runs", total.runs), ("tool calls", self.calls)];
        let counts = counts.map(|(name, count)| (name, group_thousands(count)));
        let recorded = describe_agent(&total);
        let figures = counts.into_iter().chain(recorded);
        figures.map(|(name, value)| NamedFigure { name, value: escape_line(&value) }).collect()
    }

    /// Describes the violations that snapshots accept; `None` without such violations.
    pub(super) fn describe_pinned(&self) -> Option<String> {
        (self.pinned > 0).then(|| {
            let cases = count_noun(self.pinned_cases, "case");
            let violations = count_noun(self.pinned, "violation");
            format!("{cases} with {violations} in snapshots")
        })
    }
}
