//! Merges the calls that a server saw into the trace of its agent.
//!
//! The agent's trace says what its model asked for, and in which order. The server says what it was asked and what it
//! answered. A call that both saw is one call. Each call of the server is paired with the first call of the trace that has
//! its name and its arguments, or else its name alone, because a framework may add arguments. The trace keeps its words and
//! takes from the server what it does not say. A call that only the server saw is added behind the server's call before it.

use crate::check::world::is_named;
use crate::json::Json;
use crate::trace::{Arguments, Call, CallStatus, Role, ToolServer, Trace};
use crate::yaml::render_plain;

/// A call that a server saw.
#[derive(Debug, Clone, PartialEq)]
pub struct MockCall {
    /// The name of the tool.
    pub name: String,
    /// The arguments. Those that no tool takes are raw.
    pub arguments: Arguments,
    /// The server's answer. `None` if the agent did not wait for it.
    pub result: Option<Json>,
    /// Whether the tool said that it failed.
    pub failed: bool,
    /// The number of the call among those that the script answered, from 1.
    pub served: Option<u32>,
    /// When the call began, in milliseconds since the beginning of the run.
    pub started_ms: f64,
    /// When the call ended.
    pub ended_ms: Option<f64>,
}

/// Merges the calls that `server` saw into `trace`.
pub fn merge_calls(trace: &mut Trace, server: &str, calls: &[MockCall]) {
    let pairs = pair_calls(&trace.calls, calls);
    let turns = count_turns(calls);
    let says_nothing = trace.calls.is_empty();
    let mut at = 0;
    for ((call, turn), paired) in calls.iter().zip(turns).zip(&pairs) {
        let seen = describe_call(call, server, turn);
        if let Some(index) = *paired {
            // Calls that were added before have moved the others.
            let moved = trace.calls.iter().position(|known| known.index == index + 1);
            let Some(place) = moved else { continue };
            complete_call(&mut trace.calls[place], seen);
            at = place + 1;
        } else {
            let turn = if says_nothing { turn } else { find_turn(&trace.calls, at) };
            insert_call(trace, at, Call { turn, ..seen });
            at += 1;
        }
    }
    for (at, call) in trace.calls.iter_mut().enumerate() {
        call.index = at + 1;
    }
    // The agent's last word rests on its calls.
    if let Some(last) = trace.messages.last_mut().filter(|last| says_nothing && last.role == Role::Assistant)
    {
        last.after_calls = calls.len();
    }
}

/// Returns for each call of the server the index of its call in the trace.
fn pair_calls(known: &[Call], calls: &[MockCall]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; calls.len()];
    let mut taken = vec![false; known.len()];
    // Two rounds, so that a call with its exact arguments is never taken by another of the same name.
    for needs_arguments in [true, false] {
        for (call, pair) in calls.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none()) {
            let found = known.iter().enumerate().position(|(at, known)| {
                !taken[at]
                    && is_named(known, &call.name)
                    && (!needs_arguments || has_arguments(known, &call.arguments))
            });
            if let Some(at) = found {
                taken[at] = true;
                *pair = Some(at);
            }
        }
    }
    pairs
}

fn has_arguments(known: &Call, arguments: &Arguments) -> bool {
    match (&known.arguments, arguments) {
        (Arguments::Json(known), Arguments::Json(seen)) => known == seen,
        (Arguments::Broken { raw: known, .. }, Arguments::Broken { raw: seen, .. }) => known == seen,
        _ => false,
    }
}

/// Returns the turn of each call, from 1: a call that began before all earlier ones had ended saw none of their results.
fn count_turns(calls: &[MockCall]) -> Vec<usize> {
    let mut turn = 0;
    let mut ends = f64::NEG_INFINITY;
    let turns = calls.iter().map(|call| {
        // The first call begins the first turn, whatever its time is.
        if turn == 0 || call.started_ms >= ends {
            turn += 1;
        }
        ends = ends.max(call.ended_ms.unwrap_or(call.started_ms));
        turn
    });
    turns.collect()
}

fn describe_call(call: &MockCall, server: &str, turn: usize) -> Call {
    let status = match (&call.result, call.failed) {
        (None, _) => CallStatus::Unanswered,
        (Some(_), true) => CallStatus::Error,
        (Some(_), false) => CallStatus::Ok,
    };
    let mut described = Call::new(call.name.clone(), call.arguments.clone(), turn);
    described.server = ToolServer::Named(server.to_owned());
    described.result.clone_from(&call.result);
    described.status = status;
    described.error = call.result.as_ref().filter(|_| call.failed).map(render_plain);
    described.served = call.served;
    described.started_ms = Some(call.started_ms);
    described.duration_ms = call.ended_ms.map(|ended| ended - call.started_ms);
    described
}

