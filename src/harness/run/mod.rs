//! Runs the trials of a plan, and prints as libtest does.

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
mod printer;
#[cfg_attr(not(feature = "live"), path = "without_programs.rs")]
pub(super) mod programs;
#[cfg_attr(not(any(feature = "live", feature = "http")), path = "without_progress.rs")]
pub(super) mod progress;
pub(super) mod tally;
mod trial;
pub(super) mod variables;

use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use std::{mem, thread, vec};

use self::context::RunContext;
use self::pool::{EndedTrial, TrialPool};
use self::printer::{Printer, TrialOutcome};
use self::progress::{Progress, ProgressLine};
use self::trial::{TrialFailure, TrialResult, WaitingTrial, run_trial};
use super::cli::HarnessCommand;
use super::plan::{Plan, PlannedTrial};
use crate::case::Ignore;
use crate::score::RandomBits;
use crate::source::lock;

/// The command with which a user allows agents to run in a replay.
pub(super) const ALLOW_EXEC: &str =
    "call `allow_exec()` on the harness of the test target, or use `cargo arraign run --allow-exec`";

/// The numbers of trials by how they ended.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TrialCounts {
    /// The trials that passed.
    pub(crate) passed: usize,
    /// The trials that failed.
    pub(crate) failed: usize,
    /// The trials that did not run.
    pub(crate) ignored: usize,
    /// The trials that the filters left out.
    pub(crate) filtered_out: usize,
}

/// Runs the trials, or lists them.
pub(super) fn run_trials(mut plan: Plan, context: &Arc<RunContext>, command: &HarnessCommand) -> TrialCounts {
    let started = Instant::now();
    let cases = plan.list_cases();
    let heads: Vec<TrialHead> =
        plan.trials.iter().map(|planned| TrialHead::of_trial(planned, command)).collect();
    let numbers = select_numbers(&plan, command);
    let named = || numbers.iter().map(|number| heads[*number].name.as_str());
    let mut printer = Printer::new(command, named());
    if command.arguments.list {
        printer.print_list(named());
        return TrialCounts::default();
    }
    let mut counts = TrialCounts {
        filtered_out: plan.filtered_out + plan.trials.len() - numbers.len(),
        ..TrialCounts::default()
    };
    printer.print_title(numbers.len());
    let threads = command.count_threads(numbers.len());
    let pool = make_pool(mem::take(&mut plan.trials), context, threads, &heads, &numbers);
    let line = show_progress(context, command);
    let mut failed: Vec<(usize, TrialFailure)> = Vec::new();
    let mut note_end = |printer: &mut Printer, number: usize, ended: (TrialOutcome, Option<Duration>)| {
        let (outcome, took) = ended;
        printer.print_end(&heads[number].name, &outcome, took);
        match outcome {
            TrialOutcome::Passed => counts.passed += 1,
            TrialOutcome::Ignored(_) => counts.ignored += 1,
            TrialOutcome::Failed(failure) => {
                counts.failed += 1;
                failed.push((number, failure));
            }
        }
    };
    if threads == 1 {
        for number in numbers {
            // What the trial itself prints follows its name.
            printer.print_start(&heads[number].name);
            let ended = heads[number].wait_for_end(number, &pool);
            note_end(&mut printer, number, ended);
        }
    } else {
        let waiting = Mutex::new(numbers.into_iter());
        thread::scope(|scope| {
            let (sender, ends) = mpsc::channel();
            for _ in 0..threads {
                let sender = sender.clone();
                scope.spawn(|| {
                    let sender = sender;
                    // The lock is given back before the trial runs.
                    while let Some(number) = next_number(&waiting) {
                        // The receiver is gone only if this thread's results are of no use any more.
                        let _ = sender.send((number, heads[number].wait_for_end(number, &pool)));
                    }
                });
            }
            drop(sender);
            for (number, ended) in ends {
                // The name is printed with the result, or the lines of several trials would mix.
                printer.print_start(&heads[number].name);
                note_end(&mut printer, number, ended);
            }
        });
    }
    drop(line);
    // Trials end in any order, and people compare the messages of two runs.
    failed.sort_by_key(|(number, _)| *number);
    let failed: Vec<(&str, TrialFailure)> =
        failed.into_iter().map(|(number, failure)| (heads[number].name.as_str(), failure)).collect();
    printer.print_failures(&failed);
    printer.print_summary(counts, started.elapsed());
    // The process is about to end. Freeing thousands of cases on a thread that did not allocate them only takes time.
    mem::forget(cases);
    counts
}

