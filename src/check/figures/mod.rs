//! Checks of the cost and the duration of a run.

pub(super) mod cost_at_most;
pub(super) mod duration_at_most;
