//! The kinds of records and parts that each reader skips, because they contain no call. A file with one of them is read
//! completely; a file with a kind that nobody knows is not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use arraign_trace::json::{self, Json};
use arraign_trace::reader;

/// A list of harmless kinds, and a file in which they stand.
struct HarmlessKinds {
    /// The source file and the list in it.
    list: (&'static str, &'static str),
    format: &'static str,
    /// A file below the samples, or its text.
    file: &'static str,
    /// The list in the file to which a record is added; of JSON Lines, the lines.
    pointer: &'static str,
    /// The record, with `KIND` in the place of its kind.
    record: &'static str,
    /// A kind that no version has.
    unknown: &'static str,
    kinds: &'static [&'static str],
}

const LISTS: &[HarmlessKinds] = &[
    HarmlessKinds {
        list: ("acp.rs", "HARMLESS_UPDATES"),
        format: "acp",
        file: "acp/sdk.updates.jsonl",
        pointer: "",
        record: r#"{"sessionId":"sess_7f","update":{"sessionUpdate":"KIND","content":{"type":"text","text":"x"}}}"#,
        unknown: "zz_new",
        kinds: &[
            "agent_thought_chunk",
            "plan",
            "plan_update",
            "plan_removed",
            "available_commands_update",
            "current_mode_update",
            "session_info_update",
            "notice",
            "compaction_update",
            "compaction_summary_chunk",
        ],
    },
    HarmlessKinds {
        list: ("acp.rs", "HARMLESS_CONTENTS"),
        format: "acp",
        file: "acp/sdk.updates.jsonl",
        pointer: "",
        record: r#"{"sessionId":"sess_7f","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"KIND","data":"x"}}}"#,
        unknown: "zz_new",
        kinds: &["image", "audio", "resource_link", "resource"],
    },
    HarmlessKinds {
        list: ("acp.rs", "KINDS"),
        format: "acp",
        file: "acp/sdk.updates.jsonl",
        pointer: "",
        record: r#"{"sessionId":"sess_7f","update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","kind":"KIND"}}"#,
        unknown: "zz_new",
        kinds: &[
            "read",
            "edit",
            "delete",
            "move",
            "search",
            "execute",
            "think",
            "fetch",
            "switch_mode",
            "other",
        ],
    },
    HarmlessKinds {
        list: ("acp.rs", "HARMLESS_METHODS"),
        format: "acp",
        file: "acp/sdk.jsonl",
        pointer: "",
        record: r#"{"jsonrpc":"2.0","id":9,"method":"KIND","params":{"sessionId":"sess_7f"}}"#,
        unknown: "zz/new",
        kinds: &[
            "authenticate",
            "logout",
            "session/list",
            "session/delete",
            "session/resume",
            "session/fork",
            "session/close",
            "session/set_mode",
            "session/set_model",
            "session/set_config_option",
            "session/cancel",
            "elicitation/create",
            "elicitation/complete",
            "$/cancel_request",
            "fs/read_text_file",
            "terminal/output",
            "terminal/release",
            "terminal/wait_for_exit",
            "terminal/kill",
        ],
    },
    HarmlessKinds {
        list: ("ag_ui/mod.rs", "WITHOUT_CALLS"),
        format: "ag-ui",
        file: "ag-ui/snapshot.json",
        pointer: "",
        record: r#"{"type":"KIND"}"#,
        unknown: "TOOL_CALL_NEW",
        kinds: &[
            "TOOL_CALL_END",
            "TEXT_MESSAGE_",
            "STATE_",
            "STEP_",
            "REASONING_",
            "THINKING_",
            "ACTIVITY_",
            "SUBAGENT_",
            "RUN_",
            "CUSTOM",
            "RAW",
        ],
    },
    HarmlessKinds {
        list: ("anthropic/mod.rs", "BLOCKS"),
        format: "anthropic",
        file: r#"[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}]"#,
        pointer: "/1/content",
        record: r#"{"type":"KIND"}"#,
        unknown: "zz_new",
        kinds: &[
            "text",
            "image",
            "document",
            "thinking",
            "redacted_thinking",
            "search_result",
            "container_upload",
            "tool_reference",
        ],
    },
    HarmlessKinds {
        list: ("bedrock/message.rs", "HARMLESS_PARTS"),
        format: "bedrock",
        file: r#"[{"role":"user","content":[{"text":"hi"},{"cachePoint":{"type":"default"}}]},{"role":"assistant","content":[{"text":"yes"}]}]"#,
        pointer: "/1/content",
        record: r#"{"KIND":{"x":1}}"#,
        unknown: "zzNew",
        kinds: &[
            "image",
            "document",
            "video",
            "audio",
            "guardContent",
            "cachePoint",
            "reasoningContent",
            "searchResult",
            "toolAddition",
            "toolRemoval",
        ],
    },
    HarmlessKinds {
        list: ("claude_code/session.rs", "LINES"),
        format: "claude-code",
        file: "claude-code/stream-json.jsonl",
        pointer: "",
        record: r#"{"type":"KIND","x":{"y":1}}"#,
        unknown: "zz_new",
        kinds: &[
            "agent-color",
            "agent-name",
            "agent-setting",
            "ai-title",
            "api-request",
            "api-request-blob",
            "api-request-shape",
            "attachment",
            "attribution-snapshot",
            "auth_status",
            "content-replacement",
            "control_cancel_request",
            "control_request",
            "control_response",
            "custom-title",
            "file-history-snapshot",
            "keep_alive",
            "last-prompt",
            "mode",
            "permission-mode",
            "pr-link",
            "progress",
            "prompt_suggestion",
            "queue-operation",
            "rate_limit_event",
            "saved_hook_context",
            "speculation-accept",
            "stream_event",
            "summary",
            "tag",
            "task-summary",
            "tool_progress",
            "tool_use_summary",
            "tools-used",
            "worktree-state",
        ],
    },
    HarmlessKinds {
        list: ("codex/exec.rs", "WITHOUT_CALLS"),
        format: "codex",
        file: "codex/empty_result.jsonl",
        pointer: "",
        record: r#"{"type":"item.started","item":{"id":"zz","type":"KIND"}}"#,
        unknown: "zz_new",
        kinds: &["agent_message", "user_message", "reasoning", "todo_list", "error", "plan_update"],
    },
    HarmlessKinds {
        list: ("codex/known_kinds.rs", "LINES"),
        format: "codex",
        file: "codex/rollout.shell.jsonl",
        pointer: "",
        record: r#"{"timestamp":"2026-11-21T20:44:08.748Z","type":"KIND","payload":{"x":{"y":1}}}"#,
        unknown: "zz_new",
        kinds: &[
            "compacted",
            "ghost_snapshot",
            "inter_agent_communication",
            "session_state",
            "token_usage_record",
            "world_state",
        ],
    },
    HarmlessKinds {
        list: ("codex/known_kinds.rs", "EVENTS"),
        format: "codex",
        file: "codex/rollout.shell.jsonl",
        pointer: "",
        record: r#"{"timestamp":"2026-11-21T20:44:08.748Z","type":"event_msg","payload":{"type":"KIND","x":{"y":1}}}"#,
        unknown: "zz_new",
        kinds: &[
            "agent_message",
            "agent_message_content_delta",
            "agent_message_delta",
            "agent_reasoning",
            "agent_reasoning_delta",
            "agent_reasoning_raw_content",
            "agent_reasoning_raw_content_delta",
            "agent_reasoning_section_break",
            "apply_patch_approval_request",
            "background_event",
            "collab_agent_interaction_begin",
            "collab_agent_interaction_end",
            "collab_agent_spawn_begin",
            "collab_agent_spawn_end",
            "collab_close_begin",
            "collab_close_end",
            "collab_resume_begin",
            "collab_resume_end",
            "collab_waiting_begin",
            "collab_waiting_end",
            "context_compacted",
            "conversation_path",
            "deprecation_notice",
            "dynamic_tool_call_request",
            "dynamic_tool_call_response",
            "elicitation_request",
            "entered_review_mode",
            "error",
            "exec_approval_request",
            "exec_command_begin",
            "exec_command_output_delta",
            "exited_review_mode",
            "get_history_entry_response",
            "guardian_assessment",
            "hook_completed",
            "hook_started",
            "image_generation_begin",
            "image_generation_end",
            "item_started",
            "item_updated",
            "list_custom_prompts_response",
            "list_skills_response",
            "mcp_list_tools_response",
            "mcp_startup_complete",
            "mcp_startup_update",
            "mcp_tool_call_begin",
            "model_reroute",
            "model_verification",
            "patch_apply_begin",
            "patch_apply_updated",
            "plan_delta",
            "plan_update",
            "raw_response_item",
            "reasoning_content_delta",
            "reasoning_raw_content_delta",
            "request_permissions",
            "request_user_input",
            "session_configured",
            "shutdown_complete",
            "skills_update_available",
            "stream_error",
            "task_started",
            "terminal_interaction",
            "thread_goal_updated",
            "thread_name_updated",
            "thread_rolled_back",
            "thread_settings_applied",
            "turn_diff",
            "turn_started",
            "undo_completed",
            "undo_started",
            "user_message",
            "view_image_tool_call",
            "warning",
            "web_search_begin",
            "web_search_end",
        ],
    },
    HarmlessKinds {
        list: ("copilot.rs", "HARMLESS_EVENTS"),
        format: "copilot",
        file: "copilot/events.denied.jsonl",
        pointer: "",
        record: r#"{"type":"KIND","id":"zz","parentId":"zz","timestamp":"2026-11-22T10:00:00.000Z","agentId":"zz","data":{}}"#,
        unknown: "assistant.zz_new",
        kinds: &[
            "assistant.turn_start",
            "assistant.turn_end",
            "assistant.idle",
            "assistant.intent",
            "assistant.reasoning",
            "assistant.reasoning_delta",
            "assistant.message_start",
            "assistant.message_delta",
            "assistant.streaming_delta",
            "assistant.tool_call_delta",
            "assistant.server_tool_progress",
            "assistant.usage",
            "assistant.fusion_phase_activity",
            "assistant.fusion_phase_completed",
            "assistant.fusion_phase_failed",
            "assistant.fusion_phase_started",
            "tool.shell_output",
            "tool.execution_partial_result",
            "tool.execution_progress",
            "external_tool.requested",
            "external_tool.completed",
            "mcp_app.tool_call_complete",
        ],
    },
    HarmlessKinds {
        list: ("gemini/content.rs", "WITHOUT_CALLS"),
        format: "gemini",
        file: r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"text":"yes"}]}]}"#,
        pointer: "/contents/1/parts",
        record: r#"{"KIND":{"x":1}}"#,
        unknown: "zzNew",
        kinds: &[
            "inlineData",
            "inline_data",
            "fileData",
            "file_data",
            "videoMetadata",
            "video_metadata",
            "partMetadata",
            "part_metadata",
            "mediaResolution",
            "media_resolution",
        ],
    },
    HarmlessKinds {
        list: ("gemini_cli/stream.rs", "WITHOUT_CALLS"),
        format: "gemini-cli",
        file: "gemini-cli/gemini_cli.stream-json.jsonl",
        pointer: "",
        record: r#"{"type":"KIND","timestamp":"2026-11-21T21:07:23.587Z"}"#,
        unknown: "zz_new",
        kinds: &["thought", "thinking", "retry", "info", "warning"],
    },
    HarmlessKinds {
        list: ("inspect/events.rs", "WITHOUT_CALLS"),
        format: "inspect",
        file: "inspect/react_subagent.json",
        pointer: "/samples/0/events",
        record: r#"{"event":"KIND","timestamp":"2026-11-21T21:07:23.587Z","x":{"y":1}}"#,
        unknown: "zz_new",
        kinds: &[
            "anchor",
            "approval",
            "branch",
            "checkpoint",
            "compaction",
            "error",
            "info",
            "input",
            "interrupt",
            "logger",
            "model",
            "review",
            "sample_init",
            "sample_limit",
            "sandbox",
            "score",
            "score_edit",
            "span_end",
            "state",
            "step",
            "store",
            "subtask",
        ],
    },
    HarmlessKinds {
        list: ("langchain/content.rs", "WITHOUT_CALLS"),
        format: "langchain",
        file: r#"[{"type":"human","content":"hi","id":"h1"},{"type":"ai","content":[{"type":"text","text":"Done."}],"id":"a1","tool_calls":[],"invalid_tool_calls":[]}]"#,
        pointer: "/1/content",
        record: r#"{"type":"KIND"}"#,
        unknown: "zz_new",
        kinds: &[
            "",
            "text",
            "tool_use",
            "tool_call",
            "tool_call_chunk",
            "invalid_tool_call",
            "input_json_delta",
            "function_call",
            "custom_tool_call",
            "thinking",
            "redacted_thinking",
            "reasoning",
            "reasoning_content",
            "image",
            "image_url",
            "audio",
            "video",
            "file",
            "text-plain",
            "refusal",
            "document",
            "mcp_list_tools",
        ],
    },
    HarmlessKinds {
        list: ("langchain/events.rs", "REPEATING"),
        format: "langchain",
        file: "langchain/astream_events_v2.jsonl",
        pointer: "",
        record: r#"{"event":"KIND","run_id":"zz","name":"x","data":{},"parent_ids":["zz"]}"#,
        unknown: "on_zz_new",
        kinds: &[
            "on_chain_start",
            "on_chain_stream",
            "on_chain_end",
            "on_chain_error",
            "on_chat_model_stream",
            "on_llm_start",
            "on_llm_stream",
            "on_llm_error",
            "on_tool_stream",
            "on_prompt_start",
            "on_prompt_end",
            "on_retriever_start",
            "on_retriever_stream",
            "on_retriever_end",
            "on_parser_start",
            "on_parser_stream",
            "on_parser_end",
            "on_custom_event",
        ],
    },
    HarmlessKinds {
        list: ("llamaindex.rs", "HARMLESS_EVENTS"),
        format: "llamaindex",
        file: "llamaindex/events.serializer.v0.14.shortened.jsonl",
        pointer: "",
        record: r#"{"__is_pydantic":true,"value":{"x":{"y":1}},"qualified_name":"llama_index.core.KIND"}"#,
        unknown: "ZzEvent",
        kinds: &["StartEvent", "AgentWorkflowStartEvent"],
    },
    HarmlessKinds {
        list: ("llamaindex.rs", "HARMLESS"),
        format: "llamaindex",
        file: "llamaindex/memory_messages.json",
        pointer: "/1/blocks",
        record: r#"{"block_type":"KIND"}"#,
        unknown: "zz_new",
        kinds: &["image", "audio", "video", "document", "thinking", "cache", "cache_point", "citation"],
    },
    HarmlessKinds {
        list: ("maf/content.rs", "WITHOUT_CALLS"),
        format: "maf",
        file: "maf/empty_result.json",
        pointer: "/messages/1/contents",
        record: r#"{"type":"KIND"}"#,
        unknown: "zz_new",
        kinds: &[
            "text_reasoning",
            "reasoning",
            "data",
            "uri",
            "image",
            "hosted_file",
            "hosted_vector_store",
            "annotations",
            "mcp_list_tools",
            "user_input_request",
            "user_input_response",
        ],
    },
    HarmlessKinds {
        list: ("openai_chat/detect.rs", "PARTS"),
        format: "openai-chat",
        file: r#"{"object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":[{"type":"text","text":"yes"}]}}]}"#,
        pointer: "/choices/0/message/content",
        record: r#"{"type":"KIND"}"#,
        unknown: "zz_new",
        kinds: &["text", "image_url", "input_audio", "file", "refusal", "video_url", "thinking", "reasoning"],
    },
    HarmlessKinds {
        list: ("openai_responses/items.rs", "WITHOUT_CALLS"),
        format: "openai-responses",
        file: "openai-responses/input_items.json",
        pointer: "",
        record: r#"{"type":"KIND","id":"zz"}"#,
        unknown: "zz_new",
        kinds: &[
            "reasoning",
            "mcp_list_tools",
            "mcp_approval_response",
            "item_reference",
            "compaction",
            "compaction_summary",
            "tool_search_tools",
        ],
    },
    HarmlessKinds {
        list: ("openai_responses/spans.rs", "WITHOUT_CALLS"),
        format: "openai-responses",
        file: "openai-responses/agents_sdk.refusal.trace_export.jsonl",
        pointer: "",
        record: r#"{"object":"trace.span","id":"zz","trace_id":"trace_f628f9a25a604882942a05bca3c9d911","parent_id":null,"started_at":"2026-11-22T10:39:20.589915+00:00","ended_at":"2026-11-22T10:39:20.602371+00:00","span_data":{"type":"KIND"},"error":null}"#,
        unknown: "zz_new",
        kinds: &[
            "handoff",
            "guardrail",
            "mcp_tools",
            "transcription",
            "speech",
            "speech_group",
            "task",
            "turn",
            "context",
            "compaction",
        ],
    },
    HarmlessKinds {
        list: ("opencode.rs", "HARMLESS_PARTS"),
        format: "opencode",
        file: "opencode/run.error.constructed.jsonl",
        pointer: "",
        record: r#"{"type":"zz","timestamp":1795374067180,"sessionID":"ses_dfb5df576ffezojJhoQiiBrEzP","part":{"id":"prt_zz","messageID":"msg_204a22420001i2f7Q4eWhI4h3R","sessionID":"ses_dfb5df576ffezojJhoQiiBrEzP","type":"KIND","synthetic":true}}"#,
        unknown: "zz-new",
        kinds: &[
            "text",
            "reasoning",
            "file",
            "step-start",
            "snapshot",
            "patch",
            "agent",
            "retry",
            "compaction",
            "subtask",
        ],
    },
    HarmlessKinds {
        list: ("otel/tree.rs", "WITHOUT_CALLS"),
        format: "otel",
        file: r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a1","spanId":"b1","name":"chat m","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"m"}}]}]}]}]}"#,
        pointer: "/resourceSpans/0/scopeSpans/0/spans",
        record: r#"{"traceId":"a1","spanId":"b2","parentSpanId":"b1","name":"x","startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"KIND"}}]}"#,
        unknown: "zz_new",
        kinds: &[
            "chain",
            "span",
            "event",
            "retriever",
            "retrieval",
            "embedding",
            "embeddings",
            "reranker",
            "rerank",
            "guardrail",
            "evaluator",
            "prompt",
            "unknown",
            "workflow",
            "task",
            "session",
            "create_agent",
            "execute_task",
            "execute_event_loop_cycle",
            "invoke_workflow",
            "handoff",
            "tool",
            "plan",
            "create_memory",
            "create_memory_store",
            "delete_memory",
            "delete_memory_store",
            "search_memory",
            "update_memory",
            "upsert_memory",
        ],
    },
    HarmlessKinds {
        list: ("pi.rs", "HARMLESS_LINES"),
        format: "pi",
        file: "pi/session.parts.constructed.jsonl",
        pointer: "",
        record: r#"{"type":"KIND","id":"zz"}"#,
        unknown: "zz_new",
        kinds: &[
            "agent_start",
            "agent_end",
            "turn_start",
            "turn_end",
            "message_start",
            "message_update",
            "tool_execution_update",
            "tool_execution_end",
            "model_change",
            "thinking_level_change",
            "compaction",
            "compaction_start",
            "compaction_end",
            "branch_summary",
            "custom",
            "custom_message",
            "label",
            "session_info",
            "queue_update",
            "auto_retry_start",
            "auto_retry_end",
        ],
    },
    HarmlessKinds {
        list: ("pi.rs", "HARMLESS_ROLES"),
        format: "pi",
        file: "pi/session.parts.constructed.jsonl",
        pointer: "",
        record: r#"{"type":"message","id":"zz","message":{"role":"KIND","content":"x"}}"#,
        unknown: "zzNew",
        kinds: &["bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary"],
    },
    HarmlessKinds {
        list: ("pydantic_ai/mod.rs", "WITHOUT_CALLS"),
        format: "pydantic-ai",
        file: r#"[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"hi"}]},{"kind":"response","parts":[{"part_kind":"text","content":"yes"}]}]"#,
        pointer: "/1/parts",
        record: r#"{"part_kind":"KIND","content":""}"#,
        unknown: "zz-new",
        kinds: &["thinking", "file", "compaction", "instructions"],
    },
    HarmlessKinds {
        list: ("rig.rs", "WITHOUT_CALLS"),
        format: "rig",
        file: "rig/bad_calls.constructed.json",
        pointer: "/1/content",
        record: r#"{"type":"KIND"}"#,
        unknown: "zz_new",
        kinds: &["image", "audio", "video", "document", "reasoning"],
    },
    HarmlessKinds {
        list: ("semantic_kernel.rs", "HARMLESS_ITEMS"),
        format: "semantic-kernel",
        file: "semantic-kernel/dotnet.constructed.json",
        pointer: "/1/Items",
        record: r#"{"$type":"KIND"}"#,
        unknown: "ZzContent",
        kinds: &[
            "image",
            "audio",
            "binary",
            "file_reference",
            "annotation",
            "streaming_annotation",
            "streaming_file_reference",
            "reasoning",
            "streaming_text",
            "ImageContent",
            "AudioContent",
            "BinaryContent",
            "FileReferenceContent",
            "AnnotationContent",
            "ReasoningContent",
            "ActionContent",
        ],
    },
    HarmlessKinds {
        list: ("vercel_ai/message.rs", "WITHOUT_CALLS"),
        format: "vercel-ai",
        file: "vercel-ai/v7.response.messages.responses.json",
        pointer: "/0/content",
        record: r#"{"type":"KIND"}"#,
        unknown: "zz-new",
        kinds: &[
            "reasoning",
            "reasoning-file",
            "redacted-reasoning",
            "file",
            "image",
            "source",
            "source-url",
            "source-document",
            "step-start",
            "data",
            "tool-approval-request",
            "tool-approval-response",
            "anthropic.message_start",
        ],
    },
    HarmlessKinds {
        list: ("vercel_ai/stream.rs", "WITHOUT_CALLS"),
        format: "vercel-ai",
        file: "vercel-ai/v6.fullStream.chat.jsonl",
        pointer: "",
        record: r#"{"type":"KIND"}"#,
        unknown: "zz-new",
        kinds: &[
            "start",
            "raw",
            "file",
            "source",
            "source-url",
            "source-document",
            "stream-start",
            "response-metadata",
            "text-start",
            "text-end",
            "tool-input-start",
            "tool-input-delta",
            "tool-input-end",
            "tool-approval-request",
            "message-metadata",
            "reasoning",
            "tool-call-input-streaming-start",
            "tool-call-delta",
            "tool-call-input-streaming-end",
            "tool-call-approval",
            "tripwire",
            "object",
            "object-result",
            "anthropic.message_start",
        ],
    },
];

