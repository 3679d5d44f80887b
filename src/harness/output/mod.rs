//! The output of a run beside its verdicts: notes on standard error, the summary, reports.

pub(super) mod finish;
pub(super) mod list;
pub(super) mod reports;
pub(super) mod stderr;
pub(super) mod tally;
pub(super) mod undecided;
