//! Agents that run: the cases that ask them, their answers, and the recordings that replace them in a replay.
//!
//! All agents are queued before the first trial starts, and a trial waits for its own agent's answer. So the number of agents
//! that run at the same time does not depend on the number of trials that do.

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::SystemTime;

use super::asking::Asking;
use super::context::Project;
use crate::agent::{
    Agent, AgentAnswer, AgentEnvironment, AgentInput, AgentPool, Agents, DEFAULT_CONCURRENCY, InProcess,
};
use crate::case::{AgentFrom, AgentUse, Case, NamedAgent, fingerprint_input};
use crate::harness::cli::HarnessCommand;
use crate::harness::output::stderr::{report_load_errors, usage_error};
use crate::harness::plan::{CaseWork, Plan, PlannedTrial, TrialWork};
use crate::harness::settings::read_variable;
use crate::place::{LoadError, LoadErrors};
use crate::report::render_utc;
use crate::source::Files;
use crate::suite::{CaseRuns, LIVE, RecordedRun, record_run, recording};
use crate::trace::{Provenance, Trace};
use crate::verdict::Rerun;
use crate::yaml::did_you_mean;

/// The agents of a harness, and how many of them may run at the same time.
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
    /// Registers an agent of the test target. The error says that the name is taken.
    pub(in crate::harness) fn register(&mut self, name: &str, agent: InProcess) -> Result<(), String> {
        self.agents.register_agent(name, Agent::InProcess(agent))
    }

    /// Sets how many agents may run at the same time.
    pub(in crate::harness) fn set_limit(&mut self, at_once: usize) {
        self.at_once = at_once;
    }

    /// Registers the agents of `arraign.yaml`.
    fn add_described(&mut self, described: Vec<NamedAgent>) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        for NamedAgent { name, place, described } in described {
            let registered = self.agents.register_agent(&name, described.into());
            errors.take(registered.map_err(|problem| LoadError::new(place, problem)));
        }
        errors.or(())
    }
}

/// Whether agents run (`ARRAIGN_AGENT_MODE`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgentMode {
    /// No agent runs; recordings are evaluated.
    Replay,
    /// Agents run, and their runs are recorded.
    Record,
    /// Agents run, and nothing is recorded.
    Live,
}

/// The environment's settings for agents.
struct AgentSettings {
    mode: AgentMode,
    /// The agent that replaces those of all cases (`ARRAIGN_AGENT`).
    agent: Option<String>,
}

impl AgentSettings {
    fn from_environment() -> Result<Self, String> {
        let mode = match read_variable("ARRAIGN_AGENT_MODE").as_deref() {
            None | Some("replay") => AgentMode::Replay,
            Some("record") => AgentMode::Record,
            Some("live") => AgentMode::Live,
            Some(other) => {
                return Err(format!(
                    "ARRAIGN_AGENT_MODE is `{other}`: expected `replay`, `record` or `live`"
                ));
            }
        };
        Ok(Self { mode, agent: read_variable("ARRAIGN_AGENT") })
    }
}

/// The agents of one run of the harness.
pub(in crate::harness) struct LiveAgents {
    mode: AgentMode,
    rerun: Rerun,
    asked: HashMap<String, AskedAgent>,
    /// An agent is code of the test target.
    in_process: bool,
    /// The threads that run the agents; `None` in a replay.
    pool: Option<AgentPool>,
}

/// An agent that was asked for the trial of a case.
struct AskedAgent {
    answer: AgentAnswer,
    /// The result of writing the recording, which happens once: the case's own trial and its suite's gate both read it.
    recorded: OnceLock<Result<(), String>>,
}

