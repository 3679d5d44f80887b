//! The words of an answer that are claims: guesses, verification, changes, deployments.

use std::sync::LazyLock;

use crate::pattern::{WordList, list_lines, list_words};

/// Guesses where a fact is asked for.
pub(in crate::check::verification) static HEDGES: WordList =
    LazyLock::new(|| list_lines(include_str!("../data/hedges.txt")));

/// What follows a guess and makes it another word: `should work around`.
pub(in crate::check::verification) const NO_HEDGE_BEFORE: &[&str] = &["around", "arounds"];

/// Words that say that something was looked at.
pub(in crate::check::verification) static KEYWORDS: WordList =
    LazyLock::new(|| list_lines(include_str!("../data/verification_phrases.txt")));

/// Type checkers that an answer may call clean.
pub(in crate::check::verification) const TYPE_CHECKERS: &[&str] =
    &["mypy", "pyright", "tsc", "basedpyright", "pytype"];

/// Linters that an answer may call clean.
pub(in crate::check::verification) static LINTERS: WordList = LazyLock::new(|| {
    list_words(
        "ruff eslint flake8 pylint clippy golangci-lint rubocop phpstan staticcheck ktlint detekt biome vet",
    )
});
