//! Secrets by the shapes that their makers gave them.

use super::{PersonalKind, PersonalRule};

pub(super) const RULES: &[PersonalRule] = &[
    secret_rule("a private key", r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"),
    secret_rule("a JSON web token", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    PersonalRule { confirm: Some(confirm_digit), ..secret_rule("an API key", r"sk-[A-Za-z0-9_-]{16,}") },
    secret_rule("a Stripe key", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    secret_rule("an AWS access key", r"(?:AKIA|ASIA)[A-Z0-9]{16}"),
    secret_rule("a GitHub token", r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
    secret_rule("a GitLab token", r"glpat-[A-Za-z0-9_-]{20,}"),
    secret_rule("a Slack token", r"xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    secret_rule("a Google API key", r"AIza[A-Za-z0-9_-]{30,}"),
    secret_rule("an npm token", r"npm_[A-Za-z0-9]{30,}"),
    secret_rule("a Hugging Face token", r"hf_[A-Za-z0-9]{30,}"),
];

/// No secret has fewer bytes: `xoxb-` and ten more.
pub(super) const MIN_SECRET_BYTES: usize = 15;

/// What every secret that the rules know begins with: most texts have none of it, and need no closer look.
pub(super) const PREFIXES: &[&str] = &[
    "-----BEGIN ",
    "eyJ",
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "rk_test_",
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxo-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "AIza",
    "npm_",
    "hf_",
];

const fn secret_rule(name: &'static str, pattern: &'static str) -> PersonalRule {
    PersonalRule { kind: PersonalKind::Secret, name, pattern, confirm: None, apart_from: "" }
}

/// `sk-` begins words of style sheets as well, but these have no digits.
fn confirm_digit(text: &str) -> Option<usize> {
    text.contains(|c: char| c.is_ascii_digit()).then_some(text.len())
}
