//! What a reader does not understand is reported, and never makes a run look complete.

use arraign_trace::json::{Json, json};
use arraign_trace::reader;
use arraign_trace::trace::{Arguments, CallsUnrecorded, Trace, UnreadContent};

fn read(format: &str, file: &Json) -> Trace {
    let recording = reader::read(&file.to_string(), None).unwrap_or_else(|error| panic!("{format}: {error}"));
    assert_eq!(recording.format, format);
    recording.runs.into_iter().next().expect("a run")
}

/// The unread parts, one a line.
fn unread(format: &str, file: &Json) -> Vec<String> {
    let run = read(format, file);
    assert_eq!(run.calls_unrecorded.is_some(), !run.unread.is_empty(), "{run:#?}");
    run.unread.iter().map(ToString::to_string).collect()
}

#[test]
fn a_call_of_an_unknown_kind_beside_a_known_one_is_unread() {
    let file = json!([{"role": "assistant", "content": [
        {"type": "tool_use", "id": "a", "name": "ok", "input": {}},
        {"type": "future_tool_use", "id": "b", "name": "delete_all", "input": {}},
        {"type": "thinking", "thinking": "hm"}]}]);
    assert_eq!(unread("anthropic", &file), ["/0/content/1: a part of the unknown kind `future_tool_use`"]);
    let run = read("anthropic", &file);
    let reason = run.calls_unrecorded.expect("a reason");
    assert_eq!(
        reason.to_string(),
        "the trace was not read completely: /0/content/1 is a part of the unknown kind `future_tool_use`"
    );
}

#[test]
fn a_call_under_an_unknown_key_is_unread() {
    let call = |name: &str, id: &str| json!({"id": id, "function": {"name": name, "arguments": "{}"}});
    let file = json!([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [call("ok", "a")], "toolCalls": [call("delete_all", "b")]}]);
    assert_eq!(
        unread("openai-chat", &file),
        ["/1/toolCalls/0/function: a value that looks like a call of `delete_all`"]
    );
}

#[test]
fn a_result_whose_call_is_not_in_the_run_is_unread() {
    let file = json!([
        {"role": "user", "content": "hi"},
        {"role": "tool", "tool_call_id": "a", "content": "shipped"},
        {"role": "assistant", "content": "It ships."}]);
    assert_eq!(unread("openai-chat", &file), ["/1: a result of the call `a`, which is not in the run"]);
    let items = json!([
        {"role": "user", "content": "hi"},
        {"type": "function_call_v2", "call_id": "a", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "x"}]);
    assert_eq!(
        unread("openai-responses", &items),
        [
            "/1: a part of the unknown kind `function_call_v2`",
            "/2: a result of the call `a`, which is not in the run"
        ]
    );
}

#[test]
fn a_turn_that_stopped_for_calls_has_some() {
    let reply = |reason: &str, message: Json| {
        json!({"object": "chat.completion", "usage": {"prompt_tokens": 9, "completion_tokens": 7},
            "choices": [{"finish_reason": reason, "message": message}]})
    };
    let silent = json!({"role": "assistant", "content": null});
    assert_eq!(
        unread("openai-chat", &reply("tool_calls", silent.clone())),
        ["/choices/0/message: a turn that stopped for `tool_calls`, without a call"]
    );
    assert_eq!(
        unread("openai-chat", &reply("stop", silent)),
        ["/choices/0/message: a turn that used output tokens, without a text or a call"]
    );
    assert!(unread("openai-chat", &reply("stop", json!({"role": "assistant", "content": "hi"}))).is_empty());
}

#[test]
fn a_message_with_content_that_is_read_as_empty_is_unread() {
    let file = json!([{"role": "user", "items": [{"text": "hi"}]}, {"role": "assistant", "content": "yes"}]);
    assert_eq!(
        unread("openai-chat", &file),
        ["/0/items: a message of the role `user` without a text or a call"]
    );
    for (key, content) in [("content_v2", json!("It ships.")), ("parts", json!([{"said": "It ships."}]))] {
        let reply = json!({"object": "chat.completion", "usage": {"prompt_tokens": 9, "completion_tokens": 7},
            "choices": [{"finish_reason": "stop", "message": {"role": "assistant", key: content}}]});
        let place = format!("/choices/0/message/{key}: ");
        let places = unread("openai-chat", &reply);
        assert!(!places.is_empty() && places.iter().all(|part| part.starts_with(&place)), "{places:?}");
    }
}

