//! `not_regex`: a pattern does not match the final answer.
//!
//! <!-- settings -->
//!
//! `pattern` and `flags` are those of [`regex`](regex.md): a JavaScript regular expression, unanchored, ignoring
//! case unless `flags` says otherwise. If matching is too expensive, the check is an error, never a pass. A pattern
//! that provably matches no text, such as `$a`, is a mistake in the file. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/not_regex/fail-a-price.yaml")]
//! ```

use crate::check::CheckKind;
use crate::check::support::answer::{beginning, excerpt, position};
use crate::check::support::js_pattern::{PatternRule, PatternSettings};
use crate::outcome::Violation;
use crate::pattern::{JsRegex, StepsExhausted};

pub(crate) const KIND: CheckKind = CheckKind::with::<PatternSettings>(
    "not_regex",
    "a pattern does not match the final answer",
    |node, _| node.decode_all::<PatternSettings>()?.build_check(&RULE),
)
.shorthand("pattern")
.without_calls();

const RULE: PatternRule = PatternRule {
    judge: find_violation,
    find_counterexample: JsRegex::find_matching_text,
    is_vacuous: JsRegex::matches_nothing,
    keeps_violations: true,
};

fn find_violation(pattern: &JsRegex, answer: &str) -> Result<Option<Violation>, StepsExhausted> {
    if !pattern.is_match(answer)? {
        return Ok(None);
    }
    Ok(Some(describe_match(pattern, answer, &pattern.extract_value(answer)?.unwrap_or_default())))
}

/// The match may be a part of what is found, or nothing at all: then the answer is shown from its beginning.
fn describe_match(pattern: &JsRegex, answer: &str, found: &str) -> Violation {
    let at = answer.find(found).filter(|_| !found.is_empty());
    let place = at.map_or_else(String::new, |at| format!(", at {}", position(answer, at)));
    let actual = at.map_or_else(|| beginning(answer), |at| excerpt(answer, at..at + found.len()));
    Violation::new(format!("the answer matches `{}`{place}", pattern.as_str()))
        .at("/pattern")
        .expected(format!("an answer in which {pattern} is not found"), actual)
        .help("keep the agent from saying it, or change the pattern")
}
