//! Runs the agents of a process on one runtime, with a limit on how many run at once.
//!
//! Each run is a task that first waits for one of the semaphore's permits, so tasks can be queued in any number. The time
//! limit of a run begins with its permit. The runs of a case are gathered by a further task, which fills the case's
//! [`AgentAnswer`]; the trial waits for that cell on its own thread, outside of the runtime.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinHandle, spawn_blocking};

use super::error::refuse_secrets;
use super::into_trace::read_single_run;
use super::leases::RunLeases;
use super::limits::AgentGate;
use super::mocks::MocksTask;
use super::model::ModelTask;
use super::workspace::{self, PreparedWorkspace, Room, WorkspaceError, WorkspacePlan};
use super::{
    Agent, AgentError, AgentInput, AgentProblem, DEFAULT_TIMEOUT, acp, command, conversation, group, http,
};
use crate::check::Prices;
use crate::reader::{ReaderSet, to_native};
use crate::source::{fingerprint_bytes, lock};
use crate::trace::Trace;
use crate::workspace::{FileContent, RunWorkspace};

/// The environment of agents that are processes.
#[derive(Clone)]
pub struct AgentEnvironment {
    /// The package's folder, which is the working folder unless a command names another.
    pub folder: PathBuf,
    /// Reads an environment variable.
    pub variable: fn(&str) -> Option<OsString>,
    /// The folders of one run, if the run has a workspace: then its processes start there.
    pub room: Option<Room>,
}

impl AgentEnvironment {
    /// The environment of the package in `folder`.
    pub fn new(folder: PathBuf, variable: fn(&str) -> Option<OsString>) -> Self {
        Self { folder, variable, room: None }
    }

    /// Returns the working folder.
    pub(super) fn working_folder(&self) -> &Path {
        self.room.as_ref().map_or(&self.folder, |room| &room.workspace)
    }

    /// Replaces the paths of the folders of one run in a text.
    pub(super) fn rewrite(&self, text: String) -> String {
        match &self.room {
            Some(room) => room.rewrite(&text),
            None => text,
        }
    }
}

/// One run of an agent.
#[derive(Debug, Clone)]
pub struct AgentRun {
    /// What the agent did.
    pub trace: Trace,
    /// The workspace that it did it in, if it had one.
    pub workspace: Option<RunWorkspace>,
}

/// The runs of a case, available once its agent has answered.
#[derive(Debug, Clone, Default)]
pub struct AgentAnswer(Arc<OnceLock<Vec<AnsweredRun>>>);

/// One run that an agent was asked for.
#[derive(Debug)]
pub struct AnsweredRun {
    /// The number of the run, from 1.
    pub number: u32,
    /// The run, or why the agent gave none.
    pub result: Result<AgentRun, AgentError>,
}

impl AgentAnswer {
    /// Whether the agent has answered.
    pub fn is_given(&self) -> bool {
        self.0.get().is_some()
    }

    /// Waits for the agent. Returns its runs by number.
    pub fn wait(&self) -> &[AnsweredRun] {
        self.0.wait()
    }
}

/// Runs agents, a limited number at once.
pub struct AgentPool {
    runtime: Option<Runtime>,
    gate: Arc<AgentGate>,
    environment: Arc<AgentEnvironment>,
    at_work: WorkingAgents,
}

impl AgentPool {
    /// Creates a pool in which agents begin as `gate` lets them.
    pub fn new(gate: AgentGate, environment: AgentEnvironment) -> io::Result<Self> {
        let at_once = gate.at_once();
        // Each running agent may need two blocking threads: one to run or send, and one to read the trace.
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(at_once.saturating_mul(2).saturating_add(SPARE_THREADS))
            .thread_name("agents")
            .enable_all()
            .build()?;
        runtime.spawn(exit_when_interrupted());
        Ok(Self {
            runtime: Some(runtime),
            gate: Arc::new(gate),
            environment: Arc::new(environment),
            at_work: WorkingAgents::default(),
        })
    }

