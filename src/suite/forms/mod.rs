//! Forms of the values of a case's keys, for the schema: types that only describe what is read by hand.
#![expect(dead_code, reason = "the types describe forms, and hold no value")]

mod trace;

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;

use crate::check::support::forms::{SchemaOrFile, Texts, Time};
use crate::evidence::JudgeContext;
use crate::json::Json;
use crate::score::statistics::Variance;

pub(super) use crate::check::support::reading::{Points, Share};
pub(super) use trace::Trace;

/// A text or a number.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(super) enum Label {
    Text(String),
    Number(i64),
}

/// A number from 0 up.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub(super) struct Amount(#[cfg_attr(feature = "schema", schemars(range(min = 0)))] f64);

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

/// What is expected of a run, or of one turn.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "expected"))]
pub(super) struct Expected {
    /// These tools are called.
    tools: Option<Vec<String>>,
    /// One tool of each of these categories is called.
    tool_categories: Option<Vec<String>>,
    /// The calls follow this sequence.
    tool_sequence: Option<Vec<String>>,
    /// Another name of `tool_sequence`.
    sequence: Option<Vec<String>>,
    /// The gate: a call of any of these tools fails the case with score 0.
    forbidden_tools: Option<Vec<String>>,
    /// Assertions about the final answer.
    output: Option<ExpectedOutput>,
}

/// Assertions about the final answer.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct ExpectedOutput {
    /// Texts that the answer contains.
    contains: Option<Texts>,
    /// Texts that the answer does not contain.
    not_contains: Option<Texts>,
    /// Patterns that match the answer.
    regex_patterns: Option<Texts>,
    /// Another name of `regex_patterns`.
    regex: Option<Texts>,
    /// The JSON Schema that the answer satisfies, or a file that contains it.
    json_schema: Option<SchemaOrFile>,
}

/// The lowest score that passes, and limits on cost and time.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "thresholds"))]
pub(super) struct Thresholds {
    /// The lowest score that passes, from 0 to 100. Required if anything is scored.
    min_score: Option<Points>,
    /// The maximum cost of a run, in US dollars.
    max_cost: Option<Amount>,
    /// The maximum duration of a run: milliseconds, or a text such as `3s`.
    max_latency: Option<Time>,
    /// The weight of each part of the score.
    weights: Option<Weights>,
    /// Requirements on several runs.
    variance: Option<Variance>,
}

/// The weight of each part of the score.
pub(super) type Weights = BTreeMap<String, Share>;

/// The effect of a violated assertion.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename_all = "snake_case", inline))]
pub(super) enum OutputAssertions {
    /// The case fails. The default.
    Gate,
    /// It only costs points.
    Score,
}

/// How the calls are compared with the sequence.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(super) struct AdapterConfig {
    /// How the calls follow the sequence.
    sequence_mode: Option<crate::check::SequenceMode>,
}

/// Checks of the answer that are enabled.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(super) struct Switches {
    /// The facts in the answer appear in the evidence.
    hallucination: Option<bool>,
    /// A judge finds nothing harmful.
    safety: Option<bool>,
    /// The answer contains no personal data.
    pii: Option<bool>,
}

/// A turn of the conversation.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(super) struct Turn {
    /// What the user says.
    query: Option<String>,
    /// Another name of `query`.
    user: Option<String>,
    /// Another name of `query`.
    input: Option<String>,
    /// Another name of `query`.
    prompt: Option<String>,
    /// What is expected of this turn.
    expected: Option<Expected>,
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
