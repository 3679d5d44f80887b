//! Probes: changed copies of a run. A case that gives the same verdict on a changed run does not test the change.

use crate::json::Json;
use crate::mutate::change::{fail_call, omit_calls, rename_call};
use crate::mutate::value::{change_type, change_value};
use crate::trace::{Arguments, Call, CallStatus, Trace};

/// Changes the calls of a tool in a run.
pub(super) type ToolProbe = fn(&Trace, &str) -> Trace;

/// All probes of a tool's calls.
pub(super) const TOOL_PROBES: &[ToolProbe] = &[
    drop_calls,
    |run, tool| change_calls(run, tool, rename_call),
    break_arguments,
    |run, tool| change_calls(run, tool, fail_call),
    change_results,
];

/// Returns another value for an argument. `None` omits the argument.
pub(super) type ArgumentProbe = fn(&Json) -> Option<Json>;

/// All probes of an argument.
pub(super) const ARGUMENT_PROBES: &[ArgumentProbe] =
    &[|_| None, |value| Some(change_type(value)), |value| Some(change_value(value))];

fn drop_calls(run: &Trace, tool: &str) -> Trace {
    let mut probe = run.clone();
    omit_calls(&mut probe, |_, call| call.name == tool);
    probe
}

fn break_arguments(run: &Trace, tool: &str) -> Trace {
    change_calls(run, tool, |call| {
        call.arguments = Arguments::Broken { raw: "{".to_owned(), error: "unexpected end".to_owned() };
    })
}

fn change_results(run: &Trace, tool: &str) -> Trace {
    change_calls(run, tool, |call| {
        call.status = CallStatus::Ok;
        call.result = Some(Json::Null);
        call.error = None;
    })
}

fn change_calls(run: &Trace, tool: &str, change: impl Fn(&mut Call)) -> Trace {
    let mut probe = run.clone();
    probe.calls.iter_mut().filter(|call| call.name == tool).for_each(change);
    probe
}

/// Changes the value of `argument` in all calls of `tool`.
pub(super) fn change_argument(run: &Trace, tool: &str, argument: &str, other: ArgumentProbe) -> Trace {
    change_calls(run, tool, |call| {
        let Arguments::Json(Json::Object(passed)) = &mut call.arguments else { return };
        let Some(value) = passed.get_mut(argument) else { return };
        match other(value) {
            Some(other) => *value = other,
            None => drop(passed.remove(argument)),
        }
    })
}
