//! `contains`: the final answer contains this text.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/contains/fail-other-words.yaml")]
//! ```

use serde::Deserialize;

use crate::check::support::answer_text::{answer, beginning, saying};
use crate::check::support::text_assertion::{Literal, Relation};
use crate::check::{Check, Demand, Kind};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};

pub(crate) const KIND: Kind = Kind::of::<Contains>("contains", "the final answer contains this text")
    .shorthand("value")
    .without_calls();

const CONTAINS: Relation = |answer, value| answer.contains(value);

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
struct Contains(Literal);

impl Check for Contains {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let answer = answer(evidence)?;
        let held = self.0.holds(answer, CONTAINS);
        Ok((!held).then(|| lacks(&self.0, answer)).into())
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

fn lacks(text: &Literal, answer: &str) -> Violation {
    let message = format!("the answer does not contain {}", text.shown());
    let otherwise = if text.holds(&squeezed(answer), |answer, value| answer.contains(&squeezed(value))) {
        "only blanks or line breaks differ, and they count"
    } else {
        "change what the agent answers, or the text that is looked for"
    };
    let help = text.help(answer, CONTAINS, otherwise);
    text.broken(message, &format!("an answer that contains {}", text.shown()), beginning(answer)).help(help)
}

/// The words with one blank between them.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
