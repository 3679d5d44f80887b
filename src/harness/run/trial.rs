//! Runs one trial: evidence, verdict, verdict log, and the message of a failure.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use libtest_mimic::Failed;

use super::companion::{run_limited, run_within};
use super::context::{Project, RunContext};
use super::failure::RunFailure;
use super::live::Asker;
use super::{TrialDelivery, WaitingTrial, gate, load_failure, panics, stale};
use crate::case::Case;
use crate::engine::{EvaluationSettings, evaluate_each, failed_with, undecided_with};
use crate::evidence::ProgramRequest;
use crate::harness::plan::{CaseWork, SelectedRun, TrialWork};
use crate::harness::snapshots;
use crate::harness::stderr;
use crate::mutate::CaseMutator;
use crate::place::LoadErrors;
use crate::report::plain::escape_line;
use crate::report::terminal;
use crate::suite::{CaseRuns, RecordedEvidence, load_baseline};
use crate::trace::Trace;
use crate::verdict::rebase::prefix_file;
use crate::verdict::{CaseMutation, Rerun, Verdict};

/// Runs a trial. The error is the trial's failure message. `None` if the trial was late: then `delivery` has its result.
pub(super) fn run_trial(trial: WaitingTrial, delivery: &TrialDelivery) -> Option<Result<(), Failed>> {
    let WaitingTrial { context, number, name, work } = trial;
    let run_case = |work: &CaseWork| {
        let verdict = evaluate_trial(&context, number, &name, work, delivery)?;
        Some(finish_case(&context, number, work, verdict))
    };
    let result = match work {
        TrialWork::Broken(errors) => Err(report_load_failure(&context, &name, &errors)),
        TrialWork::Case(work) => run_case(&work)?,
        TrialWork::Deferred(case) => {
            let Project { recent_suites, .. } = &context.project;
            match case.read_again(&name, recent_suites, context.project.library()) {
                Ok(work) => run_case(&work)?,
                Err(errors) => Err(report_load_failure(&context, &name, &errors)),
            }
        }
        TrialWork::Gate(work) => {
            let verdict = gate::evaluate_gate_trial(&context, &name, &work);
            context.tally.add_block(number, &verdict);
            report_verdict(&context, verdict, false)
        }
    };
    context.progress.make_room();
    Some(result)
}

fn finish_case(
    context: &RunContext,
    number: usize,
    work: &CaseWork,
    mut verdict: Verdict,
) -> Result<(), Failed> {
    let CaseWork { case, path, suite, .. } = work;
    verdict.suite = suite.to_string();
    // Before the tally and the verdict log, because the snapshot can change whether the trial passes.
    let tolerated = snapshots::compare_with_snapshot(&mut verdict, case, path, &context.project.base);
    verdict.mutation = try_mutants(context, &verdict, work).map(Box::new);
    context.tally.add_case(number, case, &verdict);
    report_verdict(context, verdict, tolerated)
}

/// Writes a verdict for a file that cannot be read, so that reports contain the failure, and returns the message.
fn report_load_failure(context: &RunContext, name: &str, errors: &LoadErrors) -> Failed {
    let _ = context.store.write_verdict(&mut load_failure::load_failure_verdict(name, errors));
    let folder = &context.project.folder;
    let drawn: Vec<String> =
        errors.iter().map(|error| terminal::render_load_error_below(error, folder)).collect();
    let first = errors.iter().next();
    print_headline(context, &first.map(ToString::to_string).unwrap_or_default());
    let mut at = first.map(|error| error.place.locate()).unwrap_or_default();
    prefix_file(&mut at.file, folder);
    failure_message(context, name, &at.to_string(), &drawn.join("\n"))
}

/// Writes the verdict and returns the failure message of a verdict that does not pass.
///
/// With `tolerated`, the trial passes although its snapshot has changed (insta's force-pass mode). Its verdict does not.
fn report_verdict(context: &RunContext, mut verdict: Verdict, tolerated: bool) -> Result<(), Failed> {
    if context.project.rerun != Rerun::default() {
        verdict.rerun = Some(context.project.rerun.repeat(&verdict.name));
    }
    context.store.write_verdict(&mut verdict).map_err(Failed::from)?;
    if verdict.passed || tolerated {
        return Ok(());
    }
    // The log has paths of the package; what a terminal shows is a link from the root of the workspace.
    verdict.rebase(&context.project.folder);
    print_headline(context, &terminal::render_headline(&verdict));
    let at = terminal::find_first_place(&verdict);
    Err(failure_message(context, &verdict.name, &at.to_string(), &terminal::render_red_trial(&verdict)))
}

