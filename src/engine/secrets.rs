//! Masks secrets in a verdict before it is written to a file.
//!
//! A secret is recognized by the shape that issuers of keys use. A password without such a shape cannot be distinguished from
//! other text.

use serde_json::Value;

use crate::outcome::{LocatedViolation, Loss};
use crate::pattern::{mask_json_secrets, mask_secrets};
use crate::verdict::{Finding, Verdict};

/// Masks all texts that can quote a trace. The summaries and details of runs are masked elsewhere, before they are cut.
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
