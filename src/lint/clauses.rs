//! `uncalled_tool`, `unpassed_argument`, `unexercised_rule`: constraints of policies and rules that no run exercises.

use std::collections::{BTreeMap, BTreeSet};

use super::{LintRemark, quote_names};
use crate::case::{Case, Expectation};
use crate::check::{About, Clause};
use crate::json::{Json, JsonMap, JsonText};
use crate::outcome::State;
use crate::place::Location;
use crate::suite::RecordedEvidence;
use crate::trace::Call;
use crate::verdict::Verdict;

/// The clauses of all cases by check and place. A clause of a policy is one entry, however many cases use the policy.
#[derive(Default)]
pub(super) struct ClauseCoverage(BTreeMap<(String, usize, usize, &'static str), ClauseFacts>);

/// The facts about a clause.
struct ClauseFacts {
    at: Location,
    about: About,
    exercised: bool,
    /// Arguments that no call passes.
    unpassed: BTreeSet<String>,
}

impl ClauseCoverage {
    pub(super) fn add_case(&mut self, case: &Case, recorded: &RecordedEvidence, verdict: &Verdict) {
        for expectation in &case.expectations {
            for clause in expectation.check().clauses() {
                // Cases share checks of their suite, so the facts of one clause come from all of them.
                let facts = self.facts_mut(expectation, clause);
                match &facts.about {
                    About::Calls { .. } => facts.add_calls(recorded),
                    About::Rule(label) => facts.exercised |= is_exercised(expectation, label, verdict),
                }
            }
        }
    }

    fn facts_mut(&mut self, expectation: &Expectation, clause: Clause) -> &mut ClauseFacts {
        let at = clause.policy.map_or_else(|| expectation.locate(&clause.at), |place| place.locate());
        let key = (at.file.clone(), at.line, at.column, expectation.check);
        self.0.entry(key).or_insert_with(|| ClauseFacts::new(clause.about, at))
    }

    pub(super) fn into_remarks(self) -> impl Iterator<Item = LintRemark> {
        self.0.into_iter().filter_map(|((.., check), facts)| facts.into_remark(check))
    }
}

impl ClauseFacts {
    fn new(about: About, at: Location) -> Self {
        let unpassed = match &about {
            About::Calls { arguments, .. } => arguments.iter().cloned().collect(),
            About::Rule(_) => BTreeSet::new(),
        };
        Self { at, about, exercised: false, unpassed }
    }

    fn add_calls(&mut self, recorded: &RecordedEvidence) {
        let About::Calls { tool, .. } = &self.about else { return };
        let calls = recorded.runs.iter().flat_map(|run| &run.trace.calls);
        for call in calls.filter(|call| tool.matches(call)) {
            self.exercised = true;
            for argument in list_passed_arguments(call) {
                self.unpassed.remove(argument.as_str());
            }
        }
    }

    fn into_remark(self, check: &str) -> Option<LintRemark> {
        let (lint, message, help) = match self.about {
            About::Rule(_) if self.exercised => return None,
            About::Rule(label) => (
                "unexercised_rule",
                format!("no passing case exercises `{label}` of `{check}`"),
                "record a run that does, or remove the rule",
            ),
            About::Calls { tool, .. } if !self.exercised => (
                "uncalled_tool",
                format!("`{check}` has a schema for `{tool}`, but no trace calls it"),
                "record a run that does, or remove the schema",
            ),
            About::Calls { .. } if self.unpassed.is_empty() => return None,
            About::Calls { tool, .. } => (
                "unpassed_argument",
                format!(
                    "no trace passes {} to `{tool}`, which `{check}` constrains",
                    quote_names(&self.unpassed)
                ),
                "record a run that does, or remove the constraint",
            ),
        };
        Some(LintRemark { lint, at: self.at, message, help })
    }
}

fn list_passed_arguments(call: &Call) -> impl Iterator<Item = &JsonText<'static>> {
    call.arguments.json().and_then(Json::as_object).into_iter().flat_map(JsonMap::keys)
}

/// Whether the rule `label` was exercised in a case that passes.
fn is_exercised(expectation: &Expectation, label: &str, verdict: &Verdict) -> bool {
    let at = expectation.place.locate();
    // A finding has no link to its expectation; a check at a place is one expectation.
    let own =
        verdict.findings.iter().filter(|finding| finding.check == expectation.check && finding.at == at);
    let mut rule = own.flat_map(|finding| &finding.items).filter(|item| item.label == label);
    verdict.passed && rule.any(|item| matches!(item.state, State::Held | State::Violated))
}
