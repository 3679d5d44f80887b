//! Assertions that a judge decides, and those that nothing here decides.

use super::assertion::{Assertion, CODE};
use super::checks::ConvertedChecks;
use crate::import::question::{ask_same_answer, build_question};
use arraign::json::Json;

/// Converts an assertion that a judge decides. The judge answers yes or no, without a score.
pub(super) fn ask_judge(assertion: &Assertion) -> ConvertedChecks {
    let label = assertion.metric.as_deref().unwrap_or(&assertion.kind);
    match assertion.kind.as_str() {
        "llm-rubric" | "agent-rubric" | "search-rubric" | "model-graded-closedqa" => {
            Ok(vec![build_question(label, &assertion.require_text()?)])
        }
        "g-eval" => match &assertion.value {
            Json::Array(_) => {
                let prompts = assertion.list_texts();
                let questions = prompts
                    .iter()
                    .enumerate()
                    .map(|(at, prompt)| build_question(&format!("{label} {}", at + 1), prompt));
                Ok(questions.collect())
            }
            _ => Ok(vec![build_question(label, &assertion.require_text()?)]),
        },
        "factuality" | "model-graded-factuality" => {
            Ok(vec![build_question(label, &ask_same_answer(&assertion.require_text()?))])
        }
        kind => Err(explain_unsupported(kind)),
    }
}

/// Says why an assertion of this type is not carried, and what to do instead.
pub(super) fn explain_unsupported(kind: &str) -> &'static str {
    match kind {
        kind if CODE.contains(&kind) => "the assertion runs code: write a check in Rust (`Harness::check`)",
        "similar" | "similar:cosine" | "similar:dot" | "similar:euclidean" => {
            "the assertion asks a model for embeddings, and its `threshold` is a similarity of meanings: ask a judge (`agent_check`) whether both texts mean the same; `similarity` compares words"
        }
        "bleu" | "gleu" | "meteor" => {
            "arraign does not compute this score: use `similarity`, or ask a judge (`agent_check`)"
        }
        "context-faithfulness" => {
            "use the check `grounded`, which compares the answer with the results without a model"
        }
        "answer-relevance"
        | "context-recall"
        | "context-relevance"
        | "conversation-relevance"
        | "classifier"
        | "moderation"
        | "guardrails"
        | "pi" => "the assertion uses its own model: ask a judge (`agent_check`)",
        "is-valid-function-call" | "is-valid-openai-function-call" | "is-valid-openai-tools-call" => {
            "use `args_valid` with the schemas of the tools"
        }
        _ => "arraign has no such check",
    }
}
