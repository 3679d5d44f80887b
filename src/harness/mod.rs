//! The harness: YAML cases as libtest trials.
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     arraign::Harness::new("evals").run()
//! }
//! ```

mod cli;
mod output;
mod plan;
mod record;
mod run;
mod schema;
mod settings;
mod snapshots;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::FormatSetting;
use serde::de::DeserializeOwned;

pub use self::output::finish::write_summary;
pub use self::record::{earlier_run, runs};
#[cfg(feature = "snapshots")]
pub use self::snapshots::{pending_folder, snapshot_text};

use self::cli::Command;
use self::output::finish::RunFinisher;
use self::output::stderr::{count_cases, exit_with, report_load_errors, usage_error};
use self::output::tally::Tally;
use self::plan::Plan;
use self::record::harness_id::HarnessId;
use self::record::manifest::RunManifest;
use self::record::store::Store;
use self::run::context::{Project, Readers, RunContext};
use self::run::judging::RunJudge;
use self::run::live::{self, LiveAgents};
use self::run::panics;
use self::run::run_trials;
use self::settings::{Nextest, Settings};
use crate::check::{Check, CheckSettings, Kind, Registry, Tables};
use crate::judge::Judge;
use crate::lint::{LintResult, lint_cases};
use crate::place::{LoadError, LoadErrors, Place};
use crate::source::{DEFAULT_SIZE_LIMIT, Files};
use crate::suite::{Library, Suite, workspace};
use crate::verdict::Rerun;

/// The summary of a check that says nothing else of itself.
const SUMMARY: &str = "a check of this project";

/// A trial failed.
const FAILED: u8 = 101;

/// A test target whose trials are the cases of a folder.
pub struct Harness {
    folder: PathBuf,
    base: Option<PathBuf>,
    kinds: Registry,
    live: live::AgentSetup,
    judge: Option<Arc<dyn Judge>>,
    allowed_roots: Vec<PathBuf>,
    size_limit: u64,
    rerun: Rerun,
    mistakes: Vec<String>,
}

