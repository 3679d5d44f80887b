//! The evidence for a judge: one line of JSON, which no text of the agent can end.

use super::JudgeError;
use crate::evidence::JudgeContext;
use crate::json::{Json, JsonMap, json};
use crate::secrets::{KnownSecrets, QuotedText};
use crate::trace::{Call, Trace};

/// The longest answer that is judged, in bytes.
const MAX_ANSWER_BYTES: usize = 200_000;

/// The largest length of one tool result, in characters.
const MAX_RESULT_CHARS: usize = 20_000;

/// The largest size of all evidence, in bytes.
const MAX_EVIDENCE_BYTES: usize = 1_000_000;

/// Runs and turns, each with the parts that some question needs.
#[derive(Debug, Default)]
pub(super) struct EvidenceDocument {
    parts: JsonMap,
    known: KnownSecrets,
}

impl EvidenceDocument {
    /// Adds the parts of a run that `context` selects, under `name`.
    pub(super) fn add_run(
        &mut self,
        name: &str,
        trace: &Trace,
        input: Option<&str>,
        context: JudgeContext,
    ) -> Result<(), JudgeError> {
        let answer = trace.answer.as_deref().unwrap_or_default();
        // Cutting the answer could change the verdict, so the judge is not asked at all.
        if answer.len() > MAX_ANSWER_BYTES {
            let problem = format!("the answer has {} bytes; the limit is {MAX_ANSWER_BYTES}", answer.len());
            return Err(JudgeError::TooLong(problem));
        }
        let answer = Json::Object(JsonMap::from_iter([("answer".to_owned(), answer.into())]));
        self.known.add_run(trace);
        let Json::Object(parts) = self.parts.get_or_insert_with(name.to_owned(), || answer) else {
            return Ok(());
        };
        if context.include_prompt {
            parts.insert("prompt".to_owned(), input.or(trace.input.as_deref()).into());
        }
        if shows_calls(context) {
            // Several questions about one run share its evidence: each adds to the calls what it needs.
            let old = parts.get("calls").and_then(Json::as_array).map(<[Json]>::to_vec).unwrap_or_default();
            let calls = trace.calls.iter().enumerate().map(|(at, one)| build_call(one, context, old.get(at)));
            parts.insert("calls".to_owned(), calls.collect());
        }
        Ok(())
    }

    /// Renders the evidence as one line, without secrets. `<` is escaped, so that the line contains no tags and no
    /// markers of chat templates.
    pub(super) fn render_line(self) -> Result<String, JudgeError> {
        let line = self
            .known
            .build_masker()
            .mask_json(Json::Object(self.parts))
            // Opinions are recorded under a hash of this line.
            .to_canonical()
            .to_string()
            // In JSON, the escape means the same character.
            .replace('<', "\\u003c");
        if line.len() <= MAX_EVIDENCE_BYTES {
            return Ok(line);
        }
        Err(JudgeError::TooLong(format!(
            "the evidence has {} bytes; the limit is {MAX_EVIDENCE_BYTES}",
            line.len()
        )))
    }
}

/// Lists the parts of the evidence that a question is about.
pub(super) fn list_parts(name: &str, context: JudgeContext) -> Vec<String> {
    let parts = [
        (true, "answer"),
        (context.include_prompt, "prompt"),
        (context.include_tool_sequence, "calls[].tool"),
        (context.include_tool_inputs, "calls[].arguments"),
        (context.include_tool_results, "calls[].result"),
    ];
    parts.iter().filter(|(shown, _)| *shown).map(|(_, part)| format!("{name}.{part}")).collect()
}

fn shows_calls(context: JudgeContext) -> bool {
    context.include_tool_sequence || context.include_tool_inputs || context.include_tool_results
}

/// Builds one call, extending the parts that earlier questions selected.
fn build_call(call: &Call, context: JudgeContext, before: Option<&Json>) -> Json {
    // Two questions may ask for different parts of the same call: it is shown once, with both.
    let mut shown = before.cloned().unwrap_or_else(|| json!({"tool": call.name}));
    if context.include_tool_inputs {
        shown["arguments"] =
            call.arguments.json().cloned().unwrap_or_else(|| call.arguments.to_text().into());
    }
    if context.include_tool_results {
        if let Some(result) = &call.result {
            shown["result"] = truncate_result(result);
        }
        if let Some(error) = &call.error {
            shown["error"] = truncate_result(&error.as_str().into());
        }
    }
    shown
}

/// Cuts a long result and marks the cut.
fn truncate_result(result: &Json) -> Json {
    let quoted = result.as_str().map_or_else(|| QuotedText::from_json(result), QuotedText::new);
    let shown = quoted.cut_end(MAX_RESULT_CHARS);
    if shown.cut_after { json!({"beginning": shown.text, "cut": true}) } else { result.clone() }
}
