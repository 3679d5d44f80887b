//! Forms of values that settings have, for the schema: types that only describe what is read by hand.
#![expect(dead_code, reason = "the types describe forms, and hold no value")]

use crate::json::JsonMap;
#[cfg(feature = "schema")]
use crate::json::{Json, json};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// One text, or a list of texts.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, rename = "texts"))]
pub(crate) enum Texts {
    One(String),
    Many(Vec<String>),
}

pub(crate) use crate::yaml::Time;

/// One check with its settings, as in a list under `expect`.
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(schema_with = "refer_to_entry", description = "", inline)
)]
pub(crate) struct ExpectEntry;

#[cfg(feature = "schema")]
fn refer_to_entry(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"$ref": "#/definitions/entry_of_expect"})
}

/// A JSON Schema: a mapping, `true` or `false`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
pub(crate) enum InlineSchema {
    Keywords(JsonMap),
    Always(bool),
}

/// A JSON Schema, or a file that contains one.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
pub(crate) enum SchemaOrFile {
    File(String),
    Inline(InlineSchema),
}

/// The JSON Schema of each tool or argument.
pub(crate) type SchemasByName = BTreeMap<String, InlineSchema>;

/// A policy, or a file that contains one.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
pub(crate) enum PolicyOrFile {
    File(String),
    Inline(JsonMap),
}

/// A tool of a rule: a name, a glob, an alias, or `{tool, args_match}`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
pub(crate) enum RuleTool {
    Name(String),
    WithArguments(JsonMap),
}

/// One tool of a rule, or several.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
pub(crate) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

type RuleTools = OneOrMany<RuleTool>;

/// A number of calls, or `any`.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(untagged, inline))]
enum RuleWindow {
    Calls(NonZeroUsize),
    Any(AnyCalls),
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename_all = "snake_case", inline))]
enum AnyCalls {
    Any,
}

/// The keys of each type of rule, beside `type`.
#[cfg(feature = "schema")]
const RULE_KEYS: &[(&str, &[&str])] = &[
    ("require", &["tool", "tools"]),
    ("before", &["first", "then"]),
    ("immediately_before", &["first", "then"]),
    ("blocklist", &["tools", "pattern"]),
    ("allowlist", &["tools"]),
    ("count", &["tool", "min", "max", "exactly"]),
    ("max_calls", &["tool", "max"]),
    ("eventually", &["tool", "within"]),
    ("after", &["trigger", "then", "within"]),
    ("never_after", &["trigger", "forbidden"]),
    ("sequence", &["tools", "strict"]),
];

/// Allows the keys of a rule's type only.
#[cfg(feature = "schema")]
fn narrow_by_type(schema: &mut schemars::Schema) {
    let Some(serde_json::Value::Object(keys)) = schema.remove("properties") else { return };
    schema.remove("additionalProperties");
    let narrowed = RULE_KEYS.iter().map(|(name, own)| {
        let own = own.iter().map(|key| ((*key).to_owned(), keys[*key].clone()));
        json!({
            "if": {"required": ["type"], "properties": {"type": {"const": name}}},
            "then": {
                "properties": own.collect::<serde_json::Map<_, _>>(),
                "patternProperties": {"^type$": true},
                "additionalProperties": false,
            },
        })
    });
    let narrowed: Vec<Json> = narrowed.collect();
    schema.insert("allOf".to_owned(), narrowed.into());
    schema.insert("properties".to_owned(), json!({"type": keys["type"]}).into());
}

/// A rule of `sequence_valid`.
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields, rename = "rule", transform = narrow_by_type)
)]
pub(crate) struct OrderRule {
    /// The type of the rule.
    r#type: OrderRuleType,
    /// The tool: a name, a glob, an alias, or `{tool, args_match}`.
    tool: Option<RuleTools>,
    /// The tools.
    tools: Option<RuleTools>,
    /// The tools that come first.
    first: Option<RuleTools>,
    /// The tools that follow.
    then: Option<RuleTools>,
    /// The tool that triggers the rule.
    trigger: Option<RuleTools>,
    /// The tool that must not follow.
    forbidden: Option<RuleTools>,
    /// A glob. Without glob characters, it is a part of the name.
    pattern: Option<String>,
    /// The minimum number of calls.
    min: Option<u64>,
    /// The maximum number of calls.
    max: Option<u64>,
    /// The exact number of calls.
    exactly: Option<u64>,
    /// The number of calls within which the tool is called, or `any`.
    within: Option<RuleWindow>,
    /// `true`: no other call comes between.
    strict: Option<bool>,
}

/// The types of rules.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename_all = "snake_case", inline))]
enum OrderRuleType {
    /// Each of the tools is called.
    Require,
    /// Each `first` is called before the first call of each `then`.
    Before,
    /// Each call of `then` comes directly after a call of `first`.
    ImmediatelyBefore,
    /// None of the tools is called.
    Blocklist,
    /// No other tool is called.
    Allowlist,
    /// The number of calls is within the bounds.
    Count,
    /// The tool is called at most `max` times.
    MaxCalls,
    /// The tool is among the first `within` calls.
    Eventually,
    /// Each `then` follows each call of `trigger` within this many calls.
    After,
    /// After the first call of `trigger` there is no call of `forbidden`.
    NeverAfter,
    /// Once one of the tools is called, all are, in this order.
    Sequence,
}
