//! Agents that run: the cases that ask them, their answers, and the recordings that replace them in a replay.
//!
//! All agents are queued before the first trial starts, and a trial waits for its own agent's answer. So the number of agents
//! that run at the same time does not depend on the number of trials that do.

mod asked;
mod keep;
#[cfg(feature = "mocks")]
mod mocks;
#[cfg_attr(not(feature = "model"), path = "without_model.rs")]
mod models;
mod notes;
mod refused;
mod setup;
mod shared;
mod today;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

pub(crate) use self::setup::AgentSetup;
pub(crate) use self::shared::Asker;

use self::asked::{AskedAgent, AskedAgents};
use self::keep::{keep_in_files, stamp_run};
use self::models::RecordedModels;
use self::refused::{refuse_shared_recordings, refuse_unknown, refuse_unknown_in_variants, refuse_unmatched};
use self::setup::{AgentMode, make_gate, make_task};
use self::shared::SharedVerdicts;
use self::today::TodaysAgents;
use super::asking::AskProgress;
use super::context::Project;
use super::failure::RunFailure;
use crate::agent::{
    Agent, AgentEnvironment, AgentError, AgentInput, AgentPool, AgentProblem, AgentTask, WorkspacePlan,
};
use crate::case::{AgentFingerprint, AgentLimits, Case, ModelSettings, NamedAgent};
use crate::engine::UndecidedRun;
use crate::harness::cli::HarnessCommand;
use crate::harness::plan::{CaseWork, Plan, PlannedTrial, TrialWork};
use crate::harness::quarantine::AgentFiles;
use crate::harness::settings::Shard;
use crate::harness::stderr::{report_load_errors, report_problem};
use crate::outcome::UndecidedCause;
use crate::source::{Files, PackageFiles, fingerprint_bytes};
use crate::suite::{
    CaseRuns, CassetteOf, ForeignRecording, LIVE, LostRun, RecordedRun, RunsError, cassette_path,
    find_foreign_recording, find_stale_runs,
};
use crate::verdict::Rerun;

/// The agents of one run of the harness.
pub(crate) struct LiveAgents {
    mode: AgentMode,
    rerun: Rerun,
    today: TodaysAgents,
    asked: AskedAgents,
    models: RecordedModels,
    /// The trials with a recording that another definition of their agent made.
    redefined: Mutex<BTreeSet<String>>,
    /// The threads that run the agents; `None` in a replay.
    pool: Option<AgentPool>,
    /// The verdicts that the processes of the run share, if each trial is a process and agents really run.
    shared: Option<SharedVerdicts>,
    /// This process runs a part of the trials, and agents really run.
    is_part: bool,
    /// Whether the scratch folders of runs stay.
    keeps_workspaces: bool,
    /// The programs that share the folder of the package.
    sharing: SharedFolder,
    /// Remarks of the agents for the end of the process.
    remarks: Arc<Mutex<Vec<String>>>,
}

/// The programs of agents that run in the package itself, all in one folder.
#[derive(Default)]
struct SharedFolder {
    /// The package before the first of them began. `None` for a package with too many files.
    before: OnceLock<Option<PackageFiles>>,
    /// The number of their runs.
    runs: AtomicUsize,
}

/// Lists the folders of the package that this run writes to itself.
fn list_own_folders(project: &Project, path: &Path) -> Vec<PathBuf> {
    let mut own: Vec<PathBuf> =
        ["traces", "cassettes", "snapshots"].iter().map(|name| path.with_file_name(name)).collect();
    // Recordings may be anywhere below the folder of cases.
    let root = project.files.root();
    own.extend((root != project.base).then(|| root.to_owned()));
    own.extend(env::var_os("ARRAIGN_OUT").map(|out| project.base.join(out)));
    own
}

/// The runs of a case that its agent is asked for.
#[cfg_attr(not(feature = "model"), expect(dead_code, reason = "only the port reads it"))]
struct RunRequest<'r> {
    case: &'r Arc<Case>,
    path: &'r Arc<PathBuf>,
    files: &'r Arc<Files>,
    agent: &'r Agent,
    mode: AgentMode,
    allows_exec: bool,
    runs: u32,
    pool: &'r AgentPool,
    /// The command that runs the trial alone.
    rerun: String,
}

