//! The trial of a suite's gate.
//!
//! The trial evaluates the suite's cases again and does not use the results of their own trials. So its result is the same
//! if it runs alone, beside the others, or in a separate process under nextest.

use std::sync::Arc;
use std::time::Instant;

use super::context::RunContext;
use super::trial::evaluate_in_time;
use crate::engine::{MeasuredCase, evaluate_gate, evaluate_summary_baseline};
use crate::harness::plan::{CaseWork, GateWork};
use crate::outcome::Status;
use crate::suite::{SummaryBaseline, is_recorded};
use crate::verdict::summary::Group;
use crate::verdict::{Finding, Verdict};

/// Evaluates the gate of a suite. Keeps only the score and the figures of each case, because a suite can be large.
pub(crate) fn evaluate_gate_trial(context: &Arc<RunContext>, name: &str, work: &GateWork) -> Verdict {
    let started = Instant::now();
    let cases: Vec<MeasuredCase> =
        work.cases.iter().map(|(name, case)| measure_case(context, name, case)).collect();
    let baseline = work.gate.baseline.as_ref();
    let baseline = baseline.map(|baseline| compare_with_baseline(context, baseline, &work.suite, &cases));
    let verdict = evaluate_gate(&work.gate, name, &cases, baseline);
    Verdict { duration_ms: started.elapsed().as_secs_f64() * 1000.0, ..verdict }
}

fn measure_case(context: &Arc<RunContext>, name: &str, work: &CaseWork) -> MeasuredCase {
    let measured = MeasuredCase::from_verdict(&evaluate_in_time(context, name, work));
    let CaseWork { case, path, .. } = work;
    let has_run = case.agent.is_none() || context.live.was_asked(name);
    // A failed agent scores 0. An agent that was never asked has no score, which leaves the gate undecided.
    if has_run || is_recorded(case, path, &context.project.files) {
        measured
    } else {
        measured.without_score()
    }
}

fn compare_with_baseline(
    context: &RunContext,
    baseline: &SummaryBaseline,
    suite: &str,
    cases: &[MeasuredCase],
) -> Finding {
    let file = context.project.files.document(&baseline.file);
    let now = Group::from_rows(suite, &cases.iter().map(|case| &case.row));
    let mut finding = evaluate_summary_baseline(baseline, file.as_deref().map_err(Clone::clone), &now);
    let is_complete = now.axes.is_some() && now.overall.is_some();
    if is_complete && finding.status != Status::Pass {
        // `cargo arraign accept` reads these values to write the new summary as the baseline.
        finding.values.insert("baseline".to_owned(), context.project.files.name(&baseline.file).into());
        let summary = serde_json::to_value(context.tally.summary_of(now)).unwrap_or_default();
        finding.values.insert("summary".to_owned(), summary);
    }
    finding
}
