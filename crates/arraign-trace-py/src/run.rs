//! The classes of a run.

use arraign_trace::json;
use arraign_trace::trace::{self, Arguments, CallStatus, CallsUnrecorded, Ended, Role, Trace};
use arraign_trace::{reader, write};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::error::Problem;
use crate::value::to_python;

/// One run of an agent.
#[pyclass(frozen, module = "arraign_trace")]
pub(crate) struct Run {
    format: &'static str,
    trace: Trace,
}

impl Run {
    pub(crate) fn new(format: &'static str, trace: Trace) -> Self {
        Self { format, trace }
    }
}

#[pymethods]
impl Run {
    /// The name of the format that the run was read from.
    #[getter]
    fn format(&self) -> &'static str {
        self.format
    }

    /// The id of the run, or None.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.trace.id.as_deref()
    }

    /// The name of the agent, or None.
    #[getter]
    fn agent(&self) -> Option<&str> {
        self.trace.agent.as_deref()
    }

    /// The name of the model, or None.
    #[getter]
    fn model(&self) -> Option<&str> {
        self.trace.model.as_deref()
    }

    /// The user's first message, or None.
    #[getter]
    fn input(&self) -> Option<&str> {
        self.trace.input.as_deref()
    }

    /// The texts of the user, the system and the model, in order.
    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.trace.messages.iter().map(Message::of))
    }

    /// The tool calls, in the order in which the model made them: attempts, not successes.
    #[getter]
    fn calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let calls = self.trace.calls.iter().map(|call| Call::of(py, call));
        PyList::new(py, calls.collect::<PyResult<Vec<Call>>>()?)
    }

    /// Why `calls` may not hold all calls of the run, or None if it does.
    #[getter]
    fn calls_unrecorded(&self) -> Option<String> {
        self.trace.calls_unrecorded.as_ref().map(CallsUnrecorded::to_string)
    }

    /// The parts of the file that the reader did not understand.
    #[getter]
    fn unread<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.trace.unread.iter().map(UnreadPart::of))
    }

    /// The text after the last tool call, or None.
    #[getter]
    fn answer(&self) -> Option<&str> {
        self.trace.answer.as_deref()
    }

    /// The tokens of the whole run, or None.
    #[getter]
    fn usage(&self) -> Option<Usage> {
        self.trace.usage.map(Usage::of)
    }

    /// The cost in US dollars, or None.
    #[getter]
    fn cost_usd(&self) -> Option<f64> {
        self.trace.cost_usd
    }

    /// The duration in milliseconds, or None.
    #[getter]
    fn duration_ms(&self) -> Option<f64> {
        self.trace.duration_ms
    }

    /// The reason why the run ended, in the word of its format, or None.
    #[getter]
    fn stop_reason(&self) -> Option<&str> {
        self.trace.stop_reason.as_deref()
    }

    /// How the run ended: `well`, `failed`, `cut`, `limit`, or `unknown`.
    #[getter]
    fn ended(&self) -> &'static str {
        match self.trace.ended {
            Ended::Well => "well",
            Ended::Failed(_) => "failed",
            Ended::Cut(_) => "cut",
            Ended::Limit(_) => "limit",
            Ended::Unknown => "unknown",
        }
    }

    /// Return the run in the native form: what arraign reads, and `json.dump` writes.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        parse_to_python(py, &reader::to_native(&self.trace))
    }

    /// Return the run as a trajectory of ATIF 1.8. With a list as `losses`, what the format has no place for is appended to it.
    ///
    /// Raises `TraceError` if the run has neither a text nor a call.
    #[pyo3(signature = (losses=None))]
    fn to_atif<'py>(
        &self,
        py: Python<'py>,
        losses: Option<&Bound<'py, PyList>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let written =
            write::to_atif(&self.trace).map_err(|error| Problem::without_place(&error).raise(py))?;
        if let Some(list) = losses {
            written.losses.iter().try_for_each(|loss| list.append(loss.to_string()))?;
        }
        parse_to_python(py, &written.text)
    }

    fn __repr__(&self) -> String {
        let Trace { calls, messages, .. } = &self.trace;
        format!("Run(format={:?}, messages={}, calls={})", self.format, messages.len(), calls.len())
    }
}

fn parse_to_python<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let value = json::parse(text).map_err(|error| Problem::without_place(&error).raise(py))?;
    to_python(py, &value)
}

