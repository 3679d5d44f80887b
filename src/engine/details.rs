//! The details of runs in the verdict of a trial that does not pass: their messages and calls, step by step.
//!
//! A verdict that passes has no details and stays small, unless the run writes a page for people. A verdict that fails has a limited size: long texts are cut, and all
//! texts of a trial share a budget in bytes. The answer and the calls with violations take from the budget first, then the
//! other calls and the messages; the ones for which nothing is left are omitted.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use crate::json::Json;
use crate::outcome::Status;
use crate::secrets::{QuotedText, SecretMasker};
use crate::suite::{RecordedRun, RunsError};
use crate::trace::{Arguments, Call, Message, Trace};
use crate::verdict::{CallDetails, CallSummary, Finding, RunDetails, RunSummary, Verdict};

/// The largest length of one text, in characters.
const MAX_TEXT_CHARS: usize = 4_000;
/// The number of bytes in which the text is found: a character has up to four.
const MAX_TEXT_BYTES: usize = 4 * MAX_TEXT_CHARS;
/// The largest size of all texts of one trial, in bytes.
const MAX_TRIAL_BYTES: usize = 64 * 1024;
/// The largest size of all texts of a trial that passes, in bytes.
const MAX_PASSED_BYTES: usize = 16 * 1024;
/// The overhead of each text in bytes, which limits the number of short texts.
const TEXT_OVERHEAD: usize = 64;

/// Adds the details of the failed runs to the verdict of a trial that does not pass, or of all runs to one that does. The error
/// says why a run cannot be read.
pub(super) fn add_details<R: Borrow<RecordedRun>>(
    verdict: &mut Verdict,
    runs: impl Iterator<Item = Result<R, RunsError>>,
    masker: &SecretMasker,
) -> Result<(), RunsError> {
    let failed = find_failed_runs(verdict);
    let bytes = if verdict.passed { MAX_PASSED_BYTES } else { MAX_TRIAL_BYTES };
    let mut budget = TextBudget { bytes, masker };
    // The verdict of all runs is known only now, so they are read a second time, and only the failed ones are used.
    for (index, run) in runs.enumerate().filter(|(index, _)| failed.contains(index)) {
        let concerned = find_concerned_calls(&verdict.findings, index);
        // A run that the agent did not give has no details.
        let run = match run {
            Err(RunsError::Lost(_)) => continue,
            run => run?,
        };
        if let Some(summary) = verdict.runs.get_mut(index) {
            let details = describe_run(&run.borrow().trace, summary, &concerned, &mut budget);
            summary.details = (details != RunDetails::default()).then_some(details);
        }
    }
    Ok(())
}

/// Returns the runs with a finding that does not pass, or all runs if each finding passes: a case that expects a failure
/// fails because nothing is wrong.
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
    budget: &mut TextBudget<'_>,
) -> RunDetails {
    // The order in which texts take from the budget is their importance, not their order in the run.
    let answer = trace.answer.as_deref().and_then(|answer| {
        budget.take_unless_shown(&QuotedText::near(answer, &(0..MAX_TEXT_BYTES)), summary.answer.as_deref())
    });
    // Concerned calls take from the budget before the others; sorting restores their order in the run.
    let (first, others): (Vec<_>, Vec<_>) =
        trace.calls.iter().zip(&summary.calls).partition(|(call, _)| concerned.contains(&call.index));
    let by_importance = first.into_iter().chain(others);
    let mut calls: Vec<CallDetails> =
        by_importance.filter_map(|(call, summary)| describe_call(call, summary, budget)).collect();
    calls.sort_by_key(|call| call.index);
    let messages = trace.messages.iter().filter(|message| !is_answer(message, trace)).filter_map(|message| {
        let text = budget.take_text(&message.text)?;
        let reasoning = message.reasoning.as_ref().and_then(|reasoning| budget.take_text(reasoning));
        Some(Message { role: message.role, text, reasoning, after_calls: message.after_calls })
    });
    let messages: Vec<Message> = messages.collect();
    let stop_reason = trace.stop_reason.as_ref().and_then(|why| budget.take_text(why));
    RunDetails { messages, calls, answer, stop_reason, cut: budget.is_spent() }
}

