//! What a verifier gave a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

/// What a verifier gave a run, as benchmarks record it: numbers with a name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rewards {
    /// The rewards, by name.
    pub values: BTreeMap<String, f64>,
    /// Why the rewards do not count, or why they are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid: Option<String>,
}
