//! The trial of a suite's gate.
//!
//! The trial evaluates the suite's cases again and does not use the results of their own trials. So its result is the same
//! if it runs alone, beside the others, or in a separate process under nextest. Only agents that really run are not asked
//! twice: under nextest the processes of a run share their verdicts, and a part of the trials does not decide a gate.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::context::RunContext;
use super::live::Asker;
use super::trial::evaluate_in_turn;
use crate::engine::{DividedGate, EarlierMeans, GateRule, MeasuredCase, evaluate_gate};
use crate::harness::plan::{CaseWork, GateWork};
use crate::json;
use crate::outcome::Status;
use crate::suite::{SummaryBaseline, is_recorded};
use crate::verdict::summary::Group;
use crate::verdict::{Finding, Verdict};

/// Evaluates the gate of a suite. Keeps only the score and the figures of each case, because a suite can be large.
pub(crate) fn evaluate_gate_trial(context: &Arc<RunContext>, name: &str, work: &GateWork) -> Verdict {
    let started = Instant::now();
    let rule = GateRule::from(&work.gate);
    let baseline = read_baseline(context, work).transpose();
    let mut verdict = if context.live.leaves_to_report(work) {
        match baseline {
            Ok(baseline) => defer_gate(rule, work, baseline, name),
            Err(unreadable) => evaluate_gate(&GateRule { mean: None, ..rule }, name, &[], Some(*unreadable)),
        }
    } else {
        let cases = measure_cases(context, work);
        let compared = baseline.transpose().map(|earlier| compare_means(context, earlier, work, &cases));
        evaluate_gate(&rule, name, &cases, compared)
    };
    if let Some(variant) = &work.variant {
        variant.name_verdict(&mut verdict);
    }
    Verdict { duration_ms: started.elapsed().as_secs_f64() * 1000.0, ..verdict }
}

fn defer_gate(rule: GateRule, work: &GateWork, baseline: Option<EarlierMeans>, name: &str) -> Verdict {
    let cases = work.cases.iter().map(|(name, _)| name.clone()).collect();
    DividedGate { rule, suite: work.suite.to_string(), cases, baseline }.defer(name)
}

/// Measures all cases. Cases whose agents are asked now are measured side by side, and others one after the other.
fn measure_cases(context: &Arc<RunContext>, work: &GateWork) -> Vec<MeasuredCase> {
    let next = AtomicUsize::new(0);
    let cases = &work.cases;
    let threads = context.live.count_at_once().min(cases.len()).max(1);
    let mut measured = thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads).map(|_| scope.spawn(|| measure_next(context, cases, &next))).collect();
        let mut measured = measure_next(context, cases, &next);
        // A case that is lost would change the mean.
        let joined = others.into_iter().map(|other| other.join().unwrap_or_else(|died| resume_unwind(died)));
        measured.extend(joined.flatten());
        measured
    });
    measured.sort_by_key(|(number, _)| *number);
    measured.into_iter().map(|(_, case)| case).collect()
}

/// Measures the cases that no other thread has begun, and returns them with their numbers.
fn measure_next(
    context: &Arc<RunContext>,
    cases: &[(String, CaseWork)],
    next: &AtomicUsize,
) -> Vec<(usize, MeasuredCase)> {
    let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
    let own = numbers.map_while(|number| Some((number, cases.get(number)?)));
    own.map(|(number, (name, case))| (number, measure_case(context, name, case))).collect()
}

fn measure_case(context: &Arc<RunContext>, name: &str, work: &CaseWork) -> MeasuredCase {
    let measured = MeasuredCase::from_verdict(&evaluate_in_turn(context, name, work, Asker::Gate));
    let CaseWork { case, path, .. } = work;
    let has_run = case.agent.is_none() || context.live.was_asked(name);
    // A failed agent scores 0. An agent that was never asked has no score, which leaves the gate undecided.
    if has_run || is_recorded(case, path, &context.project.files) {
        measured
    } else {
        measured.without_score()
    }
}

/// Reads the means that the gate compares with. The error is the finding of a summary that cannot be read.
fn read_baseline(context: &RunContext, work: &GateWork) -> Option<Result<EarlierMeans, Box<Finding>>> {
    let baseline = work.gate.baseline.as_ref()?;
    let file = context.project.files.document(&baseline.file);
    Some(EarlierMeans::read(baseline, file.as_deref().map_err(Clone::clone), &work.suite))
}

fn compare_means(
    context: &RunContext,
    earlier: Result<EarlierMeans, Box<Finding>>,
    work: &GateWork,
    cases: &[MeasuredCase],
) -> Finding {
    let now = Group::from_rows(&work.suite, &cases.iter().map(|case| &case.row));
    let mut finding = earlier.map_or_else(|unreadable| *unreadable, |earlier| earlier.compare(&now));
    let is_complete = now.axes.is_some() && now.overall.is_some();
    if let Some(SummaryBaseline { file, .. }) = &work.gate.baseline
        && is_complete
        && finding.status != Status::Pass
    {
        // `cargo arraign accept` reads these values to write the new summary as the baseline.
        finding.values.insert("baseline".to_owned(), context.project.files.name(file).into());
        let summary = json::to_json(&context.tally.summary_of(now)).unwrap_or_default();
        finding.values.insert("summary".to_owned(), summary);
    }
    finding
}
