//! Questions to a judge.

use super::draft::build_check;
use arraign::json::{Json, json};

/// Builds a check that a judge decides.
pub(super) fn build_question(label: &str, prompt: &str) -> Json {
    build_check("agent_check", json!({"label": label, "prompt": prompt.trim()}))
}

/// Builds a question about the whole run: the judge sees the prompt and the calls, too.
pub(super) fn build_run_question(label: &str, prompt: &str) -> Json {
    let context = json!({"include_prompt": true, "include_tool_sequence": true, "include_tool_inputs": true});
    build_check("agent_check", json!({"label": label, "prompt": prompt.trim(), "context": context}))
}

/// Renders the question whether two answers say the same.
pub(super) fn ask_same_answer(answer: &str) -> String {
    format!("Does the answer say the same as this one, in whatever words?\n\n{}", answer.trim())
}
