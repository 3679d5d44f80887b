//! `any_of`: at least one of these checks holds.
//!
//! <!-- settings -->
//!
//! If no check holds and one is undecided, the combination is undecided. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/any_of/fail-neither.yaml")]
//! ```

use super::inner::{CombinationRule, CombinationSettings, InnerAnswers};
use crate::check::CheckKind;
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation};

pub(crate) const KIND: CheckKind =
    CheckKind::with::<CombinationSettings>("any_of", "at least one of these checks holds", |node, scope| {
        node.decode_all::<CombinationSettings>()?.build_check(scope, &RULE)
    })
    .holding_checks();

// One check that cannot fail makes up for all others. Whether all others can fail together is not known.
const RULE: CombinationRule = CombinationRule {
    decide,
    turns_around: false,
    is_vacuous: |checks| checks.iter().any(|check| check.check().is_vacuous()),
};

fn decide(mut answers: InnerAnswers) -> Result<Outcome, CannotDecide> {
    if !answers.held.is_empty() {
        return Ok(Outcome::of_items(forgive_items(answers.items), Vec::new()));
    }
    answers.take_unfit().map_or_else(|| Ok(describe_neither(answers)), Err)
}

/// Marks the checks that need not hold, because another one does.
fn forgive_items(mut items: Vec<Item>) -> Vec<Item> {
    for item in items.iter_mut().filter(|item| item.state != State::Held) {
        item.state = State::NotExercised;
        item.note = Some("does not hold, and need not".to_owned());
    }
    items
}

fn describe_neither(answers: InnerAnswers) -> Outcome {
    let labels: Vec<String> = answers.items.iter().map(|item| item.label.clone()).collect();
    let mut reasons: Vec<&str> = Vec::new();
    for violation in &answers.violations {
        // Alternatives often fail for the same reason, which is said once.
        if !reasons.contains(&violation.message.as_str()) {
            reasons.push(&violation.message);
        }
    }
    let mut calls: Vec<usize> = answers.violations.iter().filter_map(|violation| violation.call).collect();
    // Two alternatives may complain about the same call, which is marked once.
    calls.sort_unstable();
    calls.dedup();
    let violation =
        Violation::new(format!("none of the {} checks holds{}", labels.len(), summarize(&reasons)))
            .at("/checks")
            .expected(labels.join(", or "), reasons.join("\n"))
            .help("change the agent, or add the alternative that is right as well");
    Outcome::of_items(answers.items, vec![Violation { call: calls.first().copied(), calls, ..violation }])
}

/// The first reasons, for the end of a sentence. All of them follow as the actual value.
fn summarize(reasons: &[&str]) -> String {
    match reasons {
        [] => String::new(),
        few @ ([_] | [_, _]) => format!(": {}", few.join("; ")),
        [first, second, rest @ ..] => format!(": {first}; {second}; and {} more", rest.len()),
    }
}
