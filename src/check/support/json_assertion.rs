//! What the assertions about the answer's JSON share: their settings, and the words when it is not JSON.

use serde_json::Value;

use crate::check::support::answer_json::{Form, json};
use crate::check::support::answer_text::{answer, saying};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};
use crate::pattern::JsonPath;
use crate::secrets::QuotedText;

/// How many characters of a value are shown.
const SHOWN: usize = 120;

/// Holds the JSON of the answer against `judge`. An answer that is not JSON is a violation, whatever is asked of it.
pub(crate) fn of_json(
    evidence: &Evidence<'_>,
    form: Form,
    judge: impl FnOnce(&Value) -> Option<Violation>,
) -> Result<Outcome, Unfit> {
    let violation = match json(answer(evidence)?, form) {
        Ok(json) => judge(&json),
        Err(violation) => Some(violation.at("/path")),
    };
    Ok(violation.into())
}

/// An answer that every assertion about JSON refuses.
pub(crate) fn not_json() -> Evidence<'static> {
    saying("")
}

/// That `path` selects nothing in `json`, and how far it leads.
pub(crate) fn selects_nothing(path: &JsonPath, json: &Value) -> Violation {
    let message = format!("`{path}` selects nothing in the answer");
    let near = path.above().find_map(|above| match above.select(json).as_slice() {
        [] => None,
        [only] => Some(format!("`{above}` is {}", shown(only))),
        [first, ..] => Some(format!("`{above}` selects several values, the first being {}", shown(first))),
    });
    Violation::new(message)
        .at("/path")
        .expected(format!("a value at `{path}`"), near.unwrap_or_else(|| shown(json)))
        .help("make the agent answer with it, or change the path")
}

/// A value as JSON, cut when it is long.
pub(crate) fn shown(value: &Value) -> String {
    QuotedText::from_json(value).cut_end(SHOWN).to_string()
}
