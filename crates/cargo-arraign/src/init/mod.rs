//! `cargo arraign init`: writes a first case with its trace, and what runs it.
//!
//! A Rust crate gets a dependency, a test target and its file. Any other project gets only the folder of cases. Existing
//! files are kept, so a second `init` changes nothing.

mod ignore;
mod manifest;
mod profile;
mod starter;
mod transcripts;
mod workflow;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use arraign::__internals::harness::render_case_modules;
use arraign::__internals::report::plain::escape_line;
use arraign::__internals::source::{find_repository, write_whole};
use arraign::__internals::verdict::quoted;
use clap::{Args, ValueEnum};

use self::manifest::{Dependency, EditedManifest};
use self::workflow::{Workflow, WorkflowProject};
use crate::editor::{SCHEMA_BELOW_CASES, render_schema};
use crate::error::{CliError, CliResult, exit_after_write};
use crate::from_trace::FromTrace;
use crate::new_file::write_new;

/// Add a first case to a crate, or to a project in another language. Never overwrites files.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The folder of the crate or project.
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// The CI service to write a workflow for.
    #[arg(long, value_enum, default_value_t = Workflow::Github)]
    workflow: Workflow,
    /// Make the first case from this trace of your agent, in any format that `explain` reads.
    #[arg(long, value_name = "TRACE")]
    from: Option<PathBuf>,
    /// Add an agent to the test target of a crate: its function, and a case that runs it.
    #[arg(long, value_enum, value_name = "KIND")]
    agent: Option<InitAgent>,
    /// Show each case in rust-analyzer's test explorer: writes `evals/cases.rs`, which `cargo arraign ide` updates.
    #[arg(long)]
    rust_analyzer: bool,
    /// Depend on the arraign in this folder instead of the released version.
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

/// What is recorded of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum InitAgent {
    /// The replies of its model. The agent itself runs in each test.
    Model,
}

/// The effect of `init` on one file.
enum InitStep {
    Wrote(String),
    Kept(String),
    /// Transcripts that no case names.
    Found(String),
    /// Something is left to the user.
    Advised(String),
}

impl Init {
    pub(crate) fn run(self) -> CliResult {
        if !self.dir.is_dir() {
            return Err(CliError::new(format!("no folder `{}`", self.dir.display())));
        }
        let manifest = self.dir.join("Cargo.toml");
        let mut steps = Vec::new();
        let is_crate = manifest.is_file();
        if self.agent.is_some() && !is_crate {
            let help = "outside of a crate, an agent is a command: \
                        `agents: {support: {command: [...], model: true}}` in evals/arraign.yaml";
            return Err(CliError::new(format!("--agent: no Cargo.toml in `{}`; {help}", self.dir.display())));
        }
        let workspace = profile::find_workspace_manifest(&self.dir).filter(|_| is_crate);
        if is_crate {
            steps.extend(self.edit_manifest(&manifest, workspace.as_deref())?);
            steps.extend(add_profile(workspace.as_deref().unwrap_or(&manifest))?);
            let target = starter::render_target(self.agent.is_some(), self.rust_analyzer);
            steps.push(self.add_file("tests/evals.rs", &target)?);
        }
        // They are looked for first: what `init` writes is no find.
        let transcripts =
            if self.from.is_none() { transcripts::find_transcripts(&self.dir) } else { Vec::new() };
        steps.extend(self.add_cases(is_crate)?);
        let target_parent = workspace.as_deref().and_then(Path::parent).unwrap_or(&self.dir);
        steps.extend(ignore_target(target_parent, is_crate)?);
        steps.extend(self.add_workflow(is_crate, target_parent)?);
        steps.extend(transcripts.iter().map(|found| InitStep::Found(found.describe())));
        steps.extend(
            transcripts
                .first()
                .into_iter()
                .flat_map(transcripts::FoundTranscripts::advise)
                .map(InitStep::Advised),
        );
        exit_after_write(print_steps(&steps, is_crate, &self.dir))
    }

