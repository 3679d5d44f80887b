//! The tools that were offered to the agent, where a file lists them.

use serde::{Deserialize, Serialize};

use super::{Arguments, Call, ToolServer};

/// A tool that was offered to the agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OfferedTool {
    /// The name of the tool, without its server.
    pub name: String,
    /// The server of the tool.
    pub server: ToolServer,
    /// The name under which the host offers the tool, if it is another one.
    pub written: Option<String>,
}

impl OfferedTool {
    /// Creates a tool of a server.
    pub fn new(name: impl Into<String>, server: ToolServer) -> Self {
        Self { name: name.into(), server, written: None }
    }

    /// Returns a call of the tool, to compare it with the names of a case.
    pub fn to_call(&self) -> Call {
        let mut call = Call::new(self.name.as_str(), Arguments::none(), 1);
        call.server = self.server.clone();
        call.written.clone_from(&self.written);
        call
    }
}
