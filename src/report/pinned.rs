//! Trials that pass although checks are violated, because a snapshot holds the violations.

use std::collections::BTreeSet;

use super::plain::count_noun;
use crate::outcome::Status;
use crate::verdict::Verdict;

/// Renders the violations that a snapshot holds: `pinned: 2 violations of tool_blocklist, no_pii`. `None` without such violations.
pub fn render_pinned(verdict: &Verdict) -> Option<String> {
    if verdict.pinned == 0 {
        return None;
    }
    let violations = count_noun(verdict.pinned, "violation");
    Some(format!("pinned: {violations} of {}", list_violated_checks(verdict).join(", ")))
}

/// Returns the names of the violated checks, sorted, each once.
pub(super) fn list_violated_checks(verdict: &Verdict) -> Vec<&str> {
    let violated = verdict.findings.iter().filter(|finding| finding.status == Status::Fail);
    let names: BTreeSet<&str> = violated.map(|finding| finding.check.as_str()).collect();
    names.into_iter().collect()
}
