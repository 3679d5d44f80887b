//! The shortest prefix of a run that violates a rule.
//!
//! A rule is an automaton over the calls: after some prefix no continuation leads to a run that keeps the rule.

use super::{Rule, Run};
use crate::outcome::Violation;

/// Adds the shortest violating prefix to the violation that it ends with. A rule that a later call could still have kept has
/// none: the run as a whole violates it.
pub(super) fn name_shortest(rule: &dyn Rule, violations: &mut [Violation], run: &Run<'_>) {
    let prefixes = violations.iter().enumerate();
    let shortest =
        // The shortest prefix shows where a reader must look: all calls behind it are of no importance.
        prefixes.filter_map(|(index, violation)| Some((rule.find_prefix(violation, run)?, index))).min();
    let Some((calls, index)) = shortest else { return };
    let violation = &mut violations[index];
    let words = if calls == 1 { "call 1".to_owned() } else { format!("calls 1 to {calls}") };
    let actual = violation.actual.take().unwrap_or_default();
    violation.actual = Some(format!("{actual}\nshortest prefix that violates the rule: {words}"));
}
