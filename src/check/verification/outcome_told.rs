//! How a test run ended, by its text and its code.

use std::collections::HashSet;

use super::answer::count::{Counted, counts};

/// How a test run ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TestOutcome {
    /// All tests passed, some failed, or it cannot be told.
    pub(super) is_green: Option<bool>,
    /// No test was run: nothing was selected.
    pub(super) is_empty: bool,
    /// The numbers of tests that passed or ran: each, and their sum.
    pub(super) passed: HashSet<u64>,
    /// The same of those that failed.
    pub(super) failed: HashSet<u64>,
    /// How many passed, and how many failed, in all.
    pub(super) sums: (u64, u64),
}

/// Marks of a run that failed, at the beginning of a line.
const RED: &[&str] = &[
    "FAIL",
    "--- FAIL",
    "not ok ",
    "BUILD FAILED",
    "BUILD FAILURE",
    "FAILURES!",
    "test result: FAILED",
    "E   ",
    "error: test failed",
    "Failed!",
];
/// Marks of a run that worked.
const GREEN: &[&str] = &[
    "ok  \t",
    "ok \t",
    "ok\t",
    "PASS",
    "test result: ok",
    "OK",
    "BUILD SUCCESS",
    "ok ",
    "Passed!",
    "** TEST SUCCEEDED",
];
/// Marks of a run without a test.
const EMPTY: &[&str] = &[
    "no tests ran",
    "no tests found",
    "no test files",
    "collected 0 items",
    "no tests to run",
    "no test specified",
    "ran 0 tests",
];

/// How the run with `text` ended; `code` is its own exit code, where that is known.
pub(super) fn told(text: &str, code: Option<i64>) -> TestOutcome {
    let mut told = TestOutcome::default();
    let (mut is_counted, mut ran) = (false, 0);
    for count in counts(text) {
        is_counted = true;
        match count.counted {
            Counted::Passed => add(&mut told.sums.0, count.number),
            Counted::Failed => add(&mut told.sums.1, count.number),
            Counted::Run => add(&mut ran, count.number),
        }
        let numbers = if count.counted == Counted::Failed { &mut told.failed } else { &mut told.passed };
        numbers.insert(count.number);
    }
    let summaries = summaries(text);
    for number in &summaries {
        add(&mut ran, *number);
    }
    told.passed.extend(summaries);
    told.passed.insert(told.sums.0);
    told.failed.insert(told.sums.1);
    let has = |marks: &[&str]| {
        text.lines().any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark)))
    };
    let some_ran = told.sums.0 > 0 || ran > 0;
    let (red, green) = (has(RED) || told.sums.1 > 0, has(GREEN) || some_ran);
    let lower = text.to_lowercase();
    let says_empty = EMPTY.iter().any(|mark| lower.contains(mark));
    told.is_empty = !red && !some_ran && (says_empty || is_counted) && !has(&["ok  \t", "ok \t", "PASS"]);
    told.is_green = match code {
        _ if red => Some(false),
        Some(code) if code != 0 => Some(false),
        Some(_) => Some(true),
        None => green.then_some(true),
    };
    told
}

/// A text may name any number.
fn add(sum: &mut u64, number: u64) {
    *sum = sum.saturating_add(number);
}

/// Numbers in summaries that name no result: `Ran 15 tests`, `OK (15 tests, ...)`, `15 tests, 0 failures`.
fn summaries(text: &str) -> Vec<u64> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let pairs = words
        .windows(2)
        .filter(|pair| matches!(pair[1], "tests" | "test" | "runs" | "specs" | "total" | "examples"));
    pairs.filter_map(|pair| pair[0].parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_are_understood() {
        for (text, code, green) in [
            ("15 passed in 0.31s", None, Some(true)),
            ("4 failed, 11 passed", Some(0), Some(false)),
            ("test result: ok. 3 passed; 0 failed; 0 ignored", None, Some(true)),
            ("ok  \texample.org/p\t0.41s", None, Some(true)),
            ("--- FAIL: TestX (0.00s)\nFAIL\texample.org/p", None, Some(false)),
            ("Ran 15 tests in 0.1s\n\nOK", None, Some(true)),
            ("FAILED (failures=2)", None, Some(false)),
            ("Tests: 1 failed, 14 passed, 15 total", None, Some(false)),
            ("Tests run: 15, Failures: 0, Errors: 0", Some(0), Some(true)),
            ("15 examples, 1 failure", None, Some(false)),
            ("nothing that is known", Some(0), Some(true)),
            ("nothing that is known", None, None),
            ("nothing that is known", Some(1), Some(false)),
            ("1..2\nok 1 - a\nnot ok 2 - b", None, Some(false)),
        ] {
            assert_eq!(told(text, code).is_green, green, "{text}");
        }
    }

    #[test]
    fn a_run_of_no_test_is_none() {
        for text in [
            "collected 0 items\n\nno tests ran in 0.01s",
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed",
        ] {
            assert!(told(text, Some(0)).is_empty, "{text}");
        }
        assert!(!told("ok  \tp\t0.4s\n?   \tq\t[no test files]", Some(0)).is_empty);
        assert!(!told("", Some(0)).is_empty);
    }
}
