//! Checks of the final answer.

pub(super) mod completeness;
pub(super) mod contains;
pub(super) mod ends_with;
pub(super) mod equals;
pub(super) mod extract;
pub(super) mod forbidden_substrings;
pub(super) mod grounded;
pub(super) mod json_schema;
pub(super) mod jsonpath;
pub(super) mod jsonpath_exists;
pub(super) mod jsonpath_not_exists;
pub(super) mod no_pii;
pub(super) mod not_contains;
pub(super) mod not_regex;
pub(super) mod refusal;
pub(super) mod regex;
pub(super) mod similarity;
pub(super) mod starts_with;
