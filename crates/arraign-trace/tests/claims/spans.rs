//! What spans and log records say that came twice, from two libraries, or without their content.

use arraign_trace::json::{Json, json};
use arraign_trace::reader;
use arraign_trace::trace::{Arguments, CallStatus, Trace, UnreadContent};

fn read(records: &[Json]) -> Trace {
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    let recording = reader::read(&lines.join("\n"), None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((recording.format, recording.runs.len()), ("otel", 1));
    recording.runs.into_iter().next().expect("a run")
}

/// A span as a console exporter prints it, which lasted from one of these seconds to the other.
fn span(name: &str, id: &str, (start, end): (u8, u8), attributes: &Json) -> Json {
    let time = |second: u8| format!("2026-11-22T18:57:{second:02}.0Z");
    json!({"name": name, "context": {"trace_id": "0x1", "span_id": id}, "parent_id": "root",
        "start_time": time(start), "end_time": time(end), "status": {}, "attributes": attributes, "events": []})
}

/// The span of a program around its models.
fn root() -> Json {
    span("agent run", "root", (0, 59), &json!({}))
}

fn log(span: &str, second: u8, name: &str, body: &Json) -> Json {
    json!({"body": body, "severity_number": null, "attributes": {}, "trace_id": "0x1", "span_id": span,
        "observed_timestamp": format!("2026-11-22T18:57:{second:02}.0Z"), "event_name": name})
}

/// A model call that says `parts` with 10 output tokens.
fn chat(id: &str, second: u8, parts: &Json) -> Json {
    let output = json!([{"role": "assistant", "parts": parts}]);
    span(
        "chat",
        id,
        (second, second + 1),
        &json!({"gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10,
        "gen_ai.output.messages": output.to_string()}),
    )
}

fn sum_tokens(run: &Trace) -> Option<(u64, u64, bool)> {
    run.usage.map(|usage| (usage.input_tokens, usage.output_tokens, usage.partial))
}

#[test]
fn a_span_that_was_exported_twice_counts_once() {
    let call = json!([{"type": "tool_call", "id": "a", "name": "get_order", "arguments": {"id": 7}}]);
    let spans = [chat("a", 1, &call), chat("b", 3, &json!([{"type": "text", "content": "Shipped."}]))];
    let once = read(&spans);
    let twice = read(&[spans.clone(), spans.clone()].concat());
    assert_eq!((&once.calls, &once.messages, once.usage), (&twice.calls, &twice.messages, twice.usage));
    assert_eq!((twice.calls.len(), sum_tokens(&twice)), (1, Some((200, 20, false))));
    assert_eq!(twice.unread, []);
}

#[test]
fn a_span_that_contradicts_another_one_of_its_id_is_unread() {
    let call = json!([{"type": "tool_call", "id": "b", "name": "delete_order", "arguments": {"id": 9}}]);
    let said = json!([{"type": "text", "content": "Shipped."}]);
    let run = read(&[chat("a", 1, &said), chat("a", 3, &call)]);
    assert_eq!(run.unread[0].what, UnreadContent::RepeatedId("a".to_owned()));
    assert!(run.calls_unrecorded.is_some() && run.answer_doubt().is_some());
    // Spans without ids say nothing about each other.
    assert_eq!(read(&[chat("", 1, &said), chat("", 3, &call)]).unread, []);
}

#[test]
fn a_request_that_the_client_records_beside_its_instrumentation_counts_once() {
    let tokens = |input: u64| {
        json!({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": input,
            "gen_ai.usage.output_tokens": 10, "anthropic.message.stop_reason": "tool_use"})
    };
    let around = span("anthropic.chat", "a", (1, 4), &tokens(100));
    let own = |input| span("anthropic.messages.create", "b", (2, 3), &tokens(input));
    let run = read(&[root(), around.clone(), own(100)]);
    assert_eq!(sum_tokens(&run), Some((100, 10, false)));
    assert_eq!(run.unread.len(), 1);
    assert!(matches!(&run.unread[0].what, UnreadContent::StoppedForCalls(reason) if reason == "tool_use"));
    // Other tokens are another request, and so is a second span of the same library.
    assert_eq!(sum_tokens(&read(&[root(), around.clone(), own(200)])), Some((300, 20, false)));
    let again = span("anthropic.chat", "b", (2, 3), &tokens(100));
    assert_eq!(sum_tokens(&read(&[root(), around, again])), Some((200, 20, false)));
}

#[test]
fn messages_under_the_span_around_the_requests_belong_to_the_models_in_it() {
    let model = |id, times| {
        span(
            "anthropic.chat",
            id,
            times,
            &json!({"gen_ai.operation.name": "chat",
            "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10}),
        )
    };
    let call = json!({"id": "a", "function": {"name": "get_order", "arguments": {"id": 7}}});
    let used = json!([{"type": "tool_use", "id": "a", "name": "get_order", "input": {"id": 7}}]);
    let result =
        json!([{"type": "tool_result", "tool_use_id": "a", "content": "no order", "is_error": true}]);
    let logs = [
        log("root", 1, "gen_ai.user.message", &json!({"content": "Where is order 7?"})),
        log("root", 2, "gen_ai.choice", &json!({"index": 0, "message": {"content": "I look."}})),
        log(
            "root",
            2,
            "gen_ai.choice",
            &json!({"index": 1, "message": {"content": null}, "tool_calls": [call]}),
        ),
        log("root", 4, "gen_ai.user.message", &json!({"content": "Where is order 7?"})),
        log("root", 4, "gen_ai.assistant.message", &json!({"content": used})),
        log("root", 4, "gen_ai.user.message", &json!({"content": result})),
        log("root", 5, "gen_ai.choice", &json!({"index": 0, "message": {"content": "There is none."}})),
    ];
    let spans = [root(), model("a", (1, 3)), model("b", (4, 6))];
    for records in [[&spans[..], &logs[..]].concat(), logs.to_vec()] {
        let run = read(&records);
        let call = &run.calls[0];
        assert_eq!((run.calls.len(), run.unread.len()), (1, 0), "{:#?}", run.unread);
        assert_eq!((call.name.as_str(), call.status), ("get_order", CallStatus::Error));
        assert_eq!(call.arguments, Arguments::Json(json!({"id": 7})));
        assert_eq!(run.answer.as_deref(), Some("There is none."));
    }
    assert_eq!(sum_tokens(&read(&[&spans[..], &logs[..]].concat())), Some((200, 20, false)));
}

#[test]
fn results_without_ids_answer_the_calls_before_them_in_order() {
    let call = |id: &str, order: u64| json!({"id": id, "function": {"name": "get_order", "arguments": json!({"id": order}).to_string()}});
    let calls = json!([call("a", 7), call("b", 8)]);
    let history = |results: &[&str]| {
        let mut logs = vec![
            log("m", 1, "gen_ai.user.message", &json!({"content": "Where are they?"})),
            log("m", 2, "gen_ai.choice", &json!({"message": {"content": null}, "tool_calls": calls})),
            log("n", 3, "gen_ai.user.message", &json!({"content": "Where are they?"})),
            log("n", 3, "gen_ai.assistant.message", &json!({"content": null, "tool_calls": calls})),
        ];
        logs.extend(results.iter().map(|text| log("n", 3, "gen_ai.tool.message", &json!({"content": text}))));
        logs.push(log("n", 4, "gen_ai.choice", &json!({"message": {"content": "Both shipped."}})));
        read(&logs)
    };
    let results =
        |run: &Trace| -> Vec<Option<Json>> { run.calls.iter().map(|call| call.result.clone()).collect() };
    assert_eq!(results(&history(&["one", "two"])), [Some(json!("one")), Some(json!("two"))]);
    // Some writers number calls and results on their own.
    let parts = |parts: Json| json!({"role": "user", "parts": parts});
    let call = json!([{"type": "tool_call", "id": "get_order_1", "name": "get_order", "arguments": {}}]);
    let input = |id: &str| {
        json!([{"role": "assistant", "parts": call},
            parts(json!([{"type": "tool_call_response", "id": id, "response": "shipped"}]))])
    };
    for id in ["get_order_0", "get_order_1"] {
        let mut last = chat("b", 3, &json!([{"type": "text", "content": "It shipped."}]));
        last["attributes"]["gen_ai.input.messages"] = input(id).to_string().into();
        assert_eq!(results(&read(&[chat("a", 1, &call), last])), [Some(json!("shipped"))], "{id}");
    }
    // Which of two calls a single result answers is not recorded.
    assert_eq!(results(&history(&["one"])), [None, None]);
}

#[test]
fn content_that_was_not_captured_is_not_recorded() {
    let call = json!([{"type": "tool_call", "id": "a", "name": "get_order"}]);
    let result = json!([{"role": "assistant", "parts": call},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "a", "name": "get_order"}]}]);
    let mut last = chat("b", 3, &json!([{"type": "text"}]));
    last["attributes"]["gen_ai.input.messages"] = result.to_string().into();
    let run = read(&[chat("a", 1, &call), last.clone()]);
    assert_eq!(run.calls[0].arguments, Arguments::Unrecorded);
    assert_eq!((run.calls[0].status, &run.calls[0].result), (CallStatus::Unknown, &None));
    // The span of the tool may know them.
    let tool = json!({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_order",
        "gen_ai.tool.call.id": "a", "gen_ai.tool.call.arguments": "{\"id\": 7}"});
    let run = read(&[chat("a", 1, &call), span("execute_tool get_order", "t", (2, 3), &tool), last]);
    assert_eq!(run.calls[0].arguments, Arguments::Json(json!({"id": 7})));
}