impl LiveAgents {
    /// Finds the agent of each case, and starts those whose trials will run. Returns the exit code of the process after
    /// printing an error.
    pub(in crate::harness) fn start_agents(
        mut setup: AgentSetup,
        described: Vec<NamedAgent>,
        plan: &mut Plan,
        command: &HarnessCommand,
        project: &Project,
    ) -> Result<Self, ExitCode> {
        let report = |errors: LoadErrors| report_load_errors(&errors, &project.folder);
        setup.add_described(described).map_err(report)?;
        let settings = AgentSettings::from_environment().map_err(|problem| usage_error(&[problem]))?;
        if let Some(name) = &settings.agent {
            check_known(&setup.agents, name)
                .map_err(|problem| usage_error(&[format!("ARRAIGN_AGENT: {problem}")]))?;
        }
        refuse_unknown(plan, &setup.agents, command).map_err(report)?;
        let mut live = Self {
            mode: settings.mode,
            rerun: project.rerun.clone(),
            asked: HashMap::new(),
            in_process: false,
            pool: None,
        };
        if settings.mode == AgentMode::Replay || command.arguments.list {
            return Ok(live);
        }
        if settings.mode == AgentMode::Record {
            refuse_shared_recordings(plan.trials_to_run(command), &project.files).map_err(report)?;
        }
        // People run trials on one thread to find a mistake, and then expect one agent at a time, too.
        let at_once = if command.arguments.test_threads == Some(1) { 1 } else { setup.at_once };
        live.start_pool(at_once, &project.base).map_err(|problem| usage_error(&[problem]))?;
        for planned in plan.trials_to_run(command) {
            live.ask_agent(planned, &setup.agents, settings.agent.as_deref());
        }
        Ok(live)
    }

    fn start_pool(&mut self, at_once: usize, base: &Path) -> Result<(), String> {
        let environment = AgentEnvironment { folder: base.to_owned(), variable: |name| env::var_os(name) };
        let pool =
            AgentPool::new(at_once, environment).map_err(|error| format!("cannot start agents: {error}"))?;
        self.pool = Some(pool);
        Ok(())
    }

    /// Queues the runs of a trial's agent, or of the agent `replacement`.
    fn ask_agent(&mut self, planned: &PlannedTrial, agents: &Agents, replacement: Option<&str>) {
        let (Some((case, path, agent)), Some(pool)) = (agent_of_work(&planned.work), &self.pool) else {
            return;
        };
        let replacement = replacement.map(|name| AgentFrom::Named(name.to_owned()));
        let Some(agent) = agents.find_agent(replacement.as_ref().unwrap_or(&agent.from)) else { return };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let runs = case.repeat.as_ref().map_or(1, |(runs, _)| *runs);
        self.in_process |= matches!(agent.1, Agent::InProcess(_));
        let input = AgentInput::for_case(case, &stem);
        let answer = pool.start_runs(agent, &input, runs, case.timeout, &case.readers);
        self.asked.insert(planned.name.clone(), AskedAgent { answer, recorded: OnceLock::new() });
    }

    /// Counts the trials that have asked an agent, those that have the answer, and those whose agent is running.
    pub(in crate::harness) fn count_asking(&self) -> Asking {
        let at_work = self.pool.as_ref().map(AgentPool::working_cases).unwrap_or_default();
        let answered = self.asked.values().filter(|asked| asked.answer.is_given()).count();
        Asking { asked: self.asked.len(), answered, at_work }
    }

    /// Whether agents run in this process. They may print, and would wait for a lock on standard output.
    pub(in crate::harness) fn may_print(&self) -> bool {
        self.in_process
    }

    /// Waits for the answer of the trial's agent, so that the agent's time does not count as the time of the checks.
    pub(in crate::harness) fn wait_for_answer(&self, name: &str) {
        if let Some(asked) = self.asked.get(name) {
            let _ = asked.answer.wait();
        }
    }

    /// Whether the trial `name` has asked an agent.
    pub(in crate::harness) fn was_asked(&self, name: &str) -> bool {
        self.asked.contains_key(name)
    }

