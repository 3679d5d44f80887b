//! `cargo arraign import`: files of other tools as cases of ours.
//!
//! Each tool is a file here: a pure function from its text to our files and to what could not be carried. A file that
//! is there already is never touched, and nothing is written unless all of it can be.

mod adk;
mod assay;
mod beside;
mod deepeval;
mod draft;
mod evalview;
mod ids;
mod lost;
mod mcplab;
mod pattern;
mod promptfoo;
mod question;
mod table;
mod told;
mod yaml_text;

#[cfg(test)]
mod damaged;

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use arraign::__internals::place::{LoadErrors, Source};
use arraign::Harness;
use clap::{Args, ValueEnum};

use self::beside::Beside;
use self::draft::{Given, Imported};
use self::lost::Lost;
use self::told::{Written, tell};
use crate::editor::first_line;
use crate::new_file::write_new;
use crate::stop::{Ended, Stop, written};

/// Write what another tool checks as YAML cases, and tell what could not be carried.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files of the other tool.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The tool that they belong to.
    #[arg(long, value_enum, value_name = "TOOL")]
    from: Tool,
    /// The folder of cases to write into.
    #[arg(long, value_name = "DIR", default_value = "evals")]
    out: PathBuf,
    /// Exit with 101 where something could not be carried.
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tool {
    Assay,
    Mcplab,
    Evalview,
    Promptfoo,
    Adk,
    Deepeval,
}

impl Tool {
    fn import(self, given: &Given) -> Result<Imported, LoadErrors> {
        match self {
            Self::Assay => assay::import(given),
            Self::Mcplab => mcplab::import(given),
            Self::Evalview => evalview::import(given),
            Self::Promptfoo => promptfoo::import(given),
            Self::Adk => adk::import(given),
            Self::Deepeval => deepeval::import(given),
        }
    }
}

impl Import {
    pub(crate) fn run(self) -> Ended {
        let mut all = Vec::new();
        for path in &self.files {
            all.push((Beside::of(path), self.tool(path)?));
        }
        if all.iter().all(|(_, imported)| imported.is_empty()) {
            return Err(Stop::new("there is no case in it: is it the right file, and the right `--from`?"));
        }
        self.refuse_to_overwrite(&all)?;
        let mut lost = Lost::default();
        let mut new = Vec::new();
        for (beside, imported) in all {
            self.write(&beside, &imported, &mut lost, &mut new)?;
        }
        lost.sort();
        let broken = self.load(&new);
        written(tell(&new, &lost, &broken))?;
        let failed = new.is_empty() || !broken.is_empty() || (self.strict && !lost.0.is_empty());
        Ok(if failed { ExitCode::from(101) } else { ExitCode::SUCCESS })
    }

    fn tool(&self, path: &Path) -> Result<Imported, Stop> {
        let source = read(path)?;
        let criteria = path.with_file_name(adk::CRITERIA);
        let criteria = (self.from == Tool::Adk && criteria.is_file()).then(|| read(&criteria)).transpose()?;
        let beside = Arc::new(Beside::of(path));
        self.from.import(&Given { source, criteria, beside }).map_err(|errors| Stop::new(errors.to_string()))
    }

    /// Nothing is written where a file would be replaced, or two would be one.
    fn refuse_to_overwrite(&self, all: &[(Beside, Imported)]) -> Result<(), Stop> {
        let mut names = HashSet::new();
        for (name, _) in all.iter().flat_map(|(_, imported)| &imported.files) {
            let path = self.out.join(name);
            if path.exists() {
                let help = "move it away, or name another folder with `--out`";
                return Err(Stop::new(format!("{} is there already: {help}", path.display())));
            }
            if !names.insert(name) {
                let help = "import them one by one, each with an `--out` of its own";
                return Err(Stop::new(format!("two of the files would become {}: {help}", path.display())));
            }
        }
        Ok(())
    }

    fn write(
        &self,
        beside: &Beside,
        imported: &Imported,
        lost: &mut Lost,
        new: &mut Vec<Written>,
    ) -> Result<(), Stop> {
        let mut cases = Some((imported.cases, imported.recorded));
        for (name, text) in &imported.files {
            let line = cases.is_some().then(|| first_line(&self.out)).flatten().unwrap_or_default();
            write_new(&self.out.join(name), &(line + text))?;
            new.push(Written { path: self.out.join(name), name: name.clone(), cases: cases.take() });
        }
        lost.0.extend(imported.not_carried.iter().map(Clone::clone));
        for (place, name) in &imported.named {
            match self.copy(beside, name)? {
                Ok(true) => new.push(Written { path: self.out.join(name), name: name.clone(), cases: None }),
                Ok(false) => {}
                Err(why) => lost.add(place.clone(), format!("the file `{name}`"), why),
            }
        }
        Ok(())
    }

    /// Copies a file that a case names. True: it is new; the inner error says why it was not copied.
    fn copy(&self, beside: &Beside, name: &str) -> Result<Result<bool, &'static str>, Stop> {
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            return Ok(Err("it lies elsewhere: put it below the folder of cases, and correct the path"));
        }
        let found = beside.find(name).ok().and_then(|found| found.into_iter().next());
        let Some(Ok(source)) = found.map(|path| beside.source(&path)) else {
            return Ok(Err("it cannot be read: put it beside the cases"));
        };
        Ok(Ok(write_new(&self.out.join(name), source.text())?))
    }

    /// What is wrong with the files that were written, as a run would say it.
    fn load(&self, new: &[Written]) -> Vec<String> {
        let Ok(out) = self.out.canonicalize() else { return Vec::new() };
        let (Some(base), Some(folder)) = (out.parent(), out.file_name()) else { return Vec::new() };
        let harness = Harness::new(folder).at(base);
        let files = new.iter().filter(|file| file.cases.is_some());
        let errors = files.filter_map(|file| harness.load(&file.name).err());
        errors.flat_map(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>()).collect()
    }
}

fn read(path: &Path) -> Result<Arc<Source>, Stop> {
    let name = path.to_string_lossy().replace('\\', "/");
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => Stop::new(format!("{name}: not UTF-8, so it is no file of cases")),
        _ => Stop::new(format!("{name}: {error}")),
    })?;
    Ok(Source::new(name, text.strip_prefix('\u{feff}').unwrap_or(&text)))
}
