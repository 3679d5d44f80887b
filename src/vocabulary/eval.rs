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

use super::gathered_settings::GatheredSettings;
use super::{CaseNode, Vocabulary};
use crate::case::{Expectation, LoweredBlock};
use crate::check::Registry;
use crate::evidence::JudgeContext;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Fields, Key, Node, Tree, Value, did_you_mean, read_all};

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
    let Some(block) = case.node.get("eval") else { return Ok(LoweredBlock::default()) };
    let mut fields = Fields::of(block, "`eval`")?;
    let mut found = Vec::new();
    if let Some(constraints) = fields.node("tool_constraints") {
        found.extend(fields.take(lower_tool_constraints(case, constraints)).into_iter().flatten());
    }
    if let Some(settings) = fields.node("tool_sequence") {
        let place = block.key_place("tool_sequence");
        let check = case.read_check("tool_sequence", place, "/eval/tool_sequence", settings);
        found.extend(fields.take(check));
    }
    for (key, types) in [("tool_input_assertions", &["tool_input"][..]), ("response_assertions", RESPONSE)] {
        if let Some(list) = fields.node(key) {
            found.extend(fields.take(lower_assertions(case, key, list, types)).into_iter().flatten());
        }
    }
    let questions = fields.node("agent_assertions");
    let context = fields.node("agent_context");
    match (questions, context) {
        (Some(list), _) => {
            found.extend(fields.take(lower_agent_checks(case, list, context)).into_iter().flatten());
        }
        // The context is for the questions: without them a typo in their key would be silent.
        (None, Some(node)) => {
            let error = node.error("`agent_context` has no effect here: there are no `agent_assertions`");
            fields.errors.push(error);
        }
        (None, None) => {}
    }
    fields.finish(found.into())
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
    let mut fields = Fields::of(node, "`tool_constraints`")?;
    let mut found = Vec::new();
    for check in ["required_tools", "forbidden_tools"] {
        if let Some(settings) = fields.node(check) {
            // Each list is the check of its name, whose violations point into the block of the user.
            let pointer = format!("/eval/tool_constraints/{check}");
            found.extend(fields.take(case.read_check(check, node.key_place(check), &pointer, settings)));
        }
    }
    fields.finish(found)
}

/// Lowers a list of assertions, each to its own check.
fn lower_assertions(
    case: &CaseNode<'_>,
    key: &str,
    list: Node<'_>,
    types: &[&'static str],
) -> Result<Vec<Expectation>, LoadErrors> {
    let entries = case.entries(list, &format!("`{key}` is a list of assertions"))?;
    read_all(entries.into_iter().enumerate().map(|(index, entry)| {
        let pointer = format!("/eval/{key}/{index}");
        lower_assertion(case, entry, &pointer, types)
    }))
}

fn lower_assertion(
    case: &CaseNode<'_>,
    entry: Node<'_>,
    pointer: &str,
    types: &[&'static str],
) -> Result<Expectation, LoadErrors> {
    // An input assertion's type is a setting of its one check; a response assertion's type is the check.
    if let [check] = types {
        return case.read_check(check, entry.place(), pointer, entry);
    }
    let Some(node) = entry.get("type") else {
        return Err(entry
            .error("an assertion says its `type`")
            .help(format!("one of `{}`", types.join("`, `")))
            .into());
    };
    let name: String = node.decode()?;
    let Some(check) = types.iter().find(|known| **known == name) else {
        return Err(unknown_type_error(&name, node.place(), types).into());
    };
    case.read_check(check, node.place(), pointer, entry.without(&["type"]))
}

fn unknown_type_error(name: &str, place: Place, types: &[&'static str]) -> LoadError {
    let error = LoadError::new(place, format!("there is no assertion `{name}`"));
    error.help_if(did_you_mean(name, types))
}