/// Takes the next number. Returns none at the end.
fn next_number(numbers: &Mutex<vec::IntoIter<usize>>) -> Option<usize> {
    lock(numbers).next()
}

/// What is known of a trial before it runs.
struct TrialHead {
    /// The name that filters match and events report.
    name: String,
    /// Why the trial does not run. `None`: it runs.
    ignored: Option<Ignore>,
}

impl TrialHead {
    fn of_trial(planned: &PlannedTrial, command: &HarnessCommand) -> Self {
        let ignored = (!planned.will_run(command)).then(|| planned.ignore.clone().unwrap_or_default());
        Self { name: planned.shown_name().to_owned(), ignored }
    }

    /// Waits for the end of the trial, unless it does not run.
    fn wait_for_end(
        &self,
        number: usize,
        pool: &Arc<TrialPool<WaitingTrial, TrialResult>>,
    ) -> (TrialOutcome, Option<Duration>) {
        if let Some(Ignore { reason }) = &self.ignored {
            return (TrialOutcome::Ignored(reason.clone()), None);
        }
        let EndedTrial { result, took } = pool.take_end(number);
        let outcome = match result {
            Ok(Ok(())) => TrialOutcome::Passed,
            Ok(Err(failure)) => TrialOutcome::Failed(failure),
            Err(panicked) => TrialOutcome::Failed(TrialFailure::from_panic(&*panicked)),
        };
        (outcome, Some(took))
    }
}

/// Returns the numbers of the trials that the filters select, in the order in which they run.
fn select_numbers(plan: &Plan, command: &HarnessCommand) -> Vec<usize> {
    let is_selected = |planned: &PlannedTrial| {
        command.wants_trial(planned.shown_name()) && (!command.arguments.ignored || planned.ignore.is_some())
    };
    let numbered = plan.trials.iter().enumerate();
    let mut numbers: Vec<usize> =
        numbered.filter(|(_, planned)| is_selected(planned)).map(|(number, _)| number).collect();
    if let Some(seed) = command.more.shuffle_seed {
        shuffle(&mut numbers, seed);
    }
    numbers
}

/// Brings the values into an order that only the seed decides (Fisher and Yates).
fn shuffle(values: &mut [usize], seed: u64) {
    let mut bits = RandomBits(seed);
    for last in (1..values.len()).rev() {
        let random = bits.next().unwrap_or_default() % (last as u64 + 1);
        values.swap(last, usize::try_from(random).unwrap_or_default());
    }
}

/// Shows a line of progress if trials ask agents or a judge, but not under nextest, where a process has one trial.
fn show_progress(context: &Arc<RunContext>, command: &HarnessCommand) -> Option<ProgressLine> {
    if !context.asks_anyone() || context.readers.nextest {
        return None;
    }
    let watched = Arc::clone(context);
    Progress::show_line(&context.progress, command, context.live.may_print(), move || {
        [watched.live.count_asking(), watched.judging.count_asking()]
    })
}

/// Creates the pool of the trials. Those that run may run ahead, in the order of `numbers`.
fn make_pool(
    trials: Vec<PlannedTrial>,
    context: &Arc<RunContext>,
    threads: usize,
    heads: &[TrialHead],
    numbers: &[usize],
) -> Arc<TrialPool<WaitingTrial, TrialResult>> {
    let will_run = numbers.iter().copied().filter(|number| heads[*number].ignored.is_none());
    let ahead = runs_ahead(context, threads).then(|| will_run.collect());
    let waiting = trials.into_iter().enumerate().map(|(number, planned)| {
        let PlannedTrial { name, work, .. } = planned;
        WaitingTrial { context: Arc::clone(context), number, name, work }
    });
    TrialPool::new(waiting, ahead, threads, run_trial)
}

/// Whether trials run before the printer asks for them.
///
/// On one thread the printer prints `test NAME ...` before it asks. What a check of the user prints must follow the name of
/// its own trial; a built-in check prints nothing. Agents and judges take seconds and differ widely, so each of their
/// trials reports its end at once.
fn runs_ahead(context: &RunContext, threads: usize) -> bool {
    !context.asks_anyone() && (threads > 1 || context.project.kinds.list_own().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_order_of_all_values() {
        let order = |seed: u64| {
            let mut values: Vec<usize> = (0..50).collect();
            shuffle(&mut values, seed);
            values
        };
        assert_eq!(order(7), order(7));
        assert_ne!(order(7), order(8));
        let mut sorted = order(7);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
    }
}
