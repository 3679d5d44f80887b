//! Checks that need the opinion of a judge, or of a program.

pub(super) mod agent_check;
pub(super) mod exec;
pub(super) mod output_quality;
pub(super) mod safe;