/// Prints the headline of a failure for nextest, which takes the message of its `JUnit` report from standard error.
fn print_headline(context: &RunContext, headline: &str) {
    if context.readers.nextest {
        stderr::eprint(&format!("Error: {}", escape_line(headline)));
    }
}

/// Renders the message of a failure.
///
/// In JSON events, JetBrains looks for a line that starts with `thread`, and shows what stands between it and `note:`.
/// libtest-mimic writes `Error: "` before the message, so it begins with a line break.
fn failure_message(context: &RunContext, name: &str, at: &str, drawn: &str) -> Failed {
    if context.readers.json {
        let (at, drawn) = (escape_line(at), drawn.trim_end());
        let note = "note: `cargo arraign report` shows the verdicts of the run";
        Failed::from(format!("\nthread '{name}' panicked at {at}:\n{drawn}\n{note}\n"))
    } else {
        Failed::from(drawn.to_owned())
    }
}

/// The time limit of a case without a `timeout`, for reading its runs and for its checks.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// Evaluates a case. Its agent, if it runs, is asked at most once by all processes of a run.
pub(super) fn evaluate_once(context: &Arc<RunContext>, name: &str, work: &CaseWork, asker: Asker) -> Verdict {
    let evaluated = context
        .live
        .ask_once(name, work, (&context.project, asker), || evaluate_in_time(context, name, work));
    evaluated.unwrap_or_else(|problem| failed_with(&work.case, name, &work.case.place, problem))
}

/// Returns the time limit of a case. A judge takes as long as it takes, and has a limit of its own, and so has a program.
fn find_limit(case: &Case) -> Option<Duration> {
    let is_limited = !case.asks_a_judge() && !case.runs_programs();
    case.timeout.or_else(|| is_limited.then_some(DEFAULT_TIMEOUT))
}

/// Evaluates the case of a trial within its time limit. `None` if it takes too long: then the verdict is an error, which is
/// reported, and a later result is dropped. The agent's time does not count, because the agent has its own limit.
fn evaluate_trial(
    context: &Arc<RunContext>,
    number: usize,
    name: &str,
    work: &CaseWork,
    delivery: &TrialDelivery,
) -> Option<Verdict> {
    // Other processes may wait for the verdict of an agent that runs, also for one that is late.
    if work.case.agent.is_some() && context.live.asks_agents() {
        return Some(evaluate_once(context, name, work, Asker::Case));
    }
    let Some(limit) = find_limit(&work.case) else { return Some(evaluate_case(context, name, work)) };
    let (late_context, late_work, late_name) = (Arc::clone(context), work.clone(), name.to_owned());
    let late_delivery = delivery.clone();
    let on_late = move || {
        let verdict = fail_late(&late_work.case, &late_name);
        late_delivery.deliver(finish_case(&late_context, number, &late_work, verdict));
        late_context.progress.make_room();
    };
    run_limited(limit, on_late, || evaluate_case(context, name, work))
}

/// Evaluates a case within its time limit, on a thread of its own. The caller goes on without a case that takes too long.
fn evaluate_in_time(context: &Arc<RunContext>, name: &str, work: &CaseWork) -> Verdict {
    context.live.wait_for_answer(name);
    let Some(limit) = find_limit(&work.case) else { return evaluate_case(context, name, work) };
    let (own_context, own_work, own_name) = (Arc::clone(context), work.clone(), name.to_owned());
    match run_within(limit, move || evaluate_case(&own_context, &own_name, &own_work)) {
        Ok(verdict) => verdict.unwrap_or_else(|| fail_late(&work.case, name)),
        Err(error) => {
            let problem = format!("cannot start a thread for the case: {error}");
            failed_with(&work.case, name, &work.case.place, problem)
        }
    }
}

