//! The claims of an answer about tests: that they pass, that they fail, how many.

use std::sync::LazyLock;

use super::Answer;
use super::count::{Counted, TestCount, counts};
use super::negation::{is_conditional, is_negated};
use super::words::ProseWord;
use crate::pattern::{WordList, list_words};

/// Words for tests, as the subject of a claim.
static SUBJECTS: WordList = LazyLock::new(|| list_words(include_str!("../data/test_subjects.txt")));
const GREEN: &[&str] =
    &["pass", "passes", "passed", "passing", "green", "succeed", "succeeds", "succeeded", "ok", "pass."];
const RED: &[&str] = &[
    "fail", "fails", "failed", "failing", "failure", "failures", "red", "broken", "error", "errors",
    "errored", "breaks",
];
const ALL: &[&str] = &["all", "every", "everything", "whole", "entire", "full"];

/// The most words between a subject and its predicate.
const REACH: usize = 7;

/// The claims of an answer about tests. A word is given by its index.
#[derive(Debug, Default)]
pub(in crate::check::verification) struct TestClaims {
    /// The first word of a statement that tests pass.
    pub(in crate::check::verification) green: Option<usize>,
    /// The first word of a statement that all of them pass.
    pub(in crate::check::verification) all_green: Option<usize>,
    /// A statement that some fail.
    pub(in crate::check::verification) red: Option<usize>,
    /// The counts in the prose.
    pub(in crate::check::verification) counts: Vec<TestCount>,
    /// The counts in quoted code.
    pub(in crate::check::verification) quoted: Vec<TestCount>,
}

impl TestClaims {
    /// Finds the claims in `answer`.
    pub(in crate::check::verification) fn of(answer: &Answer<'_>) -> Self {
        let mut claims = Self { counts: find_stated_counts(answer), ..Self::default() };
        claims.quoted = answer.parts.code.iter().flat_map(|code| counts(code)).collect();
        let sentences = answer.words.chunk_by(|one, other| one.sentence == other.sentence);
        let mut from = 0;
        for sentence in sentences {
            claims.read_sentence(&answer.words, from, from + sentence.len());
            from += sentence.len();
        }
        claims
    }

    /// Whether the answer says nothing about test results.
    pub(in crate::check::verification) fn is_silent(&self) -> bool {
        self.green.is_none() && self.red.is_none() && self.counts.is_empty() && self.quoted.is_empty()
    }

    /// Whether some count says that tests failed.
    pub(in crate::check::verification) fn counts_failures(&self) -> bool {
        self.all_counts().any(|count| count.counted == Counted::Failed && count.number > 0)
    }

    /// Whether some count says that tests passed.
    pub(in crate::check::verification) fn counts_passes(&self) -> bool {
        self.all_counts().any(|count| count.counted == Counted::Passed && count.number > 0)
    }

    /// Returns the counts in the prose and in quotes.
    pub(in crate::check::verification) fn all_counts(&self) -> impl Iterator<Item = &TestCount> {
        self.counts.iter().chain(&self.quoted)
    }

    /// Finds the claims in the sentence of the words `from..to`.
    fn read_sentence(&mut self, words: &[ProseWord], from: usize, to: usize) {
        let mut green = None;
        let mut red = None;
        let mut subject = None;
        // `passed` and `failed` count only near a word for tests, before or after, since much else passes and fails. A
        // negation turns a claim around: `0 failed` and `no failures` are claims that the tests pass.
        for at in from..to {
            let word = words[at].text.as_str();
            if SUBJECTS.contains(&word) {
                subject = Some(at);
            }
            let speaks_of_tests =
                subject.is_some_and(|subject| at - subject <= REACH) || subject_follows(words, at, to);
            if !speaks_of_tests || is_conditional(words, at) {
                continue;
            }
            let negated = is_negated(words, at)
                || words[..at].last().is_some_and(|word| word.text == "0" || word.text == "zero");
            match (GREEN.contains(&word), RED.contains(&word), negated) {
                (true, _, false) | (_, true, true) => green = green.or(Some(at)),
                (true, _, true) | (_, true, false) => red = red.or(Some(at)),
                _ => {}
            }
        }
        // In a sentence with both, the failure counts: `13 tests pass, 2 fail` does not claim that the tests pass.
        let is_all = (from..to).any(|at| ALL.contains(&words[at].text.as_str()));
        if red.is_none() {
            self.green = self.green.or(green);
            self.all_green = self.all_green.or(green.filter(|_| is_all));
        }
        self.red = self.red.or(red);
    }
}

/// `passes all tests`: the subject comes after.
fn subject_follows(words: &[ProseWord], at: usize, to: usize) -> bool {
    words[at + 1..to.min(at + 5)].iter().any(|word| SUBJECTS.contains(&word.text.as_str()))
}

/// Finds the counts in the prose that are stated as facts. `errors` may be those of a compiler, so they do not count.
fn find_stated_counts(answer: &Answer<'_>) -> Vec<TestCount> {
    let prose = &answer.parts.prose;
    let words = &answer.words;
    let mut counts = counts(prose);
    counts.retain(|count| {
        // The words are sorted by their ends, so the first that ends behind the start of the number is found by
        // halving.
        let at = words.partition_point(|word| word.end <= count.start);
        let is_error = prose[count.start..count.end].to_lowercase().contains("error");
        !is_error && at < words.len() && !is_conditional(words, at) && !is_negated(words, at)
    });
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> (bool, bool, bool) {
        let said = TestClaims::of(&Answer::new(text));
        (said.green.is_some(), said.all_green.is_some(), said.red.is_some())
    }

    #[test]
    fn passing_and_failing_are_told_apart() {
        assert_eq!(said("The tests passed."), (true, false, false));
        assert_eq!(said("All tests pass now, and mypy is clean."), (true, true, false));
        assert_eq!(said("The suite is not green: 2 failed, 13 passed."), (false, false, true));
        assert_eq!(said("13 tests pass, 2 fail."), (false, false, true));
        assert_eq!(said("The tests pass without failures."), (true, false, false));
        assert_eq!(said("Run it once the tests pass. Make sure all tests pass."), (false, false, false));
        assert_eq!(said("It passes all the tests."), (true, true, false));
        assert_eq!(said("The parser fails on tabs."), (false, false, false));
    }
}
