//! `mocks:` the tools that arraign's own MCP server offers to the agent.
//!
//! ```yaml
//! mocks:
//!   tools:
//!     get_order: [{when: {id: 7}, return: {status: shipped}}, {return: {error: not found}, failed: true}]
//!     search: {return: [], delay: 2s}
//!   otherwise: refuse
//!   decoys: [delete_order]
//!   definitions: schemas/tools.json
//!   state: {orders: {"7": {status: shipped}}}
//! ```

mod answer;
mod definitions;
mod state;

use serde::Deserialize;

use answer::{DraftedAnswer, WrittenAnswer};
use definitions::{ToolDefinitions, WrittenDefinitions};
use state::{InitialStateForm, read_state};

use super::agent::{CommandWords, VariableName, require_feature};
use crate::JsonSchema;
use std::sync::Arc;

use crate::case::{CommandLine, MockAnswer, MockContent, MockTool, MockTools, ToolScript};
use crate::check::Scope;
use crate::check::world::{parse_pointer, refuse_unknown_member};
use crate::evidence::Injection;
use crate::json::{Json, JsonMap, JsonText};
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{
    Build, Checked, MappingOr, Node, OneOrMany, OrderedMap, Placed, Unparsed, did_you_mean, even_null,
};

/// The name of the server in traces, unless the case gives another.
const DEFAULT_NAME: &str = "mocks";

/// The longest name of a tool that clients accept.
const MAX_NAME_CHARS: usize = 128;

/// The tools that an MCP server of arraign's own offers.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "mocks")]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenMocks {
    /// The name of the server in the trace. Default: `mocks`.
    name: Option<String>,
    /// The answers of each tool.
    #[serde(default)]
    tools: OrderedMap<Placed<ToolName>, Checked<WrittenAnswers>>,
    /// The answer to all other calls. Default: `refuse`, an error that fails the trial.
    otherwise: Option<Placed<MappingOr<Checked<WrittenAnswer>, Refuse>>>,
    /// Tools that are offered. To call one is a violation.
    #[serde(default)]
    decoys: OneOrMany<Placed<ToolName>>,
    /// The descriptions and schemas of the tools: what a server answers to `tools/list`, or the file with it.
    definitions: Option<Unparsed<WrittenDefinitions>>,
    /// The state behind the tools, in which each run begins: a value, or the file with it.
    #[serde(default, deserialize_with = "even_null")]
    state: Option<Unparsed<InitialStateForm>>,
    /// The time that `{{now}}` stands for in all runs. Default: `2026-01-01T00:00:00Z`.
    now: Option<Placed<String>>,
    /// Whether a call fails if its arguments do not satisfy the `inputSchema` in the `definitions`. Default: true.
    check_arguments: Option<Placed<bool>>,
    /// An existing MCP server. Its answers are recorded, and replayed later.
    server: Option<Placed<RecordedServer>>,
    /// A text that is added to the results of a tool, as an attacker would who writes what the tool reads.
    inject: Option<Placed<WrittenInjection>>,
}

/// A text that is added to the results of a tool.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct WrittenInjection {
    /// The tool.
    tool: Placed<ToolName>,
    /// The JSON Pointer to the text in its results that gets the addition. Default: results that are a text.
    #[serde(default)]
    at: Option<Placed<String>>,
    /// The added text.
    text: Placed<String>,
}

/// The word for an error that fails the trial.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline, extend("enum" = ["refuse"]))]
#[serde(try_from = "String")]
struct Refuse(#[expect(dead_code, reason = "there is only one such word")] String);

impl TryFrom<String> for Refuse {
    type Error = &'static str;

    fn try_from(word: String) -> Result<Self, Self::Error> {
        let problem = "`otherwise` is `refuse`, or an answer such as `{return: not found, failed: true}`";
        if word == "refuse" { Ok(Self(word)) } else { Err(problem) }
    }
}

/// An MCP server that speaks over its standard streams.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
struct RecordedServer {
    /// The program and its arguments. There is no shell.
    command: Checked<CommandWords>,
    /// The variables that the program sees, by name.
    #[serde(default)]
    env: Vec<VariableName>,
    /// The working folder of the program, relative to the package's.
    cwd: Option<String>,
}

/// The name of a tool, as clients of MCP accept it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline)]
struct ToolName(String);

impl TryFrom<String> for ToolName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
        if !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(is_letter) {
            return Ok(Self(name));
        }
        Err(format!(
            "`{name}` is no name of a tool: letters, digits, `_`, `-` and `.`, at most {MAX_NAME_CHARS}"
        ))
    }
}

