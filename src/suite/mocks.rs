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
//! ```

mod answer;
mod definitions;

use answer::parse_answer;
use definitions::ToolDefinitions;

use super::agent::{feature_error, parse_variables, parse_words};
use crate::case::{CommandLine, MockAnswer, MockContent, MockTool, MockTools};
use crate::check::Scope;
use crate::place::{LoadError, LoadErrors};
use crate::yaml::{Fields, Node, read_all};

/// The name of the server in traces, unless the case gives another.
const DEFAULT_NAME: &str = "mocks";

/// The longest name of a tool that clients accept.
const MAX_NAME_CHARS: usize = 128;

/// Parses the mock tools of a case.
pub(super) fn parse_mocks(node: Node<'_>, scope: &Scope<'_>) -> Result<MockTools, LoadErrors> {
    feature_error(node, "mocks", ("mocks", cfg!(feature = "mocks")))?;
    let mut fields = Fields::of(node, "`mocks`")?;
    let defined = fields.node("definitions");
    let definitions =
        defined.and_then(|node| fields.take(ToolDefinitions::parse(node, scope))).unwrap_or_default();
    let tools = fields.node("tools").and_then(|node| fields.take(parse_tools(node, &definitions)));
    let decoys = fields.node("decoys").and_then(|node| fields.take(parse_decoys(node, &definitions)));
    let (otherwise, server) = (fields.node("otherwise"), fields.node("server"));
    if let (Some(otherwise), Some(_)) = (otherwise, server) {
        let error = otherwise.error("`otherwise` has no effect here: the `server` answers all other calls");
        fields.errors.push(error);
    }
    let mocks = MockTools {
        name: fields.optional("name").unwrap_or_else(|| DEFAULT_NAME.to_owned()),
        tools: tools.unwrap_or_default(),
        decoys: decoys.unwrap_or_default(),
        otherwise: otherwise.and_then(|node| fields.take(parse_otherwise(node))).flatten(),
        server: server.and_then(|node| fields.take(parse_server(node))),
        definitions: defined.filter(|node| node.as_str().is_some()).and_then(|file| scope.path(file).ok()),
        definition: definitions.define(node),
    };
    // A tool that could not be parsed is reported already; without the last condition it would count as none.
    if mocks.tools.is_empty() && mocks.decoys.is_empty() && mocks.server.is_none() && fields.errors.is_empty()
    {
        let error = node.error("`mocks` offers no tool");
        fields.errors.push(error.help("for example `tools: {get_order: {return: {status: shipped}}}`"));
    }
    fields.finish(mocks)
}

fn parse_tools(node: Node<'_>, definitions: &ToolDefinitions) -> Result<Vec<MockTool>, LoadErrors> {
    let Some(entries) = node.entries() else {
        let error = node.error("`tools` is a mapping of names to answers");
        return Err(error.help("for example `{get_order: {return: {status: shipped}}}`").into());
    };
    let mut errors = LoadErrors::new();
    let tools = entries.filter_map(|(key, answers)| {
        let place = node.key_place(&key.name);
        let named = check_name(&key.name).map_err(|problem| LoadError::new(place.clone(), problem));
        errors.take(named.and_then(|()| definitions.require(&key.name, place)));
        // An answer with a mistake leaves the tool out, and the other tools are still read.
        let answers = errors.take(parse_answers(answers))?;
        Some(MockTool { name: key.name.to_string(), listed: definitions.list_tool(&key.name), answers })
    });
    let tools = tools.collect();
    errors.or(tools)
}

/// Parses one answer or a list of them. An answer behind one that always applies is a mistake.
fn parse_answers(node: Node<'_>) -> Result<Vec<MockAnswer>, LoadErrors> {
    let nodes = node.one_or_many();
    let mut errors = LoadErrors::new();
    if nodes.is_empty() {
        errors.push(node.error("a mock tool needs an answer: `{return: ...}`"));
    }
    let mut answers: Vec<MockAnswer> = Vec::with_capacity(nodes.len());
    for node in nodes {
        // An answer without a condition and a number takes every call, so what follows it is dead.
        if answers.last().is_some_and(|last| last.when.is_none() && last.times.is_none()) {
            let error = node.error("this answer is never given: the one before it answers all calls");
            errors.push(error.help("give the one before it a `when` or `times`"));
        }
        answers.extend(errors.take(parse_answer(node)));
    }
    errors.or(answers)
}

fn parse_decoys(node: Node<'_>, definitions: &ToolDefinitions) -> Result<Vec<MockTool>, LoadErrors> {
    read_all(node.one_or_many().into_iter().map(|node| {
        let name: String = node.decode()?;
        check_name(&name).map_err(|problem| node.error(problem))?;
        let content = MockContent::Value("ok".into());
        let answer = MockAnswer { when: None, times: None, content, failed: false, delay: None };
        Ok::<_, LoadError>(MockTool { listed: definitions.list_tool(&name), name, answers: vec![answer] })
    }))
}

/// `refuse`, or the answer to all other calls.
fn parse_otherwise(node: Node<'_>) -> Result<Option<MockAnswer>, LoadErrors> {
    if node.as_str() == Some("refuse") {
        return Ok(None);
    }
    if node.entries().is_none() {
        let error = node.error("`otherwise` is `refuse`, or an answer");
        return Err(error.help("for example `{return: not found, failed: true}`").into());
    }
    parse_answer(node).map(Some)
}

/// The server whose answers are recorded.
fn parse_server(node: Node<'_>) -> Result<CommandLine, LoadErrors> {
    let mut fields = Fields::of(node, "`server`")?;
    let words = fields.node("command").and_then(|node| fields.take(parse_words(node)));
    if words.is_none() && fields.errors.is_empty() {
        fields.missing(&["command"], node.error("a server needs its `command: [program, argument]`"));
    }
    let env = fields.node("env").and_then(|node| fields.take(parse_variables(node))).unwrap_or_default();
    let cwd = fields.optional("cwd");
    let line = words.map(|(program, arguments)| CommandLine {
        program,
        arguments,
        env,
        cwd,
        ..CommandLine::default()
    });
    fields.finish_some(line)
}

fn is_name_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-.".contains(letter)
}

fn check_name(name: &str) -> Result<(), String> {
    if !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(is_name_letter) {
        return Ok(());
    }
    Err(format!("`{name}` is no name of a tool: letters, digits, `_`, `-` and `.`, at most {MAX_NAME_CHARS}"))
}
