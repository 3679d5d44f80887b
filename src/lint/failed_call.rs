//! `failed_call_unnoticed`: a case passes, although no call of a tool that it requires succeeded.
//!
//! The vocabularies of other tools count attempts, and note in the item that no call succeeded. A case that has a check of
//! success beside them would not pass.

use std::collections::BTreeSet;

use super::LintRemark;
use crate::case::Case;
use crate::check::find_attempted_tool;
use crate::verdict::Verdict;

/// Returns a remark for each requirement that holds by failed calls alone.
pub(super) fn find_remarks(case: &Case, verdict: &Verdict) -> Vec<LintRemark> {
    if !verdict.passed {
        return Vec::new();
    }
    let items = verdict.findings.iter().flat_map(|finding| &finding.items);
    let tools: BTreeSet<&str> = items.filter_map(find_attempted_tool).collect();
    tools.into_iter().map(|tool| build_remark(case, tool)).collect()
}

fn build_remark(case: &Case, tool: &str) -> LintRemark {
    LintRemark {
        lint: "failed_call_unnoticed",
        at: case.place.locate(),
        message: format!("`{tool}` is required, and the case passes although no call of it succeeded"),
        help: "require a call that succeeds with `tool_called` or `call`, or say `no_failed_calls: true`",
    }
}
