//! A file with runs of a case. A small file is read as a whole; in a large file the runs are located first.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arraign_trace::reader::RunIndex;

use super::harbor::read_trial;
use super::run_folder::{name_failure, read_run_folder};
use super::runs::{CaseRuns, RecordedRun};
use super::runs_error::RunsError;
use crate::case::{Case, RunSelection, TraceFrom};
use crate::reader::{self, FileCondition, ReaderSet, Recording, TraceError};
use crate::source::{Files, ReadError, ReadProblem};
use crate::trace::Trace;

/// The largest size of a file that is read as a whole, which is faster than locating its runs first.
const MAX_SMALL_BYTES: u64 = 256 << 10;

/// Runs one after the other.
pub(super) type Each<'s> = Box<dyn Iterator<Item = Result<Cow<'s, RecordedRun>, RunsError>> + 's>;

/// The source of runs.
#[derive(Debug)]
pub(super) enum RunSource {
    /// Runs that have been read.
    Read(Vec<RecordedRun>),
    /// Some of the runs in a file that several cases share.
    Joined { runs: Arc<CaseRuns>, numbers: Vec<usize> },
    /// A file with located runs.
    Text { path: PathBuf, index: Arc<RunIndex> },
    /// The folder of a trial of a Harbor job.
    Trial(PathBuf),
    /// An archive with this number of runs.
    #[cfg(feature = "inspect-zip")]
    Zipped { path: PathBuf, count: usize },
}

/// The settings for reading files.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileReading<'f> {
    /// The reader, if it is not detected.
    pub(super) format: Option<&'f str>,
    pub(super) condition: FileCondition,
    pub(super) readers: &'f ReaderSet,
    pub(super) files: &'f Files,
}

impl RunSource {
    /// Finds the runs of one file of a case. The case names its files relative to `folder`.
    pub(super) fn of_case(case: &Case, path: &Path, folder: &Path, files: &Files) -> Result<Self, RunsError> {
        let found = Self::of_named_file(case, path.to_owned(), files);
        found.map_err(|error| match error {
            RunsError::File(missing) if missing.problem == ReadProblem::Missing => {
                match files.find_near_file(path, folder) {
                    Some(near) => RunsError::NearFile { missing, near },
                    None => RunsError::File(missing),
                }
            }
            error => error,
        })
    }

    fn of_named_file(case: &Case, path: PathBuf, files: &Files) -> Result<Self, RunsError> {
        let reading =
            FileReading { format: None, condition: FileCondition::default(), readers: &case.readers, files };
        let TraceFrom::File(file) = &case.trace else { return Self::of_file(path, reading) };
        if file.is_harbor_job {
            return Ok(Self::Trial(path));
        }
        let reading = FileReading { format: file.format.as_deref(), condition: file.condition, ..reading };
        match &file.runs {
            // The places of runs in a file say nothing of one that is read in another order, or not to its end.
            selection if !file.condition.is_usual() && !path.is_dir() => {
                Self::in_condition(&path, selection, reading)
            }
            // A folder has no index: its files are read one by one.
            RunSelection::Each if !path.is_dir() => Self::found(path, reading, false),
            RunSelection::All | RunSelection::Each => Self::of_file(path, reading),
            RunSelection::One(wanted) => Self::one(&path, wanted, reading),
        }
    }

    /// Reads the selected runs of a file in an unusual condition.
    fn in_condition(
        path: &Path,
        selection: &RunSelection,
        reading: FileReading<'_>,
    ) -> Result<Self, RunsError> {
        let FileReading { format, condition, readers, files } = reading;
        let read = files.read(path, |text| {
            let mut recording = reader::read_in_condition(readers, text, format, condition)?;
            if let RunSelection::One(wanted) = selection {
                recording.runs = vec![reader::choose_run(recording.runs, wanted)?];
            }
            Ok(recording)
        });
        Ok(Self::read(unite_errors(read, path, files)?, path, files))
    }

    /// Finds all runs of a file, or of a folder with a declared reader.
    pub(super) fn of_file(path: PathBuf, reading: FileReading<'_>) -> Result<Self, RunsError> {
        let FileReading { format, readers, files, .. } = reading;
        let small = files.read_small(&path, MAX_SMALL_BYTES, |text| reader::read_with(readers, text, format));
        match small.transpose() {
            None => Self::found(path, reading, true),
            Some(Err(ReadError { problem: ReadProblem::Folder, .. })) => {
                Ok(Self::read(read_run_folder(&path, format, readers, files)?, &path, files))
            }
            Some(Err(ReadError { problem: ReadProblem::Zipped, .. })) => Self::zipped(&path, files),
            Some(read) => Ok(Self::read(unite_errors(read, &path, files)?, &path, files)),
        }
    }

    /// Locates the runs of a file. With `keeps`, runs that had to be read for this are kept.
    fn found(path: PathBuf, reading: FileReading<'_>, keeps: bool) -> Result<Self, RunsError> {
        let FileReading { format, readers, files, .. } = reading;
        let found = match files.open(&path) {
            Err(ReadError { problem: ReadProblem::Zipped, .. }) => return Self::zipped(&path, files),
            opened => opened.map(|mut file| reader::index_runs(readers, &mut file, format)),
        };
        let (index, runs) = unite_errors(found, &path, files)?;
        // Runs that had to be built to find them are not read again.
        if keeps && !runs.is_empty() {
            return Ok(Self::read(Recording::new(index.format(), runs), &path, files));
        }
        Ok(Self::Text { path, index: Arc::new(index) })
    }

