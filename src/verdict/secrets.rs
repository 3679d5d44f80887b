//! Secrets never reach a file: what a verdict quotes of a trace is masked first.
//!
//! Known are the shapes that makers of keys gave them; a password of no shape cannot be told from other text.

use serde_json::Value;

use super::{Breach, Finding};
use crate::pattern::without_secrets;

/// Masks all that a finding quotes.
pub(super) fn mask(finding: &mut Finding) {
    for breach in &mut finding.violations {
        mask_breach(breach);
    }
    for value in finding.values.values_mut() {
        mask_value(value);
    }
    for item in &mut finding.items {
        mask_text(&mut item.label);
        mask_some(&mut item.note);
    }
    for loss in &mut finding.losses {
        mask_text(&mut loss.why);
    }
    mask_some(&mut finding.unfit);
}

fn mask_breach(breach: &mut Breach) {
    mask_text(&mut breach.message);
    let texts = [&mut breach.argument, &mut breach.expected, &mut breach.actual, &mut breach.suggestion];
    texts.into_iter().for_each(mask_some);
    if let Some(value) = &mut breach.value {
        mask_value(value);
    }
}

fn mask_value(value: &mut Value) {
    match value {
        Value::String(text) => mask_text(text),
        Value::Array(values) => values.iter_mut().for_each(mask_value),
        Value::Object(entries) => entries.values_mut().for_each(mask_value),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn mask_some(text: &mut Option<String>) {
    if let Some(text) = text {
        mask_text(text);
    }
}

fn mask_text(text: &mut String) {
    *text = without_secrets(std::mem::take(text));
}
