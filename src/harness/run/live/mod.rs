//! Agents that run: the cases that ask them, their answers, and the recordings that replace them in a replay.
//!
//! All agents are queued before the first trial starts, and a trial waits for its own agent's answer. So the number of agents
//! that run at the same time does not depend on the number of trials that do.

mod refused;
mod setup;
mod today;

use std::collections::{BTreeSet, HashMap};
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

pub(in crate::harness) use self::setup::AgentSetup;

use self::refused::{check_known, refuse_shared_recordings, refuse_unknown, refuse_unmatched};
use self::setup::{AgentMode, AgentSettings};
use self::today::TodaysAgents;
use super::asking::Asking;
use crate::agent::{
    Agent, AgentAnswer, AgentEnvironment, AgentInput, AgentPool, AgentTask, ConfiguredAgent, KeepRun,
};
use crate::case::{AgentFingerprint, AgentUse, Case, NamedAgent};
use crate::harness::cli::HarnessCommand;
use crate::harness::output::stderr::{report_load_errors, usage_error};
use crate::harness::plan::{CaseWork, Plan, PlannedTrial, TrialWork};
use crate::report::render_utc;
use crate::source::Files;
use crate::suite::{CaseRuns, LIVE, RecordedRun, find_stale_runs, record_run};
use crate::trace::Trace;
use crate::verdict::Rerun;

/// The program that recordings name.
const RECORDED_BY: &str = concat!("arraign ", env!("CARGO_PKG_VERSION"));

/// The agents of one run of the harness.
pub(in crate::harness) struct LiveAgents {
    mode: AgentMode,
    rerun: Rerun,
    today: TodaysAgents,
    asked: HashMap<String, AskedAgent>,
    /// The number of recordings that were not made again, because they are fresh.
    fresh: usize,
    /// The trials with a recording that another definition of their agent made.
    redefined: Mutex<BTreeSet<String>>,
    /// An agent is code of the test target.
    in_process: bool,
    /// The threads that run the agents; `None` in a replay.
    pool: Option<AgentPool>,
}

/// An agent that was asked for the trial of a case.
struct AskedAgent {
    answer: AgentAnswer,
    /// The number of runs that the agent was asked for.
    runs: usize,
    fingerprint: Arc<AgentFingerprint>,
}

/// Where the agents of a run are.
pub(in crate::harness) struct AgentProject<'p> {
    /// The package's folder.
    pub(in crate::harness) base: &'p Path,
    /// The package's folder below the root of its workspace, as paths on the terminal begin.
    pub(in crate::harness) folder: &'p str,
    /// The files of the eval root.
    pub(in crate::harness) files: &'p Arc<Files>,
    /// The command that runs one trial alone.
    pub(in crate::harness) rerun: &'p Rerun,
    /// The file in which the processes of one run share hashes.
    pub(in crate::harness) shared_hashes: Option<PathBuf>,
}

impl LiveAgents {
    /// Finds the agent of each case, and starts those whose trials will run. Returns the exit code of the process after
    /// printing an error.
    pub(in crate::harness) fn start_agents(
        mut setup: AgentSetup,
        described: Vec<NamedAgent>,
        plan: &mut Plan,
        command: &HarnessCommand,
        project: &AgentProject<'_>,
    ) -> Result<Self, ExitCode> {
        setup.add_described(described).map_err(|errors| report_load_errors(&errors, project.folder))?;
        let settings = AgentSettings::from_environment().map_err(|problem| usage_error(&[problem]))?;
        if let Some(name) = &settings.agent {
            check_known(&setup.agents, name)
                .map_err(|problem| usage_error(&[format!("ARRAIGN_AGENT: {problem}")]))?;
        }
        refuse_unknown(plan, &setup.agents, command).map_err(|errors| report_load_errors(&errors, project.folder))?;
        let at_once = setup.at_once;
        let today =
            TodaysAgents::new(setup.agents, settings.agent, project.base, project.shared_hashes.clone());
        let mut live = Self {
            mode: settings.mode,
            rerun: project.rerun.clone(),
            today,
            asked: HashMap::new(),
            fresh: 0,
            redefined: Mutex::default(),
            in_process: false,
            pool: None,
        };
        if !command.arguments.list {
            live.ask_agents(plan, command, project, at_once)?;
        }
        Ok(live)
    }

    /// Checks the agents of the trials that will run, and starts them unless this is a replay.
    fn ask_agents(
        &mut self,
        plan: &mut Plan,
        command: &HarnessCommand,
        project: &AgentProject<'_>,
        at_once: usize,
    ) -> Result<(), ExitCode> {
        refuse_unmatched(plan, &self.today, command).map_err(|errors| report_load_errors(&errors, project.folder))?;
        self.today.share_hashes();
        if self.mode == AgentMode::Replay {
            return Ok(());
        }
        if self.mode.is_recording() {
            refuse_shared_recordings(plan.trials_to_run(command), project.files)
                .map_err(|errors| report_load_errors(&errors, project.folder))?;
        }
        // People run trials on one thread to find a mistake, and then expect one agent at a time, too.
        let at_once = if command.arguments.test_threads == Some(1) { 1 } else { at_once };
        self.start_pool(at_once, project.base).map_err(|problem| usage_error(&[problem]))?;
        for planned in plan.trials_to_run(command) {
            self.ask_agent(planned, project.files);
        }
        Ok(())
    }

