//! What a run prints and writes beside its verdicts: lines on standard error, the summary, reports.

pub(super) mod finish;
pub(super) mod reports;
pub(super) mod stderr;
pub(super) mod tally;
