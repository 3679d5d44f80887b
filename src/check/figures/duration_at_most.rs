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

use crate::check::support::amount::{Amount, is_amount};
use crate::check::{Check, Kind, Scope, accepts_counterexample};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};
use crate::place::{LoadError, LoadErrors};
use crate::trace::Trace;
use crate::yaml::{Fields, Node, parse_milliseconds};

pub(crate) const KIND: Kind =
    Kind::with::<DurationSettings>("duration_at_most", "the run takes at most this long", read_check)
        .shorthand("duration")
        .of_figures();

/// Settings of `duration_at_most`, for their schema.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "describes settings that are read by hand, with their places")]
struct DurationSettings {
    /// The longest duration of a run: milliseconds, or a text such as `500ms`, `3s`, `2m`. Exactly so long is allowed.
    #[cfg_attr(feature = "schema", schemars(with = "crate::check::support::forms::Time"))]
    duration: Amount,
}

struct DurationAtMost {
    /// In milliseconds.
    limit: Amount,
}

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `duration_at_most`")?;
    let limit = match fields.node("duration") {
        Some(limit) => fields.take(read_amount(limit)),
        None => fields.required("duration"),
    };
    fields.finish_some(limit.map(|limit| Box::new(DurationAtMost { limit }) as Box<dyn Check>))
}

fn read_amount(node: Node<'_>) -> Result<Amount, LoadError> {
    // A number is one of milliseconds; a text has a unit.
    let Some(text) = node.as_str() else { return node.decode() };
    let limit = parse_milliseconds(text).and_then(|amount| Amount::try_from(amount).ok());
    limit.ok_or_else(|| {
        node.error(format!("`{text}` is no time"))
            .help("write `3s`, `500ms`, `2m`, or a number of milliseconds")
    })
}

impl Check for DurationAtMost {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let took = require_duration(&evidence.trace)?;
        let violation = (took > self.limit.get()).then(|| too_slow(took, self.limit));
        let (label, note) = (format!("at most {} ms", self.limit.get()), format!("the run took {took} ms"));
        Ok(Outcome::of_limit(label, note, violation).value("duration_ms", took.into()))
    }

    // A run that went on would only need more.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(Trace { duration_ms: Some(self.limit.exceeded()), ..Trace::default() }.into())
    }

    fn is_vacuous(&self) -> bool {
        accepts_counterexample(self)
    }
}

fn require_duration(trace: &Trace) -> Result<f64, Unfit> {
    match trace.duration_ms {
        Some(took) if is_amount(took) => Ok(took),
        Some(took) => Err(Unfit::invalid(format!("the trace says that the run took {took} ms"))),
        None => Err(Unfit::missing("the trace does not tell how long the run took")
            .help("record the duration of the run, or drop the limit")),
    }
}

fn too_slow(took: f64, limit: Amount) -> Violation {
    let limit = limit.get();
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
            crate::outcome::UnfitReason::InvalidEvidence(_)
        ));
    }
}
