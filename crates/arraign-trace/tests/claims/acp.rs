//! Logs of the Agent Client Protocol: updates of calls in any order and split, permissions, contents, sessions.

use std::fmt::Write;

use arraign_trace::json::{Json, json};
use arraign_trace::reader;
use arraign_trace::trace::{Arguments, CallStatus, Trace, UnreadContent};

use crate::mutations::Random;

fn read(records: &[Json]) -> Vec<Trace> {
    let text = records.iter().fold(String::new(), |mut text, record| {
        _ = writeln!(text, "{record}");
        text
    });
    reader::read(&text, None).unwrap_or_else(|error| panic!("{error}: {text}")).runs
}

fn only_run(records: &[Json]) -> Trace {
    let [run] = <[Trace; 1]>::try_from(read(records)).expect("one run");
    run
}

fn update(update: &Json) -> Json {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update.clone()}})
}

/// A run with one call that these updates describe.
fn call_of(updates: &[Json]) -> Trace {
    only_run(&updates.iter().map(update).collect::<Vec<_>>())
}

#[test]
fn updates_in_any_order_and_split_give_one_trace() {
    let parts = |id: &str| {
        vec![
            json!({"name": "edit_file"}),
            json!({"kind": "edit"}),
            json!({"rawInput": {"path": id}}),
            json!({"content": [{"type": "content", "content": {"type": "text", "text": "done"}}]}),
            json!({"status": "completed"}),
        ]
    };
    let message = |kind: &str, id: &str, parts: &[Json]| {
        let mut message = json!({"sessionUpdate": kind, "toolCallId": id, "title": "Edit"});
        for part in parts.iter().flat_map(|part| part.as_object().expect("an object").iter()) {
            message.as_object_mut().expect("an object").insert(part.0.as_ref().to_owned(), part.1.clone());
        }
        update(&message)
    };
    let ids = ["a", "b", "c"];
    let whole: Vec<Json> = ids.iter().map(|id| message("tool_call", id, &parts(id)[..4])).collect();
    let ends = ids.iter().map(|id| message("tool_call_update", id, &parts(id)[4..]));
    let expected = only_run(&whole.into_iter().chain(ends).collect::<Vec<_>>());
    assert_eq!(expected.calls.iter().map(|call| call.status).collect::<Vec<_>>(), [CallStatus::Ok; 3]);
    assert!(expected.unread.is_empty(), "{:?}", expected.unread);
    for seed in 1..300 {
        let mut random = Random(seed);
        let mut rest = Vec::new();
        // The order of the first messages is the order of the calls, and a call that began before the others ended is
        // parallel to them. Everything else may come at any time.
        let mut log = Vec::new();
        for id in ids {
            let created_first = random.below(2) == 0;
            let mut parts = parts(id);
            let created = parts.remove(random.below(4));
            let first = if created_first { "tool_call" } else { "tool_call_update" };
            let second = if created_first { "tool_call_update" } else { "tool_call" };
            log.push(message(first, id, &[created]));
            let at = random.below(parts.len());
            rest.push(message(second, id, &[parts.remove(at)]));
            while !parts.is_empty() {
                let some = parts.split_off(parts.len() - 1 - random.below(parts.len()));
                rest.push(message("tool_call_update", id, &some));
            }
        }
        while !rest.is_empty() {
            log.push(rest.swap_remove(random.below(rest.len())));
        }
        assert_eq!(only_run(&log), expected, "seed {seed}");
    }
}

#[test]
fn a_later_content_replaces_an_earlier_one_and_an_older_status_says_nothing() {
    let text = |text: &str| json!([{"type": "content", "content": {"type": "text", "text": text}}]);
    let run = call_of(&[
        json!({"sessionUpdate": "tool_call", "toolCallId": "a", "name": "f", "status": "pending", "content": text("ha")}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "in_progress", "content": text("half")}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed", "content": text("whole")}),
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": null}),
    ]);
    assert_eq!(run.calls[0].result, Some(Json::String("whole".into())));
    assert_eq!((run.calls[0].status, run.calls.len()), (CallStatus::Ok, 1));
}

#[test]
fn a_call_that_is_created_after_its_updates_replaces_nothing() {
    let run = call_of(&[
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed", "rawInput": {"n": 2}}),
        json!({"sessionUpdate": "tool_call", "toolCallId": "a", "name": "f", "status": "pending", "rawInput": {"n": 1}}),
    ]);
    assert_eq!(run.calls[0].arguments.to_text(), r#"{"n":2}"#);
    assert_eq!((run.calls[0].name.as_str(), run.calls[0].status), ("f", CallStatus::Ok));
}

#[test]
fn two_ends_that_differ_leave_the_status_open_and_an_unknown_status_is_unread() {
    let ends = |words: &[&str]| {
        let updates = words.iter().map(|word| json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "name": "f", "status": *word}));
        call_of(&updates.collect::<Vec<_>>())
    };
    assert_eq!(ends(&["completed", "failed"]).calls[0].status, CallStatus::Unknown);
    assert_eq!(ends(&["in_progress"]).calls[0].status, CallStatus::Unanswered);
    let unknown = ends(&["zz_new"]);
    assert_eq!(unknown.calls[0].status, CallStatus::Unknown);
    assert_eq!(unknown.unread[0].what, UnreadContent::UnknownKind("zz_new".to_owned()));
    assert_eq!(ends(&["zz_new", "completed"]).calls[0].status, CallStatus::Ok);
}

