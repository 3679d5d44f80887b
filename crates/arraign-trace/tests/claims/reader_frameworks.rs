//! What the readers of agent frameworks make of runs that went wrong, and what they say of files that they cannot read.

use arraign_trace::reader::{self, TraceProblem};
use arraign_trace::trace::{CallStatus, Trace};

fn runs(text: &str) -> Vec<Trace> {
    reader::read(text, None).unwrap_or_else(|error| panic!("{error}")).runs
}

fn error(text: &str) -> String {
    reader::read(text, None).expect_err(text).to_string()
}

#[test]
fn spans_that_are_no_agents_say_what_is_missing() {
    let span = r#"{"traceId":"a","spanId":"b","name":"GET /","startTimeUnixNano":"1","attributes":[]}"#;
    assert_eq!(
        error(&format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span}]}}]}}]}}"#)),
        "otel: no span in it is a model's, a tool's or an agent's: there is no `gen_ai.operation.name`, \
         `openinference.span.kind` or `langfuse.observation.type`"
    );
    assert_eq!(error(r#"{"resourceSpans":[{"scopeSpans":[{"spans":[]}]}]}"#), "otel: there is no span in it");
    let logs = reader::read(r#"{"resourceLogs":[]}"#, None).expect_err("no run");
    let TraceProblem::Unknown(declined) = logs.problem else { panic!("it is unknown") };
    let reason = declined.iter().find(|one| one.format == "otel").map(|one| one.reason.as_str());
    assert_eq!(reason, Some("there are logs or metrics in it, but neither spans nor messages"));
    assert_eq!(
        error(r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":7}]}]}]}"#),
        "otel: /resourceSpans/0/scopeSpans/0/spans/0/traceId: a string is expected here, not a number"
    );
}

#[test]
fn spans_that_are_their_own_parents_end() {
    let span = |id: &str, parent: &str| {
        format!(
            r#"{{"traceId":"t","spanId":"{id}","parentSpanId":"{parent}","name":"f","startTimeUnixNano":"1",
            "attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"execute_tool"}}}}]}}"#
        )
    };
    let spans = [span("a", "b"), span("b", "a"), span("c", "c")].join(",");
    let run = runs(&format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#)).remove(0);
    assert!(run.calls.len() <= 3);
}

#[test]
fn the_head_of_an_inspect_log_is_no_log() {
    let problem = "inspect: the log has no `samples`: it is but its head";
    assert_eq!(error(r#"{"version":2,"eval":{"model":"m"},"samples":null}"#), problem);
}

#[test]
fn a_mistake_in_a_frameworks_file_has_its_place() {
    let call = r#"{"type":"tool-call","toolCallId":"c","input":{}}"#;
    assert_eq!(
        error(&format!(r#"{{"steps":[{{"stepNumber":0,"content":[{call}],"finishReason":"stop"}}]}}"#)),
        "vercel-ai: /steps/0/content/0: `toolName` is missing"
    );
    assert_eq!(
        error(
            "{\"invocationId\":\"i\",\"author\":\"user\"}\n{\"invocationId\":\"i\",\"author\":\"shop\",\"content\":{\"parts\":3}}"
        ),
        "adk: line 2: /content/parts: a list is expected here, not a number"
    );
    let part = r#"{"part_kind":"tool-call","args":"{}","tool_call_id":"c"}"#;
    assert_eq!(
        error(&format!(r#"[{{"kind":"response","parts":[{part}]}}]"#)),
        "pydantic-ai: /0/parts/0: `tool_name` is missing"
    );
}

#[test]
fn a_denied_call_is_an_attempt_that_failed() {
    let part = |state: &str| {
        format!(
            r#"[{{"id":"m","role":"assistant","parts":[{{"type":"step-start"}},
            {{"type":"tool-refund","toolCallId":"c","state":"{state}","input":{{"id":7}}}}]}}]"#
        )
    };
    let denied = runs(&part("output-denied")).remove(0);
    assert_eq!((denied.calls[0].name.as_str(), denied.calls[0].status), ("refund", CallStatus::Error));
    assert_eq!(denied.calls[0].error.as_deref(), Some("execution denied"));
    assert_eq!(runs(&part("approval-requested")).remove(0).calls[0].status, CallStatus::Unanswered);
    let output = r#"{"type":"execution-denied","reason":"not on Sundays"}"#;
    let messages = format!(
        r#"[{{"role":"assistant","content":[{{"type":"tool-call","toolCallId":"c","toolName":"refund","input":{{}}}}]}},
        {{"role":"tool","content":[{{"type":"tool-result","toolCallId":"c","toolName":"refund","output":{output}}}]}}]"#
    );
    assert_eq!(runs(&messages)[0].calls[0].error.as_deref(), Some("not on Sundays"));
}

#[test]
fn a_stream_that_was_cut_has_the_calls_that_were_made() {
    let lines = [
        r#"{"type":"start"}"#,
        r#"{"type":"start-step"}"#,
        r#"{"type":"tool-input-start","toolCallId":"c","toolName":"f"}"#,
        r#"{"type":"tool-input-available","toolCallId":"c","toolName":"f","input":{"a":1}}"#,
        r#"{"type":"tool-output-available","toolCallId":"c","output":"so far","preliminary":true}"#,
        r#"{"type":"error","errorText":"connection lost"}"#,
    ];
    let run = runs(&lines.join("\n")).remove(0);
    assert_eq!((run.calls.len(), run.calls[0].status), (1, CallStatus::Unanswered));
    assert_eq!(run.stop_reason.as_deref(), Some("error: connection lost"));
    assert_eq!(run.answer, None);
}

#[test]
fn a_session_of_gemini_cli_is_read_as_it_was_last_written() {
    let head = r#"{"sessionId":"s","projectHash":"h"}"#;
    let message = |tools: &str| format!(r#"{{"id":"m","type":"gemini","content":"","toolCalls":[{tools}]}}"#);
    let call = r#"{"id":"c","name":"run_shell_command","args":{"command":"make"},"status":"success",
        "result":[{"functionResponse":{"response":{"output":"Output: no\nExit Code: 2\nSignal: none"}}}]}"#;
    let text = [head, &message(""), &message(&call.replace('\n', ""))].join("\n");
    let run = runs(&text).remove(0);
    assert_eq!((run.calls.len(), run.calls[0].exit_code), (1, Some(2)));
}

#[test]
fn states_deep_in_a_document_are_found_and_leave_other_formats_alone() {
    let message = r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],
        "kwargs":{"content":"hi","type":"ai"}}"#;
    let deep = format!(r#"{{"a":{{"b":{{"c":{{"d":{{"messages":[{message}]}}}}}}}}}}"#);
    assert_eq!(runs(&deep)[0].answer.as_deref(), Some("hi"));
    let native = format!(r#"{{"steps":[{{"call":"f","result":{{"log":{{"messages":[{message}]}}}}}}]}}"#);
    assert_eq!(reader::read(&native, None).expect("a native trace").format, "native");
}

#[test]
fn messages_of_converse_are_not_rigs() {
    let messages = r#"[{"role":"user","content":[{"text":"hi"}]},
        {"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{}}}]}]"#;
    let recording = reader::read(messages, None).expect("a conversation");
    assert_eq!((recording.format, recording.runs[0].calls.len()), ("bedrock", 1));
    let text =
        r#"[{"role":"user","content":[{"text":"hi"}]},{"role":"assistant","content":[{"text":"ho"}]}]"#;
    assert_eq!(reader::read(text, None).expect("a conversation").format, "bedrock");
    let forced = reader::read(messages, Some("rig")).expect_err("no conversation of rig");
    assert_eq!(forced.to_string(), "rig: /1/content/0: `type` is missing");
}

#[test]
fn a_mistake_in_a_log_of_converse_has_its_place() {
    let record = r#"{"request":{"modelId":"m","messages":[]},"response":{"output":{"message":{"role":"assistant",
        "content":[{"toolUse":{"input":{}}}]}}}}"#;
    assert_eq!(error(record), "bedrock: /response/output/message/content/0/toolUse: `name` is missing");
    let record = record.replace(r#""output":{"#, r#""usage":{"inputTokens":-1},"output":{"#);
    assert_eq!(
        error(&record),
        "bedrock: /response/usage/inputTokens: invalid count -1: expected a non-negative integer"
    );
}