impl Harness {
    /// A harness over the cases below `folder`, relative to the package: the folder that `CARGO_MANIFEST_DIR`
    /// names when the test runs, else the current one.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            base: None,
            kinds: Registry::default(),
            live: live::AgentSetup::default(),
            judge: None,
            allowed_roots: Vec::new(),
            size_limit: DEFAULT_SIZE_LIMIT,
            rerun: settings::own_target().map_or_else(Rerun::default, |target| Rerun::of_target(&target)),
            mistakes: Vec::new(),
        }
    }

    /// Sets the package's folder.
    pub fn at(mut self, base: impl Into<PathBuf>) -> Self {
        self.base = Some(base.into());
        self
    }

    /// Registers a check of your own: `metric: name` and `expect: [- name: {...}]` then read `T` as its settings.
    /// With the feature `schema`, `T` derives `JsonSchema` as well: editors then know its settings.
    pub fn check<T: Check + CheckSettings + DeserializeOwned + 'static>(self, name: &'static str) -> Self {
        self.kind(Kind::of::<T>(name, SUMMARY))
    }

    /// Registers a check of your own like [`Harness::check`]. Editors know its name, and accept any settings.
    pub fn check_opaque<T: Check + DeserializeOwned + 'static>(self, name: &'static str) -> Self {
        self.kind(Kind::undescribed(name, SUMMARY, |node, _scope| Ok(Box::new(node.decode_all::<T>()?))))
    }

    /// Registers a check with all that its entry may say.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.mistakes.extend(self.kinds.register(kind).err());
        self
    }

    /// Registers an agent: cases that say `agent: name` ask it when `ARRAIGN_AGENT_MODE` is `record` or `live`, and
    /// replay what was recorded of it otherwise. It answers with a trace, or with [`crate::Messages`].
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
    pub fn agent<F, Run, T, E>(mut self, name: &str, ask: F) -> Self
    where
        F: Fn(crate::agent::AgentInput) -> Run + Send + Sync + 'static,
        Run: Future<Output = Result<T, E>> + Send + 'static,
        T: crate::agent::IntoTrace,
        E: Into<crate::agent::AgentFailure>,
    {
        self.mistakes.extend(self.live.register(name, crate::agent::InProcess::new(ask)).err());
        self
    }

    /// How many agents are at work at the same time: 16 unless said otherwise, whatever `--test-threads` is; but one
    /// where that is 1.
    #[cfg(feature = "live")]
    pub fn agents_at_once(mut self, count: usize) -> Self {
        self.live.set_limit(count);
        self
    }

    /// Sets the judge: it is asked what a case needs an opinion on when `ARRAIGN_JUDGE` is `record` or `live`, in
    /// place of the one that `judge` names in `arraign.yaml` or a suite; what was recorded of it is replayed otherwise.
    ///
    /// ```no_run
    /// use arraign::Harness;
    /// use arraign::judge::{JudgeAnswer, JudgeError, JudgeRequest};
    ///
    /// fn ask_my_model(request: &JudgeRequest) -> Result<JudgeAnswer, JudgeError> {
    ///     Err(JudgeError::failed(format!("nobody reads the {} bytes of it", request.user.len())))
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

    /// Lets cases name files below `root`, which lies outside the folder of cases.
    pub fn allow_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.allowed_roots.push(root.into());
        self
    }

    /// The largest trace, policy or case file that is read, in bytes. 64 MiB unless said otherwise.
    pub fn size_limit(mut self, bytes: u64) -> Self {
        self.size_limit = bytes;
        self
    }

    /// What runs these cases again, for the hint of a red trial: `cargo arraign run --`. The test target that this
    /// program is, unless said.
    pub fn rerun(mut self, command: impl Into<String>) -> Self {
        self.rerun = Rerun::of_command(command);
        self
    }

    /// Reads the cases of one file below the eval root, with this harness's checks, for use in any `#[test]`.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Suite, LoadErrors> {
        let files = |problem: String| LoadError::new(Place::of_file(self.folder.to_string_lossy()), problem);
        let (_, files) = self.find_files().map_err(files)?;
        let tables = workspace(&files, &self.kinds)?.tables;
        let library = Library { kinds: &self.kinds, files: &files, tables: &tables };
        Suite::load(&files.root().join(path), library)
    }

    /// Looks for what the cases leave untested, with this harness's checks: what `cargo arraign lint` does, for use in any
    /// `#[test]`. Cases are held against what was recorded; no agent is run.
    pub fn lint(&self) -> Result<LintResult, LoadErrors> {
        let files = |problem: String| LoadError::new(Place::of_file(self.folder.to_string_lossy()), problem);
        let (_, files) = self.find_files().map_err(files)?;
        let tables = workspace(&files, &self.kinds)?.tables;
        lint_cases(Library { kinds: &self.kinds, files: &files, tables: &tables })
    }

    /// Reads cases from `text`, as if it were a file of the eval root.
    pub fn parse(&self, text: &str) -> Result<Suite, LoadErrors> {
        let base = self.base.clone().unwrap_or_default();
        let files = Files::new(&base, base.join(&self.folder));
        let path = files.root().join("inline.yaml");
        let tables = Tables::default();
        Suite::parse(&path, text, Library { kinds: &self.kinds, files: &files, tables: &tables })
    }

    /// Runs what the command line asks for. 0: all passed; 101: a trial failed; 2: the run itself is wrong.
    pub fn run(self) -> ExitCode {
        self.run_with(env::args_os().skip(1))
    }

    /// Runs what `arguments` ask for: those of a command line, without the program's name. A program with a command
    /// line of its own hands on what it keeps for the harness.
    pub fn run_with(self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        panics::install_hook();
        let threads = env::var_os("RUST_TEST_THREADS");
        let command = match cli::parse_arguments(arguments.into_iter().collect(), threads) {
            Ok(command) => command,
            Err(problem) => return usage_error(&[problem]),
        };
        let settings = match settings::read_environment() {
            Ok(settings) => settings,
            Err(problem) => return usage_error(&[problem]),
        };
        if !self.mistakes.is_empty() {
            return usage_error(&self.mistakes);
        }
        if let Some(path) = &settings.schema {
            return schema::write_schema(path, &self.kinds);
        }
        match self.find_files() {
            Ok((base, files)) => self.run_in(base, files, &command, &settings),
            Err(problem) => usage_error(&[problem]),
        }
    }

    /// The package's folder and the files of the eval root, found when the test runs: a remapped checkout keeps
    /// its own.
    fn find_files(&self) -> Result<(PathBuf, Files), String> {
        let bases = self.candidate_bases();
        let has_folder = |base: &&PathBuf| base.join(&self.folder).is_dir();
        let Some(base) = bases.iter().map(|(_, base)| base).find(has_folder) else {
            return Err(self.no_folder(&bases));
        };
        let base = base.canonicalize().unwrap_or_else(|_| base.clone());
        let root = base.join(&self.folder);
        let roots = self.allowed_roots.iter().map(|root| base.join(root));
        let files = roots.fold(Files::new(&base, root).with_size_limit(self.size_limit), Files::allow_root);
        Ok((base, files))
    }

    /// Where the package may be, and who says so.
    fn candidate_bases(&self) -> Vec<(&'static str, PathBuf)> {
        if let Some(base) = &self.base {
            return vec![("Harness::at", base.clone())];
        }
        let manifest = env::var_os("CARGO_MANIFEST_DIR").filter(|folder| !folder.is_empty());
        let manifest = manifest.map(|folder| ("CARGO_MANIFEST_DIR", folder.into()));
        let current = env::current_dir().ok().map(|folder| ("the current folder", folder));
        manifest.into_iter().chain(current).collect()
    }

    fn no_folder(&self, bases: &[(&str, PathBuf)]) -> String {
        let said = |name: &str| bases.iter().any(|(known, _)| *known == name);
        let mut tried: Vec<String> =
            bases.iter().map(|(name, base)| format!("in {} ({name})", base.display())).collect();
        if self.base.is_none() && !said("CARGO_MANIFEST_DIR") {
            tried.push("by CARGO_MANIFEST_DIR, which is not set".to_owned());
        }
        let help = "make it, or say where the package is with `Harness::at`";
        format!("no folder `{}` {}; {help}", self.folder.display(), tried.join(", nor "))
    }

    fn run_in(self, base: PathBuf, files: Files, command: &Command, settings: &Settings) -> ExitCode {
        let common = match workspace(&files, &self.kinds) {
            Ok(common) => common,
            Err(errors) => return report_load_errors(&errors),
        };
        let library = Library { kinds: &self.kinds, files: &files, tables: &common.tables };
        let mut plan = match plan_of(library, command, settings) {
            Ok(plan) => plan,
            Err(code) => return code,
        };
        if let Some(code) = nothing_to_run(&plan, command, settings, &self.folder) {
            return code;
        }
        plan.keep_wanted(command);
        let around = (base.as_path(), &files, &self.rerun);
        let live = match LiveAgents::start_agents(self.live, common.agents, &mut plan, command, around) {
            Ok(live) => live,
            Err(code) => return code,
        };
        let judging = match RunJudge::prepare(self.judge, &mut plan, command, settings.judge) {
            Ok(judging) => judging,
            Err(code) => return code,
        };
        let store = match open_store(&plan, library, &base, command, settings) {
            Ok(store) => store,
            Err(problem) => return usage_error(&[problem]),
        };
        let judging = judging.with_shared_ledger(&store, settings);
        let ending = RunFinisher::from_plan(&mut plan, command, settings);
        let tally = Tally::new(&plan, settings);
        let json = matches!(command.arguments.format, Some(FormatSetting::Json));
        let project = Project { base, files, rerun: self.rerun };
        let readers = Readers { json, nextest: settings.nextest.is_some() };
        let progress = Arc::default();
        let context = Arc::new(RunContext { project, readers, live, judging, progress, store, tally });
        run_trials(plan, &context, command, &ending)
    }
}

