//! Evaluates a case on its runs: from recorded runs to a verdict.

use std::borrow::{Borrow, Cow};
use std::time::Instant;

use super::aggregate::aggregate_runs;
use super::baseline::BaselineComparison;
use super::details::{self, quote_arguments};
use super::fit::{is_misfit, reject_misfit};
use super::run::{MAX_KEPT, OpinionSource, ProgramStarter, evaluate_run, millis_since};
use super::run_result::{RunResult, mean_score, weight_on_case};
use super::secrets::{mask_verdict, quotes_run};
use crate::case::{AgentFingerprint, Case};
use crate::check::InputMatch;
use crate::json;
use crate::judge::JudgeSession;
use crate::outcome::{Status, UndecidedCause};
use crate::place::Place;
use crate::score::Effect;
use crate::secrets::{KnownSecrets, QuotedText, SecretMasker};
use crate::source::TextHash;
use crate::suite::{LIVE, LostRun, NoBaseline, RecordedEvidence, RecordedRun, RunsError};
use crate::trace::Trace;
use crate::verdict::summary::reaches_thresholds;
use crate::verdict::{CallSummary, Finding, RunSummary, TrialError, Verdict, WorkspaceSummary};

/// The largest length of a text in a run's summary, in characters.
const MAX_EXCERPT_CHARS: usize = 200;

/// Evaluates `case` on `trace`, for use inside any `#[test]`. The verdict says whether the case passes.
pub fn evaluate(case: &Case, trace: &Trace) -> Verdict {
    let run = RecordedRun { file: None, format: "given", trace: trace.clone(), workspace: None };
    evaluate_recorded(
        case,
        case.id.as_deref().unwrap_or("case"),
        &RecordedEvidence { runs: vec![run], baseline: None },
    )
}

/// Evaluates `case`, whose trial is called `name`, on each recorded run. All runs must pass, unless the case sets how
/// several runs are combined.
pub fn evaluate_recorded(case: &Case, name: &str, recorded: &RecordedEvidence) -> Verdict {
    evaluate_with_judge(case, name, recorded, None)
}

/// Evaluates like [`evaluate_recorded`], and asks a judge for the opinions that the case does not contain.
pub fn evaluate_with_judge(
    case: &Case,
    name: &str,
    recorded: &RecordedEvidence,
    session: Option<&JudgeSession<'_>>,
) -> Verdict {
    let settings = EvaluationSettings { session, ..EvaluationSettings::default() };
    evaluate_each(case, name, || recorded.runs.iter().map(Ok), recorded.baseline.as_ref(), settings)
}

/// The settings of a run that decide how a case is evaluated.
#[derive(Clone, Copy, Default)]
pub struct EvaluationSettings<'s> {
    /// Asks the judge for the opinions that the case does not contain.
    pub session: Option<&'s JudgeSession<'s>>,
    /// Runs the programs of checks.
    pub programs: Option<ProgramStarter<'s>>,
    /// Whether runs that were recorded for another input or by a changed agent count.
    pub allows_stale: bool,
    /// Whether the verdict of a trial that passes has the details of its runs, too.
    pub details_of_passed: bool,
    /// The agent of the case as it is today, if its recordings are compared with it.
    pub agent: Option<&'s AgentFingerprint>,
}

/// Evaluates like [`evaluate_with_judge`], with runs that are read one at a time. If the verdict gets details, `runs` is called
/// again.
pub fn evaluate_each<R: Borrow<RecordedRun>, I: Iterator<Item = Result<R, RunsError>>>(
    case: &Case,
    name: &str,
    runs: impl Fn() -> I,
    baseline: Option<&Result<RecordedRun, NoBaseline>>,
    settings: EvaluationSettings<'_>,
) -> Verdict {
    let started = Instant::now();
    let input_match =
        if settings.allows_stale { InputMatch::Off } else { case.find_input_match(settings.agent) };
    let mut collector = RunCollector {
        verdict: blank_verdict(case, name),
        results: Vec::new(),
        compared: BaselineComparison::new(case, baseline, input_match),
        known: KnownSecrets::default(),
    };
    if let Some(Ok(accepted)) = baseline {
        // The baseline's run is quoted in the findings, too.
        collector.known.add_run(&accepted.trace);
    }
    // Only the result of a run is kept, because a trace file can contain thousands of runs.
    for run in runs() {
        match run {
            Ok(run) => collector.add_run(case, run.borrow(), settings),
            Err(RunsError::Lost(lost)) => collector.add_lost_run(case, *lost),
            Err(error) => return failed_with(case, name, case.trace_place(), error.into()),
        }
    }
    // All runs are known now: a secret that one run reveals is masked in the findings of the others, too.
    let masker = collector.known.build_masker();
    let mut verdict = finish_verdict(case, collector.into_verdict(case), &masker);
    if (settings.details_of_passed || !verdict.passed)
        && let Err(error) = details::add_details(&mut verdict, runs(), &masker)
    {
        return failed_with(case, name, case.trace_place(), error.into());
    }
    verdict.duration_ms = millis_since(started);
    verdict
}

