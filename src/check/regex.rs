//! `regex`: a pattern is found in the final answer.
//!
//! <!-- settings -->
//!
//! The pattern is a JavaScript regular expression, unanchored, in any case unless `flags` says otherwise:
//! `flags: ms` is case-sensitive. The literal form `/.../flags` and a leading `(?i)`, `(?m)`, `(?s)` are accepted. A
//! pattern that is too expensive for a text is an error, never a pass. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../tests/check/regex/fail-no-price.yaml")]
//! ```

use super::answer::{answer, beginning, saying};
use super::js_pattern::{PatternSettings, exhausted, pattern};
use super::{Check, Kind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};
use crate::pattern::{Flags, JsRegex};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

pub(super) const KIND: Kind =
    Kind::with::<PatternSettings>("regex", "a pattern is found in the final answer", read)
        .shorthand("pattern")
        .without_calls();

/// Answers of every kind: a pattern that finds itself in all of them finds itself in any.
const TEXTS: &[&str] =
    &["", "?", "a", "0", " ", "\n", "ZZ", "é", "a longer answer\nof 2 lines, with (odd) \"marks\""];

struct Pattern(JsRegex);

fn read(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `regex`")?;
    let pattern = pattern(&mut fields, node, Flags::IGNORE_CASE);
    fields.finish_some(pattern.map(|pattern| Box::new(Pattern(pattern)) as Box<dyn Check>))
}

impl Check for Pattern {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let answer = answer(evidence)?;
        let found = self.0.is_match(answer).map_err(|_| exhausted(&self.0))?;
        Ok((!found).then(|| lacks(&self.0, answer)).into())
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let refused = |text: &&&str| self.0.is_match(text) == Ok(false);
        TEXTS.iter().find(refused).map(|text| saying(*text))
    }
}

fn lacks(pattern: &JsRegex, answer: &str) -> Violation {
    Violation::new(format!("the answer does not match `{}`", pattern.as_str()))
        .at("/pattern")
        .expected(format!("an answer in which {pattern} is found"), beginning(answer))
        .help("change what the agent answers, or the pattern")
}
