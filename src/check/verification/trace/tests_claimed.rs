//! Statements about tests that the runs do not bear out.

use std::collections::HashSet;

use super::super::answer::count::{Count, Counted};
use super::super::journal::TestRun;
use super::super::output::squeezed;
use super::Run;
use super::claims::{Claim, MOST};

/// The false statements.
pub(super) fn of(run: &Run<'_>) -> Vec<Claim> {
    let mut claims: Vec<Claim> = unseen_counts(run);
    claims.extend(unseen_quotes(run));
    if claims.is_empty() || !run.journal.tests.is_empty() {
        claims.extend(false_green(run));
    }
    claims
}

/// `15 passed`, which no run shows.
fn unseen_counts(run: &Run<'_>) -> Vec<Claim> {
    let (passed, failed) = (seen(run, Counted::Passed), seen(run, Counted::Failed));
    let unseen = |count: &&Count| match count.counted {
        Counted::Failed => count.number > 0 && !failed.contains(&count.number),
        _ => !passed.contains(&count.number) && count.number > 0,
    };
    let counts = run.said.counts.iter().filter(unseen).filter(|count| is_about_tests(run, count));
    counts
        .take(MOST)
        .map(|count| {
            let said =
                run.answer.text[count.start..count.end].split_whitespace().collect::<Vec<_>>().join(" ");
            let at = run.answer.words.partition_point(|word| word.end <= count.start);
            Claim::at(run, at, format!("the answer claims `{said}`, which no test run shows"))
        })
        .collect()
}

/// A count of checks that are no tests (`3 checks failed validation`) is not meant: some word of testing is near.
fn is_about_tests(run: &Run<'_>, count: &Count) -> bool {
    let said = run.answer.text[count.start..count.end].to_lowercase();
    let plain = said.split_whitespace().count() <= 2 || said.contains("test") || said.contains("spec");
    plain && (count.counted != Counted::Failed || !run.journal.tests.is_empty())
}

/// The numbers that runs show: each, their sums, and the sums over all of them.
fn seen(run: &Run<'_>, counted: Counted) -> HashSet<u64> {
    let numbers = |test: &TestRun| match counted {
        Counted::Failed => test.outcome.failed.clone(),
        _ => test.outcome.passed.clone(),
    };
    let sum =
        |test: &TestRun| if counted == Counted::Failed { test.outcome.sums.1 } else { test.outcome.sums.0 };
    let tests = &run.journal.tests;
    let mut seen: HashSet<u64> = tests.iter().flat_map(numbers).collect();
    seen.insert(tests.iter().map(sum).fold(0, u64::saturating_add));
    let after = run.journal.code_edits.map_or(0, |(_, last)| last);
    seen.insert(tests.iter().filter(|test| test.at > after).map(sum).fold(0, u64::saturating_add));
    seen
}

/// Quoted output with a count in it that is in no result.
fn unseen_quotes(run: &Run<'_>) -> Option<Claim> {
    let passed = seen(run, Counted::Passed);
    let quoted = run.answer.parts.code.iter().flat_map(|code| {
        let counts = super::super::answer::count::counts(code).into_iter();
        counts
            .filter(|count| count.counted == Counted::Passed && count.number > 0)
            .map(|count| (count, *code))
    });
    let is_seen = |count: &Count, code: &str| {
        let said = squeezed(&code[count.start..count.end]);
        passed.contains(&count.number)
            || run
                .journal
                .outputs
                .iter()
                .any(|output| output.squeezed.contains(&said) || output.given.contains(&said))
    };
    let (count, code) = quoted.take(50).find(|(count, code)| !is_seen(count, code))?;
    let said = code[count.start..count.end].to_owned();
    Some(Claim::quoted(format!("the answer quotes `{said}`, which is in no result"), said))
}

/// `all tests pass`, without a run, or after one that failed.
fn false_green(run: &Run<'_>) -> Option<Claim> {
    let said = &run.said;
    let Some(last) = run.journal.tests.last() else {
        let at = said.all_green.or(said.green)?;
        return Some(Claim::at(run, at, "the answer says that tests pass, and no test was run".to_owned()));
    };
    let hides = said.red.is_none() && !said.counts_failures();
    let at = said.all_green.or(said.green.filter(|_| hides))?;
    let number = last.call + 1;
    let claim =
        Claim::at(run, at, format!("the answer says that tests pass; the last run, call {number}, failed"));
    (last.outcome.is_green == Some(false)).then(|| Claim { call: run.named(last.call), ..claim })
}
