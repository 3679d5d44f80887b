//! The agent that a case asks: one that is registered under a name, a command, or one behind HTTP.

use std::time::Duration;

use super::{Template, WithVariables};
use crate::pattern::JsonPath;
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
#[derive(Debug, Clone)]
pub enum AgentFrom {
    /// The one that the harness or `arraign.yaml` calls so.
    Named(String),
    /// This one.
    Here(Described),
}

/// An agent that a file describes.
#[derive(Debug, Clone)]
pub enum Described {
    /// A process.
    Command(CommandLine),
    /// A server.
    Http(Box<HttpCall>),
}

/// An agent that `arraign.yaml` describes.
#[derive(Debug, Clone)]
pub struct NamedAgent {
    /// What cases call it.
    pub name: String,
    /// Where it is described.
    pub place: Place,
    /// What it is.
    pub described: Described,
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

/// An agent that is asked over HTTP.
#[derive(Debug, Clone)]
pub struct HttpCall {
    /// Where it is asked. `${NAME}` is a variable of the environment, `{{query}}` a part of what is asked.
    pub url: WithVariables,
    /// How.
    pub method: HttpMethod,
    /// Names and values; `${NAME}` is a variable of the environment.
    pub headers: Vec<(String, WithVariables)>,
    /// What it is sent; what a command reads, unless said.
    pub body: Option<Template>,
    /// Where in its answer the trace is; the whole answer unless said.
    pub trace: Option<JsonPath>,
    /// Where in its answer the text is that the agent says.
    pub answer: Option<JsonPath>,
    /// How often it is asked again after a passing fault.
    pub retries: Option<u32>,
    /// How long it may take, all attempts together.
    pub timeout: Option<Duration>,
    /// How many bytes it may answer with.
    pub output_limit: Option<usize>,
    /// The reader of its answer, instead of detection.
    pub format: Option<String>,
}

impl HttpCall {
    /// The server, as the file names it.
    pub fn host(&self) -> &str {
        let url = self.url.as_str();
        let behind = url.split_once("://").map_or(url, |(_, behind)| behind);
        let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default()
    }
}

/// What a request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HttpMethod {
    /// Reads; it has no body.
    Get,
    /// Asks with a body.
    #[default]
    Post,
    /// Writes at its place.
    Put,
    /// Changes what is at its place.
    Patch,
}

impl HttpMethod {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Get, Self::Post, Self::Put, Self::Patch];

    /// As it stands in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
        }
    }
}
