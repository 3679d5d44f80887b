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

use crate::check::CheckKind;
use crate::check::support::answer_json::{PathSettings, read_path_check, shown};
use crate::json::Json;
use crate::outcome::Violation;
use crate::pattern::JsonPath;

pub(crate) const KIND: CheckKind = CheckKind::with::<PathSettings>(
    "jsonpath_not_exists",
    "a path into the answer's JSON selects nothing",
    |node, _| read_path_check(node, find_selected),
)
.shorthand("path")
.without_calls();

fn find_selected(path: &JsonPath, json: &Json) -> Option<Violation> {
    let found = path.locate(json);
    let (place, first) = found.first()?;
    let values = if found.len() == 1 { "a value".to_owned() } else { format!("{} values", found.len()) };
    let violation = Violation::new(format!("`{path}` selects {values} in the answer"))
        .value((*first).clone())
        .at("/path")
        .expected(format!("nothing at `{path}`"), format!("`{place}` is {}", shown(first)));
    Some(violation.help("keep it out of the agent's answer, or change the path"))
}
