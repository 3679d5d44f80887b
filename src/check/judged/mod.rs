//! Checks that need the opinions of a judge.

pub(super) mod agent_check;
pub(super) mod output_quality;
pub(super) mod safe;
