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

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::answer::{answer, saying};
use crate::check::support::js_pattern::{compile_pattern, exhausted};
use crate::check::{BuildCheck, Check, CheckKind, Scope};
use crate::evidence::Evidence;
use crate::json::{Json, JsonNumber};
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::pattern::{Flags, JsRegex};
use crate::place::LoadErrors;
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind = CheckKind::built::<ExtractSettings>(
    "extract",
    "a value extracted from the final answer is within its bounds",
)
.only_reports(|node| node.get("min").is_none() && node.get("max").is_none())
.without_calls();

/// Settings of `extract`.
#[derive(Deserialize, JsonSchema)]
struct ExtractSettings {
    /// The name of the value in the verdict.
    name: String,
    /// The source of the value. `final_text` is the only one so far.
    #[serde(rename = "from")]
    _from: Option<ExtractSource>,
    /// A JavaScript regular expression, in any case. The value is its group `value`, else group 1, else all that it matches.
    regex: Placed<String>,
    /// The flags of the regular expression. Default: `i`.
    flags: Option<Placed<String>>,
    /// The least value. A value that is not a number breaks the bound.
    min: Option<JsonNumber<'static>>,
    /// The greatest value. A value that is not a number breaks the bound.
    max: Option<JsonNumber<'static>>,
}

/// A source of `extract`.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
enum ExtractSource {
    FinalText,
}

struct Extract {
    name: String,
    pattern: JsRegex,
    min: Option<JsonNumber<'static>>,
    max: Option<JsonNumber<'static>>,
}

impl BuildCheck for ExtractSettings {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        let mut errors = LoadErrors::new();
        if let (Some(low), Some(high)) = (&settings.min, &settings.max)
            && low > high
        {
            errors.push(settings.error(format!("no value is from {low} to {high}: `min` is above `max`")));
        }
        let pattern = compile_pattern(&settings.regex, settings.flags.as_ref(), Flags::IGNORE_CASE);
        let pattern = errors.take(pattern);
        let Self { name, min, max, .. } = settings.into_value();
        let check = pattern.map(|pattern| Extract { name, pattern, min, max });
        Ok(Box::new(errors.or_some(check)?))
    }
}

impl Check for Extract {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
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
