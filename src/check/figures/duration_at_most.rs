//! `duration_at_most`: the run takes at most this long.
//!
//! If the trace does not record the duration of the run, the check is undecided.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/duration_at_most/fail-too-slow.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::reading::is_amount;
use crate::check::{Check, CheckKind, accepts_counterexample};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::trace::Trace;
use crate::yaml::Millis;

pub(crate) const KIND: CheckKind =
    CheckKind::of::<DurationAtMost>("duration_at_most", "the run takes at most this long")
        .shorthand("duration")
        .of_figures();

/// Settings of `duration_at_most`.
#[derive(Deserialize, JsonSchema)]
struct DurationAtMost {
    /// The longest duration of a run: milliseconds, or a text such as `500ms`, `3s`, `2m`. Exactly so long is allowed.
    duration: Millis,
}

impl Check for DurationAtMost {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let took = require_duration(&evidence.trace)?;
        let limit = self.duration.get();
        let violation = (took > limit).then(|| too_slow(took, limit));
        let label = format!("at most {limit} ms");
        Ok(Outcome::of_limit(label, format!("the run took {took} ms"), violation)
            .value("duration_ms", took.into()))
    }

    // A run that went on would only need more.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(Trace { duration_ms: Some(self.duration.get() * 2.0 + 1.0), ..Trace::default() }.into())
    }

    fn is_vacuous(&self) -> bool {
        accepts_counterexample(self)
    }
}

fn require_duration(trace: &Trace) -> Result<f64, CannotDecide> {
    match trace.duration_ms {
        Some(took) if is_amount(took) => Ok(took),
        Some(took) => Err(CannotDecide::invalid(format!("the trace says that the run took {took} ms"))),
        None => Err(CannotDecide::missing("the trace does not tell how long the run took")
            .help("record the duration of the run, or drop the limit")),
    }
}

fn too_slow(took: f64, limit: f64) -> Violation {
    Violation::new(format!("the run took {took} ms, more than {limit} ms"))
        .value(took)
        .constraint(format!("duration_at_most: {limit}"))
        .at("/duration")
        .help("make the run faster, or raise the limit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_that_cannot_be_is_an_error() {
        let trace = Trace { duration_ms: Some(-1.0), ..Trace::default() };
        assert!(matches!(
            require_duration(&trace).expect_err("negative").reason,
            crate::outcome::UndecidedReason::InvalidEvidence(_)
        ));
    }
}
