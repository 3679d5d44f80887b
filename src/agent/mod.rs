//! Agents that run: closures, commands and servers, asked at the same time, each within its limit.
//!
//! A [`Crew`] runs them on one runtime of its own, so that how many run at once is not how many trials do. An agent
//! that errs, panics, hangs, floods its output or writes nonsense is an [`AgentError`], never more than that.

mod capture;
mod command;
mod error;
mod group;
#[cfg_attr(not(feature = "http"), path = "without_http.rs")]
mod http;
mod in_process;
mod into_trace;
mod pool;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

pub use error::{AgentError, AgentFailure, AgentProblem};
pub use in_process::InProcess;
pub use into_trace::{IntoTrace, Messages};
pub use pool::{AgentAnswer, AgentEnvironment, AgentPool};

use crate::case::{AgentFrom, Case, CommandLine, Described, HttpCall};

/// How long an agent may take where neither its case nor its command says so.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

/// How many bytes an agent may answer with unless it is described otherwise: 16 MiB.
const OUTPUT_LIMIT: usize = 16 << 20;

/// How many agents run at once unless the harness says otherwise.
pub const DEFAULT_CONCURRENCY: usize = 16;

/// What an agent is asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AgentInput {
    /// The case's id; of a file that is one case, the file's stem.
    pub id: String,
    /// The case's `input`, as it stands there: a text, or a mapping with `query`.
    pub input: Value,
    /// The text of the input.
    pub query: String,
    /// Which run of the case this is, from 1: `repeat` asks for several.
    pub run: u32,
}

impl AgentInput {
    /// What `case` asks; `stem` is its file's.
    pub fn for_case(case: &Case, stem: &str) -> Self {
        Self {
            id: case.id.clone().unwrap_or_else(|| stem.to_owned()),
            input: case.input.clone().unwrap_or_default(),
            query: case.prompt().unwrap_or_default().to_owned(),
            run: 1,
        }
    }
}

/// An agent that can be asked.
#[derive(Clone)]
pub enum Agent {
    /// A closure of the test target.
    InProcess(InProcess),
    /// A process.
    Command(Arc<CommandLine>),
    /// A server.
    Http(Arc<HttpCall>),
}

impl From<Described> for Agent {
    fn from(described: Described) -> Self {
        match described {
            Described::Command(line) => Self::Command(Arc::new(line)),
            Described::Http(call) => Self::Http(Arc::from(call)),
        }
    }
}

/// The agents of one harness, by name.
#[derive(Clone, Default)]
pub struct Agents(BTreeMap<String, Agent>);

impl Agents {
    /// Adds an agent. The error says that the name is taken.
    pub fn register_agent(&mut self, name: &str, agent: Agent) -> Result<(), String> {
        match self.0.insert(name.to_owned(), agent) {
            None => Ok(()),
            Some(_) => Err(format!("two agents are called `{name}`: give each its own name")),
        }
    }

    /// The names, sorted.
    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// The agent that a case means, and what it is called; `None` for a name that nobody has.
    pub fn find_agent(&self, from: &AgentFrom) -> Option<(String, Agent)> {
        match from {
            AgentFrom::Named(name) => Some((name.clone(), self.0.get(name)?.clone())),
            AgentFrom::Here(described) => Some((describe_agent(described), described.clone().into())),
        }
    }
}

/// What an agent without a name is called.
fn describe_agent(described: &Described) -> String {
    match described {
        Described::Command(line) => line.program.clone(),
        Described::Http(call) => call.host().to_owned(),
    }
}

/// The page's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../../docs/agents.md")]
struct AgentsPage;
