//! `none_of`: none of these checks holds.
//!
//! <!-- settings -->
//!
//! If no check holds and one is undecided, so is the combination. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/none_of/fail-one-holds.yaml")]
//! ```

use super::inner::{CombinationForm, InnerChecks};
use crate::check::{Check, Clause, Kind, Scope};
use crate::evidence::{Evidence, ProgramRequest, Question};
use crate::outcome::{Item, Outcome, State, Unfit, Violation};
use crate::place::LoadErrors;
use crate::yaml::Node;

pub(crate) const KIND: Kind = Kind::with::<CombinationForm>("none_of", "none of these checks holds", read)
    .without_calls()
    .holding_checks();

struct NoneOf(InnerChecks);

fn read(node: Node<'_>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    Ok(Box::new(NoneOf(InnerChecks::read(node, scope)?)))
}

impl Check for NoneOf {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let mut answers = self.0.ask(evidence);
        let unfit = answers.take_unfit();
        let violations = answers.held.iter().map(|index| describe_held(*index, &answers.items[*index]));
        let violations: Vec<Violation> = violations.collect();
        match unfit {
            Some(unfit) if violations.is_empty() => Err(unfit),
            _ => Ok(Outcome::of_items(answers.items.into_iter().map(invert).collect(), violations)),
        }
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        self.0.list_candidates().find(|evidence| self.refuses(evidence))
    }

    // A check that never holds cannot be told from one that holds of runs not tried here.
    fn is_vacuous(&self) -> bool {
        false
    }

    fn questions(&self) -> Vec<Question> {
        self.0.questions()
    }

    fn programs(&self) -> Vec<ProgramRequest> {
        self.0.programs()
    }

    fn clauses(&self) -> Vec<Clause> {
        self.0.clauses()
    }
}

/// The item of a check that must not hold.
fn invert(item: Item) -> Item {
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