/// One text that somebody said.
#[pyclass(frozen, get_all, module = "arraign_trace")]
pub(crate) struct Message {
    /// The speaker: `system`, `user` or `assistant`.
    role: &'static str,
    /// The text, without reasoning.
    text: String,
    /// The reasoning that the model wrote in front of the text, or None.
    reasoning: Option<String>,
    /// The number of calls that the model made before this message.
    after_calls: usize,
}

impl Message {
    fn of(message: &trace::Message) -> Self {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        let trace::Message { text, reasoning, after_calls, .. } = message.clone();
        Self { role, text, reasoning, after_calls }
    }
}

#[pymethods]
impl Message {
    fn __repr__(&self) -> String {
        format!("Message({:?}, {:?})", self.role, self.text)
    }
}

/// One tool call that the model made.
#[pyclass(frozen, get_all, module = "arraign_trace")]
pub(crate) struct Call {
    /// The number of the call in the run, from 1.
    index: usize,
    /// The turn of the model that made it, from 1: calls of one turn are parallel.
    turn: usize,
    /// The id of the call, or None.
    id: Option<String>,
    /// The tool's own name, without the server that offers it.
    name: String,
    /// The server that offers the tool, or None if the format does not say.
    server: Option<String>,
    /// The arguments, usually a dict. None if they were not recorded, or are broken.
    arguments: Py<PyAny>,
    /// What the model wrote in place of JSON, or None.
    broken_arguments: Option<String>,
    /// The result of the tool, or None.
    result: Py<PyAny>,
    /// How the call ended: `ok`, `error`, `unknown` (the format does not say) or `unanswered`.
    status: &'static str,
    /// The text of the error, or None.
    error: Option<String>,
    /// The exit code of a shell's call, or None.
    exit_code: Option<i64>,
    /// The duration in milliseconds, or None.
    duration_ms: Option<f64>,
    /// The nested agents that made the call, outermost first.
    agent_path: Vec<String>,
}

impl Call {
    fn of(py: Python<'_>, call: &trace::Call) -> PyResult<Self> {
        let broken_arguments = match &call.arguments {
            Arguments::Broken { raw, .. } => Some(raw.clone()),
            Arguments::Json(_) | Arguments::Unrecorded => None,
        };
        let value = |value: Option<&json::Json>| {
            value.map_or_else(|| Ok(py.None()), |value| to_python(py, value).map(Bound::unbind))
        };
        Ok(Self {
            index: call.index,
            turn: call.turn,
            id: call.id.clone(),
            name: call.name.clone(),
            server: call.server.name().map(str::to_owned),
            arguments: value(call.arguments.json())?,
            broken_arguments,
            result: value(call.result.as_ref())?,
            status: match call.status {
                CallStatus::Ok => "ok",
                CallStatus::Error => "error",
                CallStatus::Unknown => "unknown",
                CallStatus::Unanswered => "unanswered",
            },
            error: call.error.clone(),
            exit_code: call.exit_code,
            duration_ms: call.duration_ms,
            agent_path: call.agent_path.clone(),
        })
    }
}

#[pymethods]
impl Call {
    fn __repr__(&self) -> String {
        format!("Call({}, {:?}, status={:?})", self.index, self.name, self.status)
    }
}

/// The tokens of a run.
#[pyclass(frozen, get_all, module = "arraign_trace")]
pub(crate) struct Usage {
    /// Read by the model, cached ones included.
    input_tokens: u64,
    /// Of these, read from a cache, or None.
    cached_tokens: Option<u64>,
    /// Written by the model, reasoning included.
    output_tokens: u64,
    /// Of these, reasoning, or None.
    reasoning_tokens: Option<u64>,
    /// Whether some figures of the run are missing.
    partial: bool,
}

impl Usage {
    fn of(usage: trace::Usage) -> Self {
        let trace::Usage { input_tokens, cached_tokens, output_tokens, reasoning_tokens, partial } = usage;
        Self { input_tokens, cached_tokens, output_tokens, reasoning_tokens, partial }
    }
}

/// A part of the file that the reader did not understand.
#[pyclass(frozen, get_all, module = "arraign_trace")]
pub(crate) struct UnreadPart {
    /// What it is, in a sentence.
    what: String,
    /// The line of its record, from 1, or None for a file that is one document.
    line: Option<usize>,
    /// The JSON pointer of the part in its record.
    pointer: String,
}

impl UnreadPart {
    fn of(part: &trace::UnreadPart) -> Self {
        Self { what: part.what.to_string(), line: part.place.line, pointer: part.place.pointer.clone() }
    }
}

#[pymethods]
impl UnreadPart {
    fn __repr__(&self) -> String {
        format!("UnreadPart({:?}, line={:?}, pointer={:?})", self.what, self.line, self.pointer)
    }
}
