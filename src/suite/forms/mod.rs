//! Forms of the values of a case's keys, for the schema: types that only describe what is read by hand.
#![expect(dead_code, reason = "the types describe forms, and hold no value")]

mod trace;

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::evidence::JudgeContext;
use crate::json::Json;

pub(super) use trace::Trace;

/// A value, or null.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(super) enum Nullable<T> {
    Null(()),
    Json(T),
}

/// The block `eval`.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "eval"))]
pub(super) struct Eval {
    /// Which tools are called.
    tool_constraints: Option<ToolConstraints>,
    /// The tools, in the order of their calls. `{allow: [..]}`: the calls equal one of these lists.
    tool_sequence: Option<ListOr<ToolSequenceSettings>>,
    /// Assertions about the arguments of calls.
    tool_input_assertions: Option<Vec<ToolInputSettings>>,
    /// Assertions about the final answer.
    response_assertions: Option<Vec<Assertion>>,
    /// Questions to a judge about the final answer.
    agent_assertions: Option<Vec<AgentCheckSettings>>,
    /// What the judge sees in addition to the answer. Default: nothing.
    agent_context: Option<JudgeContext>,
}

/// Which tools are called.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct ToolConstraints {
    /// Each of these tools is called at least once, in any order.
    required_tools: Option<ListOr<RequiredToolsSettings>>,
    /// None of these tools is called.
    forbidden_tools: Option<ListOr<ForbiddenToolsSettings>>,
}

/// A list of tools, or the settings of the check that has the list.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
enum ListOr<Settings> {
    Tools(Vec<String>),
    Settings(Settings),
}

/// An assertion about the final answer: a check and its settings.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "assertion"))]
struct Assertion {
    /// The check.
    r#type: AssertionType,
    /// The text.
    value: Option<String>,
    /// `true`: letter case counts. Default: it does not.
    case_sensitive: Option<bool>,
    /// The regular expression.
    pattern: Option<String>,
    /// The flags of the regular expression.
    flags: Option<String>,
    /// The JSONPath.
    path: Option<String>,
    /// The value that the path selects.
    equals: Option<Json>,
    /// `fenced`: the JSON may be in one fenced block of the answer. Default: `strict`.
    json: Option<JsonForm>,
}

/// Where the JSON is in the answer.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename_all = "snake_case", inline))]
enum JsonForm {
    Strict,
    Fenced,
}

/// The checks that are assertions about the final answer.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename_all = "snake_case", inline))]
enum AssertionType {
    Contains,
    NotContains,
    StartsWith,
    EndsWith,
    Equals,
    Regex,
    Jsonpath,
    JsonpathExists,
    JsonpathNotExists,
}

/// What asks for `verification`: `true`, a threshold, or settings.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, rename = "verification"))]
pub(super) enum Verification {
    Null(()),
    Flag(bool),
    Threshold(f64),
    Settings(VerificationSettings),
}

/// The settings of `tool_input`, which have a definition of their own.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(schema_with = "refer_to_tool_input", inline))]
pub(super) struct ToolInputSettings;

#[cfg(feature = "schema")]
fn refer_to_tool_input(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"$ref": "#/definitions/checks/tool_input"})
}

/// The settings of `extract`, which have a definition of their own.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(schema_with = "refer_to_extract", inline))]
pub(super) struct ExtractSettings;

#[cfg(feature = "schema")]
fn refer_to_extract(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"$ref": "#/definitions/checks/extract"})
}

/// The settings of `verification`, which have a definition of their own.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(schema_with = "refer_to_verification", inline))]
pub(super) struct VerificationSettings;

#[cfg(feature = "schema")]
fn refer_to_verification(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"$ref": "#/definitions/checks/verification"})
}

/// The settings of `agent_check`, which have a definition of their own.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(schema_with = "refer_to_agent_check", inline))]
struct AgentCheckSettings;

#[cfg(feature = "schema")]
fn refer_to_agent_check(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"$ref": "#/definitions/checks/agent_check"})
}

/// The settings of `forbidden_tools`, which have a definition of their own.
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(schema_with = "refer_to_forbidden_tools", inline)
)]
struct ForbiddenToolsSettings;

#[cfg(feature = "schema")]
fn refer_to_forbidden_tools(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"$ref": "#/definitions/checks/forbidden_tools"})
}

/// The settings of `required_tools`, which have a definition of their own.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(schema_with = "refer_to_required_tools", inline))]
struct RequiredToolsSettings;

#[cfg(feature = "schema")]
fn refer_to_required_tools(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"$ref": "#/definitions/checks/required_tools"})
}

/// The settings of `tool_sequence`, which have a definition of their own.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(schema_with = "refer_to_tool_sequence", inline))]
struct ToolSequenceSettings;

#[cfg(feature = "schema")]
fn refer_to_tool_sequence(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"$ref": "#/definitions/checks/tool_sequence"})
}