/// The time of a state, unless the case gives another.
const DEFAULT_NOW: &str = "2026-01-01T00:00:00Z";

/// Parses the mock tools of a case. Its calls can be checked in every build, but only one with the feature `mocks` serves them
/// to the agent.
pub(super) fn parse_mocks(
    node: Node<'_>,
    scope: &Scope<'_>,
    has_agent: bool,
) -> Result<MockTools, LoadErrors> {
    if has_agent || node.get("state").is_none() {
        require_feature(&node.place(), "mocks", "mocks", cfg!(feature = "mocks"))?;
    }
    let mut written: WrittenMocks = node.decode_all()?;
    let mut errors = LoadErrors::new();
    let mut files = Vec::new();
    let defined = written.definitions.as_ref().map(Unparsed::node);
    let are_checked = written.check_arguments.as_ref().is_none_or(|checked| **checked);
    let definitions = defined.and_then(|node| errors.take(ToolDefinitions::parse(node, scope, are_checked)));
    let mut definitions = definitions.unwrap_or_default();
    if let Some(checked) = written.check_arguments.as_ref().filter(|_| defined.is_none()) {
        errors.push(checked.error("`check_arguments` has no effect here: there are no `definitions`"));
    }
    files.extend(defined.filter(|node| node.as_str().is_some()).and_then(|file| scope.path(file).ok()));
    let state = written.state.as_ref().map(|state| state.node());
    let is_stateful = state.is_some();
    let state = state.and_then(|state| errors.take(read_state(state, scope)));
    let mut definition = definitions.define(node);
    if let Some((_, Some((path, hash)))) = &state {
        files.push(path.clone());
        definition["state"] = hash.as_str().into();
    }
    if let Some(now) = written.now.as_ref().filter(|_| !is_stateful) {
        errors.push(now.error("`now` has no effect here: there is no `state`"));
    }
    let now = written.now.take().map_or_else(|| DEFAULT_NOW.to_owned(), Placed::into_value);
    let state = state.map(|(shared, _)| crate::check::world::InitialState { shared, now });
    let mut pointers = Vec::new();
    let mut tools = Vec::with_capacity(written.tools.0.len());
    for (name, answers) in written.tools.0 {
        errors.take(definitions.require(&name));
        let listed = definitions.list_tool(&name.0);
        let mut built = Vec::with_capacity(answers.0.len());
        for mut answer in answers.0 {
            if is_stateful {
                errors.take(answer.fill_return());
                errors.take(refuse_unknown_arguments(&answer, &name.0, &listed));
            } else {
                errors.take(refuse_stateless(&answer));
            }
            pointers.append(&mut answer.pointers);
            built.push(answer.answer);
        }
        let place = name.place().clone();
        let schema = definitions.take_schema(&name.0);
        tools.push(MockTool { name: name.into_value().0, place, listed, schema, answers: built });
    }
    let decoys = written.decoys.0.into_iter().map(|name| {
        let answer = MockAnswer::fixed(MockContent::Value("ok".into()));
        let listed = definitions.list_tool(&name.0);
        let place = name.place().clone();
        MockTool { listed, place, schema: None, name: name.into_value().0, answers: vec![answer] }
    });
    if let (Some(otherwise), Some(_)) = (&written.otherwise, &written.server) {
        let problem = "`otherwise` has no effect here: the `server` answers all other calls";
        errors.push(otherwise.error(problem));
    }
    let otherwise = written.otherwise.and_then(|otherwise| match otherwise.into_value() {
        MappingOr::Short(_) => None,
        MappingOr::Mapping(answer) => Some(answer.0),
    });
    let otherwise = otherwise.map(|mut otherwise| {
        if is_stateful {
            errors.take(otherwise.fill_return());
        } else {
            errors.take(refuse_stateless(&otherwise));
        }
        pointers.append(&mut otherwise.pointers);
        otherwise
    });
    let server_place = written.server.as_ref().map(|server| server.place().clone());
    let server = written.server.map(Placed::into_value).map(|server| {
        let env = server.env.into_iter().map(|name| name.0).collect();
        CommandLine { env, cwd: server.cwd, ..server.command.0 }
    });
    let otherwise = otherwise.map(|otherwise| otherwise.answer);
    let mut script = ToolScript { tools, decoys: decoys.collect(), otherwise, state, has_programs: false };
    script.has_programs = !script.list_programs().is_empty();
    for (place, pointer, is_new) in pointers {
        // A member that some tool puts there may be absent at first.
        if let Some(first) = pointer.first_literal().filter(|_| !is_new)
            && let Err((problem, help)) = refuse_unknown_member(first, &script)
        {
            errors.push(LoadError::new(place, problem).help_if(help));
        }
    }
    // A tool that could not be parsed is reported already; without the last condition it would count as none.
    if script.list_tools().next().is_none() && server.is_none() && errors.is_empty() {
        let error = node.error("`mocks` offers no tool");
        // Who writes definitions alone expects the tools of somewhere else.
        let help = if defined.is_some() {
            "`definitions` describes tools, and `tools` says which are offered and what they answer; `mocks` of a variant \
             are in place of those of the cases: `tools: {get_order: {return: {status: shipped}}}`"
        } else {
            "for example `tools: {get_order: {return: {status: shipped}}}`"
        };
        errors.push(error.help(help));
    }
    let injection = written.inject.map(Placed::into_value);
    let injection =
        injection.and_then(|written| errors.take(read_injection(written, &script, server.is_some())));
    errors.sort_by_place();
    errors.or(MockTools {
        name: written.name.unwrap_or_else(|| DEFAULT_NAME.to_owned()),
        script: Arc::new(script),
        decoys_place: node.get("decoys").map(Node::place),
        injection: injection.map(Arc::new),
        server,
        server_place,
        files,
        definition,
    })
}

