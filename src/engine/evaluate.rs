//! The engine: a case and its runs to a verdict. Pure: no file, no clock but for durations.

use std::borrow::Borrow;
use std::time::Instant;

use super::aggregate::aggregate_runs;
use super::baseline::BaselineComparison;
use super::details;
use super::run::{RunResult, evaluate_run, millis_since, weight_on_case};
use super::secrets;
use crate::case::Case;
use crate::judge::JudgeSession;
use crate::outcome::Status;
use crate::pattern::mask_secrets;
use crate::place::Place;
use crate::suite::{NoBaseline, RecordedEvidence, RecordedRun};
use crate::trace::Trace;
use crate::verdict::{CallSummary, RunSummary, TrialError, Verdict};

/// What a report shows of one text of the trace, in characters.
const SHOWN: usize = 200;

/// Holds `trace` against `case`. For use inside any `#[test]`; the verdict says whether the case passes.
pub fn evaluate(case: &Case, trace: &Trace) -> Verdict {
    let run = RecordedRun { file: None, format: "given", trace: trace.clone() };
    evaluate_recorded(
        case,
        case.id.as_deref().unwrap_or("case"),
        &RecordedEvidence { runs: vec![run], baseline: None },
    )
}

/// Holds each recorded run against `case`, whose trial is called `name`. All of them must hold, unless the case says
/// what several must come to.
pub fn evaluate_recorded(case: &Case, name: &str, recorded: &RecordedEvidence) -> Verdict {
    evaluate_with_judge(case, name, recorded, None)
}

/// The same, where a judge may be asked for the opinions that the case does not hold.
pub fn evaluate_with_judge(
    case: &Case,
    name: &str,
    recorded: &RecordedEvidence,
    hearing: Option<&JudgeSession<'_>>,
) -> Verdict {
    evaluate_each(case, name, || recorded.runs.iter().map(Ok), recorded.baseline.as_ref(), hearing)
}

/// The same for runs that are read when their turn comes: no more than one is held. Those that something is wrong with
/// are looked at twice.
pub fn evaluate_each<R: Borrow<RecordedRun>, I: Iterator<Item = Result<R, String>>>(
    case: &Case,
    name: &str,
    runs: impl Fn() -> I,
    baseline: Option<&Result<RecordedRun, NoBaseline>>,
    hearing: Option<&JudgeSession<'_>>,
) -> Verdict {
    let started = Instant::now();
    let mut seen = RunResults {
        verdict: blank_verdict(case, name),
        held: Vec::new(),
        compared: BaselineComparison::new(case, baseline),
    };
    for run in runs() {
        match run {
            Ok(run) => seen.add_run(case, run.borrow(), hearing),
            Err(error) => return failed_with(case, name, case.trace_place(), error),
        }
    }
    let mut verdict = finish_verdict(case, seen.into_verdict(case));
    if !verdict.passed
        && let Err(error) = details::add_details(&mut verdict, runs())
    {
        return failed_with(case, name, case.trace_place(), error);
    }
    verdict.duration_ms = millis_since(started);
    verdict
}

/// What is known of the runs that were looked at.
struct RunResults<'b> {
    verdict: Verdict,
    held: Vec<RunResult>,
    compared: BaselineComparison<'b>,
}

impl RunResults<'_> {
    fn add_run(&mut self, case: &Case, run: &RecordedRun, hearing: Option<&JudgeSession<'_>>) {
        let held = evaluate_run(case, &run.trace, self.held.len(), hearing);
        self.compared.compare_run(case, run, self.held.len(), &held, hearing);
        self.verdict.runs.push(summarize_run(case, run));
        self.held.push(held);
    }

    /// The runs taken together.
    fn into_verdict(self, case: &Case) -> Verdict {
        let Self { mut verdict, mut held, compared } = self;
        let together = aggregate_runs(case, &mut held);
        if held.is_empty() {
            let (message, at) = ("the trace holds no run".to_owned(), case.trace_place().locate());
            verdict.errors.push(TrialError { message, at });
        }
        for run in held {
            verdict.findings.extend(run.findings);
            verdict.scorecards.extend(run.cards);
        }
        verdict.findings.extend(together.findings);
        verdict.findings.extend(compared.findings);
        verdict.errors.extend(compared.error);
        verdict.statistics = together.statistics;
        verdict.score = together.score;
        verdict.status = verdict.findings.iter().map(weight_on_case).max().unwrap_or(Status::Error);
        if !verdict.errors.is_empty() {
            verdict.status = Status::Error;
        }
        verdict.passed = verdict.status == verdict.expected;
        verdict
    }
}

/// What the engine alone knows of a violation, and what it keeps back: whoever found it need not think of either.
fn finish_verdict(case: &Case, mut verdict: Verdict) -> Verdict {
    for violation in verdict.findings.iter_mut().flat_map(|finding| &mut finding.violations) {
        violation.shared = !case.extent.lines().contains(&violation.at.line);
    }
    secrets::mask_verdict(&mut verdict);
    verdict
}

/// The verdict of a case for which no answer could be had, because of what `at` says.
pub fn failed_with(case: &Case, name: &str, at: &Place, message: String) -> Verdict {
    let error = TrialError { message, at: at.locate() };
    let scorecards = case.scorecards.iter().map(|card| card.empty_card(0, "there is no evidence")).collect();
    let mut verdict =
        Verdict { status: Status::Error, errors: vec![error], scorecards, ..blank_verdict(case, name) };
    verdict.passed = verdict.expected == Status::Error;
    finish_verdict(case, verdict)
}

fn blank_verdict(case: &Case, name: &str) -> Verdict {
    Verdict {
        description: case.description.clone(),
        tier: case.tier,
        tags: case.tags.clone(),
        expected: case.expect_verdict.unwrap_or(Status::Pass),
        ..Verdict::empty(name, case.place.locate())
    }
}

fn summarize_run(case: &Case, run: &RecordedRun) -> RunSummary {
    let calls = run.trace.calls.iter().map(|call| CallSummary {
        index: call.index,
        turn: call.turn,
        name: call.name.clone(),
        arguments: excerpt(call.arguments.to_text()),
        status: call.status,
    });
    RunSummary {
        file: run.file.clone(),
        format: run.format.to_owned(),
        id: run.trace.id.clone(),
        calls: calls.collect(),
        answer: run.trace.answer.clone().map(excerpt),
        agent: run.trace.agent.clone().map(excerpt),
        model: run.trace.model.clone().map(excerpt),
        usage: run.trace.usage,
        cost_usd: case.prices.cost(&run.trace),
        duration_ms: run.trace.duration_ms,
        details: None,
    }
}

/// The first [`SHOWN`] characters, secrets masked: before it is cut, so that none loses its shape.
fn excerpt(text: String) -> String {
    let mut text = mask_secrets(text);
    if text.len() > SHOWN
        && let Some((end, _)) = text.char_indices().nth(SHOWN)
    {
        text.truncate(end);
        text.push_str("...");
    }
    text
}
