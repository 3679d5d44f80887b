//! Checks of a run as a whole: its cost, its duration, how it ended, and what a verifier gave it.

pub(super) mod cost_at_most;
pub(super) mod duration_at_most;
pub(super) mod ended;
pub(super) mod reward;
