//! The figures of one verdict in a summary.

use super::{Axes, mean_of_known};
use crate::case::{Case, Tier};
use crate::outcome::Status;
use crate::score::statistics::median;
use crate::score::{Card, Effect};
use crate::verdict::{Finding, RunSummary, Verdict};

/// The name of the scorecard of a row in a golden dataset.
const GOLDEN: &str = "golden";
/// The name of the check of a median over repeated runs.
const REPEAT: &str = "repeat";

/// The figures of one verdict.
#[derive(Debug, Clone)]
pub struct Row {
    /// The harness and the suite, as in the verdict.
    pub(super) place: (String, String),
    /// The case's tier.
    pub tier: Tier,
    /// Whether the case passed by its own threshold, even if only the suite's gate decides.
    pub passed: bool,
    /// The score of the golden row, or else of the verdict. A case with an error scores 0; an undecided one has no score.
    pub score: Option<f64>,
    /// The figures of a golden row.
    pub golden: Option<GoldenRow>,
    pub(super) runs: Vec<RunFigures>,
}

/// The figures of a golden row.
#[derive(Debug, Clone)]
pub struct GoldenRow {
    /// The scores of the row; `None` if a check has no answer.
    pub axes: Option<Axes>,
    pub(super) threshold: f64,
    pub(super) agents: Vec<String>,
    pub(super) dataset: String,
}

/// The time, tokens and cost of one run.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunFigures {
    pub(super) latency_ms: Option<f64>,
    pub(super) tokens: Option<(u64, u64)>,
    pub(super) cost_usd: Option<f64>,
}

/// Whether a case is a row in a golden dataset.
pub fn is_golden(case: &Case) -> bool {
    case.scorecards.iter().any(|card| card.name == GOLDEN)
}

impl Row {
    /// Takes the figures from `verdict`.
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

    /// Returns the same row without scores.
    pub(crate) fn without_score(self) -> Self {
        let golden = self.golden.map(|row| GoldenRow { axes: None, ..row });
        Self { score: None, golden, ..self }
    }
}

/// Whether a case whose trial passes would also pass without its suite's gate. For several runs, the findings about all of them
/// decide whether the scores reach their thresholds.
fn reaches_all(verdict: &Verdict) -> bool {
    let mut of_all_runs = verdict.findings.iter().filter(|finding| finding.of_all_runs).peekable();
    if of_all_runs.peek().is_none() {
        return reaches_thresholds(&verdict.scorecards, &verdict.findings);
    }
    of_all_runs.all(|finding| finding.status == Status::Pass || finding.effect == Effect::Inform)
        && counts_violations(&verdict.scorecards, &verdict.findings)
}

/// Whether a run without a violation that decides reaches its own thresholds, whatever the gate of its suite says.
///
/// Under a gate, a missed score does not fail the trial, and a violation may only cost points. So two things are checked: each
/// score reaches its threshold; and in a golden row, each violation that costs points is a part of some card, so that the score
/// has counted it.
pub(crate) fn reaches_thresholds(cards: &[Card], findings: &[Finding]) -> bool {
    cards.iter().all(|card| card.passed) && counts_violations(cards, findings)
}

/// Whether the cards of a golden row count each violation that costs points. Other scorecards are their own thresholds, and
/// have nothing more to count.
fn counts_violations(cards: &[Card], findings: &[Finding]) -> bool {
    let costs_points =
        |finding: &&Finding| finding.effect == Effect::Points && finding.status == Status::Fail;
    cards.iter().any(|card| card.name != GOLDEN)
        || findings.iter().filter(costs_points).all(|finding| is_counted(finding, cards))
}

/// Whether a card's score includes the check of `finding`.
fn is_counted(finding: &Finding, cards: &[Card]) -> bool {
    let name = &finding.check;
    cards.iter().any(|card| card.threshold == *name || card.parts.iter().any(|part| part.name == *name))
}

/// Returns the score of the row. An agent with an error scores 0, whatever the checks say.
fn row_score(verdict: &Verdict, golden: &[&Card]) -> Option<f64> {
    match verdict.status {
        Status::Error => Some(0.0),
        _ if !golden.is_empty() => over_runs(verdict, golden.iter().map(|card| card.score)),
        Status::Undecided => None,
        Status::Pass | Status::Fail => Some(verdict.score.get()),
    }
}

/// Combines the values of several runs: the median if the case repeats runs, or else the mean.
fn over_runs(verdict: &Verdict, values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    if verdict.findings.iter().any(|finding| finding.of_all_runs && finding.check == REPEAT) {
        // A repeat with a missing value has no median, while other runs are averaged as far as they are known.
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
    /// Computes the axes of a golden row over all its runs.
    fn from_cards(verdict: &Verdict, cards: &[&Card]) -> Option<Self> {
        if verdict.status == Status::Error {
            return Some(Self::default());
        }
        Self::from_each(|axis| over_runs(verdict, cards.iter().map(|card| part_score(card, axis))))
    }
}

/// Returns the score of a card's part. A card of a violated hard gate has no parts, and its own score is 0.
fn part_score(card: &Card, name: &str) -> Option<f64> {
    let score = card.score?;
    let part = card.parts.iter().find(|part| part.name == name);
    Some(part.map_or(score, |part| part.score.get()))
}

impl RunFigures {
    fn from_run(run: &RunSummary) -> Self {
        let usage = run.usage.filter(|usage| !usage.partial);
        Self {
            latency_ms: run.duration_ms.filter(|time| time.is_finite() && *time >= 0.0),
            tokens: usage.map(|usage| (usage.input_tokens, usage.output_tokens)),
            cost_usd: run.cost_usd,
        }
    }
}
