//! `jsonpath_exists`: the final answer is JSON, and a path selects something in it.
//!
//! The path is JSONPath (RFC 9535); see the page of `jsonpath`. A selected `null` counts.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/jsonpath_exists/fail-other-key.yaml")]
//! ```

use serde::Deserialize;

use crate::check::support::answer_json::Form;
use crate::check::support::json_assertion::{not_json, of_json, selects_nothing};
use crate::check::{Check, Kind};
use crate::evidence::Evidence;
use crate::outcome::{Outcome, Unfit};
use crate::pattern::JsonPath;

pub(crate) const KIND: Kind =
    Kind::of::<JsonpathExists>("jsonpath_exists", "a path into the answer's JSON selects something")
        .shorthand("path")
        .without_calls();

/// Settings of `jsonpath_exists`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct JsonpathExists {
    /// A JSONPath (RFC 9535) into the answer.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    path: JsonPath,
    /// Where the JSON is in the answer.
    #[serde(default)]
    json: Form,
}

impl Check for JsonpathExists {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        of_json(evidence, self.json, |json| {
            self.path.select(json).is_empty().then(|| selects_nothing(&self.path, json))
        })
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(not_json())
    }
}
