//! Replies of models: a call of `get_order`, and after its result an answer, in the form of each provider.

use crate::server::{Asked, Reply};
use arraign::json::{Json, json};

/// Answers as the provider would that the path belongs to.
pub(super) fn reply(asked: &Asked, number: usize) -> Reply {
    let path = asked.line.split(' ').nth(1).unwrap_or_default();
    let body = asked.json();
    let is_second = asked.body.contains("call_");
    let id = format!("call_{number}");
    let streamed = body["stream"] == true || path.contains("streamGenerateContent");
    let whole = match path {
        path if path.ends_with("/chat/completions") => chat(&id, is_second, streamed),
        path if path.ends_with("/responses") => responses(&id, is_second, streamed),
        path if path.ends_with("/messages") => anthropic(&id, is_second, streamed),
        path if path.contains("GenerateContent") || path.contains(":generateContent") => {
            gemini(&id, is_second)
        }
        _ => return Reply::of(404, "no such path"),
    };
    if !streamed {
        return Reply::json(&whole[0]);
    }
    let events = whole.iter().map(|event| match event["type"].as_str() {
        Some(kind) => format!("event: {kind}\ndata: {event}\n\n"),
        None => format!("data: {event}\n\n"),
    });
    Reply::of(200, events.collect::<String>()).header("content-type", "text/event-stream; charset=utf-8")
}

fn chat(id: &str, is_second: bool, streamed: bool) -> Vec<Json> {
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12});
    let call = json!({"index": 0, "id": id, "type": "function",
        "function": {"name": "get_order", "arguments": "{\"id\":7}"}});
    let message = if is_second {
        json!({"role": "assistant", "content": "It has shipped."})
    } else {
        json!({"role": "assistant", "content": null, "tool_calls": [call]})
    };
    let reason = if is_second { "stop" } else { "tool_calls" };
    let of = |kind: &str, choice: Json| json!({"id": format!("chatcmpl-{id}"), "object": kind, "model": "m-1", "choices": [choice], "usage": usage});
    if !streamed {
        return vec![of("chat.completion", json!({"index": 0, "message": message, "finish_reason": reason}))];
    }
    let kind = "chat.completion.chunk";
    vec![
        of(kind, json!({"index": 0, "delta": message, "finish_reason": null})),
        of(kind, json!({"index": 0, "delta": {}, "finish_reason": reason})),
    ]
}

fn responses(id: &str, is_second: bool, streamed: bool) -> Vec<Json> {
    let item = if is_second {
        json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "It has shipped.", "annotations": []}]})
    } else {
        json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": "get_order",
            "arguments": "{\"id\":7}", "status": "completed"})
    };
    let response = |status: &str, output: Json| {
        json!({"id": format!("resp_{id}"), "object": "response", "status": status, "model": "m-1", "output": output,
            "usage": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}})
    };
    if !streamed {
        return vec![response("completed", json!([item]))];
    }
    vec![
        json!({"type": "response.created", "response": response("in_progress", json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": response("completed", json!([item]))}),
    ]
}

fn anthropic(id: &str, is_second: bool, streamed: bool) -> Vec<Json> {
    let reason = if is_second { "end_turn" } else { "tool_use" };
    let block = if is_second {
        json!({"type": "text", "text": "It has shipped."})
    } else {
        json!({"type": "tool_use", "id": id, "name": "get_order", "input": {"id": 7}})
    };
    let message = |content: Json, reason: Json| {
        json!({"id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": "m-1", "content": content,
            "stop_reason": reason, "usage": {"input_tokens": 9, "output_tokens": 3}})
    };
    if !streamed {
        return vec![message(json!([block]), json!(reason))];
    }
    let (start, delta) = if is_second {
        (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": "It has shipped."}))
    } else {
        let start = json!({"type": "tool_use", "id": id, "name": "get_order", "input": {}});
        (start, json!({"type": "input_json_delta", "partial_json": "{\"id\":7}"}))
    };
    vec![
        json!({"type": "message_start", "message": message(json!([]), Json::Null)}),
        json!({"type": "content_block_start", "index": 0, "content_block": start}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 3}}),
        json!({"type": "message_stop"}),
    ]
}

fn gemini(id: &str, is_second: bool) -> Vec<Json> {
    let part = if is_second {
        json!({"text": "It has shipped."})
    } else {
        json!({"functionCall": {"id": id, "name": "get_order", "args": {"id": 7}}})
    };
    let candidate =
        json!({"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0});
    let usage = json!({"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12});
    vec![json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m-1", "responseId": id})]
}
