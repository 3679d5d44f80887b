//! `none_of`: none of these checks holds.
//!
//! <!-- settings -->
//!
//! If no check holds and one is undecided, the combination is undecided. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/none_of/fail-one-holds.yaml")]
//! ```

use super::inner::{CombinationRule, CombinationSettings, InnerAnswers};
use crate::check::CheckKind;
use crate::outcome::{CannotDecide, Item, Outcome, State, Violation};

pub(crate) const KIND: CheckKind =
    CheckKind::with::<CombinationSettings>("none_of", "none of these checks holds", |node, scope| {
        node.decode_all::<CombinationSettings>()?.build_check(scope, &RULE)
    })
    .holding_checks();

// A check that never holds cannot be distinguished from one that holds for runs that were not tried.
const RULE: CombinationRule = CombinationRule { decide, turns_around: true, is_vacuous: |_| false };

fn decide(mut answers: InnerAnswers) -> Result<Outcome, CannotDecide> {
    let unfit = answers.take_unfit();
    let violations = answers.held.iter().map(|index| describe_held(*index, &answers.items[*index]));
    let violations: Vec<Violation> = violations.collect();
    match unfit {
        Some(unfit) if violations.is_empty() => Err(unfit),
        _ => Ok(Outcome::of_items(answers.items.into_iter().map(invert_item).collect(), violations)),
    }
}

/// The item of a check that must not hold.
fn invert_item(item: Item) -> Item {
    let state = match item.state {
        State::Held => State::Violated,
        State::Violated => State::Held,
        other => other,
    };
    Item { label: format!("not {}", item.label), state, ..item }
}

fn describe_held(index: usize, item: &Item) -> Violation {
    Violation::new(format!("`{}` holds, and must not", item.label))
        .at(format!("/checks/{index}"))
        .help("change the agent, or drop the check")
}
