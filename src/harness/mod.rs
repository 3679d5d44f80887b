//! The harness: YAML cases as libtest trials.
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     arraign::Harness::new("evals").run()
//! }
//! ```

mod attack;
mod cli;
mod folder;
mod ide;
#[cfg(feature = "live")]
mod limits;
mod output;
mod plan;
mod quarantine;
mod record;
mod run;
mod schema;
mod selection;
mod settings;
mod shard;
mod snapshots;
pub mod sources;
mod stderr;
mod workspace;

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::mem;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use serde::de::DeserializeOwned;

pub use self::attack::{AttackRun, AttackSettings, run_attacks};
pub use self::ide::{CASES_FILE, render_case_modules};
pub use self::output::finish::write_summary;
pub use self::record::{describe_runs, earlier_run, earlier_shards, read_history, runs};
pub use self::settings::{CaseOverrides, is_ci, parse_repeat, parse_threshold};
#[cfg(feature = "snapshots")]
pub use self::snapshots::{DESCRIPTION, pending_folder, snapshot_text};

use self::cli::HarnessCommand;
use self::output::finish::RunFinisher;
use self::plan::{AttackPhase, Plan, PlanSource, RecentSuites};
pub use self::plan::{PlannedAttack, SHOWN_FAILURES};
use self::quarantine::RunQuarantine;
use self::record::harness_id::HarnessId;
use self::record::prepare::{make_store, prepare_store};
use self::run::context::{OutputReaders, Project, RunContext};
use self::run::judging::RunJudge;
use self::run::live::{self, LiveAgents};
use self::run::panics;
use self::run::programs::CheckPrograms;
use self::run::run_trials;
use self::run::tally::Tally;
use self::run::variables::AllowedVariables;
pub use self::selection::{CaseSelection, run_program};
use self::settings::{EnvSettings, VariantSelection};
use self::stderr::{report_load_errors, report_problem, usage_error};
use crate::case::{Day, Quarantine, Variant};
use crate::check::{Check, CheckKind, CheckSettings, Registry, Tables};
use crate::judge::Judge;
use crate::lint::{LintResult, lint_cases};
use crate::place::{LoadError, LoadErrors, Place};
use crate::source::Files;
use crate::suite::{Library, ReportFormat, Suite, Workspace, load_quarantine};
use crate::verdict::Rerun;

/// The summary of a check that is registered without one.
const SUMMARY: &str = "a check of this project";

/// The number of runs whose verdicts are kept, unless `keep_runs` of `arraign.yaml` says otherwise.
const KEPT_RUNS: usize = 20;

/// The exit code of a run with a failed trial, as libtest has it.
const FAILED: u8 = 101;

/// A test target whose trials are the cases of a folder.
pub struct Harness {
    folder: PathBuf,
    base: Option<PathBuf>,
    kinds: Registry,
    live: live::AgentSetup,
    judge: Option<Arc<dyn Judge>>,
    allowed_roots: Vec<PathBuf>,
    /// The variables that files may name. `None` allows all.
    allowed_variables: Option<BTreeSet<String>>,
    size_limit: Option<u64>,
    /// The command that runs one trial, if it is not that of this test target.
    rerun: Option<Rerun>,
    /// Whether agents may run in a replay.
    allows_exec: bool,
    keeps_workspaces: bool,
    /// The flags of a program that runs this harness.
    selection: Option<CaseSelection>,
    /// What the run is for `cargo arraign attack`.
    attack: Option<Arc<AttackPhase>>,
    /// The folder of the verdicts, in place of the one in the environment.
    out: Option<PathBuf>,
    /// The day on which the quarantine is looked at, if it is not the one of the clock.
    today: Option<Day>,
    mistakes: Vec<String>,
}

