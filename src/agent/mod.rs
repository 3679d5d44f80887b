//! Agents: closures, commands and servers, run concurrently, each within its time limit.
//!
//! An [`AgentPool`] runs them on a runtime of its own, so that the number of concurrent agents is independent of the
//! number of concurrent trials. Every failure of an agent (an error, a panic, a timeout, too much output, an unreadable
//! trace) is an [`AgentError`].

mod acp;
mod addresses;
#[cfg_attr(not(target_os = "linux"), path = "without_adopted.rs")]
mod adopted;
mod capture;
mod command;
mod conversation;
mod error;
mod group;
#[cfg_attr(not(feature = "http"), path = "without_http.rs")]
mod http;
mod in_process;
mod into_trace;
mod leases;
mod limits;
#[cfg_attr(not(feature = "mocks"), path = "without_mocks.rs")]
mod mocks;
#[cfg_attr(not(feature = "model"), path = "without_model.rs")]
mod model;
mod pool;
mod program;
mod turn_process;
mod workspace;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

pub use command::MCP_VARIABLE;
pub use conversation::Script;
pub use error::{AgentError, AgentFailure, AgentProblem};
pub use in_process::InProcess;
pub use into_trace::{IntoTrace, Messages};
pub use limits::AgentGate;
pub use mocks::MocksTask;
pub use model::ModelTask;
#[cfg(feature = "model")]
pub use model::{KeepExchanges, list_model_variables};
pub use pool::{AgentAnswer, AgentEnvironment, AgentPool, AgentRun, AgentTask, AnsweredRun, KeepRun};
pub use program::ProgramRunner;
pub use workspace::{Room, WorkspaceError, WorkspacePlan, fingerprint_workspace};

use crate::case::{
    AcpAgent, AgentDescription, AgentFrom, BASELINE, Case, CommandLine, Described, HttpCall, InputGlob,
    ModelSettings, Variant,
};
use crate::check::InputMatch;
use crate::json::{Json, json};

/// The time limit of an agent unless its case or its command names another.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_mins(5);

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
    pub input: Json,
    /// The text of the input.
    pub query: String,
    /// The number of the run, from 1: `repeat` asks for several.
    pub run: u32,
    /// The number of the turn, from 1, if the case has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// The agent's replies to the previous turns: messages, or a trace in the native format.
    #[serde(skip)]
    pub conversation: Vec<Json>,
    /// An id of the run, which is the same in all its turns.
    #[serde(skip)]
    pub session: String,
    /// The messages of the previous turns.
    #[serde(skip)]
    said: Vec<Json>,
    #[serde(skip)]
    script: Script,
    /// The variant of the agent that is asked.
    #[serde(skip)]
    pub variant: AgentVariant,
    /// The addresses for the agent's requests to its model, if these are recorded and replayed.
    #[serde(skip)]
    pub model: Option<ModelAddresses>,
    /// The address of the MCP server with the case's mock tools.
    #[serde(skip)]
    pub mcp_url: Option<String>,
    /// The folder that the agent has to itself, if its case has a `workspace`. A command runs in it; code of the test target
    /// gets its path here.
    #[serde(skip)]
    pub workspace: Option<PathBuf>,
}

/// The variant of an agent that a run asks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentVariant {
    /// The name: `baseline`, unless `ARRAIGN_VARIANT` names another one.
    pub name: String,
    /// The values of the variables under `env` of the variant, by name.
    pub values: BTreeMap<String, String>,
}

impl Default for AgentVariant {
    fn default() -> Self {
        Self { name: BASELINE.to_owned(), values: BTreeMap::new() }
    }
}

impl From<&Variant> for AgentVariant {
    fn from(variant: &Variant) -> Self {
        Self { name: variant.name.clone(), values: variant.env.clone() }
    }
}

/// The addresses of the model port for one run of an agent. Each is in place of a provider's address: clients append the
/// same paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ModelAddresses {
    /// The address of the run. The name of a provider follows.
    pub url: String,
    /// In place of `https://api.openai.com/v1`.
    pub openai: Option<String>,
    /// In place of `https://api.anthropic.com`.
    pub anthropic: Option<String>,
    /// In place of `https://generativelanguage.googleapis.com`.
    pub gemini: Option<String>,
    /// In place of an endpoint on Azure, if there is one.
    pub azure: Option<String>,
    /// In place of Ollama's address.
    pub ollama: Option<String>,
    /// Whether all replies are recorded ones. Then no key is needed.
    #[serde(skip)]
    pub replays: bool,
}

