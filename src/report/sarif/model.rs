//! The subset of SARIF 2.1.0 that is written, with the field names of its schema.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Serialize)]
pub(super) struct SarifLog {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [SarifRun; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRun {
    pub(super) tool: SarifTool,
    pub(super) automation_details: SarifAutomationDetails,
    pub(super) invocations: [SarifInvocation; 1],
    pub(super) column_kind: &'static str,
    pub(super) results: Vec<SarifResult>,
}

#[derive(Serialize)]
pub(super) struct SarifAutomationDetails {
    pub(super) id: String,
}

#[derive(Serialize)]
pub(super) struct SarifTool {
    pub(super) driver: SarifDriver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifDriver {
    pub(super) name: &'static str,
    pub(super) semantic_version: &'static str,
    pub(super) rules: Vec<SarifRule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRule {
    pub(super) id: String,
    pub(super) short_description: SarifMessage,
    pub(super) full_description: SarifMessage,
    pub(super) help: SarifMessage,
}

#[derive(Clone, Serialize)]
pub(super) struct SarifMessage {
    pub(super) text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifInvocation {
    pub(super) execution_successful: bool,
    pub(super) start_time_utc: String,
    pub(super) tool_execution_notifications: Vec<SarifNotification>,
}

#[derive(Serialize)]
pub(super) struct SarifNotification {
    pub(super) level: SarifLevel,
    pub(super) message: SarifMessage,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) locations: Vec<SarifLocation>,
}

/// A `result` object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: String,
    pub(super) rule_index: usize,
    pub(super) kind: &'static str,
    pub(super) level: SarifLevel,
    pub(super) message: SarifMessage,
    pub(super) locations: [SarifLocation; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<SarifLocation>,
    pub(super) partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) suppressions: Vec<SarifSuppression>,
    pub(super) properties: SarifProperties,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum SarifLevel {
    Error,
    Warning,
    /// The level of a result that is not a failure.
    None,
    Note,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
/// A `location` object.
pub(super) struct SarifLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    pub(super) physical_location: SarifPhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<SarifMessage>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifPhysicalLocation {
    pub(super) artifact_location: SarifArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<SarifRegion>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifArtifactLocation {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRegion {
    pub(super) start_line: usize,
    pub(super) start_column: usize,
    pub(super) end_column: usize,
}

#[derive(Serialize)]
pub(super) struct SarifSuppression {
    pub(super) kind: &'static str,
    pub(super) status: &'static str,
    pub(super) justification: &'static str,
}

/// Properties for scripts that read the log.
#[derive(Serialize)]
pub(super) struct SarifProperties {
    pub(super) trial: String,
    pub(super) status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) run: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<String>,
}
