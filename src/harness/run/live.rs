//! Agents that run: which cases ask one, what becomes of their answers, and what replaces them in a replay.
//!
//! All are asked before the first trial, and a trial only waits for its own: how many agents are at work is not how
//! many trials are.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use super::asking::Asking;
use crate::agent::{
    Agent, AgentAnswer, AgentEnvironment, AgentInput, AgentPool, Agents, DEFAULT_CONCURRENCY, InProcess,
};
use crate::case::{AgentFrom, AgentUse, Case, NamedAgent};
use crate::harness::cli::Command;
use crate::harness::output::stderr::{report_load_errors, usage_error};
use crate::harness::plan::{CaseWork, Plan, Planned, Work};
use crate::place::{LoadError, LoadErrors};
use crate::source::Files;
use crate::suite::{CaseRuns, LIVE, RecordedRun, record_run, recording};
use crate::verdict::Rerun;
use crate::yaml::did_you_mean;

/// What a harness says of its agents.
pub(in crate::harness) struct AgentSetup {
    agents: Agents,
    at_once: usize,
}

impl Default for AgentSetup {
    fn default() -> Self {
        Self { agents: Agents::default(), at_once: DEFAULT_CONCURRENCY }
    }
}

impl AgentSetup {
    /// Adds an agent of the test target. The error says that the name is taken.
    pub(in crate::harness) fn register(&mut self, name: &str, agent: InProcess) -> Result<(), String> {
        self.agents.register_agent(name, Agent::InProcess(agent))
    }

    /// How many may be at work at once.
    pub(in crate::harness) fn set_limit(&mut self, at_once: usize) {
        self.at_once = at_once;
    }

    /// Adds the agents of `arraign.yaml`.
    fn add_described(&mut self, described: Vec<NamedAgent>) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        for NamedAgent { name, place, described } in described {
            let registered = self.agents.register_agent(&name, described.into());
            errors.take(registered.map_err(|problem| LoadError::new(place, problem)));
        }
        errors.or(())
    }
}

/// What becomes of agents (`ARRAIGN_AGENT_MODE`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgentMode {
    /// What was recorded of them is looked at.
    Replay,
    /// They run, and their runs are written for later.
    Record,
    /// They run, and nothing is kept.
    Live,
}

/// What the environment says of agents.
struct AgentRequest {
    mode: AgentMode,
    /// The agent that all cases ask which ask one (`ARRAIGN_AGENT`).
    agent: Option<String>,
}

impl AgentRequest {
    fn from_environment() -> Result<Self, String> {
        let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let mode = match text("ARRAIGN_AGENT_MODE").as_deref() {
            None | Some("replay") => AgentMode::Replay,
            Some("record") => AgentMode::Record,
            Some("live") => AgentMode::Live,
            Some(other) => {
                return Err(format!("ARRAIGN_AGENT_MODE is `{other}`: it is `replay`, `record` or `live`"));
            }
        };
        Ok(Self { mode, agent: text("ARRAIGN_AGENT") })
    }
}

/// The agents of one run of the harness.
pub(in crate::harness) struct LiveAgents {
    mode: AgentMode,
    rerun: Rerun,
    asked: HashMap<String, AskedAgent>,
    /// One of them is code of the test target.
    in_process: bool,
    /// Those who run them; nobody does in a replay.
    crew: Option<AgentPool>,
}

/// An agent that was asked for the trial of a case.
struct AskedAgent {
    answer: AgentAnswer,
    recorded: OnceLock<Result<(), String>>,
}

impl LiveAgents {
    /// Finds the agent of each case, and asks all whose trials will run. The error is how the process ends: a mistake
    /// was told.
    pub(in crate::harness) fn start_agents(
        mut setup: AgentSetup,
        described: Vec<NamedAgent>,
        plan: &mut Plan,
        command: &Command,
        (base, files, rerun): (&Path, &Files, &Rerun),
    ) -> Result<Self, ExitCode> {
        setup.add_described(described).map_err(|errors| report_load_errors(&errors))?;
        let wanted = AgentRequest::from_environment().map_err(|problem| usage_error(&[problem]))?;
        if let Some(name) = &wanted.agent {
            check_known(&setup.agents, name)
                .map_err(|problem| usage_error(&[format!("ARRAIGN_AGENT: {problem}")]))?;
        }
        find_all(plan, &setup.agents, command).map_err(|errors| report_load_errors(&errors))?;
        let mut live = Self {
            mode: wanted.mode,
            rerun: rerun.clone(),
            asked: HashMap::new(),
            in_process: false,
            crew: None,
        };
        if wanted.mode == AgentMode::Replay || command.arguments.list {
            return Ok(live);
        }
        let trials = || plan.to_run(command);
        if wanted.mode == AgentMode::Record {
            refuse_shared_recordings(trials(), files).map_err(|errors| report_load_errors(&errors))?;
        }
        // One thread for all trials is how people look for a mistake: then one agent runs at a time, too.
        let at_once = if command.arguments.test_threads == Some(1) { 1 } else { setup.at_once };
        live.start_crew(at_once, base).map_err(|problem| usage_error(&[problem]))?;
        trials().for_each(|planned| live.ask_agent(planned, &setup.agents, wanted.agent.as_deref()));
        Ok(live)
    }

    fn start_crew(&mut self, at_once: usize, base: &Path) -> Result<(), String> {
        let around = AgentEnvironment { folder: base.to_owned(), variable: |name| env::var_os(name) };
        let crew = AgentPool::new(at_once, around).map_err(|error| format!("no agents can run: {error}"))?;
        self.crew = Some(crew);
        Ok(())
    }

