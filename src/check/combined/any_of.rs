//! `any_of`: at least one of these checks holds.
//!
//! <!-- settings -->
//!
//! If no check holds and one is undecided, so is the combination. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/any_of/fail-neither.yaml")]
//! ```

use super::inner::{CombinationForm, InnerAnswers, InnerChecks};
use crate::check::{Check, Clause, Kind, Scope};
use crate::evidence::{Evidence, ProgramRequest, Question};
use crate::outcome::{Item, Outcome, State, Unfit, Violation};
use crate::place::LoadErrors;
use crate::yaml::Node;

pub(crate) const KIND: Kind =
    Kind::with::<CombinationForm>("any_of", "at least one of these checks holds", read)
        .without_calls()
        .holding_checks();

struct AnyOf(InnerChecks);

fn read(node: Node<'_>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    Ok(Box::new(AnyOf(InnerChecks::read(node, scope)?)))
}

impl Check for AnyOf {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let mut answers = self.0.ask(evidence);
        if !answers.held.is_empty() {
            return Ok(Outcome::of_items(forgive(answers.items), Vec::new()));
        }
        match answers.take_unfit() {
            Some(unfit) => Err(unfit),
            None => Ok(describe_neither(answers)),
        }
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        self.0.list_candidates().find(|evidence| self.refuses(evidence))
    }

    // One check that cannot fail makes up for all others. Whether all others can fail together is not known.
    fn is_vacuous(&self) -> bool {
        self.0.iter().any(|check| check.check().is_vacuous())
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

/// Marks the checks that need not hold, because another one does.
fn forgive(mut items: Vec<Item>) -> Vec<Item> {
    for item in items.iter_mut().filter(|item| item.state != State::Held) {
        item.state = State::NotExercised;
        item.note = Some("does not hold, and need not".to_owned());
    }
    items
}

fn describe_neither(answers: InnerAnswers) -> Outcome {
    let labels: Vec<String> = answers.items.iter().map(|item| item.label.clone()).collect();
    let reasons: Vec<&str> = answers.violations.iter().map(|violation| violation.message.as_str()).collect();
    let mut calls: Vec<usize> = answers.violations.iter().filter_map(|violation| violation.call).collect();
    calls.sort_unstable();
    calls.dedup();
    let violation = Violation::new(format!("none of the {} checks holds", labels.len()))
        .at("/checks")
        .expected(labels.join(", or "), reasons.join("\n"))
        .help("change the agent, or add the alternative that is right as well");
    Outcome::of_items(answers.items, vec![Violation { call: calls.first().copied(), calls, ..violation }])
}
