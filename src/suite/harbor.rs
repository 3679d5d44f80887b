//! `trace: {harbor: jobs/NAME}`: the trials of a Harbor job, each of which is a run.

use std::path::{Path, PathBuf};

use super::run_folder::name_failure;
use super::runs::RecordedRun;
use super::runs_error::RunsError;
use super::trace::compare_naturally;
use crate::case::RunSelection;
use crate::reader::{TraceError, TraceProblem, TrialFiles, read_harbor_trial};
use crate::source::Files;

/// The format of a trial in reports.
const FORMAT: &str = "harbor";

/// The files and folders of which each trial has one. A job has other ones beside its `result.json`.
const PARTS_OF_TRIALS: &[&str] = &["agent", "trial.log", "verifier", "steps"];

/// The files of which each trial has one, where it is known that the folder above is a job.
const PARTS_IN_JOBS: &[&str] = &["config.json", "result.json"];

/// Whether a folder is a trial, and no job.
pub(super) fn is_trial(folder: &Path) -> bool {
    PARTS_OF_TRIALS.iter().any(|part| folder.join(part).exists())
}

/// Finds the folders of the selected trials of a job, in natural order. The folder of a trial is its only one.
pub(super) fn find_trials(
    job: &Path,
    selection: &RunSelection,
    files: &Files,
) -> Result<Vec<PathBuf>, RunsError> {
    if is_trial(job) {
        return Ok(vec![job.to_owned()]);
    }
    let mut trials = files.list(job);
    trials.retain(|folder| is_trial(folder) || PARTS_IN_JOBS.iter().any(|part| folder.join(part).exists()));
    if trials.is_empty() {
        return Err(RunsError::NoTrials(files.name(job)));
    }
    trials.sort_by(|one, other| compare_naturally(&one.to_string_lossy(), &other.to_string_lossy()));
    let RunSelection::One(wanted) = selection else { return Ok(trials) };
    let named = trials.iter().position(|trial| name_trial(trial) == *wanted);
    let number = || wanted.parse::<usize>().ok()?.checked_sub(1);
    if let Some(trial) = named.or_else(number).and_then(|at| trials.get(at)) {
        return Ok(vec![trial.clone()]);
    }
    let ids = trials.iter().take(20).map(|trial| name_trial(trial)).collect();
    let problem = TraceProblem::NoSuchRun { wanted: wanted.clone(), count: trials.len(), ids };
    Err(name_failure(job, TraceError::from(problem), files))
}

fn name_trial(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads the run of the trial in `folder`.
pub(super) fn read_trial(folder: &Path, files: &Files) -> Result<RecordedRun, RunsError> {
    let trace = read_harbor_trial(&name_trial(folder), &mut Trial { folder, files })?;
    Ok(RecordedRun { file: Some(files.name(folder)), format: FORMAT, trace, workspace: None })
}

struct Trial<'t> {
    folder: &'t Path,
    files: &'t Files,
}

impl TrialFiles for Trial<'_> {
    type Error = RunsError;

    fn read_file(&mut self, path: &str) -> Result<Option<String>, RunsError> {
        let path = self.folder.join(path);
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(self.files.read(&path, str::to_owned)?))
    }

    fn blame(&self, path: &str, error: TraceError) -> RunsError {
        name_failure(&self.folder.join(path), error, self.files)
    }
}