    /// Starts the runs with these numbers, from 1, each as soon as the pool has room.
    pub fn start_runs(&self, task: AgentTask, input: &AgentInput, runs: &[u32]) -> AgentAnswer {
        let answer = AgentAnswer::default();
        let Some(runtime) = &self.runtime else { return answer };
        let task = Arc::new(task);
        let tasks = runs.iter().map(|run| {
            let gate = Arc::clone(&self.gate);
            let environment = Arc::clone(&self.environment);
            let input = AgentInput { run: *run, ..input.clone() };
            let at_work = self.at_work.clone();
            (*run, runtime.spawn(run_agent(Arc::clone(&task), input, gate, environment, at_work)))
        });
        let tasks: Vec<(u32, JoinHandle<Result<AgentRun, AgentError>>)> = tasks.collect();
        let cell = Arc::clone(&answer.0);
        // One task waits for all runs, so that an asker waits for a single cell.
        runtime.spawn(async move {
            let _ = cell.set(gather_runs(&task, tasks).await);
        });
        answer
    }

    /// Returns the number of agents that may run at once.
    pub fn at_once(&self) -> usize {
        self.gate.at_once()
    }

    /// Returns the handle of the runtime, for what serves the agents.
    pub fn runtime(&self) -> Option<&tokio::runtime::Handle> {
        self.runtime.as_ref().map(Runtime::handle)
    }

    /// Returns the ids of the cases whose agents are running, in the order of their start.
    pub fn working_cases(&self) -> Vec<String> {
        lock(&self.at_work.0).clone()
    }
}

/// Keeps a run as soon as it has ended, so that an interrupted process does not lose it. The error is a sentence.
pub type KeepRun = Arc<dyn Fn(u32, &AgentRun) -> Result<(), String> + Send + Sync>;

/// An agent and how a case asks it.
pub struct AgentTask {
    /// The name of the agent.
    pub name: String,
    /// The agent.
    pub agent: Agent,
    /// The time limit of the case; the agent may have a shorter one.
    pub limit: Option<Duration>,
    /// Whether the case asks for several runs.
    pub several: bool,
    /// The readers of the output.
    pub readers: ReaderSet,
    /// The prices of tokens, for traces that do not record their cost.
    pub prices: Prices,
    /// Keeps each run.
    pub keep: Option<KeepRun>,
    /// The recorded model of the agent.
    pub model: Option<ModelTask>,
    /// The mock tools of the case.
    pub mocks: Option<MocksTask>,
    /// The folder that each run gets to itself.
    pub workspace: Option<WorkspacePlan>,
    /// Remarks for the end of the process.
    pub remarks: Arc<Mutex<Vec<String>>>,
}

impl AgentTask {
    /// Returns the shorter of the case's limit and the agent's own.
    pub(super) fn find_limit(&self) -> Duration {
        let own = match &self.agent {
            Agent::Command(line) => line.timeout,
            Agent::Acp(agent) => agent.line.timeout,
            Agent::Http(call) => call.timeout,
            Agent::InProcess(_) => None,
        };
        // Both limits hold, so the shorter one ends the run first.
        self.limit.into_iter().chain(own).min().unwrap_or(DEFAULT_TIMEOUT)
    }
}

/// The ids of the cases whose agents are running.
#[derive(Clone, Default)]
struct WorkingAgents(Arc<Mutex<Vec<String>>>);

impl WorkingAgents {
    fn begin_work(&self, id: &str) -> WorkGuard {
        lock(&self.0).push(id.to_owned());
        WorkGuard { at_work: self.clone(), id: id.to_owned() }
    }
}

/// Marks an agent as running until it is dropped.
struct WorkGuard {
    at_work: WorkingAgents,
    id: String,
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        let mut ids = lock(&self.at_work.0);
        if let Some(at) = ids.iter().position(|id| *id == self.id) {
            ids.remove(at);
        }
    }
}

/// Threads in reserve: agents that hang keep theirs.
const SPARE_THREADS: usize = 512;

