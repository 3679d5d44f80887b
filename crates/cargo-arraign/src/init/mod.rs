//! `cargo arraign init`: a first case with its trace, and what runs it.
//!
//! In a Rust crate: the test target, its dependency and its file. Elsewhere: the folder of cases alone. What is there
//! already is left as it is, so that a second `init` changes nothing.

mod manifest;
mod starter;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use arraign::__internals::report::plain::one_line;
use arraign::__internals::source::write_whole;
use clap::{Args, ValueEnum};

use self::manifest::{Dependency, Edited};
use crate::editor::{SCHEMA, schema_text};
use crate::new_file::write_new;
use crate::stop::{Ended, Stop, written};

/// Add a first case to a crate, or to a project in any other language; overwrites nothing.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The folder of the crate, or of the project.
    #[arg(default_value = ".")]
    dir: PathBuf,
    /// The service that runs the cases on each push.
    #[arg(long, value_enum, default_value_t = Workflow::Github)]
    workflow: Workflow,
    /// Depend on the arraign of this folder, not on the released one.
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Workflow {
    Github,
    None,
}

/// What `init` did to one file.
enum Step {
    Wrote(String),
    Kept(String),
}

impl Init {
    pub(crate) fn run(self) -> Ended {
        if !self.dir.is_dir() {
            return Err(Stop::new(format!("no folder `{}`", self.dir.display())));
        }
        let (manifest, mut steps) = (self.dir.join("Cargo.toml"), Vec::new());
        let is_crate = manifest.is_file();
        if is_crate {
            steps.extend(self.edit(&manifest)?);
            steps.push(self.add("tests/evals.rs", starter::TARGET)?);
        }
        steps.extend(self.first_case()?);
        if self.workflow == Workflow::Github {
            steps.push(self.github(is_crate)?);
        }
        written(tell(&steps, is_crate, &self.dir))
    }

    /// Adds to the manifest what is missing there.
    fn edit(&self, manifest: &Path) -> Result<Vec<Step>, Stop> {
        let shown = manifest.strip_prefix(".").unwrap_or(manifest).display();
        let wrong = |why: String| Stop::new(format!("{shown}: {why}"));
        let text = fs::read_to_string(manifest).map_err(|error| wrong(error.to_string()))?;
        let dependency = match &self.path {
            None => Dependency::Released,
            Some(path) => Dependency::Folder(
                path.canonicalize()
                    .map_err(|error| Stop::new(format!("--path {}: {error}", path.display())))?,
            ),
        };
        let Edited { text, added, remarks } = manifest::with_evals(&text, &dependency).map_err(wrong)?;
        let mut steps: Vec<Step> =
            remarks.into_iter().map(|remark| Step::Kept(format!("Cargo.toml: {remark}"))).collect();
        if !added.is_empty() {
            write_whole(manifest, text.as_bytes())
                .map_err(|error| wrong(format!("cannot be written: {error}")))?;
            steps.push(Step::Wrote(format!("Cargo.toml: {}", added.join(", "))));
        }
        Ok(steps)
    }

    fn add(&self, name: &str, text: &str) -> Result<Step, Stop> {
        Ok(if write_new(&self.dir.join(name), text)? {
            Step::Wrote(name.to_owned())
        } else {
            Step::Kept(format!("{name}: it is there already"))
        })
    }

    /// A folder of cases needs no first one. The schema is what the first line of the case names.
    fn first_case(&self) -> Result<Vec<Step>, Stop> {
        let mut entries = fs::read_dir(self.dir.join("evals")).into_iter().flatten();
        if entries.next().is_some() {
            return Ok(vec![Step::Kept("evals/: it holds files already".to_owned())]);
        }
        let schema = (SCHEMA, schema_text());
        let case = starter::CASE.iter().map(|(name, text)| (*name, (*text).to_owned()));
        case.chain([schema]).map(|(name, text)| self.add(name, &text)).collect()
    }

    /// GitHub looks for workflows at the root of the repository.
    fn github(&self, is_crate: bool) -> Result<Step, Stop> {
        let here = self.dir.canonicalize()?;
        let root = here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here);
        let below = here.strip_prefix(root).unwrap_or(Path::new("")).to_string_lossy().replace('\\', "/");
        let file = root.join(starter::WORKFLOW);
        let name = if below.is_empty() { starter::WORKFLOW.to_owned() } else { file.display().to_string() };
        let new = write_new(&file, &starter::workflow(is_crate, &below))?;
        Ok(if new { Step::Wrote(name) } else { Step::Kept(format!("{name}: it is there already")) })
    }
}

/// What was done, and what to do next.
fn tell(steps: &[Step], is_crate: bool, dir: &Path) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let mut new_case = false;
    for step in steps {
        match step {
            Step::Wrote(what) => {
                new_case |= what == starter::FIRST;
                writeln!(out, "wrote  {}", one_line(what))?;
            }
            Step::Kept(what) => writeln!(out, "kept   {}", one_line(what))?,
        }
    }
    if steps.iter().all(|step| matches!(step, Step::Kept(_))) {
        writeln!(out, "\nNothing was changed.")?;
    }
    let here = if dir == Path::new(".") { String::new() } else { format!(" in {}", dir.display()) };
    let run = if is_crate { "cargo test --test evals" } else { "cargo arraign run" };
    writeln!(out, "\nNext{}: {run}", one_line(&here))?;
    if new_case {
        writeln!(out, "{}", starter::AFTERWARDS)?;
    }
    Ok(())
}
