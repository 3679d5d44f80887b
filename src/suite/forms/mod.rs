//! Forms of the values of a case's keys, for the schema: types that only describe what is read by hand.
#![expect(dead_code, reason = "the types describe forms, and hold no value")]

mod agent;
mod header;
mod trace;

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde_json::Value;

use crate::check::support::forms::{SchemaOrFile, Texts, Time};
use crate::evidence::JudgeContext;
use crate::score::statistics::Variance;

pub(super) use agent::{Agent, DescribedAgent};
pub(super) use header::{FileSize, Gate, Judge, Output, Price, SummaryBaseline};
pub(super) use trace::Trace;

/// A text or a number.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(super) enum Label {
    Text(String),
    Number(i64),
}

/// `true`, `false` or a reason.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(super) enum FlagOrReason {
    Flag(bool),
    Reason(String),
}

/// Changes of the run that the case need not notice.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(super) struct Mutate {
    /// Sorts of mutants, tools and arguments: `duplicate`, `get_order`, `get_order.*`, `duplicate get_order`.
    ignore: Option<IgnoredMutants>,
}

/// One entry, or several.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
enum IgnoredMutants {
    One(IgnoredMutant),
    Many(Vec<IgnoredMutant>),
}

/// Mutants, with or without the reason.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, rename = "ignored_mutant"))]
enum IgnoredMutant {
    Mutant(String),
    WithReason(ExplainedMutant),
}

#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct ExplainedMutant {
    /// The mutants.
    mutant: String,
    /// Why the run may vary here.
    reason: Option<String>,
}

/// A number from 0 to 1.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub(super) struct Share(#[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))] f64);

/// A number from 0 up.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub(super) struct Amount(#[cfg_attr(feature = "schema", schemars(range(min = 0)))] f64);

/// A number from 0 to 100.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub(super) struct Points(#[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100)))] f64);

/// A value, or null.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(super) enum Nullable<T> {
    Null(()),
    Value(T),
}

/// What the agent is asked: a text, or a mapping, of which `query` is the text.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(super) enum CaseInput {
    Text(String),
    Query(Query),
}

/// What the agent is asked, as a mapping.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
pub(super) struct Query {
    /// The text.
    query: Option<String>,
}

/// A judge's opinion.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, rename = "opinion"))]
pub(super) enum Opinion {
    Pass(bool),
    Score(Points),
    Explained(ExplainedOpinion),
}

/// A judge's opinion with its reason.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(super) struct ExplainedOpinion {
    /// Whether the answer passes.
    pass: Option<bool>,
    /// The score, from 0 to 100.
    score: Option<Points>,
    /// The number of claims that the answer makes.
    claims: Option<u32>,
    /// The number of claims without support. Default: 0.
    unsupported: Option<u32>,
    /// The reason.
    reason: Option<String>,
}

/// The block `eval`.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "eval"))]
pub(super) struct Eval {
    /// Which tools are called.
    tool_constraints: Option<ToolConstraints>,
    /// The tools, in the order of their calls. `{allow: [..]}`: the calls are one of these lists.
    tool_sequence: Option<ToolSequence>,
    /// Arguments that a call of a tool has.
    tool_input_assertions: Option<Vec<ToolInputSettings>>,
    /// Assertions about the final answer.
    response_assertions: Option<Vec<Assertion>>,
    /// Questions to a judge about the final answer.
    agent_assertions: Option<Vec<AgentAssertion>>,
    /// What the judge sees beside the answer. Default: nothing.
    agent_context: Option<JudgeContext>,
}

/// Which tools are called.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct ToolConstraints {
    /// Each of these tools is called at least once, in any order.
    required_tools: Option<Vec<String>>,
    /// None of these tools is called.
    forbidden_tools: Option<Vec<String>>,
}

/// The order of calls.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
enum ToolSequence {
    InOrder(Vec<String>),
    Whole(AllowedSequences),
}

/// Whole sequences.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct AllowedSequences {
    /// Lists of tools. All calls of the run equal one of these lists.
    allow: Option<Vec<Vec<String>>>,
}

/// A question to a judge.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
struct AgentAssertion {
    /// The name of the question.
    label: Option<String>,
    /// The question that the judge decides.
    prompt: Option<String>,
}

/// An assertion about the final answer: a check and its settings.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "assertion"))]
struct Assertion {
    /// The check.
    r#type: AssertionType,
    /// The text.
    value: Option<String>,
    /// `true`: case counts. Default: case does not count.
    case_sensitive: Option<bool>,
    /// The regular expression.
    pattern: Option<String>,
    /// The flags of the regular expression.
    flags: Option<String>,
    /// The JSONPath.
    path: Option<String>,
    /// The value that the path selects.
    equals: Option<Value>,
    /// `fenced`: one fenced block of the answer counts too. Default: `strict`.
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
    /// The gate: one call of any of these tools, and the case fails with score 0.
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
    /// Patterns that are found in the answer.
    regex_patterns: Option<Texts>,
    /// Another name of `regex_patterns`.
    regex: Option<Texts>,
    /// The JSON Schema that the answer follows, or a file that contains it.
    json_schema: Option<SchemaOrFile>,
}

/// What a score and its limits must reach.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, rename = "thresholds"))]
pub(super) struct Thresholds {
    /// The least score, from 0 to 100. Required where something is scored.
    min_score: Option<Points>,
    /// The highest cost of a run, in US dollars.
    max_cost: Option<Amount>,
    /// The longest duration of a run: milliseconds, or a text such as `3s`.
    max_latency: Option<Time>,
    /// The weight of each dimension.
    weights: Option<Weights>,
    /// What several runs must reach.
    variance: Option<Variance>,
}

/// The weight of each dimension.
pub(super) type Weights = BTreeMap<String, Share>;

/// What a broken output assertion does.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename_all = "snake_case", inline))]
pub(super) enum OutputAssertions {
    /// The case fails. The default.
    Gate,
    /// It only costs points.
    Score,
}

/// How the sequence is compared.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(super) struct AdapterConfig {
    /// How the calls follow the sequence.
    sequence_mode: Option<crate::check::SequenceMode>,
}

/// Checks that are switched on.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(super) struct Switches {
    /// Nothing in the answer is made up.
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
    input: Option<String>,
    /// Another name of `query`.
    prompt: Option<String>,
    /// What is expected of this turn.
    expected: Option<Expected>,
}

/// A recorded run that was good: its file, or the file with limits.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, inline))]
pub(super) enum Baseline {
    File(String),
    Limits(BaselineLimits),
}

/// A recorded run, and how far a run may differ from it.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(deny_unknown_fields, inline))]
pub(super) struct BaselineLimits {
    /// The recorded run.
    file: String,
    /// The points that the score may drop.
    max_drop: Option<f64>,
    /// The least similarity of the answers, from 0 to 1.
    similarity: Option<Share>,
    /// The differences that fail.
    fail_on: Option<Changes>,
}

/// One difference, or several.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(untagged, rename = "changes"))]
pub(super) enum Changes {
    One(FailingChange),
    Many(Vec<FailingChange>),
}

/// A difference that may fail a case.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename_all = "SCREAMING_SNAKE_CASE", inline))]
pub(super) enum FailingChange {
    Regression,
    ToolsChanged,
    OutputChanged,
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
