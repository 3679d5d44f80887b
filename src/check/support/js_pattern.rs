//! A JavaScript pattern among a check's settings: `pattern`, and `flags` beside it.

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::answer::{answer, saying};
use crate::check::{Check, CheckNote};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::pattern::{Flags, JsRegex, StepsExhausted};
use crate::place::LoadErrors;
use crate::yaml::Placed;

/// Settings of `regex` and `not_regex`.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct PatternSettings {
    /// A JavaScript regular expression, unanchored. The literal form `/pattern/flags` is accepted.
    pattern: Placed<String>,
    /// The flags of the pattern. Default: `i`.
    flags: Option<Placed<String>>,
}

/// A check of the answer by a pattern.
pub(crate) struct PatternRule {
    pub(crate) judge: fn(&JsRegex, &str) -> Result<Option<Violation>, StepsExhausted>,
    pub(crate) find_counterexample: fn(&JsRegex) -> Option<String>,
    /// A proof about the pattern decides, and no search for a text.
    pub(crate) is_vacuous: fn(&JsRegex) -> bool,
    /// Whether a violation of a text stands for every longer text.
    pub(crate) keeps_violations: bool,
}

struct PatternCheck {
    pattern: JsRegex,
    rule: &'static PatternRule,
}

impl PatternSettings {
    /// Builds the check with this rule.
    pub(crate) fn build_check(&self, rule: &'static PatternRule) -> Result<Box<dyn Check>, LoadErrors> {
        let pattern = compile_pattern(&self.pattern, self.flags.as_ref(), Flags::IGNORE_CASE)?;
        Ok(Box::new(PatternCheck { pattern, rule }))
    }
}

impl Check for PatternCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let judged = (self.rule.judge)(&self.pattern, answer(evidence)?);
        Ok(judged.map_err(|_| exhausted(&self.pattern))?.into())
    }

    fn is_settled(&self, outcome: &Outcome) -> bool {
        self.rule.keeps_violations && !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        (self.rule.find_counterexample)(&self.pattern).map(saying)
    }

    fn is_vacuous(&self) -> bool {
        (self.rule.is_vacuous)(&self.pattern)
    }

    fn notes(&self) -> Vec<CheckNote> {
        list_foreign_notes(&self.pattern, "/pattern")
    }
}

/// Compiles a pattern with the flags beside it.
pub(crate) fn compile_pattern(
    text: &Placed<String>,
    flags: Option<&Placed<String>>,
    default: Flags,
) -> Result<JsRegex, LoadErrors> {
    let mut errors = LoadErrors::new();
    let flags = flags.map(|flags| flags.try_map(|flags| Flags::parse_flags(flags)));
    let flags = flags.and_then(|flags| errors.take(flags)).unwrap_or(default);
    if text.is_empty() {
        errors.push(text.error("an empty pattern matches everything"));
        return Err(errors);
    }
    let compiled = JsRegex::parse_user(text, flags).map_err(|error| {
        // The offset may be behind the text where the pattern ends too early.
        let before = &text[..error.offset.min(text.len())];
        let place = if before.is_empty() { String::new() } else { format!(" (after `{before}`)") };
        text.error(format!("`{}` is not a pattern: {error}{place}", **text))
    });
    let compiled = errors.take(compiled);
    errors.or_some(compiled)
}

/// A note for each construct of another dialect in the pattern at `pointer`.
fn list_foreign_notes(pattern: &JsRegex, pointer: &str) -> Vec<CheckNote> {
    let constructs = pattern.find_foreign_constructs().into_iter();
    let notes = constructs.map(|construct| CheckNote {
        at: pointer.to_owned(),
        text: format!("`{}` {}", construct.written, construct.advice),
    });
    notes.collect()
}

/// The help for a pattern that decided otherwise than expected: the foreign constructs first.
pub(crate) fn advise_on_pattern(pattern: &JsRegex, otherwise: &str) -> String {
    let notes = list_foreign_notes(pattern, "");
    if notes.is_empty() {
        return otherwise.to_owned();
    }
    notes.into_iter().map(|note| note.text).collect::<Vec<_>>().join("; ")
}

/// Creates the error of a search that took too many steps.
pub(crate) fn exhausted(pattern: &JsRegex) -> CannotDecide {
    CannotDecide::budget_exceeded(format!("{pattern}: {StepsExhausted}"))
}
