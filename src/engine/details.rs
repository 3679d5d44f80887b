//! The details of runs in the verdict of a trial that does not pass: their messages and calls, step by step.
//!
//! A verdict that passes has no details and stays small. A verdict that fails has a limited size: long texts are cut, and all
//! texts of a trial share a budget in bytes. The answer and the calls with violations take from the budget first, then the
//! other calls and the messages; the ones for which nothing is left are omitted.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::outcome::Status;
use crate::pattern::mask_secrets;
use crate::suite::RecordedRun;
use crate::trace::{Call, Message, Trace};
use crate::verdict::{CallDetails, CallSummary, Finding, RunDetails, RunSummary, Verdict};

/// The largest length of one text, in characters.
const MAX_TEXT_CHARS: usize = 4_000;
/// How many further characters are searched for secrets, so that a secret that begins within the text is found.
const LOOKAHEAD_CHARS: usize = 8_000;
/// The largest size of all texts of one trial, in bytes.
const MAX_TRIAL_BYTES: usize = 64 * 1024;
/// The overhead of each text in bytes, which limits the number of short texts.
const TEXT_OVERHEAD: usize = 64;

/// Adds the details of the failed runs to the verdict of a trial that does not pass. The error says why a run cannot be
/// read.
pub(super) fn add_details<R: Borrow<RecordedRun>>(
    verdict: &mut Verdict,
    runs: impl Iterator<Item = Result<R, String>>,
) -> Result<(), String> {
    let failed = find_failed_runs(verdict);
    let mut budget = TextBudget(MAX_TRIAL_BYTES);
    // The verdict of all runs is known only now, so they are read a second time, and only the failed ones are used.
    for (index, run) in runs.enumerate().filter(|(index, _)| failed.contains(index)) {
        let concerned = find_concerned_calls(&verdict.findings, index);
        if let Some(summary) = verdict.runs.get_mut(index) {
            let details = describe_run(&run?.borrow().trace, summary, &concerned, &mut budget);
            summary.details = (details != RunDetails::default()).then_some(details);
        }
    }
    Ok(())
}

/// Returns the runs with a finding that does not pass, or all runs if there is none: a case that expects a failure fails
/// because nothing is wrong.
fn find_failed_runs(verdict: &Verdict) -> BTreeSet<usize> {
    let failed = verdict.findings.iter().filter(|finding| finding.status != Status::Pass);
    let runs: BTreeSet<usize> =
        failed.filter(|finding| !finding.of_all_runs).map(|finding| finding.run).collect();
    if runs.is_empty() { (0..verdict.runs.len()).collect() } else { runs }
}

fn find_concerned_calls(findings: &[Finding], run: usize) -> BTreeSet<usize> {
    let of_run = findings.iter().filter(|finding| finding.run == run);
    let violations = of_run.flat_map(|finding| &finding.violations);
    violations.flat_map(|violation| violation.calls.iter().copied().chain(violation.call)).collect()
}

fn describe_run(
    trace: &Trace,
    summary: &RunSummary,
    concerned: &BTreeSet<usize>,
    budget: &mut TextBudget,
) -> RunDetails {
    // The order in which texts take from the budget is their importance, not their order in the run.
    let answer = trace.answer.as_ref().filter(|whole| summary.answer.as_ref() != Some(whole));
    let answer = answer.and_then(|answer| budget.take_text(answer));
    let (first, others): (Vec<_>, Vec<_>) =
        trace.calls.iter().zip(&summary.calls).partition(|(call, _)| concerned.contains(&call.index));
    let by_importance = first.into_iter().chain(others);
    let mut calls: Vec<CallDetails> =
        by_importance.filter_map(|(call, summary)| describe_call(call, summary, budget)).collect();
    calls.sort_by_key(|call| call.index);
    let messages = trace.messages.iter().filter(|message| !is_answer(message, trace));
    let messages: Vec<Message> = messages.filter_map(|message| describe_message(message, budget)).collect();
    let stop_reason = trace.stop_reason.as_ref().and_then(|why| budget.take_text(why));
    RunDetails { messages, calls, answer, stop_reason, cut: budget.is_spent() }
}

