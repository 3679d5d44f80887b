//! Reads the files of users into cases.
//!
//! A file is a suite (`tests:` with suite-wide defaults), one case, a list of cases, or a stream of these. Every
//! mistake of a file is reported, not only the first.

mod agent;
mod case;
mod changes;
mod combine;
mod copies;
mod defaults;
mod discover;
mod file;
mod foreign;
mod forms;
mod gate;
mod harbor;
mod header;
mod identifier;
mod include;
mod input;
mod join;
mod keys;
mod mocks;
mod mutation;
mod name;
mod opinions;
mod quarantine;
mod record;
mod recorded;
mod row_id;
mod rows;
mod run_folder;
mod run_source;
mod run_workspace;
mod runs;
mod runs_error;
#[cfg(feature = "schema")]
pub mod schema;
mod several;
mod trace;
mod variants;
mod workspace;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

pub use changes::{changes_folder, kept_file};
pub use discover::{CASE_EXTENSIONS, find_case_files, find_files_for_name, is_support};
pub use gate::{GATE_ID, GateRows, SuiteGate, SummaryBaseline};
pub use identifier::{build_identifier, parse_identifier};
pub(crate) use name::split_name;
pub use name::{build_case_name, build_file_name, build_trial_name, escape_file_name, name_recording};
pub use quarantine::{QuarantinableNames, load_quarantine, parse_base_quarantine};
pub use record::{
    CassetteOf, ForeignRecording, cassette_path, find_foreign_recording, find_stale_runs, record_run,
    recording,
};
pub use recorded::{NoBaseline, RecordedEvidence, load_baseline, load_recorded};
pub use run_folder::{read_run_folder, survey_run_folder};
pub use runs::{CaseRuns, LIVE, RecordedRun};
pub use runs_error::{LostRun, RunsError};
pub use trace::is_recorded;
pub(crate) use trace::list_default_traces;
pub use variants::find_problem_with_name;
pub use workspace::{Workspace, load_readers, workspace};

use self::file::FileReader;
use crate::JsonSchema;
use crate::case::Case;
use crate::check::{Registry, Tables};
use crate::place::{LoadError, LoadErrors, Place, Source, Span};
use crate::source::Files;
use crate::yaml::{Document, Tree, Value};

/// The cases of one file, in its order.
#[derive(Default)]
#[non_exhaustive]
pub struct Suite {
    /// The cases.
    pub cases: Vec<Arc<Case>>,
    /// Reports that the file asks for (`output.format`).
    pub reports: Vec<ReportFormat>,
    /// Files that are parts of this suite: the rows of `dataset`, what cases include, and the definitions of their mock tools.
    /// They are not read as suites.
    pub datasets: Vec<PathBuf>,
    /// The gate over all cases, which has its own trial.
    pub gate: Option<SuiteGate>,
}

/// The formats of reports that a suite may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportFormat {
    /// One JSON document.
    Json,
    /// JSON Lines: each line is one verdict.
    Jsonl,
    /// Static analysis results.
    Sarif,
    /// `JUnit` XML.
    Junit,
    /// Markdown, for a pull request.
    Markdown,
    /// An HTML page, for a browser.
    Html,
    /// The Common Test Report Format.
    Ctrf,
    /// Events of OpenTelemetry, as OTLP JSON.
    Otel,
}

impl ReportFormat {
    /// Returns the name of the format, as users write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Sarif => "sarif",
            Self::Junit => "junit",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Ctrf => "ctrf",
            Self::Otel => "otel",
        }
    }
}

/// The checks, files and tables that the suites of one harness share.
#[derive(Debug, Clone, Copy)]
pub struct Library<'l> {
    /// The kinds of checks.
    pub kinds: &'l Registry,
    /// The files.
    pub files: &'l Files,
    /// The tables of `arraign.yaml`.
    pub tables: &'l Tables,
}

