//! The same run with something else in it: a case that does not notice does not test it.

use serde_json::{Value, json};

use crate::trace::{Arguments, Call, CallStatus, Trace};

/// A run in which the calls of a tool went otherwise.
pub(super) type ToolProbe = fn(&Trace, &str) -> Trace;

/// All ways in which the calls of a tool may go otherwise.
pub(super) const TOOL_PROBES: &[ToolProbe] =
    &[drop_calls, rename_calls, break_arguments, fail_calls, change_results];

/// Another value of an argument; `None`: it is not passed.
pub(super) type ArgumentProbe = fn(&Value) -> Option<Value>;

/// All ways in which an argument may be another.
pub(super) const ARGUMENT_PROBES: &[ArgumentProbe] =
    &[|_| None, |value| Some(change_kind(value)), |value| Some(change_value(value))];

/// The run without these calls. What was said keeps its place among the others.
fn drop_calls(run: &Trace, tool: &str) -> Trace {
    let mut probe = Trace { calls: Vec::new(), ..run.clone() };
    let mut kept = vec![0];
    for call in &run.calls {
        if call.name != tool {
            probe.push_call(call.clone());
        }
        kept.push(probe.calls.len());
    }
    for message in &mut probe.messages {
        message.after_calls = kept.get(message.after_calls).copied().unwrap_or(probe.calls.len());
    }
    probe
}

fn rename_calls(run: &Trace, tool: &str) -> Trace {
    change_calls(run, tool, |call| "a_tool_that_nobody_has".clone_into(&mut call.name))
}

fn break_arguments(run: &Trace, tool: &str) -> Trace {
    let broken = || Arguments::Broken { raw: "{".to_owned(), error: "it ends too soon".to_owned() };
    change_calls(run, tool, |call| call.arguments = broken())
}

fn fail_calls(run: &Trace, tool: &str) -> Trace {
    change_calls(run, tool, |call| {
        call.status = CallStatus::Error;
        call.result = None;
        call.error = Some("it failed".to_owned());
    })
}

fn change_results(run: &Trace, tool: &str) -> Trace {
    change_calls(run, tool, |call| {
        call.status = CallStatus::Ok;
        call.result = Some(Value::Null);
        call.error = None;
    })
}

fn change_calls(run: &Trace, tool: &str, change: impl Fn(&mut Call)) -> Trace {
    let mut probe = run.clone();
    probe.calls.iter_mut().filter(|call| call.name == tool).for_each(change);
    probe
}

fn change_kind(value: &Value) -> Value {
    if value.is_string() { json!(-987_654_321) } else { json!("another kind of value") }
}

fn change_value(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(format!("{text}, but another")),
        Value::Number(number) => json!(number.as_f64().unwrap_or_default() * -1000.0 - 1.0),
        Value::Bool(bool) => json!(!bool),
        _ => Value::Null,
    }
}

/// The run in which `argument` of the calls of `tool` is another.
pub(super) fn change_argument(run: &Trace, tool: &str, argument: &str, other: ArgumentProbe) -> Trace {
    change_calls(run, tool, |call| {
        let Arguments::Json(Value::Object(passed)) = &mut call.arguments else { return };
        let Some(value) = passed.get_mut(argument) else { return };
        match other(value) {
            Some(other) => *value = other,
            None => drop(passed.shift_remove(argument)),
        }
    })
}
