//! `empty_run_passes`: an empty run would pass the case.

use super::LintRemark;
use crate::case::Case;
use crate::engine::evaluate_recorded;
use crate::outcome::Status;
use crate::suite::{RecordedEvidence, RecordedRun};
use crate::trace::Trace;

/// Returns a remark if an empty run passes. `runs_of` adds the case's baseline to runs.
pub(super) fn find_remark(
    case: &Case,
    name: &str,
    runs_of: impl Fn(Vec<RecordedRun>) -> RecordedEvidence,
) -> Option<LintRemark> {
    if case.expect_verdict.is_some_and(|expected| expected != Status::Pass) {
        return None;
    }
    // Two kinds of empty runs: one without an answer, and one whose answer is empty.
    let passes = [None, Some(String::new())].into_iter().any(|answer| {
        let trace = Trace { answer, ..Trace::default() };
        let run = RecordedRun { file: None, format: "empty", trace, workspace: None };
        let verdict = evaluate_recorded(case, name, &runs_of(vec![run]));
        // A score that is only reported is checked by the gate of its suite.
        verdict.passed && verdict.scorecards.iter().all(|card| card.passed)
    });
    passes.then(|| LintRemark {
        lint: "empty_run_passes",
        at: case.place.locate(),
        message: format!("an agent that says and does nothing passes `{name}`"),
        help: "add a check that requires something, or `require_calls: true`",
    })
}
