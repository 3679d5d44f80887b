//! Checks of the figures of a run: cost and duration.

pub(super) mod cost_at_most;
pub(super) mod duration_at_most;
