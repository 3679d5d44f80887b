//! `cargo arraign import`: converts files of other tools to cases.
//!
//! Each tool has a module with a pure function from a file to the files to write and to what could not be imported.
//! Existing files are never changed. If one of the new files already exists, nothing is written.

mod adk;
mod assay;
mod coder_eval;
mod deepeval;
mod draft;
mod evalview;
mod ids;
mod keys;
mod maf;
mod mcplab;
mod older_policy;
mod openai;
mod pattern;
mod plugin;
mod promptfoo;
mod question;
mod skill;
mod source_dir;
mod statement;
mod summary;
mod table;
mod trial_run;
mod unsupported;
mod vally;

#[cfg(test)]
mod damaged;

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use arraign::__internals::check::Registry;
use arraign::__internals::place::{LoadErrors, Source};
use arraign::__internals::source::Files;
use arraign::__internals::suite::workspace;
use arraign::json::{Json, json};
use arraign::trace::Trace;
use arraign::{Harness, reader};
use clap::{Args, ValueEnum};

use self::draft::{EvalviewProject, ImportInput, ImportedFiles, NamedFile};
use self::source_dir::SourceDir;
use self::summary::{WrittenFile, print_summary};
use self::trial_run::{WrittenResults, run_written_cases};
use self::unsupported::UnsupportedList;
use crate::editor::render_schema_line;
use crate::error::{CliError, CliResult, exit_after_write};
use crate::new_file::write_new;

/// Convert the files of another eval tool to YAML cases, and list what could not be imported.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files to import.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The tool that wrote the files.
    #[arg(long, value_enum, value_name = "TOOL")]
    from: Tool,
    /// The folder to write the cases to.
    #[arg(long, value_name = "DIR", default_value = "evals")]
    out: PathBuf,
    /// The log with the recorded runs. It is copied to `traces` below the folder, and each case finds its runs there.
    #[arg(long, value_name = "FILE")]
    traces: Option<PathBuf>,
    /// Exit with 101 if anything could not be imported.
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Tool {
    Assay,
    Mcplab,
    Evalview,
    Maf,
    Promptfoo,
    Adk,
    Deepeval,
    Openai,
    Skill,
    Plugin,
    CoderEval,
    Vally,
}

impl Tool {
    fn import(self, input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
        match self {
            Self::Assay => assay::import(input),
            Self::Mcplab => mcplab::import(input),
            Self::Evalview => evalview::import(input),
            Self::Maf => maf::import(input),
            Self::Promptfoo => promptfoo::import(input),
            Self::Adk => adk::import(input),
            Self::Deepeval => deepeval::import(input),
            Self::Openai => openai::import(input),
            Self::Skill => skill::import(input),
            Self::Plugin => plugin::import(input),
            Self::CoderEval => coder_eval::import(input),
            Self::Vally => vally::import(input),
        }
    }
}

/// Returns the `trace` of the suite's cases. Where nothing in the log shows that its writer records calls, the format is named: the
/// log was given as the recording of cases about calls.
fn describe_log(log: &Path, name: &str) -> Json {
    let read = fs::read_to_string(log).ok().and_then(|text| reader::read(&text, None).ok());
    let format = read.as_ref().and_then(|read| read.runs.iter().find_map(Trace::possible_format));
    match format {
        Some(format) => json!({"file": name, "format": format}),
        None => json!(name),
    }
}

impl Import {
    pub(crate) fn run(self) -> CliResult {
        let log = self.traces.as_deref().map(|log| self.name_log(log)).transpose()?;
        let trace = self.traces.as_deref().zip(log.as_deref()).map(|(log, name)| describe_log(log, name));
        let mut all = Vec::new();
        for path in &self.files {
            all.push((SourceDir::around(path), self.import_file(path, trace.as_ref())?));
        }
        // An import without cases is a mistake in the options rather than a success with nothing to do.
        if all.iter().all(|(_, imported)| imported.is_empty()) {
            return Err(CliError::new("found no case to import: check the files and `--from`"));
        }
        // All files are converted and checked before the first is written.
        self.refuse_to_overwrite(&all)?;
        let mut unsupported = UnsupportedList::default();
        let mut new = Vec::new();
        if let (Some(source), Some(name)) = (&self.traces, &log) {
            new.extend(self.copy_log(source, name)?);
        }
        let note = all.iter().find_map(|(_, imported)| imported.note);
        let is_configuration = all.iter().all(|(_, imported)| imported.is_configuration);
        for (source_dir, imported) in all {
            self.write_files(&source_dir, &imported, &mut unsupported, &mut new)?;
        }
        unsupported.sort();
        let broken = self.find_load_errors(&new);
        let results = self.run_written(&new);
        exit_after_write(print_summary(&new, &unsupported, &broken, &results, note, log.as_deref()))?;
        let is_idle = new.is_empty() && !is_configuration;
        let failed = is_idle || !broken.is_empty() || (self.strict && !unsupported.0.is_empty());
        Ok(if failed { ExitCode::from(101) } else { ExitCode::SUCCESS })
    }

