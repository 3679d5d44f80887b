//! The trial of a case: it finds the runs, evaluates them, compares the snapshot, tries mutants, and writes the verdict.

use std::any::Any;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::context::RunContext;
use super::failure::RunFailure;
use super::gate;
use super::limit::{run_limited, run_within};
use super::live::Asker;
use super::panics;
use super::pool::LateTrial;
use crate::case::Case;
use crate::engine::{EvaluationSettings, evaluate_each, failed_with, read_panic, undecided_with};
use crate::harness::plan::{CaseWork, SelectedRun, TrialWork, name_attack};
use crate::harness::quarantine::TrialOrigin;
use crate::harness::snapshots;
use crate::harness::stderr;
use crate::mutate::CaseMutator;
use crate::outcome::UndecidedCause;
use crate::place::{LoadErrors, Location};
use crate::report::plain::escape_line;
use crate::report::terminal;
use crate::suite::{CaseRuns, RecordedEvidence, RunsError, build_case_name, load_baseline};
use crate::verdict::rebase::prefix_file;
use crate::verdict::{CaseMutation, Rerun, TrialError, Verdict};

/// The time limit of a case without a `timeout`, for reading its runs and for its checks.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(1);

/// A trial that has not started.
pub(super) struct WaitingTrial {
    pub(super) context: Arc<RunContext>,
    /// The trial's number in the plan.
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) work: TrialWork,
}

/// Whether a trial passes.
pub(super) type TrialResult = Result<(), TrialFailure>;

/// Why a trial fails, for the printer.
pub(super) struct TrialFailure {
    /// Everything that is wrong.
    pub(super) message: String,
    /// The first thing that is wrong, on one line.
    pub(super) headline: String,
    /// What trials that fail for the same reason have in common. `None`: each failure is shown whole.
    pub(super) cause: Option<String>,
}

impl TrialFailure {
    fn from_message(message: String) -> Self {
        Self { headline: escape_line(message.lines().next().unwrap_or_default()), message, cause: None }
    }

    /// The failure of a trial whose thread panicked.
    pub(super) fn from_panic(panicked: &(dyn Any + Send)) -> Self {
        Self::from_message(format!("test panicked: {}", escape_line(read_panic(panicked))))
    }
}

/// Runs a trial. `None` if it is late: then the thread that waits for it makes its result.
pub(super) fn run_trial(
    trial: WaitingTrial,
    late: &LateTrial<WaitingTrial, TrialResult>,
) -> Option<TrialResult> {
    let WaitingTrial { context, number, name, work } = trial;
    let read = match work {
        TrialWork::Case(work) => Ok(work),
        TrialWork::Deferred(case) => {
            case.read_again(&name, &context.project.recent_suites, context.project.library())
        }
        TrialWork::Broken(errors) => Err(errors),
        TrialWork::Gate(work) => {
            let mut verdict = gate::evaluate_gate_trial(&context, &name, &work);
            let file = context.project.base.join(work.gate.place.file());
            let cases = work.cases.iter().map(|(_, work)| (&*work.case, &**work.path)).collect();
            note_quarantine(&context, &mut verdict, None, &file, cases);
            context.tally.add_block(number, &verdict, false);
            return Some(report_verdict(&context, verdict, false));
        }
    };
    let work = match read {
        Ok(work) => work,
        Err(errors) => return Some(report_load_failure(&context, &name, &errors)),
    };
    // Other processes may wait for the verdict of an agent that is asked now, also for one that is late.
    if work.case.agent.is_some() && context.live.asks_agents() {
        let verdict = evaluate_in_turn(&context, &name, &work, Asker::Case);
        return Some(finish_case(&context, number, &work, verdict));
    }
    // An agent with a recorded model runs in a replay, too. It has a limit of its own.
    context.live.wait_for_answer(&name);
    let verdict = match find_limit(&work.case) {
        None => evaluate_case(&context, &name, &work),
        Some(limit) => {
            let lost = late.clone();
            let own_context = Arc::clone(&context);
            let own_work = work.clone();
            let own_name = name.clone();
            // The thread of a late trial is lost, so another one ends it. A later result is dropped.
            let on_late = move || {
                lost.end(move || {
                    let verdict = fail_late(&own_work.case, &own_name);
                    finish_case(&own_context, number, &own_work, verdict)
                });
            };
            run_limited(limit, on_late, || evaluate_case(&context, &name, &work))?
        }
    };
    Some(finish_case(&context, number, &work, verdict))
}