/// The status of a call for whose permission the editor gave this answer, and which then got this status.
fn status_after(outcome: &Json, status: &str) -> (CallStatus, Option<String>) {
    let options = json!([{"optionId": "1", "name": "Yes", "kind": "allow_once"}, {"optionId": "2", "name": "No", "kind": "reject_always"}]);
    let ask = json!({"jsonrpc": "2.0", "id": 5, "method": "session/request_permission", "params":
        {"sessionId": "s", "toolCall": {"toolCallId": "a", "name": "bash", "rawInput": {}}, "options": options}});
    let run = only_run(&[
        // Both sides use the same id at the same time.
        json!({"jsonrpc": "2.0", "id": 5, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}),
        ask,
        json!({"jsonrpc": "2.0", "id": 5, "result": {"outcome": outcome.clone()}}),
        update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": status})),
        json!({"jsonrpc": "2.0", "id": 5, "result": {"stopReason": "end_turn"}}),
    ]);
    assert_eq!(run.ended.word(), "well");
    (run.calls[0].status, run.calls[0].error.clone())
}

#[test]
fn a_refused_permission_is_a_failed_call() {
    let chosen = |id: &str| json!({"outcome": "selected", "optionId": id});
    assert_eq!(status_after(&chosen("1"), "completed").0, CallStatus::Ok);
    let (status, error) = status_after(&chosen("2"), "pending");
    assert_eq!(
        (status, error.as_deref()),
        (CallStatus::Error, Some("the permission was refused (`reject_always`)"))
    );
    // An agent that goes on all the same: nobody knows what happened.
    assert_eq!(status_after(&chosen("2"), "completed").0, CallStatus::Unknown);
    assert_eq!(status_after(&json!({"outcome": "cancelled"}), "pending").0, CallStatus::Unanswered);
}

#[test]
fn several_edits_are_arguments_and_the_terminal_is_the_result() {
    let diff = |path: &str| json!({"type": "diff", "path": path, "oldText": null, "newText": "x"});
    let run = call_of(&[
        json!({"sessionUpdate": "tool_call", "toolCallId": "a", "name": "patch", "content": [diff("/a"), diff("/b")]}),
    ]);
    assert_eq!(run.calls[0].arguments.get("edits").and_then(Json::as_array).map(<[Json]>::len), Some(2));
    let run = only_run(&[
        update(
            &json!({"sessionUpdate": "tool_call", "toolCallId": "a", "name": "bash", "content": [{"type": "terminal", "terminalId": "t"}]}),
        ),
        json!({"jsonrpc": "2.0", "id": 1, "method": "terminal/create", "params": {"sessionId": "s", "command": "false"}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"terminalId": "t"}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "terminal/output", "params": {"sessionId": "s", "terminalId": "t"}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"output": "no", "truncated": false, "exitStatus": {"exitCode": 1}}}),
        update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed"})),
    ]);
    let call = &run.calls[0];
    assert_eq!(
        (call.exit_code, call.status, call.error.as_deref()),
        (Some(1), CallStatus::Error, Some("no"))
    );
    assert_eq!((call.arguments.clone(), run.unread.len()), (Arguments::Unrecorded, 0));
}

#[test]
fn a_file_that_an_agent_writes_outside_of_a_call_is_unread() {
    let write = json!({"jsonrpc": "2.0", "id": 1, "method": "fs/write_text_file", "params": {"sessionId": "s", "path": "/a", "content": "x"}});
    let call = update(&json!({"sessionUpdate": "tool_call", "toolCallId": "a", "name": "write"}));
    assert_eq!(only_run(&[call, write.clone()]).unread, []);
    assert_eq!(only_run(&[write]).unread.len(), 1);
}

#[test]
fn each_session_is_a_run_and_a_prompt_that_comes_back_is_said_once() {
    let prompt = |id: u64, session: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt",
        "params": {"sessionId": session, "prompt": [{"type": "text", "text": "Hello"}]}})
    };
    let echo = |text: &str| {
        update(&json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": text}}))
    };
    let runs = read(&[prompt(1, "s"), prompt(2, "t"), echo("Hel"), echo("lo")]);
    let messages: Vec<usize> = runs.iter().map(|run| run.messages.len()).collect();
    assert_eq!(messages, [1, 1]);
    assert_eq!((runs[0].id.as_deref(), runs[0].input.as_deref()), (Some("s"), Some("Hello")));
}

#[test]
fn a_name_is_split_and_a_call_without_one_leaves_open_which_tool_it_was() {
    let named =
        call_of(&[json!({"sessionUpdate": "tool_call", "toolCallId": "a", "name": "mcp__shop__get"})]);
    assert_eq!((named.calls[0].name.as_str(), named.calls[0].server.name()), ("get", Some("shop")));
    assert!(named.calls_unrecorded.is_none());
    let nameless =
        call_of(&[json!({"sessionUpdate": "tool_call", "toolCallId": "a", "title": "Get", "kind": "fetch"})]);
    assert_eq!(nameless.calls[0].name, "fetch");
    assert!(nameless.calls_unrecorded.is_some());
    let usage = json!({"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": 3, "currency": "EUR"}});
    assert_eq!(call_of(&[usage]).cost_usd, None);
}
