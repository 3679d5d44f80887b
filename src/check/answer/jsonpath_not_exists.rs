//! `jsonpath_not_exists`: the final answer is JSON, and a path selects nothing in it.
//!
//! The path is JSONPath (RFC 9535); see the page of `jsonpath`. A selected `null` counts. An answer that is not
//! JSON fails, because its content is unknown.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/jsonpath_not_exists/fail-anywhere.yaml")]
//! ```

use serde::Deserialize;
use serde_json::Value;

use crate::check::support::answer_json::Form;
use crate::check::support::json_assertion::{not_json, of_json, shown};
use crate::check::{Check, Kind};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit, Violation};
use crate::pattern::JsonPath;

pub(crate) const KIND: Kind =
    Kind::of::<JsonpathNotExists>("jsonpath_not_exists", "a path into the answer's JSON selects nothing")
        .shorthand("path")
        .without_calls();

/// Settings of `jsonpath_not_exists`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct JsonpathNotExists {
    /// A JSONPath (RFC 9535) into the answer.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    path: JsonPath,
    /// Where the JSON is in the answer.
    #[serde(default)]
    json: Form,
}

impl Check for JsonpathNotExists {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        of_json(evidence, self.json, |json| {
            let found = self.path.locate(json);
            found.first().map(|(place, first)| selected(&self.path, found.len(), place, first))
        })
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(not_json())
    }
}

fn selected(path: &JsonPath, count: usize, place: &str, first: &Value) -> Violation {
    let values = if count == 1 { "a value".to_owned() } else { format!("{count} values") };
    let violation = Violation::new(format!("`{path}` selects {values} in the answer"));
    Violation { value: Some(first.clone()), ..violation }
        .at("/path")
        .expected(format!("nothing at `{path}`"), format!("`{place}` is {}", shown(first)))
        .help("keep it out of the agent's answer, or change the path")
}
