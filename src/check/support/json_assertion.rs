//! The shared part of checks of the answer's JSON: settings, parsing, messages.

use crate::json::Json;
use serde::Deserialize;

use crate::check::Check;
use crate::check::support::answer_json::{Form, json};
use crate::check::support::answer_text::{answer, saying};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};
use crate::pattern::JsonPath;
use crate::place::LoadErrors;
use crate::secrets::QuotedText;
use crate::yaml::Node;

/// The number of characters of a value that are shown.
const SHOWN: usize = 120;

/// Settings of a check of what a path selects.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct PathSettings {
    /// A JSONPath (RFC 9535) into the answer.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    path: JsonPath,
    /// Where the JSON is in the answer.
    #[serde(default)]
    json: Form,
}

/// Judges what a path selects in the JSON of an answer.
type PathJudge = fn(&JsonPath, &Json) -> Option<Violation>;

struct PathCheck(PathSettings, PathJudge);

/// Reads the settings of the check that judges so.
pub(crate) fn read_path_check(node: Node<'_>, judge: PathJudge) -> Result<Box<dyn Check>, LoadErrors> {
    Ok(Box::new(PathCheck(node.decode_all()?, judge)))
}

impl Check for PathCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        of_json(evidence, self.0.json, |json| (self.1)(&self.0.path, json))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(not_json())
    }
}

/// Holds the JSON of the answer against `judge`. An answer that is not JSON is a violation, whatever is asked of it.
pub(crate) fn of_json(
    evidence: &Evidence<'_>,
    form: Form,
    judge: impl FnOnce(&Json) -> Option<Violation>,
) -> Result<Outcome, Unfit> {
    let violation = match json(answer(evidence)?, form) {
        Ok(json) => judge(&json),
        Err(violation) => Some(violation.at("/path")),
    };
    Ok(violation.into())
}

/// Builds a run whose answer every check of JSON rejects.
pub(crate) fn not_json() -> Evidence<'static> {
    saying("")
}

/// Says that `path` selects nothing in `json`, and names the nearest part that exists.
pub(crate) fn selects_nothing(path: &JsonPath, json: &Json) -> Violation {
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

/// Renders a value as JSON. A long value is cut.
pub(crate) fn shown(value: &Json) -> String {
    QuotedText::from_json(value).cut_end(SHOWN).to_string()
}
