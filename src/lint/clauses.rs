//! `uncalled_tool`, `unpassed_argument`, `unexercised_rule`: what policies and rules ask for and no run puts to the test.

use std::collections::{BTreeMap, BTreeSet};

use super::{Remark, quoted};
use crate::case::{Case, Expectation};
use crate::check::{About, Clause};
use crate::outcome::State;
use crate::place::Location;
use crate::suite::Recorded;
use crate::trace::Call;
use crate::verdict::Verdict;

/// Each clause, by its check and its place: a policy's is one, whichever cases name the policy.
#[derive(Default)]
pub(super) struct Clauses(BTreeMap<(String, usize, usize, &'static str), Facts>);

/// What is known of a clause.
struct Facts {
    at: Location,
    about: About,
    exercised: bool,
    /// Arguments that no call has passed.
    unpassed: BTreeSet<String>,
}

impl Clauses {
    pub(super) fn add(&mut self, case: &Case, recorded: &Recorded, verdict: &Verdict) {
        for expectation in &case.expectations {
            for clause in expectation.check().clauses() {
                let facts = self.facts(expectation, clause);
                match &facts.about {
                    About::Calls { .. } => facts.see(recorded),
                    About::Rule(label) => facts.exercised |= is_exercised(expectation, label, verdict),
                }
            }
        }
    }

    fn facts(&mut self, expectation: &Expectation, clause: Clause) -> &mut Facts {
        let at = clause.policy.map_or_else(|| expectation.locate(&clause.at), |place| place.locate());
        let key = (at.file.clone(), at.line, at.column, expectation.check);
        self.0.entry(key).or_insert_with(|| Facts::of(clause.about, at))
    }

    pub(super) fn remarks(self) -> impl Iterator<Item = Remark> {
        self.0.into_iter().filter_map(|((.., check), facts)| facts.remark(check))
    }
}

impl Facts {
    fn of(about: About, at: Location) -> Self {
        let unpassed = match &about {
            About::Calls { arguments, .. } => arguments.iter().cloned().collect(),
            About::Rule(_) => BTreeSet::new(),
        };
        Self { at, about, exercised: false, unpassed }
    }

    fn see(&mut self, recorded: &Recorded) {
        let About::Calls { tool, .. } = &self.about else { return };
        let calls = recorded.runs.iter().flat_map(|run| &run.trace.calls);
        for call in calls.filter(|call| tool.matches(&call.name)) {
            self.exercised = true;
            for argument in passed(call) {
                self.unpassed.remove(argument);
            }
        }
    }

    fn remark(self, check: &str) -> Option<Remark> {
        let remark = |lint, message, help| Some(Remark { lint, at: self.at, message, help });
        match self.about {
            About::Rule(_) if self.exercised => None,
            About::Rule(label) => remark(
                "unexercised_rule",
                format!("no passing case puts `{label}` of `{check}` to the test"),
                "record a run that does, or drop the rule",
            ),
            About::Calls { tool, .. } if !self.exercised => remark(
                "uncalled_tool",
                format!("`{check}` has a schema for `{tool}`, and no trace calls it"),
                "record a run that does, or drop the schema",
            ),
            About::Calls { .. } if self.unpassed.is_empty() => None,
            About::Calls { tool, .. } => remark(
                "unpassed_argument",
                format!("no trace passes {} to `{tool}`, which `{check}` constrains", quoted(&self.unpassed)),
                "record a run that does, or drop the constraint",
            ),
        }
    }
}

fn passed(call: &Call) -> impl Iterator<Item = &String> {
    call.arguments.json().and_then(serde_json::Value::as_object).into_iter().flat_map(serde_json::Map::keys)
}

/// Whether the rule called `label` was put to the test in a case that passes.
fn is_exercised(expectation: &Expectation, label: &str, verdict: &Verdict) -> bool {
    let at = expectation.place.locate();
    let own =
        verdict.findings.iter().filter(|finding| finding.check == expectation.check && finding.at == at);
    let tested = |state: State| matches!(state, State::Held | State::Violated);
    verdict.passed
        && own.flat_map(|finding| &finding.items).any(|item| item.label == label && tested(item.state))
}
