//! The trial of a suite's gate: its cases are evaluated once more, in this very process, so that the trial means the
//! same alone, beside others, and in a process of its own.

use std::sync::Arc;
use std::time::Instant;

use super::context::RunContext;
use super::trial::judge_in_time;
use crate::engine::{MeasuredCase, evaluate_gate, evaluate_summary_baseline};
use crate::harness::plan::{CaseWork, GateWork};
use crate::outcome::Status;
use crate::suite::{SummaryBaseline, is_recorded};
use crate::verdict::summary::Group;
use crate::verdict::{Finding, Verdict};

/// Holds the suite's cases against its gate. Of each case only its score is kept.
pub(in crate::harness) fn judge_gate(context: &Arc<RunContext>, name: &str, work: &GateWork) -> Verdict {
    let started = Instant::now();
    let cases: Vec<MeasuredCase> =
        work.cases.iter().map(|(name, case)| measure_case(context, name, case)).collect();
    let baseline = work.gate.baseline.as_ref();
    let baseline = baseline.map(|baseline| compare_with_baseline(context, baseline, &work.suite, &cases));
    let verdict = evaluate_gate(&work.gate, name, &cases, baseline);
    Verdict { duration_ms: started.elapsed().as_secs_f64() * 1000.0, ..verdict }
}

fn measure_case(context: &Arc<RunContext>, name: &str, work: &CaseWork) -> MeasuredCase {
    let measured = MeasuredCase::from_verdict(&judge_in_time(context, name, work));
    let CaseWork { case, path, .. } = work;
    let has_run = case.agent.is_none() || context.live.was_asked(name);
    // An agent that errs scores 0; of one that nobody has asked yet, nothing is known.
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
    let is_whole = now.axes.is_some() && now.overall.is_some();
    if is_whole && finding.status != Status::Pass {
        // What takes the new summary as the baseline needs both.
        finding.values.insert("baseline".to_owned(), context.project.files.name(&baseline.file).into());
        let summary = serde_json::to_value(context.tally.summary_of(now)).unwrap_or_default();
        finding.values.insert("summary".to_owned(), summary);
    }
    finding
}
