//! Runs the trials of a plan with libtest-mimic.

mod asking;
pub(super) mod context;
pub(super) mod failure;
mod gate;
pub(super) mod judging;
mod limit;
#[cfg(feature = "live")]
pub(super) mod live;
#[cfg(not(feature = "live"))]
#[path = "recorded_only.rs"]
pub(super) mod live;
pub(super) mod panics;
mod pool;
#[cfg_attr(not(feature = "live"), path = "without_programs.rs")]
pub(super) mod programs;
#[cfg_attr(not(any(feature = "live", feature = "http")), path = "without_progress.rs")]
pub(super) mod progress;
pub(super) mod tally;
mod trial;
pub(super) mod variables;

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use libtest_mimic::{Arguments, Completion, Conclusion, Trial};

use self::context::RunContext;
use self::pool::TrialPool;
use self::progress::{Progress, ProgressLine};
use self::trial::{TrialResult, WaitingTrial, run_trial};
use super::cli::HarnessCommand;
use super::plan::{Plan, PlannedTrial};
use crate::case::Ignore;
use crate::report::plain::escape_line;

/// The command with which a user allows agents to run in a replay.
pub(super) const ALLOW_EXEC: &str =
    "call `allow_exec()` on the harness of the test target, or use `cargo arraign run --allow-exec`";

/// Runs the trials.
pub(super) fn run_trials(plan: Plan, context: &Arc<RunContext>, command: &HarnessCommand) -> Conclusion {
    let cases = plan.list_cases();
    let arguments = command.arguments_for(plan.trials.len());
    let trials = make_trials(plan, context, command, &arguments);
    let _line = show_progress(context, &arguments);
    let conclusion = libtest_mimic::run(&arguments, trials);
    // The process is about to end. Freeing thousands of cases on a thread that did not allocate them only takes time.
    std::mem::forget(cases);
    conclusion
}

/// Shows a line of progress if trials ask agents or a judge, but not under nextest, where a process has one trial.
fn show_progress(context: &Arc<RunContext>, arguments: &Arguments) -> Option<ProgressLine> {
    if !context.asks_anyone() || context.readers.nextest {
        return None;
    }
    let watched = Arc::clone(context);
    Progress::show_line(&context.progress, arguments, context.live.may_print(), move || {
        [watched.live.count_asking(), watched.judging.count_asking()]
    })
}

fn make_trials(
    plan: Plan,
    context: &Arc<RunContext>,
    command: &HarnessCommand,
    arguments: &Arguments,
) -> Vec<Trial> {
    let flags = &command.arguments;
    // A list is read by tools, and a run of ignored trials has no reasons to show.
    let show_reasons = !(flags.list || flags.ignored || flags.include_ignored || context.readers.nextest);
    let heads: Vec<(String, Option<Ignore>)> =
        plan.trials.iter().map(|planned| (planned.shown_name().to_owned(), planned.ignore.clone())).collect();
    let threads = arguments.test_threads.or_else(|| thread::available_parallelism().ok().map(NonZero::get));
    let threads = threads.unwrap_or(1);
    let ahead = runs_ahead(context, threads).then(|| numbers_to_run(&plan, command));
    let waiting = plan.trials.into_iter().enumerate().map(|(number, planned)| {
        let PlannedTrial { name, work, .. } = planned;
        WaitingTrial { context: Arc::clone(context), number, name, work }
    });
    let pool = TrialPool::new(waiting, ahead, threads, run_trial);
    let numbered = heads.into_iter().enumerate();
    numbered
        .map(|(number, (name, ignore))| make_trial(number, name, ignore.as_ref(), &pool, show_reasons))
        .collect()
}

/// Whether trials run before libtest-mimic asks for them.
///
/// On one thread libtest-mimic prints `test NAME ...` before it asks. What a check of the user prints must follow the name of
/// its own trial; a built-in check prints nothing. Agents and judges take seconds and differ widely, so each of their
/// trials reports its end at once.
fn runs_ahead(context: &RunContext, threads: usize) -> bool {
    !context.asks_anyone() && (threads > 1 || context.project.kinds.list_own().is_empty())
}

/// Returns the numbers of the trials that will run.
fn numbers_to_run(plan: &Plan, command: &HarnessCommand) -> Vec<usize> {
    let numbered = plan.trials.iter().enumerate();
    numbered.filter(|(_, planned)| planned.will_run(command)).map(|(number, _)| number).collect()
}

/// Returns the trial for libtest-mimic. An ignored case is an ignored trial. If `show_reasons`, it becomes a trial that
/// completes as ignored at once, because libtest-mimic shows a reason only for those.
fn make_trial(
    number: usize,
    name: String,
    ignore: Option<&Ignore>,
    pool: &Arc<TrialPool<WaitingTrial, TrialResult>>,
    show_reasons: bool,
) -> Trial {
    if let Some(Ignore { reason: Some(reason) }) = ignore.filter(|_| show_reasons) {
        let reason = escape_line(reason);
        return Trial::ignorable_test(name, move || Ok(Completion::ignored_with(reason)));
    }
    let pool = Arc::clone(pool);
    let trial = Trial::test(name, move || pool.take_result(number));
    trial.with_ignored_flag(ignore.is_some())
}
