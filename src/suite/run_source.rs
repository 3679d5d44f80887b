//! A file that holds runs of a case: read as a whole where it is small, else looked through.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arraign_trace::reader::RunIndex;

use super::run_folder::{describe_failure, read_run_folder};
use super::runs::{CaseRuns, RecordedRun};
use crate::case::{Case, RunSelection, TraceFrom};
use crate::reader::{self, ReaderSet, Recording, TraceError};
use crate::source::{Files, ReadError, ReadProblem};
use crate::trace::Trace;

/// A file of up to so many bytes is read as a whole: that is faster than to look for its runs first.
const MAX_SMALL_BYTES: u64 = 256 << 10;

/// Runs one after the other. The error is the cause, in a sentence.
pub(super) type Each<'s> = Box<dyn Iterator<Item = Result<Cow<'s, RecordedRun>, String>> + 's>;

/// Where runs are.
#[derive(Debug)]
pub(super) enum RunSource {
    /// Here.
    Read(Vec<RecordedRun>),
    /// Some of the runs in a file that several cases share.
    Joined { runs: Arc<CaseRuns>, numbers: Vec<usize> },
    /// In a file that was looked through.
    Text { path: PathBuf, index: Arc<RunIndex> },
    /// In an archive of so many runs.
    #[cfg(feature = "inspect-zip")]
    Zipped { path: PathBuf, count: usize },
}

/// How files are read.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileReading<'f> {
    /// The reader, if it is not detected.
    pub(super) format: Option<&'f str>,
    pub(super) readers: &'f ReaderSet,
    pub(super) files: &'f Files,
}

impl RunSource {
    /// The runs that a case wants of one of its files.
    pub(super) fn of_case(case: &Case, path: PathBuf, files: &Files) -> Result<Self, String> {
        let reading = FileReading { format: None, readers: &case.readers, files };
        let TraceFrom::File(file) = &case.trace else { return Self::of_file(path, reading) };
        let reading = FileReading { format: file.format.as_deref(), ..reading };
        match &file.runs {
            RunSelection::Each if !path.is_dir() => Self::found(path, reading, false),
            RunSelection::All | RunSelection::Each => Self::of_file(path, reading),
            RunSelection::One(wanted) => Self::one(&path, wanted, reading),
        }
    }

    /// All runs of a file, or of a folder that a declared reader reads.
    pub(super) fn of_file(path: PathBuf, reading: FileReading<'_>) -> Result<Self, String> {
        let FileReading { format, readers, files } = reading;
        let small = files.read_small(&path, MAX_SMALL_BYTES, |text| reader::read_with(readers, text, format));
        match small.transpose() {
            None => Self::found(path, reading, true),
            Some(Err(ReadError { problem: ReadProblem::Folder, .. })) => {
                Ok(Self::read(read_run_folder(&path, format, readers, files)?, &path, files))
            }
            Some(Err(ReadError { problem: ReadProblem::Zipped, .. })) => Self::zipped(&path, files),
            Some(read) => Ok(Self::read(describe_error(read, &path, files)?, &path, files)),
        }
    }

    /// The runs of a file that is looked through. Where they had to be read for that, they may be kept.
    fn found(path: PathBuf, reading: FileReading<'_>, keeps: bool) -> Result<Self, String> {
        let FileReading { format, readers, files } = reading;
        let found = match files.open(&path) {
            Err(ReadError { problem: ReadProblem::Zipped, .. }) => return Self::zipped(&path, files),
            opened => opened.map(|mut file| reader::index_runs(readers, &mut file, format)),
        };
        let (index, runs) = describe_error(found, &path, files)?;
        if keeps && !runs.is_empty() {
            return Ok(Self::read(Recording::new(index.format(), runs), &path, files));
        }
        Ok(Self::Text { path, index: Arc::new(index) })
    }

    /// One run of a file: the others are passed over.
    fn one(path: &Path, wanted: &str, reading: FileReading<'_>) -> Result<Self, String> {
        let FileReading { format, readers, files } = reading;
        let read = match files.open(path) {
            Err(ReadError { problem: ReadProblem::Zipped, .. }) => read_zipped(path, wanted, files),
            opened => opened.map(|mut file| reader::read_run_with(readers, &mut file, format, wanted)),
        };
        Ok(Self::read(describe_error(read, path, files)?, path, files))
    }

