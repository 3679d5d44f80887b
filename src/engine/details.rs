//! What the runs of a trial did, step by step: kept of trials that do not pass, for a person who asks why.
//!
//! Verdicts of green trials stay small, those of red ones bounded: long texts are cut, and where a trial has used up
//! its share, the calls that nothing is wrong with go without.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::outcome::Status;
use crate::pattern::mask_secrets;
use crate::suite::RecordedRun;
use crate::trace::{Call, Message, Trace};
use crate::verdict::{CallDetails, CallSummary, Finding, RunDetails, RunSummary, Verdict};

/// How many characters one text may have.
const LONGEST: usize = 4_000;
/// How many more are looked at: a secret that begins within a text is seen whole.
const BEYOND: usize = 8_000;
/// How many bytes the texts of one trial may have together.
const MOST: usize = 64 * 1024;
/// What a text takes beside its own bytes: many short ones are bounded, too.
const OVERHEAD: usize = 64;

/// Adds the details of each run that something is wrong with to the verdict of a trial that does not pass. The error is
/// why a run cannot be read.
pub(super) fn add_details<R: Borrow<RecordedRun>>(
    verdict: &mut Verdict,
    runs: impl Iterator<Item = Result<R, String>>,
) -> Result<(), String> {
    let wrong = runs_concerned(verdict);
    let mut left = TextBudget(MOST);
    for (index, run) in runs.enumerate().filter(|(index, _)| wrong.contains(index)) {
        let concerned = calls_concerned(&verdict.findings, index);
        if let Some(summary) = verdict.runs.get_mut(index) {
            let details = describe_run(&run?.borrow().trace, summary, &concerned, &mut left);
            summary.details = (details != RunDetails::default()).then_some(details);
        }
    }
    Ok(())
}

/// The runs that something is wrong with; all of them where nothing is, which may be what is wrong.
fn runs_concerned(verdict: &Verdict) -> BTreeSet<usize> {
    let wrong = verdict.findings.iter().filter(|finding| finding.status != Status::Pass);
    let runs: BTreeSet<usize> =
        wrong.filter(|finding| !finding.of_all_runs).map(|finding| finding.run).collect();
    if runs.is_empty() { (0..verdict.runs.len()).collect() } else { runs }
}

fn calls_concerned(findings: &[Finding], run: usize) -> BTreeSet<usize> {
    let of_run = findings.iter().filter(|finding| finding.run == run);
    let violations = of_run.flat_map(|finding| &finding.violations);
    violations.flat_map(|violation| violation.calls.iter().copied().chain(violation.call)).collect()
}

fn describe_run(
    trace: &Trace,
    summary: &RunSummary,
    concerned: &BTreeSet<usize>,
    left: &mut TextBudget,
) -> RunDetails {
    let answer = trace.answer.as_ref().filter(|whole| summary.answer.as_ref() != Some(whole));
    let answer = answer.and_then(|answer| left.take_text(answer));
    let is_concerned = |(call, _): &(&Call, &CallSummary)| concerned.contains(&call.index);
    let pairs = || trace.calls.iter().zip(&summary.calls);
    let mut calls: Vec<CallDetails> =
        pairs().filter(is_concerned).filter_map(|(call, shown)| describe_call(call, shown, left)).collect();
    let others = pairs().filter(|pair| !is_concerned(pair));
    calls.extend(others.filter_map(|(call, shown)| describe_call(call, shown, left)));
    calls.sort_by_key(|call| call.index);
    let messages = trace.messages.iter().filter(|message| !is_answer(message, trace));
    let messages: Vec<Message> = messages.filter_map(|message| describe_message(message, left)).collect();
    let stop_reason = trace.stop_reason.as_ref().and_then(|why| left.take_text(why));
    RunDetails { messages, calls, answer, stop_reason, cut: left.is_spent() }
}

/// The answer is shown as such.
fn is_answer(message: &Message, trace: &Trace) -> bool {
    message.after_calls == trace.calls.len() && trace.answer.as_ref() == Some(&message.text)
}

fn describe_message(message: &Message, left: &mut TextBudget) -> Option<Message> {
    left.take_text(&message.text).map(|text| Message { text, ..message.clone() })
}

fn describe_call(call: &Call, shown: &CallSummary, left: &mut TextBudget) -> Option<CallDetails> {
    let arguments = call.arguments.to_text();
    let details = CallDetails {
        index: call.index,
        arguments: (arguments != shown.arguments).then(|| left.take_text(&arguments)).flatten(),
        result: call.result.as_ref().and_then(|result| left.take_text(&text_of(result))),
        error: call.error.as_ref().and_then(|error| left.take_text(error)),
        started_ms: call.started_ms,
        duration_ms: call.duration_ms,
    };
    let nothing = CallDetails { index: call.index, ..CallDetails::default() };
    (details != nothing).then_some(details)
}

/// Text as it is, anything else as compact JSON.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The bytes that a trial may still take.
struct TextBudget(usize);

impl TextBudget {
    /// `text`, harmless and no longer than it may be; `None` where nothing is left.
    fn take_text(&mut self, text: &str) -> Option<String> {
        if self.is_spent() {
            return None;
        }
        let text = mask_and_cut(text);
        self.0 = self.0.saturating_sub(text.len() + OVERHEAD);
        Some(text)
    }

    fn is_spent(&self) -> bool {
        self.0 == 0
    }
}

/// Secrets are masked before the text is cut, so that none loses its shape. Where only the beginning is looked at, the
/// end of that is never shown: what stands there may be the first half of a secret.
fn mask_and_cut(text: &str) -> String {
    let looked_at = text.char_indices().nth(LONGEST + BEYOND).map(|(end, _)| end);
    let masked = mask_secrets(text[..looked_at.unwrap_or(text.len())].to_owned());
    let length = masked.chars().count();
    let kept = if looked_at.is_some() { length.saturating_sub(BEYOND).min(LONGEST) } else { LONGEST };
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
        for before in [LONGEST - 20, LONGEST + BEYOND - 20] {
            let text = format!("{} {key} {}", "x".repeat(before), "y ".repeat(9_000));
            let shown = mask_and_cut(&text);
            assert!(!shown.contains("a1B2") && shown.len() <= LONGEST + 3, "{}", &shown[shown.len() - 60..]);
        }
        assert_eq!(mask_and_cut("short"), "short");
    }

    #[test]
    fn texts_end_where_the_share_is_spent() {
        let mut left = TextBudget(MOST);
        let texts: Vec<String> = (0..1_000).map_while(|_| left.take_text(&"ä".repeat(LONGEST + 1))).collect();
        let bytes: usize = texts.iter().map(String::len).sum();
        assert!(left.is_spent() && bytes < MOST + 4 * LONGEST, "{bytes}");
    }
}
