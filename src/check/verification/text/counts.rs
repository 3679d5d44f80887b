//! Counts what the rules of the text profile look for, by the regular expressions of the original metric.
//!
//! Each search takes time linear in the answer. Three things differ from Python's engine:
//!
//! - Python's `\s` contains four more control characters. In a rule, `S` stands for that class.
//! - `\b` is tested beside the match: a Unicode `\b` makes the search of a text that is not ASCII many times slower.
//! - Python's `IGNORECASE` takes `İ` and `ı` for an `i`, so they are replaced before the search.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Match, Regex};

/// What is in an answer.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word that is there or not")]
pub(super) struct AnswerCounts {
    /// The words `edit` and `write`.
    pub(super) edits: usize,
    /// Spans from such a word, or a part of one, to a `read`.
    pub(super) reads: usize,
    /// The words `deploy`, `start` and `launch`.
    pub(super) deploys: usize,
    /// Spans on one line that look like a health check.
    pub(super) health: usize,
    /// Distinct keywords.
    pub(super) keywords: usize,
    /// Whether a line number is named.
    pub(super) line: bool,
    /// Whether there is a fenced snippet.
    pub(super) snippet: bool,
    /// Whether output is quoted.
    pub(super) output: bool,
    /// The first unsubstantiated claim: its range in characters.
    pub(super) claim: Option<Range<usize>>,
    /// Whether code was changed.
    pub(super) changed: bool,
    /// Whether a test command is named.
    pub(super) test_command: bool,
    /// Whether a test result is given.
    pub(super) test_result: bool,
    /// Whether a type checker is named.
    pub(super) type_check: bool,
    /// Whether a linter is named.
    pub(super) lint: bool,
    /// Whether coverage is named.
    pub(super) coverage: bool,
}

/// Words of verification. The metric looks for them in the lowered text, which folds fewer letters than `(?i)` does.
const KEYWORDS: &[&str] =
    &["verified", "confirmed", "validated", "checked", "testing showed", "output shows", "confirmed by"];

struct TextRules {
    edit: Regex,
    read: Regex,
    deploy: Regex,
    health: Regex,
    line: Regex,
    snippet: Regex,
    output: Regex,
    claim: Regex,
    change: Regex,
    test_command: Regex,
    test_result: Regex,
    type_check: Regex,
    lint: Regex,
    coverage: Regex,
}

static RULES: LazyLock<Option<TextRules>> = LazyLock::new(|| TextRules::compile().ok());

/// Counts what is in `text`.
pub(super) fn count(text: &str) -> AnswerCounts {
    RULES.as_ref().map(|rules| rules.count(text)).unwrap_or_default()
}

impl TextRules {
    fn compile() -> Result<Self, regex::Error> {
        Ok(Self {
            edit: compile("edit|write")?,
            read: compile(r"(?s)(?:edit|write).*?read")?,
            deploy: compile("deploy|start|launch")?,
            health: compile("(?:health|status|verify|check).*?(?:check|endpoint|healthy|running)")?,
            line: compile(r"lineS+\d")?,
            snippet: compile(r"(?s)```[\p{Alphabetic}\p{N}_]*\n.*?\n```")?,
            output: compile("(?:output|result|response):S*[`\"'].*?[`\"']")?,
            claim: compile(
                "probably|likely|seems to|(?:should|would|could)S+work|iS+(?:believe|think|assume)\
                 |(?:should|would|could) beS+(?:correct|working|fine)",
            )?,
            change: compile("implement|fix|refactor|edit|write")?,
            // `cargo test` ends with `go test`.
            test_command: compile("pytest|npm test|go test|mvn test")?,
            test_result: compile(r"\dS+(?:passed|failed)|all tests pass")?,
            type_check: compile("mypy|pyright|tsc|flow")?,
            lint: compile("ruff|eslint|pylint|flake8")?,
            coverage: compile("coverage|--cov")?,
        })
    }

    fn count(&self, text: &str) -> AnswerCounts {
        let lowered = text.to_lowercase();
        let text: &str = &replace_dotted_letters(text);
        AnswerCounts {
            edits: find_whole_words(&self.edit, text).count(),
            reads: self.read.find_iter(text).count(),
            deploys: find_whole_words(&self.deploy, text).count(),
            health: self.health.find_iter(text).count(),
            keywords: KEYWORDS.iter().filter(|word| lowered.contains(**word)).count(),
            line: self.line.is_match(text),
            snippet: self.snippet.is_match(text),
            output: self.output.is_match(text),
            claim: self.claim.find(text).map(|found| count_characters(text, found)),
            changed: find_whole_words(&self.change, text).next().is_some(),
            test_command: self.test_command.is_match(text),
            test_result: self.test_result.is_match(text),
            type_check: self.type_check.is_match(text),
            lint: self.lint.is_match(text),
            coverage: self.coverage.is_match(text),
        }
    }
}

/// Replaces `İ` and `ı` by `i`: as many characters, though fewer bytes.
fn replace_dotted_letters(text: &str) -> Cow<'_, str> {
    let letters = ['İ', 'ı'];
    if text.contains(letters) { text.replace(letters, "i").into() } else { text.into() }
}

/// Returns the range of `found` in `text`, in characters.
fn count_characters(text: &str, found: Match<'_>) -> Range<usize> {
    let start = text[..found.start()].chars().count();
    start..start + found.as_str().chars().count()
}

/// Finds the matches of `words` with no word character beside them.
fn find_whole_words<'t>(words: &'t Regex, text: &'t str) -> impl Iterator<Item = Match<'t>> {
    words.find_iter(text).filter(|found| {
        let before = text[..found.start()].chars().next_back();
        let after = text[found.end()..].chars().next();
        ![before, after].into_iter().flatten().any(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Compiles a rule, in any case; `S` is a blank.
fn compile(rule: &str) -> Result<Regex, regex::Error> {
    Regex::new(&format!("(?i){}", rule.replace('S', r"[\s\x1c-\x1f]")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        assert!(TextRules::compile().is_ok());
    }

    #[test]
    fn letters_blanks_and_digits_are_those_of_python() {
        let counts = count("Edıt\u{1c}Wrİte ſtart line\u{a0}٤ 3\u{1f}paſſed");
        assert_eq!((counts.edits, counts.deploys), (2, 1));
        assert!(counts.line && counts.test_result);
        assert_eq!(count("veriſied").keywords, 0);
    }

    #[test]
    fn a_health_check_stands_on_one_line() {
        assert_eq!(count("health check, status running\nverify\nendpoint").health, 2);
    }
}
