//! How runs ended, by each format that records it.

use std::fs;
use std::path::Path;

use arraign_trace::json;
use arraign_trace::reader::{self, READERS, ReaderDeclaration, ReaderSet};
use arraign_trace::trace::Trace;

use super::samples;

/// Files of one run, each with its format and how its run ended.
const FILES: &[(&str, &str, &str)] = &[
    (
        "atif",
        "well",
        r#"{"schema_version": "ATIF-v1.4", "agent": {"name": "a"}, "steps": [
            {"step_id": 1, "source": "agent", "message": "I look.", "extra": {"stop_reason": "max_tokens"}},
            {"step_id": 2, "source": "agent", "message": "Done.", "extra": {"stop_reason": "end_turn"}}]}"#,
    ),
    (
        "atif",
        "cut: max_tokens",
        r#"{"schema_version": "ATIF-v1.4", "agent": {"name": "a"}, "steps": [
            {"step_id": 1, "source": "agent", "message": "I loo", "extra": {"stop_reason": "max_tokens"}}]}"#,
    ),
    (
        "otel",
        "failed: 429",
        r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "spanId": "1", "name": "chat",
            "status": {"code": 2, "message": "429"},
            "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]}]}]}]}"#,
    ),
    (
        "otel",
        "limit: Recursion limit of 25 reached",
        r#"{"resourceSpans": [{"scopeSpans": [{"spans": [
            {"traceId": "a", "spanId": "1", "name": "invoke_agent", "status": {"code": 2, "message": "Recursion limit of 25 reached"},
                "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "invoke_agent"}}]},
            {"traceId": "a", "spanId": "2", "parentSpanId": "1", "name": "chat",
                "attributes": [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]}]}]}]}"#,
    ),
    (
        "otel",
        "cut: length",
        r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "spanId": "1", "name": "chat", "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.response.finish_reasons", "value": {"arrayValue": {"values": [{"stringValue": "length"}]}}}]}]}]}]}"#,
    ),
    (
        "maf",
        "failed: down",
        r#"{"type": "agent_response", "messages": [{"type": "message", "role": "assistant",
            "contents": [{"type": "error", "message": "down"}]}]}"#,
    ),
    (
        "maf",
        "cut: length",
        r#"{"type": "agent_response", "finish_reason": "length", "messages": [{"type": "message", "role": "assistant",
            "contents": [{"type": "text", "text": "I loo"}]}]}"#,
    ),
    (
        "inspect",
        "failed: down",
        r#"{"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "hi"}], "error": {"message": "down"}}"#,
    ),
    (
        "inspect",
        "limit: token",
        r#"{"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "hi"}], "limit": {"type": "token", "limit": 9}}"#,
    ),
    (
        "inspect",
        "cut: max_tokens",
        r#"{"id": 1, "epoch": 1, "messages": [{"role": "assistant", "content": "I loo"}],
            "output": {"choices": [{"stop_reason": "max_tokens", "message": {"role": "assistant", "content": "I loo"}}]}}"#,
    ),
    (
        "inspect",
        "well",
        r#"{"id": 1, "epoch": 1, "messages": [{"role": "assistant", "content": "hi"}], "output": {"choices": []}}"#,
    ),
    (
        "codex",
        "failed: 429",
        r#"{"type": "thread.started", "thread_id": "t"}
           {"type": "turn.started"}
           {"type": "turn.failed", "error": {"message": "429"}}"#,
    ),
    (
        "codex",
        "well",
        r#"{"type": "thread.started", "thread_id": "t"}
           {"type": "error", "message": "reconnecting"}
           {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "hi"}}
           {"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}"#,
    ),
    (
        "codex",
        "cut: the stream ends without `turn.completed`",
        r#"{"type": "thread.started", "thread_id": "t"}
           {"type": "turn.started"}
           {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "I look."}}"#,
    ),
    (
        "codex",
        "cut: interrupted",
        r#"{"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s"}}
           {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": "task_started"}}
           {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": "turn_aborted", "reason": "interrupted"}}"#,
    ),
    (
        "codex",
        "cut: the stream ends without `task_complete`",
        r#"{"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s"}}
           {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": "task_started"}}"#,
    ),
    (
        "codex",
        "failed: usage limit",
        r#"{"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s"}}
           {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": "task_started"}}
           {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": "error", "message": "usage limit"}}
           {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": "task_complete", "last_agent_message": null}}"#,
    ),
    (
        "claude-code",
        "limit: error_max_turns",
        r#"{"type": "result", "subtype": "error_max_turns", "is_error": true, "session_id": "s", "num_turns": 9}"#,
    ),
    (
        "claude-code",
        "limit: error_max_budget_usd",
        r#"{"type": "result", "subtype": "error_max_budget_usd", "is_error": true, "session_id": "s", "num_turns": 9}"#,
    ),
    (
        "claude-code",
        "failed: API Error: 529",
        r#"{"type": "result", "subtype": "success", "is_error": true, "result": "API Error: 529", "session_id": "s", "num_turns": 1}"#,
    ),
    (
        "claude-code",
        "failed: error_during_execution: no such tool",
        r#"{"type": "result", "subtype": "error_during_execution", "is_error": true, "errors": ["no such tool"], "session_id": "s", "num_turns": 1}"#,
    ),
    (
        "claude-code",
        "well",
        r#"{"type": "result", "subtype": "success", "is_error": false, "result": "hi", "session_id": "s", "num_turns": 1}"#,
    ),
    (
        "claude-code",
        "cut: max_tokens",
        r#"{"type": "result", "subtype": "success", "is_error": false, "result": "I loo", "stop_reason": "max_tokens", "session_id": "s", "num_turns": 1}"#,
    ),
    (
        "claude-code",
        "cut: the stream ends without `result`",
        r#"{"type": "system", "subtype": "init", "session_id": "s", "model": "m"}
           {"type": "assistant", "session_id": "s", "message": {"id": "m", "role": "assistant", "model": "m",
                "content": [{"type": "text", "text": "I look."}], "stop_reason": null}}"#,
    ),
    (
        "claude-code",
        "unknown",
        r#"{"type": "assistant", "sessionId": "s", "uuid": "1", "message": {"id": "m", "role": "assistant", "model": "m",
                "content": [{"type": "text", "text": "I look."}], "stop_reason": null}}"#,
    ),
    (
        "claude-code",
        "cut: interrupted",
        r#"{"type": "user", "sessionId": "s", "uuid": "1", "message": {"role": "user", "content": "hi"}}
           {"type": "user", "sessionId": "s", "uuid": "2", "message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}}"#,
    ),
    (
        "gemini-cli",
        "well",
        r#"{"type": "init", "session_id": "s", "model": "m"}
           {"type": "error", "severity": "warning", "message": "slow"}
           {"type": "result", "status": "success"}"#,
    ),
    (
        "gemini-cli",
        "limit: Reached max session turns for this session.",
        r#"{"type": "init", "session_id": "s", "model": "m"}
           {"type": "result", "status": "error", "error": {"message": "Reached max session turns for this session."}}"#,
    ),
    (
        "gemini-cli",
        "failed: 429",
        r#"{"type": "init", "session_id": "s", "model": "m"}
           {"type": "error", "severity": "error", "message": "429"}"#,
    ),
    (
        "gemini-cli",
        "cut: the stream ends without `result`",
        r#"{"type": "init", "session_id": "s", "model": "m"}
           {"type": "message", "role": "assistant", "content": "I look."}"#,
    ),
    (
        "gemini-cli",
        "failed: 429",
        r#"{"sessionId": "s", "projectHash": "p", "messages": [
            {"id": "1", "type": "user", "content": "hi"}, {"id": "2", "type": "error", "content": "429"}]}"#,
    ),
    (
        "copilot",
        "failed: 429",
        r#"{"type": "user.message", "data": {"content": "hi"}, "parentId": null}
           {"type": "session.error", "data": {"message": "429"}, "parentId": null}"#,
    ),
    (
        "copilot",
        "cut: user initiated",
        r#"{"type": "user.message", "data": {"content": "hi"}, "parentId": null}
           {"type": "abort", "data": {"reason": "user initiated"}, "parentId": null}"#,
    ),
    (
        "copilot",
        "well",
        r#"{"type": "user.message", "data": {"content": "hi"}, "parentId": null}
           {"type": "assistant.message", "data": {"content": "hi"}, "parentId": null}
           {"type": "result", "exitCode": 0, "sessionId": "s"}"#,
    ),
    (
        "copilot",
        "failed: exit code 1",
        r#"{"type": "user.message", "data": {"content": "hi"}, "parentId": null}
           {"type": "result", "exitCode": 1, "sessionId": "s"}"#,
    ),
    (
        "opencode",
        "failed: overloaded",
        r#"{"type": "error", "sessionID": "s", "error": {"name": "APIError", "data": {"message": "overloaded"}}}"#,
    ),
    (
        "opencode",
        "cut: aborted",
        r#"{"type": "error", "sessionID": "s", "error": {"name": "MessageAbortedError", "data": {"message": "aborted"}}}"#,
    ),
    (
        "opencode",
        "well",
        r#"{"type": "step_finish", "sessionID": "s", "part": {"sessionID": "s", "type": "step-finish", "reason": "stop"}}"#,
    ),
    (
        "pi",
        "failed: 529",
        r#"[{"role": "assistant", "api": "x", "stopReason": "error", "errorMessage": "529", "content": []}]"#,
    ),
    (
        "pi",
        "cut: aborted",
        r#"[{"role": "assistant", "api": "x", "stopReason": "aborted", "errorMessage": "Request was aborted", "content": []}]"#,
    ),
    (
        "pi",
        "cut: length",
        r#"[{"role": "assistant", "api": "x", "stopReason": "length", "content": [{"type": "text", "text": "I loo"}]}]"#,
    ),
    (
        "pi",
        "well",
        r#"[{"role": "assistant", "api": "x", "stopReason": "stop", "content": [{"type": "text", "text": "hi"}]}]"#,
    ),
    (
        "adk",
        "failed: quota",
        r#"{"invocationId": "e", "author": "root", "errorCode": "429", "errorMessage": "quota"}"#,
    ),
    (
        "adk",
        "cut: too long",
        r#"{"invocationId": "e", "author": "root", "errorCode": "MAX_TOKENS", "errorMessage": "too long"}"#,
    ),
    (
        "adk",
        "cut: Invocation was aborted by client.",
        r#"{"invocationId": "e", "author": "root", "errorCode": "INVOCATION_ABORTED", "errorMessage": "Invocation was aborted by client."}"#,
    ),
    (
        "adk",
        "well",
        r#"{"invocationId": "e", "author": "root", "errorCode": "429", "errorMessage": "quota"}
           {"invocationId": "e", "author": "root", "finishReason": "STOP", "content": {"role": "model", "parts": [{"text": "hi"}]}}"#,
    ),
    ("a2a", "well", r#"{"task": {"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}}}"#),
    (
        "a2a",
        "failed: I gave up.",
        r#"{"kind": "task", "id": "t", "status": {"state": "rejected", "message": {"role": "agent", "parts": [{"kind": "text", "text": "I gave up."}]}}}"#,
    ),
    ("a2a", "cut: canceled", r#"{"kind": "task", "id": "t", "status": {"state": "canceled"}}"#),
    ("a2a", "cut: working", r#"{"kind": "task", "id": "t", "status": {"state": "working"}}"#),
    ("a2a", "unknown", r#"{"kind": "task", "id": "t", "status": {"state": "input-required"}}"#),
    (
        "acp",
        "well",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
           {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "end_turn"}}"#,
    ),
    (
        "acp",
        "well",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
           {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "refusal"}}"#,
    ),
    (
        "acp",
        "cut: max_tokens",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
           {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "max_tokens"}}"#,
    ),
    (
        "acp",
        "limit: max_turn_requests",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
           {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "max_turn_requests"}}"#,
    ),
    (
        "acp",
        "limit: cancelled",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
           {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "cancelled"}}"#,
    ),
    (
        "acp",
        "unknown",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
           {"jsonrpc": "2.0", "id": 1, "result": {"stopReason": "zz_new"}}"#,
    ),
    (
        "acp",
        "failed: overloaded",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
           {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "overloaded"}}"#,
    ),
    (
        "acp",
        "cut: the log ends without the answer to `session/prompt`",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}"#,
    ),
    (
        "mcp",
        "unknown",
        r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "f", "arguments": {}}}"#,
    ),
    (
        "pydantic-ai",
        "cut: length",
        r#"[{"kind": "response", "finish_reason": "length", "parts": [{"part_kind": "text", "content": "I loo"}]}]"#,
    ),
    (
        "pydantic-ai",
        "cut: interrupted",
        r#"[{"kind": "response", "finish_reason": "stop", "state": "interrupted", "parts": [{"part_kind": "text", "content": "I loo"}]}]"#,
    ),
    (
        "pydantic-ai",
        "failed: content_filter",
        r#"[{"kind": "response", "finish_reason": "content_filter", "parts": [{"part_kind": "text", "content": ""}]}]"#,
    ),
    (
        "pydantic-ai",
        "well",
        r#"[{"kind": "response", "finish_reason": "tool_call", "parts": [
                {"part_kind": "tool-call", "tool_name": "final_result", "args": "{}", "tool_call_id": "c"}]},
            {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "final_result", "tool_call_id": "c", "content": "Final result processed."}]}]"#,
    ),
    (
        "langchain",
        "cut: max_tokens",
        r#"[{"type": "ai", "data": {"content": "I loo", "type": "ai", "response_metadata": {"stop_reason": "max_tokens"}}}]"#,
    ),
    (
        "langchain",
        "cut: max_output_tokens",
        r#"[{"type": "ai", "data": {"content": "I loo", "type": "ai",
            "response_metadata": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}}}]"#,
    ),
    (
        "langchain",
        "limit: Sorry, need more steps to process this request.",
        r#"[{"type": "ai", "data": {"content": "Sorry, need more steps to process this request.", "type": "ai"}}]"#,
    ),
    (
        "langchain",
        "limit: GraphRecursionError('Recursion limit of 25 reached')",
        r#"{"id": "1", "trace_id": "1", "run_type": "chain", "name": "agent", "error": "GraphRecursionError('Recursion limit of 25 reached')"}"#,
    ),
    (
        "langchain",
        "failed: RateLimitError(429)",
        r#"{"id": "1", "trace_id": "1", "run_type": "chain", "name": "agent", "error": "RateLimitError(429)"}"#,
    ),
    (
        "langchain",
        "cut: pending",
        r#"{"id": "1", "trace_id": "1", "run_type": "chain", "name": "agent", "status": "pending"}"#,
    ),
    (
        "langchain",
        "failed: down",
        r#"{"event": "on_chain_start", "run_id": "1", "name": "agent", "data": {}, "parent_ids": []}
           {"event": "on_chain_error", "run_id": "1", "name": "agent", "data": {"error": "down"}, "parent_ids": []}"#,
    ),
    (
        "llamaindex",
        "well",
        r#"{"current_agent_name": "a", "response": {"role": "assistant", "blocks": [{"block_type": "text", "text": "hi"}]}}
           {"result": {}}"#,
    ),
    (
        "llamaindex",
        "failed: down",
        r#"{"current_agent_name": "a", "input": []}
           {"step_name": "run_agent_step", "exception": {"exception_message": "down"}, "attempts": 1}"#,
    ),
    (
        "llamaindex",
        "limit: the timeout of the workflow",
        r#"{"current_agent_name": "a", "input": []}
           {"timeout": 9.0, "active_steps": ["run_agent_step"]}"#,
    ),
    (
        "semantic-kernel",
        "cut: length",
        r#"{"messages": [{"role": "assistant", "finish_reason": "length", "items": [{"content_type": "text", "text": "I loo"}]}]}"#,
    ),
    (
        "semantic-kernel",
        "failed: content_filter",
        r#"{"messages": [{"role": "assistant", "finish_reason": "content_filter", "items": [{"content_type": "text", "text": "I loo"}]}]}"#,
    ),
    (
        "vercel-ai",
        "failed: error",
        r#"{"steps": [{"content": [{"type": "text", "text": "I look."}], "finishReason": "error"}]}"#,
    ),
    (
        "vercel-ai",
        "cut: abort",
        r#"{"type": "start"}
           {"type": "start-step"}
           {"type": "text-delta", "id": "0", "delta": "I loo"}
           {"type": "abort"}"#,
    ),
    (
        "vercel-ai",
        "cut: the stream ends without `finish`",
        r#"{"type": "start"}
           {"type": "start-step"}
           {"type": "text-delta", "id": "0", "delta": "I loo"}"#,
    ),
    (
        "vercel-ai",
        "failed: down",
        r#"{"type": "start"}
           {"type": "start-step"}
           {"type": "error", "errorText": "down"}
           {"type": "finish", "finishReason": "error"}"#,
    ),
    ("vercel-ai", "unknown", r#"{"type": "text-delta", "id": "0", "delta": "hi"}"#),
    (
        "gemini",
        "failed: MALFORMED_FUNCTION_CALL",
        r#"{"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "MALFORMED_FUNCTION_CALL"}]}"#,
    ),
    (
        "gemini",
        "failed: OTHER",
        r#"{"candidates": [{"content": {"role": "model", "parts": [{"text": "I loo"}]}, "finishReason": "OTHER"}]}"#,
    ),
    ("gemini", "failed: JAILBREAK", r#"{"promptFeedback": {"blockReason": "JAILBREAK"}}"#),
    (
        "gemini",
        "cut: MAX_TOKENS",
        r#"{"candidates": [{"content": {"role": "model", "parts": [{"text": "I loo"}]}, "finishReason": "MAX_TOKENS"}]}"#,
    ),
    (
        "gemini",
        "cut: the stream ends without `finishReason`",
        "data: {\"candidates\": [{\"content\": {\"role\": \"model\", \"parts\": [{\"text\": \"I loo\"}]}}], \"responseId\": \"r\"}\n",
    ),
    (
        "gemini",
        "failed: overloaded",
        "data: {\"candidates\": [{\"content\": {\"role\": \"model\", \"parts\": [{\"text\": \"I loo\"}]}}], \"responseId\": \"r\"}\n\n\
         data: {\"error\": {\"code\": 503, \"message\": \"overloaded\"}}\n",
    ),
    (
        "gemini",
        "failed: HTTP 429: quota",
        r#"{"request": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, "response": {"status": 429, "body": {"error": {"message": "quota"}}}}"#,
    ),
    (
        "gemini",
        "failed: quota",
        r#"{"request": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, "response": {"error": {"code": 429, "message": "quota"}}}"#,
    ),
    (
        "gemini",
        "well",
        r#"{"request": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}, "response": {"error": {"code": 429, "message": "quota"}}}
           {"request": {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]},
            "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}, "finishReason": "STOP"}]}}"#,
    ),
    (
        "bedrock",
        "failed: malformed_tool_use",
        r#"{"output": {"message": {"role": "assistant", "content": [{"text": "I look."}]}}, "stopReason": "malformed_tool_use"}"#,
    ),
    (
        "bedrock",
        "cut: max_tokens",
        r#"{"output": {"message": {"role": "assistant", "content": [{"text": "I loo"}]}}, "stopReason": "max_tokens"}"#,
    ),
    (
        "bedrock",
        "cut: the stream ends without `messageStop`",
        r#"{"messageStart": {"role": "assistant"}}
           {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "I loo"}}}"#,
    ),
    (
        "bedrock",
        "failed: throttlingException: too many",
        r#"{"messageStart": {"role": "assistant"}}
           {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "I loo"}}}
           {"throttlingException": {"message": "too many"}}"#,
    ),
    (
        "rig",
        "cut: length",
        r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "stop": "length", "content": [{"text": "I loo"}]}]}"#,
    ),
    (
        "mcplab",
        "failed: connection refused",
        r#"{"type": "scenario_run", "scenario_id": "a", "ts_end": "2026-11-21T20:00:03.500Z", "error": "connection refused", "messages": []}"#,
    ),
    (
        "mcplab",
        "well",
        r#"{"type": "scenario_run", "scenario_id": "a", "ts_end": "2026-11-21T20:00:03.500Z", "messages": [{"role": "assistant", "content": "hi"}]}"#,
    ),
    (
        "model-exchanges",
        "failed: HTTP 429: slow down",
        r#"{"request": {"method": "POST", "path": "/v1/chat/completions", "body": {"messages": [{"role": "user", "content": "hi"}]}},
            "response": {"status": 200, "body": {"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant",
                "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}}]}}}
           {"request": {"method": "POST", "path": "/v1/chat/completions", "body": {"messages": [{"role": "user", "content": "hi"},
                {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "c", "content": "1"}]}},
            "response": {"status": 429, "body": {"error": {"message": "slow down"}}}}"#,
    ),
    (
        "model-exchanges",
        "well",
        r#"{"request": {"method": "POST", "path": "/v1/chat/completions", "body": {"messages": [{"role": "user", "content": "hi"}]}},
            "response": {"status": 429, "body": {"error": {"message": "slow down"}}}}
           {"request": {"method": "POST", "path": "/v1/chat/completions", "body": {"messages": [{"role": "user", "content": "hi"}]}},
            "response": {"status": 200, "body": {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}]}}}"#,
    ),
    (
        "evalview",
        "unknown",
        r#"{"session_id": "s", "steps": [{"tool_name": "f", "parameters": {}}], "final_output": "hi"}"#,
    ),
    (
        "episodes",
        "well",
        r#"{"type": "episode_start", "episode_id": "e", "timestamp": 1}
           {"type": "episode_end", "episode_id": "e", "timestamp": 2, "outcome": "pass", "final_output": "hi"}"#,
    ),
    (
        "episodes",
        "failed: error",
        r#"{"type": "episode_start", "episode_id": "e", "timestamp": 1}
           {"type": "episode_end", "episode_id": "e", "timestamp": 2, "outcome": "error"}"#,
    ),
    ("tool-events", "unknown", r#"{"type": "tool_call", "id": "1", "tool": "f", "arguments": {}}"#),
    (
        "ag-ui",
        "failed: 429",
        r#"{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
           {"type": "RUN_ERROR", "message": "429"}"#,
    ),
    (
        "ag-ui",
        "well",
        r#"{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
           {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}"#,
    ),
    (
        "ag-ui",
        "cut: the stream ends without `RUN_FINISHED`",
        r#"{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}
           {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "I loo"}"#,
    ),
    ("ag-ui", "unknown", r#"[{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "hi"}]"#),
    ("run-lines", "unknown", r#"{"prompt": "hi", "response": "hi"}"#),
    ("native", "failed: 429", r#"{"calls": [], "answer": "hi", "stop_reason": "error: 429"}"#),
    ("native", "limit: turns", r#"{"calls": [], "answer": "hi", "ended": {"limit": "turns"}}"#),
    (
        "native",
        "cut: the disk was full",
        r#"{"calls": [], "answer": "hi", "stop_reason": "cut: the disk was full"}"#,
    ),
    (
        "anthropic",
        "cut: pause_turn",
        r#"{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "I look."}], "stop_reason": "pause_turn"}"#,
    ),
    (
        "anthropic",
        "well",
        r#"{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "No."}], "stop_reason": "refusal"}"#,
    ),
    (
        "anthropic",
        "well",
        r#"{"type": "message", "role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}], "stop_reason": "tool_use"}"#,
    ),
    (
        "anthropic",
        "cut: the stream ends without `message_stop`",
        r#"{"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "stop_reason": null}}
           {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I loo"}}"#,
    ),
    (
        "anthropic",
        "failed: Overloaded",
        r#"{"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "stop_reason": null}}
           {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#,
    ),
    (
        "anthropic",
        "failed: gateway down",
        r#"{"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": [], "stop_reason": null}}
           {"error": {"message": "gateway down"}}"#,
    ),
    (
        "anthropic",
        "failed: slow down",
        r#"{"request": {"system": "s", "messages": [{"role": "user", "content": "hi"}]},
            "response": {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}}"#,
    ),
    (
        "openai-responses",
        "failed: overloaded",
        r#"{"object": "response", "id": "r", "status": "failed", "error": {"code": "x", "message": "overloaded"}, "output": []}"#,
    ),
    (
        "openai-responses",
        "failed: HTTP 500",
        r#"{"request": {"model": "m", "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}]},
            "response": {"status_code": 500, "body": {"detail": "down"}}}"#,
    ),
    (
        "openai-responses",
        "failed: cancelled",
        r#"{"object": "response", "id": "r", "status": "cancelled", "output": []}"#,
    ),
    (
        "openai-responses",
        "cut: max_output_tokens",
        r#"{"object": "response", "id": "r", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []}"#,
    ),
    (
        "openai-responses",
        "failed: content_filter",
        r#"{"object": "response", "id": "r", "status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []}"#,
    ),
    (
        "openai-responses",
        "cut: queued",
        r#"{"object": "response", "id": "r", "status": "queued", "output": []}"#,
    ),
    (
        "openai-responses",
        "cut: the stream ends without `response.completed`",
        r#"{"type": "response.created", "response": {"object": "response", "id": "r", "status": "in_progress", "output": []}}
           {"type": "response.output_text.delta", "output_index": 0, "delta": "I loo"}"#,
    ),
    (
        "openai-responses",
        "failed: gateway down",
        r#"{"type": "response.created", "response": {"object": "response", "id": "r", "status": "in_progress", "output": []}}
           {"error": {"message": "gateway down"}}"#,
    ),
    (
        "openai-responses",
        "cut: incomplete",
        r#"[{"role": "user", "content": "hi"},
            {"type": "message", "role": "assistant", "status": "incomplete", "content": [{"type": "output_text", "text": "I loo"}]}]"#,
    ),
    (
        "openai-responses",
        "limit: Max turns (10) exceeded",
        r#"{"object": "trace.span", "id": "1", "trace_id": "t", "span_data": {"type": "agent", "name": "a"},
            "error": {"message": "Error in agent run", "data": {"error": "Max turns (10) exceeded"}}}"#,
    ),
    (
        "openai-chat",
        "cut: length",
        r#"{"object": "chat.completion", "choices": [{"finish_reason": "length", "message": {"role": "assistant", "content": "I loo"}}]}"#,
    ),
    (
        "openai-chat",
        "well",
        r#"{"object": "chat.completion", "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "refusal": "No."}}]}"#,
    ),
    (
        "openai-chat",
        "cut: the stream ends without `finish_reason`",
        r#"{"object": "chat.completion.chunk", "id": "1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "I loo"}}]}"#,
    ),
    (
        "openai-chat",
        "unknown",
        "data: {\"object\": \"chat.completion.chunk\", \"choices\": [{\"index\": 0, \"delta\": {\"content\": \"hi\"}}]}\n\ndata: [DONE]\n",
    ),
    (
        "openai-chat",
        "failed: gateway down",
        r#"{"object": "chat.completion.chunk", "id": "1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "I loo"}}]}
           {"error": {"message": "gateway down"}}"#,
    ),
    (
        "openai-chat",
        "failed: HTTP 429: slow down",
        r#"{"request": {"messages": [{"role": "user", "content": "hi"}]},
            "response": {"choices": [{"finish_reason": "tool_calls", "message": {"role": "assistant",
                "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}}]}}
           {"request": {"messages": [{"role": "user", "content": "hi"},
                {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "c", "content": "1"}]},
            "response": {"status": 429, "body": {"error": {"message": "slow down"}}}}"#,
    ),
    (
        "openai-chat",
        "well",
        r#"{"request": {"tools": [{"type": "function", "function": {"name": "f"}}], "messages": [{"role": "user", "content": "hi"}]},
            "error": {"message": "slow down"}}
           {"request": {"tools": [{"type": "function", "function": {"name": "f"}}], "messages": [{"role": "user", "content": "hi"}]},
            "response": {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}]}}"#,
    ),
    (
        "openai-chat",
        "cut: the stream ends without `done: true`",
        r#"{"model": "m", "message": {"role": "assistant", "content": "I "}, "done": false}
           {"model": "m", "message": {"role": "assistant", "content": "loo"}, "done": false}"#,
    ),
    (
        "openai-chat",
        "well",
        r#"{"model": "m", "message": {"role": "assistant", "content": "hi"}, "done": true}"#,
    ),
];

fn read_one(format: &str, text: &str) -> Trace {
    let recording = reader::read(text, None).unwrap_or_else(|error| panic!("{format}: {error}\n{text}"));
    assert_eq!(recording.format, format, "{text}");
    assert_eq!(recording.runs.len(), 1, "{text}");
    recording.runs.into_iter().next().expect("a run")
}

#[test]
fn each_format_says_how_its_run_ended() {
    let mut wrong = Vec::new();
    for (format, ended, text) in FILES {
        let run = read_one(format, text);
        if run.ended.to_string() != *ended {
            wrong.push(format!("{format}: `{}` instead of `{ended}`:\n{text}", run.ended));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_run_that_is_written_in_the_native_form_ends_as_before() {
    for (format, ended, text) in FILES {
        let native = reader::to_native(&read_one(format, text));
        let read = reader::read(&native, Some("native")).expect("a native trace").runs;
        assert_eq!(read[0].ended.to_string(), *ended, "{format}: {native}");
    }
}

/// The records that end a stream: the format, the beginning of the names of its samples, and a text of such a record
/// without its blanks.
const STREAM_ENDS: &[(&str, &str, &str)] = &[
    ("ag-ui", "events", "RUN_FINISHED"),
    ("anthropic", "stream", "\"message_stop\""),
    ("bedrock", "stream.plain", "\"messageStop\""),
    ("claude-code", "stream-json", "\"type\":\"result\""),
    ("codex", "exec-json.s", "turn.completed"),
    ("codex", "rollout.s", "task_complete"),
    ("gemini", "stream.constructed", "\"finishReason\""),
    ("gemini-cli", "gemini_cli.stream-json", "\"type\":\"result\""),
    ("openai-chat", "chunks", "\"finish_reason\":\""),
    ("openai-chat", "ollama.stream", "\"done\":true"),
    ("openai-responses", "responses.stream", "\"response.completed\""),
    ("vercel-ai", "v", "\"type\":\"finish\""),
];

#[test]
fn a_stream_without_its_last_event_broke_off() {
    let samples = samples::named_samples();
    for (format, beginning, end) in STREAM_ENDS {
        let (_, files) = samples.iter().find(|(name, _)| name == format).expect("samples");
        let mut count = 0;
        for (file, text) in files.iter().filter(|(file, _)| file.starts_with(beginning)) {
            let is_end = |line: &str| line.replace(' ', "").contains(end) || line.contains("[DONE]");
            let rest: Vec<&str> = text.lines().filter(|line| !is_end(line)).collect();
            let whole = reader::read(text, Some(format)).expect("a sample").runs;
            let well = whole.iter().filter(|run| run.ended.word() == "well").count();
            if rest.len() == text.lines().count() || rest.len() < 2 || well < whole.len() {
                continue;
            }
            count += 1;
            let runs = reader::read(&rest.join("\n"), Some(format)).expect("a stream").runs;
            let is_cut = |run: &Trace| run.ended.to_string().starts_with("cut: the stream ends without");
            assert!(runs.iter().all(is_cut), "{format}/{file}: {:?}", runs[0].ended);
        }
        assert!(count > 0, "no sample of {format} is a stream with {end}");
    }
}

#[test]
fn a_turn_in_which_a_call_was_tried_is_unread() {
    for (format, text) in [
        (
            "gemini",
            r#"{"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "MALFORMED_FUNCTION_CALL"}]}"#,
        ),
        ("gemini", r#"{"candidates": [{"finishReason": "UNEXPECTED_TOOL_CALL"}]}"#),
        (
            "bedrock",
            r#"{"output": {"message": {"role": "assistant", "content": [{"text": "I look."}]}}, "stopReason": "malformed_tool_use"}"#,
        ),
        (
            "adk",
            r#"{"invocationId": "e", "author": "root", "errorCode": "MALFORMED_FUNCTION_CALL", "errorMessage": "print(f())"}"#,
        ),
        (
            "otel",
            r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "spanId": "1", "name": "chat", "attributes": [
                {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
                {"key": "anthropic.message.stop_reason", "value": {"stringValue": "tool_use"}}]}]}]}]}"#,
        ),
        (
            "otel",
            r#"{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "a", "spanId": "1", "name": "chat", "attributes": [
                {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
                {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "9"}},
                {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "9"}}]}]}]}]}"#,
        ),
    ] {
        let run = read_one(format, text);
        assert!(run.calls_unrecorded.is_some(), "{format}: {text}");
    }
}

