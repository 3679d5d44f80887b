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

use crate::check::support::answer_text::{answer, beginning, excerpt, position, saying};
use crate::check::support::js_pattern::{PatternSettings, exhausted, list_foreign_notes, pattern};
use crate::check::{Check, CheckNote, Kind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};
use crate::pattern::{Flags, JsRegex};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind =
    Kind::with::<PatternSettings>("not_regex", "a pattern does not match the final answer", read)
        .shorthand("pattern")
        .without_calls();

struct Pattern(JsRegex);

fn read(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "the settings of `not_regex`")?;
    let pattern = pattern(&mut fields, node, Flags::IGNORE_CASE);
    fields.finish_some(pattern.map(|pattern| Box::new(Pattern(pattern)) as Box<dyn Check>))
}

impl Check for Pattern {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let answer = answer(evidence)?;
        if !self.0.is_match(answer).map_err(|_| exhausted(&self.0))? {
            return Ok(None.into());
        }
        let found = self.0.extract_value(answer).map_err(|_| exhausted(&self.0))?.unwrap_or_default();
        Ok(Some(has(&self.0, answer, &found)).into())
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        self.0.find_matching_text().map(saying)
    }

    /// A proof about the pattern decides, and no search for a text.
    fn is_vacuous(&self) -> bool {
        self.0.matches_nothing()
    }

    fn notes(&self) -> Vec<CheckNote> {
        list_foreign_notes(&self.0, "/pattern")
    }
}

/// The match may be a part of what is found, or nothing at all: then the answer is shown from its beginning.
fn has(pattern: &JsRegex, answer: &str, found: &str) -> Violation {
    let at = answer.find(found).filter(|_| !found.is_empty());
    let place = at.map_or_else(String::new, |at| format!(", at {}", position(answer, at)));
    let actual = at.map_or_else(|| beginning(answer), |at| excerpt(answer, at..at + found.len()));
    Violation::new(format!("the answer matches `{}`{place}", pattern.as_str()))
        .at("/pattern")
        .expected(format!("an answer in which {pattern} is not found"), actual)
        .help("keep the agent from saying it, or change the pattern")
}
