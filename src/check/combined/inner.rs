//! The checks inside a combination, each with one of three answers: it holds, it does not, or it is undecided.

use serde_json::Value;

use crate::check::support::inner_check::Nested;
use crate::check::{Clause, Scope};
use crate::evidence::{Evidence, ProgramRequest, Question};
use crate::outcome::{Item, Outcome, State, Unfit, UnfitReason, Violation};
use crate::place::LoadErrors;
use crate::trace::Trace;
use crate::yaml::{Fields, Node};

/// Settings of a combination, for their schema.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "describes settings that are read by hand, with their places")]
pub(super) struct CombinationForm {
    /// The checks, one an entry, as under `expect`.
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Vec<crate::check::support::forms::ExpectEntry>", length(min = 1))
    )]
    checks: Vec<Value>,
}

/// The checks of a combination.
pub(super) struct InnerChecks(Vec<Nested>);

/// The answers of all checks.
pub(super) struct InnerAnswers {
    /// One for each check.
    pub(super) items: Vec<Item>,
    /// The violations of all checks that do not hold, with their places.
    pub(super) violations: Vec<Violation>,
    /// The indices of the checks that hold.
    pub(super) held: Vec<usize>,
    /// The first reason why a check is undecided.
    pub(super) undecided: Option<Unfit>,
    /// The first error of a check.
    pub(super) error: Option<Unfit>,
}

impl InnerChecks {
    /// Reads `checks`.
    pub(super) fn read(node: Node<'_>, scope: &Scope<'_>) -> Result<Self, LoadErrors> {
        let mut fields = Fields::of(node, "a combination of checks")?;
        let Some(list) = fields.node("checks") else {
            fields.missing(&["checks"], node.error("`checks` is missing: the checks to combine"));
            return fields.finish_some(None);
        };
        let entries: Vec<Node<'_>> = list.list().into_iter().flatten().collect();
        if entries.is_empty() {
            fields.errors.push(list.error("`checks` is a list of checks, and not an empty one"));
        }
        let read: Vec<Nested> = entries
            .into_iter()
            .enumerate()
            .filter_map(|(index, entry)| {
                fields.take(Nested::read_any(entry, &format!("/checks/{index}"), scope))
            })
            .collect();
        fields.finish(Self(read))
    }

    /// Asks all checks.
    pub(super) fn ask(&self, evidence: &Evidence<'_>) -> InnerAnswers {
        let mut answers = InnerAnswers {
            items: Vec::new(),
            violations: Vec::new(),
            held: Vec::new(),
            undecided: None,
            error: None,
        };
        for (index, check) in self.0.iter().enumerate() {
            let state = match check.evaluate(evidence) {
                Ok(outcome) => answers.add_outcome(index, check, outcome),
                Err(unfit) => answers.add_unfit(unfit),
            };
            answers.items.push(Item::new(check.to_string(), state));
        }
        answers
    }

    pub(super) fn questions(&self) -> Vec<Question> {
        self.0.iter().flat_map(|check| check.check().questions()).collect()
    }

    pub(super) fn programs(&self) -> Vec<ProgramRequest> {
        self.0.iter().flat_map(|check| check.check().programs()).collect()
    }

    pub(super) fn clauses(&self) -> Vec<Clause> {
        self.0.iter().flat_map(Nested::clauses).collect()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Nested> {
        self.0.iter()
    }

    /// Runs on which checks may differ: an empty one, and those that one of the checks refuses.
    pub(super) fn list_candidates(&self) -> impl Iterator<Item = Evidence<'static>> {
        let refused = self.0.iter().filter_map(|check| check.check().counterexample());
        std::iter::once(Trace::default().into()).chain(refused)
    }
}

impl InnerAnswers {
    fn add_outcome(&mut self, index: usize, check: &Nested, outcome: Outcome) -> State {
        if outcome.violations.is_empty() {
            self.held.push(index);
            return State::Held;
        }
        self.violations.extend(outcome.violations.into_iter().map(|violation| check.locate(violation)));
        State::Violated
    }

    fn add_unfit(&mut self, unfit: Unfit) -> State {
        match unfit.reason {
            UnfitReason::MissingEvidence(_) => self.undecided.get_or_insert(unfit),
            UnfitReason::InvalidEvidence(_) | UnfitReason::BudgetExceeded(_) => {
                self.error.get_or_insert(unfit)
            }
        };
        State::Open
    }

    /// The reason why the combination has no answer: an error, else what is undecided.
    pub(super) fn take_unfit(&mut self) -> Option<Unfit> {
        self.error.take().or_else(|| self.undecided.take())
    }
}
