//! What several checks share: the answer of a run, patterns, settings, opinions, and messages.

pub(super) mod answer;
pub(super) mod answer_json;
pub(super) mod call_results;
pub(super) mod call_status;
pub(super) mod demands;
pub(crate) mod forms;
pub(super) mod inner_check;
pub(super) mod js_pattern;
pub(super) mod known_facts;
pub(super) mod messages;
#[cfg(not(all(feature = "json-schema", feature = "verification")))]
pub(super) mod missing_feature;
pub(super) mod near_names;
pub(super) mod opinion;
pub(crate) mod reading;
pub(super) mod settled;
pub(super) mod text_assertion;
pub(super) mod traced_edits;
