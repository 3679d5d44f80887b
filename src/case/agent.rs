//! The agent that a case asks: one that is registered under a name, or a command.

use std::time::Duration;

use crate::place::Place;

/// The agent that a case asks, and where it says so.
#[derive(Debug, Clone)]
pub struct AgentUse {
    /// Where it is named.
    pub place: Place,
    /// Which one it is.
    pub from: AgentFrom,
}

/// Which agent a case asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentFrom {
    /// The one that the harness or `arraign.yaml` calls so.
    Named(String),
    /// This command.
    Command(CommandLine),
}

/// An agent that `arraign.yaml` describes.
#[derive(Debug, Clone)]
pub struct NamedAgent {
    /// What cases call it.
    pub name: String,
    /// Where it is described.
    pub place: Place,
    /// The command that it is.
    pub command: CommandLine,
}

/// An agent that is a process: asked on standard input, it writes its trace on standard output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// The program.
    pub program: String,
    /// Its arguments. There is no shell.
    pub arguments: Vec<String>,
    /// The variables that it sees beside `PATH` and `HOME`.
    pub env: Vec<String>,
    /// Its working folder, relative to the package's; the package's folder unless said.
    pub cwd: Option<String>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// How many bytes it may write.
    pub output_limit: Option<usize>,
    /// The reader of what it writes, instead of detection.
    pub format: Option<String>,
}
