//! Combines the results of several runs of a case: all must pass, or their median or their pass rate decides.

use super::fit::is_misfit;
use super::run_result::{RunResult, mean_score};
use crate::case::{Case, VarianceBlock};
use crate::outcome::{
    Item, LocatedViolation, Score, State, Status, UndecidedCause, Violation, count_noun, reaches,
};
use crate::score::statistics::{RunScore, Statistics, evaluate_variance, median};
use crate::score::{Effect, Scorecard, write_apart, written};
use crate::trace::Trace;
use crate::verdict::Finding;

/// A full score in points, the unit of statistics.
const POINTS: f64 = 100.0;

/// The confidence level of the intervals, if a case repeats runs but sets no level.
const DEFAULT_LEVEL: f64 = 0.95;

/// The name of the finding about the median of several runs.
pub const MEDIAN: &str = "repeat";

/// The combined result of several runs.
#[derive(Default)]
pub(super) struct Aggregate {
    /// The score of all runs.
    pub(super) score: Score,
    /// The findings about all runs together.
    pub(super) findings: Vec<Finding>,
    /// The figures of the runs.
    pub(super) statistics: Option<Statistics>,
}

/// Combines the results of the runs. There are three ways:
///
/// - `variance`: the pass rate and the spread of the runs decide. What a single run violates is only reported.
/// - `repeat` with scorecards: the median of each scorecard decides, and all other checks must hold in each run.
/// - otherwise: everything must hold in each run, and the score is the mean.
pub(super) fn aggregate_runs(case: &Case, results: &mut [RunResult]) -> Aggregate {
    if let Some(block) = &case.variance {
        return aggregate_by_statistics(case, block, results);
    }
    let score = mean_score(results.iter().map(RunResult::score));
    // A single run is its own median, and is judged by its own thresholds.
    if case.repeat.is_none() || case.scorecards.is_empty() || results.len() < 2 {
        return Aggregate { score, ..Aggregate::default() };
    }
    aggregate_by_median(case, results)
}

fn aggregate_by_statistics(case: &Case, block: &VarianceBlock, results: &mut [RunResult]) -> Aggregate {
    let outcome = evaluate_variance(&collect_figures(results), &block.variance, least_points(case));
    let help = advise_repeat(case, block, results.len());
    let failures = outcome.failures.into_iter().map(|failure| {
        let failure = match &help {
            Some(help) => failure.help(help.clone()),
            None => failure,
        };
        let at = block.settings.locate(&failure.at).unwrap_or_else(|| block.place.locate());
        failure.resolve(at)
    });
    let mut violations: Vec<LocatedViolation> = failures.collect();
    let unfit = if violations.is_empty() { None } else { find_decisive_runs(case, block, results) };
    if unfit.is_some() {
        violations.clear();
    }
    let mut items: Vec<Item> = results.iter().enumerate().map(|(index, run)| run_item(index, run)).collect();
    items.extend(outcome.attempts.iter().map(|required| {
        let state = if required.holds() { State::Held } else { State::Violated };
        Item::new(&required.name, state).note(required.render())
    }));
    items.extend(outcome.notes.into_iter().map(|note| Item::new("note", State::Open).note(note)));
    let score =
        outcome.statistics.score.as_ref().map_or(Score::ZERO, |spread| Score::new(spread.mean / POINTS));
    // A single failed run must not fail the trial if the pass rate allows it.
    // A run for another input keeps its effect: it is undecided, and not one of the failures that a pass rate allows.
    // A gate holds in every run.
    let is_allowed = |finding: &&mut Finding| !is_misfit(finding) && finding.effect != Effect::Gate;
    for finding in results.iter_mut().flat_map(|run| &mut run.findings).filter(is_allowed) {
        finding.effect = Effect::Inform;
    }
    let finding = Finding {
        status: match (&unfit, violations.is_empty()) {
            (Some(_), _) => Status::Undecided,
            (None, true) => Status::Pass,
            (None, false) => Status::Fail,
        },
        score: Score::new(outcome.statistics.pass_rate),
        undecided: unfit.is_some().then_some(UndecidedCause::MissingEvidence),
        help: unfit.is_some().then(|| "record these runs again, or see why they are undecided".to_owned()),
        unfit,
        violations,
        items,
        of_all_runs: true,
        ..Finding::empty("variance", &block.place)
    };
    Aggregate { score, findings: vec![finding], statistics: Some(outcome.statistics) }
}

/// Says what to write if the agent of a case is asked for fewer runs than are counted.
fn advise_repeat(case: &Case, block: &VarianceBlock, made: usize) -> Option<String> {
    let wanted = block.variance.runs.get();
    if case.agent.is_none() || made >= wanted as usize {
        return None;
    }
    Some(match &case.repeat {
        None => format!(
            "`variance` counts {}, and the agent is asked once: add `repeat: {wanted}` to the case",
            count_noun(wanted as usize, "run")
        ),
        Some((runs, _)) => format!(
            "`variance` counts {}, and `repeat: {runs}` asks for fewer: write `repeat: {wanted}`, or `runs: {runs}`",
            count_noun(wanted as usize, "run")
        ),
    })
}

