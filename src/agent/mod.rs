//! Agents: closures, commands and servers, run concurrently, each within its time limit.
//!
//! An [`AgentPool`] runs them on a runtime of its own, so that the number of concurrent agents is independent of the
//! number of concurrent trials. Every failure of an agent (an error, a panic, a timeout, too much output, an unreadable
//! trace) is an [`AgentError`].

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

/// The time limit of an agent unless its case or its command names another.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(300);

/// The largest output of an agent unless its description names another: 16 MiB.
const OUTPUT_LIMIT: usize = 16 << 20;

/// The number of agents that run at once unless the harness sets another.
pub const DEFAULT_CONCURRENCY: usize = 16;

/// The input of an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AgentInput {
    /// The case's id; of a file that is one case, the file's stem.
    pub id: String,
    /// The case's `input` as written: a text, or a mapping with `query`.
    pub input: Value,
    /// The text of the input.
    pub query: String,
    /// The number of the run, from 1: `repeat` asks for several.
    pub run: u32,
}

impl AgentInput {
    /// Creates the input for `case`; `stem` is the stem of its file.
    pub fn for_case(case: &Case, stem: &str) -> Self {
        Self {
            id: case.id.clone().unwrap_or_else(|| stem.to_owned()),
            input: case.input.clone().unwrap_or_default(),
            query: case.prompt().unwrap_or_default().to_owned(),
            run: 1,
        }
    }
}

/// An agent.
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
    /// Adds an agent. It is an error if the name is taken.
    pub fn register_agent(&mut self, name: &str, agent: Agent) -> Result<(), String> {
        match self.0.insert(name.to_owned(), agent) {
            None => Ok(()),
            Some(_) => Err(format!("two agents are called `{name}`: give each its own name")),
        }
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Returns the agent of a case and its name. `None` for an unknown name.
    pub fn find_agent(&self, from: &AgentFrom) -> Option<(String, Agent)> {
        match from {
            AgentFrom::Named(name) => Some((name.clone(), self.0.get(name)?.clone())),
            AgentFrom::Here(described) => Some((describe_agent(described), described.clone().into())),
        }
    }
}

/// Returns the display name of an agent that is described in the case.
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
