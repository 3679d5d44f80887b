//! Logs and lists of messages: which runs are in them, which calls they show, and what they leave open.

#![expect(clippy::format_collect, reason = "the texts of a test are short")]

use arraign_trace::json::{Json, json};
use arraign_trace::reader::{self, Recording};
use arraign_trace::trace::{Arguments, CallStatus, CallsUnrecorded, Trace};

fn read_text(text: &str, format: Option<&str>) -> Recording {
    reader::read(text, format).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn read(file: &Json) -> Recording {
    read_text(&file.to_string(), None)
}

fn lines(records: &[Json]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn only_run(recording: Recording) -> Trace {
    let [run] = <[Trace; 1]>::try_from(recording.runs).expect("one run");
    run
}

fn user(text: &str) -> Json {
    json!({"role": "user", "content": text})
}

fn said(text: &str) -> Json {
    json!({"role": "assistant", "content": text})
}

fn called(id: &str, arguments: &str) -> Json {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": id, "type": "function", "function": {"name": "get_order", "arguments": arguments}}]})
}

fn result(id: &str, text: &str) -> Json {
    json!({"role": "tool", "tool_call_id": id, "content": text})
}

#[test]
fn a_list_of_texts_shows_no_calls_unless_something_in_the_file_would() {
    let is_doubted = |file: &Json| {
        let run = only_run(read(file));
        matches!(run.calls_unrecorded, Some(CallsUnrecorded::NotShown { .. }))
    };
    assert!(is_doubted(&json!([user("hi"), said("Done.")])));
    assert!(is_doubted(&json!({"messages": [user("hi"), said("Done.")]})));
    assert!(is_doubted(&json!([user("hi"), {"role": "assistant", "content": [
        {"type": "text", "text": "Done.", "providerOptions": {"openai": {"itemId": "msg_1"}}}]}])));
    // The writer has a key for calls, offered tools, or recorded the model.
    assert!(!is_doubted(&json!([user("hi"), {"role": "assistant", "content": "Done.", "tool_calls": null}])));
    assert!(!is_doubted(&json!({"messages": [user("hi"), said("Done.")], "tools": []})));
    assert!(!is_doubted(&json!({"model": "m", "messages": [user("hi"), said("Done.")]})));
    // Another run of the file has a call.
    let rows = lines(&[
        json!({"id": "a", "messages": [user("hi"), called("c", "{}"), result("c", "ok"), said("Done.")]}),
        json!({"id": "b", "messages": [user("hi"), said("Done.")]}),
    ]);
    assert!(read_text(&rows, None).runs.iter().all(|run| run.calls_unrecorded.is_none()));
}

#[test]
fn a_named_format_settles_whether_a_list_would_have_calls() {
    let text = json!([user("hi"), said("Done.")]).to_string();
    for format in ["openai-chat", "anthropic"] {
        assert_eq!(read_text(&text, Some(format)).runs[0].calls_unrecorded, None, "{format}");
        let mut run = only_run(read_text(&text, None));
        run.accept_format(format);
        assert_eq!(run.calls_unrecorded, None, "{format}");
    }
    let mut run = only_run(read_text(&text, None));
    run.accept_format("bedrock");
    assert!(run.calls_unrecorded.is_some());
    // The native form keeps it.
    assert_eq!(only_run(read_text(&reader::to_native(&run), None)).calls_unrecorded, run.calls_unrecorded);
}

#[test]
fn a_line_of_a_prompt_and_a_response_shows_no_calls_without_their_key() {
    let doubts = |line: Json| read(&line).runs[0].calls_unrecorded.is_some();
    assert!(doubts(json!({"prompt": "hi", "response": "Done."})));
    assert!(!doubts(json!({"prompt": "hi", "response": "Done.", "tool_calls": []})));
    let text = json!({"prompt": "hi", "response": "Done."}).to_string();
    assert_eq!(read_text(&text, Some("run-lines")).runs[0].calls_unrecorded, None);
}

/// A client that parses the arguments and writes them again changes blanks, order and the form of numbers.
#[test]
fn arguments_that_a_client_writes_in_its_own_way_leave_one_run() {
    let reply = |id: &str, message: Json| {
        json!({"id": id, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 1}})
    };
    let of_model = called("c", r#"{"id": 7, "of": {"b": 1.0, "a": [1]}}"#);
    let of_client = called("c", r#"{"of":{"a":[1],"b":1},"id":7}"#);
    let log = lines(&[
        json!({"request": {"messages": [user("hi")]}, "response": reply("r1", of_model)}),
        json!({"request": {"messages": [user("hi"), of_client, result("c", "ok")]}, "response": reply("r2", said("Done."))}),
    ]);
    let run = only_run(read_text(&log, None));
    assert_eq!((run.calls.len(), run.answer.as_deref()), (1, Some("Done.")));
    assert_eq!(run.usage.expect("tokens").input_tokens, 20);
}

#[test]
fn a_row_with_an_id_is_a_run_whatever_the_ids_of_its_calls_are() {
    let row = |id: Json, text: &str, answer: &str| {
        let call = "functions.get_order:0";
        json!({"id": id, "messages": [user("Where is 7?"), called(call, "{}"), result(call, text), said(answer)]})
    };
    let a = row(json!("run_a"), "shipped", "It shipped.");
    let b = row(json!("run_b"), "unknown", "I could not find it.");
    let runs = read_text(&lines(&[a.clone(), b]), None).runs;
    let told: Vec<_> =
        runs.iter().map(|run| (run.id.as_deref(), run.answer.as_deref(), run.calls.len())).collect();
    assert_eq!(
        told,
        [(Some("run_a"), Some("It shipped."), 1), (Some("run_b"), Some("I could not find it."), 1)]
    );
    // A sample that was drawn twice is two runs, with ids and without.
    assert_eq!(read_text(&lines(&[a.clone(), row(json!(2), "shipped", "It shipped.")]), None).runs.len(), 2);
    let bare = json!({"messages": a["messages"]});
    assert_eq!(read_text(&lines(&[bare.clone(), bare]), None).runs.len(), 2);
    // The conversation so far, written again with each turn, is one run.
    let longer =
        json!({"id": "x2", "messages": [user("hi"), called("c", "{}"), result("c", "ok"), said("Done.")]});
    let shorter = json!({"id": "x1", "messages": [user("hi"), called("c", "{}"), result("c", "ok")]});
    for order in [[shorter.clone(), longer.clone()], [longer, shorter]] {
        let run = only_run(read_text(&lines(&order), None));
        assert_eq!((run.calls.len(), run.answer.as_deref()), (1, Some("Done.")));
    }
}

#[test]
fn a_result_without_a_call_is_unread_with_an_id_and_without() {
    for message in [
        json!({"role": "tool", "tool_call_id": "x", "content": "{}"}),
        json!({"role": "tool", "name": "delete_order", "content": "{}"}),
        json!({"role": "tool", "content": "{}"}),
        json!({"role": "function", "name": "delete_order", "content": "{}"}),
    ] {
        let file = json!([user("Delete order 9"), said("ok"), message, said("Done.")]);
        let run = only_run(read(&file));
        assert_eq!(run.unread.len(), 1, "{file}: {:?}", run.unread);
    }
    // Results without ids belong to the calls in their order.
    let called =
        json!({"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}});
    let run = only_run(read(&json!([user("hi"), called, {"role": "function", "name": "f", "content": "1"}])));
    assert_eq!((run.unread.len(), run.calls[0].status), (0, CallStatus::Unknown));
}

#[test]
fn arguments_that_are_a_text_of_json_are_malformed() {
    let is_broken = |run: &Trace| matches!(&run.calls[0].arguments, Arguments::Broken { raw, .. } if raw.contains("Oslo"));
    let inner = r#"{"city": "Oslo"}"#;
    let twice = Json::from(inner).to_string();
    let thrice = Json::from(twice.as_str()).to_string();
    for arguments in [&twice, &thrice] {
        assert!(is_broken(&only_run(read(&json!([user("hi"), called("c", arguments)])))), "{arguments}");
    }
    let block = json!({"type": "tool_use", "id": "t", "name": "f", "input": inner});
    assert!(is_broken(&only_run(read(&json!([user("hi"), {"role": "assistant", "content": [block]}])))));
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f", "arguments": inner}});
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "ok"}]}});
    assert!(is_broken(&only_run(read_text(&lines(&[call, answer]), None))));
    // A text that is no JSON is a text, and the native form keeps what was malformed.
    let run = only_run(read(&json!([user("hi"), called("c", "\"Oslo\"")])));
    assert_eq!(run.calls[0].arguments, Arguments::Json(json!("Oslo")));
    let run = only_run(read(&json!([user("hi"), called("c", &twice)])));
    let again = only_run(read_text(&reader::to_native(&run), None));
    assert_eq!(again.calls[0].arguments, run.calls[0].arguments);
}