#[test]
fn a_declared_reader_reads_the_reason_of_the_last_turn_or_of_the_run() {
    let declaration = r#"{"when": {"path": "$.log"}, "steps": "$.log[*]", "say": "$.said", "stop": "$.why"}"#;
    let declaration: ReaderDeclaration = json::from_str(declaration).expect("a declaration");
    let mut readers = ReaderSet::default();
    readers.declare("shop", declaration);
    for (text, ended) in [
        (r#"{"log": [{"said": "I loo", "why": "length"}, {"said": "Done.", "why": "stop"}]}"#, "well"),
        (r#"{"log": [{"said": "I look.", "why": "stop"}, {"said": "Do", "why": "length"}]}"#, "cut: length"),
        (r#"{"log": [{"said": "I loo", "why": "length"}, {"said": "Done."}]}"#, "unknown"),
        (
            r#"{"log": [{"said": "I look."}], "why": "Maximum number of turns 2 reached."}"#,
            "limit: Maximum number of turns 2 reached.",
        ),
    ] {
        let recording = readers.read(text, None).expect("a trace");
        assert_eq!(recording.runs[0].ended.to_string(), ended, "{text}");
    }
}

/// The formats in the first column of the table of ends.
#[test]
fn the_docs_say_of_each_format_how_its_runs_end() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/traces.md");
    let docs = fs::read_to_string(path).expect("the docs");
    let (_, section) = docs.split_once("\n## How a run ended\n").expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let names: Vec<&str> = READERS.iter().map(|reader| reader.name).collect();
    assert_eq!(rows.collect::<Vec<_>>(), names);
    for (_, ended, _) in FILES {
        if let Some((_, end)) = ended.split_once("the stream ends without ") {
            assert!(section.contains(end), "{end}");
        }
    }
}