    /// Returns the path of the log relative to the folder of cases. A log outside of the folder is copied into it.
    fn name_log(&self, log: &Path) -> Result<String, CliError> {
        if !log.is_file() {
            return Err(CliError::new(format!("{}: no such file", log.display())));
        }
        let inside = self.out.canonicalize().ok().zip(log.canonicalize().ok());
        let inside = inside.and_then(|(out, log)| log.strip_prefix(out).ok().map(Path::to_path_buf));
        let name = inside.unwrap_or_else(|| Path::new("traces").join(log.file_name().unwrap_or_default()));
        Ok(name.to_string_lossy().replace('\\', "/"))
    }

    /// Copies the log to its place, unless it is there. A different file at this place is an error.
    fn copy_log(&self, log: &Path, name: &str) -> Result<Option<WrittenFile>, CliError> {
        let path = self.out.join(name);
        let fail = |path: &Path, error: std::io::Error| CliError::new(format!("{}: {error}", path.display()));
        let text = fs::read(log).map_err(|error| fail(log, error))?;
        if path.exists() {
            let known = fs::read(&path).map_err(|error| fail(&path, error))?;
            let help = "move it, or choose another folder with `--out`";
            let is_same = known == text;
            return is_same
                .then_some(None)
                .ok_or_else(|| CliError::new(format!("{} already exists: {help}", path.display())));
        }
        let folder = path.parent().unwrap_or(&self.out);
        fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
        fs::write(&path, text).map_err(|error| fail(&path, error))?;
        Ok(Some(WrittenFile { path, name: name.to_owned(), cases: None }))
    }

    fn import_file(&self, path: &Path, log: Option<&Json>) -> Result<ImportedFiles, CliError> {
        let source = read_source(path)?;
        let criteria = path.with_file_name(adk::CRITERIA);
        let criteria =
            (self.from == Tool::Adk && criteria.is_file()).then(|| read_source(&criteria)).transpose()?;
        let source_dir = Arc::new(SourceDir::around(path));
        let project = if self.from == Tool::Evalview {
            evalview::read_project(path)
        } else {
            EvalviewProject::default()
        };
        self.from
            .import(&ImportInput { source, criteria, source_dir, log: log.cloned(), project })
            .map_err(|errors| CliError::new(errors.to_string()))
    }

