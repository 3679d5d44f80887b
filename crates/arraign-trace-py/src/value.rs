//! JSON as values of Python, and back.

use arraign_trace::json::{self, Json};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyString};

/// Returns a JSON value as Python's `json` would: an integer of any size is an `int`.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Json) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Json::Null => py.None().into_bound(py),
        Json::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Json::Number(number) => return number_to_python(py, &number.to_string()),
        Json::String(text) => PyString::new(py, text).into_any(),
        Json::Array(items) => {
            let list = PyList::empty(py);
            items.iter().try_for_each(|item| list.append(to_python(py, item)?))?;
            list.into_any()
        }
        Json::Object(object) => {
            let dict = PyDict::new(py);
            object.iter().try_for_each(|(key, value)| dict.set_item(&**key, to_python(py, value)?))?;
            dict.into_any()
        }
    })
}

fn number_to_python<'py>(py: Python<'py>, digits: &str) -> PyResult<Bound<'py, PyAny>> {
    if digits.contains(['.', 'e', 'E']) {
        return py.get_type::<PyFloat>().call1((digits,));
    }
    // Python refuses to parse integers of more than 4,300 digits.
    py.get_type::<PyInt>().call1((digits,)).or_else(|_| py.get_type::<PyFloat>().call1((digits,)))
}

/// Returns a value of Python as JSON, by Python's own `json.dumps`.
pub(crate) fn from_python(value: &Bound<'_, PyAny>) -> PyResult<Json> {
    let text: String = value.py().import("json")?.call_method1("dumps", (value,))?.extract()?;
    json::parse(&text).map_err(|error| PyValueError::new_err(error.to_string()))
}
