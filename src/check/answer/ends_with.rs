//! `ends_with`: the final answer ends with this text.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/ends_with/fail-more-after-it.yaml")]
//! ```

use crate::check::CheckKind;
use crate::check::support::answer::ending;
use crate::check::support::text_assertion::{Literal, TextRule, read_text_check};
use crate::outcome::Violation;

pub(crate) const KIND: CheckKind =
    CheckKind::with::<Literal>("ends_with", "the final answer ends with this text", |node, _| {
        read_text_check(node, &RULE)
    })
    .shorthand("value")
    .without_calls();

const RULE: TextRule =
    TextRule { relation: |answer, value| answer.ends_with(value), describe: describe_other_end };

fn describe_other_end(text: &Literal, answer: &str) -> Violation {
    let message = format!("the answer does not end with {}", text.shown());
    let otherwise = if text.holds(answer.trim_end(), RULE.relation) {
        "only blanks stand after it, and nothing is trimmed: put them into `value`"
    } else if text.find(answer).is_some() {
        "the text comes earlier in the answer: use `contains` if that is enough"
    } else {
        "change what the agent answers, or the text that it should end with"
    };
    let help = text.help(answer, RULE.relation, otherwise);
    text.broken(message, &format!("an answer that ends with {}", text.shown()), ending(answer)).help(help)
}
