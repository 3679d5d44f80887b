//! Rules of single writers: what their totals count, records that come twice, and which text is the answer.

use arraign_trace::json::{Json, json};
use arraign_trace::reader;
use arraign_trace::trace::{ToolServer, Trace, UnreadContent};

fn read(format: &str, records: &[Json]) -> Trace {
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    let recording = reader::read(&lines.join("\n"), None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((recording.format, recording.runs.len()), (format, 1));
    recording.runs.into_iter().next().expect("a run")
}

/// The input and output tokens, and whether they are a part of those of the run.
fn sum_tokens(run: &Trace) -> Option<(u64, u64, bool)> {
    run.usage.map(|usage| (usage.input_tokens, usage.output_tokens, usage.partial))
}

fn adk_event(id: &str, text: &str, usage: &Json) -> Json {
    json!({"id": id, "invocationId": "i", "author": "shop", "usageMetadata": usage,
        "content": {"role": "model", "parts": [{"text": text}]}})
}

#[test]
fn the_total_tells_whether_thoughts_are_in_the_output() {
    let usage = |total: u64| {
        json!({"promptTokenCount": 100, "candidatesTokenCount": 10, "thoughtsTokenCount": 5,
            "totalTokenCount": total})
    };
    let tokens = |total| sum_tokens(&read("adk", &[adk_event("e", "It ships.", &usage(total))]));
    assert_eq!(tokens(115), Some((100, 15, false)));
    assert_eq!(tokens(110), Some((100, 10, false)));
    assert_eq!(tokens(999), Some((100, 10, true)));
}

#[test]
fn an_event_that_came_before_counts_once() {
    let usage = json!({"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110});
    let event = adk_event("e", "It ships.", &usage);
    let run = read("adk", &[event.clone(), event.clone()]);
    assert_eq!((run.answer.as_deref(), sum_tokens(&run)), (Some("It ships."), Some((100, 10, false))));
    assert_eq!(run.unread, []);
    let run = read("adk", &[event, adk_event("e", "It is lost.", &usage)]);
    assert_eq!(run.unread[0].what, UnreadContent::RepeatedId("e".to_owned()));
    assert!(run.answer_doubt().is_some());
}

#[test]
fn the_total_tells_whether_what_a_cache_held_is_in_the_input() {
    let result = |total: Json| {
        let usage = json!({"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 50,
            "total_tokens": total});
        let message = json!({"id": "m", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "It ships."}], "stop_reason": null, "usage": usage});
        sum_tokens(&read(
            "claude-code",
            &[
                json!({"type": "system", "subtype": "init", "session_id": "s", "model": "m"}),
                json!({"type": "assistant", "session_id": "s", "parent_tool_use_id": null, "message": message}),
                json!({"type": "result", "subtype": "success", "session_id": "s", "is_error": false,
                "result": "It ships.", "usage": usage}),
            ],
        ))
    };
    assert_eq!(result(json!(110)), Some((100, 10, false)));
    assert_eq!(result(json!(160)), Some((150, 10, false)));
    assert_eq!(result(Json::Null), Some((150, 10, false)));
}

#[test]
fn the_last_step_of_mastra_has_the_tokens_of_the_run() {
    let usage = |input: u64| json!({"usage": {"inputTokens": input, "outputTokens": 10}});
    let end = |kind: &str, input: u64| {
        json!({"type": kind, "runId": "r", "from": "AGENT",
            "payload": {"stepResult": {"reason": "stop"}, "output": usage(input)}})
    };
    let text = json!({"type": "text-delta", "payload": {"id": "t", "text": "It ships."}});
    let start = json!({"type": "step-start", "payload": {"request": {}}});
    let stream = |ends: &[Json]| {
        let [steps @ .., last] = ends else { panic!("ends") };
        let mut records: Vec<Json> =
            steps.iter().flat_map(|end| [start.clone(), text.clone(), end.clone()]).collect();
        records.push(last.clone());
        sum_tokens(&read("vercel-ai", &records))
    };
    let [first, sum, total] = [end("step-finish", 100), end("step-finish", 300), end("finish", 300)];
    assert_eq!(stream(&[first.clone(), sum.clone(), total]), Some((300, 10, false)));
    // Without the total, the last step may have its own tokens or those of the run.
    assert_eq!(stream(&[first, sum]).map(|(_, _, partial)| partial), Some(true));
}

fn codex(items: &[Json]) -> Trace {
    let mut events =
        vec![json!({"type": "thread.started", "thread_id": "t"}), json!({"type": "turn.started"})];
    events.extend(items.iter().map(|item| json!({"type": "item.completed", "item": item})));
    events.push(json!({"type": "turn.completed", "usage": {"input_tokens": 9, "output_tokens": 9}}));
    read("codex", &events)
}

#[test]
fn two_messages_in_a_row_of_codex_have_a_call_between_them() {
    let message = |text: &str| json!({"id": text, "type": "agent_message", "text": text});
    let command = json!({"id": "c", "type": "command_execution", "command": "ls", "aggregated_output": "",
        "exit_code": 0, "status": "completed"});
    let run = codex(&[message("I look."), command, message("It ships.")]);
    assert_eq!((run.answer.as_deref(), run.unread.len()), (Some("It ships."), 0));
    let run = codex(&[message("I clean up."), message("It ships.")]);
    assert_eq!(run.unread[0].what, UnreadContent::MessageGap);
    assert_eq!((run.answer.as_deref(), run.answer_doubt()), (Some("It ships."), None));
}

#[test]
fn a_chunk_with_another_id_begins_the_message_behind_it() {
    let chunk = |id: &str, content: Json, usage: Json| {
        json!([{"content": content, "type": "AIMessageChunk", "id": id, "usage_metadata": usage,
            "tool_call_chunks": [], "response_metadata": {}}, {"langgraph_node": "model"}])
    };
    let usage = json!({"input_tokens": 100, "output_tokens": 10, "total_tokens": 110});
    let run = read(
        "langchain",
        &[
            chunk("resp_1", json!([]), Json::Null),
            chunk("lc_run--1", json!([{"type": "text", "text": "It ", "index": 0}]), Json::Null),
            chunk("lc_run--1", json!([{"type": "text", "text": "ships.", "index": 0}]), usage),
        ],
    );
    assert_eq!((run.answer.as_deref(), run.messages.len()), (Some("It ships."), 1));
    assert_eq!(sum_tokens(&run), Some((100, 10, false)));
}

#[test]
fn a_generation_may_keep_the_whole_completion() {
    let span = |id: &str, second: u8, data: Json| {
        json!({"object": "trace.span", "id": id, "trace_id": "t", "parent_id": null, "error": null,
            "started_at": format!("2026-11-22T18:57:0{second}.000Z"),
            "ended_at": format!("2026-11-22T18:57:0{second}.500Z"), "span_data": data})
    };
    let generation = |id: &str, second: u8, message: Json, reason: &str| {
        let completion = json!({"id": id, "object": "chat.completion", "model": "gpt-4o",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}});
        let input = json!([{"role": "user", "content": "Where is order 7?"}]);
        span(id, second, json!({"type": "generation", "input": input, "output": [completion]}))
    };
    let call = json!({"id": "a", "type": "function",
        "function": {"name": "get_order", "arguments": "{\"id\":7}"}});
    let run = read(
        "openai-responses",
        &[
            json!({"object": "trace", "id": "t", "workflow_name": "w"}),
            generation(
                "1",
                1,
                json!({"role": "assistant", "content": null, "tool_calls": [call]}),
                "tool_calls",
            ),
            span(
                "2",
                2,
                json!({"type": "function", "name": "get_order", "input": "{\"id\":7}", "output": "shipped"}),
            ),
            generation("3", 3, json!({"role": "assistant", "content": "It ships."}), "stop"),
        ],
    );
    assert_eq!((run.calls.len(), run.answer.as_deref()), (1, Some("It ships.")));
    assert_eq!((sum_tokens(&run), run.stop_reason.as_deref()), (Some((200, 20, false)), Some("stop")));
    assert_eq!(run.unread, []);
}

