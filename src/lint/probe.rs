//! Probes: changed copies of a run. A case that gives the same verdict on a changed run does not test the change.

use serde_json::{Value, json};

use crate::trace::{Arguments, Call, CallStatus, Trace};

/// Changes the calls of a tool in a run.
pub(super) type ToolProbe = fn(&Trace, &str) -> Trace;

/// All probes of a tool's calls.
pub(super) const TOOL_PROBES: &[ToolProbe] =
    &[drop_calls, rename_calls, break_arguments, fail_calls, change_results];

/// Returns another value for an argument. `None` omits the argument.
pub(super) type ArgumentProbe = fn(&Value) -> Option<Value>;

/// All probes of an argument.
pub(super) const ARGUMENT_PROBES: &[ArgumentProbe] =
    &[|_| None, |value| Some(change_kind(value)), |value| Some(change_value(value))];

/// Removes the calls of `tool`. Messages keep their positions among the other calls.
fn drop_calls(run: &Trace, tool: &str) -> Trace {
    let mut probe = Trace { calls: Vec::new(), ..run.clone() };
    // `kept[n]` is the number of calls that remain of the first n: the new `after_calls` of each message.
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
    change_calls(run, tool, |call| {
        call.arguments = Arguments::Broken { raw: "{".to_owned(), error: "unexpected end".to_owned() };
    })
}

fn fail_calls(run: &Trace, tool: &str) -> Trace {
    change_calls(run, tool, |call| {
        call.status = CallStatus::Error;
        call.result = None;
        call.error = Some("failed".to_owned());
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

/// Returns a value of another JSON type, which a check of types or patterns notices.
fn change_kind(value: &Value) -> Value {
    if value.is_string() { json!(-987_654_321) } else { json!("another kind of value") }
}

/// Returns another value of the same type, which only a check of the value itself notices: a limit, a list of choices.
fn change_value(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(format!("{text}, but another")),
        Value::Number(number) => json!(number.as_f64().unwrap_or_default() * -1000.0 - 1.0),
        Value::Bool(bool) => json!(!bool),
        _ => Value::Null,
    }
}

/// Changes the value of `argument` in all calls of `tool`.
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
