//! Writing what a Python test knows of a run.

use arraign_trace::reader::{self, NativeMistake};
use pyo3::prelude::*;

use crate::error::Problem;
use crate::run::Run;
use crate::value::from_python;

/// Return the text of a native trace, whose mapping is checked.
#[pyfunction]
pub(crate) fn build_native(py: Python<'_>, trace: &Bound<'_, PyAny>) -> PyResult<String> {
    let value = from_python(trace)?;
    let trace = reader::read_native(value).map_err(|mistakes| {
        let texts: Vec<String> = mistakes.iter().map(NativeMistake::to_string).collect();
        Problem::without_place(&texts.join("; ")).raise(py)
    })?;
    Ok(reader::to_native(&trace))
}

/// Return the run that a list of messages is.
#[pyfunction]
pub(crate) fn read_messages(py: Python<'_>, messages: &Bound<'_, PyAny>) -> PyResult<Run> {
    let text = from_python(messages)?.to_string();
    let read = reader::read(&text, None);
    let mut recording = read.map_err(|error| Problem::of_trace(None, &error).raise(py))?;
    match (recording.runs.len(), recording.runs.pop()) {
        (1, Some(run)) => Ok(Run::new(recording.format, run)),
        (count, _) => {
            let text = format!("the messages are {count} runs, not one");
            Err(Problem::without_place(&text).raise(py))
        }
    }
}
