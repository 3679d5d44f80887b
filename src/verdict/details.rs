//! The details of runs in the verdict of a trial that does not pass: their messages and calls, step by step.

use serde::{Deserialize, Serialize};

use crate::trace::Message;

/// The details of a run that its [`super::RunSummary`] does not contain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct RunDetails {
    /// The messages, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// The details of the calls, by number.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallDetails>,
    /// The final answer, if the summary truncates it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Why the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Whether something was left out because of the size limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// The details of one call that its [`super::CallSummary`] does not contain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
#[non_exhaustive]
pub struct CallDetails {
    /// The call's number, from 1.
    pub index: usize,
    /// The arguments, if the summary truncates them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// The result.
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