    /// Adds the missing dependency and test target to the manifest.
    fn edit_manifest(&self, manifest: &Path, workspace: Option<&Path>) -> Result<Vec<InitStep>, CliError> {
        let text = fs::read_to_string(manifest).map_err(|error| manifest_error(manifest, &error))?;
        let dependency = match &self.path {
            // A workspace that names a version decides it for all its members.
            None if workspace.is_some_and(profile::shares_arraign) => Dependency::Workspace,
            None => Dependency::Released,
            Some(path) => Dependency::Folder(
                path.canonicalize()
                    .map_err(|error| CliError::new(format!("--path {}: {error}", path.display())))?,
            ),
        };
        let feature = self.agent.map(|InitAgent::Model| manifest::MODEL);
        let EditedManifest { text, added, remarks } = manifest::add_evals(&text, &dependency, feature)
            .map_err(|error| manifest_error(manifest, &error))?;
        let mut steps: Vec<InitStep> =
            remarks.into_iter().map(|remark| InitStep::Kept(format!("Cargo.toml: {remark}"))).collect();
        // An unchanged manifest is not written, so that cargo need not build again.
        if !added.is_empty() {
            write_whole(manifest, text.as_bytes())
                .map_err(|error| manifest_error(manifest, &format!("cannot write the file: {error}")))?;
            steps.push(InitStep::Wrote(format!("Cargo.toml: {}", added.join(", "))));
        }
        Ok(steps)
    }

    fn add_file(&self, name: &str, text: &str) -> Result<InitStep, CliError> {
        Ok(if write_new(&self.dir.join(name), text)? {
            InitStep::Wrote(name.to_owned())
        } else {
            InitStep::Kept(format!("{name}: already exists"))
        })
    }

    /// Adds the first case, the schema that it names, and what else was asked for. A folder with files gets only the case of a trace
    /// or of an agent that the user names.
    fn add_cases(&self, is_crate: bool) -> Result<Vec<InitStep>, CliError> {
        // Cases that are there already need no first one, and must not fail beside it.
        let mut entries = fs::read_dir(self.dir.join("evals")).into_iter().flatten();
        let is_empty = entries.next().is_none();
        let mut steps = Vec::new();
        let mut trials = Vec::new();
        if let Some(trace) = &self.from {
            let (own, trial) = self.add_case_from(trace)?;
            steps.extend(own);
            trials.extend(trial);
        } else if is_empty {
            for (name, text) in starter::CASE {
                steps.push(self.add_file(name, text)?);
            }
            trials.push(starter::TRIAL.to_owned());
        } else {
            steps.push(InitStep::Kept("evals/: already contains files".to_owned()));
        }
        if self.agent.is_some() {
            let target = fs::read_to_string(self.dir.join("tests/evals.rs")).unwrap_or_default();
            // A case whose agent the target does not name would stop the whole run.
            if target.contains(starter::AGENT_CALL) {
                steps.push(self.add_file(starter::OF_AGENT, starter::AGENT_CASE)?);
                trials.push(starter::AGENT_TRIAL.to_owned());
            } else {
                let call = starter::AGENT_CALL;
                let advice =
                    format!("add your agent to the harness in tests/evals.rs: `{call}`, and run this again");
                steps.push(InitStep::Advised(advice));
            }
        }
        if is_empty || steps.iter().any(|step| matches!(step, InitStep::Wrote(_))) {
            steps.push(self.add_file(&format!("evals/{SCHEMA_BELOW_CASES}"), &render_schema())?);
        }
        if is_crate && self.rust_analyzer {
            let names = render_case_modules(trials.iter().map(String::as_str));
            // The names of the cases that were there are not known here.
            steps.push(if is_empty {
                self.add_file(starter::NAMES, &names)?
            } else {
                InitStep::Advised("cargo arraign ide, which writes evals/cases.rs".to_owned())
            });
        }
        Ok(steps)
    }

    /// Adds the case that `from-trace` proposes for a trace. Returns the name of its trial, unless there is a file of this case.
    fn add_case_from(&self, trace: &Path) -> Result<(Vec<InitStep>, Option<String>), CliError> {
        let own = self.dir.join(starter::OWN);
        if own.exists() {
            let command = format!(
                "cargo arraign from-trace {} --out evals/NAME.yaml",
                quoted(&trace.to_string_lossy())
            );
            let kept = InitStep::Kept(format!("{}: already exists", starter::OWN));
            return Ok((vec![kept, InitStep::Advised(format!("{command}, for one more case"))], None));
        }
        let (id, written) = FromTrace::for_first_case(trace, own).write()?;
        let steps = written.iter().map(|path| {
            let path = path.strip_prefix(&self.dir).unwrap_or(path);
            InitStep::Wrote(path.to_string_lossy().replace('\\', "/"))
        });
        Ok((steps.collect(), Some(format!("{}::{id}", starter::OWN_STEM))))
    }

