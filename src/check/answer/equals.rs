//! `equals`: the final answer is this text.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/equals/fail-one-word.yaml")]
//! ```

use serde::Deserialize;

use crate::check::support::answer_text::{answer, excerpt, position, saying};
use crate::check::support::text_assertion::{Literal, Relation};
use crate::check::{Check, Demand, Kind};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};

pub(crate) const KIND: Kind =
    Kind::of::<Equals>("equals", "the final answer is this text").shorthand("value").without_calls();

const EQUALS: Relation = |answer, value| answer == value;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
struct Equals(Literal);

impl Check for Equals {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let answer = answer(evidence)?;
        let held = self.0.holds(answer, EQUALS);
        Ok((!held).then(|| other(&self.0, answer)).into())
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(saying(format!("{}!", self.0.as_str())))
    }

    fn demands(&self) -> Vec<Demand<'_>> {
        vec![Demand::text(&self.0)]
    }
}

fn other(text: &Literal, answer: &str) -> Violation {
    let (at, at_wanted) = text.difference(answer);
    let message = match position(answer, at) {
        _ if at == 0 => format!("the answer is not {}", text.shown()),
        place if at == answer.len() => format!("the answer is not the wanted text: it ends at {place}"),
        place => format!("the answer is not the wanted text: it differs at {place}"),
    };
    let otherwise = if text.holds(answer.trim(), |answer, value| answer == value.trim()) {
        "only blanks at the ends differ, and nothing is trimmed: put them into `value`"
    } else {
        "change what the agent answers, or use `contains` if a part of it is enough"
    };
    let wanted = excerpt(text.as_str(), at_wanted..at_wanted);
    text.broken(message, &wanted, excerpt(answer, at..at)).help(text.help(answer, EQUALS, otherwise))
}
