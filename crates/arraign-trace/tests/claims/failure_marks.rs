//! What says that a call failed: every reader knows every spelling, and a mark that it does not know is no success.

use arraign_trace::reader;
use arraign_trace::trace::{CallStatus, Results, StatusMark, Trace};

/// A run with one call `f`, by format. `MARK` stands where the record of the result has more keys.
const RUNS: &[(&str, &str)] = &[
    (
        "acp",
        r#"{"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "F", "name": "f"}}
        {"sessionId": "s", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawOutput": "x"MARK}}"#,
    ),
    (
        "ag-ui",
        r#"{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
        {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"}
        {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "m", "content": "x"MARK}"#,
    ),
    (
        "anthropic",
        r#"[{"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"MARK}]}]"#,
    ),
    (
        "atif",
        r#"{"schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "a", "version": "1"}, "steps": [
        {"step_id": 1, "source": "agent", "message": "",
        "tool_calls": [{"tool_call_id": "c", "function_name": "f", "arguments": {}}],
        "observation": {"results": [{"source_call_id": "c", "content": "x", "extra": {"k": 1MARK}}]}}]}"#,
    ),
    (
        "bedrock",
        r#"[{"role": "assistant", "content": [{"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": [{"text": "x"}]MARK}}]}]"#,
    ),
    (
        "claude-code",
        r#"{"type": "assistant", "sessionId": "s", "uuid": "u", "message": {"id": "m", "role": "assistant",
        "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}}
        {"type": "user", "sessionId": "s", "uuid": "v", "message": {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x"MARK}]}}"#,
    ),
    (
        "codex",
        r#"{"type": "thread.started", "thread_id": "t"}
        {"type": "item.completed", "item": {"id": "i", "type": "mcp_tool_call", "server": "s", "tool": "f",
        "arguments": {}, "result": {"content": [{"type": "text", "text": "x"}]}MARK}}"#,
    ),
    (
        "copilot",
        r#"{"type": "tool.execution_start", "id": "1", "data": {"toolCallId": "c", "toolName": "f", "arguments": {}}}
        {"type": "tool.execution_complete", "id": "2", "data": {"toolCallId": "c", "result": {"content": "x"}MARK}}"#,
    ),
    (
        "episodes",
        r#"{"type": "episode_start", "episode_id": "e", "timestamp": 1, "input": {"prompt": "q"}}
        {"type": "tool_call", "episode_id": "e", "step_id": "s", "timestamp": 2, "tool_name": "f", "args": {},
        "result": "x"MARK}
        {"type": "episode_end", "episode_id": "e", "timestamp": 3, "outcome": "pass"}"#,
    ),
    (
        "evalview",
        r#"{"session_id": "s", "start_time": "2026-11-21T20:00:00", "end_time": "2026-11-21T20:00:01",
        "steps": [{"step_id": "c", "tool_name": "f", "parameters": {}, "output": "x"MARK}], "final_output": "a"}"#,
    ),
    (
        "gemini",
        r#"{"contents": [{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"result": "x"}MARK}}]}]}"#,
    ),
    (
        "gemini-cli",
        r#"{"type": "init", "session_id": "s", "model": "m"}
        {"type": "tool_use", "tool_name": "f", "tool_id": "c", "parameters": {}}
        {"type": "tool_result", "tool_id": "c", "output": "x"MARK}"#,
    ),
    (
        "inspect",
        r#"{"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}, "samples": [{"id": 1, "epoch": 1,
        "input": "q", "messages": [{"role": "assistant", "content": "",
        "tool_calls": [{"id": "c", "function": "f", "arguments": {}, "type": "function"}]},
        {"role": "tool", "tool_call_id": "c", "function": "f", "content": "x"MARK}]}]}"#,
    ),
    (
        "langchain",
        r#"[{"type": "ai", "data": {"content": "", "tool_calls": [{"name": "f", "args": {}, "id": "c"}], "type": "ai"}},
        {"type": "tool", "data": {"content": "x", "tool_call_id": "c", "type": "tool"MARK}}]"#,
    ),
    (
        "llamaindex",
        r#"{"tool_name": "f", "tool_kwargs": {}, "tool_id": "c", "tool_output": {"tool_name": "f",
        "blocks": [{"block_type": "text", "text": "x"}], "raw_output": "x"MARK}}"#,
    ),
    (
        "maf",
        r#"{"messages": [{"role": "assistant", "contents": [{"type": "function_call", "call_id": "c", "name": "f",
        "arguments": "{}"}]}, {"role": "tool", "contents": [{"type": "function_result", "call_id": "c",
        "result": "x"MARK}]}]}"#,
    ),
    (
        "mcp",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f", "arguments": {}}}
        {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "x"}]MARK}}"#,
    ),
    (
        "mcplab",
        r#"{"type": "trace_meta", "trace_version": 3, "run_id": "r", "ts": "2026-11-21T20:00:00.000Z"}
        {"type": "scenario_run", "trace_version": 3, "run_index": 0, "scenario_id": "s", "agent": "a",
        "messages": [{"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
        {"role": "tool", "content": [{"type": "tool_result", "tool_use_id": "c",
        "content": [{"type": "text", "text": "x"}]MARK}]}]}"#,
    ),
    (
        "openai-chat",
        r#"[{"role": "user", "content": "q"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c",
        "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "x"MARK}]"#,
    ),
    (
        "openai-responses",
        r#"[{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"MARK}]"#,
    ),
    (
        "opencode",
        r#"{"info": {"id": "ses_1"}, "messages": [{"info": {"id": "msg_1", "role": "assistant", "sessionID": "ses_1"},
        "parts": [{"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1", "type": "tool", "callID": "c",
        "tool": "f", "state": {"input": {}, "output": "x"MARK}}]}]}"#,
    ),
    (
        "pi",
        r#"{"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-22T19:01:31.607Z", "cwd": "/"}
        {"type": "message", "id": "1", "parentId": null, "timestamp": "2026-11-22T19:01:32.000Z",
        "message": {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "f", "arguments": {}}]}}
        {"type": "message", "id": "2", "parentId": "1", "timestamp": "2026-11-22T19:01:33.000Z",
        "message": {"role": "toolResult", "toolCallId": "c", "toolName": "f",
        "content": [{"type": "text", "text": "x"}]MARK}}"#,
    ),
    (
        "pydantic-ai",
        r#"[{"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": {},
        "tool_call_id": "c"}]}, {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "f",
        "tool_call_id": "c", "content": "x"MARK}]}]"#,
    ),
    (
        "qwen-code",
        r#"{"uuid": "1", "parentUuid": null, "sessionId": "s", "type": "assistant", "cwd": "/", "version": "0.15.10",
        "message": {"role": "model", "parts": [{"functionCall": {"id": "c", "name": "f", "args": {}}}]}}
        {"uuid": "2", "parentUuid": "1", "sessionId": "s", "type": "tool_result", "cwd": "/", "version": "0.15.10",
        "message": {"role": "user", "parts": [{"functionResponse": {"id": "c", "name": "f",
        "response": {"output": "x"}}}]}, "toolCallResult": {"callId": "c"MARK}}"#,
    ),
    (
        "rig",
        r#"[{"role": "assistant", "content": [{"type": "toolcall", "id": {"provider": "c"},
        "function": {"name": "f", "arguments": {}}}]},
        {"role": "user", "content": [{"type": "toolresult", "call": {"provider": "c"}, "name": "f",
        "content": [{"type": "text", "text": "x"}]MARK}]}]"#,
    ),
    (
        "run-lines",
        r#"{"prompt": "q", "response": "a", "tool_calls": [{"id": "c", "tool_name": "f", "args": {}, "result": "x"MARK}]}"#,
    ),
    (
        "semantic-kernel",
        r#"{"messages": [{"content_type": "message", "role": "assistant", "items": [{"content_type": "function_call",
        "id": "c", "function_name": "f", "plugin_name": "P", "arguments": "{}"}]},
        {"content_type": "message", "role": "tool", "items": [{"content_type": "function_result", "id": "c",
        "function_name": "f", "result": "x"MARK}]}]}"#,
    ),
    (
        "tool-events",
        r#"{"type": "tool_call", "id": "c", "tool": "f", "arguments": {}}
        {"type": "tool_result", "id": "c", "result": "x"MARK}"#,
    ),
    (
        "vercel-ai",
        r#"{"steps": [{"stepNumber": 0, "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "f", "input": {}},
        {"type": "tool-result", "toolCallId": "c", "toolName": "f", "output": "x"MARK}], "finishReason": "stop"}]}"#,
    ),
];