/// Reads the files, without datasets of other files.
pub fn load_all(paths: Vec<PathBuf>, library: Library<'_>) -> Vec<(PathBuf, Result<Suite, LoadErrors>)> {
    let mut suites: Vec<_> =
        paths.into_iter().map(|path| (path.clone(), Suite::load(&path, library))).collect();
    let mut datasets = HashSet::new();
    for (path, suite) in &suites {
        match suite {
            Ok(suite) => datasets.extend(suite.datasets.iter().cloned()),
            Err(_) => datasets.extend(list_named_datasets(path, library.files)),
        }
    }
    remove_datasets(&mut suites, &datasets);
    suites
}

/// Removes the files that are parts of another one, which have no cases of their own.
pub(crate) fn remove_datasets<T>(files: &mut Vec<(PathBuf, T)>, datasets: &HashSet<PathBuf>) {
    // A dataset may be a folder, such as the template of a workspace: nothing below it is a case.
    files.retain(|(path, _)| !path.ancestors().any(|part| datasets.contains(part)));
}

/// Returns the files of rows and the included files that a file of cases with mistakes names. Otherwise a mistake in such
/// a file would be reported a second time, as that of a file of cases.
pub(crate) fn list_named_datasets(path: &Path, files: &Files) -> Vec<PathBuf> {
    let documents = files.source(path).ok().and_then(|source| Document::parse(&source).ok());
    let documents = documents.unwrap_or_default();
    let folder = path.parent().unwrap_or(path);
    let mut named = Vec::new();
    let mut trees: Vec<&Tree> = documents.iter().map(|document| &document.root).collect();
    while let Some(tree) = trees.pop() {
        match &tree.value {
            Value::List(items) => trees.extend(items),
            Value::Map(entries) => {
                for (key, value) in entries {
                    if matches!(key.name.as_str(), "cases" | "dataset" | "include") {
                        named.extend(list_texts(value).filter_map(|text| files.resolve(folder, text).ok()));
                    }
                    trees.push(value);
                }
            }
            _ => {}
        }
    }
    named
}

/// Returns a text, or the texts of a list.
fn list_texts(tree: &Tree) -> impl Iterator<Item = &str> {
    let items = match &tree.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(tree),
    };
    items.iter().filter_map(|item| match &item.value {
        Value::String(text) => Some(text.as_str()),
        _ => None,
    })
}

impl Suite {
    /// Reads the file at `path`.
    pub fn load(path: &Path, library: Library<'_>) -> Result<Self, LoadErrors> {
        Self::load_some(path, library, &|_| true)
    }

    /// Reads only the cases of the file at `path` with a `wanted` id, so that the cost of one trial does not depend on the
    /// other cases of its file.
    pub fn load_some(
        path: &Path,
        library: Library<'_>,
        wanted: &dyn Fn(Option<&str>) -> bool,
    ) -> Result<Self, LoadErrors> {
        let source = library.files.source(path)?;
        file::read_documents(&source, path)
            .and_then(|documents| Self::of_documents(documents, &source, path, library, wanted))
            .map_err(|errors| foreign::explain_foreign(errors, &source, library))
    }

    /// Reads `text` as if it were the file at `path`.
    pub fn parse(path: &Path, text: &str, library: Library<'_>) -> Result<Self, LoadErrors> {
        let source = Source::new(library.files.name(path), text);
        Self::of_documents(file::read_documents(&source, path)?, &source, path, library, &|_| true)
    }

    /// Returns the case with this id. Without an id, returns the only case of the file.
    pub fn case(&self, id: Option<&str>) -> Option<&Arc<Case>> {
        match id {
            Some(id) => self.cases.iter().find(|case| case.id.as_deref() == Some(id)),
            None => self.cases.first().filter(|_| self.cases.len() == 1),
        }
    }

    fn of_documents(
        documents: Vec<Document>,
        source: &Arc<Source>,
        path: &Path,
        library: Library<'_>,
        wanted: &dyn Fn(Option<&str>) -> bool,
    ) -> Result<Self, LoadErrors> {
        if documents.is_empty() {
            let place = Place::new(source, Span::default());
            return Err(LoadError::new(place, "the file contains no case").help(WHAT_A_FILE_IS).into());
        }
        FileReader::new(path, library, documents.len() == 1, wanted).read(documents)
    }
}

const WHAT_A_FILE_IS: &str = "write a suite (`tests: [...]`), one case, or a list of cases";
