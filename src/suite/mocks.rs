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

use serde::Deserialize;

use answer::WrittenAnswer;
use definitions::{ToolDefinitions, WrittenDefinitions};

use super::agent::{CommandWords, VariableName, require_feature};
use crate::JsonSchema;
use crate::case::{CommandLine, MockAnswer, MockContent, MockTool, MockTools};
use crate::check::Scope;
use crate::place::LoadErrors;
use crate::yaml::{Build, Checked, MappingOr, Node, OneOrMany, OrderedMap, Placed, Unparsed};

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
    /// An existing MCP server. Its answers are recorded, and replayed later.
    server: Option<Placed<RecordedServer>>,
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

/// Parses the mock tools of a case.
pub(super) fn parse_mocks(node: Node<'_>, scope: &Scope<'_>) -> Result<MockTools, LoadErrors> {
    require_feature(&node.place(), "mocks", "mocks", cfg!(feature = "mocks"))?;
    let written: WrittenMocks = node.decode_all()?;
    let mut errors = LoadErrors::new();
    let defined = written.definitions.as_ref().map(Unparsed::node);
    let definitions = defined.and_then(|node| errors.take(ToolDefinitions::parse(node, scope)));
    let definitions = definitions.unwrap_or_default();
    let mut tools = Vec::with_capacity(written.tools.0.len());
    for (name, answers) in written.tools.0 {
        errors.take(definitions.require(&name));
        let listed = definitions.list_tool(&name.0);
        tools.push(MockTool { name: name.into_value().0, listed, answers: answers.0 });
    }
    let decoys = written.decoys.0.into_iter().map(|name| {
        let content = MockContent::Value("ok".into());
        let answer = MockAnswer { when: None, times: None, content, failed: false, delay: None };
        let listed = definitions.list_tool(&name.0);
        MockTool { listed, name: name.into_value().0, answers: vec![answer] }
    });
    if let (Some(otherwise), Some(_)) = (&written.otherwise, &written.server) {
        let problem = "`otherwise` has no effect here: the `server` answers all other calls";
        errors.push(otherwise.error(problem));
    }
    let otherwise = written.otherwise.and_then(|otherwise| match otherwise.into_value() {
        MappingOr::Short(_) => None,
        MappingOr::Mapping(answer) => Some(answer.0),
    });
    let server_place = written.server.as_ref().map(|server| server.place().clone());
    let server = written.server.map(Placed::into_value).map(|server| {
        let env = server.env.into_iter().map(|name| name.0).collect();
        CommandLine { env, cwd: server.cwd, ..server.command.0 }
    });
    let mocks = MockTools {
        name: written.name.unwrap_or_else(|| DEFAULT_NAME.to_owned()),
        tools,
        decoys: decoys.collect(),
        otherwise,
        server,
        server_place,
        definitions: defined.filter(|node| node.as_str().is_some()).and_then(|file| scope.path(file).ok()),
        definition: definitions.define(node),
    };
    // A tool that could not be parsed is reported already; without the last condition it would count as none.
    if mocks.tools.is_empty() && mocks.decoys.is_empty() && mocks.server.is_none() && errors.is_empty() {
        let error = node.error("`mocks` offers no tool");
        errors.push(error.help("for example `tools: {get_order: {return: {status: shipped}}}`"));
    }
    errors.or(mocks)
}

/// One answer, or several: the first that applies is given.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
struct WrittenAnswers(OneOrMany<Placed<Checked<WrittenAnswer>>>);

impl Build for WrittenAnswers {
    type Built = Vec<MockAnswer>;

    fn build(written: Placed<Self>) -> Result<Vec<MockAnswer>, LoadErrors> {
        let mut errors = LoadErrors::new();
        if written.0.0.is_empty() {
            errors.push(written.error("a mock tool needs an answer: `{return: ...}`"));
        }
        let mut answers: Vec<MockAnswer> = Vec::with_capacity(written.0.0.len());
        for answer in written.into_value().0.0 {
            // An answer without a condition and a number takes every call, so what follows it is dead.
            if answers.last().is_some_and(|last| last.when.is_none() && last.times.is_none()) {
                let error = answer.error("this answer is never given: the one before it answers all calls");
                errors.push(error.help("give the one before it a `when` or `times`"));
            }
            answers.push(answer.into_value().0);
        }
        errors.or(answers)
    }
}