/// Reads the text that is added to the results of a tool. With a recorded server, the tool may be one of the server's.
fn read_injection(
    written: WrittenInjection,
    script: &ToolScript,
    has_server: bool,
) -> Result<Injection, LoadErrors> {
    let mut errors = LoadErrors::new();
    let WrittenInjection { tool, at, text } = written;
    let known: Vec<&str> = script.list_tools().map(|tool| tool.name.as_str()).collect();
    if !has_server && !known.contains(&tool.0.as_str()) {
        let error = tool.error(format!("`{}` is not one of the mock tools", tool.0));
        errors.push(error.help_if(did_you_mean(&tool.0, &known)));
    }
    if text.trim().is_empty() {
        errors.push(text.error("an empty text asks for nothing"));
    }
    if let Some(at) = &at {
        errors.take(at.try_map(|at| parse_pointer(at).map(drop)));
    }
    let at = at.map(Placed::into_value).unwrap_or_default();
    errors.or(Injection { tool: tool.into_value().0, at, text: text.into_value() })
}

/// Refuses an answer that needs a state, if the tools have no state.
fn refuse_stateless(answer: &DraftedAnswer) -> Result<(), LoadError> {
    let Some(place) = answer.needs_state() else { return Ok(()) };
    let error = LoadError::new(place.clone(), "there is no state behind these tools");
    Err(error.help("give `mocks` its `state`: a value, or the file with it"))
}

/// Refuses placeholders of arguments that the definition of the tool does not have.
fn refuse_unknown_arguments(answer: &DraftedAnswer, tool: &str, listed: &JsonMap) -> Result<(), LoadErrors> {
    let properties = listed.get("inputSchema").and_then(|schema| schema.get("properties"));
    let Some(Json::Object(properties)) = properties else { return Ok(()) };
    let known: Vec<&str> = properties.keys().map(JsonText::as_str).collect();
    let mut errors = LoadErrors::new();
    for (place, name) in &answer.arguments {
        let first = name.split('.').next().unwrap_or_default();
        if !properties.contains_key(name) && !properties.contains_key(first) {
            let problem = format!("`{{{{{name}}}}}` is no argument of `{tool}`, as its definition says");
            errors.push(LoadError::new(place.clone(), problem).help_if(did_you_mean(first, &known)));
        }
    }
    errors.or(())
}

/// One answer, or several: the first that applies is given.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
struct WrittenAnswers(OneOrMany<Placed<Checked<WrittenAnswer>>>);

impl Build for WrittenAnswers {
    type Built = Vec<DraftedAnswer>;

    fn build(written: Placed<Self>) -> Result<Vec<DraftedAnswer>, LoadErrors> {
        let mut errors = LoadErrors::new();
        if written.0.0.is_empty() {
            errors.push(written.error("a mock tool needs an answer: `{return: ...}`"));
        }
        let mut answers: Vec<DraftedAnswer> = Vec::with_capacity(written.0.0.len());
        for answer in written.into_value().0.0 {
            // An answer without a condition and a number takes every call, so what follows it is dead.
            // One that the state may not allow makes room, too.
            let takes_all = |last: &DraftedAnswer| {
                last.answer.when.is_none() && last.answer.times.is_none() && last.needs_state().is_none()
            };
            if answers.last().is_some_and(takes_all) {
                let error = answer.error("this answer is never given: the one before it answers all calls");
                errors.push(error.help("give the one before it a `when` or `times`"));
            }
            answers.push(answer.into_value().0);
        }
        errors.or(answers)
    }
}