/// Marks of failure in the spellings of all writers.
const FAILED: &[&str] = &[
    r#""is_error": true"#,
    r#""isError": true"#,
    r#""is_error": "true""#,
    r#""isError": "True""#,
    r#""tool_call_error": true"#,
    r#""toolCallError": true"#,
    r#""status": "error""#,
    r#""status": "failed""#,
    r#""status": "failure""#,
    r#""status": "ERROR""#,
    r#""status": "declined""#,
    r#""status": "cancelled""#,
    r#""outcome": "failed""#,
    r#""outcome": "denied""#,
    r#""error": "no route""#,
    r#""error": {"message": "no route"}"#,
    r#""errors": ["no route"]"#,
    r#""errorMessage": "no route""#,
    r#""exception": "ValueError""#,
    r#""success": false"#,
    r#""success": "false""#,
    r#""exit_code": 1"#,
    r#""exitCode": 1"#,
    // A program may be complete without success.
    r#""status": "completed", "exit_code": 1"#,
];

/// Marks of success.
const WORKED: &[&str] = &[
    r#""is_error": false"#,
    r#""isError": "false""#,
    r#""tool_call_error": false"#,
    r#""status": "success""#,
    r#""outcome": "succeeded""#,
    r#""success": true"#,
    r#""exit_code": 0"#,
    r#""is_error": false, "error": null"#,
];