impl Drop for AgentPool {
    /// Kills all agents. The runtime does not wait for agents that hang.
    fn drop(&mut self) {
        group::kill_all();
        workspace::remove_all();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Collects all runs of a case. An error of one run says nothing about the others.
async fn gather_runs(
    task: &AgentTask,
    running: Vec<(u32, JoinHandle<Result<AgentRun, AgentError>>)>,
) -> Vec<AnsweredRun> {
    let mut runs = Vec::with_capacity(running.len());
    for (number, run) in running {
        let result = run.await.unwrap_or_else(|error| {
            Err(AgentError {
                agent: task.name.clone(),
                run: task.several.then_some(number),
                problem: AgentProblem::Panicked(error.to_string()),
                stderr: String::new(),
            })
        });
        runs.push(AnsweredRun { number, result });
    }
    runs
}

/// Runs an agent once the pool has room, and keeps the run. The time limit starts then.
async fn run_agent(
    task: Arc<AgentTask>,
    mut input: AgentInput,
    gate: Arc<AgentGate>,
    environment: Arc<AgentEnvironment>,
    at_work: WorkingAgents,
) -> Result<AgentRun, AgentError> {
    let agent = task.name.clone();
    let run = task.several.then_some(input.run);
    // Both guards live until the run has ended.
    let _entry = match gate.enter().await {
        Ok(entry) => entry,
        Err(problem) => return Err(AgentError { agent, run, problem, stderr: String::new() }),
    };
    let _work = at_work.begin_work(&input.id);
    let made = match (&task.workspace, &task.agent) {
        (Some(plan), _) => make_workspace(plan, &task.agent, &environment, &mut input).await.map(Some),
        // A session needs a folder. Nothing is kept of an agent's that has no workspace.
        (None, Agent::Acp(_)) => {
            let plan = WorkspacePlan::scratch();
            make_workspace(&plan, &task.agent, &environment, &mut input).await.map(Some)
        }
        (None, _) => Ok(None),
    };
    let (prepared, environment) = match made {
        Ok(Some((prepared, own))) => (Some(prepared), Arc::new(own)),
        Ok(None) => (None, environment),
        Err(problem) => return Err(AgentError { agent, run, problem, stderr: String::new() }),
    };
    let started = Instant::now();
    let number = input.run;
    input.session = make_session(&input);
    let leases = RunLeases::open_leases(&task, &mut input, &environment);
    let (answer, stderr) = ask_agent(&task, input, &environment, &leases).await;
    let answer = leases.settle_run(Arc::clone(&task), number, answer, Arc::clone(&environment)).await;
    let kept = match answer {
        Ok(trace) => {
            // The cost is noted before the run is kept: it was spent, whatever happens to the run.
            let noted = gate.add_cost(|| task.prices.cost(&trace)).await;
            let trace = fill_defaults(trace, &task.name, started.elapsed());
            let kept = match settle_workspace(&task, trace, prepared, &environment).await {
                Ok(run) => keep_run(Arc::clone(&task), number, run).await,
                Err(problem) => Err(problem),
            };
            noted.and(kept)
        }
        Err(problem) => Err(problem),
    };
    kept.map_err(|problem| AgentError { agent, run, problem, stderr })
}

async fn ask_agent(
    task: &AgentTask,
    input: AgentInput,
    environment: &AgentEnvironment,
    leases: &RunLeases,
) -> command::CommandResult {
    match &task.agent {
        // A session has its turns, if the case has some.
        Agent::Acp(agent) => acp::hold_session(agent, task, &input, environment, leases).await,
        _ if !input.script.texts.is_empty() => {
            conversation::hold_conversation(task, &input, environment).await
        }
        Agent::InProcess(agent) => {
            let answer = agent.ask_closure(input, task.find_limit()).await;
            (answer.map(|(trace, _)| trace), String::new())
        }
        Agent::Command(line) => command::ask_command(line, task, &input, environment).await,
        Agent::Http(call) => (http::ask_server(call, task, &input, environment).await, String::new()),
    }
}

/// Makes the workspace of a run, and the environment of its processes.
async fn make_workspace(
    plan: &WorkspacePlan,
    agent: &Agent,
    environment: &AgentEnvironment,
    input: &mut AgentInput,
) -> Result<(PreparedWorkspace, AgentEnvironment), AgentProblem> {
    if matches!(agent, Agent::Http(_)) {
        return Err(AgentProblem::NoWorkspace(WorkspaceError::AgentOnServer));
    }
    let prepared = PreparedWorkspace::make(plan, environment).await?;
    let room = prepared.find_room(&plan.settings);
    input.workspace = Some(room.workspace.clone());
    Ok((prepared, AgentEnvironment { room: Some(room), ..environment.clone() }))
}

/// Collects what a run did to its workspace, and takes the paths of its scratch folders out of its trace. Nothing of it may hold a
/// secret that the agent was given.
async fn settle_workspace(
    task: &AgentTask,
    trace: Trace,
    prepared: Option<PreparedWorkspace>,
    environment: &AgentEnvironment,
) -> Result<AgentRun, AgentProblem> {
    let (Some(prepared), Some(room)) = (prepared, &environment.room) else {
        return Ok(AgentRun { trace, workspace: None });
    };
    let workspace = match &task.workspace {
        Some(plan) => Some(prepared.collect(plan).await?),
        None => None,
    };
    if let (Some(workspace), Some(line)) = (&workspace, task.agent.find_line()) {
        let secrets = command::collect_secrets(line, environment);
        for content in workspace.facts.contents.values() {
            if let FileContent::Text(text) = content {
                refuse_secrets(text, &secrets)?;
            }
        }
    }
    let written = to_native(&trace);
    let rewritten = room.rewrite(&written);
    let trace = if rewritten == written {
        trace
    } else {
        read_single_run(&rewritten, Some("native"), &task.readers)?
    };
    Ok(AgentRun { trace, workspace })
}

/// Returns an id that no other run has, for servers that keep conversations.
fn make_session(input: &AgentInput) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let unique = format!("{} {} {} {now}", input.id, input.run, std::process::id());
    let hash = fingerprint_bytes(unique.as_bytes());
    hash.chars().rev().take(16).collect()
}

async fn keep_run(task: Arc<AgentTask>, number: u32, run: AgentRun) -> Result<AgentRun, AgentProblem> {
    let Some(keep) = task.keep.clone() else { return Ok(run) };
    let kept = spawn_blocking(move || keep(number, &run).map(|()| run)).await;
    let kept = kept.unwrap_or_else(|died| Err(died.to_string()));
    kept.map_err(AgentProblem::NotRecorded)
}

/// Adds the agent's name and the measured duration, unless the trace records them. What a reader settles in texts is settled
/// of an answer that no reader read, too.
fn fill_defaults(mut trace: Trace, name: &str, took: Duration) -> Trace {
    // Whole microseconds, so that a recorded figure does not carry the noise of a float.
    let millis = (took.as_secs_f64() * 1e6).round() / 1e3;
    trace.duration_ms.get_or_insert(millis);
    trace.agent.get_or_insert_with(|| name.to_owned());
    trace.settle_texts();
    trace
}

/// Kills the process groups of agents when this process is interrupted: the signal does not reach them.
#[cfg(unix)]
pub(super) async fn exit_when_interrupted() {
    use tokio::signal::unix::{SignalKind, signal};

    let signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = signals else { return };
    // 128 and the number of the signal, as a shell reports a process that a signal ended.
    let exit_code = tokio::select! {
        _ = interrupt.recv() => INTERRUPTED_EXIT_CODE,
        _ = terminate.recv() => 143,
        _ = hangup.recv() => 129,
    };
    group::kill_all();
    workspace::remove_all();
    lock_stderr();
    std::process::exit(exit_code);
}

#[cfg(not(unix))]
pub(super) async fn exit_when_interrupted() {
    if tokio::signal::ctrl_c().await.is_ok() {
        group::kill_all();
        lock_stderr();
        std::process::exit(INTERRUPTED_EXIT_CODE);
    }
}

/// Takes the lock of standard error, so that the progress line is gone before the process exits. A stream that nobody
/// reads is not waited for.
fn lock_stderr() {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        // The progress line holds the lock while it is visible. The lock is kept until the exit, so that it does not
        // return.
        let _held = io::stderr().lock();
        let _ = sender.send(());
        thread::sleep(Duration::MAX);
    });
    let _ = receiver.recv_timeout(Duration::from_millis(300));
}

/// The exit code after an interrupt.
const INTERRUPTED_EXIT_CODE: i32 = 130;
