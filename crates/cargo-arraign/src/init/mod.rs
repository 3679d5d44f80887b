//! `cargo arraign init`: writes a first case with its trace, and what runs it.
//!
//! A Rust crate gets a dependency, a test target and its file. Any other project gets only the folder of cases. Existing
//! files are kept, so a second `init` changes nothing.

mod ignore;
mod manifest;
mod profile;
mod starter;
mod workflow;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use arraign::__internals::harness::render_case_modules;
use arraign::__internals::report::plain::escape_line;
use arraign::__internals::source::{find_repository, write_whole};
use clap::Args;

use self::manifest::{Dependency, EditedManifest};
use self::workflow::{Workflow, WorkflowProject};
use crate::editor::{SCHEMA, render_schema};
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
    /// Depend on the arraign in this folder instead of the released version.
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

/// The effect of `init` on one file.
enum InitStep {
    Wrote(String),
    Kept(String),
    /// Something is left to the user.
    Advised(&'static str),
}

impl Init {
    pub(crate) fn run(self) -> CliResult {
        if !self.dir.is_dir() {
            return Err(CliError::new(format!("no folder `{}`", self.dir.display())));
        }
        let manifest = self.dir.join("Cargo.toml");
        let mut steps = Vec::new();
        let is_crate = manifest.is_file();
        let workspace = profile::find_workspace_manifest(&self.dir).filter(|_| is_crate);
        if is_crate {
            steps.extend(self.edit_manifest(&manifest, workspace.as_deref())?);
            steps.extend(add_profile(workspace.as_deref().unwrap_or(&manifest))?);
            steps.push(self.add_file("tests/evals.rs", starter::TARGET)?);
        }
        steps.extend(self.add_first_case(is_crate)?);
        let target_parent = workspace.as_deref().and_then(Path::parent).unwrap_or(&self.dir);
        steps.extend(ignore_target(target_parent, is_crate)?);
        steps.extend(self.add_workflow(is_crate, target_parent)?);
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
        let EditedManifest { text, added, remarks } =
            manifest::add_evals(&text, &dependency).map_err(|error| manifest_error(manifest, &error))?;
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

    /// Adds the first case, the schema that it names, and in a crate its name for rust-analyzer, unless the folder already
    /// contains files.
    fn add_first_case(&self, is_crate: bool) -> Result<Vec<InitStep>, CliError> {
        // Cases that are there already need no first one, and must not fail beside it.
        let mut entries = fs::read_dir(self.dir.join("evals")).into_iter().flatten();
        if entries.next().is_some() {
            return Ok(vec![InitStep::Kept("evals/: already contains files".to_owned())]);
        }
        let schema = (SCHEMA, render_schema());
        let (mut steps, trial) = if let Some(trace) = &self.from {
            self.add_case_from(trace)?
        } else {
            let case = starter::CASE.iter().map(|(name, text)| self.add_file(name, text));
            (case.collect::<Result<Vec<_>, _>>()?, starter::TRIAL.to_owned())
        };
        let names = (starter::NAMES, render_case_modules([trial.as_str()]));
        for (name, text) in std::iter::once(schema).chain(is_crate.then_some(names)) {
            steps.push(self.add_file(name, &text)?);
        }
        Ok(steps)
    }

    /// Adds the case that `from-trace` proposes for a trace. Returns the name of its trial.
    fn add_case_from(&self, trace: &Path) -> Result<(Vec<InitStep>, String), CliError> {
        let (id, written) = FromTrace::for_first_case(trace, self.dir.join(starter::OWN)).write()?;
        let steps = written.iter().map(|path| {
            let path = path.strip_prefix(&self.dir).unwrap_or(path);
            InitStep::Wrote(path.to_string_lossy().replace('\\', "/"))
        });
        Ok((steps.collect(), format!("{}::{id}", starter::OWN_STEM)))
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
            if write_new(&path, &self.workflow.render(&project))? {
                steps.push(InitStep::Wrote(name));
                steps.extend((index > 0).then(|| InitStep::Advised(self.workflow.advice())));
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
    let mut afterwards = None;
    for step in steps {
        match step {
            InitStep::Wrote(what) => {
                let next = starter::AFTERWARDS.iter().find(|(file, _)| what == file);
                afterwards = afterwards.or(next.map(|(_, next)| *next));
                writeln!(out, "wrote  {}", escape_line(what))?;
            }
            InitStep::Kept(what) => writeln!(out, "kept   {}", escape_line(what))?,
            InitStep::Advised(what) => writeln!(out, "next   {what}")?,
        }
    }
    if steps.iter().all(|step| matches!(step, InitStep::Kept(_))) {
        writeln!(out, "\nNothing was changed.")?;
    }
    let here = if dir == Path::new(".") { String::new() } else { format!(" in {}", dir.display()) };
    let run = if is_crate { "cargo test --test evals" } else { "cargo arraign run" };
    writeln!(out, "\nNext{}: {run}", escape_line(&here))?;
    if let Some(afterwards) = afterwards {
        writeln!(out, "{afterwards}")?;
    }
    Ok(())
}