#[test]
fn a_plugin_of_semantic_kernel_is_the_server_in_both_forms_of_a_history() {
    let call = |name: &str| json!([{"id": "a", "type": "function", "function": {"name": name, "arguments": "{\"id\": 9}"}}]);
    let history = |more: Json, name: &str| {
        let mut message = json!({"role": "assistant", "tool_calls": call(name)});
        message.as_object_mut().expect("a message").extend(more.as_object().expect("keys").clone());
        let run = read(
            "openai-chat",
            &[
                json!({"role": "user", "content": "Delete order 9."}),
                message,
                json!({"role": "tool", "content": "{'deleted': 9}", "tool_call_id": "a"}),
                json!({"role": "assistant", "content": "Done.", "name": "shop"}),
            ],
        );
        (run.calls[0].name.clone(), run.calls[0].server.clone())
    };
    let split = ("delete_order".to_owned(), ToolServer::Named("P".to_owned()));
    assert_eq!(history(json!({"name": "shop"}), "P-delete_order"), split);
    // Other programs have tools with hyphens.
    let whole = |name: &str| (name.to_owned(), ToolServer::NotRecorded);
    assert_eq!(history(json!({}), "delete-order"), whole("delete-order"));
    assert_eq!(history(json!({"name": "shop", "content": ""}), "delete-order"), whole("delete-order"));
    assert_eq!(history(json!({"name": "shop"}), "delete-the-order"), whole("delete-the-order"));

    let item = json!({"content_type": "function_call", "id": "a", "name": "P-delete_order",
        "arguments": "{\"id\": 9}"});
    let run = read("semantic-kernel", &[json!({"role": "assistant", "items": [item]})]);
    assert_eq!((run.calls[0].name.clone(), run.calls[0].server.clone()), split);
}

#[test]
fn the_end_of_a_longer_run_is_told_from_a_result_that_was_lost() {
    let said = json!({"role": "assistant", "content": "Done."});
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "deleted"});
    let is_end = |messages: &[Json]| read("openai-chat", messages).find_lost_beginning().is_some();
    assert!(is_end(&[result.clone(), said.clone()]));
    assert!(!is_end(&[said.clone(), result, said]));
}
