//! `pinned`: a snapshot of the case holds violations, with which the case passes.

use std::collections::BTreeSet;

use super::LintRemark;
use crate::case::Case;
use crate::outcome::Status;
use crate::verdict::Verdict;

pub(super) fn find_remark(case: &Case, verdict: &Verdict) -> Option<LintRemark> {
    let snapshot = case.snapshot.as_ref().filter(|_| verdict.status == Status::Fail)?;
    let violated = verdict.findings.iter().filter(|finding| finding.status == Status::Fail);
    let checks: BTreeSet<&str> = violated.map(|finding| finding.check.as_str()).collect();
    let count: usize = verdict.findings.iter().map(|finding| finding.violations.len()).sum();
    Some(LintRemark {
        lint: "pinned",
        at: snapshot.place.locate(),
        message: format!(
            "pinned: {count}: the case passes while its snapshot holds the violations of {}",
            Vec::from_iter(checks).join(", ")
        ),
        help: "repair what is violated, and accept the smaller snapshot",
    })
}
