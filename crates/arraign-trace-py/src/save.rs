//! Writing what a Python test knows of a run.

use std::path::Path;

use arraign_trace::reader::{self, NativeMistake};
use pyo3::prelude::*;

use crate::error::Problem;
use crate::value::{from_python, to_python};

/// Return the text of a native trace, whose mapping is checked.
#[pyfunction]
pub(crate) fn build_native(py: Python<'_>, trace: &Bound<'_, PyAny>) -> PyResult<String> {
    let value = from_python(trace)?;
    let trace = reader::read_native(value).map_err(|mistakes| {
        let texts: Vec<String> = mistakes.iter().map(NativeMistake::to_string).collect();
        Problem { text: texts.join("; "), ..Problem::default() }.raise(py)
    })?;
    Ok(reader::to_native(&trace))
}

/// Return the run that a list of messages is, in the native form.
#[pyfunction]
pub(crate) fn read_messages<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let text = from_python(messages)?.to_string();
    let read = reader::read(&text, None);
    let recording = read.map_err(|error| Problem::of_trace(None::<&Path>, &error).raise(py))?;
    let [run] = recording.runs.as_slice() else {
        let text = format!("the messages are {} runs, not one", recording.runs.len());
        return Err(Problem { text, ..Problem::default() }.raise(py));
    };
    let native = arraign_trace::json::parse(&reader::to_native(run));
    let native =
        native.map_err(|error| Problem { text: error.to_string(), ..Problem::default() }.raise(py))?;
    to_python(py, &native)
}