/// Counts the undecided runs, and those that were not made, if the requirements would hold once these runs did. A run that an
/// error ended did not hold.
fn find_decisive_runs(case: &Case, block: &VarianceBlock, results: &[RunResult]) -> Option<String> {
    let is_open =
        |run: &&RunResult| !run.ended_in_error && (run.is_lost || run.status() == Status::Undecided);
    let open = results.iter().filter(is_open).count();
    let mut figures = collect_figures(results);
    figures.extend((0..open).map(|_| RunScore::from_trace(&Trace::default(), POINTS, true)));
    let best = evaluate_variance(&figures, &block.variance, least_points(case));
    (open > 0 && best.failures.is_empty()).then(|| {
        let passed = results.iter().filter(|run| run.status() == Status::Pass).count();
        format!("{passed} of {} runs passed, and {open} undecided could change the result", results.len())
    })
}

fn aggregate_by_median(case: &Case, results: &mut [RunResult]) -> Aggregate {
    let wanted = u32::try_from(results.len()).unwrap_or(u32::MAX);
    let statistics = Statistics::of_runs(&collect_figures(results), wanted, DEFAULT_LEVEL);
    let cards = case.scorecards.iter().enumerate();
    let findings: Vec<Finding> = cards.filter_map(|(at, card)| median_finding(card, at, results)).collect();
    let thresholds: Vec<&str> = case.scorecards.iter().map(|card| card.threshold.setting).collect();
    // The median replaces the threshold of each run, so a missed one only costs points.
    for finding in results.iter_mut().flat_map(|run| &mut run.findings) {
        if thresholds.contains(&finding.check.as_str()) {
            finding.effect = Effect::Points;
        }
    }
    let score = mean_score(findings.iter().map(|finding| finding.score));
    Aggregate { score, findings, statistics: Some(statistics) }
}

/// Compares the median of one scorecard over all runs with its threshold. Returns `None` if a run has no score: its own
/// findings give the reason.
fn median_finding(scorecard: &Scorecard, at: usize, results: &[RunResult]) -> Option<Finding> {
    // A median over the other runs would hide the run without a score.
    let scores: Option<Vec<f64>> = results.iter().map(|run| run.cards.get(at)?.score).collect();
    let scores = scores?;
    let median = median(&scores)?;
    let reached = reaches(median, scorecard.threshold.least);
    let missed = (!reached).then(|| median_violation(scorecard, median, &scores));
    Some(Finding {
        status: if reached { Status::Pass } else { Status::Fail },
        effect: scorecard.effect,
        score: Score::new(median / scorecard.scale.full),
        violations: missed.into_iter().collect(),
        items: results.iter().enumerate().map(|(index, run)| run_item(index, run)).collect(),
        of_all_runs: true,
        ..Finding::empty(MEDIAN, &scorecard.threshold.place)
    })
}

fn median_violation(scorecard: &Scorecard, median: f64, scores: &[f64]) -> LocatedViolation {
    let setting = scorecard.threshold.setting;
    let count = scores.len();
    let [median, least] = write_apart(median, scorecard.threshold.least);
    let all: Vec<String> = scores.iter().map(|score| written(*score)).collect();
    Violation::new(format!("the median score of {count} runs is {median}, below `{setting}: {least}`"))
        .expected(format!("a median of at least {least}"), all.join(", "))
        .resolve(scorecard.threshold.place.locate())
}

/// Whether the case needs figures of its runs.
pub(super) fn has_statistics(case: &Case) -> bool {
    case.variance.is_some() || case.repeat.is_some()
}

/// Returns the figures of a run. An undecided run, or one with an error, has no score and counts as missing.
pub(super) fn run_figures(trace: &Trace, result: &RunResult) -> Option<RunScore> {
    let status = result.status();
    let has_score = matches!(status, Status::Pass | Status::Fail);
    has_score.then(|| RunScore::from_trace(trace, result.score().get() * POINTS, status == Status::Pass))
}

fn collect_figures(results: &[RunResult]) -> Vec<RunScore> {
    results.iter().filter_map(|run| run.figures.clone()).collect()
}

/// Returns the threshold of a single run, in points. With several scorecards there is no single one.
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
    let score = if run.is_lost { "no result".to_owned() } else { written(run.score().get()) };
    let item = Item::new(format!("run {}: {score}", index + 1), state);
    match first_claim(run) {
        Some(claim) => item.note(claim),
        None => item,
    }
}

/// Returns the first claim that a run violates, such as `contains: the answer does not contain ...`.
fn first_claim(run: &RunResult) -> Option<String> {
    run.findings.iter().filter(|finding| finding.effect != Effect::Points).find_map(|finding| {
        let claim =
            finding.violations.first().map(|violation| &violation.message).or(finding.unfit.as_ref())?;
        // Further lines are causes, which the finding itself shows.
        let claim = claim.lines().next().unwrap_or_default();
        Some(format!("{}: {claim}", finding.check))
    })
}