/// Marks that no reader knows, or that a later version may write.
const UNCLEAR: &[&str] = &[
    r#""status": "failed_v2""#,
    r#""status": "success", "error_v2": "no route""#,
    r#""is_error": "maybe""#,
    r#""outcome": "x""#,
    r#""outcome": {"type": "x"}"#,
    r#""is_error_v2": true"#,
    r#""hasFailed": true"#,
    r#""toolFailure": {"message": "no route"}"#,
    r#""error_v2": "no route""#,
    r#""future_error": {"message": "no route"}"#,
    r#""success_v2": false"#,
    r#""status_v2": "error""#,
    r#""resultOutcome": "x""#,
    r#""exitCode_v2": 1"#,
];

/// Keys that mark nothing.
const UNMARKED: &[&str] = &[
    r#""k": 1"#,
    r#""error": null"#,
    r#""errors": []"#,
    r#""status": null"#,
    r#""error_count": 0"#,
    r#""errorCount": 3"#,
    r#""error_v2": null"#,
    r#""error_v2": false"#,
    r#""status_v2": "success""#,
    r#""status_message": "It has shipped.""#,
    r#""success_v2": true"#,
    r#""continue_on_fail": true"#,
];

/// Reads the run of a format with a mark beside the result, and returns it.
fn read_marked(format: &str, run: &str, mark: &str) -> Trace {
    let text = run.replace("MARK", &format!(", {mark}"));
    let mut runs =
        reader::read(&text, Some(format)).unwrap_or_else(|error| panic!("{format} {mark}: {error}")).runs;
    assert_eq!((runs.len(), runs[0].calls.len()), (1, 1), "{format} {mark}");
    runs.remove(0)
}