/// Adds to a call of the trace what only the server knows.
fn complete_call(known: &mut Call, seen: Call) {
    // A name that the agent gives to the server is the one that it knows.
    let server = std::mem::take(&mut known.server).or(seen.server);
    known.set_tool(seen.name, server);
    let is_uncertain = matches!(known.status, CallStatus::Unknown | CallStatus::Unanswered);
    if is_uncertain || !known.status_mark.is_recorded() {
        known.status = seen.status;
        known.status_mark = seen.status_mark;
        known.error = known.error.take().or(seen.error);
    }
    known.result = known.result.take().or(seen.result);
    known.served = seen.served;
    known.started_ms = known.started_ms.or(seen.started_ms);
    known.duration_ms = known.duration_ms.or(seen.duration_ms);
}

/// Returns the turn of the call before the place `at`, or else of the one behind it.
fn find_turn(calls: &[Call], at: usize) -> usize {
    let before = at.checked_sub(1).and_then(|before| calls.get(before));
    before.or_else(|| calls.get(at)).map_or(1, |call| call.turn)
}

/// Inserts a call at the place `at`. Messages behind the call before it come behind the new call.
fn insert_call(trace: &mut Trace, at: usize, call: Call) {
    for message in trace.messages.iter_mut().filter(|message| message.after_calls >= at.max(1)) {
        message.after_calls += 1;
    }
    trace.calls.insert(at, Call { index: 0, ..call });
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    fn seen(name: &str, id: u32, started_ms: f64, ended_ms: f64) -> MockCall {
        let arguments = Arguments::Json(json!({"id": id}));
        let result = Some(json!("shipped"));
        MockCall {
            name: name.to_owned(),
            arguments,
            result,
            failed: false,
            served: None,
            started_ms,
            ended_ms: Some(ended_ms),
        }
    }

    fn said(name: &str, arguments: Json, turn: usize) -> Call {
        Call::new(name, Arguments::Json(arguments), turn)
    }

    fn merge(calls: Vec<Call>, seen: &[MockCall]) -> Trace {
        let mut trace = Trace::default();
        for call in calls {
            trace.push_call(call);
        }
        merge_calls(&mut trace, "shop", seen);
        trace
    }

    fn describe(trace: &Trace) -> Vec<String> {
        let calls = trace.calls.iter();
        let described = calls.map(|call| {
            let server = call.server.name().unwrap_or("-");
            format!("{} {} {}:{} {}", call.index, call.turn, server, call.name, call.arguments)
        });
        described.collect()
    }

    #[test]
    fn a_call_that_both_saw_is_one_call() {
        let calls = vec![
            said("own_tool", json!({}), 1),
            said("mcp__s__get_order", json!({"id": 8}), 2),
            said("shop_get_order", json!({"id": 7, "added": true}), 3),
        ];
        let server = [seen("get_order", 7, 1.0, 2.0), seen("get_order", 8, 3.0, 4.0)];
        let merged = merge(calls, &server);
        assert_eq!(
            describe(&merged),
            [
                "1 1 -:own_tool {}",
                r#"2 2 shop:get_order {"id":8}"#,
                r#"3 3 shop:get_order {"id":7,"added":true}"#
            ]
        );
        assert_eq!(merged.calls[1].result, Some(json!("shipped")));
        assert_eq!(merged.calls[2].written.as_deref(), Some("shop_get_order"));
    }

    #[test]
    fn a_call_that_only_the_server_saw_stands_behind_the_one_before_it() {
        let calls = vec![said("a", json!({"id": 1}), 1), said("b", json!({"id": 1}), 2)];
        let server = [seen("a", 1, 1.0, 2.0), seen("hidden", 2, 3.0, 4.0), seen("b", 1, 5.0, 6.0)];
        let merged = merge(calls, &server);
        let names = merged.tool_names();
        assert_eq!(names, ["a", "hidden", "b"]);
        assert_eq!(merged.calls.iter().map(|call| call.index).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn an_agent_that_says_nothing_has_the_calls_of_the_server_in_their_turns() {
        let mut trace = Trace::default();
        trace.push_message(Role::User, "where?");
        trace.push_message(Role::Assistant, "here");
        let server = [seen("a", 1, 1.0, 5.0), seen("b", 2, 2.0, 3.0), seen("c", 3, 5.0, 6.0)];
        merge_calls(&mut trace, "shop", &server);
        assert_eq!(trace.calls.iter().map(|call| call.turn).collect::<Vec<_>>(), [1, 1, 2]);
        assert_eq!(trace.messages.iter().map(|message| message.after_calls).collect::<Vec<_>>(), [0, 3]);
    }

    #[test]
    fn the_server_knows_how_a_call_ended() {
        let mut failed = seen("a", 1, 1.0, 2.0);
        failed.failed = true;
        let merged = merge(vec![said("a", json!({"id": 1}), 1)], &[failed]);
        assert_eq!(merged.calls[0].status, CallStatus::Error);
        assert_eq!(merged.calls[0].error.as_deref(), Some("shipped"));
    }
}
