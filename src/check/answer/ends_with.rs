//! `ends_with`: the final answer ends with this text.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/ends_with/fail-more-after-it.yaml")]
//! ```

use serde::Deserialize;

use crate::check::support::answer_text::{answer, ending, saying};
use crate::check::support::text_assertion::{Literal, Relation};
use crate::check::{Check, Demand, Kind};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};

pub(crate) const KIND: Kind = Kind::of::<EndsWith>("ends_with", "the final answer ends with this text")
    .shorthand("value")
    .without_calls();

const ENDS_WITH: Relation = |answer, value| answer.ends_with(value);

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
struct EndsWith(Literal);

impl Check for EndsWith {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let answer = answer(evidence)?;
        let held = self.0.holds(answer, ENDS_WITH);
        Ok((!held).then(|| other_end(&self.0, answer)).into())
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(saying(""))
    }

    fn is_vacuous(&self) -> bool {
        self.0.as_str().is_empty()
    }

    fn demands(&self) -> Vec<Demand<'_>> {
        vec![Demand::text(&self.0)]
    }
}

fn other_end(text: &Literal, answer: &str) -> Violation {
    let message = format!("the answer does not end with {}", text.shown());
    let otherwise = if text.holds(answer.trim_end(), ENDS_WITH) {
        "only blanks stand after it, and nothing is trimmed: put them into `value`"
    } else if text.find(answer).is_some() {
        "the text comes earlier in the answer: use `contains` if that is enough"
    } else {
        "change what the agent answers, or the text that it should end with"
    };
    let help = text.help(answer, ENDS_WITH, otherwise);
    text.broken(message, &format!("an answer that ends with {}", text.shown()), ending(answer)).help(help)
}
