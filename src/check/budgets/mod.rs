//! Budgets: how many calls, tokens and retries a run may take, and which calls it may not make.

pub(super) mod no_failed_calls;
pub(super) mod no_repeated_calls;
pub(super) mod retries_at_most;
pub(super) mod tokens_at_most;
pub(super) mod tool_calls_at_most;

mod call_rule;
