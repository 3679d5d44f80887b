//! Tokens of several model calls, added up; and what they cost.

use super::json::Json;
use crate::trace::Usage;

/// The tokens of a run while its model calls are read.
#[derive(Debug, Default)]
pub(super) struct Tally {
    total: Option<Usage>,
    silent: bool,
}

impl Tally {
    /// Adds what one model call used. A call that does not say makes the total partial.
    pub(super) fn add(&mut self, usage: Option<Usage>) {
        let Some(more) = usage else {
            self.silent = true;
            return;
        };
        self.total = Some(self.total.map_or(more, |total| sum(total, more)));
    }

    /// The run's total, if any call told.
    pub(super) fn total(self) -> Option<Usage> {
        self.total.map(|total| Usage { partial: total.partial || self.silent, ..total })
    }
}

/// A sum of US dollars; some writers keep it as text.
pub(super) fn dollars(value: &Json) -> Option<f64> {
    let sum = value.as_number().and_then(serde_json::Number::as_f64).or_else(|| value.as_str()?.parse().ok());
    sum.filter(|sum| sum.is_finite() && *sum >= 0.0)
}

fn sum(a: Usage, b: Usage) -> Usage {
    Usage {
        input_tokens: a.input_tokens.saturating_add(b.input_tokens),
        cached_tokens: sum_known(a.cached_tokens, b.cached_tokens),
        output_tokens: a.output_tokens.saturating_add(b.output_tokens),
        reasoning_tokens: sum_known(a.reasoning_tokens, b.reasoning_tokens),
        partial: a.partial || b.partial,
    }
}

fn sum_known(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (known, None) | (None, known) => known,
    }
}
