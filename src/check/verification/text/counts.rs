//! Counts what the rules of the text profile look for, by the regular expressions of the original metric.
//!
//! Each search takes time linear in the answer. Three things differ from Python's engine:
//!
//! - Python's `\s` contains four more control characters. In a rule, `S` stands for that class.
//! - `\b` is tested beside the match: a Unicode `\b` makes the search of a text that is not ASCII many times slower.
//! - Letters are folded before the search, as Python's `IGNORECASE` does: rules of plain letters are found many times faster.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Match, Regex};

/// Words of verification. The metric looks for them in the lowered text, which folds fewer letters than `(?i)` does.
const KEYWORDS: &[&str] =
    &["verified", "confirmed", "validated", "checked", "testing showed", "output shows", "confirmed by"];

/// A rule of the metric. Its number is its place in [`EXPRESSIONS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextRule {
    Edit,
    /// Spans from an edit, or a part of the word, to a `read`.
    Read,
    Deploy,
    /// Spans on one line that look like a health check.
    Health,
    Line,
    Snippet,
    Output,
    /// An unsubstantiated claim.
    Claim,
    Change,
    TestCommand,
    TestResult,
    TypeCheck,
    Lint,
    Coverage,
}

const EXPRESSIONS: [(TextRule, &str); 14] = [
    (TextRule::Edit, "edit|write"),
    (TextRule::Read, r"(?s)(?:edit|write).*?read"),
    (TextRule::Deploy, "deploy|start|launch"),
    (TextRule::Health, "(?:health|status|verify|check).*?(?:check|endpoint|healthy|running)"),
    (TextRule::Line, r"lineS+\d"),
    (TextRule::Snippet, r"(?s)```[\p{Alphabetic}\p{N}_]*\n.*?\n```"),
    (TextRule::Output, "(?:output|result|response):S*[`\"'].*?[`\"']"),
    (
        TextRule::Claim,
        "probably|likely|seems to|(?:should|would|could)S+work|iS+(?:believe|think|assume)\
         |(?:should|would|could) beS+(?:correct|working|fine)",
    ),
    (TextRule::Change, "implement|fix|refactor|edit|write"),
    // `cargo test` ends with `go test`.
    (TextRule::TestCommand, "pytest|npm test|go test|mvn test"),
    (TextRule::TestResult, r"\dS+(?:passed|failed)|all tests pass"),
    (TextRule::TypeCheck, "mypy|pyright|tsc|flow"),
    (TextRule::Lint, "ruff|eslint|pylint|flake8"),
    (TextRule::Coverage, "coverage|--cov"),
];

static COMPILED: LazyLock<Vec<Option<Regex>>> =
    LazyLock::new(|| EXPRESSIONS.iter().map(|(_, expression)| compile_rule(expression).ok()).collect());

/// An answer that the rules are applied to.
pub(super) struct RuledText {
    folded: String,
    lowered: String,
}

impl RuledText {
    pub(super) fn new(answer: &str) -> Self {
        Self { folded: fold_letters(answer), lowered: answer.to_lowercase() }
    }

    fn find(&self, rule: TextRule) -> impl Iterator<Item = Match<'_>> {
        COMPILED[rule as usize].iter().flat_map(|regex| regex.find_iter(&self.folded))
    }

    /// Finds the matches of a rule with no word character beside them.
    fn find_words(&self, rule: TextRule) -> impl Iterator<Item = Match<'_>> {
        self.find(rule).filter(|found| {
            let before = self.folded[..found.start()].chars().next_back();
            let after = self.folded[found.end()..].chars().next();
            ![before, after].into_iter().flatten().any(|c| c.is_alphanumeric() || c == '_')
        })
    }

    pub(super) fn has(&self, rule: TextRule) -> bool {
        self.find(rule).next().is_some()
    }

    pub(super) fn has_word(&self, rule: TextRule) -> bool {
        self.find_words(rule).next().is_some()
    }

    pub(super) fn count(&self, rule: TextRule) -> usize {
        self.find(rule).count()
    }

    pub(super) fn count_words(&self, rule: TextRule) -> usize {
        self.find_words(rule).count()
    }

    /// Counts the distinct words of verification.
    pub(super) fn count_keywords(&self) -> usize {
        KEYWORDS.iter().filter(|word| self.lowered.contains(**word)).count()
    }

    /// Returns the range of the first unsubstantiated claim, in characters.
    pub(super) fn find_claim(&self) -> Option<Range<usize>> {
        let found = self.find(TextRule::Claim).next()?;
        let start = self.folded[..found.start()].chars().count();
        Some(start..start + found.as_str().chars().count())
    }
}

/// Replaces each letter that Python's `IGNORECASE` takes for a letter from `a` to `z`: as many characters, though fewer bytes.
fn fold_letters(text: &str) -> String {
    let folded = text.to_ascii_lowercase();
    if folded.is_ascii() {
        return folded;
    }
    folded.chars().map(fold_special_letter).collect()
}

fn fold_special_letter(letter: char) -> char {
    match letter {
        'İ' | 'ı' => 'i',
        // The sign of the unit Kelvin.
        '\u{212a}' => 'k',
        'ſ' => 's',
        other => other,
    }
}

/// Compiles a rule; `S` is a blank.
fn compile_rule(rule: &str) -> Result<Regex, regex::Error> {
    Regex::new(&rule.replace('S', r"[\s\x1c-\x1f]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles_and_has_its_number() {
        for (index, (rule, _)) in EXPRESSIONS.iter().enumerate() {
            assert!(*rule as usize == index && COMPILED[index].is_some(), "{rule:?}");
        }
    }

    #[test]
    fn letters_blanks_and_digits_are_those_of_python() {
        let text = RuledText::new("Edıt\u{1c}Wrİte ſtart line\u{a0}٤ 3\u{1f}paſſed");
        assert_eq!((text.count_words(TextRule::Edit), text.count_words(TextRule::Deploy)), (2, 1));
        assert!(text.has(TextRule::Line) && text.has(TextRule::TestResult));
        assert_eq!(RuledText::new("veriſied").count_keywords(), 0);
    }

    #[test]
    fn a_health_check_stands_on_one_line() {
        let text = RuledText::new("health check, status running\nverify\nendpoint");
        assert_eq!(text.count(TextRule::Health), 2);
    }
}