impl AgentInput {
    /// Creates the input for `case`; `stem` is the stem of its file.
    pub fn for_case(case: &Case, stem: &str) -> Self {
        Self {
            id: case.id.clone().unwrap_or_else(|| stem.to_owned()),
            input: case.input.clone().unwrap_or_default(),
            query: case.prompt().unwrap_or_default().to_owned(),
            run: 1,
            turn: None,
            conversation: Vec::new(),
            session: String::new(),
            said: Vec::new(),
            script: Script::of_case(case),
            variant: case.variant.as_deref().map(AgentVariant::from).unwrap_or_default(),
            model: None,
            mcp_url: None,
            workspace: None,
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
    /// A process that speaks the Agent Client Protocol.
    Acp(Arc<AcpAgent>),
    /// A server.
    Http(Arc<HttpCall>),
}

impl Agent {
    /// Returns the process that the agent is, if it is one.
    pub fn find_line(&self) -> Option<&CommandLine> {
        match self {
            Self::Command(line) => Some(line),
            Self::Acp(agent) => Some(&agent.line),
            Self::InProcess(_) | Self::Http(_) => None,
        }
    }
}

/// An agent with what a harness keeps of it.
#[derive(Clone)]
pub struct ConfiguredAgent {
    /// How the agent is asked.
    pub agent: Agent,
    /// The settings that decide what the agent does, as JSON.
    pub definition: Json,
    /// The files that the agent depends on.
    pub inputs: Vec<InputGlob>,
    /// How the agent's model is recorded. `None` if the agent's runs are recorded.
    pub model: Option<ModelSettings>,
    /// How the inputs of its runs are compared.
    pub input_match: Option<InputMatch>,
}

impl ConfiguredAgent {
    /// An agent of the test target. Its name is all that is known of its definition.
    pub fn in_process(name: &str, agent: InProcess) -> Self {
        let definition = json!({"agent": name});
        Self {
            agent: Agent::InProcess(agent),
            definition,
            inputs: Vec::new(),
            model: None,
            input_match: None,
        }
    }
}

impl From<AgentDescription> for ConfiguredAgent {
    fn from(AgentDescription { described, inputs, model, input_match }: AgentDescription) -> Self {
        let mut definition = described.define();
        if let Some(model) = &model {
            definition["model"] = model.define();
        }
        let agent = match described {
            Described::Command(line) => Agent::Command(Arc::new(line)),
            Described::Acp(agent) => Agent::Acp(Arc::from(agent)),
            Described::Http(call) => Agent::Http(Arc::from(call)),
        };
        Self { agent, definition, inputs, model, input_match }
    }
}

/// Why an agent cannot be registered, or be given something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is taken.
    #[error("two agents are called `{0}`: give each its own name")]
    NameTaken(String),
    /// There is no agent of this name yet.
    #[error("no agent is called `{0}` here; register the agent first")]
    NoAgent(String),
}

/// The agents of one harness, by name.
#[derive(Clone, Default)]
pub struct Agents(BTreeMap<String, ConfiguredAgent>);

impl Agents {
    /// Adds an agent. It is an error if the name is taken.
    pub fn register_agent(&mut self, name: &str, agent: ConfiguredAgent) -> Result<(), RegisterError> {
        match self.0.insert(name.to_owned(), agent) {
            None => Ok(()),
            Some(_) => Err(RegisterError::NameTaken(name.to_owned())),
        }
    }

    /// Adds to the files that the agent `name` depends on. It is an error if there is no such agent.
    pub fn add_inputs(&mut self, name: &str, inputs: Vec<InputGlob>) -> Result<(), RegisterError> {
        let agent = self.0.get_mut(name).ok_or_else(|| RegisterError::NoAgent(name.to_owned()))?;
        agent.inputs.extend(inputs);
        Ok(())
    }

    /// Lets the agent `name` run in every mode, with a recorded model. It is an error if there is no such agent.
    pub fn set_model(&mut self, name: &str, model: ModelSettings) -> Result<(), RegisterError> {
        let agent = self.0.get_mut(name).ok_or_else(|| RegisterError::NoAgent(name.to_owned()))?;
        agent.definition["model"] = model.define();
        agent.model = Some(model);
        Ok(())
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    /// Returns the agent of a case and its name. `None` for an unknown name.
    pub fn find_agent(&self, from: &AgentFrom) -> Option<(String, ConfiguredAgent)> {
        match from {
            AgentFrom::Named(name) => Some((name.clone(), self.0.get(name)?.clone())),
            AgentFrom::Here(description) => {
                let description: &AgentDescription = description;
                Some((description.described.display_name().to_owned(), description.clone().into()))
            }
        }
    }
}

/// The page's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../../docs/agents.md")]
struct AgentsPage;
