//! Checks of a run as a whole: its cost, its duration, and how it ended.

pub(super) mod cost_at_most;
pub(super) mod duration_at_most;
pub(super) mod ended;
