//! `jsonpath`: the final answer is JSON, and a path selects something in it, or selects a given value.
//!
//! The path is JSONPath (RFC 9535): `$.status`, `$.items[0].id`, `$..price`, `$.items[?@.state == 'open']`,
//! `$.items[?count(@.tags[*]) == 0]`. An invalid path is a mistake in the file.
//!
//! <!-- settings -->
//!
//! Numbers are compared by all their digits. Limits: a path has at most 1024 bytes, 32 nested brackets, 6 nested filters
//! and 4 descents (`..`).
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/jsonpath/fail-other-value.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::answer_json::{Form, not_json, of_json, selects_nothing, shown};
use crate::check::{Check, CheckKind};
use crate::evidence::Evidence;
use crate::json::Json;
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::pattern::JsonPath;
use crate::yaml::{even_null, render_plain};

pub(crate) const KIND: CheckKind = CheckKind::of::<Jsonpath>(
    "jsonpath",
    "a path into the answer's JSON selects something, or a given value",
)
.shorthand("path")
.without_calls();

/// Settings of `jsonpath`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Jsonpath {
    /// A JSONPath (RFC 9535) into the answer.
    #[schemars(with = "String")]
    path: JsonPath,
    /// The value that one of the selected values must equal. Types count (`1` is not `"1"`), numbers compare as numbers
    /// (1 is 1.0), lists and mappings compare deeply. Without it, the path must select something; a `null` is something.
    #[serde(default, deserialize_with = "even_null")]
    equals: Option<Json>,
    /// Where the JSON is in the answer.
    #[serde(default)]
    json: Form,
}

impl Check for Jsonpath {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        of_json(evidence, self.json, |json| self.violation(json))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(not_json())
    }
}

impl Jsonpath {
    fn violation(&self, json: &Json) -> Option<Violation> {
        let selected = self.path.select(json);
        let violation = match (selected.as_slice(), &self.equals) {
            ([], _) => selects_nothing(&self.path, json),
            (_, None) => return None,
            (values, Some(wanted)) if values.contains(&wanted) => return None,
            ([only], Some(wanted)) => other_value(&self.path, only, wanted),
            (values, Some(wanted)) => other_values(&self.path, values, wanted),
        };
        Some(violation)
    }
}

fn other_value(path: &JsonPath, found: &Json, wanted: &Json) -> Violation {
    Violation::new(format!("`{path}` is {}, not {}", shown(found), shown(wanted)))
        .value(found.clone())
        .at("/equals")
        .expected(shown(wanted), shown(found))
        .help(advise(&[found], wanted))
}

fn other_values(path: &JsonPath, found: &[&Json], wanted: &Json) -> Violation {
    let message = format!("none of the {} values of `{path}` is {}", found.len(), shown(wanted));
    let all: Json = found.iter().copied().cloned().collect();
    Violation::new(message)
        .at("/equals")
        .expected(shown(wanted), shown(&all))
        .value(all)
        .help(advise(found, wanted))
}

fn advise(found: &[&Json], wanted: &Json) -> &'static str {
    let wanted = render_plain(wanted);
    if found.iter().any(|value| render_plain(value) == wanted) {
        "types count: a text in quotes is not a number, a boolean or null"
    } else {
        "change what the agent answers, or the value that is wanted"
    }
}
