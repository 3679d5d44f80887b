//! The outcome of a test run, parsed from its output and its exit code.

use std::sync::LazyLock;

use crate::pattern::{WordList, list_lines};
use std::collections::HashSet;

use super::answer::count::{Counted, counts};

/// The outcome of a test run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TestOutcome {
    /// Whether all tests passed; `None` if the output does not say.
    pub(super) is_green: Option<bool>,
    /// Whether no test ran, because none was selected.
    pub(super) is_empty: bool,
    /// Each number of tests that passed or ran, and their sum.
    pub(super) passed: HashSet<u64>,
    /// Each number of tests that failed, and their sum.
    pub(super) failed: HashSet<u64>,
    /// The sums of passed and of failed tests.
    pub(super) sums: (u64, u64),
}

/// Marks of a failed run, at the beginning of a line.
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
/// Marks of a run that passed, at the beginning of a line.
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
/// Marks of packages with tests that passed, next to which other packages may have none.
const PASSED_PACKAGE: &[&str] = &["ok  \t", "ok \t", "PASS"];
/// Marks of a run without tests, anywhere in the output.
static EMPTY: WordList = LazyLock::new(|| list_lines(include_str!("data/marks_no_tests.txt")));

impl TestOutcome {
    /// Parses the output of a test run; `code` is its exit code, if it is known.
    pub(super) fn parse(text: &str, code: Option<i64>) -> Self {
        let mut outcome = Self::default();
        // Runners count what passed, what failed, or all that ran. Each number is one that an answer may repeat, and
        // so are the sums over several crates or packages.
        let mut is_counted = false;
        let mut ran = 0;
        for count in counts(text) {
            is_counted = true;
            match count.counted {
                Counted::Passed => add_number(&mut outcome.sums.0, count.number),
                Counted::Failed => add_number(&mut outcome.sums.1, count.number),
                Counted::Run => add_number(&mut ran, count.number),
            }
            let numbers =
                if count.counted == Counted::Failed { &mut outcome.failed } else { &mut outcome.passed };
            numbers.insert(count.number);
        }
        for number in find_summaries(text) {
            add_number(&mut ran, number);
            outcome.passed.insert(number);
        }
        outcome.passed.insert(outcome.sums.0);
        outcome.failed.insert(outcome.sums.1);
        outcome.decide(text, code, ran > 0, is_counted);
        outcome
    }

    /// Decides whether the run was green, and whether it ran any test, from the sums, the marks of the runner and the exit
    /// code. A mark of failure outweighs the exit code, which may be that of a pipe; green needs a count or a mark if there
    /// is no exit code.
    fn decide(&mut self, text: &str, code: Option<i64>, ran_some: bool, is_counted: bool) {
        let some_ran = self.sums.0 > 0 || ran_some;
        let red = has_mark(text, RED) || self.sums.1 > 0;
        let lower = text.to_lowercase();
        let says_empty = EMPTY.iter().any(|mark| lower.contains(mark));
        self.is_empty = !red && !some_ran && (says_empty || is_counted) && !has_mark(text, PASSED_PACKAGE);
        self.is_green = match code {
            _ if red => Some(false),
            Some(code) => Some(code == 0),
            None => (has_mark(text, GREEN) || some_ran).then_some(true),
        };
    }
}

/// Whether a line of `text` begins with one of `marks`.
fn has_mark(text: &str, marks: &[&str]) -> bool {
    text.lines().any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark)))
}

/// Adds without overflow, because a text may contain any number.
fn add_number(sum: &mut u64, number: u64) {
    *sum = sum.saturating_add(number);
}

/// Finds numbers in summaries that give no result: `Ran 15 tests`, `OK (15 tests, ...)`, `15 tests, 0 failures`.
fn find_summaries(text: &str) -> Vec<u64> {
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
    use crate::pattern::read_examples;

    #[test]
    fn runners_are_understood() {
        let outcomes = include_str!("data/test_outcome_examples.json");
        for (text, code, green) in read_examples::<(String, Option<i64>, Option<bool>)>(outcomes, "runners") {
            assert_eq!(TestOutcome::parse(&text, code).is_green, green, "{text}");
        }
    }

    #[test]
    fn a_run_of_no_test_is_none() {
        for text in [
            "collected 0 items\n\nno tests ran in 0.01s",
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed",
        ] {
            assert!(TestOutcome::parse(text, Some(0)).is_empty, "{text}");
        }
        assert!(!TestOutcome::parse("ok  \tp\t0.4s\n?   \tq\t[no test files]", Some(0)).is_empty);
        assert!(!TestOutcome::parse("", Some(0)).is_empty);
    }
}