#[test]
fn a_recorded_exchange_is_read_by_its_own_reader_alone() {
    let request = |messages: Json| {
        json!({"to": "openai", "method": "POST", "path": "/v1/chat/completions",
            "body": {"model": "m", "stream": true, "messages": messages,
                "tools": [{"type": "function", "function": {"name": "get_order"}}]}})
    };
    let chunk = |delta: Json, stop: Json| json!({"id": "r", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": stop}]});
    let stream = |pieces: &[Json]| {
        let text: String = pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect();
        json!({"status": 200, "chunks": [text, "data: [DONE]\n\n"]})
    };
    let call = json!({"tool_calls": [{"index": 0, "id": "c", "type": "function",
        "function": {"name": "get_order", "arguments": "{}"}}]});
    let log = lines(&[
        json!({"request": request(json!([user("hi")])),
            "response": stream(&[chunk(call, Json::Null), chunk(json!({}), json!("tool_calls"))])}),
        json!({"request": request(json!([user("hi"), called("c", "{}"), result("c", "ok")])),
            "response": stream(&[chunk(json!({"content": "Done."}), Json::Null), chunk(json!({}), json!("stop"))])}),
    ]);
    let recording = read_text(&log, None);
    assert_eq!(recording.format, "model-exchanges");
    assert_eq!(reader::claims(&log).expect("JSON").len(), 1);
    let run = only_run(recording);
    assert_eq!((run.calls.len(), run.answer.as_deref()), (1, Some("Done.")));
}

#[test]
fn a_refused_attempt_that_was_repeated_is_no_run() {
    let request = json!({"messages": [user("hi")]});
    let refused = json!({"request": request, "response": {"error": {"message": "429"}}});
    let reply = json!({"choices": [{"index": 0, "message": said("Done."), "finish_reason": "stop"}]});
    let log = lines(&[refused, json!({"request": request, "response": reply})]);
    assert_eq!(only_run(read_text(&log, None)).answer.as_deref(), Some("Done."));
}

#[test]
fn a_log_in_reverse_order_is_unread_and_is_read_from_its_end() {
    let event = |second: usize, content: Json| {
        json!({"type": content["role"], "timestamp": format!("2026-01-01T00:00:0{second}Z"), "sessionId": "s",
            "uuid": second.to_string(), "message": content})
    };
    let log = [
        event(1, user("hi")),
        event(
            2,
            json!({"role": "assistant", "id": "m1", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]}),
        ),
        event(
            3,
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}),
        ),
        event(4, json!({"role": "assistant", "id": "m2", "content": [{"type": "text", "text": "Done."}]})),
    ];
    let forwards = lines(&log);
    let backwards: String = forwards.lines().rev().map(|line| format!("{line}\n")).collect();
    let right = only_run(read_text(&forwards, None));
    assert_eq!(right.unread, []);
    let wrong = only_run(read_text(&backwards, None));
    let told: Vec<String> = wrong.describe_unread();
    assert!(told.iter().any(|sentence| sentence.contains("in reverse order")), "{told:?}");
    let turned = reader::reverse_records(&backwards).expect("JSON");
    assert_eq!(only_run(read_text(&turned, None)), right);
}

