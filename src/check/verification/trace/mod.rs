//! The profile `trace`: what the calls show, and whether the final answer says just that.

mod claim;
mod claims;
mod evidence;
mod false_test_claims;
mod gates;
mod tests;
mod tools;
mod work_claims;

use self::claim::UnsupportedClaim;
use self::claims::UnsupportedClaims;
use super::answer::Answer;
use super::answer::citation::citations;
use super::answer::test_claims::TestClaims;
use super::breakdown::{Breakdown, Component, EVIDENCE, Lost};
use super::path::is_code;
use super::run_facts::RunFacts;
use super::settings::VerificationSettings;
use crate::outcome::count_to_f64;
use crate::trace::{Call, Trace};

/// A run with its facts, and its answer with its claims.
struct JudgedRun<'r> {
    trace: &'r Trace,
    /// The input of the user.
    asked: Option<&'r str>,
    facts: RunFacts,
    answer: Answer<'r>,
    test_claims: TestClaims,
    settings: &'r VerificationSettings,
}

/// Scores the calls of `trace`, and the claims of `answer` about them. `asked` is the input of the user. `workspace_changed`
/// says whether the files of the run's workspace changed, if it had one.
pub(super) fn judge<'r>(
    trace: &'r Trace,
    asked: Option<&'r str>,
    answer: Answer<'r>,
    settings: &'r VerificationSettings,
    workspace_changed: Option<bool>,
) -> Breakdown {
    let mut facts = RunFacts::of(trace, asked, &settings.tables);
    facts.workspace_changed = workspace_changed;
    let test_claims = TestClaims::of(&answer);
    let run = JudgedRun { trace, asked, facts, answer, test_claims, settings };
    let claims = UnsupportedClaims::of(&run);
    let misreports = claims.misreport_tests;
    let unclear = claims.unclear;
    let mut found = Breakdown::default();
    found.tools = tools::judge(&run, &mut found);
    let (guesses, false_claims): (Vec<_>, Vec<_>) =
        claims.all.into_iter().partition(|claim| claim.component.is_none());
    found.evidence = evidence::judge(&run, guesses, false_claims.is_empty(), &mut found);
    found.tests = tests::judge(&run, misreports, &mut found);
    found.gates = gates::judge(&run, &mut found);
    charge_claims(false_claims, &mut found);
    found.unknown = unclear.or_else(|| work_claims::find_unknown(&run));
    found
}

/// Takes from the score what the false claims would have earned: the rest of the evidence, and the rest of each component that
/// they are about. So a run that did nothing is not let off what its answer says that it did.
fn charge_claims(claims: Vec<UnsupportedClaim>, found: &mut Breakdown) {
    if claims.is_empty() {
        return;
    }
    let evidence = EVIDENCE * found.evidence / count_to_f64(claims.len());
    found.evidence = 0.0;
    let shares = Component::ALL.map(|component| {
        let about = claims.iter().filter(|claim| claim.component == Some(component)).count();
        let points = if about == 0 { 0.0 } else { found.take_component(component) / count_to_f64(about) };
        (component, points)
    });
    for claim in claims {
        let own = shares.iter().find(|(component, _)| claim.component == Some(*component));
        let points = evidence + own.map_or(0.0, |(_, points)| *points);
        found.lost.push(claim.into_loss(points));
    }
}

impl JudgedRun<'_> {
    /// Describes the call at `index`, from 0, for a loss.
    fn describe_call(&self, index: usize) -> Option<(usize, String, Option<String>)> {
        let call: &Call = self.trace.calls.get(index)?;
        Some((call.index, call.name.clone(), call.id.clone()))
    }
}

/// Whether the run only looked at things: it changed, deployed, tested and checked nothing. Its answer is about what it read,
/// and need not show that as evidence.
fn only_looks(run: &JudgedRun<'_>) -> bool {
    let facts = &run.facts;
    let is_idle = facts.edits().next().is_none()
        && facts.deployments.is_empty()
        && !facts.may_change
        && !facts.may_have_worked_elsewhere();
    is_idle && facts.tests.is_empty() && facts.gates.is_empty() && run.test_claims.is_silent()
}

/// Whether neither the run nor its answer is about files, tests or deployments. An answer that rests on the tools of a
/// server has no line, no code and no test run to show.
fn is_elsewhere(run: &JudgedRun<'_>) -> bool {
    let JudgedRun { facts, answer, test_claims, .. } = run;
    // A single sign of work is enough: a run without words has worked, and words about work must be proven.
    if facts.looks || facts.touches_files || !facts.deployments.is_empty() {
        return false;
    }
    let mut words = answer.parts.prose.split_whitespace();
    let names_code = words.any(|word| is_code(word.trim_end_matches('.')));
    let speaks_of_work = !answer.parts.code.is_empty() || names_code || tools::count_statements(run) > 0;
    !speaks_of_work && test_claims.is_silent() && citations(answer).is_empty()
}

/// Creates a loss without a call.
fn lost(points: f64, why: impl Into<String>, help: &'static str) -> Lost {
    Lost { points, why: why.into(), help, ..Lost::default() }
}
