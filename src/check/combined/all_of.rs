//! `all_of`: all of these checks hold.
//!
//! <!-- settings -->
//!
//! Useful inside `any_of` and `none_of`. If one check is undecided and none is violated, so is the combination. This case
//! fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/all_of/fail-one-of-two.yaml")]
//! ```

use super::inner::{CombinationForm, InnerChecks};
use crate::check::{Check, Clause, Kind, Scope};
use crate::evidence::{Evidence, ProgramRequest, Question};
use crate::outcome::{Outcome, Unfit};
use crate::place::LoadErrors;
use crate::yaml::Node;

pub(crate) const KIND: Kind = Kind::with::<CombinationForm>("all_of", "all of these checks hold", read)
    .without_calls()
    .holding_checks();

struct AllOf(InnerChecks);

fn read(node: Node<'_>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    Ok(Box::new(AllOf(InnerChecks::read(node, scope)?)))
}

impl Check for AllOf {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let mut answers = self.0.ask(evidence);
        if let Some(error) = answers.error.take() {
            return Err(error);
        }
        match answers.take_unfit() {
            Some(undecided) if answers.violations.is_empty() => Err(undecided),
            _ => Ok(Outcome::of_items(answers.items, answers.violations)),
        }
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        self.0.list_candidates().find(|evidence| self.refuses(evidence))
    }

    // One check that can fail is enough.
    fn is_vacuous(&self) -> bool {
        self.0.iter().all(|check| check.check().is_vacuous())
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
