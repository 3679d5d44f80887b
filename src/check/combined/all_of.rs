//! `all_of`: all of these checks hold.
//!
//! <!-- settings -->
//!
//! Useful inside `any_of` and `none_of`. If one check is undecided and no check is violated, the combination is undecided. This case
//! fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/all_of/fail-one-of-two.yaml")]
//! ```

use super::inner::{CombinationRule, CombinationSettings, InnerAnswers};
use crate::check::CheckKind;
use crate::outcome::{CannotDecide, Outcome};

pub(crate) const KIND: CheckKind =
    CheckKind::with::<CombinationSettings>("all_of", "all of these checks hold", |node, scope| {
        node.decode_all::<CombinationSettings>()?.build_check(scope, &RULE)
    })
    .holding_checks();

// One check that can fail is enough.
const RULE: CombinationRule = CombinationRule {
    decide,
    turns_around: false,
    is_vacuous: |checks| checks.iter().all(|check| check.check().is_vacuous()),
};

fn decide(mut answers: InnerAnswers) -> Result<Outcome, CannotDecide> {
    if let Some(error) = answers.error.take() {
        return Err(error);
    }
    match answers.take_unfit() {
        // A violation decides, whatever the undecided checks would say.
        Some(undecided) if answers.violations.is_empty() => Err(undecided),
        _ => Ok(Outcome::of_items(answers.items, answers.violations)),
    }
}
