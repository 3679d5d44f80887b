//! One trial: evidence, verdict, verdict file, and the message of a red one.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};

use libtest_mimic::Failed;

use super::judging::Judging;
use super::live::Live;
use super::progress::Progress;
use super::{gate, load_failure, panics};
use crate::engine::{evaluate_each, failed_with};
use crate::harness::output::stderr;
use crate::harness::output::tally::Tally;
use crate::harness::plan::{CaseWork, OneRun, Work};
use crate::harness::record::store::Store;
use crate::harness::snapshot;
use crate::place::LoadErrors;
use crate::report::plain::escape_line;
use crate::report::terminal;
use crate::source::Files;
use crate::suite::{RunsOfCase, load_baseline};
use crate::verdict::{Rerun, Verdict};

/// What all trials of a process share.
pub(in crate::harness) struct Shared {
    pub(in crate::harness) files: Files,
    pub(in crate::harness) store: Store,
    /// The agents that run.
    pub(in crate::harness) live: Live,
    /// The judge.
    pub(in crate::harness) judging: Judging,
    /// What is shown while it lasts.
    pub(in crate::harness) progress: Progress,
    /// What is said after the run.
    pub(in crate::harness) tally: Tally,
    /// The package's folder: where snapshots are named from.
    pub(in crate::harness) base: PathBuf,
    /// How a trial is run alone.
    pub(in crate::harness) rerun: Rerun,
    /// The output is JSON events for an IDE.
    pub(in crate::harness) json: bool,
    /// nextest reads standard error for a heading.
    pub(in crate::harness) nextest: bool,
}

impl Shared {
    /// Whether an agent or a judge is asked by any trial.
    pub(in crate::harness) fn asks(&self) -> bool {
        self.live.asking().asked + self.judging.asking().asked > 0
    }
}

/// Runs the trial of this number in the plan to the end. The error is its message.
pub(in crate::harness) fn run(
    shared: &Arc<Shared>,
    number: usize,
    name: &str,
    work: Work,
) -> Result<(), Failed> {
    let ended = judged(shared, number, name, work);
    shared.progress.make_room();
    ended
}

fn judged(shared: &Arc<Shared>, number: usize, name: &str, work: Work) -> Result<(), Failed> {
    match work {
        Work::Broken(errors) => Err(broken(shared, name, &errors)),
        Work::Case(work) => {
            let mut verdict = judge_in_time(shared, name, &work);
            let CaseWork { case, path, suite, .. } = &work;
            verdict.suite = suite.to_string();
            let tolerated = snapshot::hold_against(&mut verdict, case, path, &shared.base, shared.json);
            shared.tally.add_case(number, &verdict);
            report(shared, verdict, tolerated)
        }
        Work::Gate(work) => {
            let verdict = gate::judge(shared, name, &work);
            shared.tally.add_block(number, &verdict);
            report(shared, verdict, false)
        }
    }
}

/// A verdict is left as well, so that no report looks greener than the run.
fn broken(shared: &Shared, name: &str, errors: &LoadErrors) -> Failed {
    let _ = shared.store.write(&mut load_failure::verdict(name, errors));
    let drawn: Vec<String> = errors.iter().map(terminal::render_load_error).collect();
    let first = errors.iter().next();
    say_to_nextest(shared, &first.map(ToString::to_string).unwrap_or_default());
    let at = first.map(|error| error.place.to_string()).unwrap_or_default();
    message(shared, name, &at, &drawn.join("\n"))
}

/// Writes the verdict, then says what is wrong. A snapshot that changed may be tolerated by insta's force-pass mode:
/// the verdict file still says so.
fn report(shared: &Shared, mut verdict: Verdict, tolerated: bool) -> Result<(), Failed> {
    if shared.rerun != Rerun::default() {
        verdict.rerun = Some(shared.rerun.command(&verdict.name));
    }
    let written = shared.store.write(&mut verdict);
    if let Err(error) = written {
        return Err(Failed::from(shared.store.unwritable(&error)));
    }
    if verdict.passed || tolerated {
        return Ok(());
    }
    say_to_nextest(shared, &terminal::render_headline(&verdict));
    let at = terminal::find_first_place(&verdict);
    Err(message(shared, &verdict.name, &at.to_string(), &terminal::render_red_trial(&verdict)))
}

/// nextest takes a failure's heading, and the message of its `JUnit` report, from standard error.
fn say_to_nextest(shared: &Shared, headline: &str) {
    if shared.nextest {
        stderr::say(&format!("Error: {}", escape_line(headline)));
    }
}

/// In JSON events JetBrains looks for a line that starts with `thread`, and libtest-mimic writes `Error: "` before
/// the message: hence the line break in front.
fn message(shared: &Shared, name: &str, at: &str, drawn: &str) -> Failed {
    if shared.json {
        Failed::from(format!("\nthread '{name}' panicked at {}:\n{drawn}", escape_line(at)))
    } else {
        Failed::from(drawn.to_owned())
    }
}

/// A case's timeout is a worker thread: what it computes after its time is thrown away.
pub(in crate::harness) fn judge_in_time(shared: &Arc<Shared>, name: &str, work: &CaseWork) -> Verdict {
    let case = &work.case;
    shared.live.wait(name);
    let Some(limit) = case.timeout else { return judge(shared, name, work) };
    let (sender, receiver) = channel();
    let (worker_shared, worker_work, worker_name) = (Arc::clone(shared), work.clone(), name.to_owned());
    let worker = std::thread::Builder::new().name(name.replace('\0', "")).spawn(move || {
        let verdict = judge(&worker_shared, &worker_name, &worker_work);
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
fn judge(shared: &Shared, name: &str, work: &CaseWork) -> Verdict {
    let CaseWork { case, path, .. } = work;
    let judged = panics::quietly(|| match runs_of(shared, name, work) {
        Ok(runs) => {
            let files = &shared.files;
            let baseline = load_baseline(case, path, files);
            let hearing = shared.judging.hearing(shared.rerun.command(name), path, files);
            let evaluate =
                || evaluate_each(case, name, || runs.each(files), baseline.as_ref(), Some(&hearing));
            if case.asks_a_judge() { shared.judging.hear(name, evaluate) } else { evaluate() }
        }
        Err(error) => failed_with(case, name, case.trace_place(), error),
    });
    judged
        .unwrap_or_else(|said| failed_with(case, name, &case.place, format!("a mistake in arraign: {said}")))
}

fn runs_of(shared: &Shared, name: &str, work: &CaseWork) -> Result<RunsOfCase, String> {
    match &work.run {
        Some(OneRun { runs, number }) => runs.one(*number, &shared.files).map(|run| vec![run].into()),
        None => shared.live.runs(name, &work.case, &work.path, &shared.files),
    }
}