#[test]
fn a_file_that_was_cut_in_its_last_line_is_whole_before_it() {
    let whole = lines(&[json!({"a": 1}), json!({"b": 2})]);
    assert_eq!(reader::cut_last_line(&whole), None);
    let cut = format!("{whole}{{\"c\": ");
    assert_eq!(reader::cut_last_line(&cut), Some((whole.as_str(), 3)));
}

#[test]
fn halves_of_characters_are_joined_or_replaced() {
    let text =
        r#"[{"role": "user", "content": "\ud83d cut"}, {"role": "assistant", "content": "a \ud83d\ude00"}]"#;
    let run = only_run(read_text(text, None));
    assert_eq!((run.input.as_deref(), run.answer.as_deref()), (Some("\u{fffd} cut"), Some("a \u{1f600}")));
    let chunk = |content: &str, stop: &str| {
        format!(
            r#"data: {{"id": "r", "object": "chat.completion.chunk", "choices": [{{"index": 0, "delta": {{"content": "{content}"}}, "finish_reason": {stop}}}]}}"#
        )
    };
    let stream =
        format!("{}\n\n{}\n\ndata: [DONE]\n\n", chunk(r"a \ud83d", "null"), chunk(r"\ude00", "\"stop\""));
    assert_eq!(only_run(read_text(&stream, None)).answer.as_deref(), Some("a \u{1f600}"));
}

