//! `extract`: extracts a value from the final answer, and optionally checks its bounds.
//!
//! <!-- settings -->
//!
//! `true`, `false` and numbers become JSON values. Without a match, the value is null. Without bounds, the check
//! only reports the value. This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/extract/fail-above-max.yaml")]
//! ```

use crate::check::support::answer_text::{answer, saying};
use crate::check::support::js_pattern::{exhausted, pattern_at};
use crate::check::{Check, Kind, Scope};
use crate::evidence::Evidence;
use crate::json::{Json, JsonNumber};
use crate::outcome::{Outcome, Unfit, Violation};
use crate::pattern::{Flags, JsRegex};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node};

pub(crate) const KIND: Kind = Kind::with::<ExtractSettings>(
    "extract",
    "a value extracted from the final answer is within its bounds",
    read_check,
)
.only_reports(|node| node.get("min").is_none() && node.get("max").is_none())
.without_calls();

/// Settings of `extract`, for their schema.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(dead_code, reason = "describes settings that are read by hand, with their places")]
struct ExtractSettings {
    /// The name of the value in the verdict.
    name: String,
    /// The source of the value. `final_text` is the only one so far.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::check::support::forms::ExtractSource>"))]
    from: Option<String>,
    /// A JavaScript regular expression, in any case. The value is its group `value`, else group 1, else all that it matches.
    regex: String,
    /// The flags of the regular expression. Default: `i`.
    flags: Option<String>,
    /// The least value. A value that is not a number breaks the bound.
    min: Option<JsonNumber<'static>>,
    /// The greatest value. A value that is not a number breaks the bound.
    max: Option<JsonNumber<'static>>,
}

struct Extract {
    name: String,
    pattern: JsRegex,
    min: Option<JsonNumber<'static>>,
    max: Option<JsonNumber<'static>>,
}

fn read_check(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let mut fields = Fields::of(node, "an extraction")?;
    let name = fields.required::<String>("name");
    if let Some(from) = fields.node("from").filter(|from| from.as_str() != Some("final_text")) {
        fields.errors.push(from.error("a value can be taken from `final_text` only"));
    }
    let pattern = pattern_at(&mut fields, node, "regex", Flags::IGNORE_CASE);
    let min = fields.optional::<JsonNumber>("min");
    let max = fields.optional::<JsonNumber>("max");
    if let (Some(low), Some(high)) = (&min, &max)
        && low > high
    {
        fields.errors.push(node.error(format!("no value is from {low} to {high}: `min` is above `max`")));
    }
    let check = name.zip(pattern).map(|(name, pattern)| Extract { name, pattern, min, max });
    fields.finish_some(check.map(|check| Box::new(check) as Box<dyn Check>))
}

impl Check for Extract {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let found = self.pattern.extract_value(answer(evidence)?).map_err(|_| exhausted(&self.pattern))?;
        let value = found.as_deref().map_or(Json::Null, parse_value);
        let outcome = Outcome::from(self.out_of_bounds(&value));
        Ok(outcome.value(&self.name, value))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(saying(""))
    }

    fn is_vacuous(&self) -> bool {
        self.min.is_none() && self.max.is_none()
    }
}

impl Extract {
    fn out_of_bounds(&self, value: &Json) -> Option<Violation> {
        let number = value.as_number();
        // A value that is no number violates any bound.
        let too_low = self.min.as_ref().filter(|min| number.is_none_or(|number| number < *min));
        let too_high = self.max.as_ref().filter(|max| number.is_none_or(|number| number > *max));
        let (key, constraint) = match (too_low, too_high) {
            (Some(min), _) => ("min", format!("min: {min}")),
            (None, Some(max)) => ("max", format!("max: {max}")),
            (None, None) => return None,
        };
        let name = &self.name;
        let message = match value {
            Json::Null => format!("`{name}` is not in the answer: nothing matches {}", self.pattern),
            Json::Number(number) => format!("`{name}` is {number}, which is outside of `{constraint}`"),
            other => format!("`{name}` is {other}, which is no number"),
        };
        let violation =
            Violation::new(message).value(value.clone()).constraint(constraint).at(format!("/{key}"));
        Some(violation.help("change what the agent answers, the pattern, or the bound"))
    }
}

/// Parses `true`, `false` and numbers; anything else is a text.
fn parse_value(text: &str) -> Json {
    match text {
        "true" => return Json::Bool(true),
        "false" => return Json::Bool(false),
        _ => {}
    }
    // Integers first: a float would lose the last digits of a large one.
    if let Ok(integer) = text.parse::<i64>() {
        return integer.into();
    }
    let float = text.parse::<f64>().ok().filter(|float| float.is_finite());
    float.map_or_else(|| text.into(), Json::from)
}
