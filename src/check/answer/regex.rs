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

use crate::check::support::answer_text::{answer, beginning, saying};
use crate::check::support::js_pattern::{
    PatternSettings, advise_on_pattern, exhausted, list_foreign_notes, pattern,
};
use crate::check::{Check, CheckNote, Kind, Scope};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};
use crate::pattern::{Flags, JsRegex};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind =
    Kind::with::<PatternSettings>("regex", "a pattern matches the final answer", read)
        .shorthand("pattern")
        .without_calls();

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
        self.0.find_other_text().map(saying)
    }

    /// A proof about the pattern decides, and no search for a text.
    fn is_vacuous(&self) -> bool {
        self.0.matches_every_text()
    }

    fn notes(&self) -> Vec<CheckNote> {
        list_foreign_notes(&self.0, "/pattern")
    }
}

fn lacks(pattern: &JsRegex, answer: &str) -> Violation {
    Violation::new(format!("the answer does not match `{}`", pattern.as_str()))
        .at("/pattern")
        .expected(format!("an answer in which {pattern} is found"), beginning(answer))
        .help(advise_on_pattern(pattern, "change what the agent answers, or the pattern"))
}
