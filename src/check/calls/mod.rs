//! Checks of the tool calls, whatever their order.

#[cfg(feature = "json-schema")]
pub(super) mod args_valid;
pub(super) mod correctness;
pub(super) mod forbidden_tools;
pub(super) mod groundedness;
pub(super) mod required_tools;
pub(super) mod tool_accuracy;
pub(super) mod tool_blocklist;
pub(super) mod tool_collision_detect;
pub(super) mod tool_input;
#[cfg(feature = "json-schema")]
pub(super) mod tool_output_valid;

#[cfg(not(feature = "json-schema"))]
pub(super) use super::support::without_json_schema::{args_valid, tool_output_valid};
