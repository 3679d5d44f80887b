//! The evidence of a trial: the runs of its case, and its baseline.

use std::borrow::Cow;
use std::path::Path;

use super::run_source::read_only_run;
use super::runs::{CaseRuns, RecordedRun};
use super::runs_error::RunsError;
use crate::case::Case;
use crate::source::Files;

/// The evidence of a trial.
#[derive(Debug, Default)]
pub struct RecordedEvidence {
    /// The runs of the case.
    pub runs: Vec<RecordedRun>,
    /// The baseline run, or the reason why it is missing.
    pub baseline: Option<Result<RecordedRun, NoBaseline>>,
}

/// Why there is no baseline to compare with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoBaseline {
    /// The file does not exist yet.
    #[error("{0}: no such file")]
    Missing(String),
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

/// Loads the runs of a case in the file `path`, and its baseline.
pub fn load_recorded(case: &Case, path: &Path, files: &Files) -> Result<RecordedEvidence, RunsError> {
    let found = CaseRuns::find_runs(case, path, files)?;
    let runs = found.each_run(files).map(|run| run.map(Cow::into_owned)).collect::<Result<_, _>>()?;
    Ok(RecordedEvidence::from_runs(runs, case, path, files))
}

impl RecordedEvidence {
    /// Combines these runs of a case in the file `path` with its baseline.
    pub fn from_runs(runs: Vec<RecordedRun>, case: &Case, path: &Path, files: &Files) -> Self {
        Self { runs, baseline: load_baseline(case, path, files) }
    }
}

/// Loads the baseline run, or returns the reason why it is missing; `None` for a case without a baseline. A baseline is one
/// run.
pub fn load_baseline(case: &Case, path: &Path, files: &Files) -> Option<Result<RecordedRun, NoBaseline>> {
    let baseline = case.baseline.as_ref()?;
    Some(read_baseline(&baseline.file, case, path, files))
}

fn read_baseline(
    file: &str,
    case: &Case,
    case_file: &Path,
    files: &Files,
) -> Result<RecordedRun, NoBaseline> {
    let folder = case_file.parent().unwrap_or(case_file);
    let path = files.resolve(folder, file).map_err(|error| NoBaseline::Unreadable(error.to_string()))?;
    let name = files.name(&path);
    if !files.exists(&path) {
        return Err(NoBaseline::Missing(name));
    }
    let count =
        |count| NoBaseline::Unreadable(format!("{name}: a baseline is one run; the file holds {count}"));
    read_only_run(path, &case.readers, files)
        .map_err(|error| NoBaseline::Unreadable(error.into()))?
        .map_err(count)
}
