//! `eval:` tool constraints and sequence, tool input and response assertions, questions to a judge (`MCPLab`'s users).
//!
//! ```yaml
//! eval:
//!   tool_constraints: {required_tools: [search], forbidden_tools: [delete_order]}
//!   tool_sequence: [search, summarize]
//!   tool_input_assertions: [{tool: search, type: contains, value: oslo}]
//!   response_assertions: [{type: contains, value: shipped}]
//!   agent_assertions: [{label: polite, prompt: Is the answer polite?}]
//! ```

use serde::Deserialize;

use super::gathered_settings::GatheredSettings;
use super::{CaseNode, Vocabulary};
use crate::JsonSchema;
use crate::case::{Expectation, LoweredBlock};
use crate::check::Registry;
use crate::check::support::forms::{
    AgentCheckSettings, ForbiddenToolsSettings, RequiredToolsSettings, ToolInputSettings,
    ToolSequenceSettings,
};
use crate::evidence::JudgeContext;
use crate::place::LoadErrors;
use crate::yaml::{
    Build, Checked, Key, ListOr, Node, Placed, Tree, Unparsed, Value, did_you_mean, even_null, read_all,
};

pub(super) const VOCABULARY: Vocabulary =
    Vocabulary { key: "eval", unfold, lower, settings_beside: false, other_keys: &[] };

/// The types of response assertions: each is a check of this name.
const RESPONSE: &[&str] = &[
    "contains",
    "ends_with",
    "equals",
    "jsonpath",
    "jsonpath_exists",
    "jsonpath_not_exists",
    "not_contains",
    "regex",
    "starts_with",
];

/// The block `eval`.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "eval")]
#[serde(deny_unknown_fields)]
pub(crate) struct EvalBlock {
    /// Which tools are called.
    #[serde(default, deserialize_with = "even_null")]
    tool_constraints: Option<Unparsed<ToolConstraints>>,
    /// The tools, in the order of their calls. `{allow: [..]}`: the calls equal one of these lists.
    #[serde(default, deserialize_with = "even_null")]
    tool_sequence: Option<Unparsed<ListOr<String, ToolSequenceSettings>>>,
    /// Assertions about the arguments of calls.
    #[serde(default, deserialize_with = "even_null")]
    tool_input_assertions: Option<Unparsed<Vec<ToolInputSettings>>>,
    /// Assertions about the final answer.
    #[serde(default, deserialize_with = "even_null")]
    response_assertions: Option<Unparsed<Vec<ResponseAssertion>>>,
    /// Questions to a judge about the final answer.
    #[serde(default, deserialize_with = "even_null")]
    agent_assertions: Option<Unparsed<Vec<AgentCheckSettings>>>,
    /// What the judge sees in addition to the answer. Default: nothing.
    #[serde(default, deserialize_with = "even_null")]
    agent_context: Option<Unparsed<JudgeContext>>,
}

/// Which tools are called.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct ToolConstraints {
    /// Each of these tools is called at least once, in any order.
    #[serde(default, deserialize_with = "even_null")]
    required_tools: Option<Unparsed<ListOr<String, RequiredToolsSettings>>>,
    /// None of these tools is called.
    #[serde(default, deserialize_with = "even_null")]
    forbidden_tools: Option<Unparsed<ListOr<String, ForbiddenToolsSettings>>>,
}

/// An assertion about the final answer: a check, beside whose name its settings stand.
#[derive(Deserialize)]
struct ResponseAssertion {
    #[serde(default, deserialize_with = "even_null")]
    r#type: Option<Placed<Checked<ResponseType>>>,
}

/// The name of the check that a response assertion is.
#[derive(Deserialize)]
struct ResponseType(String);

impl Build for ResponseType {
    type Built = &'static str;

    fn build(written: Placed<Self>) -> Result<&'static str, LoadErrors> {
        let name = written.0.as_str();
        let found = RESPONSE.iter().copied().find(|known| *known == name);
        found.ok_or_else(|| {
            let error = written.error(format!("there is no assertion `{name}`"));
            error.help_if(did_you_mean(name, RESPONSE)).into()
        })
    }
}

/// Rewrites a bare list of tools as `{tools: [..]}`, the settings of its check.
fn unfold(case: &mut [(Key, Tree)], _kinds: &Registry) {
    let Some(block) = find_entry(case, "eval") else { return };
    let Value::Map(entries) = &mut block.value else { return };
    find_entry(entries, "tool_sequence").map(name_tools);
    let Some(constraints) = find_entry(entries, "tool_constraints") else { return };
    let Value::Map(entries) = &mut constraints.value else { return };
    find_entry(entries, "required_tools").map(name_tools);
    find_entry(entries, "forbidden_tools").map(name_tools);
}

fn find_entry<'t>(entries: &'t mut [(Key, Tree)], name: &str) -> Option<&'t mut Tree> {
    entries.iter_mut().find(|(key, _)| key.name == name).map(|(_, tree)| tree)
}

fn name_tools(settings: &mut Tree) {
    if !matches!(settings.value, Value::Map(_)) {
        super::wrap(settings, "tools");
    }
}

