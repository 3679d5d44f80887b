//! The checks inside a combination, each with one of three answers: it holds, it does not, or it is undecided.

use serde::Deserialize;
use smol_str::SmolStr;

use crate::JsonSchema;
use crate::check::support::forms::ExpectEntry;
use crate::check::support::inner_check::Nested;
use crate::check::{Check, Clause, Scope};
use crate::evidence::{
    AskProgram, Evidence, ProgramReplies, ProgramRequest, Question, explain_unreadable_arguments,
    has_unreadable_arguments,
};
use crate::outcome::{CannotDecide, Item, Outcome, State, UndecidedReason, Violation};
use crate::pattern::ToolPattern;
use crate::place::LoadErrors;
use crate::trace::{Call, Trace};
use crate::workspace::WorkspaceNeeds;
use crate::yaml::{Placed, Unparsed, read_all};

/// Settings of a combination.
#[derive(Deserialize, JsonSchema)]
pub(super) struct CombinationSettings {
    /// A list of checks, as under `expect`.
    #[schemars(length(min = 1))]
    checks: Placed<Vec<Unparsed<ExpectEntry>>>,
}

/// How the answers of the checks decide the answer of the combination.
pub(super) struct CombinationRule {
    pub(super) decide: fn(InnerAnswers) -> Result<Outcome, CannotDecide>,
    /// Whether the combination holds where its checks do not. Then a check that does not hold must be proven not to.
    pub(super) turns_around: bool,
    /// Whether the combination of these checks is proven to hold of every run.
    pub(super) is_vacuous: fn(&[Nested]) -> bool,
}

/// A combination of checks.
struct Combination {
    checks: Vec<Nested>,
    rule: &'static CombinationRule,
}

/// The answers of all checks.
#[derive(Default)]
pub(super) struct InnerAnswers {
    /// One for each check.
    pub(super) items: Vec<Item>,
    /// The violations of all checks that do not hold, with their places.
    pub(super) violations: Vec<Violation>,
    /// The indices of the checks that hold.
    pub(super) held: Vec<usize>,
    /// The first reason why a check is undecided.
    pub(super) undecided: Option<CannotDecide>,
    /// The first error of a check.
    pub(super) error: Option<CannotDecide>,
}

impl CombinationSettings {
    /// Builds the combination with this rule.
    pub(super) fn build_check(
        &self,
        scope: &Scope<'_>,
        rule: &'static CombinationRule,
    ) -> Result<Box<dyn Check>, LoadErrors> {
        if self.checks.is_empty() {
            return Err(self.checks.error("`checks` must list at least one check").into());
        }
        let checks = self
            .checks
            .iter()
            .enumerate()
            .map(|(index, entry)| Nested::read(entry.node(), None, &format!("/checks/{index}"), scope));
        Ok(Box::new(Combination { checks: read_all(checks)?, rule }))
    }
}

impl Check for Combination {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let mut answers = InnerAnswers::default();
        // All checks are asked, also after the answer is certain: a report shows the state of each.
        for (index, check) in self.checks.iter().enumerate() {
            let mut answer = check.evaluate(evidence);
            if self.rule.turns_around {
                answer = answer.and_then(|outcome| require_proven(check.check(), evidence, outcome));
            }
            let state = match answer {
                Ok(outcome) => answers.add_outcome(index, check, outcome),
                Err(unfit) => answers.add_unfit(unfit),
            };
            answers.items.push(Item::new(check.to_string(), state));
        }
        (self.rule.decide)(answers)
    }

    /// An empty run, or one that a check refuses: on these the checks may differ.
    fn counterexample(&self) -> Option<Evidence<'static>> {
        let refused = self.checks.iter().filter_map(|check| check.check().counterexample());
        std::iter::once(Trace::default().into()).chain(refused).find(|evidence| self.refuses(evidence))
    }

    fn programs(&self) -> Vec<ProgramRequest> {
        self.checks.iter().flat_map(|check| check.check().programs()).collect()
    }

    fn ask_programs(&self, evidence: &Evidence<'_>, ask: AskProgram<'_>, replies: &mut ProgramReplies) {
        for check in &self.checks {
            check.check().ask_programs(evidence, ask, replies);
        }
    }

    fn workspace_needs(&self) -> WorkspaceNeeds {
        let needs = self.checks.iter().map(|check| check.check().workspace_needs());
        needs.fold(WorkspaceNeeds::default(), WorkspaceNeeds::join)
    }

    fn watched_state(&self) -> Vec<Vec<SmolStr>> {
        self.checks.iter().flat_map(|check| check.check().watched_state()).collect()
    }

    fn is_vacuous(&self) -> bool {
        (self.rule.is_vacuous)(&self.checks)
    }

    fn judges_end(&self) -> bool {
        self.checks.iter().any(|check| check.check().judges_end())
    }

    fn reads_reward(&self) -> bool {
        self.checks.iter().any(|check| check.check().reads_reward())
    }

    fn questions(&self) -> Vec<Question> {
        self.checks.iter().flat_map(|check| check.check().questions()).collect()
    }

    fn tools(&self) -> Vec<&ToolPattern> {
        self.checks.iter().flat_map(|check| check.check().tools()).collect()
    }

    fn clauses(&self) -> Vec<Clause> {
        self.checks.iter().flat_map(Nested::clauses).collect()
    }
}

/// Returns `outcome`, unless it is a failure that rests on arguments which cannot be read: these may be the wanted ones.
fn require_proven(
    check: &dyn Check,
    evidence: &Evidence<'_>,
    outcome: Outcome,
) -> Result<Outcome, CannotDecide> {
    if outcome.violations.is_empty() {
        return Ok(outcome);
    }
    let tools = check.tools();
    let may_be_meant = |call: &&Call| {
        has_unreadable_arguments(call)
            && !check.bans_call(call)
            && tools.iter().any(|tool| tool.may_match(call))
    };
    let calls: Vec<&Call> = evidence.trace.calls.iter().filter(may_be_meant).collect();
    let is_named = |violation: &Violation, call: &Call| {
        violation.call == Some(call.index) || violation.calls.contains(&call.index)
    };
    let rests = |violation: &Violation| calls.iter().copied().find(|call| is_named(violation, call));
    let unreadable: Option<Vec<&Call>> = outcome.violations.iter().map(rests).collect();
    match unreadable.as_deref() {
        Some([first, ..]) => Err(explain_unreadable_arguments(first)),
        _ => Ok(outcome),
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

    fn add_unfit(&mut self, unfit: CannotDecide) -> State {
        match unfit.reason {
            // One reason of each kind is shown, and it is the first.
            UndecidedReason::MissingEvidence(_) => self.undecided.get_or_insert(unfit),
            UndecidedReason::InvalidEvidence(_) | UndecidedReason::BudgetExceeded(_) => {
                self.error.get_or_insert(unfit)
            }
        };
        State::Open
    }

    /// The reason why the combination has no answer: an error, else what is undecided.
    pub(super) fn take_unfit(&mut self) -> Option<CannotDecide> {
        self.error.take().or_else(|| self.undecided.take())
    }
}