    /// Returns the runs of the trial `name`: its agent's answer, or the recorded ones.
    ///
    /// A recorded answer is read back from its file, so that the first verdict and the replays evaluate the same data.
    pub(in crate::harness) fn runs_of(
        &self,
        name: &str,
        case: &Case,
        path: &Path,
        files: &Files,
    ) -> Result<CaseRuns, String> {
        let Some(asked) = self.asked.get(name) else {
            return CaseRuns::find_runs(case, path, files)
                .map_err(|error| self.explain_missing_run(error, name, case));
        };
        let runs = asked.answer.wait().as_ref().map_err(ToString::to_string)?;
        let runs = stamp_runs(case, runs);
        if self.mode == AgentMode::Record {
            asked.recorded.get_or_init(|| record_run(case, path, files, &runs)).clone()?;
            return CaseRuns::find_runs(case, path, files);
        }
        let runs = runs.into_iter().map(|trace| RecordedRun { file: None, format: LIVE, trace });
        Ok(runs.collect::<Vec<RecordedRun>>().into())
    }

    /// Adds to the error of a missing trace how to record it, if the case has an agent.
    fn explain_missing_run(&self, error: String, name: &str, case: &Case) -> String {
        if case.agent.is_none() || self.mode != AgentMode::Replay {
            return error;
        }
        let command = self.rerun.command(name);
        format!("no recorded run of the agent\n{error}\nrecord one: ARRAIGN_AGENT_MODE=record {command}")
    }
}

/// Adds to the runs of an agent the input for which they were made: a replay compares it with the case's input then.
fn stamp_runs(case: &Case, runs: &[Trace]) -> Vec<Trace> {
    let (by, at) = (concat!("arraign ", env!("CARGO_PKG_VERSION")), render_utc(SystemTime::now()));
    let at = format!("{at}Z");
    let recorded = Provenance::new(by, at, fingerprint_input(case));
    runs.iter().map(|run| Trace { recorded: Some(recorded.clone()), ..run.clone() }).collect()
}

/// Returns the case, file and agent of a trial whose case has an agent.
fn agent_of_work(work: &TrialWork) -> Option<(&Case, &PathBuf, &AgentUse)> {
    let TrialWork::Case(CaseWork { case, path, .. }) = work else { return None };
    Some((case, path, case.agent.as_ref()?))
}

/// Reports cases that would be recorded to the same file on some system, because they would then replay each other's run.
fn refuse_shared_recordings<'p>(
    trials: impl Iterator<Item = &'p PlannedTrial>,
    files: &Files,
) -> Result<(), LoadErrors> {
    let (mut first, mut errors) = (HashMap::new(), LoadErrors::new());
    for (name, (case, path, _)) in trials.filter_map(|trial| Some((&trial.name, agent_of_work(&trial.work)?)))
    {
        let Ok(recording) = recording(case, path, files, 1) else { continue };
        let file = files.name(&recording);
        // On macOS and Windows, `Foo.json` and `foo.json` are one file.
        if let Some(other) = first.insert(file.to_lowercase(), name) {
            let problem = format!("this case and `{other}` would both be recorded to {file}");
            let error = LoadError::new(case.trace_place().clone(), problem);
            errors.push(error.help("name the file after the case: `trace: traces/{id}.json`"));
        }
    }
    errors.or(())
}

/// Checks that each case's agent is known. If the command line names the trials, an error belongs to its trial; otherwise
/// all are returned.
fn refuse_unknown(plan: &mut Plan, agents: &Agents, command: &HarnessCommand) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    for planned in &mut plan.trials {
        let Some((_, _, AgentUse { place, from: AgentFrom::Named(name) })) = agent_of_work(&planned.work)
        else {
            continue;
        };
        let Err(problem) = check_known(agents, name) else { continue };
        let error = LoadError::new(place.clone(), problem);
        if command.exact_names().is_some() {
            planned.work = TrialWork::Broken(error.into());
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
