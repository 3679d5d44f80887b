//! Checks of the tool calls, whatever their order.

pub(super) mod args_valid;
pub(super) mod correctness;
pub(super) mod forbidden_tools;
pub(super) mod groundedness;
pub(super) mod required_tools;
pub(super) mod tool_accuracy;
pub(super) mod tool_blocklist;
pub(super) mod tool_collision_detect;
pub(super) mod tool_input;
pub(super) mod tool_output_valid;
