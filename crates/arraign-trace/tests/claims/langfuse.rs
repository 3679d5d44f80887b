//! What is read of Langfuse's attributes.

use arraign_trace::json::{Json, json};
use arraign_trace::reader;
use arraign_trace::trace::{CallStatus, Trace};

/// A span of OTLP with these attributes of an observation.
fn span(id: &str, parent: &str, second: u8, fields: &Json) -> Json {
    let fields = fields.as_object().expect("fields").iter();
    let attributes: Vec<Json> = fields
        .map(|(key, value)| json!({"key": format!("langfuse.{key}"), "value": {"stringValue": value}}))
        .collect();
    let time = |second: u8| format!("{second}000000000");
    json!({"traceId": "1", "spanId": id, "parentSpanId": parent, "name": id, "attributes": attributes,
        "startTimeUnixNano": time(second), "endTimeUnixNano": time(second + 1)})
}

fn read(spans: &[Json]) -> Trace {
    let file = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]});
    reader::read(&file.to_string(), None).unwrap_or_else(|error| panic!("{error}")).runs.remove(0)
}

fn generation(second: u8, input: &Json, output: &Json) -> Json {
    span(
        &format!("chat {second}"),
        "",
        second,
        &json!({"observation.type": "generation", "observation.input": input.to_string(),
        "observation.output": output.to_string(), "observation.model.name": "gpt-4o",
        "observation.usage_details": r#"{"prompt_tokens": 100, "completion_tokens": 20}"#,
        "observation.cost_details": r#"{"input": 0.25, "output": 0.5}"#}),
    )
}

#[test]
fn messages_of_an_instrumented_client_are_the_conversation() {
    let question = json!({"role": "user", "content": "Where is order 7?"});
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "get_order", "arguments": "{\"id\": 7}"}}]});
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "shipped"});
    let answer = json!({"role": "assistant", "content": "It ships today."});
    let run = read(&[
        generation(1, &json!([question]), &call),
        generation(3, &json!({"messages": [question, call, result], "tools": []}), &answer),
    ]);
    assert_eq!((run.input.as_deref(), run.model.as_deref()), (Some("Where is order 7?"), Some("gpt-4o")));
    assert_eq!(
        (run.tool_names(), run.calls[0].arguments.json()),
        (vec!["get_order"], Some(&json!({"id": 7})))
    );
    assert_eq!(
        (run.calls[0].status, run.calls[0].result.as_ref()),
        (CallStatus::Unknown, Some(&json!("shipped")))
    );
    assert_eq!(run.answer.as_deref(), Some("It ships today."));
    assert_eq!(run.usage.map(|usage| (usage.input_tokens, usage.output_tokens)), Some((200, 40)));
    assert_eq!((run.cost_usd, run.unread.len()), (Some(1.5), 0));
}

#[test]
fn decorated_functions_are_calls_and_the_agent_returns_the_answer() {
    let run = read(&[
        span(
            "shop",
            "",
            1,
            &json!({"observation.type": "agent", "observation.output": "It ships today.",
            "observation.input": r#"{"args": [], "kwargs": {"question": "Where is order 7?"}}"#}),
        ),
        span(
            "get_order",
            "shop",
            2,
            &json!({"observation.type": "tool", "observation.level": "ERROR",
            "observation.input": r#"{"args": [], "kwargs": {"id": 7}}"#, "observation.status_message": "timeout"}),
        ),
        span("chat", "shop", 3, &json!({"observation.type": "generation", "observation.output": "thinking"})),
    ]);
    assert_eq!((run.agent.as_deref(), run.input.as_deref()), (Some("shop"), Some("Where is order 7?")));
    assert_eq!(run.calls[0].arguments.json(), Some(&json!({"id": 7})));
    assert_eq!((run.calls[0].status, run.calls[0].error.as_deref()), (CallStatus::Error, Some("timeout")));
    assert_eq!((run.answer.as_deref(), run.cost_usd), (Some("It ships today."), None));
}

#[test]
fn an_observation_of_an_unknown_type_is_unread() {
    let run = read(&[span("f", "", 1, &json!({"observation.type": "tool_v2", "observation.output": "x"}))]);
    assert_eq!(run.unread.len(), 1);
    let run = read(&[span("f", "", 1, &json!({"observation.kind": "tool", "observation.output": "x"}))]);
    assert_eq!(run.unread.len(), 1);
}