/// Evaluates a case within its time limit, for a caller that waits. If the agent of the case runs, it is asked at most once by
/// all processes of a run, and its time does not count, because it has a limit of its own.
pub(super) fn evaluate_in_turn(
    context: &Arc<RunContext>,
    name: &str,
    work: &CaseWork,
    asker: Asker,
) -> Verdict {
    let case = &work.case;
    let evaluated = context.live.ask_once(name, work, &context.project, asker, || {
        context.live.wait_for_answer(name);
        let Some(limit) = find_limit(case) else { return Ok(evaluate_case(context, name, work)) };
        let own_context = Arc::clone(context);
        let own_work = work.clone();
        let own_name = name.to_owned();
        match run_within(limit, move || evaluate_case(&own_context, &own_name, &own_work)) {
            Ok(verdict) => Ok(verdict.unwrap_or_else(|| fail_late(case, name))),
            Err(error) => Err(format!("cannot start a thread for the case: {error}")),
        }
    });
    evaluated.unwrap_or_else(|problem| failed_with(case, name, &case.place, problem))
}

/// Returns the time limit of a case. A judge takes as long as it takes, and has a limit of its own, and so has a program.
fn find_limit(case: &Case) -> Option<Duration> {
    let is_limited = !case.asks_a_judge() && !case.runs_programs();
    case.timeout.or_else(|| is_limited.then_some(DEFAULT_TIMEOUT))
}

fn fail_late(case: &Case, name: &str) -> Verdict {
    let problem = match case.timeout {
        Some(limit) => format!("timed out: the case's `timeout` is {limit:?}"),
        None => format!("timed out: a case without a `timeout` has {DEFAULT_TIMEOUT:?}"),
    };
    failed_with(case, name, &case.place, problem)
}

/// Evaluates the runs of a case, without a time limit.
fn evaluate_case(context: &RunContext, name: &str, work: &CaseWork) -> Verdict {
    let CaseWork { case, path, .. } = work;
    let files = &context.project.files;
    let evaluate_runs = |runs: &CaseRuns| {
        let agent = match context.live.fingerprint_of(case) {
            Ok(agent) => agent,
            Err(problem) => return failed_with(case, name, case.trace_place(), problem),
        };
        let session = context.judging.open_session(context.project.rerun.command(name), path, files);
        let programs = context.programs.of_case(case, path);
        let settings = EvaluationSettings {
            session: Some(&session),
            programs: Some(&programs),
            allows_stale: context.project.allows_stale,
            details_of_passed: context.project.details_of_passed,
            agent: agent.as_deref(),
        };
        // A large file of runs is read once for each check that needs all of them, so the runs can be listed again.
        let list_runs = || {
            runs.each_run(files).inspect(|run| {
                if let Ok(run) = run {
                    context.live.note_run(name, agent.as_deref(), &run.trace);
                    if let Some(phase) = &context.attack {
                        phase.note_run(name, &run.trace);
                    }
                }
            })
        };
        let baseline = load_baseline(case, path, files);
        let mut verdict = evaluate_each(case, name, list_runs, baseline.as_ref(), settings);
        verdict.runs_left_out = runs.count_left_out();
        // A run on the recorded answers of a model takes another time each time, but rests on the same evidence.
        for (summary, hash) in
            verdict.runs.iter_mut().zip(context.live.hash_cassettes(name, case, path, files))
        {
            summary.evidence_hash = Some(hash);
        }
        // The findings were made in the engine, which knows no command of this run.
        if case.agent.is_some() {
            advise_recording(&mut verdict, &context.project.rerun);
        }
        verdict
    };
    // A check's own panic was caught before and is a finding; this one is of a reader or of arraign, and the error of this
    // trial alone.
    let evaluated = panics::catch_silently(|| match find_runs(context, name, work) {
        Ok(runs) if case.asks_a_judge() => context.judging.track_asking(name, || evaluate_runs(&runs)),
        Ok(runs) => evaluate_runs(&runs),
        Err(RunFailure::Error(error)) => failed_with(case, name, case.trace_place(), error),
        Err(RunFailure::Undecided(run)) => undecided_with(case, name, case.trace_place(), run),
    });
    let verdict = evaluated
        .unwrap_or_else(|message| failed_with(case, name, &case.place, format!("bug in arraign: {message}")));
    Verdict { live: context.live.asks_agents() && context.live.was_asked(name), ..verdict }
}

