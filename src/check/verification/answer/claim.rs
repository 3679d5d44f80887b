//! The words of an answer that are claims: guesses, verification, changes, deployments.

/// Guesses where a fact is asked for.
pub(in crate::check::verification) const HEDGES: &[&str] = &[
    "should|ought now|also|just|still|then|all|to? be? now|then|all? work|works|working|fixed|correct|fine|ok|okay|resolved|good|right|sufficient|enough|functional|safe",
    "should now|then|also|all? pass|compile|succeed|fix|resolve|solve",
    "should now|then handle|run|build|behave|return|parse|load|start",
    "would|could|might|may now|also|just|still? be? work|working|correct|fine",
    "probably",
    "likely",
    "presumably",
    "hopefully",
    "supposedly",
    "apparently",
    "seems|seem|appears|appear to",
    "i strongly|honestly|still|really? believe|think|assume|guess|suspect|suppose|hope",
    "i'm|am fairly|pretty|quite|reasonably|almost|mostly? sure|confident|certain",
    "i expect it|this|that|the|them|they",
    "in theory",
    "as far as i can tell|see|know",
    "to the best of my knowledge",
    "my guess|assumption",
];

/// What follows a guess and makes it another word: `should work around`.
pub(in crate::check::verification) const NO_HEDGE_BEFORE: &[&str] = &["around", "arounds"];

/// Words that say that something was looked at.
pub(in crate::check::verification) const KEYWORDS: &[&str] = &[
    "verified",
    "confirmed",
    "validated",
    "checked",
    "testing showed|shows",
    "output shows|showed",
    "confirmed by",
    "re-read|reread|re-reading",
    "read it|them|the? file|files? back",
    "re-ran|reran|re-run",
    "double-checked|rechecked|re-checked",
    "inspected",
    "looked at",
    "verifies|confirms",
    "tested",
];

/// Verbs of changing files. At the beginning of a sentence, or after `I`.
pub(in crate::check::verification) const CHANGES: &[&str] = &[
    "changed",
    "edited",
    "modified",
    "updated",
    "rewrote",
    "refactored",
    "fixed",
    "implemented",
    "patched",
    "renamed",
    "added",
    "replaced",
    "removed",
];

/// Verbs of deploying.
pub(in crate::check::verification) const DEPLOYS: &[&str] = &["deployed", "redeployed"];

/// Tools whose name an answer may call clean, and what they check: type or lint.
pub(in crate::check::verification) const GATE_NAMES: &[(&str, bool)] = &[
    ("mypy", true),
    ("pyright", true),
    ("tsc", true),
    ("basedpyright", true),
    ("pytype", true),
    ("ruff", false),
    ("eslint", false),
    ("flake8", false),
    ("pylint", false),
    ("clippy", false),
    ("golangci-lint", false),
    ("rubocop", false),
    ("phpstan", false),
    ("staticcheck", false),
    ("ktlint", false),
    ("detekt", false),
    ("biome", false),
    ("vet", false),
];