fn fail_late(case: &Case, name: &str) -> Verdict {
    let problem = match case.timeout {
        Some(limit) => format!("timed out: the case's `timeout` is {limit:?}"),
        None => format!("timed out: a case without a `timeout` has {DEFAULT_TIMEOUT:?}"),
    };
    failed_with(case, name, &case.place, problem)
}

/// Evaluates a case. A panic outside of a check, such as in a reader, is an error of this trial as well.
fn evaluate_case(context: &RunContext, name: &str, work: &CaseWork) -> Verdict {
    let CaseWork { case, path, .. } = work;
    // A check's own panic was caught before and is a finding; this one is of a reader or of arraign.
    let evaluated = panics::catch_silently(|| match find_runs(context, name, work) {
        Ok(runs) if case.asks_a_judge() => {
            context.judging.track_asking(name, || evaluate_runs(context, name, case, path, &runs))
        }
        Ok(runs) => evaluate_runs(context, name, case, path, &runs),
        Err(RunFailure::Error(error)) => failed_with(case, name, case.trace_place(), error),
        Err(RunFailure::Undecided(run)) => undecided_with(case, name, case.trace_place(), run),
    });
    evaluated
        .unwrap_or_else(|message| failed_with(case, name, &case.place, format!("bug in arraign: {message}")))
}

fn evaluate_runs(context: &RunContext, name: &str, case: &Case, path: &Path, runs: &CaseRuns) -> Verdict {
    let files = &context.project.files;
    let baseline = load_baseline(case, path, files);
    let session = context.judging.open_session(context.project.rerun.command(name), path, files);
    let agent = match context.live.fingerprint_of(case) {
        Ok(agent) => agent,
        Err(problem) => return failed_with(case, name, case.trace_place(), problem),
    };
    let (agent, allows_stale) = (agent.as_deref(), context.project.allows_stale);
    let run_program =
        |request: &ProgramRequest, trace: &Trace| context.programs.run_program(request, case, path, trace);
    let (session, programs) = (Some(&session), Some(&run_program as _));
    let settings = EvaluationSettings { session, programs, allows_stale, agent };
    let noted_runs = || {
        runs.each_run(files).inspect(|run| {
            if let Ok(run) = run {
                context.live.note_run(name, agent, &run.trace);
            }
        })
    };
    let mut verdict = evaluate_each(case, name, noted_runs, baseline.as_ref(), settings);
    verdict.runs_left_out = runs.count_left_out();
    // The finding was made in the engine, which knows no command of this run.
    if case.agent.is_some() {
        stale::advise_recording(&mut verdict, &context.project.rerun);
    }
    verdict
}

/// Tries the mutants of a case that passes, if the run does. The time limit of the trial does not apply, because a survivor
/// fails no trial.
fn try_mutants(context: &RunContext, verdict: &Verdict, work: &CaseWork) -> Option<CaseMutation> {
    if !context.project.mutates || !verdict.passed {
        return None;
    }
    let (CaseWork { case, path, .. }, files) = (work, &context.project.files);
    let session = context.judging.open_session(String::new(), path, files);
    let run_program =
        |request: &ProgramRequest, trace: &Trace| context.programs.run_program(request, case, path, trace);
    let mutator = CaseMutator {
        session: Some(&session),
        programs: context.programs.is_allowed().then_some(&run_program as _),
        finds_additions: true,
        ..CaseMutator::new(case, &verdict.name, context.project.library())
    };
    // A panic while mutants are tried must not change the verdict, which is known already.
    let mutated = panics::catch_silently(|| {
        let found = find_runs(context, &verdict.name, work).map_err(RunFailure::into_reason)?;
        let runs = found.each_run(files).map(|run| run.map(Cow::into_owned)).collect::<Result<_, _>>()?;
        Ok(mutator.mutate_runs(&RecordedEvidence::from_runs(runs, case, path, files)))
    });
    Some(mutated.flatten().unwrap_or_else(|why: String| mutator.leave_out(why)))
}

fn find_runs(context: &RunContext, name: &str, work: &CaseWork) -> Result<CaseRuns, RunFailure> {
    match &work.run {
        Some(SelectedRun { runs, number }) => {
            Ok(runs.read_run(*number, &context.project.files).map(|run| vec![run].into())?)
        }
        None => context.live.runs_of(name, &work.case, &work.path, &context.project.files),
    }
}
