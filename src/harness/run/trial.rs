//! One trial: evidence, verdict, verdict file, and the message of a red one.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};

use libtest_mimic::Failed;

use super::context::RunContext;
use super::{gate, load_failure, panics};
use crate::engine::{evaluate_each, failed_with};
use crate::harness::output::stderr;
use crate::harness::plan::{CaseWork, OneRun, Work};
use crate::harness::snapshots;
use crate::place::LoadErrors;
use crate::report::plain::escape_line;
use crate::report::terminal;
use crate::suite::{CaseRuns, load_baseline};
use crate::verdict::{Rerun, Verdict};

/// Runs the trial of this number in the plan to the end. The error is its message.
pub(in crate::harness) fn run_trial(
    context: &Arc<RunContext>,
    number: usize,
    name: &str,
    work: Work,
) -> Result<(), Failed> {
    let ended = run_work(context, number, name, work);
    context.progress.make_room();
    ended
}

fn run_work(context: &Arc<RunContext>, number: usize, name: &str, work: Work) -> Result<(), Failed> {
    match work {
        Work::Broken(errors) => Err(report_load_failure(context, name, &errors)),
        Work::Case(work) => {
            let mut verdict = judge_in_time(context, name, &work);
            let CaseWork { case, path, suite, .. } = &work;
            verdict.suite = suite.to_string();
            let tolerated = snapshots::compare_with_snapshot(&mut verdict, case, path, &context.project.base);
            context.tally.add_case(number, &verdict);
            report_verdict(context, verdict, tolerated)
        }
        Work::Gate(work) => {
            let verdict = gate::judge_gate(context, name, &work);
            context.tally.add_block(number, &verdict);
            report_verdict(context, verdict, false)
        }
    }
}

/// A verdict is left as well, so that no report looks greener than the run.
fn report_load_failure(context: &RunContext, name: &str, errors: &LoadErrors) -> Failed {
    let _ = context.store.write_verdict(&mut load_failure::load_failure_verdict(name, errors));
    let drawn: Vec<String> = errors.iter().map(terminal::render_load_error).collect();
    let first = errors.iter().next();
    say_to_nextest(context, &first.map(ToString::to_string).unwrap_or_default());
    let at = first.map(|error| error.place.to_string()).unwrap_or_default();
    failure_message(context, name, &at, &drawn.join("\n"))
}

/// Writes the verdict, then says what is wrong. A snapshot that changed may be tolerated by insta's force-pass mode:
/// the verdict file still says so.
fn report_verdict(context: &RunContext, mut verdict: Verdict, tolerated: bool) -> Result<(), Failed> {
    if context.project.rerun != Rerun::default() {
        verdict.rerun = Some(context.project.rerun.command(&verdict.name));
    }
    let written = context.store.write_verdict(&mut verdict);
    if let Err(error) = written {
        return Err(Failed::from(context.store.unwritable_error(&error)));
    }
    if verdict.passed || tolerated {
        return Ok(());
    }
    say_to_nextest(context, &terminal::render_headline(&verdict));
    let at = terminal::find_first_place(&verdict);
    Err(failure_message(context, &verdict.name, &at.to_string(), &terminal::render_red_trial(&verdict)))
}

/// nextest takes a failure's heading, and the message of its `JUnit` report, from standard error.
fn say_to_nextest(context: &RunContext, headline: &str) {
    if context.readers.nextest {
        stderr::eprint(&format!("Error: {}", escape_line(headline)));
    }
}

/// In JSON events JetBrains looks for a line that starts with `thread`, and libtest-mimic writes `Error: "` before
/// the message: hence the line break in front.
fn failure_message(context: &RunContext, name: &str, at: &str, drawn: &str) -> Failed {
    if context.readers.json {
        Failed::from(format!("\nthread '{name}' panicked at {}:\n{drawn}", escape_line(at)))
    } else {
        Failed::from(drawn.to_owned())
    }
}

/// A case's timeout is a worker thread: what it computes after its time is thrown away.
pub(in crate::harness) fn judge_in_time(context: &Arc<RunContext>, name: &str, work: &CaseWork) -> Verdict {
    let case = &work.case;
    context.live.wait_for_answer(name);
    let Some(limit) = case.timeout else { return judge_case(context, name, work) };
    let (sender, receiver) = channel();
    let (worker_context, worker_work, worker_name) = (Arc::clone(context), work.clone(), name.to_owned());
    let worker = std::thread::Builder::new().name(name.replace('\0', "")).spawn(move || {
        let verdict = judge_case(&worker_context, &worker_name, &worker_work);
        let _ = sender.send(verdict);
    });
    if let Err(error) = worker {
        return failed_with(case, name, &case.place, format!("no thread for the case: {error}"));
    }
    receiver.recv_timeout(limit).unwrap_or_else(|error| {
        let problem = match error {
            RecvTimeoutError::Timeout => format!("out of time: the case's `timeout` is {limit:?}"),
            RecvTimeoutError::Disconnected => "the case's thread died".to_owned(),
        };
        failed_with(case, name, &case.place, problem)
    })
}

/// A panic outside of a check (a reader's) is this trial's error as well.
fn judge_case(context: &RunContext, name: &str, work: &CaseWork) -> Verdict {
    let CaseWork { case, path, .. } = work;
    let judged = panics::quietly(|| match runs_of(context, name, work) {
        Ok(runs) => {
            let files = &context.project.files;
            let baseline = load_baseline(case, path, files);
            let hearing = context.judging.open_hearing(context.project.rerun.command(name), path, files);
            let evaluate =
                || evaluate_each(case, name, || runs.each_run(files), baseline.as_ref(), Some(&hearing));
            if case.asks_a_judge() { context.judging.track_asking(name, evaluate) } else { evaluate() }
        }
        Err(error) => failed_with(case, name, case.trace_place(), error),
    });
    judged
        .unwrap_or_else(|said| failed_with(case, name, &case.place, format!("a mistake in arraign: {said}")))
}

fn runs_of(context: &RunContext, name: &str, work: &CaseWork) -> Result<CaseRuns, String> {
    match &work.run {
        Some(OneRun { runs, number }) => {
            runs.read_run(*number, &context.project.files).map(|run| vec![run].into())
        }
        None => context.live.runs_of(name, &work.case, &work.path, &context.project.files),
    }
}
