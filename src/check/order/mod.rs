//! Checks of the order of tool calls.

pub(super) mod sequence_correctness;
pub(super) mod sequence_valid;
pub(super) mod tool_sequence;