/// Whether a message is the final answer, which has a field of its own.
fn is_answer(message: &Message, trace: &Trace) -> bool {
    message.after_calls == trace.calls.len() && trace.answer.as_ref() == Some(&message.text)
}

fn describe_call(call: &Call, summary: &CallSummary, budget: &mut TextBudget<'_>) -> Option<CallDetails> {
    let details = CallDetails {
        index: call.index,
        arguments: budget.take_unless_shown(&quote_arguments(&call.arguments), Some(&summary.arguments)),
        result: call.result.as_ref().and_then(|result| budget.take_quoted(&quote_result(result))),
        error: call.error.as_ref().and_then(|error| budget.take_text(error)),
        started_ms: call.started_ms,
        duration_ms: call.duration_ms,
    };
    let empty = CallDetails { index: call.index, ..CallDetails::default() };
    (details != empty).then_some(details)
}

/// Quotes a string without its quotes, and other values as compact JSON.
fn quote_result(value: &Json) -> QuotedText<'_> {
    value
        .as_str()
        .map_or_else(|| QuotedText::from_json(value), |text| QuotedText::near(text, &(0..MAX_TEXT_BYTES)))
}

/// The number of bytes that the texts of a trial may still use, and what masks the secrets of its runs.
struct TextBudget<'m> {
    bytes: usize,
    masker: &'m SecretMasker,
}

impl TextBudget<'_> {
    /// Returns `text` masked and cut, or `None` if the budget is spent. The last text may exceed the budget by its own
    /// length.
    fn take_text(&mut self, text: &str) -> Option<String> {
        self.take_quoted(&QuotedText::near(text, &(0..MAX_TEXT_BYTES)))
    }

    // The budget is checked before and charged after: so at most one text exceeds it, and no text is cut because of it.
    fn take_quoted(&mut self, text: &QuotedText<'_>) -> Option<String> {
        if self.is_spent() {
            return None;
        }
        let text = self.mask_cut(text);
        self.bytes = self.bytes.saturating_sub(text.len() + TEXT_OVERHEAD);
        Some(text)
    }

    /// Returns `text`, unless the summary shows all of it.
    fn take_unless_shown(&mut self, text: &QuotedText<'_>, summary: Option<&str>) -> Option<String> {
        if summary.is_some_and(|shown| self.mask_cut(text) == shown) { None } else { self.take_quoted(text) }
    }

    fn mask_cut(&self, text: &QuotedText<'_>) -> String {
        self.masker.mask_text(text.cut_end(MAX_TEXT_CHARS).to_string())
    }

    fn is_spent(&self) -> bool {
        self.bytes == 0
    }
}

/// Returns the arguments of a call as a text without secrets.
pub(super) fn quote_arguments(arguments: &Arguments) -> QuotedText<'_> {
    match arguments {
        Arguments::Json(value) => QuotedText::from_json(value),
        Arguments::Broken { raw, .. } => QuotedText::new(raw),
        Arguments::Unrecorded => QuotedText::from_masked(arguments.to_text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_at_the_cut_is_not_shown_in_part() {
        let key = format!("sk-proj-{}", "a1B2".repeat(12));
        let masker = SecretMasker::default();
        for before in [MAX_TEXT_CHARS - 20, MAX_TEXT_CHARS - 2, 4 * MAX_TEXT_CHARS] {
            let text = format!("{} {key} {}", "x".repeat(before), "y ".repeat(90_000));
            let shown = TextBudget { bytes: 1, masker: &masker }.take_text(&text).expect("a text");
            assert!(!shown.contains("a1B2") && shown.len() <= MAX_TEXT_CHARS + 3, "{before}");
        }
        assert_eq!(TextBudget { bytes: 1, masker: &masker }.take_text("short").as_deref(), Some("short"));
    }

    #[test]
    fn texts_end_where_the_share_is_spent() {
        let masker = SecretMasker::default();
        let mut left = TextBudget { bytes: MAX_TRIAL_BYTES, masker: &masker };
        let texts: Vec<String> =
            (0..1_000).map_while(|_| left.take_text(&"ä".repeat(MAX_TEXT_CHARS + 1))).collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        assert!(left.is_spent() && bytes < MAX_TRIAL_BYTES + 4 * MAX_TEXT_CHARS, "{bytes}");
    }
}
