//! `starts_with`: the final answer begins with this text.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/starts_with/fail-other-greeting.yaml")]
//! ```

use crate::check::CheckKind;
use crate::check::support::answer::beginning;
use crate::check::support::text_assertion::{Literal, TextRule, read_text_check};
use crate::outcome::Violation;

pub(crate) const KIND: CheckKind =
    CheckKind::with::<Literal>("starts_with", "the final answer begins with this text", |node, _| {
        read_text_check(node, &RULE)
    })
    .shorthand("value")
    .without_calls();

const RULE: TextRule =
    TextRule { relation: |answer, value| answer.starts_with(value), describe: describe_other_beginning };

fn describe_other_beginning(text: &Literal, answer: &str) -> Violation {
    let message = format!("the answer does not start with {}", text.shown());
    let otherwise = if text.holds(answer.trim_start(), RULE.relation) {
        "only blanks stand before it, and nothing is trimmed: put them into `value`"
    } else if text.find(answer).is_some() {
        "the text comes later in the answer: use `contains` if that is enough"
    } else {
        "change what the agent answers, or the text that it should start with"
    };
    let help = text.help(answer, RULE.relation, otherwise);
    text.broken(message, &format!("an answer that starts with {}", text.shown()), beginning(answer))
        .help(help)
}