    /// Reads one run of a file and skips the others.
    fn one(path: &Path, wanted: &str, reading: FileReading<'_>) -> Result<Self, RunsError> {
        let FileReading { format, readers, files, .. } = reading;
        let read = match files.open(path) {
            Err(ReadError { problem: ReadProblem::Zipped, .. }) => read_zipped(path, wanted, files),
            opened => opened.map(|mut file| reader::read_run_with(readers, &mut file, format, wanted)),
        };
        Ok(Self::read(unite_errors(read, path, files)?, path, files))
    }

    #[cfg(feature = "inspect-zip")]
    fn zipped(path: &Path, files: &Files) -> Result<Self, RunsError> {
        let count = unzip(path, files)?.len();
        Ok(Self::Zipped { path: path.to_owned(), count })
    }

    #[cfg(not(feature = "inspect-zip"))]
    fn zipped(path: &Path, files: &Files) -> Result<Self, RunsError> {
        Err(files.read_error(path, ReadProblem::Zipped).into())
    }

    fn read(recording: Recording, path: &Path, files: &Files) -> Self {
        let Recording { format, runs, .. } = recording;
        let named = named(format, path, files);
        Self::Read(runs.into_iter().map(named).collect())
    }

    /// Returns the number of runs.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Read(runs) => runs.len(),
            Self::Joined { numbers, .. } => numbers.len(),
            Self::Text { index, .. } => index.count_runs(),
            Self::Trial(_) => 1,
            #[cfg(feature = "inspect-zip")]
            Self::Zipped { count, .. } => *count,
        }
    }

    /// Reads all runs, one after the other.
    pub(super) fn each<'s>(&'s self, files: &'s Files) -> Each<'s> {
        match self {
            Self::Read(runs) => Box::new(runs.iter().map(|run| Ok(Cow::Borrowed(run)))),
            Self::Joined { runs, numbers } => {
                Box::new(numbers.iter().map(|number| runs.find_run(*number, files)))
            }
            Self::Trial(folder) => Box::new(std::iter::once(read_trial(folder, files).map(Cow::Owned))),
            Self::Text { path, index } => {
                let opened = files.open(path).map_err(RunsError::from);
                let runs = opened.map(|file| reader::Runs::of(file, Arc::clone(index)));
                owned(runs, index.format(), path, files)
            }
            #[cfg(feature = "inspect-zip")]
            Self::Zipped { path, .. } => {
                let runs = unzip(path, files);
                let format = runs.as_ref().map_or("", |runs| runs.format());
                owned(runs, format, path, files)
            }
        }
    }

    /// Reads the run of this number, and the runs that are read together with it.
    pub(super) fn read_from(&self, number: usize, files: &Files) -> Result<Vec<RecordedRun>, RunsError> {
        let Self::Text { path, index } = self else {
            return self.each(files).nth(number).into_iter().map(|run| run.map(Cow::into_owned)).collect();
        };
        let opened = files.open(path).map(|mut file| index.read_from(&mut file, number));
        let runs = unite_errors(opened, path, files)?;
        Ok(runs.into_iter().map(named(index.format(), path, files)).collect())
    }
}

/// Adds the name of the file to runs that are read.
fn owned<'s>(
    runs: Result<impl Iterator<Item = Result<Trace, TraceError>> + 's, RunsError>,
    format: &'static str,
    path: &'s Path,
    files: &'s Files,
) -> Each<'s> {
    let runs = match runs {
        Ok(runs) => runs,
        Err(error) => return Box::new(std::iter::once(Err(error))),
    };
    let named = named(format, path, files);
    Box::new(runs.map(move |run| unite_errors(Ok(run), path, files).map(|trace| Cow::Owned(named(trace)))))
}

/// Returns a function that makes a trace a run of the file at `path`.
fn named(format: &'static str, path: &Path, files: &Files) -> impl Fn(Trace) -> RecordedRun + use<> {
    let file = Some(files.name(path));
    move |trace| RecordedRun { file: file.clone(), format, trace, workspace: None }
}

#[cfg(feature = "inspect-zip")]
fn unzip(
    path: &Path,
    files: &Files,
) -> Result<reader::ZippedRuns<Box<dyn crate::source::Opened>>, RunsError> {
    let opened = files.open_packed(path);
    unite_errors(opened.map(|file| reader::zipped_runs(file, files.size_limit())), path, files)
}

#[cfg(feature = "inspect-zip")]
fn read_zipped(path: &Path, wanted: &str, files: &Files) -> Result<Result<Recording, TraceError>, ReadError> {
    let mut file = files.open_packed(path)?;
    Ok(reader::read_zipped(&mut file, Some(wanted), files.size_limit()))
}

#[cfg(not(feature = "inspect-zip"))]
fn read_zipped(
    path: &Path,
    _wanted: &str,
    files: &Files,
) -> Result<Result<Recording, TraceError>, ReadError> {
    Err(files.read_error(path, ReadProblem::Zipped))
}

/// Unites both kinds of errors.
fn unite_errors<T>(
    read: Result<Result<T, TraceError>, ReadError>,
    path: &Path,
    files: &Files,
) -> Result<T, RunsError> {
    read?.map_err(|error| name_failure(path, error, files))
}

/// Reads the only run of a file. The inner error is the number of runs.
pub(super) fn read_only_run(
    path: PathBuf,
    readers: &ReaderSet,
    files: &Files,
) -> Result<Result<RecordedRun, usize>, RunsError> {
    let source = RunSource::of_file(
        path,
        FileReading { format: None, condition: FileCondition::default(), readers, files },
    )?;
    match (source.each(files).next(), source.len()) {
        (Some(run), 1) => Ok(Ok(run?.into_owned())),
        (_, count) => Ok(Err(count)),
    }
}
