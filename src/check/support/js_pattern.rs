//! A JavaScript pattern among a check's settings: `pattern`, and `flags` beside it.

use crate::check::support::answer_text::{answer, saying};
use crate::check::{Check, CheckNote};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};
use crate::pattern::{Flags, JsRegex, StepsExhausted};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

/// Settings of `regex` and `not_regex`, for their schema.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "describes settings that are read by hand, with their places")]
pub(crate) struct PatternSettings {
    /// A JavaScript regular expression, unanchored. The literal form `/pattern/flags` is accepted.
    pattern: String,
    /// The flags of the pattern. Default: `i`.
    flags: Option<String>,
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

/// Reads the settings of the check with this rule. `what` names the settings.
pub(crate) fn read_pattern_check(
    node: Node<'_>,
    what: &str,
    rule: &'static PatternRule,
) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, what)?;
    let pattern = pattern(&mut fields, node, Flags::IGNORE_CASE);
    fields.finish_some(pattern.map(|pattern| Box::new(PatternCheck { pattern, rule }) as Box<dyn Check>))
}

impl Check for PatternCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
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

/// Compiles the setting `pattern` of `node`. Errors are recorded in `fields`.
pub(crate) fn pattern(fields: &mut Fields<'_>, node: Node<'_>, default: Flags) -> Option<JsRegex> {
    pattern_at(fields, node, "pattern", default)
}

/// Compiles the pattern under `key` of `node`.
pub(crate) fn pattern_at(
    fields: &mut Fields<'_>,
    node: Node<'_>,
    key: &'static str,
    default: Flags,
) -> Option<JsRegex> {
    let flags = fields.node("flags").and_then(|flags| {
        let text = fields.take(flags.decode::<String>())?;
        fields.take(Flags::parse_flags(&text).map_err(|problem| flags.error(problem)))
    });
    let text = fields.required::<String>(key)?;
    let at = node.get(key).unwrap_or(node);
    if text.is_empty() {
        fields.errors.push(at.error("an empty pattern matches everything"));
        return None;
    }
    let compiled = JsRegex::parse_user(&text, flags.unwrap_or(default));
    fields.take(compiled.map_err(|error| {
        // The offset may be behind the text where the pattern ends too early.
        let before = &text[..error.offset.min(text.len())];
        let place = if before.is_empty() { String::new() } else { format!(" (after `{before}`)") };
        at.error(format!("`{text}` is not a pattern: {error}{place}"))
    }))
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
pub(crate) fn exhausted(pattern: &JsRegex) -> Unfit {
    Unfit::budget_exceeded(format!("{pattern}: {StepsExhausted}"))
}
