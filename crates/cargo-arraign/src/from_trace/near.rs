//! The cases on a run like another one: the same tools in the same order, and the same question.

use std::path::Path;

use arraign::Harness;
use arraign::Trace;

use crate::mutants::visit_recorded_runs;

/// Lists the cases below `evals` with a run like `trace`, one sentence for each. Files that do not load are passed over.
pub(super) fn list_near_cases(evals: &Path, trace: &Trace) -> Vec<String> {
    let mut near = Vec::new();
    if !evals.is_dir() {
        return near;
    }
    // Without the folder's settings no case can be compared, and the new case does not depend on them.
    let _ = visit_recorded_runs(&Harness::new(evals), |name, at, run| {
        if is_alike(trace, run) {
            near.push(format!("near-duplicate: `{name}` at {at} has a run with the same calls and question"));
        }
    });
    near.dedup();
    near
}

fn is_alike(one: &Trace, other: &Trace) -> bool {
    one.tool_names() == other.tool_names() && read_question(one) == read_question(other)
}

/// The question without differences of case and white space.
fn read_question(run: &Trace) -> String {
    let words = run.input.as_deref().unwrap_or_default().split_whitespace();
    words.map(str::to_lowercase).collect::<Vec<String>>().join(" ")
}