#[test]
fn a_session_that_begins_with_a_summary_does_not_show_the_calls_before_it() {
    let line = |kind: &str, more: Json| {
        let mut line = json!({"type": kind, "sessionId": "s", "uuid": more.to_string()});
        line.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        line
    };
    let summary =
        line("user", json!({"isCompactSummary": true, "message": {"role": "user", "content": "So far ..."}}));
    let answer = line(
        "assistant",
        json!({"message": {"role": "assistant", "id": "m", "content": [{"type": "text", "text": "Done."}]}}),
    );
    let first = line("user", json!({"message": {"role": "user", "content": "hi"}}));
    let begins = only_run(read_text(&lines(&[summary.clone(), answer.clone()]), Some("claude-code")));
    assert!(begins.calls_unrecorded.is_some(), "{begins:?}");
    // The lines before it are in the file.
    let inside = only_run(read_text(&lines(&[first, answer.clone(), summary, answer]), Some("claude-code")));
    assert_eq!(inside.calls_unrecorded, None);
}

#[test]
fn a_transcript_tells_its_cost() {
    let log = lines(&[
        json!({"type": "user", "sessionId": "s", "uuid": "1", "message": {"role": "user", "content": "hi"}}),
        json!({"type": "api-request", "sessionId": "s", "params": {"model": "m", "tools": [{"name": "Bash"}]}}),
        json!({"type": "assistant", "sessionId": "s", "uuid": "2", "message": {"role": "assistant", "id": "m", "content": [{"type": "text", "text": "Done."}]}}),
        json!({"type": "tools-used", "sessionId": "s", "tools": []}),
        json!({"type": "cost-state", "sessionId": "s", "totalCostUSD": 0.25, "modelUsage": {"m": {}}}),
    ]);
    let run = only_run(read_text(&log, Some("claude-code")));
    assert_eq!((run.cost_usd, run.unread.len()), (Some(0.25), 0));
}