/// The trials that the command line may mean. The error is how the process ends: a mistake was told.
fn plan_of(library: Library<'_>, command: &Command, settings: &Settings) -> Result<Plan, ExitCode> {
    let planned = panics::quietly(|| match command.exact_names() {
        Some(names) => Ok(plan::plan_named(names, library, settings)),
        None => plan::plan_all(library, settings),
    });
    match planned {
        Ok(Ok(plan)) => Ok(plan),
        Ok(Err(errors)) => Err(report_load_errors(&errors)),
        Err(said) => Err(usage_error(&[format!("a panic while the cases were read: {said}")])),
    }
}

/// Why there is nothing to run, where that is an error: an empty selection never looks green. A list may be empty,
/// as libtest has it.
fn nothing_to_run(plan: &Plan, command: &Command, settings: &Settings, folder: &Path) -> Option<ExitCode> {
    if !plan.trials.is_empty() || command.arguments.list {
        return None;
    }
    let left_out = "no case has the wanted tier or tag (ARRAIGN_TIER, ARRAIGN_TAGS)";
    if let Some(names) = command.exact_names() {
        let hint = if plan.skipped > 0 { format!(": {left_out}") } else { String::new() };
        let missing = format!("no trial is called `{}`{hint}", names.join("` or `"));
        return settings.nextest.is_some().then(|| exit_with(&[missing], FAILED));
    }
    if plan.skipped > 0 {
        return Some(usage_error(&[format!("{left_out}: {} were left out", count_cases(plan.skipped))]));
    }
    Some(usage_error(&[format!("no case below `{}`: an empty run is not a green one", folder.display())]))
}

/// Where the verdicts of this process go. How it began is said there. The error is a sentence for the user.
fn open_store(
    plan: &Plan,
    library: Library<'_>,
    base: &Path,
    command: &Command,
    settings: &Settings,
) -> Result<Store, String> {
    let home = HarnessId::locate(base, library.files.root());
    let store = make_store(base, settings, &home);
    if leaves_a_beginning(plan, command, settings) {
        store.write_manifest(|| RunManifest::for_plan(plan, (command, settings), library.kinds, &home))?;
    }
    Ok(store)
}

fn make_store(base: &Path, settings: &Settings, home: &HarnessId) -> Store {
    let out = settings.out.as_ref().map_or_else(|| settings::default_out(base), |out| base.join(out));
    match &settings.nextest {
        Some(Nextest { run_id, attempt }) => Store::new(&out, run_id, *attempt, &home.harness),
        None => Store::new(&out, &settings::own_run_id(), 1, &home.harness),
    }
}

/// A run leaves one; and nextest's list, where it names trials that nextest will not start, or sees suites whole that
/// are summed up.
fn leaves_a_beginning(plan: &Plan, command: &Command, settings: &Settings) -> bool {
    let asked = &command.arguments;
    let names_ignored = || plan.trials.iter().any(|trial| trial.ignore.is_some());
    let knows_more = || !asked.ignored && (names_ignored() || !plan.golden.is_empty());
    !asked.list || (settings.nextest.is_some() && knows_more())
}
