//! The trials of a plan, as libtest-mimic runs them.

mod asking;
mod batch;
pub(super) mod context;
mod gate;
pub(super) mod judging;
#[cfg(feature = "live")]
pub(super) mod live;
#[cfg(not(feature = "live"))]
#[path = "recorded_only.rs"]
pub(super) mod live;
mod load_failure;
pub(super) mod panics;
#[cfg_attr(not(any(feature = "live", feature = "judge")), path = "without_progress.rs")]
pub(super) mod progress;
mod trial;

use std::num::NonZero;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use libtest_mimic::{Arguments, Completion, Conclusion, Failed, Trial};

use self::batch::Batch;
use self::context::RunContext;
use self::progress::{Progress, ProgressLine};
use super::FAILED;
use super::cli::Command;
use super::output::finish::RunFinisher;
use super::output::reports::TrialCounts;
use super::output::stderr::usage_error;
use super::plan::{Plan, Planned, Work};
use crate::case::Ignore;
use crate::report::plain::escape_line;

/// How long after its beginning a trial that has ended may be followed by another one before it is told of: nobody sees
/// so short a time, and a dozen of usual trials fit in.
const MOMENT: Duration = Duration::from_millis(2);

/// A trial that was not begun.
struct WaitingTrial {
    context: Arc<RunContext>,
    number: usize,
    name: String,
    work: Work,
}

type Trials = Batch<WaitingTrial, Result<(), Failed>>;

/// Runs the trials, and says and writes what there is to say of them.
pub(super) fn run_trials(
    plan: Plan,
    context: &Arc<RunContext>,
    command: &Command,
    ending: &RunFinisher,
) -> ExitCode {
    let asked = &command.arguments;
    let cases = plan.list_cases();
    let conclusion = run_libtest(plan, context, command);
    // The process ends now: freeing thousands of cases, on threads that did not make them, would only cost time.
    std::mem::forget(cases);
    let ran = TrialCounts::from_conclusion(&conclusion);
    if !asked.list
        && let Err(problem) = ending.finish_run(context, ran)
    {
        return usage_error(&[problem]);
    }
    if conclusion.has_failed() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS }
}

fn run_libtest(plan: Plan, context: &Arc<RunContext>, command: &Command) -> Conclusion {
    let arguments = command.arguments_for(plan.trials.len());
    let trials = make_trials(plan, context, command, &arguments);
    let _line = show_progress(context, &arguments);
    libtest_mimic::run(&arguments, trials)
}

/// Shows a line of progress where agents or a judge are asked. Under nextest a process has one trial.
fn show_progress(context: &Arc<RunContext>, arguments: &Arguments) -> Option<ProgressLine> {
    if !context.asks_anyone() || context.readers.nextest {
        return None;
    }
    let watched = Arc::clone(context);
    let count = move || [watched.live.count_asking(), watched.judging.count_asking()];
    Progress::show(&context.progress, arguments, context.live.may_print(), count)
}

fn make_trials(
    plan: Plan,
    context: &Arc<RunContext>,
    command: &Command,
    arguments: &Arguments,
) -> Vec<Trial> {
    let asked = &command.arguments;
    let reasons = !(asked.list || asked.ignored || asked.include_ignored || context.readers.nextest);
    let heads: Vec<(String, Option<Ignore>)> =
        plan.trials.iter().map(|planned| (planned.name.clone(), planned.ignore.clone())).collect();
    let order = if ends_together(context, arguments) { numbers_to_run(&plan, command) } else { Vec::new() };
    let coming = |(number, planned)| {
        let Planned { name, work, .. } = planned;
        WaitingTrial { context: Arc::clone(context), number, name, work }
    };
    let run =
        |coming: WaitingTrial| trial::run_trial(&coming.context, coming.number, &coming.name, coming.work);
    let batch = Arc::new(Batch::new(plan.trials.into_iter().enumerate().map(coming), order, MOMENT, run));
    let numbered = heads.into_iter().enumerate();
    numbered
        .map(|(number, (name, ignore))| make_trial(number, name, ignore.as_ref(), &batch, reasons))
        .collect()
}

/// On one thread the beginning of a trial's line stands already. Agents and judges take their time, and no two the
/// same: then each trial says that it has ended as soon as it has.
fn ends_together(context: &RunContext, arguments: &Arguments) -> bool {
    let available = || thread::available_parallelism().map_or(1, NonZero::get);
    !context.asks_anyone() && arguments.test_threads.unwrap_or_else(available) > 1
}

/// The numbers of the trials that will run.
fn numbers_to_run(plan: &Plan, command: &Command) -> Vec<usize> {
    let numbered = plan.trials.iter().enumerate();
    numbered.filter(|(_, planned)| planned.will_run(command)).map(|(number, _)| number).collect()
}

/// An ignored case is ignored for the runner, too; where nobody asks for ignored trials, the reason is shown.
fn make_trial(
    number: usize,
    name: String,
    ignore: Option<&Ignore>,
    batch: &Arc<Trials>,
    reasons: bool,
) -> Trial {
    if let Some(Ignore { reason: Some(reason) }) = ignore.filter(|_| reasons) {
        let reason = escape_line(reason);
        return Trial::ignorable_test(name, move || Ok(Completion::ignored_with(reason)));
    }
    let batch = Arc::clone(batch);
    let again = || Err("a mistake in arraign: this trial was run before".into());
    Trial::test(name, move || batch.take(number).unwrap_or_else(again)).with_ignored_flag(ignore.is_some())
}