    /// Writes the workflow to the root of the repository, where its service looks for it.
    fn add_workflow(&self, is_crate: bool, target_parent: &Path) -> Result<Vec<InitStep>, CliError> {
        let here = self.dir.canonicalize()?;
        let target_parent = target_parent.canonicalize()?;
        let root = find_repository(&here).unwrap_or(&here);
        let below = path_below(root, &here);
        let target_parent = path_below(root, &target_parent);
        let project = WorkflowProject { is_crate, below: &below, target_parent: &target_parent };
        let mut steps = Vec::new();
        // The second file of a service is written only if the first one exists, and must be included in it by hand.
        for (index, file) in self.workflow.files().iter().enumerate() {
            let path = root.join(file);
            let name = if below.is_empty() { (*file).to_owned() } else { path.display().to_string() };
            if write_new(&path, self.workflow.render(&project))? {
                steps.push(InitStep::Wrote(name));
                steps.extend((index > 0).then(|| InitStep::Advised(self.workflow.advice().to_owned())));
                break;
            }
            steps.push(InitStep::Kept(format!("{name}: already exists")));
        }
        Ok(steps)
    }
}

/// Adds the settings of debug builds to the manifest of the workspace, or of a crate without one.
fn add_profile(manifest: &Path) -> Result<Option<InitStep>, CliError> {
    let text = fs::read_to_string(manifest).map_err(|error| manifest_error(manifest, &error))?;
    let Some(text) = profile::add_profile(&text) else { return Ok(None) };
    write_whole(manifest, text.as_bytes())
        .map_err(|error| manifest_error(manifest, &format!("cannot write the file: {error}")))?;
    let shown = manifest.strip_prefix(".").unwrap_or(manifest).display();
    Ok(Some(InitStep::Wrote(format!("{shown}: the settings `profile.dev.package` of arraign"))))
}

/// Adds the folder of verdicts to the `.gitignore` in `folder`, unless git ignores it already.
fn ignore_target(folder: &Path, is_crate: bool) -> Result<Option<InitStep>, CliError> {
    let Some((text, line)) = ignore::add_ignored_target(folder, is_crate) else { return Ok(None) };
    let file = folder.join(".gitignore");
    let shown = file.strip_prefix(".").unwrap_or(&file).display();
    write_whole(&file, text.as_bytes())
        .map_err(|error| CliError::new(format!("cannot write {shown}: {error}")))?;
    Ok(Some(InitStep::Wrote(format!("{shown}: `{line}`"))))
}

/// Returns the path of a folder below the root of the repository: empty for the root, and for a folder outside of it.
fn path_below(root: &Path, folder: &Path) -> String {
    folder.strip_prefix(root).unwrap_or(Path::new("")).to_string_lossy().replace('\\', "/")
}

fn manifest_error(manifest: &Path, problem: &dyn std::fmt::Display) -> CliError {
    let shown = manifest.strip_prefix(".").unwrap_or(manifest).display();
    CliError::new(format!("{shown}: {problem}"))
}

/// Prints what was done and what to do next.
fn print_steps(steps: &[InitStep], is_crate: bool, dir: &Path) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for step in steps {
        match step {
            InitStep::Wrote(what) => writeln!(out, "wrote  {}", escape_line(what))?,
            InitStep::Kept(what) => writeln!(out, "kept   {}", escape_line(what))?,
            InitStep::Found(what) => writeln!(out, "found  {}", escape_line(what))?,
            InitStep::Advised(what) => writeln!(out, "next   {}", escape_line(what))?,
        }
    }
    if !steps.iter().any(|step| matches!(step, InitStep::Wrote(_))) {
        writeln!(out, "\nNothing was changed.")?;
    }
    let here = if dir == Path::new(".") { String::new() } else { format!(" in {}", dir.display()) };
    let run = if is_crate { "cargo test --test evals" } else { "cargo arraign run" };
    writeln!(out, "\nNext{}: {run}", escape_line(&here))?;
    let wrote = |file: &str| steps.iter().any(|step| matches!(step, InitStep::Wrote(what) if what == file));
    if let Some((_, afterwards)) = starter::AFTERWARDS.iter().find(|(file, _)| wrote(file)) {
        writeln!(out, "{afterwards}")?;
    }
    Ok(())
}
