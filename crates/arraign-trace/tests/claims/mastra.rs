//! What is read of Mastra's steps and streams, which repeat each call in several places.

use arraign_trace::json::{Json, json};
use arraign_trace::reader;
use arraign_trace::trace::{CallStatus, Trace};

fn read(text: &str) -> Trace {
    let recording = reader::read(text, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(recording.format, "vercel-ai");
    recording.runs.into_iter().next().expect("a run")
}

fn call(id: &str, name: &str) -> Json {
    json!({"type": "tool-call", "toolCallId": id, "toolName": name, "input": {"id": 7}})
}

fn chunk(id: &str, name: &str) -> Json {
    json!({"type": "tool-call", "from": "AGENT", "payload": {"toolCallId": id, "toolName": name, "args": {"id": 7}}})
}

fn body(calls: &[(&str, &str)]) -> Json {
    let calls = calls.iter().map(|(id, name)| {
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"id\": 7}"}})
    });
    let calls: Vec<Json> = calls.collect();
    json!({"choices": [{"message": {"role": "assistant", "content": null, "tool_calls": calls}}]})
}

/// The step with these calls in its three lists.
fn step(content: &[Json], tool_calls: &[Json], body: &Json) -> Trace {
    let step = json!({"stepType": "initial", "content": content, "toolCalls": tool_calls,
        "finishReason": "tool-calls", "response": {"body": body}});
    read(&json!([step]).to_string())
}

fn unread(run: &Trace) -> Vec<String> {
    run.unread.iter().map(ToString::to_string).collect()
}

#[test]
fn lists_that_agree_are_read_once_and_completely() {
    let run = step(
        &[call("a", "f"), call("b", "g")],
        &[chunk("a", "f"), chunk("b", "g")],
        &body(&[("a", "f"), ("b", "g")]),
    );
    assert_eq!(run.tool_names(), ["f", "g"]);
    assert_eq!((unread(&run), run.calls_unrecorded), (vec![], None));
}

#[test]
fn calls_that_one_list_omits_are_in_the_run_in_their_order_and_the_difference_is_told() {
    let run = step(
        &[call("b", "g"), call("d", "i")],
        &[chunk("a", "f"), chunk("b", "g"), chunk("c", "h"), chunk("d", "i")],
        &body(&[("a", "f"), ("b", "g"), ("c", "h"), ("d", "i"), ("e", "j")]),
    );
    assert_eq!(run.tool_names(), ["f", "g", "h", "i", "j"]);
    assert!(run.calls.iter().all(|call| call.turn == 1 && call.arguments.get("id").is_some()));
    assert_eq!(
        unread(&run),
        [
            "/0/toolCalls/0: a call of `f` that `content` of the same record omits",
            "/0/toolCalls/2: a call of `h` that `content` of the same record omits",
            "/0/response/body/choices/0/message/tool_calls/4: a call of `j` that `content` of the same record omits",
        ]
    );
    let run = step(&[call("a", "f"), call("b", "g")], &[chunk("b", "g")], &Json::Null);
    assert_eq!(unread(&run), ["/0/content/0: a call of `f` that `toolCalls` of the same record omits"]);
}

#[test]
fn a_difference_that_the_user_calls_harmless_does_not_matter() {
    let mut run = step(&[], &[chunk("a", "f")], &Json::Null);
    assert_eq!((run.tool_names(), run.calls_unrecorded.is_some()), (vec!["f"], true));
    run.accept_harmless(&["content".to_owned()]);
    assert_eq!(run.calls_unrecorded, None);
}

#[test]
fn a_tool_that_failed_is_an_error_wherever_its_result_is() {
    let failure = json!({"code": "TOOL_EXECUTION_FAILED", "message": "no route", "details": {}});
    let result =
        |output: &Json| json!({"type": "tool-result", "toolCallId": "a", "toolName": "f", "output": output});
    for output in [
        json!({"type": "json", "value": failure}),
        json!({"type": "error-text", "value": "no route"}),
        failure.clone(),
    ] {
        let run = step(&[call("a", "f"), result(&output)], &[chunk("a", "f")], &Json::Null);
        let status = (run.calls[0].status, run.calls[0].error.as_deref());
        assert_eq!(status, (CallStatus::Error, Some("no route")), "{output}");
    }
    let own = json!({"type": "json", "value": 1, "unit": "EUR"});
    let run = step(&[call("a", "f"), result(&own)], &[], &Json::Null);
    assert_eq!((run.calls[0].status, run.calls[0].result.as_ref()), (CallStatus::Ok, Some(&own)));
}

#[test]
fn a_stream_keeps_the_fields_of_its_parts_in_payloads() {
    let lines = [
        json!({"type": "start", "runId": "r", "from": "AGENT", "payload": {"id": "shop"}}),
        json!({"type": "step-start", "runId": "r", "payload": {"request": {"body":
            "{\"messages\":[{\"role\":\"user\",\"content\":\"Where is order 7?\"}]}"}}}),
        json!({"type": "tool-call-input-streaming-start", "payload": {"toolCallId": "a", "toolName": "f"}}),
        json!({"type": "tool-call-delta", "payload": {"toolCallId": "a", "toolName": "f", "argsTextDelta": "{}"}}),
        chunk("a", "f"),
        chunk("b", "g"),
        json!({"type": "tool-result", "payload": {"toolCallId": "a", "toolName": "f", "result": {"status": "shipped"}}}),
        json!({"type": "tool-error", "payload": {"toolCallId": "b", "toolName": "g", "error": {"message": "no route"}}}),
        json!({"type": "step-finish", "payload": {"stepResult": {"reason": "tool-calls"},
            "output": {"usage": {"inputTokens": 100, "outputTokens": 20}}}}),
        json!({"type": "step-start", "payload": {"request": {}}}),
        json!({"type": "text-delta", "payload": {"id": "t", "text": "It "}}),
        json!({"type": "text-delta", "payload": {"id": "t", "text": "ships."}}),
        json!({"type": "step-finish", "payload": {"stepResult": {"reason": "stop"},
            "output": {"usage": {"inputTokens": 200, "outputTokens": 40}}}}),
        json!({"type": "finish", "payload": {"stepResult": {"reason": "stop"},
            "output": {"usage": {"inputTokens": 300, "outputTokens": 60}}}}),
    ];
    let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let run = read(&text.join("\n"));
    assert_eq!(run.input.as_deref(), Some("Where is order 7?"));
    assert_eq!(run.tool_names(), ["f", "g"]);
    assert_eq!(run.calls[0].result, Some(json!({"status": "shipped"})));
    assert_eq!((run.calls[1].status, run.calls[1].error.as_deref()), (CallStatus::Error, Some("no route")));
    assert_eq!((run.answer.as_deref(), run.stop_reason.as_deref()), (Some("It ships."), Some("stop")));
    assert_eq!(run.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((300, 60)));
    assert_eq!(unread(&run), Vec::<String>::new());
}