fn lower(case: &CaseNode<'_>) -> Result<LoweredBlock, LoadErrors> {
    let Some(node) = case.node.get("eval") else { return Ok(LoweredBlock::default()) };
    let mut errors = LoadErrors::new();
    let mut found = Vec::new();
    let block: EvalBlock = node.decode_rest(&mut errors).unwrap_or_default();
    if let Some(constraints) = &block.tool_constraints {
        found.extend(errors.take(lower_tool_constraints(case, constraints.node())).into_iter().flatten());
    }
    if let Some(settings) = &block.tool_sequence {
        let place = node.key_place("tool_sequence");
        let check = case.read_check("tool_sequence", place, "/eval/tool_sequence", settings.node());
        found.extend(errors.take(check));
    }
    if let Some(list) = &block.tool_input_assertions {
        let lowered = lower_assertions(case, "tool_input_assertions", list.node(), |entry, pointer| {
            case.read_check("tool_input", entry.place(), pointer, entry)
        });
        found.extend(errors.take(lowered).into_iter().flatten());
    }
    if let Some(list) = &block.response_assertions {
        let lowered = lower_assertions(case, "response_assertions", list.node(), |entry, pointer| {
            lower_response_assertion(case, entry, pointer)
        });
        found.extend(errors.take(lowered).into_iter().flatten());
    }
    match (&block.agent_assertions, &block.agent_context) {
        (Some(list), context) => {
            let context = context.as_ref().map(Unparsed::node);
            let lowered = lower_agent_checks(case, list.node(), context);
            found.extend(errors.take(lowered).into_iter().flatten());
        }
        // The context is for the questions: without them a typo in their key would be silent.
        (None, Some(context)) => {
            let problem = "`agent_context` has no effect here: there are no `agent_assertions`";
            errors.push(context.node().error(problem));
        }
        (None, None) => {}
    }
    errors.or(found.into())
}

/// Lowers `agent_assertions`, questions to a judge. `agent_context` sets what the judge sees besides the answer.
fn lower_agent_checks(
    case: &CaseNode<'_>,
    list: Node<'_>,
    context: Option<Node<'_>>,
) -> Result<Vec<Expectation>, LoadErrors> {
    let mut errors = LoadErrors::new();
    let mut found = Vec::new();
    let entries = errors.take(case.entries(list, "`agent_assertions` is a list of questions"));
    // A context that is wrong is reported once, and not with each question.
    let context = context.filter(|node| errors.take(node.decode::<JudgeContext>()).is_some());
    for entry in entries.into_iter().flatten() {
        let read = GatheredSettings::of(entry, "an agent assertion")
            .map(|settings| settings.with("context", context));
        let Some(settings) = errors.take(read) else { continue };
        found.extend(errors.take(settings.read("agent_check", case.scope)));
    }
    errors.or(found)
}

fn lower_tool_constraints(case: &CaseNode<'_>, node: Node<'_>) -> Result<Vec<Expectation>, LoadErrors> {
    let mut errors = LoadErrors::new();
    let constraints: ToolConstraints = node.decode_rest(&mut errors).unwrap_or_default();
    let required = constraints.required_tools.as_ref().map(Unparsed::node);
    let forbidden = constraints.forbidden_tools.as_ref().map(Unparsed::node);
    let mut found = Vec::new();
    for (check, settings) in [("required_tools", required), ("forbidden_tools", forbidden)] {
        let Some(settings) = settings else { continue };
        // Each list is the check of its name, whose violations point into the block of the user.
        let pointer = format!("/eval/tool_constraints/{check}");
        found.extend(errors.take(case.read_check(check, node.key_place(check), &pointer, settings)));
    }
    errors.or(found)
}

/// Lowers a list of assertions, each to its own check. `lower` takes an assertion, and the pointer to it.
fn lower_assertions(
    case: &CaseNode<'_>,
    key: &str,
    list: Node<'_>,
    lower: impl Fn(Node<'_>, &str) -> Result<Expectation, LoadErrors>,
) -> Result<Vec<Expectation>, LoadErrors> {
    let entries = case.entries(list, &format!("`{key}` is a list of assertions"))?;
    let assertions = entries.into_iter().enumerate();
    read_all(assertions.map(|(index, entry)| lower(entry, &format!("/eval/{key}/{index}"))))
}

fn lower_response_assertion(
    case: &CaseNode<'_>,
    entry: Node<'_>,
    pointer: &str,
) -> Result<Expectation, LoadErrors> {
    let Some(check) = entry.decode_own::<ResponseAssertion>(&["type"])?.r#type else {
        let error = entry.error("an assertion says its `type`");
        return Err(error.help(format!("one of `{}`", RESPONSE.join("`, `"))).into());
    };
    case.read_check(check.0, check.place().clone(), pointer, entry.without(&["type"]))
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::{RESPONSE, ResponseAssertion};
    use crate::check::BUILTIN;

    /// The settings of an assertion are those of the checks. Which of them belong to its type, the check says.
    impl JsonSchema for ResponseAssertion {
        fn schema_name() -> Cow<'static, str> {
            "assertion".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let mut properties = serde_json::Map::new();
            properties.insert(
                "type".to_owned(),
                serde_json::json!({"type": "string", "enum": RESPONSE, "description": "The check."}),
            );
            for kind in BUILTIN.iter().filter(|kind| RESPONSE.contains(&kind.name)) {
                let settings = kind.schema.map(|describe| describe(generator));
                let described =
                    settings.as_ref().and_then(|settings| settings.get("properties")?.as_object());
                for (name, setting) in described.into_iter().flatten() {
                    properties.entry(name).or_insert_with(|| setting.clone());
                }
            }
            json_schema!({
                "type": "object",
                "properties": properties,
                "additionalProperties": false,
                "required": ["type"],
            })
        }
    }
}