/// The names of such lists in the sources.
const LIST_NAMES: &[&str] = &["BLOCKS", "EVENTS", "HARMLESS", "LINES", "PARTS", "REPEATING", "WITHOUT_CALLS"];

impl HarmlessKinds {
    /// The file with one more record of this kind.
    fn build_file(&self, kind: &str) -> String {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader");
        let text = if self.file.starts_with(['[', '{']) {
            self.file.to_owned()
        } else {
            fs::read_to_string(samples.join(self.file)).expect("a sample")
        };
        let record: Json = json::from_str(&self.record.replace("KIND", kind)).expect("a record");
        if let Ok(mut file) = json::parse(&text) {
            let list = file.pointer_mut(self.pointer).and_then(Json::as_array_mut).expect("a list");
            list.push(record);
            return file.to_string();
        }
        // Behind the first line, which often is the head of the file. A second head would begin another run.
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if !lines[0].contains(&format!("\"{kind}\"")) {
            lines.insert(1, record.to_string());
        }
        lines.join("\n")
    }

    /// What is not read of the file with one more record of this kind.
    fn list_unread(&self, kind: &str) -> Vec<String> {
        let file = self.build_file(kind);
        let read = reader::read(&file, Some(self.format));
        let runs = match read {
            Ok(read) => read.runs,
            Err(error) => return vec![error.to_string()],
        };
        runs.iter().flat_map(|run| run.unread.iter().map(ToString::to_string)).collect()
    }
}

