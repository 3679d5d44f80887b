//! What is read of OpenInference's spans where the span of a model does not hold all that a run is.

use arraign_trace::json::{Json, json};
use arraign_trace::reader;
use arraign_trace::trace::{CallStatus, Trace};

/// A span as the console exporter prints it. `at` are its first and its last second.
fn span(id: &str, parent: Option<&str>, kind: &str, at: (u8, u8), attributes: &Json) -> Json {
    let mut all = json!({"openinference.span.kind": kind});
    let fields = attributes.as_object().expect("attributes").clone();
    all.as_object_mut().expect("an object").extend(fields);
    let time = |second: u8| format!("2026-11-22T19:00:{second:02}.000000Z");
    json!({"name": id, "context": {"trace_id": "0x1", "span_id": id}, "parent_id": parent, "attributes": all,
        "start_time": time(at.0), "end_time": time(at.1), "status": {"status_code": "OK"}, "events": []})
}

fn read(spans: &[Json]) -> Trace {
    let lines: Vec<String> = spans.iter().map(ToString::to_string).collect();
    reader::read(&lines.join("\n"), Some("otel")).unwrap_or_else(|error| panic!("{error}")).runs.remove(0)
}

fn call(name: &str, arguments: &str) -> Json {
    json!({"llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "a",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": name,
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": arguments})
}

#[test]
fn spans_that_wrap_the_model_and_print_its_reply_hold_the_conversation() {
    let tokens =
        json!({"llm.token_count.prompt": 100, "llm.token_count.completion": 20, "llm.model_name": "gpt-4o"});
    let mut reply = tokens.clone();
    reply["output.value"] = "assistant: It ships today.".into();
    let run = read(&[
        span(
            "Agent.run",
            None,
            "AGENT",
            (0, 9),
            &json!({"input.value": r#"{"user_msg": "Where is order 7?"}"#}),
        ),
        span(
            "LLM.chat_with_tools",
            Some("Agent.run"),
            "LLM",
            (1, 2),
            &json!({"output.value": "assistant: "}),
        ),
        span("LLM.chat", Some("LLM.chat_with_tools"), "LLM", (1, 2), &tokens),
        span(
            "Tool.call",
            Some("Agent.run"),
            "TOOL",
            (3, 4),
            &json!({"tool.name": "get_order",
            "input.value": r#"{"kwargs": {"id": 7}}"#, "output.value": "shipped"}),
        ),
        span("LLM.chat_2", Some("Agent.run"), "LLM", (5, 6), &reply),
    ]);
    assert_eq!(run.input.as_deref(), Some("Where is order 7?"));
    assert_eq!(run.agent.as_deref(), Some("Agent"));
    assert_eq!(
        (run.tool_names(), run.calls[0].arguments.json()),
        (vec!["get_order"], Some(&json!({"id": 7})))
    );
    assert_eq!(run.answer.as_deref(), Some("It ships today."));
    assert_eq!(run.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((200, 40)));
    assert_eq!(run.model.as_deref(), Some("gpt-4o"));
}

#[test]
fn arguments_of_a_python_call_are_unwrapped_only_if_all_have_names() {
    let arguments = |input: &str| {
        let attributes = json!({"tool.name": "f", "input.value": input, "output.value": "x"});
        read(&[span("f", None, "TOOL", (0, 1), &attributes)]).calls.remove(0).arguments
    };
    for (input, expected) in [
        (r#"{"kwargs": {"id": 7}}"#, json!({"id": 7})),
        (r#"{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"id": 7}}"#, json!({"id": 7})),
        (r#"{"args": [1], "kwargs": {"id": 7}}"#, json!({"args": [1], "kwargs": {"id": 7}})),
        (r#"{"kwargs": {"id": 7}, "city": "Oslo"}"#, json!({"kwargs": {"id": 7}, "city": "Oslo"})),
    ] {
        assert_eq!(arguments(input).json(), Some(&expected), "{input}");
    }
}

#[test]
fn the_tool_that_returns_the_answer_of_smolagents_is_no_call() {
    let mut reply = call("final_answer", r#"{"answer": "It ships today."}"#);
    reply["llm.finish_reason"] = "tool_calls".into();
    reply["llm.input_messages.0.message.role"] = "user".into();
    reply["llm.input_messages.0.message.content"] = "New task:\nWhere is order 7?".into();
    let agent = json!({"smolagents.max_steps": 20, "input.value": r#"{"task": "Where is order 7?"}"#,
        "output.value": "RunResult(output='It ships today.')"});
    let tool = json!({"tool.name": "final_answer", "input.value": r#"{"kwargs": {"answer": "It ships today."}}"#,
        "output.value": "It ships today."});
    let spans = |agent: &Json| {
        [
            span("Agent.run", None, "AGENT", (0, 9), agent),
            span("LLM", Some("Agent.run"), "LLM", (1, 2), &reply),
            span("FinalAnswerTool", Some("Agent.run"), "TOOL", (3, 4), &tool),
        ]
    };
    let run = read(&spans(&agent));
    assert_eq!((run.calls.len(), run.unread.len()), (0, 0), "{run:#?}");
    assert_eq!(run.input.as_deref(), Some("Where is order 7?"));
    assert_eq!(run.answer.as_deref(), Some("It ships today."));
    // Another framework may have a tool of this name.
    assert_eq!(read(&spans(&json!({}))).tool_names(), ["final_answer"]);
}

#[test]
fn a_failure_that_only_an_inner_span_or_the_next_request_tells_is_an_error() {
    let mut inner = span(
        "execute_tool",
        Some("Tool"),
        "x",
        (3, 4),
        &json!({"gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_quote", "gen_ai.tool.call.id": "a"}),
    );
    inner["status"] = json!({"status_code": "ERROR", "description": "no route"});
    let tool = json!({"tool.name": "get_quote", "input.value": "{}", "output.value": "no route"});
    let spans = [
        span("LLM", None, "LLM", (1, 2), &call("get_quote", "{}")),
        span("Tool", None, "TOOL", (3, 4), &tool),
        inner,
    ];
    let run = read(&spans);
    assert_eq!(run.calls.len(), 1);
    assert_eq!((run.calls[0].status, run.calls[0].error.as_deref()), (CallStatus::Error, Some("no route")));
    assert_eq!(read(&spans[..2]).calls[0].status, CallStatus::Ok);
    let mut next = json!({"llm.input_messages.0.message.role": "function", "llm.input_messages.0.function.0":
        r#"{"name": "get_quote", "content": "no route", "call_id": "a", "is_error": true}"#});
    next["llm.output_messages.0.message.content"] = "It failed.".into();
    let run = read(&[spans[0].clone(), spans[1].clone(), span("LLM2", None, "LLM", (5, 6), &next)]);
    assert_eq!((run.calls[0].status, run.answer.as_deref()), (CallStatus::Error, Some("It failed.")));
}