    /// Has the agent of a trial asked, or the one called `instead`.
    fn ask_agent(&mut self, planned: &Planned, agents: &Agents, instead: Option<&str>) {
        let (Some((case, path, agent)), Some(crew)) = (agent_of_work(&planned.work), &self.crew) else {
            return;
        };
        let instead = instead.map(|name| AgentFrom::Named(name.to_owned()));
        let Some(agent) = agents.find_agent(instead.as_ref().unwrap_or(&agent.from)) else { return };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let runs = case.repeat.as_ref().map_or(1, |(runs, _)| *runs);
        self.in_process |= matches!(agent.1, Agent::InProcess(_));
        let answer = crew.start_runs(agent, &AgentInput::for_case(case, &stem), runs, case.timeout);
        self.asked.insert(planned.name.clone(), AskedAgent { answer, recorded: OnceLock::new() });
    }

    /// How many trials have asked an agent, how many of those have its answer, and whose agents are at work.
    pub(in crate::harness) fn count_asking(&self) -> Asking {
        let at_work = self.crew.as_ref().map(AgentPool::working_cases).unwrap_or_default();
        let answered = self.asked.values().filter(|asked| asked.answer.is_given()).count();
        Asking { asked: self.asked.len(), answered, at_work }
    }

    /// Whether an agent may print, and would be held up by others who do.
    pub(in crate::harness) fn may_print(&self) -> bool {
        self.in_process
    }

    /// Waits until the agent of this trial has answered, so that its own time does not count as the checks'.
    pub(in crate::harness) fn wait_for_answer(&self, name: &str) {
        if let Some(asked) = self.asked.get(name) {
            let _ = asked.answer.wait();
        }
    }

    /// Whether the agent of the trial `name` runs.
    pub(in crate::harness) fn was_asked(&self, name: &str) -> bool {
        self.asked.contains_key(name)
    }

    /// The runs that the trial `name` looks at: its agent's answer, or what is recorded.
    pub(in crate::harness) fn runs_of(
        &self,
        name: &str,
        case: &Case,
        path: &Path,
        files: &Files,
    ) -> Result<CaseRuns, String> {
        let Some(asked) = self.asked.get(name) else {
            return CaseRuns::find_runs(case, path, files)
                .map_err(|error| self.not_recorded(error, name, case));
        };
        let runs = asked.answer.wait().as_ref().map_err(ToString::to_string)?;
        if self.mode == AgentMode::Record {
            asked.recorded.get_or_init(|| record_run(case, path, files, runs)).clone()?;
            return CaseRuns::find_runs(case, path, files);
        }
        let run = |trace| RecordedRun { file: None, format: LIVE, trace };
        Ok(runs.iter().cloned().map(run).collect::<Vec<RecordedRun>>().into())
    }

    /// Where a case has an agent, its trace can be had anew.
    fn not_recorded(&self, error: String, name: &str, case: &Case) -> String {
        if case.agent.is_none() || self.mode != AgentMode::Replay {
            return error;
        }
        let command = self.rerun.command(name);
        format!(
            "no run of the agent can be replayed\n{error}\nrecord it: ARRAIGN_AGENT_MODE=record {command}"
        )
    }
}

/// The case of a trial that asks an agent.
fn agent_of_work(work: &Work) -> Option<(&Case, &PathBuf, &AgentUse)> {
    let Work::Case(CaseWork { case, path, .. }) = work else { return None };
    Some((case, path, case.agent.as_ref()?))
}

/// Two cases that are recorded in one file would replay one run.
fn refuse_shared_recordings<'p>(
    trials: impl Iterator<Item = &'p Planned>,
    files: &Files,
) -> Result<(), LoadErrors> {
    let (mut first, mut errors) = (HashMap::new(), LoadErrors::new());
    for (name, (case, path, _)) in trials.filter_map(|trial| Some((&trial.name, agent_of_work(&trial.work)?)))
    {
        let Ok(recording) = recording(case, path, files, 1) else { continue };
        let file = files.name(&recording);
        if let Some(other) = first.insert(recording, name) {
            let problem = format!("this and `{other}` would both be recorded in {file}");
            let error = LoadError::new(case.trace_place().clone(), problem);
            errors.push(error.help("name it by the case: `trace: traces/{id}.json`"));
        }
    }
    errors.or(())
}

/// Holds that each case's agent is known. Where trials are named, the mistake is the trial's.
fn find_all(plan: &mut Plan, agents: &Agents, command: &Command) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    for planned in &mut plan.trials {
        let Some((_, _, AgentUse { place, from: AgentFrom::Named(name) })) = agent_of_work(&planned.work)
        else {
            continue;
        };
        let Err(problem) = check_known(agents, name) else { continue };
        let error = LoadError::new(place.clone(), problem);
        if command.exact_names().is_some() {
            planned.work = Work::Broken(error.into());
        } else {
            errors.push(error);
        }
    }
    errors.unite();
    errors.or(())
}

fn check_known(agents: &Agents, name: &str) -> Result<(), String> {
    let names = agents.names();
    if names.contains(&name) {
        return Ok(());
    }
    let help = did_you_mean(name, &names).unwrap_or_else(|| {
        format!(
            "register it with `Harness::agent(\"{name}\", ..)`, or describe it under `agents` in arraign.yaml"
        )
    });
    Err(format!("no agent is called `{name}`; {help}"))
}
