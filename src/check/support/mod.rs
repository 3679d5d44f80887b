//! What several checks share: the texts of a run, patterns, amounts, opinions, and messages.

pub(super) mod amount;
pub(super) mod answer_json;
pub(super) mod answer_scope;
pub(super) mod answer_text;
pub(super) mod attempts;
pub(super) mod blocked_message;
pub(super) mod coverage_unit;
pub(super) mod demands;
pub(crate) mod forms;
pub(super) mod inner_check;
pub(super) mod js_pattern;
pub(super) mod json_assertion;
#[cfg(not(all(feature = "json-schema", feature = "verification")))]
pub(super) mod missing_feature;
pub(super) mod named_tools;
pub(super) mod near_call;
pub(super) mod near_names;
pub(super) mod occurrence;
pub(super) mod opinion;
pub(super) mod reading;
pub(super) mod rouge;
pub(super) mod settings;
pub(super) mod settled;
pub(super) mod text_assertion;
pub(super) mod words;