/// Collects the results of a case's runs.
struct RunCollector<'b> {
    verdict: Verdict,
    results: Vec<RunResult>,
    compared: BaselineComparison<'b>,
    /// The secrets of the runs that some finding quotes.
    known: KnownSecrets,
}

impl RunCollector<'_> {
    fn add_run(&mut self, case: &Case, run: &RecordedRun, settings: EvaluationSettings<'_>) {
        let number = self.results.len();
        // Of the trace as it was read: the settings of the case are no part of the evidence.
        let evidence_hash = hash_evidence(run);
        let settled;
        let run = match case.settle_run(&run.trace, run.format) {
            Cow::Borrowed(_) => run,
            Cow::Owned(trace) => {
                settled = RecordedRun { trace, ..run.clone() };
                &settled
            }
        };
        let is_compared = !settings.allows_stale;
        let misfit = if is_compared { reject_misfit(case, &run.trace, number, settings.agent) } else { None };
        // Nothing is checked on a run for another input: its findings would be about a question that the case does
        // not ask.
        let result = misfit.unwrap_or_else(|| {
            let opinions = OpinionSource::Session(settings.session, settings.programs);
            let result = evaluate_run(case, run, number, opinions);
            self.compared.compare_run(case, run, number, &result, opinions);
            result
        });
        // Secrets are collected only of runs that findings quote: the search reads the whole trace.
        if quotes_run(&result.findings) {
            self.known.add_run(&run.trace);
        }
        self.verdict.runs.push(RunSummary { evidence_hash, ..summarize_run(case, run) });
        self.results.push(result);
    }

    /// Adds a run that the agent did not give. The other runs keep their results.
    fn add_lost_run(&mut self, case: &Case, lost: LostRun) {
        let run = self.results.len();
        let nothing = RecordedRun { file: None, format: LIVE, trace: Trace::default(), workspace: None };
        self.verdict.runs.push(summarize_run(case, &nothing));
        let cards = case.scorecards.iter().map(|card| card.empty_card(run, "the agent gave no run"));
        // A gate holds in every run, and nobody knows whether it would have held in this one: no pass rate allows that.
        let has_gate = case.expectations.iter().any(|expectation| expectation.effect == Effect::Gate);
        let finding = Finding {
            effect: if has_gate { Effect::Gate } else { Effect::Fail },
            status: if lost.undecided.is_some() { Status::Undecided } else { Status::Error },
            run,
            unfit: Some(lost.reason),
            undecided: lost.undecided,
            help: lost.help,
            ..Finding::empty(lost.check, case.trace_place())
        };
        self.results.push(RunResult {
            findings: vec![finding],
            cards: cards.collect(),
            figures: None,
            ended_in_error: lost.is_failure_of_agent,
            is_lost: true,
        });
    }

    /// Combines the runs into the verdict.
    fn into_verdict(self, case: &Case) -> Verdict {
        let Self { mut verdict, mut results, compared, .. } = self;
        // Before the aggregate, which changes what the findings of a single run decide.
        for (number, (run, result)) in verdict.runs.iter_mut().zip(&results).enumerate() {
            let compared = compared.findings.iter().filter(|finding| finding.run == number);
            let status = compared.map(weight_on_case).fold(result.status(), Status::max);
            let misses = status == Status::Pass && !reaches_thresholds(&result.cards, &result.findings);
            // A case that expects another status has no threshold to reach.
            run.status = Some(if misses && verdict.expected == Status::Pass { Status::Fail } else { status });
            // A run that the agent did not give has no evidence, and no score of 0 either.
            run.score = run.evidence_hash.is_some().then(|| result.score());
        }
        // Before the findings move, for the same reason.
        let aggregate = aggregate_runs(case, &mut results);
        if results.is_empty() {
            let message = "the trace contains no run".to_owned();
            let at = case.trace_place().locate();
            verdict.errors.push(TrialError { message, at });
        }
        for run in results {
            verdict.findings.extend(run.findings);
            verdict.scorecards.extend(run.cards);
        }
        verdict.findings.extend(aggregate.findings);
        let is_compared = !compared.findings.is_empty();
        verdict.findings.extend(compared.findings);
        verdict.errors.extend(compared.error);
        verdict.statistics = aggregate.statistics;
        verdict.score = aggregate.score;
        // Without a scorecard, the score is the mean of all findings, and the comparison with the baseline is one of them.
        if is_compared && case.scorecards.is_empty() && case.variance.is_none() {
            verdict.score = mean_score(verdict.findings.iter().map(|finding| finding.score));
        }
        // The worst finding decides. `Status` is ordered from pass to error.
        verdict.status = verdict.findings.iter().map(weight_on_case).max().unwrap_or(Status::Error);
        // A run for another input proves nothing, so the case does not count as failed by its other runs either.
        if verdict.status == Status::Fail && verdict.findings.iter().any(is_misfit) {
            verdict.status = Status::Undecided;
        }
        if !verdict.errors.is_empty() {
            verdict.status = Status::Error;
        }
        verdict.passed = verdict.status == verdict.expected;
        verdict
    }
}

