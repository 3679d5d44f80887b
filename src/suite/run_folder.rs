//! A folder with files that together are one run, for declared readers with `folder: 'events/*.json'`.

use std::path::Path;

use super::runs_error::RunsError;
use super::trace::find_files_below;
use crate::reader::{ReaderSet, ReaderSurvey, Recording, TraceError};
use crate::source::{Files, ReadProblem};

/// The runs that a declared reader reads in the folder at `path`: the one called `format`, or the first that recognizes
/// the folder's files.
pub fn read_run_folder(
    path: &Path,
    format: Option<&str>,
    readers: &ReaderSet,
    files: &Files,
) -> Result<Recording, RunsError> {
    let mut tried = Vec::new();
    for (name, pattern) in readers.find_folder_readers(format) {
        let texts = read_texts(path, pattern, files)?;
        if texts.is_empty() {
            tried.push(format!("`{name}`: no file matches `{pattern}`"));
            continue;
        }
        // A reader that the user names is tried whatever its `when` says.
        let read = readers.read_folder(name, &texts, format.is_some());
        match read.map_err(|error| name_failure(path, error, files))? {
            Some(recording) => return Ok(recording),
            None => tried.push(format!("`{name}`: its `when` does not hold")),
        }
    }
    Err(RunsError::Folder { folder: files.read_error(path, ReadProblem::Folder), tried })
}

/// Surveys what the paths of each declared reader with a `folder` select in the folder at `path`.
pub fn survey_run_folder(
    path: &Path,
    readers: &ReaderSet,
    files: &Files,
) -> Result<Vec<ReaderSurvey>, RunsError> {
    let mut surveys = Vec::new();
    for (name, pattern) in readers.find_folder_readers(None) {
        let texts = read_texts(path, pattern, files)?;
        let survey = readers.survey_folder(name, &texts);
        surveys.extend(survey.map_err(|error| name_failure(path, error, files))?);
    }
    // An empty survey would look like an empty folder.
    if surveys.is_empty() {
        let folder = files.read_error(path, ReadProblem::Folder);
        return Err(RunsError::Folder { folder, tried: Vec::new() });
    }
    Ok(surveys)
}

/// Whether a declared reader may read the folder at `path`: it has files of the reader's names.
pub(super) fn is_run_folder(path: &Path, readers: &ReaderSet, files: &Files) -> bool {
    let mut patterns = readers.find_folder_readers(None).into_iter();
    path.is_dir()
        && patterns
            .any(|(_, pattern)| find_files_below(path, pattern, files).is_ok_and(|found| !found.is_empty()))
}

/// The texts of the files below a folder that match a pattern, in natural order. Together they are no larger than one
/// file may be.
fn read_texts(folder: &Path, pattern: &str, files: &Files) -> Result<Vec<String>, RunsError> {
    let mut texts = Vec::new();
    let mut size = 0;
    for path in find_files_below(folder, pattern, files)? {
        let text = files.read(&path, str::to_owned)?;
        size += text.len() as u64;
        // The size is checked with each file, before the next is read.
        if size > files.size_limit() {
            let problem = ReadProblem::TooLarge { size, limit: files.size_limit() };
            return Err(files.read_error(folder, problem).into());
        }
        texts.push(text);
    }
    Ok(texts)
}

/// Returns the error of a trace in the file at `path`.
pub(super) fn name_failure(path: &Path, error: TraceError, files: &Files) -> RunsError {
    RunsError::Trace { file: files.name(path), error }
}
