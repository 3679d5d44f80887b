//! `starts_with`: the final answer begins with this text.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/starts_with/fail-other-greeting.yaml")]
//! ```

use serde::Deserialize;

use crate::check::support::answer_text::{answer, beginning, saying};
use crate::check::support::text_assertion::{Literal, Relation};
use crate::check::{Check, Demand, Kind};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};

pub(crate) const KIND: Kind = Kind::of::<StartsWith>("starts_with", "the final answer begins with this text")
    .shorthand("value")
    .without_calls();

const STARTS_WITH: Relation = |answer, value| answer.starts_with(value);

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
struct StartsWith(Literal);

impl Check for StartsWith {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let answer = answer(evidence)?;
        let held = self.0.holds(answer, STARTS_WITH);
        Ok((!held).then(|| other_beginning(&self.0, answer)).into())
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

fn other_beginning(text: &Literal, answer: &str) -> Violation {
    let message = format!("the answer does not start with {}", text.shown());
    let otherwise = if text.holds(answer.trim_start(), STARTS_WITH) {
        "only blanks stand before it, and nothing is trimmed: put them into `value`"
    } else if text.find(answer).is_some() {
        "the text comes later in the answer: use `contains` if that is enough"
    } else {
        "change what the agent answers, or the text that it should start with"
    };
    let help = text.help(answer, STARTS_WITH, otherwise);
    text.broken(message, &format!("an answer that starts with {}", text.shown()), beginning(answer))
        .help(help)
}
