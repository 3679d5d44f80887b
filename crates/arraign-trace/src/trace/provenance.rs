//! How a recording was made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How a recording was made: by which program, when, for which input, and by which agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Provenance {
    /// The program that recorded the run, with its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The time of the recording, as RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The fingerprint of the agent's input: `sha256:` and the hash in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The name of the agent that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// The variant of the agent. `None` for the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The fingerprint of the agent's definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The fingerprints of the files that the agent depends on, by path. `None` if the agent names no files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<BTreeMap<String, String>>,
}

impl Provenance {
    /// A recording by the program `by` at the time `at`, of an agent whose input has the fingerprint `input`.
    pub fn new(by: impl Into<String>, at: impl Into<String>, input: impl Into<String>) -> Self {
        Self { by: Some(by.into()), at: Some(at.into()), input: Some(input.into()), ..Self::default() }
    }
}
