//! `regex`: a pattern matches the final answer.
//!
//! <!-- settings -->
//!
//! The pattern is a JavaScript regular expression, unanchored, ignoring case unless `flags` says otherwise: `flags:
//! ms` is case-sensitive. The literal form `/.../flags` and a leading `(?i)`, `(?m)`, `(?s)` are accepted. If
//! matching is too expensive, the check is an error, never a pass. A pattern that provably matches every text, such
//! as `.*`, is a mistake in the file. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/regex/fail-no-price.yaml")]
//! ```

use crate::check::CheckKind;
use crate::check::support::answer::beginning;
use crate::check::support::js_pattern::{PatternRule, PatternSettings, advise_on_pattern};
use crate::outcome::Violation;
use crate::pattern::JsRegex;

pub(crate) const KIND: CheckKind =
    CheckKind::with::<PatternSettings>("regex", "a pattern matches the final answer", |node, _| {
        node.decode_all::<PatternSettings>()?.build_check(&RULE)
    })
    .shorthand("pattern")
    .without_calls();

const RULE: PatternRule = PatternRule {
    judge: |pattern, answer| Ok((!pattern.is_match(answer)?).then(|| describe_lack(pattern, answer))),
    find_counterexample: JsRegex::find_other_text,
    is_vacuous: JsRegex::matches_every_text,
    keeps_violations: false,
};

fn describe_lack(pattern: &JsRegex, answer: &str) -> Violation {
    Violation::new(format!("the answer does not match `{}`", pattern.as_str()))
        .at("/pattern")
        .expected(format!("an answer in which {pattern} is found"), beginning(answer))
        .help(advise_on_pattern(pattern, "change what the agent answers, or the pattern"))
}
