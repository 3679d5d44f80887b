//! `forbidden_substrings`: the answer contains none of these texts.
//!
//! Lists what an attack tries to make an agent say. A text is found ignoring case, also inside a word. Each text is
//! one violation, at its first occurrence.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/forbidden_substrings/fail-leaks-the-prompt.yaml")]
//! ```

use std::ops::Range;

use serde::Deserialize;

use crate::check::support::answer_scope::Said;
use crate::check::support::answer_text::{excerpt, position, saying};
use crate::check::support::text_assertion::Literal;
use crate::check::{Check, Kind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{Item, Outcome, Unfit, Violation};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::Node;

pub(crate) const KIND: Kind = Kind::with::<SubstringSettings>(
    "forbidden_substrings",
    "the answer contains none of these texts",
    read_check,
)
.shorthand("substrings")
.without_calls();

/// Settings of `forbidden_substrings`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SubstringSettings {
    /// The texts, exactly as written: blanks count.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    substrings: Vec<String>,
    /// The text that is the answer.
    answer: Option<Said>,
}

struct ForbiddenSubstrings {
    texts: Vec<Literal>,
    answer: Said,
}

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let settings: SubstringSettings = node.decode_all()?;
    none_is_empty(&settings.substrings, node)?;
    let texts = settings.substrings.into_iter().map(Literal::in_any_case_of).collect();
    Ok(Box::new(ForbiddenSubstrings { texts, answer: settings.answer.unwrap_or_default() }))
}

fn none_is_empty(texts: &[String], node: Node<'_>) -> Result<(), LoadError> {
    let list = node.pointer("/substrings").unwrap_or(node);
    if texts.is_empty() {
        return Err(list.error("an empty list forbids nothing"));
    }
    let Some(index) = texts.iter().position(String::is_empty) else { return Ok(()) };
    let entry = node.pointer(&format!("/substrings/{index}")).unwrap_or(node);
    Err(entry.error("an empty text is part of every answer: this never holds"))
}

impl Check for ForbiddenSubstrings {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let answer = self.answer.of(evidence)?;
        let (mut items, mut violations) = (Vec::new(), Vec::new());
        for (index, text) in self.texts.iter().enumerate() {
            let found = text.find(&answer);
            items.push(Item::tested(text.shown(), found.is_none()));
            violations.extend(found.map(|found| describe_found(index, text, &answer, found)));
        }
        Ok(Outcome::of_items(items, violations))
    }

    // What was said stays said.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(saying(self.texts.first()?.as_str()))
    }

    fn bans_text(&self, text: &str, is_exact: bool) -> bool {
        self.texts.iter().any(|forbidden| forbidden.bans(text, is_exact))
    }
}

fn describe_found(index: usize, text: &Literal, answer: &str, found: Range<usize>) -> Violation {
    let message = format!("the answer contains {}, at {}", text.shown(), position(answer, found.start));
    text.broken(message, &format!("an answer without {}", text.shown()), excerpt(answer, found))
        .at(format!("/substrings/{index}"))
        .help("keep the agent from saying it, or take the text off the list")
}
