//! Checks of expected calls: with these arguments, paired one to one, counted, and succeeded.

pub(super) mod call;
pub(super) mod calls;
pub(super) mod effects;
pub(super) mod not_called;
pub(super) mod tool_called;

mod alignment;
mod assignment;
mod bfcl;
mod edits;
mod entry;
mod expected_call;
mod expected_calls;
mod mode;
mod pairing;
mod pairing_costs;
mod report;
mod run_calls;
mod settings;
mod spec;
#[cfg(test)]
mod tests;