    /// Checks that no file would be replaced, and that no two files have the same name.
    fn refuse_to_overwrite(&self, all: &[(SourceDir, ImportedFiles)]) -> Result<(), CliError> {
        let mut names = HashSet::new();
        let files = |imported: &'_ ImportedFiles| -> Vec<String> {
            let fixtures = imported.fixtures.iter().map(|folder| &folder.path);
            imported.files.iter().map(|(name, _)| name).chain(fixtures).cloned().collect()
        };
        for name in all.iter().flat_map(|(_, imported)| files(imported)) {
            let path = self.out.join(&name);
            if path.exists() {
                let help = "move it, or choose another folder with `--out`";
                return Err(CliError::new(format!("{} already exists: {help}", path.display())));
            }
            if !names.insert(name) {
                let help = "import them separately, each with its own `--out`";
                return Err(CliError::new(format!(
                    "two of the files would be written to {}: {help}",
                    path.display()
                )));
            }
        }
        Ok(())
    }

    fn write_files(
        &self,
        source_dir: &SourceDir,
        imported: &ImportedFiles,
        unsupported: &mut UnsupportedList,
        new: &mut Vec<WrittenFile>,
    ) -> Result<(), CliError> {
        // The first file contains the cases; only that one has a schema line and counts.
        let mut cases = (imported.cases > 0).then_some((imported.cases, imported.recorded));
        for (name, text) in &imported.files {
            let line = cases.is_some().then(|| render_schema_line(&self.out)).flatten().unwrap_or_default();
            write_new(&self.out.join(name), line + text)?;
            new.push(WrittenFile { path: self.out.join(name), name: name.clone(), cases: cases.take() });
        }
        for folder in &imported.fixtures {
            for (name, content) in &folder.files {
                write_new(&self.out.join(&folder.path).join(name), content)?;
            }
            new.push(WrittenFile {
                path: self.out.join(&folder.path),
                name: folder.path.clone(),
                cases: None,
            });
        }
        unsupported.0.extend(imported.unsupported.iter().map(Clone::clone));
        for file in &imported.named {
            match self.copy_file(source_dir, file)? {
                Ok(CopiedFile { is_new, is_converted }) => {
                    let name = file.target.clone();
                    if is_new {
                        new.push(WrittenFile { path: self.out.join(&name), name, cases: None });
                    }
                    if is_converted {
                        unsupported.add(
                            file.place.clone(),
                            format!("the file `{}`", file.source),
                            older_policy::CONVERTED,
                        );
                    }
                }
                Err(why) => unsupported.add(file.place.clone(), format!("the file `{}`", file.source), why),
            }
        }
        Ok(())
    }

    /// Copies a file that a case names. The inner error says why it was not copied.
    fn copy_file(
        &self,
        source_dir: &SourceDir,
        file: &NamedFile,
    ) -> Result<Result<CopiedFile, &'static str>, CliError> {
        let name = file.source.as_str();
        // A case of another author must not make the import read or write outside of the folder.
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        {
            return Ok(Err(
                "the file is in another folder: copy it to the folder of cases and correct the path",
            ));
        }
        let found = source_dir.find_files(name).ok().and_then(|found| found.into_iter().next());
        let Some(Ok(source)) = found.map(|path| source_dir.read_source(&path)) else {
            return Ok(Err("the file cannot be read: copy it to the folder of cases"));
        };
        let is_policy = self.from == Tool::Assay && file.target.starts_with("policies/");
        let converted = if is_policy { older_policy::upgrade_policy(source.text()) } else { None };
        let text = converted.as_deref().unwrap_or(source.text());
        let is_new = write_new(&self.out.join(&file.target), text)?;
        Ok(Ok(CopiedFile { is_new, is_converted: converted.is_some() }))
    }

    /// Runs the written cases that load.
    fn run_written(&self, new: &[WrittenFile]) -> WrittenResults {
        let Ok(out) = self.out.canonicalize() else { return WrittenResults::default() };
        let names: Vec<&str> =
            new.iter().filter(|file| file.cases.is_some()).map(|file| file.name.as_str()).collect();
        run_written_cases(&out, &names)
    }

    /// Loads the written files and returns their errors.
    fn find_load_errors(&self, new: &[WrittenFile]) -> Vec<String> {
        let Ok(out) = self.out.canonicalize() else { return Vec::new() };
        let (Some(base), Some(folder)) = (out.parent(), out.file_name()) else { return Vec::new() };
        let harness = Harness::new(folder).at(base);
        let files = new.iter().filter(|file| file.cases.is_some());
        let errors = files.filter_map(|file| harness.load(&file.name).err());
        // A file without cases shows what is wrong with the settings that all cases share.
        let settings = new.iter().find(|file| file.name == "arraign.yaml");
        let settings = settings.and_then(|_| workspace(&Files::new(base, &out), &Registry::default()).err());
        let errors = settings.into_iter().chain(errors);
        let mut found: Vec<String> =
            errors.flat_map(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>()).collect();
        found.dedup();
        found
    }
}

/// A file that was copied beside the cases.
struct CopiedFile {
    /// Whether it was written: a file that exists already is kept.
    is_new: bool,
    /// Whether its text was converted.
    is_converted: bool,
}

fn read_source(path: &Path) -> Result<Arc<Source>, CliError> {
    let name = path.to_string_lossy().replace('\\', "/");
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidData => CliError::new(format!("{name}: not UTF-8, so not a file of cases")),
        _ => CliError::new(format!("{name}: {error}")),
    })?;
    Ok(Source::new(name, text.strip_prefix('\u{feff}').unwrap_or(&text)))
}
