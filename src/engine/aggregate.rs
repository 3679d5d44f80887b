//! What several runs of a case come to: all must hold, or their median, or the share of them that passes.

use super::run::{RunResult, mean_score};
use crate::case::{Case, VarianceBlock};
use crate::outcome::{Item, LocatedViolation, Score, State, Status, Violation, reaches};
use crate::score::statistics::{RunScore, Statistics, evaluate_variance, median};
use crate::score::{Effect, Scorecard, written};
use crate::trace::Trace;
use crate::verdict::Finding;

/// A full score in points: statistics are told in these.
const POINTS: f64 = 100.0;

/// How sure the intervals of a case are that asks for runs, and for no statistics.
const USUAL_LEVEL: f64 = 0.95;

/// What the runs came to.
#[derive(Default)]
pub(super) struct Aggregate {
    /// The score of all of them.
    pub(super) score: Score,
    /// What is asked of all of them, and whether it holds.
    pub(super) findings: Vec<Finding>,
    /// Their figures.
    pub(super) statistics: Option<Statistics>,
}

/// Takes the runs together. Where they decide together, what each run violates on its own is only told.
pub(super) fn aggregate_runs(case: &Case, held: &mut [RunResult]) -> Aggregate {
    if let Some(block) = &case.variance {
        return by_statistics(case, block, held);
    }
    let score = mean_score(held.iter().map(RunResult::score));
    if case.repeat.is_none() || case.scorecards.is_empty() || held.len() < 2 {
        return Aggregate { score, ..Aggregate::default() };
    }
    by_median(case, held)
}

fn by_statistics(case: &Case, block: &VarianceBlock, held: &mut [RunResult]) -> Aggregate {
    let outcome = evaluate_variance(&collect_figures(held), &block.variance, least_points(case));
    let failures = outcome.failures.into_iter().map(|failure| {
        let at = block.settings.locate(&failure.at).unwrap_or_else(|| block.place.locate());
        failure.resolve(at)
    });
    let violations: Vec<LocatedViolation> = failures.collect();
    let mut items: Vec<Item> = held.iter().enumerate().map(|(index, run)| run_item(index, run)).collect();
    items.extend(outcome.notes.into_iter().map(|note| Item::new("note", State::Open).note(note)));
    let score =
        outcome.statistics.score.as_ref().map_or(Score::ZERO, |spread| Score::new(spread.mean / POINTS));
    for finding in held.iter_mut().flat_map(|run| &mut run.findings) {
        finding.effect = Effect::Inform;
    }
    let finding = Finding {
        status: if violations.is_empty() { Status::Pass } else { Status::Fail },
        score: Score::new(outcome.statistics.pass_rate),
        violations,
        items,
        of_all_runs: true,
        ..Finding::empty("variance", &block.place)
    };
    Aggregate { score, findings: vec![finding], statistics: Some(outcome.statistics) }
}

/// The median of each scorecard decides; everything else must hold in each run.
fn by_median(case: &Case, held: &mut [RunResult]) -> Aggregate {
    let wanted = u32::try_from(held.len()).unwrap_or(u32::MAX);
    let statistics = Statistics::of_runs(&collect_figures(held), wanted, USUAL_LEVEL);
    let cards = case.scorecards.iter().enumerate();
    let findings: Vec<Finding> = cards.filter_map(|(at, card)| median_of(card, at, held)).collect();
    let thresholds: Vec<&str> = case.scorecards.iter().map(|card| card.threshold.setting).collect();
    for finding in held.iter_mut().flat_map(|run| &mut run.findings) {
        if thresholds.contains(&finding.check.as_str()) {
            finding.effect = Effect::Points;
        }
    }
    let score = mean_score(findings.iter().map(|finding| finding.score));
    Aggregate { score, findings, statistics: Some(statistics) }
}

/// The median of one scorecard over all runs. A run without a score has said so itself.
fn median_of(scorecard: &Scorecard, at: usize, held: &[RunResult]) -> Option<Finding> {
    let scores: Option<Vec<f64>> = held.iter().map(|run| run.cards.get(at)?.score).collect();
    let scores = scores?;
    let median = median(&scores)?;
    let reached = reaches(median, scorecard.threshold.least);
    let place = &scorecard.threshold.place;
    let all: Vec<String> = scores.iter().map(|score| written(*score)).collect();
    let (setting, least) = (scorecard.threshold.setting, written(scorecard.threshold.least));
    let missed = || {
        let (count, median) = (all.len(), written(median));
        Violation::new(format!("the median score of {count} runs is {median}, below `{setting}: {least}`"))
            .expected(format!("a median of at least {least}"), all.join(", "))
            .resolve(place.locate())
    };
    Some(Finding {
        status: if reached { Status::Pass } else { Status::Fail },
        effect: scorecard.effect,
        score: Score::new(median / scorecard.scale.full),
        violations: if reached { Vec::new() } else { vec![missed()] },
        items: held.iter().enumerate().map(|(index, run)| run_item(index, run)).collect(),
        of_all_runs: true,
        ..Finding::empty("repeat", place)
    })
}

/// Whether the figures of the case's runs are asked for.
pub(super) fn has_statistics(case: &Case) -> bool {
    case.variance.is_some() || case.repeat.is_some()
}

/// The figures of a run that has a score: one that erred, or that nothing could be told of, counts as missing.
pub(super) fn run_figures(trace: &Trace, held: &RunResult) -> Option<RunScore> {
    let status = held.status();
    let has_score = matches!(status, Status::Pass | Status::Fail);
    has_score.then(|| RunScore::from_trace(trace, held.score().get() * POINTS, status == Status::Pass))
}

fn collect_figures(held: &[RunResult]) -> Vec<RunScore> {
    held.iter().filter_map(|run| run.figures.clone()).collect()
}

/// What a single run must reach, in points, where one scorecard says it.
fn least_points(case: &Case) -> Option<f64> {
    let [card] = case.scorecards.as_slice() else { return None };
    Some(card.threshold.least / card.scale.full * POINTS)
}

fn run_item(index: usize, run: &RunResult) -> Item {
    let state = match run.status() {
        Status::Pass => State::Held,
        Status::Fail => State::Violated,
        Status::Undecided | Status::Error => State::Open,
    };
    let item = Item::new(format!("run {}: {}", index + 1, written(run.score().get())), state);
    match first_claim(run) {
        Some(claim) => item.note(claim),
        None => item,
    }
}

/// The first thing that a run violates: `contains: the answer does not contain ...`.
fn first_claim(run: &RunResult) -> Option<String> {
    let counts = |finding: &&Finding| finding.effect != Effect::Points;
    let broken = run.findings.iter().filter(counts);
    let mut claims = broken.filter_map(|finding| {
        let claim =
            finding.violations.first().map(|violation| &violation.message).or(finding.unfit.as_ref())?;
        Some(format!("{}: {claim}", finding.check))
    });
    claims.next()
}
