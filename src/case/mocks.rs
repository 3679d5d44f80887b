//! The mock tools of a case: what arraign's own MCP server offers to the agent, and what it answers.

use std::path::PathBuf;
use std::sync::Arc;

use super::CommandLine;
pub use crate::check::world::{MockAnswer, MockContent, MockTool, ToolScript};
use crate::evidence::Injection;
use crate::json::Json;
use crate::place::Place;

/// The tools that are offered to the agent of a case.
#[derive(Debug, Clone)]
pub struct MockTools {
    /// The name of the server in traces.
    pub name: String,
    /// The scripted tools, their answers, and the state behind them.
    pub script: Arc<ToolScript>,
    /// The place of the list of tools that must not be called.
    pub decoys_place: Option<Place>,
    /// What is added to the results.
    pub injection: Option<Arc<Injection>>,
    /// The server whose answers are recorded and replayed.
    pub server: Option<CommandLine>,
    /// The place of the server.
    pub server_place: Option<Place>,
    /// The files of the definitions and of the state, which are no files of cases.
    pub files: Vec<PathBuf>,
    /// The settings as JSON, with the contents of their files, for the fingerprint of the agent.
    pub definition: Json,
}