/// Marks violations of settings outside of the case, and masks secrets. Both happen here for all checks, so that none of them
/// can forget it.
fn finish_verdict(case: &Case, mut verdict: Verdict, masker: &SecretMasker) -> Verdict {
    for violation in verdict.findings.iter_mut().flat_map(|finding| &mut finding.violations) {
        violation.shared = !case.extent.lines().contains(&violation.at.line);
    }
    mask_verdict(&mut verdict, masker);
    verdict
}

/// Returns the verdict of a case that could not be evaluated, with the error `message` about the setting at `at`.
pub fn failed_with(case: &Case, name: &str, at: &Place, message: String) -> Verdict {
    let error = TrialError { message, at: at.locate() };
    let scorecards = case.scorecards.iter().map(|card| card.empty_card(0, "there is no evidence")).collect();
    let mut verdict =
        Verdict { status: Status::Error, errors: vec![error], scorecards, ..blank_verdict(case, name) };
    verdict.passed = verdict.expected == Status::Error;
    finish_verdict(case, verdict, &SecretMasker::default())
}

/// Why there is no run to evaluate, although nothing is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndecidedRun {
    /// The name of the finding.
    pub check: &'static str,
    /// The reason.
    pub reason: String,
    /// Advice.
    pub help: String,
    /// The cause, for the summary of a run.
    pub cause: UndecidedCause,
}

/// Returns the verdict of a case without a run, whose setting at `at` says where runs come from.
pub fn undecided_with(case: &Case, name: &str, at: &Place, run: UndecidedRun) -> Verdict {
    let finding = Finding {
        status: Status::Undecided,
        unfit: Some(run.reason),
        undecided: Some(run.cause),
        help: Some(run.help),
        ..Finding::empty(run.check, at)
    };
    let scorecards = case.scorecards.iter().map(|card| card.empty_card(0, "there is no run")).collect();
    let mut verdict = Verdict { findings: vec![finding], scorecards, ..blank_verdict(case, name) };
    verdict.status = Status::Undecided;
    verdict.passed = verdict.expected == Status::Undecided;
    finish_verdict(case, verdict, &SecretMasker::default())
}

fn blank_verdict(case: &Case, name: &str) -> Verdict {
    Verdict {
        row: case.row.as_ref().map(|row| Box::new(row.place.locate())),
        case_hash: Some(hash_case(case)),
        description: case.description.clone(),
        metadata: case.metadata.clone(),
        tier: case.tier,
        tags: case.tags.clone(),
        expected: case.expect_verdict.unwrap_or(Status::Pass),
        ..Verdict::empty(name, case.place.locate())
    }
}

/// Returns the hash of a case as it is written, with its row.
fn hash_case(case: &Case) -> String {
    let mut hash = TextHash::new();
    let row = case.row.as_ref().map(|row| row.place.get_text());
    for text in [Some(case.extent.get_text()), row].into_iter().flatten() {
        hash.add(text);
    }
    format!("{:016x}", hash.value())
}

/// Returns the hash of a trace, and of what is known of its workspace. `None` for one that is no JSON, which no reader makes.
fn hash_evidence(run: &RecordedRun) -> Option<String> {
    let mut hash = TextHash::new();
    json::write_json(&mut hash, &run.trace).ok()?;
    if let Some(workspace) = &run.workspace {
        json::write_json(&mut hash, &*workspace.facts).ok()?;
    }
    Some(format!("fnv1a:{:016x}", hash.value()))
}

fn summarize_run(case: &Case, run: &RecordedRun) -> RunSummary {
    let calls = run.trace.calls.iter().take(MAX_KEPT).map(|call| CallSummary {
        index: call.index,
        turn: call.turn,
        name: call.name.clone(),
        written: call.written.clone(),
        arguments: excerpt(&quote_arguments(&call.arguments)),
        status: call.status,
    });
    RunSummary {
        file: run.file.clone(),
        format: run.format.to_owned(),
        evidence_hash: None,
        // Known when all checks have answered.
        status: None,
        score: None,
        id: run.trace.id.clone(),
        calls: calls.collect(),
        calls_left_out: run.trace.calls.len().saturating_sub(MAX_KEPT),
        answer: run.trace.answer.as_deref().map(excerpt_text),
        agent: run.trace.agent.as_deref().map(excerpt_text),
        model: run.trace.model.as_deref().map(excerpt_text),
        usage: run.trace.usage,
        cost_usd: case.prices.cost(&run.trace),
        duration_ms: run.trace.duration_ms,
        ended: run.trace.ended.clone(),
        rewards: run.trace.rewards.clone(),
        workspace: run.workspace.as_ref().map(|workspace| Box::new(WorkspaceSummary::of_run(workspace))),
        // Added later, within a budget that the runs of a verdict share.
        details: None,
    }
}

fn excerpt_text(text: &str) -> String {
    excerpt(&QuotedText::near(text, &(0..0)))
}

/// Cuts the text to [`MAX_EXCERPT_CHARS`].
fn excerpt(text: &QuotedText<'_>) -> String {
    text.cut_end(MAX_EXCERPT_CHARS).to_string()
}
