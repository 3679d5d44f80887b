//! Test execution: a run after the last change of code, and an answer that reports its outcome.

use super::super::breakdown::{Breakdown, Lost, TESTS};
use super::super::run_facts::TestRun;
use super::{JudgedRun, lost};

const HALF: f64 = 0.5;

pub(super) fn judge(run: &JudgedRun<'_>, misreports: bool, found: &mut Breakdown) -> f64 {
    let Some((_, last_edit)) = run.facts.code_edits else {
        found.part("tests", None);
        return hidden_failure(run, misreports, found);
    };
    let Some(last) = run.facts.tests.iter().rev().find(|test| test.at > last_edit) else {
        found.keep("tests run after the last change", false);
        found.lost.push(no_run(run));
        return 0.0;
    };
    found.keep("tests run after the last change", true);
    let missing = find_unreported(run, last, misreports);
    found.keep("its outcome is told", missing.is_none());
    let kept = if missing.is_some() { HALF } else { 1.0 };
    found.lost.extend(missing);
    kept
}

/// No code was changed, so no test was asked for; but one that failed must not be kept quiet.
fn hidden_failure(run: &JudgedRun<'_>, misreports: bool, found: &mut Breakdown) -> f64 {
    let hidden = run.facts.tests.last().and_then(|last| find_unreported(run, last, misreports));
    match hidden.filter(|lost| lost.is_claim && !run.test_claims.is_silent()) {
        Some(lost) => {
            found.lost.push(lost);
            HALF
        }
        None => 1.0,
    }
}

fn no_run(run: &JudgedRun<'_>) -> Lost {
    let edit = run.facts.edits().filter(|edit| edit.is_code).map(|edit| edit.call).max();
    let stale = if run.facts.tests.is_empty() { "" } else { "; the run before it is stale" };
    let why = format!("no test was run after the last change of code{stale}");
    Lost {
        call: edit.and_then(|edit| run.describe_call(edit)),
        ..lost(TESTS, why, "run the tests after the last edit")
    }
}

/// Returns why the answer does not report the outcome of `last`, if it does not.
fn find_unreported(run: &JudgedRun<'_>, last: &TestRun, misreports: bool) -> Option<Lost> {
    let said = &run.test_claims;
    let number = last.call + 1;
    let says_red = said.red.is_some() || said.counts_failures();
    let says_green = said.green.is_some() || said.counts_passes();
    let (why, is_claim) = match last.outcome.is_green {
        None => (format!("how the test run of call {number} ended cannot be told"), false),
        Some(false) if !says_red => {
            (format!("the test run of call {number} failed, and the answer does not say so"), true)
        }
        Some(true) if !says_green => {
            (format!("the answer does not say how the test run of call {number} ended"), false)
        }
        _ if misreports => (format!("the answer misreports the test run of call {number}"), false),
        _ => return None,
    };
    let help = "say how many tests passed and how many failed, as the last run shows it";
    Some(Lost { call: run.describe_call(last.call), is_claim, ..lost(TESTS * HALF, why, help) })
}
