//! The output of a run beside its verdicts: notes on standard error, the summary, reports.

pub(super) mod finish;
pub(super) mod list;
mod notes;
mod red_trials;
pub(super) mod reports;
mod undecided;