#[test]
fn a_harmless_kind_leaves_nothing_unread() {
    let mut wrong = Vec::new();
    for list in LISTS {
        for kind in list.kinds {
            let unread = list.list_unread(kind);
            if !unread.is_empty() {
                wrong.push(format!("{:?}: {kind}: {unread:?}", list.list));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}",
        wrong.join(
            "
"
        )
    );
}

/// Without it, the test above could put its records where no reader looks.
#[test]
fn an_unknown_kind_is_unread_in_each_of_these_places() {
    let mut wrong = Vec::new();
    for list in LISTS {
        let unread = list.list_unread(list.unknown);
        let problem = format!("the unknown kind `{}`", list.unknown);
        if !unread.iter().any(|part| part.contains(&problem)) {
            wrong.push(format!("{:?}: {unread:?}", list.list));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}",
        wrong.join(
            "
"
        )
    );
}

/// Every kind that a source lists is in the table above.
#[test]
fn every_list_of_harmless_kinds_is_tested() {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/reader/formats");
    let mut untested = Vec::new();
    for file in list_sources(&formats) {
        let path =
            file.strip_prefix(&formats).expect("below the formats").to_string_lossy().replace('\\', "/");
        for (name, kinds) in find_lists(&fs::read_to_string(&file).expect("a source")) {
            let is_list = LIST_NAMES.iter().any(|known| name.starts_with(known));
            if !is_list || NOT_PASSED_OVER.contains(&(path.as_str(), name.as_str())) {
                continue;
            }
            let row = LISTS.iter().find(|row| row.list == (path.as_str(), name.as_str()));
            let known: BTreeSet<&str> = row.into_iter().flat_map(|row| row.kinds).copied().collect();
            let missing: Vec<&String> = kinds.iter().filter(|kind| !known.contains(kind.as_str())).collect();
            if row.is_none() || !missing.is_empty() {
                untested.push(format!("{path}: {name}: {missing:?}"));
            }
        }
    }
    assert!(untested.is_empty(), "{}", untested.join("\n"));
}

/// Lists of the same names that hold other things, and those of messages inside of the attributes of spans.
const NOT_PASSED_OVER: &[(&str, &str)] = &[
    ("episodes.rs", "EVENTS"),
    ("otel/message_events.rs", "EVENTS"),
    ("otel/message_events.rs", "WITHOUT_CALLS"),
    ("otel/chat_message.rs", "WITHOUT_CALLS"),
    ("otel/chat_messages.rs", "WITHOUT_CALLS"),
];

fn list_sources(folder: &Path) -> Vec<PathBuf> {
    let mut sources = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { sources.extend(list_sources(&path)) } else { sources.push(path) }
    }
    sources.sort();
    sources
}

/// The constant lists of texts in a source file, by name.
fn find_lists(source: &str) -> Vec<(String, Vec<String>)> {
    let constants = source.split("const ").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once(": ")?;
        let rest = rest.strip_prefix("[&str; ").or_else(|| rest.strip_prefix("&[&str]"))?;
        let list = rest.split_once('=')?.1.split_once(']')?.0;
        Some((name.to_owned(), list.split('"').skip(1).step_by(2).map(str::to_owned).collect()))
    });
    constants.collect()
}
