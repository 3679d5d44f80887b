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

use crate::check::CheckKind;
use crate::check::support::answer_json::{PathSettings, read_path_check, selects_nothing};

pub(crate) const KIND: CheckKind = CheckKind::with::<PathSettings>(
    "jsonpath_exists",
    "a path into the answer's JSON selects something",
    |node, _| {
        read_path_check(node, |path, json| path.select(json).is_empty().then(|| selects_nothing(path, json)))
    },
)
.shorthand("path")
.without_calls();
