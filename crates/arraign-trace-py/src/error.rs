//! The exception of a trace that cannot be read or written.

use std::path::Path;

use arraign_trace::reader;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(
    arraign_trace,
    TraceError,
    PyValueError,
    "A trace that cannot be read or written.\n\n`file` is its path, or None. `line` and `column` count from 1, and are None \
     where the problem has no place. `help` is advice, or None."
);

/// A problem with a trace, and where it is.
#[derive(Debug, Default)]
pub(crate) struct Problem {
    pub(crate) text: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) help: Option<String>,
}

impl Problem {
    /// Returns a problem that has no place in a file.
    pub(crate) fn without_place(error: &impl ToString) -> Self {
        Self { text: error.to_string(), ..Self::default() }
    }

    /// Returns the problem of a trace in the file at `path`.
    pub(crate) fn of_trace(path: Option<&Path>, error: &reader::TraceError) -> Self {
        Self {
            text: error.to_string(),
            file: path.map(|path| path.to_string_lossy().into_owned()),
            line: error.line(),
            column: error.column(),
            help: error.help.clone(),
        }
    }

    /// Returns the problem as an exception.
    pub(crate) fn raise(&self, py: Python<'_>) -> PyErr {
        let file = self.file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
        let error = TraceError::new_err(format!("{file}{}", self.text));
        let value = error.value(py);
        let set = [
            value.setattr("file", self.file.as_deref()),
            value.setattr("line", self.line),
            value.setattr("column", self.column),
            value.setattr("help", self.help.as_deref()),
        ];
        set.into_iter().find_map(Result::err).unwrap_or(error)
    }
}