#[test]
fn a_model_call_without_content_that_wrote_something_is_unread() {
    let tokens = json!({"gen_ai.operation.name": "generate_content", "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10, "gen_ai.response.finish_reasons": ["stop"]});
    let run = read(&[root(), span("generate_content", "a", (1, 2), &tokens)]);
    assert_eq!(run.unread[0].what, UnreadContent::EmptyTurn);
}

#[test]
fn integers_stay_integers_in_values_of_otlp() {
    let arguments = json!({"kvlistValue": {"values": [{"key": "id", "value": {"intValue": "7"}}]}});
    let part = json!({"kvlistValue": {"values": [
        {"key": "type", "value": {"stringValue": "tool_call"}},
        {"key": "name", "value": {"stringValue": "get_order"}},
        {"key": "arguments", "value": arguments}]}});
    let message = json!({"kvlistValue": {"values": [
        {"key": "role", "value": {"stringValue": "assistant"}},
        {"key": "parts", "value": {"arrayValue": {"values": [part]}}}]}});
    let run = read(&[json!({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "1", "spanId": "2",
        "name": "chat", "startTimeUnixNano": "1", "endTimeUnixNano": "2", "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "100"}},
        {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "10"}},
        {"key": "gen_ai.output.messages", "value": {"arrayValue": {"values": [message]}}}]}]}]}]})]);
    assert_eq!(run.calls[0].arguments, Arguments::Json(json!({"id": 7})));
    assert_eq!(sum_tokens(&run), Some((100, 10, false)));
}

#[test]
fn a_span_of_mcp_is_a_call_of_its_tool_once() {
    let request = json!({"mcp.method.name": "tools/call", "mcp.tool.name": "get_order"});
    let mcp = span("tools/call get_order", "m", (2, 3), &request);
    let alone = read(&[root(), mcp.clone()]);
    assert_eq!(alone.calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(), ["get_order"]);
    let call = json!([{"type": "tool_call", "id": "a", "name": "mcp__shop__get_order", "arguments": {}}]);
    let run = read(&[root(), chat("a", 1, &call), mcp]);
    assert_eq!((run.calls.len(), run.calls[0].status), (1, CallStatus::Unknown));
}

#[test]
fn a_total_that_the_parts_contradict_makes_the_tokens_partial() {
    let total = |total: u64| {
        let tokens = json!({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.output_tokens": 10, "gen_ai.usage.total_tokens": total});
        sum_tokens(&read(&[root(), span("chat", "a", (1, 2), &tokens)]))
    };
    assert_eq!(total(110), Some((100, 10, false)));
    assert_eq!(total(117), Some((100, 10, true)));
}