impl LiveAgents {
    /// Finds the agent of each case, and starts those whose trials will run. Returns the exit code of the process after
    /// printing an error.
    pub(crate) fn start_agents(
        mut setup: AgentSetup,
        described: Vec<NamedAgent>,
        plan: &mut Plan,
        command: &HarnessCommand,
        project: &Project,
    ) -> Result<Self, ExitCode> {
        setup.add_described(described).map_err(|errors| report_load_errors(&errors, &project.folder))?;
        let mode = AgentMode::from_environment().map_err(report_problem)?;
        refuse_unknown_in_variants(command.variants.list(), &setup.agents)
            .map_err(|errors| report_load_errors(&errors, &project.folder))?;
        refuse_unknown(plan, &setup.agents, command)
            .map_err(|errors| report_load_errors(&errors, &project.folder))?;
        let shards = command.settings.shard.map(Shard::count);
        let limits = setup.limits.or(project.agent_limits).for_shards(shards);
        let limits = limits.map_err(|error| report_problem(error.to_string()))?;
        let hashes = project.processes.as_ref().map(|run| run.hashes.clone());
        let today = TodaysAgents::new(setup.agents, &project.base, hashes);
        let mut live = Self {
            mode,
            rerun: project.rerun.clone(),
            today,
            asked: AskedAgents::default(),
            models: RecordedModels::default(),
            redefined: Mutex::default(),
            pool: None,
            shared: None,
            is_part: false,
            keeps_workspaces: project.keeps_workspaces,
            sharing: SharedFolder::default(),
            remarks: Arc::default(),
        };
        if live.asks_agents() {
            live.is_part = project.is_part;
            live.shared = project.processes.as_ref().map(SharedVerdicts::of_run);
        }
        // A list must be fast, and runs nothing.
        if !command.arguments.list {
            live.ask_agents(plan, command, project, limits)?;
        }
        Ok(live)
    }

    /// Checks the agents of the trials that will run, and starts them unless this is a replay.
    fn ask_agents(
        &mut self,
        plan: &mut Plan,
        command: &HarnessCommand,
        project: &Project,
        mut limits: AgentLimits,
    ) -> Result<(), ExitCode> {
        refuse_unmatched(plan, &self.today, command)
            .map_err(|errors| report_load_errors(&errors, &project.folder))?;
        self.today.share_hashes();
        // Without a recorded model, a replay reads recorded runs and starts no agent.
        if self.mode == AgentMode::Replay && !self.has_recorded_model(plan, command) {
            return Ok(());
        }
        if self.mode.is_recording() {
            refuse_shared_recordings(plan.trials_to_run(command), &project.files)
                .map_err(|errors| report_load_errors(&errors, &project.folder))?;
        }
        // People run trials on one thread to find a mistake, and then expect one agent at a time, too.
        if command.arguments.test_threads == Some(1) && project.processes.is_none() {
            limits.at_once = NonZeroUsize::new(1);
        }
        self.start_pool(limits, project).map_err(report_problem)?;
        // Where each trial is a process, another one may ask the agent: the trial looks before it asks.
        if self.shared.is_none() {
            for (name, work) in plan.trials_to_run(command).flat_map(|planned| self.list_some(planned)) {
                self.ask_agent(name, work, project);
            }
        }
        Ok(())
    }

    /// Whether the agent of a trial that will run has a recorded model.
    fn has_recorded_model(&self, plan: &Plan, command: &HarnessCommand) -> bool {
        let mut cases = plan.trials_to_run(command).flat_map(|planned| self.list_some(planned));
        cases.any(|(_, work)| {
            let agent = self.today.find_agent(&work.case);
            agent.is_some_and(|(_, agent)| agent.model.is_some())
        })
    }

