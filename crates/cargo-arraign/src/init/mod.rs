//! `cargo arraign init`: writes a first case with its trace, and what runs it.
//!
//! A Rust crate gets a dependency, a test target and its file. Any other project gets only the folder of cases. Existing
//! files are kept, so a second `init` changes nothing.

mod manifest;
mod starter;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use arraign::__internals::harness::render_case_modules;
use arraign::__internals::report::plain::escape_line;
use arraign::__internals::source::write_whole;
use clap::{Args, ValueEnum};

use self::manifest::{Dependency, EditedManifest};
use crate::editor::{SCHEMA, render_schema};
use crate::error::{CliError, CliResult, exit_after_write};
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
    /// Depend on the arraign in this folder instead of the released version.
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Workflow {
    Github,
    None,
}

/// What `init` did with one file.
enum InitStep {
    Wrote(String),
    Kept(String),
}

impl Init {
    pub(crate) fn run(self) -> CliResult {
        if !self.dir.is_dir() {
            return Err(CliError::new(format!("no folder `{}`", self.dir.display())));
        }
        let (manifest, mut steps) = (self.dir.join("Cargo.toml"), Vec::new());
        let is_crate = manifest.is_file();
        if is_crate {
            steps.extend(self.edit_manifest(&manifest)?);
            steps.push(self.add_file("tests/evals.rs", starter::TARGET)?);
        }
        steps.extend(self.add_first_case(is_crate)?);
        if self.workflow == Workflow::Github {
            steps.push(self.add_workflow(is_crate)?);
        }
        exit_after_write(print_steps(&steps, is_crate, &self.dir))
    }

    /// Adds the missing dependency and test target to the manifest.
    fn edit_manifest(&self, manifest: &Path) -> Result<Vec<InitStep>, CliError> {
        let text = fs::read_to_string(manifest).map_err(|error| manifest_error(manifest, &error))?;
        let dependency = match &self.path {
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
        let mut entries = fs::read_dir(self.dir.join("evals")).into_iter().flatten();
        if entries.next().is_some() {
            return Ok(vec![InitStep::Kept("evals/: already contains files".to_owned())]);
        }
        let schema = (SCHEMA, render_schema());
        let case = starter::CASE.iter().map(|(name, text)| (*name, (*text).to_owned()));
        let names = (starter::NAMES, render_case_modules(starter::TRIALS.iter().copied()));
        case.chain([schema])
            .chain(is_crate.then_some(names))
            .map(|(name, text)| self.add_file(name, &text))
            .collect()
    }

    /// Writes the workflow to the root of the repository, where GitHub looks for it.
    fn add_workflow(&self, is_crate: bool) -> Result<InitStep, CliError> {
        let here = self.dir.canonicalize()?;
        let root = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
        let below = here.strip_prefix(root).unwrap_or(Path::new("")).to_string_lossy().replace('\\', "/");
        let file = root.join(starter::WORKFLOW);
        let name = if below.is_empty() { starter::WORKFLOW.to_owned() } else { file.display().to_string() };
        let new = write_new(&file, &starter::render_workflow(is_crate, &below))?;
        Ok(if new { InitStep::Wrote(name) } else { InitStep::Kept(format!("{name}: already exists")) })
    }
}

fn manifest_error(manifest: &Path, problem: &dyn std::fmt::Display) -> CliError {
    let shown = manifest.strip_prefix(".").unwrap_or(manifest).display();
    CliError::new(format!("{shown}: {problem}"))
}

/// Prints what was done and what to do next.
fn print_steps(steps: &[InitStep], is_crate: bool, dir: &Path) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut new_case = false;
    for step in steps {
        match step {
            InitStep::Wrote(what) => {
                new_case |= what == starter::FIRST;
                writeln!(out, "wrote  {}", escape_line(what))?;
            }
            InitStep::Kept(what) => writeln!(out, "kept   {}", escape_line(what))?,
        }
    }
    if steps.iter().all(|step| matches!(step, InitStep::Kept(_))) {
        writeln!(out, "\nNothing was changed.")?;
    }
    let here = if dir == Path::new(".") { String::new() } else { format!(" in {}", dir.display()) };
    let run = if is_crate { "cargo test --test evals" } else { "cargo arraign run" };
    writeln!(out, "\nNext{}: {run}", escape_line(&here))?;
    if new_case {
        writeln!(out, "{}", starter::AFTERWARDS)?;
    }
    Ok(())
}