    fn start_pool(&mut self, at_once: usize, base: &Path) -> Result<(), String> {
        let environment = AgentEnvironment { folder: base.to_owned(), variable: |name| env::var_os(name) };
        let pool =
            AgentPool::new(at_once, environment).map_err(|error| format!("cannot start agents: {error}"))?;
        self.pool = Some(pool);
        Ok(())
    }

    /// Queues the runs of a trial's agent: those that are missing or stale, or all of them.
    fn ask_agent(&mut self, planned: &PlannedTrial, files: &Arc<Files>) {
        let (Some((case, path, used)), Some(pool)) = (agent_of_work(&planned.work), &self.pool) else {
            return;
        };
        let (Some((name, agent)), Ok(Some(fingerprint))) =
            (self.today.find_agent(used), self.today.fingerprint_of(case))
        else {
            return;
        };
        let count = case.repeat.as_ref().map_or(1, |(runs, _)| *runs);
        let runs: Vec<u32> = match self.mode {
            AgentMode::Record => find_stale_runs(case, path, files, &fingerprint),
            _ => (1..=count).collect(),
        };
        self.fresh += count as usize - runs.len();
        if runs.is_empty() {
            return;
        }
        self.in_process |= matches!(agent.agent, Agent::InProcess(_));
        let keep = self.mode.is_recording().then(|| keep_in_files(case, path, files, &fingerprint));
        let task = make_task(case, (name, agent), keep);
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let answer = pool.start_runs(task, &AgentInput::for_case(case, &stem), &runs);
        self.asked.insert(planned.name.clone(), AskedAgent { answer, runs: runs.len(), fingerprint });
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
        if self.mode.is_recording() {
            return CaseRuns::find_runs(case, path, files);
        }
        let runs = runs.iter().map(|run| {
            let trace = stamp_run(case, &asked.fingerprint, run);
            RecordedRun { file: None, format: LIVE, trace }
        });
        Ok(runs.collect::<Vec<RecordedRun>>().into())
    }

    /// Returns the agent of a case as it is today. `None` for a case without an agent.
    pub(in crate::harness) fn fingerprint_of(
        &self,
        case: &Case,
    ) -> Result<Option<Arc<AgentFingerprint>>, String> {
        self.today.fingerprint_of(case).map_err(|error| error.problem)
    }

    /// Notes a run of the trial `name` that another definition of its agent made.
    pub(in crate::harness) fn note_run(&self, name: &str, agent: Option<&AgentFingerprint>, trace: &Trace) {
        let (Some(agent), Some(recorded)) = (agent, &trace.recorded) else { return };
        if recorded.agent.is_some() && !agent.has_definition(recorded) {
            let mut redefined = self.redefined.lock().unwrap_or_else(PoisonError::into_inner);
            redefined.insert(name.to_owned());
        }
    }

    /// Describes what the agents of the run did, and which recordings were made by other definitions of them.
    pub(in crate::harness) fn describe_run(&self) -> Vec<String> {
        let ran: usize = self.asked.values().map(|asked| asked.runs).sum();
        let mut notes = Vec::new();
        if ran + self.fresh > 0 && self.mode == AgentMode::Record {
            notes.push(format!("agents ran {}; {} fresh", count_times(ran), count_recordings(self.fresh)));
        } else if ran > 0 {
            notes.push(format!("agents ran {}", count_times(ran)));
        }
        let redefined = self.redefined.lock().unwrap_or_else(PoisonError::into_inner);
        if !redefined.is_empty() {
            let names: Vec<&str> = redefined.iter().map(String::as_str).collect();
            notes.push(format!(
                "the definition of the agent has changed since the recording of {}: ARRAIGN_AGENT_MODE=record {}",
                if names.len() == 1 { "1 trial".to_owned() } else { format!("{} trials", names.len()) },
                self.rerun.command_for_some(&names)
            ));
        }
        notes
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

fn count_times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

fn count_recordings(count: usize) -> String {
    if count == 1 { "1 recording was".to_owned() } else { format!("{count} recordings were") }
}

fn make_task(case: &Case, (name, agent): (String, ConfiguredAgent), keep: Option<KeepRun>) -> AgentTask {
    let several = case.repeat.as_ref().is_some_and(|(runs, _)| *runs > 1);
    let (agent, readers) = (agent.agent, case.readers.clone());
    AgentTask { name, agent, limit: case.timeout, several, readers, keep }
}

/// Returns a function that writes a run of the case to its file.
fn keep_in_files(
    case: &Arc<Case>,
    path: &Arc<PathBuf>,
    files: &Arc<Files>,
    fingerprint: &Arc<AgentFingerprint>,
) -> KeepRun {
    let (case, path, files) = (Arc::clone(case), Arc::clone(path), Arc::clone(files));
    let fingerprint = Arc::clone(fingerprint);
    Arc::new(move |run, trace| record_run(&case, &path, &files, run, &stamp_run(&case, &fingerprint, trace)))
}

/// Adds to the run of an agent for what it was made: a replay compares it with the case and the agent then.
fn stamp_run(case: &Case, agent: &AgentFingerprint, run: &Trace) -> Trace {
    let at = format!("{}Z", render_utc(SystemTime::now()));
    Trace { recorded: Some(agent.stamp(case, RECORDED_BY, &at)), ..run.clone() }
}

/// Returns the case, file and agent of a trial whose case has an agent.
fn agent_of_work(work: &TrialWork) -> Option<(&Arc<Case>, &Arc<PathBuf>, &AgentUse)> {
    let TrialWork::Case(CaseWork { case, path, .. }) = work else { return None };
    Some((case, path, case.agent.as_ref()?))
}
