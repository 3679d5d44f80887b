//! The agents of a harness, and the settings of a run that say whether they are asked.

use crate::agent::{Agent, AgentGate, AgentTask, Agents, ConfiguredAgent, InProcess, RegisterError};
use crate::case::{AgentLimits, Case, InputGlob, NamedAgent};
use crate::harness::record::store::RunProcesses;
use crate::harness::settings::read_choice;
use crate::pattern::PathPattern;
use crate::place::{LoadError, LoadErrors};

/// The agents of a harness, and the limits on them.
#[derive(Default)]
pub(crate) struct AgentSetup {
    pub(super) agents: Agents,
    pub(in crate::harness) limits: AgentLimits,
}

impl AgentSetup {
    /// Registers an agent of the test target. The error says that the name is taken.
    pub(crate) fn register(&mut self, name: &str, agent: InProcess) -> Result<(), RegisterError> {
        self.agents.register_agent(name, ConfiguredAgent::in_process(name, agent))
    }

    /// Returns the names of the agents that are registered so far.
    pub(crate) fn list_names(&self) -> Vec<&str> {
        self.agents.names()
    }

    /// Names the files that an agent of the test target depends on. The error is a message for the user.
    pub(crate) fn add_inputs(&mut self, name: &str, patterns: Vec<String>) -> Result<(), String> {
        let mut inputs = Vec::new();
        for pattern in patterns {
            let pattern =
                PathPattern::new(&pattern).map_err(|problem| format!("Harness::agent_inputs: {problem}"))?;
            inputs.push(InputGlob { pattern, place: None });
        }
        let added = self.agents.add_inputs(name, inputs);
        added.map_err(|problem| format!("Harness::agent_inputs: {problem}"))
    }

    /// Lets an agent of the test target run in every mode, with a recorded model. The error is a message for the user.
    #[cfg(feature = "model")]
    pub(crate) fn record_model(&mut self, name: &str) -> Result<(), String> {
        let set = self.agents.set_model(name, crate::case::ModelSettings::default());
        set.map_err(|problem| format!("Harness::agent_model: {problem}"))
    }

    /// Registers the agents of `arraign.yaml`.
    pub(super) fn add_described(&mut self, described: Vec<NamedAgent>) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        for NamedAgent { name, place, description } in described {
            let registered = self.agents.register_agent(&name, description.into());
            errors.take(registered.map_err(|problem| LoadError::new(place, problem)));
        }
        errors.or(())
    }
}

/// Makes the task of a case: nothing is kept, recorded or mocked yet.
pub(super) fn make_task(case: &Case, name: String, agent: Agent) -> AgentTask {
    let several = case.repeat.as_ref().is_some_and(|(runs, _)| *runs > 1);
    let limit = case.timeout;
    let readers = case.readers.clone();
    AgentTask {
        name,
        agent,
        limit,
        several,
        readers,
        prices: case.prices.clone(),
        keep: None,
        model: None,
        mocks: None,
        workspace: None,
        remarks: std::sync::Arc::default(),
    }
}

/// Makes the gate of a run's agents. The processes of a run share their limits beside the file of shared hashes.
pub(super) fn make_gate(mode: AgentMode, limits: AgentLimits, processes: Option<&RunProcesses>) -> AgentGate {
    // A replay costs nothing and asks nobody.
    if mode == AgentMode::Replay {
        return AgentGate::new(AgentLimits { at_once: limits.at_once, ..AgentLimits::default() }, None);
    }
    AgentGate::new(limits, processes.map(|run| run.hashes.with_extension("limits")))
}

/// Whether agents run (`ARRAIGN_AGENT_MODE`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentMode {
    /// No agent runs; recordings are evaluated.
    Replay,
    /// Agents run if their recordings are missing or stale, and their runs are recorded.
    Record,
    /// All agents run, and their runs are recorded.
    Rerecord,
    /// Agents run, and nothing is recorded.
    Live,
}

impl AgentMode {
    /// Reads the variable.
    pub(super) fn from_environment() -> Result<Self, String> {
        let modes = [
            ("replay", Self::Replay),
            ("record", Self::Record),
            ("rerecord", Self::Rerecord),
            ("live", Self::Live),
        ];
        Ok(read_choice("ARRAIGN_AGENT_MODE", &modes)?.unwrap_or(Self::Replay))
    }

    /// Whether the runs of agents are written.
    pub(super) fn is_recording(self) -> bool {
        matches!(self, Self::Record | Self::Rerecord)
    }
}