#[test]
fn what_providers_add_to_messages_is_no_call() {
    let file = json!([
        {"role": "user", "content": [{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": "yes", "reasoning_content": "hm", "tool_calls": null,
            "annotations": [{"type": "url_citation", "name": "x"}], "provider_specific_fields": {"name": "x"}}]);
    assert!(unread("openai-chat", &file).is_empty());
}

#[test]
fn a_kind_that_is_declared_harmless_is_no_call() {
    let file = json!([{"role": "assistant", "content": [
        {"type": "tool_use", "id": "a", "name": "f", "input": {}}, {"type": "citation_v2", "source": {}}, {"type": "tool_use_v2"}]}]);
    let mut run = read("anthropic", &json!([{"role": "user", "content": "hi"}, file[0]]));
    run.accept_harmless(&["citation_v2".to_owned()]);
    assert_eq!(run.unread.len(), 1);
    assert_eq!(run.unread[0].what, UnreadContent::UnknownKind("tool_use_v2".to_owned()));
    assert!(
        matches!(&run.calls_unrecorded, Some(CallsUnrecorded::Unread { reason, .. }) if reason.contains("tool_use_v2"))
    );
    run.accept_harmless(&["tool_use_v2".to_owned()]);
    assert_eq!(run.calls_unrecorded, None);
}

#[test]
fn a_run_that_was_read_in_part_is_recorded_as_such() {
    let file =
        json!([{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "a", "content": "x"}]);
    let run = read("openai-chat", &file);
    let written = reader::to_native(&run);
    assert_eq!(reader::read(&written, None).expect("a trace").runs, [run]);
    let by_hand = json!({"calls": [], "answer": "x", "calls_unrecorded": true});
    assert_eq!(read("native", &by_hand).calls_unrecorded, Some(CallsUnrecorded::ByFormat));
}

#[test]
fn a_key_that_comes_twice_in_an_object_of_the_format_is_an_error_with_its_place() {
    let call =
        |name: &str| format!(r#"[{{"id": "a", "function": {{"name": "{name}", "arguments": "{{}}"}}}}]"#);
    let twice = format!(
        r#"[{{"role": "assistant", "tool_calls": {}, "tool_calls": {}}}]"#,
        call("delete_all"),
        call("f")
    );
    for (text, problem) in [
        (twice.as_str(), "openai-chat: /0: duplicate key `tool_calls`"),
        (r#"{"calls": ["delete_all"], "calls": ["f"]}"#, "duplicate key `calls`"),
        (r#"{"calls": [{"call": "f", "id": "a", "call": "g"}]}"#, "duplicate key `call`"),
        (
            r#"{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "name": "g", "input": {}}]}"#,
            "duplicate key `name`",
        ),
    ] {
        let error = reader::read(text, None).expect_err(text).to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn a_key_that_comes_twice_in_arguments_makes_them_malformed() {
    let text = r#"{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "pay", "input": {"sum": 999, "sum": 1}}]}"#;
    let run = &reader::read(text, None).expect("a run").runs[0];
    let Arguments::Broken { raw, error } = &run.calls[0].arguments else { panic!("{:?}", run.calls) };
    assert_eq!(raw, r#"{"sum":999,"sum":1}"#);
    assert!(error.starts_with("duplicate key `sum`"), "{error}");
    assert_eq!(reader::read(&reader::to_native(run), None).expect("a trace").runs[0], *run);
}

#[test]
fn a_key_that_comes_twice_where_no_reader_looks_does_not_matter() {
    let text = r#"{"model": "m", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}],
        "tools": [{"function": {"name": "f", "parameters": {"a": 1, "a": 2}}}]}"#;
    assert!(reader::read(text, None).is_ok());
}

#[test]
fn a_key_that_comes_twice_in_the_json_text_of_a_span_is_an_error_unless_it_is_the_models() {
    let file = |messages: &str| {
        let attributes = json!([
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.output.messages", "value": {"stringValue": messages}}]);
        let span = json!({"traceId": "1", "spanId": "2", "name": "chat m", "startTimeUnixNano": "1",
            "attributes": attributes});
        json!({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).to_string()
    };
    let part = |rest: &str| {
        let call = format!(r#"{{"type": "tool_call", "id": "a", "name": "pay"{rest}}}"#);
        file(&format!(r#"[{{"role": "assistant", "parts": [{call}]}}]"#))
    };
    let error = reader::read(&part(r#", "name": "f""#), None).expect_err("two names").to_string();
    assert_eq!(error, "otel: duplicate key `name` in `gen_ai.output.messages` of the span `chat m`");
    let run = &reader::read(&part(r#", "arguments": {"sum": 999, "sum": 1}"#), None).expect("a run").runs[0];
    let Arguments::Broken { raw, .. } = &run.calls[0].arguments else { panic!("{:?}", run.calls) };
    assert_eq!(raw, r#"{"sum":999,"sum":1}"#);
}

#[test]
fn a_line_of_an_unknown_kind_in_a_session_is_unread_unless_it_holds_nothing_but_scalars() {
    let session = |line: &str| {
        let question =
            r#"{"type":"user","sessionId":"s","uuid":"1","message":{"role":"user","content":"hi"}}"#;
        let run =
            reader::read(&format!("{question}\n{line}"), Some("claude-code")).expect("a run").runs.remove(0);
        run.unread.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let unknown = ["line 2: a part of the unknown kind `shell_v3`"];
    assert_eq!(session(r#"{"type":"shell_v3","sessionId":"s","payload":{"cmd":"rm -rf /"}}"#), unknown);
    assert!(session(r#"{"type":"session-colour","sessionId":"s","colour":"red"}"#).is_empty());
    assert!(session(r#"{"type":"attachment","sessionId":"s","attachment":{"type":"file"}}"#).is_empty());
    let rollout = |line: &str| {
        let meta = r#"{"timestamp":"2026-11-22T18:57:45Z","type":"session_meta","payload":{"id":"s"}}"#;
        let run = reader::read(&format!("{meta}\n{line}"), Some("codex")).expect("a run").runs.remove(0);
        run.unread.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let line = |kind: &str, payload: &str| {
        format!(r#"{{"timestamp":"2026-11-22T18:57:46Z","type":"{kind}","payload":{payload}}}"#)
    };
    assert_eq!(rollout(&line("shell_v3", r#"{"cmd":["rm"]}"#)), unknown);
    assert_eq!(rollout(&line("event_msg", r#"{"type":"shell_v3","cmd":["rm"]}"#)), unknown);
    assert!(rollout(&line("event_msg", r#"{"type":"titled","title":"x"}"#)).is_empty());
}

#[test]
fn a_part_that_was_passed_over_has_its_own_place() {
    let part = json!({"futureCall": {"cmd": "rm"}});
    let content = json!({"role": "model", "parts": [{"text": "hi"}, part]});
    let unknown = |place: &str| vec![format!("{place}: a part of the unknown kind `futureCall`")];
    let request = json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}, content]});
    assert_eq!(unread("gemini", &request), unknown("/contents/1/parts/1"));
    let log = json!({"request": {"contents": [content]}, "response": {"candidates": [{"content": content}]}});
    assert_eq!(
        unread("gemini", &log),
        [unknown("/request/contents/0/parts/1"), unknown("/response/candidates/0/content/parts/1")].concat()
    );
    let event = json!({"invocationId": "i", "author": "shop", "content": content});
    assert_eq!(unread("adk", &event), unknown("/content/parts/1"));
    assert_eq!(unread("adk", &json!({"id": "s", "events": [event]})), unknown("/events/0/content/parts/1"));
    let unknown = |place: &str| vec![format!("{place}: a part of the unknown kind `future`")];
    let message =
        |list: &str| json!({"role": "assistant", list: [{"type": "text", "text": "hi"}, {"type": "future"}]});
    let response = json!({"type": "agent_response", "messages": [message("contents")]});
    assert_eq!(unread("maf", &response), unknown("/messages/0/contents/1"));
    let call = json!({"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}});
    let calling = json!({"role": "assistant", "content": [call]});
    let messages = json!({"messages": [calling, message("content")]});
    assert_eq!(unread("vercel-ai", &messages), unknown("/messages/1/content/1"));
    let step = json!({"content": [call, {"type": "future"}], "finishReason": "tool-calls"});
    assert_eq!(unread("vercel-ai", &json!({"steps": [step]})), unknown("/steps/0/content/1"));
}
