//! `equals`: the final answer is this text.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/equals/fail-one-word.yaml")]
//! ```

use crate::check::CheckKind;
use crate::check::support::answer::{excerpt, position};
use crate::check::support::text_assertion::{Literal, TextRule, read_text_check};
use crate::outcome::Violation;

pub(crate) const KIND: CheckKind =
    CheckKind::with::<Literal>("equals", "the final answer is this text", |node, _| {
        read_text_check(node, &RULE)
    })
    .shorthand("value")
    .without_calls();

const RULE: TextRule = TextRule { relation: |answer, value| answer == value, describe: describe_difference };

fn describe_difference(text: &Literal, answer: &str) -> Violation {
    let (at, at_wanted) = text.difference(answer);
    let message = match position(answer, at) {
        // An answer that differs from the beginning has no common part to point behind.
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
    text.broken(message, &wanted, excerpt(answer, at..at)).help(text.help(answer, RULE.relation, otherwise))
}