/// Returns the runs of a case: the selected one, those of its agent, or the recorded ones.
fn find_runs(context: &RunContext, name: &str, work: &CaseWork) -> Result<CaseRuns, RunFailure> {
    match &work.run {
        Some(SelectedRun { runs, number }) => {
            Ok(runs.read_run(*number, &context.project.files).map(|run| vec![run].into())?)
        }
        None => context.live.runs_of(name, &work.case, &work.path, &context.project.files),
    }
}

/// Adds to findings about runs for another input or by another agent the command that records them again, or that runs the
/// agent.
fn advise_recording(verdict: &mut Verdict, rerun: &Rerun) {
    let command = rerun.command(&verdict.name);
    for finding in &mut verdict.findings {
        match finding.undecided {
            Some(UndecidedCause::AnotherInput | UndecidedCause::ChangedAgent) => {
                // The second part of the advice is the setting that accepts the difference.
                let help = finding.help.as_deref().and_then(|help| help.split_once("; "));
                let accepted = help.map(|(_, accepted)| format!("; {accepted}")).unwrap_or_default();
                finding.help =
                    Some(format!("record the run again: ARRAIGN_AGENT_MODE=record {command}{accepted}"));
            }
            Some(UndecidedCause::AnotherAgent) => {
                finding.help = Some(format!(
                    "run this agent: ARRAIGN_AGENT_MODE=live {command}; or delete the recording and record it with this agent"
                ));
            }
            _ => {}
        }
    }
}

/// Compares the snapshot of a case that was evaluated, tries its mutants, and writes the verdict.
fn finish_case(context: &RunContext, number: usize, work: &CaseWork, mut verdict: Verdict) -> TrialResult {
    let CaseWork { case, path, suite, .. } = work;
    verdict.suite = suite.to_string();
    if let Some(variant) = &work.variant {
        variant.name_verdict(&mut verdict);
    }
    // Before everything else, because the snapshot can change whether the trial passes.
    let tolerated = snapshots::compare_with_snapshot(&mut verdict, case, path, &context.project.files);
    // The time limit of the trial does not apply to mutants, because a survivor fails no trial.
    if context.project.mutates && verdict.passed {
        verdict.mutation = Some(Box::new(try_mutants(context, &verdict, work)));
    }
    name_attack(work.attack.as_ref(), &mut verdict);
    if let Some(phase) = &context.attack {
        phase.note_verdict(&verdict);
    }
    let is_run = work.run.is_some();
    let case_name = is_run.then(|| build_case_name(&work.suite, case.id.as_deref()));
    note_quarantine(context, &mut verdict, case_name, path, vec![(&**case, &***path)]);
    context.tally.add_case(number, case, &verdict, tolerated);
    report_verdict(context, verdict, tolerated)
}

/// Adds to a verdict the entry of the quarantine that means it. `path` is the file of its suite, and `cases` are those that it is
/// about.
fn note_quarantine(
    context: &RunContext,
    verdict: &mut Verdict,
    case: Option<String>,
    path: &Path,
    cases: Vec<(&Case, &Path)>,
) {
    let project = &context.project;
    let list_agent_files = |case: &Case| context.live.list_agent_files(case, &project.base);
    let origin = TrialOrigin { case, path, cases, list_agent_files: &list_agent_files };
    context.quarantine.note_entry(verdict, &origin, &project.base, project.library());
}

