//! The mock tools of a case: what arraign's own MCP server offers to the agent, and what it answers.

use std::path::PathBuf;
use std::time::Duration;

use super::CommandLine;
use crate::check::arguments::ArgumentsMatcher;
use crate::json::{Json, JsonMap};
use crate::place::Place;

/// The tools that are offered to the agent of a case.
#[derive(Debug)]
pub struct MockTools {
    /// The name of the server in traces.
    pub name: String,
    /// The tools with scripted answers.
    pub tools: Vec<MockTool>,
    /// The tools that are offered and must not be called.
    pub decoys: Vec<MockTool>,
    /// The answer to all other calls. `None` if another call is an error.
    pub otherwise: Option<MockAnswer>,
    /// The server whose answers are recorded and replayed.
    pub server: Option<CommandLine>,
    /// The place of the server.
    pub server_place: Option<Place>,
    /// The file of the tools' definitions, which is no file of cases.
    pub definitions: Option<PathBuf>,
    /// The settings as JSON, with their definitions, for the fingerprint of the agent.
    pub definition: Json,
}

/// A tool with scripted answers.
#[derive(Debug)]
pub struct MockTool {
    /// The name.
    pub name: String,
    /// The tool as `tools/list` shows it.
    pub listed: JsonMap,
    /// The answers. The first that applies is given.
    pub answers: Vec<MockAnswer>,
}

/// An answer to calls of a tool.
#[derive(Debug)]
pub struct MockAnswer {
    /// The arguments to which the answer applies. `None` for all.
    pub(crate) when: Option<ArgumentsMatcher>,
    /// How often the answer is given. `None` for always.
    pub times: Option<u32>,
    /// The result.
    pub content: MockContent,
    /// Whether the tool says that it failed.
    pub failed: bool,
    /// How long the answer takes.
    pub delay: Option<Duration>,
}

/// The answer of a mock tool.
#[derive(Debug, Clone, PartialEq)]
pub enum MockContent {
    /// A text, or a value that is sent as JSON.
    Value(Json),
    /// Blocks of content in the form of MCP.
    Blocks(Vec<Json>),
}

impl MockContent {
    /// Returns the result of the call in a trace.
    pub fn to_result(&self) -> Json {
        match self {
            Self::Value(value) => value.clone(),
            Self::Blocks(blocks) => Json::Array(blocks.clone()),
        }
    }
}