impl Harness {
    /// Creates a harness for the cases below `folder`. The path is relative to the package's folder, which is the value
    /// of `CARGO_MANIFEST_DIR` when the test runs, or the current folder without that variable.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            base: None,
            kinds: Registry::default(),
            live: live::AgentSetup::default(),
            judge: None,
            allowed_roots: Vec::new(),
            allowed_variables: None,
            size_limit: None,
            rerun: None,
            allows_exec: false,
            keeps_workspaces: false,
            selection: None,
            attack: None,
            out: None,
            today: None,
            mistakes: Vec::new(),
        }
    }

    /// Sets the package's folder.
    pub fn at(mut self, base: impl Into<PathBuf>) -> Self {
        self.base = Some(base.into());
        self
    }

    /// Registers a check of your own. `metric: name` and `expect: [- name: {...}]` then read `T` as the check's settings.
    /// With the feature `schema`, `T` also derives `JsonSchema`, so that editors know the settings.
    pub fn check<T: Check + CheckSettings + DeserializeOwned + 'static>(self, name: &'static str) -> Self {
        self.kind(CheckKind::of::<T>(name, SUMMARY))
    }

    /// Registers a check of your own like [`Harness::check`], without a schema. Editors know the name and accept any
    /// settings.
    pub fn check_opaque<T: Check + DeserializeOwned + 'static>(self, name: &'static str) -> Self {
        self.kind(CheckKind::undescribed(name, SUMMARY, |node, _scope| Ok(Box::new(node.decode_all::<T>()?))))
    }

    /// Registers a check from a complete [`CheckKind`].
    pub fn kind(mut self, kind: CheckKind) -> Self {
        self.mistakes.extend(self.kinds.register(kind).err());
        self
    }

    /// Registers an agent. Cases with `agent: name` run the agent if `ARRAIGN_AGENT_MODE` is `record` or `live`, and
    /// replay its recording otherwise. The agent returns a trace or [`crate::Messages`].
    ///
    /// ```no_run
    /// use arraign::{AgentInput, Harness, Trace};
    /// use arraign::trace::{Arguments, Call};
    ///
    /// async fn support(input: AgentInput) -> Result<Trace, std::io::Error> {
    ///     let mut trace = Trace::default();
    ///     trace.push_call(Call::new("look_up", Arguments::Json(input.input), 1));
    ///     trace.answer = Some("It ships today.".to_owned());
    ///     Ok(trace)
    /// }
    ///
    /// fn main() -> std::process::ExitCode {
    ///     Harness::new("evals").agent("support", support).run()
    /// }
    /// ```
    #[cfg(feature = "live")]
    pub fn agent<F, Answer, T, E>(mut self, name: &str, ask: F) -> Self
    where
        F: Fn(crate::agent::AgentInput) -> Answer + Send + Sync + 'static,
        Answer: Future<Output = Result<T, E>> + Send + 'static,
        T: crate::agent::IntoTrace,
        E: Into<crate::agent::AgentFailure>,
    {
        let registered = self.live.register(name, crate::agent::InProcess::new(ask));
        self.mistakes.extend(registered.err().map(|problem| problem.to_string()));
        self
    }

    /// Names the files that the agent `name` depends on, such as its prompts: globs relative to the package, as under the key
    /// `inputs` of agents in YAML. A recording is stale when one of them changes.
    ///
    /// ```no_run
    /// # async fn support(_: arraign::AgentInput) -> Result<arraign::Trace, std::io::Error> { todo!() }
    /// fn main() -> std::process::ExitCode {
    ///     let harness = arraign::Harness::new("evals").agent("support", support);
    ///     harness.agent_inputs("support", ["prompts/**", "src/agent/**"]).run()
    /// }
    /// ```
    #[cfg(feature = "live")]
    pub fn agent_inputs(mut self, name: &str, globs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let globs = globs.into_iter().map(Into::into).collect();
        self.mistakes.extend(self.live.add_inputs(name, globs).err());
        self
    }

    /// Lets the agent `name` run in every mode, with the requests to its model recorded and replayed, like the key `model` of
    /// agents in YAML. The agent finds the address for its requests in [`crate::AgentInput::model`].
    #[cfg(feature = "model")]
    pub fn agent_model(mut self, name: &str) -> Self {
        self.mistakes.extend(self.live.record_model(name).err());
        self
    }

    /// Sets the judge, in place of the one under `judge` in `arraign.yaml` or a suite. The judge is asked if `ARRAIGN_JUDGE`
    /// is `record` or `live`; otherwise its recorded opinions are replayed.
    ///
    /// ```no_run
    /// use arraign::Harness;
    /// use arraign::judge::{JudgeAnswer, JudgeError, JudgeRequest};
    ///
    /// fn ask_my_model(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    ///     Err(JudgeError::failed(format!("no model reads these {} bytes", request.user.len())))
    /// }
    ///
    /// fn main() -> std::process::ExitCode {
    ///     Harness::new("evals").judge(ask_my_model).run()
    /// }
    /// ```
    pub fn judge(mut self, judge: impl Judge + 'static) -> Self {
        self.judge = Some(Arc::new(judge));
        self
    }

    /// Lets cases name files below `root`, a folder outside the folder of cases.
    pub fn allow_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.allowed_roots.push(root.into());
        self
    }

    /// Lets cases and `arraign.yaml` name only these environment variables, in `env`, `headers` and `url` of agents, `env` of
    /// servers and programs, and `key_env` of the judge, of which the default is `OPENAI_API_KEY`. Any other variable is a
    /// mistake in its file. Without this call, files may name every variable: a run that records or is live then sends the
    /// variables that a pull request names to the servers that it names.
    ///
    /// ```no_run
    /// fn main() -> std::process::ExitCode {
    ///     arraign::Harness::new("evals").allow_variables(["OPENAI_API_KEY", "SHOP_URL"]).run()
    /// }
    /// ```
    pub fn allow_variables(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.allowed_variables.get_or_insert_default().extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the largest size of a trace, policy or case file, in bytes. The default is `size_limit` of `arraign.yaml`, or
    /// else 64 MiB.
    pub fn size_limit(mut self, bytes: u64) -> Self {
        self.size_limit = Some(bytes);
        self
    }

    /// Sets the command that runs these cases again, such as `cargo arraign run --`. Failed trials show it as a hint. The
    /// default is `cargo test` with this program's test target.
    pub fn rerun(mut self, command: impl Into<String>) -> Self {
        self.rerun = Some(Rerun::of_command(command));
        self
    }

    /// Reads the cases of one file below the eval root, with this harness's checks, for use in any `#[test]`.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Suite, LoadErrors> {
        self.with_library(|library| Suite::load(&library.files.root().join(path), library))
    }

    /// Finds what the cases leave untested, as `cargo arraign lint` does, with this harness's checks and for use in any
    /// `#[test]`. Reads recorded traces and runs no agent.
    pub fn lint(&self) -> Result<LintResult, LoadErrors> {
        let (_, files) = self.find_project()?;
        let (files, common) = self.read_workspace(files)?;
        let quarantine = load_quarantine(&files, self.find_today(), common.quarantine_days)?;
        let agents = self.list_agents(&common);
        let variants = VariantSelection::select(&[], &common.variants, &agents);
        let variants = variants.map_err(|problem| LoadError::new(Place::of_file(""), problem))?;
        let library = Library { kinds: &self.kinds, files: &files, tables: &common.tables };
        lint_cases(library, &quarantine, |name| variants.knows(name))
    }

    /// Calls `read` with this harness's checks and the files and tables of the eval root.
    fn with_library<T>(
        &self,
        read: impl FnOnce(Library<'_>) -> Result<T, LoadErrors>,
    ) -> Result<T, LoadErrors> {
        let (_, files) = self.find_project()?;
        let (files, Workspace { tables, .. }) = self.read_workspace(files)?;
        read(Library { kinds: &self.kinds, files: &files, tables: &tables })
    }

    /// Returns the package's folder and the files of the eval root. A missing folder is a mistake with a place.
    fn find_project(&self) -> Result<(PathBuf, Files), LoadErrors> {
        let place = || Place::of_file(self.folder.to_string_lossy());
        self.find_files().map_err(|problem| LoadError::new(place(), problem).into())
    }

    /// Returns the names of all agents: those of the test target, and those that `arraign.yaml` describes.
    fn list_agents<'a>(&'a self, common: &'a Workspace) -> Vec<&'a str> {
        let described = common.agents.iter().map(|agent| agent.name.as_str());
        self.live.list_names().into_iter().chain(described).collect()
    }

    /// Returns the day on which the quarantine is looked at.
    fn find_today(&self) -> Day {
        self.today.unwrap_or_else(quarantine::find_today)
    }

    /// Reads cases from `text`, as if it were a file of the eval root.
    pub fn parse(&self, text: &str) -> Result<Suite, LoadErrors> {
        let base = self.base.clone().unwrap_or_default();
        let files = Files::new(&base, base.join(&self.folder));
        let path = files.root().join("inline.yaml");
        let tables = Tables::default();
        Suite::parse(&path, text, Library { kinds: &self.kinds, files: &files, tables: &tables })
    }

    /// Runs the trials that the command line selects. The exit code is 0 if all pass, 101 if a trial fails, and 2 if the
    /// run cannot start or finish.
    pub fn run(self) -> ExitCode {
        self.run_with(env::args_os().skip(1))
    }

    /// Runs the trials that `arguments` select: a command line without the program's name. A program with its own command
    /// line passes on the harness's part.
    pub fn run_with(self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        self.try_run(arguments.into_iter().collect()).unwrap_or_else(|code| code)
    }

    /// Runs the trials. The error is the exit code of a run that cannot start; its message has been printed.
    fn try_run(self, arguments: Vec<OsString>) -> Result<ExitCode, ExitCode> {
        panics::install_hook();
        let arguments = settings::add_bazel_filter(arguments);
        let threads = env::var_os("RUST_TEST_THREADS");
        let mut command = cli::parse_arguments(arguments, threads).map_err(report_problem)?;
        command.settings = self.apply_selection(settings::read_environment().map_err(report_problem)?);
        if !self.mistakes.is_empty() {
            return Err(usage_error(&self.mistakes));
        }
        // The schema is written without the files of cases, so that it can be written before the first one.
        if let Some(path) = &command.settings.schema {
            return Ok(schema::write_schema(path, &self.kinds));
        }
        let (base, files) = self.find_files().map_err(report_problem)?;
        self.run_in(base, files, command)
    }

    fn run_in(
        mut self,
        base: PathBuf,
        files: Files,
        mut command: HarnessCommand,
    ) -> Result<ExitCode, ExitCode> {
        let folder = workspace::find_folder(&base);
        if let Some(phase) = &self.attack {
            let settings = std::mem::take(&mut command.settings);
            let settings = EnvSettings { out: self.out.take().or(settings.out), ..settings };
            command.settings = phase
                .restrict_settings(settings, &base)
                .map_err(|error| report_problem(error.to_string()))?;
        }
        let read = self.read_workspace(files);
        let (files, mut common) = read.map_err(|errors| report_load_errors(&errors, &folder))?;
        command.variants = self.select_variants(&common, &command, &folder)?;
        let command = &command;
        let settings = &command.settings;
        let today = self.find_today();
        let quarantine = load_quarantine(&files, today, common.quarantine_days)
            .map_err(|errors| report_load_errors(&errors, &folder))?;
        let rerun = self.rerun.clone().unwrap_or_else(|| workspace::make_rerun(&folder));
        let rerun = rerun.with_variables(&settings.modes).with_variants(command.variants.join_names());
        let project = Project {
            base,
            folder,
            files: Arc::new(files),
            rerun,
            processes: None,
            is_part: false,
            allows_exec: self.allows_exec,
            keeps_workspaces: self.keeps_workspaces || settings.keeps_workspaces,
            agent_limits: common.agent_limits,
            allows_stale: settings.allows_stale,
            details_of_passed: false,
            mutates: settings.mutates,
            kinds: mem::take(&mut self.kinds),
            tables: mem::take(&mut common.tables),
            recent_suites: RecentSuites::default(),
        };
        let mut plan =
            make_plan(project.library(), &quarantine, &project.folder, command, self.attack.is_some())?;
        self.plan_attacks(&mut plan, command, &project.folder)?;
        plan.match_identifiers(command);
        ide::note_stale_file(&plan, &project.files, command);
        self.refuse_empty_selection(&plan, project.library(), command)?;
        divide_and_check(&mut plan, command, &project.base).map_err(report_problem)?;
        // Shards are divided before the filters apply, so that each trial stays in its shard.
        plan.keep_wanted(command);
        if let Some(phase) = &self.attack {
            phase.count_wanted(&plan, command);
        }
        if command.lists_json() {
            return Ok(output::list::print_list(&plan, &project.base, project.files.root(), command));
        }
        let quarantine = RunQuarantine::new(quarantine, settings, &project.base, today);
        let quarantine = quarantine.map_err(report_problem)?;
        self.run_plan(plan, project, common, quarantine, command)
    }

    /// Selects the variants of the run. Returns the exit code of the process after printing an error.
    fn select_variants(
        &self,
        common: &Workspace,
        command: &HarnessCommand,
        folder: &str,
    ) -> Result<VariantSelection, ExitCode> {
        let own = self.live.list_names();
        refuse_called_like(&common.variants, &own).map_err(|errors| report_load_errors(&errors, folder))?;
        let agents = self.list_agents(common);
        VariantSelection::select(&command.settings.variants, &common.variants, &agents)
            .map_err(report_problem)
    }

    fn run_plan(
        self,
        mut plan: Plan,
        mut project: Project,
        common: Workspace,
        quarantine: RunQuarantine,
        command: &HarnessCommand,
    ) -> Result<ExitCode, ExitCode> {
        let settings = &command.settings;
        let keep_runs = common.keep_runs.map_or(KEPT_RUNS, NonZeroUsize::get);
        let id = HarnessId::locate(&project.base, project.files.root());
        let store = make_store(&project.base, settings, &id);
        project.processes = settings.nextest.as_ref().map(|nextest| store.share_with_processes(nextest));
        project.is_part = plan.is_part(settings);
        project.details_of_passed =
            settings.reports.iter().chain(&plan.reports).any(|format| *format == ReportFormat::Html);
        if let Some(names) = self.allowed_variables {
            let allowed = AllowedVariables { names, has_own_judge: self.judge.is_some() };
            let checked = allowed.check_plan(&common.agents, &mut plan, command);
            checked.map_err(|errors| report_load_errors(&errors, &project.folder))?;
        }
        // Agents start first: they work while the judge and the store are prepared.
        let live = LiveAgents::start_agents(self.live, common.agents, &mut plan, command, &project)?;
        let judging = RunJudge::prepare(self.judge, &mut plan, command, &project.folder)?;
        prepare_store(&store, &plan, &project.kinds, &project.rerun, &id, keep_runs, command)
            .map_err(report_problem)?;
        let judging = judging.with_shared_ledger(&store, settings);
        let finisher = RunFinisher::from_plan(&mut plan, command);
        let tally = Tally::new(&plan, settings);
        let readers = OutputReaders {
            json: command.prints_json(),
            data: command.prints_data(),
            nextest: settings.nextest.is_some(),
        };
        // Who asks agents has allowed the folder to start programs.
        let programs = CheckPrograms::new(self.allows_exec || live.asks_agents(), project.base.clone());
        let context = Arc::new(RunContext {
            project,
            readers,
            live,
            judging,
            programs,
            quarantine,
            progress: Arc::default(),
            store,
            tally,
            attack: self.attack,
        });
        let counts = run_trials(plan, &context, command);
        if !command.arguments.list {
            finisher.finish_run(&context, counts).map_err(report_problem)?;
        }
        Ok(if counts.failed > 0 { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
    }
}

/// Refuses variants that are called like an agent of the test target, which is a variant of its name.
fn refuse_called_like(variants: &[Variant], agents: &[&str]) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    for variant in variants {
        let same = agents.iter().find(|agent| agent.eq_ignore_ascii_case(&variant.name));
        if let (Some(agent), Some(place)) = (same, &variant.place) {
            let problem = format!("an agent of the test target is called `{agent}`, too");
            let help = "each agent is a variant of its name already: rename one of them";
            errors.push(LoadError::new(place.clone(), problem).help(help));
        }
    }
    errors.or(())
}

/// Plans the trials that the command line may select. Returns the exit code of the process after printing an error.
fn make_plan(
    library: Library<'_>,
    quarantine: &Quarantine,
    folder: &str,
    command: &HarnessCommand,
    are_attacked: bool,
) -> Result<Plan, ExitCode> {
    // A check of the project may panic while it is read, which must not look like a bug of the test runner.
    let planned = panics::catch_silently(|| {
        let settings = &command.settings;
        let source = PlanSource { library, settings, variants: &command.variants, quarantine };
        // The names are those of attacks, which only their cases show.
        if are_attacked {
            return plan::plan_all(source, usize::MAX);
        }
        if let Some(names) = command.exact_names() {
            return Ok(plan::plan_named(names, source));
        }
        // A list for tools has the place of each case.
        let most_kept = if command.lists_json() { usize::MAX } else { plan::KEPT_CASES };
        plan::plan_all(source, most_kept)
    });
    match planned {
        Ok(Ok(plan)) => Ok(plan),
        Ok(Err(errors)) => Err(report_load_errors(&errors, folder)),
        Err(message) => Err(report_problem(format!("panic while the cases were read: {message}"))),
    }
}

/// Keeps the trials of this shard. The error is a message for the user.
fn divide_and_check(plan: &mut Plan, command: &HarnessCommand, base: &Path) -> Result<(), String> {
    plan.divide_trials(command, base)?;
    let mut cases = plan.list_cases().into_iter();
    // A list writes nothing, so it accepts nothing.
    let has_snapshots = !command.arguments.list && cases.any(|(case, _)| case.snapshot.is_some());
    snapshots::refuse_accepting_in_ci(has_snapshots)
}
