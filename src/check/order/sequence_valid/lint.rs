//! Rules that contradict each other: one requires calls that another forbids.

use super::{Finding, LocatedRule, Run};
use crate::outcome::Violation;
use crate::place::{LoadError, LoadErrors};
use crate::trace::Call;
use crate::yaml::Node;

/// Finds each rule that another one makes impossible to keep. `nodes` are the places of the rules.
pub(super) fn refuse_contradictions(rules: &[LocatedRule], nodes: &[Node<'_>]) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    // A rule lists runs that keep a part of it. If another rule forbids each of these runs for good, no run can keep
    // both.
    for (requiring, node) in rules.iter().zip(nodes) {
        for (forbidding, other) in rules.iter().zip(nodes) {
            let required = requiring.rule.list_required();
            let impossible =
                required.into_iter().find(|runs| runs.iter().all(|run| forbids(forbidding, run)));
            if let Some(call) = impossible.as_ref().and_then(|runs| runs.first()?.first()) {
                errors.push(describe_contradiction(requiring, *node, forbidding, *other, call));
            }
        }
    }
    errors.or(())
}

/// Whether no run that contains these calls keeps the rule.
fn forbids(rule: &LocatedRule, calls: &[Call]) -> bool {
    let run = Run::of_calls(calls);
    match rule.rule.check(&run) {
        Finding::Violated { listed: violations, .. } => {
            rule.rule.stays_broken(&violations.iter().collect::<Vec<&Violation>>())
        }
        Finding::Held | Finding::NotExercised(_) => false,
    }
}

fn describe_contradiction(
    requiring: &LocatedRule,
    required_at: Node<'_>,
    forbidding: &LocatedRule,
    forbidden_at: Node<'_>,
    call: &Call,
) -> LoadError {
    let one = requiring.label();
    let problem = format!("{} forbids calls of `{}` that {one} requires", forbidding.label(), call.name);
    let place = required_at.place().locate();
    forbidden_at.error(problem).help(format!("{one} is at {place}: drop one of the two"))
}