#[test]
fn a_call_that_waits_for_input_is_one_call_with_its_retry() {
    let call = |id: u64, more: Json| {
        let mut params = json!({"name": "deploy", "arguments": {"to": "prod"}});
        params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let answer = |id: u64, result: Json| json!({"jsonrpc": "2.0", "id": id, "result": result});
    let asks = |state: Json| json!({"resultType": "input_required", "requestState": state, "inputRequests": {"sure": {"method": "elicitation/create"}}});
    let done = json!({"resultType": "complete", "content": [{"type": "text", "text": "ok"}]});
    for (state, retry) in [
        (json!("s1"), json!({"requestState": "s1", "inputResponses": {"sure": {"action": "accept"}}})),
        (Json::Null, json!({"inputResponses": {"sure": {"action": "accept"}}})),
    ] {
        let log = lines(&[
            call(1, json!({})),
            answer(1, asks(state.clone())),
            call(2, retry),
            answer(2, done.clone()),
        ]);
        let run = only_run(read_text(&log, None));
        assert_eq!((run.calls.len(), run.calls[0].status), (1, CallStatus::Ok), "{state}");
        let waiting = only_run(read_text(&lines(&[call(1, json!({})), answer(1, asks(state))]), None));
        assert_eq!(waiting.calls[0].status, CallStatus::Unanswered);
    }
}

#[test]
fn a_task_has_the_status_of_its_last_answer() {
    let rpc = |id: u64, method: &str, params: Json| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let answer = |id: u64, result: Json| json!({"jsonrpc": "2.0", "id": id, "result": result});
    let status = |word: &str| {
        let log = lines(&[
            rpc(1, "tools/call", json!({"name": "build", "arguments": {}})),
            answer(1, json!({"task": {"taskId": "t", "status": "working"}})),
            rpc(2, "tasks/get", json!({"taskId": "t"})),
            answer(2, json!({"taskId": "t", "status": word})),
        ]);
        only_run(read_text(&log, None)).calls[0].status
    };
    assert_eq!(status("working"), CallStatus::Unanswered);
    assert_eq!(status("completed"), CallStatus::Ok);
    assert_eq!(status("failed"), CallStatus::Error);
    assert_eq!(status("stalled"), CallStatus::Unknown);
}

#[test]
fn an_empty_last_text_of_agent_framework_is_an_answer() {
    let content = |text: Json| {
        json!({"messages": [
        {"role": "user", "contents": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "contents": [text]}]})
    };
    let run = only_run(read(&content(json!({"type": "text", "text": ""}))));
    assert_eq!((run.answer.as_deref(), run.unread.len()), (Some(""), 0));
    let renamed = only_run(read(&content(json!({"type": "text", "text_v2": "Done."}))));
    assert_eq!(renamed.unread.len(), 1);
}

/// A model that streams ends its events with all pieces joined, and then its tools run.
#[test]
fn events_of_a_streamed_model_have_each_call_once() {
    let message = |class: &str, fields: Json| json!({"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", class], "kwargs": fields});
    let event = |kind: &str, run: &str, data: Json| json!({"event": kind, "run_id": run, "name": "get_order", "metadata": {}, "data": data});
    let chunk = message(
        "AIMessageChunk",
        json!({"id": "m1", "content": "", "tool_call_chunks": [
        {"name": "get_order", "args": "{\"id\":7}", "id": "c", "index": 0, "type": "tool_call_chunk"}]}),
    );
    let answer = message(
        "ToolMessage",
        json!({"content": "ok", "tool_call_id": "c", "name": "get_order", "status": "success"}),
    );
    let log = lines(&[
        event(
            "on_chat_model_start",
            "r1",
            json!({"input": {"messages": [[message("HumanMessage", json!({"content": "hi", "id": "h"}))]]}}),
        ),
        event("on_chat_model_stream", "r1", json!({"chunk": chunk})),
        event("on_chat_model_end", "r1", json!({"output": chunk})),
        event("on_tool_start", "r2", json!({"input": {"id": 7}})),
        event("on_tool_end", "r2", json!({"output": answer})),
        event(
            "on_chat_model_end",
            "r3",
            json!({"output": message("AIMessageChunk", json!({"id": "m2", "content": "Done."}))}),
        ),
    ]);
    let run = only_run(read_text(&log, None));
    assert_eq!((run.calls.len(), run.answer.as_deref()), (1, Some("Done.")));
    assert_eq!(run.calls[0].status, CallStatus::Ok);
}

#[test]
fn a_step_of_the_ai_sdk_that_stopped_for_calls_of_which_none_was_read_is_unread() {
    let run = only_run(read_text(
        r#"{"type": "start"}
{"type": "start-step", "request": {}, "warnings": []}
{"type": "tool-input-delta", "id": "c1", "delta": "{\"id\":7}"}
{"type": "tool-input-end", "id": "c1"}
{"type": "finish-step", "response": {"modelId": "m"}, "usage": {"inputTokens": 9, "outputTokens": 5, "totalTokens": 14}, "finishReason": "tool-calls"}
{"type": "start-step", "request": {}, "warnings": []}
{"type": "text-start", "id": "t"}
{"type": "text-delta", "id": "t", "text": "Done."}
{"type": "text-end", "id": "t"}
{"type": "finish-step", "response": {"modelId": "m"}, "usage": {"inputTokens": 9, "outputTokens": 2, "totalTokens": 11}, "finishReason": "stop"}
{"type": "finish", "finishReason": "stop", "totalUsage": {"inputTokens": 18, "outputTokens": 7, "totalTokens": 25}}"#,
        None,
    ));
    assert!(run.calls.is_empty() && !run.unread.is_empty(), "{:?}", run.unread);
}
