//! What the runs of a trial did, step by step: kept of trials that do not pass, for a person who asks why.

use serde::{Deserialize, Serialize};

use crate::trace::Message;

/// What a run did, where its [`super::RunSummary`] does not say it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct RunDetails {
    /// What was said, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// What is known of the calls, by their numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallDetails>,
    /// The final answer, where the summary cuts it short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Why the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// There was more than a verdict keeps.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// What is known of one call, where its [`super::CallSummary`] does not say it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct CallDetails {
    /// The call's number, from 1.
    pub index: usize,
    /// The arguments, where the summary cuts them short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// What came back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The error's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// When it started, in milliseconds since the run began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<f64>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
}