/// Asserts the status of the call with each of these marks, in each format.
fn assert_each(marks: &[&str], is_right: impl Fn(&str, CallStatus, &StatusMark) -> bool) {
    let mut wrong = Vec::new();
    for (format, run) in RUNS {
        for mark in marks {
            let call = read_marked(format, run, mark).calls.remove(0);
            if !is_right(format, call.status, &call.status_mark) {
                wrong.push(format!("{format} {mark}: {:?} {:?}", call.status, call.status_mark));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn each_format_reads_each_spelling_of_a_failure() {
    assert_each(FAILED, |_, status, mark| status == CallStatus::Error && mark.is_recorded());
}

#[test]
fn each_format_reads_each_spelling_of_a_success() {
    assert_each(WORKED, |_, status, mark| status == CallStatus::Ok && mark.is_recorded());
}

#[test]
fn a_mark_that_is_not_known_is_no_success_in_any_format() {
    assert_each(UNCLEAR, |_, status, mark| {
        status == CallStatus::Unknown && matches!(mark, StatusMark::Unclear(_))
    });
}

/// Formats that record nothing about the success of a tool: a result without a mark says nothing.
const WITHOUT_MARKS: &[&str] =
    &["ag-ui", "atif", "bedrock", "langchain", "openai-chat", "openai-responses", "tool-events"];

#[test]
fn a_result_without_a_mark_worked_only_if_its_format_marks_failures() {
    assert_each(UNMARKED, |format, status, mark| match format {
        "acp" | "opencode" => status == CallStatus::Unanswered,
        "copilot" => status == CallStatus::Unknown && matches!(mark, StatusMark::Unclear(_)),
        format if WITHOUT_MARKS.contains(&format) => status == CallStatus::Unknown && mark.is_recorded(),
        _ => status == CallStatus::Ok && *mark == StatusMark::Inferred,
    });
}

#[test]
fn each_reader_of_results_is_in_the_table() {
    // These have no results of tools, are read by other readers, or have marks of their own kind.
    let others = ["a2a", "adk", "model-exchanges", "native", "otel"];
    let missing: Vec<&str> = reader::READERS
        .iter()
        .map(|reader| reader.name)
        .filter(|name| !others.contains(name) && RUNS.iter().all(|(format, _)| format != name))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn a_message_says_which_mark_is_not_understood() {
    let (format, run) = RUNS[1];
    let why = |mark: &str| match read_marked(format, run, mark).calls.remove(0).status_mark {
        StatusMark::Unclear(why) => why,
        other => panic!("{mark}: {other:?}"),
    };
    assert_eq!(why(r#""status": "failed_v2""#), "`status` is `failed_v2`");
    assert_eq!(why(r#""is_error_v2": true"#), "`is_error_v2` is `true`");
    assert_eq!(why(r#""error_v2": {"message": "no"}"#), "`error_v2` is set");
    assert_eq!(why(r#""error": """#), "`error` is empty");
}

/// The results of one call `c` after each other, in formats that find a call by its id.
fn run_with_results(format: &str, marks: [&str; 2]) -> Trace {
    let results = |result: &dyn Fn(&str) -> String| marks.map(result).join(",");
    let text = if format == "anthropic" {
        let results = results(&|mark| {
            format!(r#"{{"type": "tool_result", "tool_use_id": "c", "content": "x"{mark}}}"#)
        });
        format!(
            r#"[{{"role": "assistant", "content": [{{"type": "tool_use", "id": "c", "name": "f", "input": {{}}}}]}},
                {{"role": "user", "content": [{results}]}}]"#
        )
    } else {
        let results =
            results(&|mark| format!(r#"{{"role": "tool", "tool_call_id": "c", "content": "x"{mark}}}"#));
        format!(
            r#"[{{"role": "assistant", "content": null, "tool_calls": [{{"id": "c", "type": "function",
                "function": {{"name": "f", "arguments": "{{}}"}}}}]}}, {results}]"#
        )
    };
    reader::read(&text, Some(format)).expect("a run").runs.remove(0)
}

#[test]
fn two_results_that_differ_in_their_mark_are_unclear() {
    let failed = r#", "is_error": true"#;
    let worked = r#", "is_error": false"#;
    for format in ["anthropic", "openai-chat"] {
        for marks in [[failed, worked], [worked, failed], ["", failed], [failed, ""]] {
            let call = run_with_results(format, marks).calls.remove(0);
            assert_eq!(call.status, CallStatus::Unknown, "{format} {marks:?}");
            let why = StatusMark::Unclear("two results differ in whether it failed".to_owned());
            assert_eq!(call.status_mark, why, "{format} {marks:?}");
        }
        for (marks, expected) in [([failed, failed], CallStatus::Error), ([worked, worked], CallStatus::Ok)] {
            let call = run_with_results(format, marks).calls.remove(0);
            assert_eq!(
                (call.status, call.status_mark),
                (expected, StatusMark::Recorded),
                "{format} {marks:?}"
            );
        }
    }
}

#[test]
fn a_response_that_is_but_an_error_by_another_name_is_unclear() {
    let run = |response: &str| {
        let text = format!(
            r#"{{"contents": [{{"role": "model", "parts": [{{"functionCall": {{"name": "f", "args": {{}}}}}}]}},
            {{"role": "user", "parts": [{{"functionResponse": {{"name": "f", "response": {response}}}}}]}}]}}"#
        );
        let call = reader::read(&text, Some("gemini")).expect("a run").runs.remove(0).calls.remove(0);
        (call.status, matches!(call.status_mark, StatusMark::Unclear(_)))
    };
    assert_eq!(run(r#"{"error": "no route"}"#), (CallStatus::Error, false));
    assert_eq!(run(r#"{"error_v2": "no route"}"#), (CallStatus::Unknown, true));
    assert_eq!(run(r#"{"error_rate": 0.5}"#), (CallStatus::Ok, false));
    assert_eq!(run(r#"{"error_log": "none"}"#), (CallStatus::Ok, false));
    // The rest of a response is data of the tool.
    assert_eq!(run(r#"{"status": "failed_v2", "job": 7}"#), (CallStatus::Ok, false));
}

#[test]
fn the_exit_code_of_a_shell_is_its_failure() {
    let log = |output: &str| {
        let text = format!(
            r#"{{"contents": [{{"role": "model", "parts": [{{"functionCall": {{"name": "run_shell_command", "args": {{}}}}}}]}},
            {{"role": "user", "parts": [{{"functionResponse": {{"name": "run_shell_command", "response": {{"output": "{output}"}}}}}}]}}]}}"#
        );
        let call = reader::read(&text, Some("gemini")).expect("a run").runs.remove(0).calls.remove(0);
        (call.status, call.exit_code)
    };
    assert_eq!(log(r"Output: no such file\nExit Code: 1\n"), (CallStatus::Error, Some(1)));
    assert_eq!(log(r"Output: fine\n"), (CallStatus::Ok, None));
    let session = |output: &str| {
        let text = format!(
            r#"{{"sessionId": "s", "projectHash": "h", "startTime": "2026-11-22T19:01:31.607Z", "messages": [{{"id": "1",
            "type": "gemini", "content": "", "toolCalls": [{{"id": "c", "name": "run_shell_command", "args": {{}},
            "status": "success", "result": [{{"functionResponse": {{"id": "c", "name": "run_shell_command",
            "response": {{"output": "{output}"}}}}}}]}}]}}]}}"#
        );
        let call = reader::read(&text, Some("gemini-cli")).expect("a run").runs.remove(0).calls.remove(0);
        (call.status, call.exit_code)
    };
    assert_eq!(session(r"Output: no such file\nExit Code: 1\n"), (CallStatus::Error, Some(1)));
    assert_eq!(session(r"Output: fine\n"), (CallStatus::Ok, None));
}

#[test]
fn a_span_of_a_tool_was_answered_and_its_status_says_how() {
    let run = |status: &str, more: &str| {
        let text = format!(
            r#"{{"resourceSpans": [{{"scopeSpans": [{{"spans": [{{"traceId": "t", "spanId": "s", "name": "execute_tool f",
            "startTimeUnixNano": "1", "endTimeUnixNano": "2", {more} "status": {status}, "attributes": [{{"key":
            "gen_ai.operation.name", "value": {{"stringValue": "execute_tool"}}}}]}}]}}]}}]}}"#
        );
        let call = reader::read(&text, None).expect("a span").runs.remove(0).calls.remove(0);
        (call.status, call.status_mark)
    };
    let unclear = |why: &str| (CallStatus::Unknown, StatusMark::Unclear(why.to_owned()));
    assert_eq!(run(r#"{"code": "STATUS_CODE_OK"}"#, ""), (CallStatus::Ok, StatusMark::Recorded));
    assert_eq!(run(r#"{"code": 1}"#, ""), (CallStatus::Ok, StatusMark::Recorded));
    // Without its content, a span does not say whether the tool reported a failure.
    let result = r#""events": [{"name": "gen_ai.choice", "attributes": [{"key": "message",
        "value": {"stringValue": "shipped"}}]}],"#;
    for unset in ["{}", r#"{"code": 0}"#, r#"{"code": "STATUS_CODE_UNSET"}"#, "null"] {
        assert_eq!(run(unset, ""), (CallStatus::Unknown, StatusMark::Recorded), "{unset}");
        assert_eq!(run(unset, result), (CallStatus::Ok, StatusMark::Inferred), "{unset}");
    }
    assert_eq!(run(r#"{"code": 2}"#, ""), (CallStatus::Error, StatusMark::Recorded));
    assert_eq!(run(r#"{"code": "STATUS_CODE_ERROR"}"#, ""), (CallStatus::Error, StatusMark::Recorded));
    assert_eq!(run(r#"{"code": 3}"#, ""), unclear("`code` is `3`"));
    assert_eq!(run(r#"{"code_v2": 2}"#, ""), unclear("`code_v2` is set"));
    let event = r#""events": [{"name": "exception_v2", "attributes": []}],"#;
    assert_eq!(run("{}", event), unclear("`exception_v2` is set"));
}

#[test]
fn a_log_of_replies_alone_does_not_record_results() {
    let call = r#"{"id": "r", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "finish_reason":
        "tool_calls", "message": {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function",
        "function": {"name": "f", "arguments": "{}"}}]}}]}"#
        .replace('\n', " ");
    let results = |text: &str| {
        let run = reader::read(text, None).expect("a log").runs.remove(0);
        assert_eq!(run.calls[0].status, CallStatus::Unanswered);
        run.results
    };
    assert_eq!(results(&call), Results::NotRecorded);
    let request = r#"{"model": "m", "messages": [{"role": "user", "content": "q"}]}"#;
    assert_eq!(results(&format!(r#"{{"request": {request}, "response": {call}}}"#)), Results::NotRecorded);
    let gemini = r#"{"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}}]}"#;
    assert_eq!(results(gemini), Results::NotRecorded);
    let asked = r#"{"contents": [{"role": "user", "parts": [{"text": "q"}]}]}"#;
    assert_eq!(results(&format!(r#"{{"request": {asked}, "response": {gemini}}}"#)), Results::NotRecorded);
    let messages = r#"[{"role": "user", "content": "q"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c",
        "type": "function", "function": {"name": "f", "arguments": "{}"}}]}]"#;
    assert_eq!(results(messages), Results::NotRecorded);
    // A second turn had the results of the first.
    let further = messages.replace("}}]}]", "}}]}, {\"role\": \"assistant\", \"content\": \"Done.\"}]");
    assert_eq!(results(&further), Results::Recorded);
    let output = r#"{"response": {"role": "assistant", "blocks": [{"block_type": "text", "text": "a"}]}, "tool_calls":
        [{"tool_name": "f", "tool_kwargs": {}, "tool_id": "c"}], "current_agent_name": "a"}"#;
    assert_eq!(results(output), Results::NotRecorded);
}