    /// Returns the cases whose agents a trial needs. A gate that a report decides needs none.
    fn list_some<'p>(&self, planned: &'p PlannedTrial) -> Vec<(&'p str, &'p CaseWork)> {
        match &planned.work {
            TrialWork::Gate(gate) if self.leaves_to_report(gate) => Vec::new(),
            _ => planned.list_cases(),
        }
    }

    fn start_pool(&mut self, limits: AgentLimits, project: &Project) -> Result<(), String> {
        let folder = project.base.clone();
        let environment = AgentEnvironment::new(folder, |name| env::var_os(name));
        let gate = make_gate(self.mode, limits, project.processes.as_ref());
        let pool =
            AgentPool::new(gate, environment).map_err(|error| format!("cannot start agents: {error}"))?;
        self.pool = Some(pool);
        Ok(())
    }

    /// Queues the runs of the agent of the trial `name`: those that are missing or stale, or all of them.
    fn ask_agent(&self, name: &str, work: &CaseWork, project: &Project) {
        let CaseWork { case, path, .. } = work;
        let (Some(pool), false) = (&self.pool, self.asked.contains(name)) else { return };
        let (Some((agent_name, agent)), Ok(Some(fingerprint))) =
            (self.today.find_agent(case), self.today.fingerprint_of(case))
        else {
            return;
        };
        let mut task = make_task(case, agent_name, agent.agent.clone());
        task.remarks = Arc::clone(&self.remarks);
        let count = case.repeat.as_ref().map_or(1, |(runs, _)| *runs);
        let runs: Vec<u32> = match (&agent.model, self.mode) {
            // A replay without a recorded model reads its runs from files, and asks nobody.
            (None, AgentMode::Replay) => return,
            (None, AgentMode::Record) => find_stale_runs(case, path, &project.files, &fingerprint),
            _ => (1..=count).collect(),
        };
        // With a recorded model, the exchanges are kept in place of the run.
        let keeps_runs = self.mode.is_recording() && agent.model.is_none();
        if keeps_runs && let Some(foreign) = find_foreign_recording(case, path, &project.files, &fingerprint)
        {
            let ForeignRecording { file, maker } = foreign;
            let own = fingerprint.variant.as_ref().unwrap_or(&fingerprint.name);
            let problem = format!(
                "{file} is a recording of {maker}, and `{own}` would replace it\nrun `{own}` with ARRAIGN_AGENT_MODE=live, or delete the file to record it"
            );
            self.asked.refuse(name, RunFailure::Error(problem));
            return;
        }
        task.workspace = case.workspace.as_ref().map(|settings| WorkspacePlan {
            settings: Arc::clone(settings),
            needs: case.workspace_needs(),
            is_kept: self.keeps_workspaces,
        });
        let request = self.describe_runs(name, work, &agent.agent, project, pool);
        if let Err(failure) = self.plan_ports(&request, agent.model.as_ref(), &mut task) {
            self.asked.refuse(name, failure);
            return;
        }
        self.asked.add_fresh(count as usize - runs.len());
        if runs.is_empty() {
            return;
        }
        if task.workspace.is_none() && matches!(agent.agent, Agent::Command(_)) {
            self.sharing
                .before
                .get_or_init(|| PackageFiles::look_at(&project.base, list_own_folders(project, path)));
            self.sharing.runs.fetch_add(runs.len(), Ordering::Relaxed);
        }
        let in_process = matches!(agent.agent, Agent::InProcess(_));
        task.keep = keeps_runs.then(|| keep_in_files(case, path, &project.files, &fingerprint));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let answer = pool.start_runs(task, &AgentInput::for_case(case, &stem), &runs);
        self.asked.add(name, AskedAgent { answer, runs: runs.len(), fingerprint, keeps_runs, in_process });
    }

    fn describe_runs<'r>(
        &self,
        name: &str,
        work: &'r CaseWork,
        agent: &'r Agent,
        project: &'r Project,
        pool: &'r AgentPool,
    ) -> RunRequest<'r> {
        let CaseWork { case, path, .. } = work;
        RunRequest {
            case,
            path,
            files: &project.files,
            agent,
            mode: self.mode,
            allows_exec: project.allows_exec,
            runs: case.repeat.as_ref().map_or(1, |(runs, _)| *runs),
            pool,
            rerun: self.rerun.command(name),
        }
    }

    /// Plans how the requests of a case's agent to its model and to its mock tools are answered.
    fn plan_ports(
        &self,
        request: &RunRequest<'_>,
        model: Option<&ModelSettings>,
        task: &mut AgentTask,
    ) -> Result<(), RunFailure> {
        task.model = model.map(|settings| self.models.plan_runs(request, settings)).transpose()?;
        // Files with mock tools are rejected by a build without them.
        #[cfg(feature = "mocks")]
        {
            task.mocks = mocks::plan_mocks(&self.models, request)?;
        }
        Ok(())
    }

    /// Whether this run is no replay.
    pub(in crate::harness) fn asks_agents(&self) -> bool {
        self.mode != AgentMode::Replay
    }

    /// Counts the trials that have asked an agent, those that have the answer, and those whose agent is running.
    pub(crate) fn count_asking(&self) -> AskProgress {
        let at_work = self.pool.as_ref().map(AgentPool::working_cases).unwrap_or_default();
        let asked = self.asked.list_all();
        let answered = asked.iter().filter(|asked| asked.answer.is_given()).count();
        AskProgress { asked: asked.len(), answered, at_work }
    }

    /// Whether agents run in this process. They may print, and would wait for a lock on standard output.
    pub(crate) fn may_print(&self) -> bool {
        self.asked.list_all().iter().any(|asked| asked.in_process)
    }

    /// Returns the hash of the recorded answers that each run of the trial `name` rests on. Empty if its runs are recorded
    /// themselves, or if nothing of them is.
    pub(crate) fn hash_cassettes(&self, name: &str, case: &Case, path: &Path, files: &Files) -> Vec<String> {
        let agent = self.today.find_agent(case);
        let has_model = agent.is_some_and(|(_, agent)| agent.model.is_some());
        if !has_model || self.mode == AgentMode::Live || self.asked.find(name).is_none() {
            return Vec::new();
        }
        let has_server = case.mocks.as_ref().is_some_and(|mocks| mocks.server.is_some());
        let cassettes = [Some(CassetteOf::Model), has_server.then_some(CassetteOf::McpServer)];
        let count = case.repeat.as_ref().map_or(1, |(runs, _)| *runs);
        let hashes = (1..=count).map(|run| {
            let mut answers = String::new();
            for of in cassettes.into_iter().flatten() {
                files.read(&cassette_path(case, path, run, of), |text| answers.push_str(text)).ok()?;
            }
            Some(fingerprint_bytes(answers.as_bytes()))
        });
        // One that cannot be read leaves the runs without a hash of their own kind.
        hashes.collect::<Option<_>>().unwrap_or_default()
    }

    /// Waits for the answer of the trial's agent, so that the agent's time does not count as the time of the checks.
    pub(crate) fn wait_for_answer(&self, name: &str) {
        if let Some(asked) = self.asked.find(name) {
            let _ = asked.answer.wait();
        }
    }

    /// Whether the agent of the trial `name` was asked, by any process of the run.
    pub(crate) fn was_asked(&self, name: &str) -> bool {
        self.asked.contains(name)
    }

    /// Returns the runs of the trial `name`: its agent's answer, or the recorded ones.
    ///
    /// A recorded answer is read back from its file, so that the first verdict and the replays evaluate the same data.
    pub(crate) fn runs_of(
        &self,
        name: &str,
        case: &Case,
        path: &Path,
        files: &Files,
    ) -> Result<CaseRuns, RunFailure> {
        if let Some(failure) = self.asked.find_refusal(name) {
            return Err(failure);
        }
        // No agent was asked: the runs are in files.
        let Some(asked) = self.asked.find(name) else {
            return CaseRuns::find_runs(case, path, files)
                .map_err(|error| self.explain_missing_run(error, name, case).into());
        };
        let answered = asked.answer.wait();
        let mut errors = answered.iter().filter_map(|run| run.result.as_ref().err());
        let count = case.repeat.as_ref().map_or(1, |(runs, _)| *runs);
        // Without any run there is nothing to evaluate. Of several errors, the first one is reported.
        if let Some(error) = errors.next()
            && errors.count() + 1 == count as usize
        {
            return Err(self.explain_failure(error, name));
        }
        if asked.keeps_runs {
            let lost: BTreeMap<u32, LostRun> = answered
                .iter()
                .filter_map(|run| Some((run.number, self.explain_lost_run(run.result.as_ref().err()?, name))))
                .collect();
            if lost.is_empty() {
                return Ok(CaseRuns::find_runs(case, path, files)?);
            }
            return Ok(CaseRuns::find_recordings(case, path, files, count, lost)?);
        }
        let runs = answered.iter().map(|run| match &run.result {
            Ok(run) => {
                let trace = stamp_run(case, &asked.fingerprint, &run.trace);
                Ok(RecordedRun { file: None, format: LIVE, trace, workspace: run.workspace.clone() })
            }
            Err(error) => Err(self.explain_lost_run(error, name)),
        });
        Ok(runs.collect())
    }

    /// Describes one of several runs that the agent did not give.
    fn explain_lost_run(&self, error: &AgentError, name: &str) -> LostRun {
        let is_failure_of_agent = error.problem.is_failure_of_agent();
        match self.explain_failure(error, name) {
            RunFailure::Error(reason) => {
                LostRun { check: "agent", reason, help: None, undecided: None, is_failure_of_agent }
            }
            RunFailure::Undecided(UndecidedRun { check, reason, help, cause }) => {
                LostRun { check, reason, help: Some(help), undecided: Some(cause), is_failure_of_agent }
            }
        }
    }

    /// Returns the agent of a case as it is today. `None` for a case without an agent.
    pub(crate) fn fingerprint_of(&self, case: &Case) -> Result<Option<Arc<AgentFingerprint>>, String> {
        self.today.fingerprint_of(case).map_err(|error| error.problem)
    }

    /// Lists the files of the agent of a case, in the package in the folder `base`.
    pub(crate) fn list_agent_files(&self, case: &Case, base: &Path) -> AgentFiles {
        let Some((_, agent)) = self.today.find_agent(case) else { return AgentFiles::default() };
        let programs = agent.agent.find_line().map_or_else(Vec::new, |line| {
            let folder = line.cwd.as_ref().map_or_else(|| base.to_owned(), |cwd| base.join(cwd));
            let words = std::iter::once(&line.program).chain(&line.arguments);
            // A program that is found by its name is no file of the package.
            words.map(|word| folder.join(word)).filter(|path| path.is_file()).collect()
        });
        AgentFiles { inputs: agent.inputs, programs }
    }

    /// Converts the error of an agent. A request that is not recorded proves nothing about the agent.
    fn explain_failure(&self, error: &AgentError, name: &str) -> RunFailure {
        let (check, differs_in_results) = match error.problem {
            AgentProblem::Unrecorded { differs_in_results, .. } => ("model", differs_in_results),
            AgentProblem::UnrecordedCall(_) => ("mocks", false),
            _ => return RunFailure::Error(error.to_string()),
        };
        let record = format!("ARRAIGN_AGENT_MODE=record {}", self.rerun.command(name));
        let help = if differs_in_results {
            // The tools run in a replay too. What they answer anew each time is new in every recording.
            format!(
                "a tool answers differently in each run: mock it, or leave the part out with `model: {{ignore_text: \
                 [...]}}`; if it changed only once, record the run again: {record}"
            )
        } else {
            format!("record the run again: {record}")
        };
        RunFailure::Undecided(UndecidedRun {
            check,
            reason: error.to_string(),
            help,
            cause: UndecidedCause::UnrecordedRequest,
        })
    }

    /// Adds to the error of a missing trace how to record it, if the case has an agent.
    fn explain_missing_run(&self, error: RunsError, name: &str, case: &Case) -> String {
        if case.agent.is_none() || self.mode != AgentMode::Replay {
            return error.into();
        }
        let command = self.rerun.command(name);
        format!("no recorded run of the agent\n{error}\nrecord one: ARRAIGN_AGENT_MODE=record {command}")
    }
}
