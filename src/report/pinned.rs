//! Trials that pass although checks are violated, because a snapshot holds the violations.

use crate::outcome::Status;
use crate::verdict::Verdict;

/// Renders the violations that a snapshot holds: `pinned: 2 violations of tool_blocklist, no_pii`. `None` if there are none.
pub fn render_pinned(verdict: &Verdict) -> Option<String> {
    if verdict.pinned == 0 {
        return None;
    }
    let violated = verdict.findings.iter().filter(|finding| finding.status == Status::Fail);
    let mut checks: Vec<&str> = violated.map(|finding| finding.check.as_str()).collect();
    checks.sort_unstable();
    checks.dedup();
    let violations = if verdict.pinned == 1 { "violation" } else { "violations" };
    Some(format!("pinned: {} {violations} of {}", verdict.pinned, checks.join(", ")))
}