fn try_mutants(context: &RunContext, verdict: &Verdict, work: &CaseWork) -> CaseMutation {
    let CaseWork { case, path, .. } = work;
    let files = &context.project.files;
    let session = context.judging.open_session(String::new(), path, files);
    let programs = context.programs.of_case(case, path);
    let mutator = CaseMutator {
        session: Some(&session),
        programs: context.programs.is_allowed().then_some(&programs as _),
        finds_additions: true,
        ..CaseMutator::new(case, &verdict.name, context.project.library())
    };
    // A panic while mutants are tried must not change the verdict, which is known already.
    let mutated = panics::catch_silently(|| {
        let found = find_runs(context, &verdict.name, work).map_err(RunFailure::into_reason)?;
        let made = found.each_run(files).filter(|run| !matches!(run, Err(RunsError::Lost(_))));
        let runs = made.map(|run| run.map(Cow::into_owned)).collect::<Result<_, _>>()?;
        Ok(mutator.mutate_runs(&RecordedEvidence::from_runs(runs, case, path, files)))
    });
    mutated.flatten().unwrap_or_else(|why: String| mutator.leave_out(why))
}

/// Writes a verdict with one error for each mistake of a case that cannot be read, so that reports contain the failure.
fn report_load_failure(context: &RunContext, name: &str, errors: &LoadErrors) -> TrialResult {
    let messages = errors.iter().map(|error| {
        let help = error.help.as_ref().map_or_else(String::new, |help| format!(" (help: {help})"));
        TrialError { message: format!("{}{help}", error.problem), at: error.place.locate() }
    });
    let first = errors.iter().next();
    let at = first.map_or_else(Location::default, |error| error.place.locate());
    // Everything else about the case is unknown.
    let mut verdict = Verdict { errors: messages.collect(), ..Verdict::empty(name, at.clone()) };
    let _ = context.store.write_verdict(&mut verdict);
    let folder = &context.project.folder;
    let drawn: Vec<String> =
        errors.iter().map(|error| terminal::render_load_error_below(error, folder)).collect();
    let mut shown_at = at;
    prefix_file(&mut shown_at.file, folder);
    let headline = first.map(ToString::to_string).unwrap_or_default();
    Err(fail_trial(context, name, &headline, &shown_at.to_string(), &drawn.join("\n")))
}

/// Writes a verdict, and returns the failure message if it does not pass.
///
/// With `tolerated`, the trial passes although its snapshot has changed (insta's force-pass mode). Its verdict does not.
fn report_verdict(context: &RunContext, mut verdict: Verdict, tolerated: bool) -> TrialResult {
    if context.project.rerun != Rerun::default() {
        verdict.rerun = Some(context.project.rerun.repeat(&verdict.name));
    }
    let written = context.store.write_verdict(&mut verdict);
    context.progress.make_room();
    written.map_err(TrialFailure::from_message)?;
    if verdict.passed || tolerated || verdict.is_quarantined() {
        return Ok(());
    }
    if !context.readers.json && context.attack.as_ref().is_some_and(|phase| !phase.shows_failure()) {
        return Err(TrialFailure::from_message(String::new()));
    }
    // The log has paths of the package; what a terminal shows is a link from the root of the workspace.
    verdict.rebase(&context.project.folder);
    let headline = terminal::render_headline(&verdict);
    let at = terminal::find_first_place(&verdict).to_string();
    let drawn = terminal::render_red_trial(&verdict);
    let failure = fail_trial(context, &verdict.name, &headline, &at, &drawn);
    // In a list of trials with one cause, the place says nothing: it is that of each trial.
    let claim = terminal::render_claim(&verdict);
    Err(TrialFailure { headline: claim, cause: terminal::find_cause(&verdict), ..failure })
}

/// Prints the headline of a failure for nextest, which takes the message of its `JUnit` report from standard error, and renders
/// the message of the failure.
///
/// In JSON events, JetBrains looks for a line that starts with `thread`, and shows what stands between it and `note:`. As that of
/// libtest, the text begins with a line break.
fn fail_trial(context: &RunContext, name: &str, headline: &str, at: &str, drawn: &str) -> TrialFailure {
    context.progress.make_room();
    let headline = escape_line(headline);
    if context.readers.nextest {
        stderr::eprint(&format!("Error: {headline}"));
    }
    let message = if context.readers.json {
        let at = escape_line(at);
        let drawn = drawn.trim_end();
        let note = "note: `cargo arraign report` shows the verdicts of the run";
        format!("\nthread '{name}' panicked at {at}:\n{drawn}\n{note}\n")
    } else {
        drawn.to_owned()
    };
    TrialFailure { message, headline, cause: None }
}
