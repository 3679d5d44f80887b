//! `contains`: the final answer contains this text.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/contains/fail-other-words.yaml")]
//! ```

use crate::check::CheckKind;
use crate::check::support::answer::beginning;
use crate::check::support::text_assertion::{Literal, TextRule, read_text_check};
use crate::outcome::Violation;

pub(crate) const KIND: CheckKind =
    CheckKind::with::<Literal>("contains", "the final answer contains this text", |node, _| {
        read_text_check(node, &RULE)
    })
    .shorthand("value")
    .without_calls();

const RULE: TextRule = TextRule { relation: |answer, value| answer.contains(value), describe: describe_lack };

fn describe_lack(text: &Literal, answer: &str) -> Violation {
    let message = format!("the answer does not contain {}", text.shown());
    let otherwise =
        if text.holds(&squeeze_blanks(answer), |answer, value| answer.contains(&squeeze_blanks(value))) {
            "only blanks or line breaks differ, and they count"
        } else {
            "change what the agent answers, or the text that is looked for"
        };
    let help = text.help(answer, RULE.relation, otherwise);
    text.broken(message, &format!("an answer that contains {}", text.shown()), beginning(answer)).help(help)
}

/// The words with one blank between them.
fn squeeze_blanks(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
