//! Reading files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use arraign_trace::json;
use arraign_trace::reader::{self, READERS, ReaderDeclaration, ReaderSet, Recording};
use arraign_trace::source::{FileOpener, ReadError, ReadProblem};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::Problem;
use crate::run::Run;
use crate::value::from_python;

/// Read the runs of a trace file.
///
/// The format is recognised by the content; `format` names it instead. `readers` declares formats of one's own: a mapping of
/// names to declarations, as in `arraign.yaml`. A file of more than `size_limit` bytes (64 MiB) is refused.
///
/// Raises `TraceError` with the place of the problem, or `OSError` if the file cannot be opened.
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
#[pyfunction]
#[pyo3(signature = (path, format=None, readers=None, *, size_limit=67_108_864))]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    format: Option<String>,
    readers: Option<BTreeMap<String, Bound<'_, PyAny>>>,
    size_limit: u64,
) -> PyResult<Vec<Run>> {
    let set = declare_readers(readers.unwrap_or_default())?;
    let found = py.detach(|| read_file(&path, format.as_deref(), &set, size_limit));
    let recording = found.map_err(|failure| failure.raise(py, &path))?;
    Ok(recording.runs.into_iter().map(|trace| Run::new(recording.format, trace)).collect())
}

/// Return the name of the format of a trace file.
///
/// Raises `TraceError` if no reader knows it, or if several do.
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
#[pyfunction]
#[pyo3(signature = (path, readers=None, *, size_limit=67_108_864))]
pub(crate) fn detect(
    py: Python<'_>,
    path: PathBuf,
    readers: Option<BTreeMap<String, Bound<'_, PyAny>>>,
    size_limit: u64,
) -> PyResult<&'static str> {
    let set = declare_readers(readers.unwrap_or_default())?;
    let found = py.detach(|| read_file(&path, None, &set, size_limit));
    found.map(|recording| recording.format).map_err(|failure| failure.raise(py, &path))
}

/// List the formats that are read: their names, and what each is.
#[pyfunction]
pub(crate) fn formats() -> Vec<(&'static str, &'static str)> {
    READERS.iter().map(|reader| (reader.name, reader.summary)).collect()
}

/// Why a file gave no runs.
enum Failure {
    Trace(Problem),
    /// The file cannot be opened.
    File(io::Error),
}

impl Failure {
    /// Returns the exception. A file that cannot be opened raises what `open` does, such as `FileNotFoundError`.
    fn raise(self, py: Python<'_>, path: &Path) -> PyErr {
        match self {
            Self::Trace(problem) => problem.raise(py),
            Self::File(error) => io::Error::new(error.kind(), format!("{}: {error}", path.display())).into(),
        }
    }
}

fn read_file(
    path: &Path,
    format: Option<&str>,
    set: &ReaderSet,
    size_limit: u64,
) -> Result<Recording, Failure> {
    // Of a link, the file that it leads to: the caller names the file, and not a stranger's case.
    let target = path.canonicalize().map_err(Failure::File)?;
    let folder = target.parent().unwrap_or(&target);
    let files = FileOpener::new(folder, folder).with_size_limit(size_limit);
    let recording = match files.read(&target, |text| set.read(text, format)) {
        Err(ReadError { problem: ReadProblem::Zipped, .. }) => {
            let mut file = File::open(&target).map_err(Failure::File)?;
            reader::read_zipped(&mut file, None, size_limit)
        }
        Err(ReadError { problem, .. }) => return Err(describe(path, &problem)),
        Ok(recording) => recording,
    };
    recording.map_err(|error| Failure::Trace(Problem::of_trace(Some(path), &error)))
}

fn describe(path: &Path, problem: &ReadProblem) -> Failure {
    let text = match problem {
        ReadProblem::Folder => return Failure::File(ErrorKind::IsADirectory.into()),
        ReadProblem::Missing => return Failure::File(ErrorKind::NotFound.into()),
        ReadProblem::TooLarge { size, limit } => {
            format!("{size} bytes are over the limit of {limit}; `size_limit` raises it")
        }
        ReadProblem::UnpackedTooLarge { limit } => {
            format!("it holds more than the limit of {limit} bytes; `size_limit` raises it")
        }
        other => other.to_string(),
    };
    let file = Some(path.to_string_lossy().into_owned());
    Failure::Trace(Problem { text, file, ..Problem::default() })
}

/// Returns the readers, with those that the caller declares.
fn declare_readers(declared: BTreeMap<String, Bound<'_, PyAny>>) -> PyResult<ReaderSet> {
    let mut set = ReaderSet::default();
    for (name, written) in declared {
        let declaration: ReaderDeclaration = json::from_json(from_python(&written)?)
            .map_err(|error| PyValueError::new_err(format!("the reader `{name}`: {error}")))?;
        set.declare(&name, declaration);
    }
    Ok(set)
}
