//! Questions to a judge.

use serde_json::{Value, json};

use super::draft::named;

/// A check that a judge decides.
pub(super) fn question(label: &str, prompt: &str) -> Value {
    named("agent_check", json!({"label": label, "prompt": prompt.trim()}))
}

/// The question whether the answer says what another one says.
pub(super) fn same_as(answer: &str) -> String {
    format!("Does the answer say the same as this one, in whatever words?\n\n{}", answer.trim())
}
