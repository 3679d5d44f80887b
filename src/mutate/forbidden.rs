//! The mutants of checks that forbid calls: a call of each tool that a check names and the run does not call.
//!
//! A check that forbids a tool notices no other change of the run. Whether it forbids the tool is answered by trying.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::change::{answer_added_call, insert_turn};
use super::mutant::{Mutant, MutantWords};
use crate::case::{Case, Expectation, MutationSort};
use crate::evidence::Evidence;
use crate::trace::{Call, Trace};

/// The largest number of forbidden tools of one check that are tried.
const MAX_TOOLS: usize = 20;

/// Derives the mutants in which a forbidden call comes last.
pub(super) fn derive_forbidden_calls(case: &Case, run: &Trace, words: &MutantWords<'_>) -> Vec<Mutant> {
    let mut mutants: Vec<Mutant> = Vec::new();
    for expectation in case.expectations.iter().filter(|expectation| expectation.turn.is_none()) {
        for call in list_forbidden_calls(case, expectation, run) {
            let at = run.calls.len();
            let name = call.name.clone();
            let change = format!("`{}`, which is forbidden, is called", words.masker.mask_text(name.clone()));
            let mutant = Mutant::new(MutationSort::ForbiddenCall, change, move |run| {
                insert_turn(run, at, call.clone());
            });
            let mutant = mutant.of_tool(&name);
            // Two checks may forbid the same tool: its mutant is made once.
            if mutants.iter().all(|known| known.id != mutant.id) {
                mutants.push(mutant);
            }
        }
    }
    mutants
}

fn list_forbidden_calls(case: &Case, expectation: &Expectation, run: &Trace) -> Vec<Call> {
    // A check that the run violates already, at the cost of points, cannot tell.
    if is_violated(case, expectation, run) {
        return Vec::new();
    }
    let tools = expectation.check().tools().into_iter();
    let absent = tools.filter(|tool| !run.calls.iter().any(|call| tool.may_match(call))).take(MAX_TOOLS);
    let calls = absent.filter_map(|tool| Some(answer_added_call(run, tool.example(1)?)));
    let with_call = |call: &Call| {
        let mut longer = run.clone();
        insert_turn(&mut longer, run.calls.len(), call.clone());
        longer
    };
    // A tool that a check names is not always forbidden. The check itself decides, on the run with the call.
    calls.filter(|call| is_violated(case, expectation, &with_call(call))).collect()
}

/// Whether the run violates the check. A check that panics says nothing.
fn is_violated(case: &Case, expectation: &Expectation, run: &Trace) -> bool {
    let evidence = Evidence::of(run).asked(case.prompt()).judged(&case.opinions);
    let outcome = catch_unwind(AssertUnwindSafe(|| expectation.check().check(&evidence)));
    outcome.is_ok_and(|outcome| outcome.is_ok_and(|outcome| !outcome.violations.is_empty()))
}
