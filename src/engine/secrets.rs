//! Secrets never reach a file: what a verdict quotes of a trace is masked first.
//!
//! Known are the shapes that makers of keys gave them; a password of no shape cannot be told from other text.

use serde_json::Value;

use crate::outcome::{LocatedViolation, Loss};
use crate::pattern::{mask_json_secrets, mask_secrets};
use crate::verdict::{Finding, Verdict};

/// Masks all that a verdict quotes. What is shown of the runs is masked before it is cut, so that no secret loses
/// its shape.
pub(super) fn mask_verdict(verdict: &mut Verdict) {
    verdict.findings.iter_mut().for_each(mask_finding);
    for card in &mut verdict.scorecards {
        mask_losses(&mut card.losses);
    }
    for error in &mut verdict.errors {
        mask_text(&mut error.message);
    }
}

fn mask_finding(finding: &mut Finding) {
    for violation in &mut finding.violations {
        mask_violation(violation);
    }
    for value in finding.values.values_mut() {
        mask_value(value);
    }
    for item in &mut finding.items {
        mask_text(&mut item.label);
        mask_option(&mut item.note);
    }
    mask_losses(&mut finding.losses);
    mask_option(&mut finding.unfit);
    mask_option(&mut finding.help);
}

fn mask_losses(losses: &mut [Loss]) {
    for loss in losses {
        mask_text(&mut loss.why);
    }
}

fn mask_violation(violation: &mut LocatedViolation) {
    mask_text(&mut violation.message);
    let texts =
        [&mut violation.argument, &mut violation.expected, &mut violation.actual, &mut violation.suggestion];
    texts.into_iter().for_each(mask_option);
    if let Some(value) = &mut violation.value {
        mask_value(value);
    }
}

fn mask_value(value: &mut Value) {
    *value = mask_json_secrets(value.take());
}

fn mask_option(text: &mut Option<String>) {
    if let Some(text) = text {
        mask_text(text);
    }
}

fn mask_text(text: &mut String) {
    *text = mask_secrets(std::mem::take(text));
}