/// Whether a message is the final answer, which has a field of its own.
fn is_answer(message: &Message, trace: &Trace) -> bool {
    message.after_calls == trace.calls.len() && trace.answer.as_ref() == Some(&message.text)
}

fn describe_message(message: &Message, budget: &mut TextBudget) -> Option<Message> {
    budget.take_text(&message.text).map(|text| Message { text, ..message.clone() })
}

fn describe_call(call: &Call, summary: &CallSummary, budget: &mut TextBudget) -> Option<CallDetails> {
    let arguments = call.arguments.to_text();
    let details = CallDetails {
        index: call.index,
        arguments: (arguments != summary.arguments).then(|| budget.take_text(&arguments)).flatten(),
        result: call.result.as_ref().and_then(|result| budget.take_text(&render_result(result))),
        error: call.error.as_ref().and_then(|error| budget.take_text(error)),
        started_ms: call.started_ms,
        duration_ms: call.duration_ms,
    };
    let empty = CallDetails { index: call.index, ..CallDetails::default() };
    (details != empty).then_some(details)
}

/// Renders a string without quotes, and other values as compact JSON.
fn render_result(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The number of bytes that the texts of a trial may still use.
struct TextBudget(usize);

impl TextBudget {
    /// Returns `text` masked and cut, or `None` if the budget is spent. The last text may exceed the budget by its own
    /// length.
    fn take_text(&mut self, text: &str) -> Option<String> {
        if self.is_spent() {
            return None;
        }
        let text = mask_and_cut(text);
        self.0 = self.0.saturating_sub(text.len() + TEXT_OVERHEAD);
        Some(text)
    }

    fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// Masks secrets and cuts the text to [`MAX_TEXT_CHARS`].
///
/// A secret is recognized by its shape, so the text is masked before it is cut. Masking a text of megabytes takes long, so
/// only its beginning is masked, with [`LOOKAHEAD_CHARS`] more than are kept. The end of that part is never kept, because it
/// may be the first half of a secret.
fn mask_and_cut(text: &str) -> String {
    let searched = text.char_indices().nth(MAX_TEXT_CHARS + LOOKAHEAD_CHARS).map(|(end, _)| end);
    let masked = mask_secrets(text[..searched.unwrap_or(text.len())].to_owned());
    let length = masked.chars().count();
    let kept = match searched {
        Some(_) => length.saturating_sub(LOOKAHEAD_CHARS).min(MAX_TEXT_CHARS),
        None => MAX_TEXT_CHARS,
    };
    match masked.char_indices().nth(kept) {
        Some((end, _)) => format!("{}...", &masked[..end]),
        None => masked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_at_the_end_of_what_is_looked_at_is_not_shown_by_halves() {
        let key = format!("sk-proj-{}", "a1B2".repeat(12));
        for before in [MAX_TEXT_CHARS - 20, MAX_TEXT_CHARS + LOOKAHEAD_CHARS - 20] {
            let text = format!("{} {key} {}", "x".repeat(before), "y ".repeat(9_000));
            let shown = mask_and_cut(&text);
            assert!(
                !shown.contains("a1B2") && shown.len() <= MAX_TEXT_CHARS + 3,
                "{}",
                &shown[shown.len() - 60..]
            );
        }
        assert_eq!(mask_and_cut("short"), "short");
    }

    #[test]
    fn texts_end_where_the_share_is_spent() {
        let mut left = TextBudget(MAX_TRIAL_BYTES);
        let texts: Vec<String> =
            (0..1_000).map_while(|_| left.take_text(&"ä".repeat(MAX_TEXT_CHARS + 1))).collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        assert!(left.is_spent() && bytes < MAX_TRIAL_BYTES + 4 * MAX_TEXT_CHARS, "{bytes}");
    }
}