    #[cfg(feature = "inspect-zip")]
    fn zipped(path: &Path, files: &Files) -> Result<Self, String> {
        let count = unzip(path, files)?.len();
        Ok(Self::Zipped { path: path.to_owned(), count })
    }

    #[cfg(not(feature = "inspect-zip"))]
    fn zipped(path: &Path, files: &Files) -> Result<Self, String> {
        Err(files.read_error(path, ReadProblem::Zipped).to_string())
    }

    fn read(recording: Recording, path: &Path, files: &Files) -> Self {
        let Recording { format, runs, .. } = recording;
        let named = named(format, path, files);
        Self::Read(runs.into_iter().map(named).collect())
    }

    /// How many runs there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Read(runs) => runs.len(),
            Self::Joined { numbers, .. } => numbers.len(),
            Self::Text { index, .. } => index.count_runs(),
            #[cfg(feature = "inspect-zip")]
            Self::Zipped { count, .. } => *count,
        }
    }

    /// All of them, one after the other.
    pub(super) fn each<'s>(&'s self, files: &'s Files) -> Each<'s> {
        match self {
            Self::Read(runs) => Box::new(runs.iter().map(|run| Ok(Cow::Borrowed(run)))),
            Self::Joined { runs, numbers } => {
                Box::new(numbers.iter().map(|number| runs.find_run(*number, files)))
            }
            Self::Text { path, index } => {
                let opened = files.open(path).map_err(|error| error.to_string());
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

    /// The run of this number, and those that are read together with it.
    pub(super) fn read_from(&self, number: usize, files: &Files) -> Result<Vec<RecordedRun>, String> {
        let Self::Text { path, index } = self else {
            return self.each(files).nth(number).into_iter().map(|run| run.map(Cow::into_owned)).collect();
        };
        let opened = files.open(path).map(|mut file| index.read_from(&mut file, number));
        let runs = describe_error(opened, path, files)?;
        Ok(runs.into_iter().map(named(index.format(), path, files)).collect())
    }
}

/// Runs that are read, with the name of their file.
fn owned<'s>(
    runs: Result<impl Iterator<Item = Result<Trace, TraceError>> + 's, String>,
    format: &'static str,
    path: &'s Path,
    files: &'s Files,
) -> Each<'s> {
    let runs = match runs {
        Ok(runs) => runs,
        Err(error) => return Box::new(std::iter::once(Err(error))),
    };
    let named = named(format, path, files);
    Box::new(runs.map(move |run| describe_error(Ok(run), path, files).map(|trace| Cow::Owned(named(trace)))))
}

/// A trace as a run of the file at `path`.
fn named(format: &'static str, path: &Path, files: &Files) -> impl Fn(Trace) -> RecordedRun + use<> {
    let file = Some(files.name(path));
    move |trace| RecordedRun { file: file.clone(), format, trace }
}

#[cfg(feature = "inspect-zip")]
fn unzip(path: &Path, files: &Files) -> Result<reader::ZippedRuns<Box<dyn crate::source::Opened>>, String> {
    let opened = files.open_packed(path);
    describe_error(opened.map(|file| reader::zipped_runs(file, files.size_limit())), path, files)
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

/// What was read; the error is the cause, in a sentence.
fn describe_error<T>(
    read: Result<Result<T, TraceError>, ReadError>,
    path: &Path,
    files: &Files,
) -> Result<T, String> {
    read.map_err(|error| error.to_string())?.map_err(|error| describe_failure(path, &error, files))
}

/// The only run of a file, or how many there are.
pub(super) fn read_only_run(
    path: PathBuf,
    readers: &ReaderSet,
    files: &Files,
) -> Result<Result<RecordedRun, usize>, String> {
    let source = RunSource::of_file(path, FileReading { format: None, readers, files })?;
    match (source.each(files).next(), source.len()) {
        (Some(run), 1) => Ok(Ok(run?.into_owned())),
        (_, count) => Ok(Err(count)),
    }
}
