//! `not_contains`: the final answer does not contain this text.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/not_contains/fail-in-a-sentence.yaml")]
//! ```

use std::ops::Range;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::answer::{answer, excerpt, position, saying};
use crate::check::support::text_assertion::Literal;
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::place::LoadErrors;
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind =
    CheckKind::built::<NotContains>("not_contains", "the final answer does not contain this text")
        .shorthand("value")
        .without_calls();

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
struct NotContains(Literal);

impl BuildCheck for NotContains {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        settings.0.refuse_empty("an empty text is part of every answer: this never holds")?;
        Ok(Box::new(settings.into_value()))
    }
}

impl Check for NotContains {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let answer = answer(evidence)?;
        let found = self.0.find(answer);
        Ok(found.map(|found| describe_found(&self.0, answer, found)).into())
    }

    // What was said stays said.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(saying(self.0.as_str()))
    }

    fn bans_text(&self, text: &str, is_exact: bool) -> bool {
        self.0.bans(text, is_exact)
    }
}

fn describe_found(text: &Literal, answer: &str, found: Range<usize>) -> Violation {
    let message = format!("the answer contains {}, at {}", text.shown(), position(answer, found.start));
    text.broken(message, &format!("an answer without {}", text.shown()), excerpt(answer, found))
        .help("keep the agent from saying it, or change the text that is looked for")
}
