//! What a summary keeps of one verdict.

use super::{Axes, mean_of_known};
use crate::case::{Case, Tier};
use crate::outcome::Status;
use crate::score::statistics::median;
use crate::score::{Card, Effect};
use crate::verdict::{Finding, RunSummary, Verdict};

/// The scorecard of a row of a golden dataset.
const GOLDEN: &str = "golden";
/// The key of a case whose median decides.
const REPEAT: &str = "repeat";

/// What a summary keeps of one verdict.
#[derive(Debug, Clone)]
pub struct Row {
    /// The harness that ran it, and the suite of its case, as its verdict names them.
    pub(super) place: (String, String),
    /// When the case runs.
    pub tier: Tier,
    /// Whether it passed, by its own threshold: also where only its suite's gate decides.
    pub passed: bool,
    /// Its score: that of a golden row, else the verdict's. A case that errs scores 0, an undecided one nothing.
    pub score: Option<f64>,
    /// What only a golden row has.
    pub golden: Option<GoldenRow>,
    pub(super) runs: Vec<RunFigures>,
}

/// What only a golden row has.
#[derive(Debug, Clone)]
pub struct GoldenRow {
    /// Its scores; `None` where a check has no answer.
    pub axes: Option<Axes>,
    pub(super) threshold: f64,
    pub(super) agents: Vec<String>,
    pub(super) dataset: String,
}

/// What one run took.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunFigures {
    pub(super) latency_ms: Option<f64>,
    pub(super) tokens: Option<(u64, u64)>,
    pub(super) cost_usd: Option<f64>,
}

/// Whether a case is a row of a golden dataset.
pub fn is_golden(case: &Case) -> bool {
    case.scorecards.iter().any(|card| card.name == GOLDEN)
}

impl Row {
    /// What a summary keeps of `verdict`.
    pub fn from_verdict(verdict: &Verdict) -> Self {
        let cards: Vec<&Card> = verdict.scorecards.iter().filter(|card| card.name == GOLDEN).collect();
        Self {
            place: (verdict.harness.clone(), verdict.suite.clone()),
            tier: verdict.tier,
            passed: verdict.passed && (verdict.expected != Status::Pass || reaches_all(verdict)),
            score: row_score(verdict, &cards),
            golden: cards.first().map(|first| GoldenRow {
                axes: Axes::from_cards(verdict, &cards),
                threshold: first.least,
                agents: verdict.runs.iter().filter_map(agent_label).collect(),
                dataset: verdict.case.file.clone(),
            }),
            runs: verdict.runs.iter().map(RunFigures::from_run).collect(),
        }
    }

    /// The same row without its scores.
    pub(crate) fn without_score(self) -> Self {
        let golden = self.golden.map(|row| GoldenRow { axes: None, ..row });
        Self { score: None, golden, ..self }
    }
}

/// Whether a case whose trial passes did so on its own, and not because only its suite's gate decides: every score
/// is reached, and nothing broke but what a score has counted.
fn reaches_all(verdict: &Verdict) -> bool {
    let cards = || verdict.scorecards.iter();
    let told_points = |finding: &&Finding| finding.effect == Effect::Points && finding.status == Status::Fail;
    let is_counted = |finding: &Finding| {
        let name = &finding.check;
        cards().any(|card| card.threshold == *name || card.parts.iter().any(|part| part.name == *name))
    };
    let mut together = verdict.findings.iter().filter(|finding| finding.of_all_runs).peekable();
    let reached = match together.peek() {
        Some(_) => together.all(|finding| finding.status == Status::Pass || finding.effect == Effect::Inform),
        None => cards().all(|card| card.passed),
    };
    let only_golden = cards().all(|card| card.name == GOLDEN);
    reached && (!only_golden || verdict.findings.iter().filter(told_points).all(is_counted))
}

/// An agent that errs scores 0, whatever its checks say.
fn row_score(verdict: &Verdict, golden: &[&Card]) -> Option<f64> {
    match verdict.status {
        Status::Error => Some(0.0),
        _ if !golden.is_empty() => over_runs(verdict, golden.iter().map(|card| card.score)),
        Status::Undecided => None,
        Status::Pass | Status::Fail => Some(verdict.score.get()),
    }
}

/// What the values of several runs come to: their median where the case repeats, else their mean.
fn over_runs(verdict: &Verdict, values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    if verdict.findings.iter().any(|finding| finding.of_all_runs && finding.check == REPEAT) {
        return median(&values.collect::<Option<Vec<f64>>>()?);
    }
    mean_of_known(values)
}

fn agent_label(run: &RunSummary) -> Option<String> {
    match (&run.agent, &run.model) {
        (Some(agent), Some(model)) => Some(format!("{agent} ({model})")),
        (agent, model) => agent.clone().or_else(|| model.clone()),
    }
}

impl Axes {
    /// Those of a golden row, over all its runs.
    fn from_cards(verdict: &Verdict, cards: &[&Card]) -> Option<Self> {
        if verdict.status == Status::Error {
            return Some(Self::default());
        }
        Self::from_each(|axis| over_runs(verdict, cards.iter().map(|card| part_score(card, axis))))
    }
}

/// What a card's part scored; 0 where a hard gate left nothing to compute.
fn part_score(card: &Card, name: &str) -> Option<f64> {
    let score = card.score?;
    let part = card.parts.iter().find(|part| part.name == name);
    Some(part.map_or(score, |part| part.score.get()))
}

impl RunFigures {
    fn from_run(run: &RunSummary) -> Self {
        let usage = run.usage.filter(|usage| !usage.partial);
        let is_time = |time: &f64| time.is_finite() && *time >= 0.0;
        Self {
            latency_ms: run.duration_ms.filter(is_time),
            tokens: usage.map(|usage| (usage.input_tokens, usage.output_tokens)),
            cost_usd: run.cost_usd,
        }
    }
}
