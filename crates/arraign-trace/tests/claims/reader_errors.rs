//! What a user reads when a trace cannot be read.

use arraign_trace::reader::{self, Recording, TraceProblem};
use arraign_trace::trace::{CallStatus, Trace};

fn error(text: &str) -> String {
    reader::read(text, None).expect_err(text).to_string()
}

fn only(text: &str) -> Trace {
    let Recording { mut runs, .. } = reader::read(text, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

#[test]
fn an_empty_trace_is_called_empty() {
    for text in ["", " \r\n\n", "\u{feff}\n"] {
        assert_eq!(error(text), "the trace is empty");
    }
}

#[test]
fn text_that_is_not_json_is_shown_where_it_stops() {
    assert_eq!(
        error("{\"messages\": [\n  {\"role\": \"user\",}\n]}"),
        "line 2, column 19: this is not JSON: trailing comma"
    );
    assert_eq!(
        error("{\"a\": 1}\n\n{\"a\": \n"),
        "line 3, column 6: this is not JSON: EOF while parsing a value"
    );
    assert_eq!(error("Hello, world"), "line 1, column 1: this is not JSON: expected value");
    let deep = "[".repeat(10_000);
    assert_eq!(error(&deep), "line 1, column 128: this is not JSON: recursion limit exceeded");
}

#[test]
fn a_trace_that_nobody_knows_gets_the_nearest_readers_reason() {
    let unknown = reader::read("{\"hello\": \"world\"}", None).expect_err("no trace");
    let nearest = "the nearest is `atif`: the document has no `schema_version` that begins with `ATIF-`";
    assert_eq!(unknown.to_string(), format!("no reader knows this trace; {nearest}"));
    assert!(unknown.help.is_some_and(|help| help.starts_with("declare a reader for it: docs/traces.md#")));
}

/// Why each reader declines a document that is no trace.
const REASONS: &str = "
  atif: the document has no `schema_version` that begins with `ATIF-`
  otel: the document has no `resourceSpans`
  maf: the document has no `contents` in it
  inspect: the document is neither a log with `eval` nor a sample with an `epoch`
  codex: the document is no line of a rollout, and no event of `codex exec`
  claude-code: the document has no `type`
  gemini-cli: it has neither the `projectHash` of a session nor a `tool_use` with `tool_id`
  qwen-code: the document has no `sessionId`
  copilot: the document is no event with `type` and `data`
  opencode: the document is neither an event nor a session
  pi: the document has neither `type` nor `role`
  adk: the document is no event with an `author` and an invocation
  a2a: the document holds no task, message or update of this protocol
  acp: the document is neither a JSON-RPC message nor an update of a session
  mcp: the document is no JSON-RPC message, and wraps none
  pydantic-ai: the document is no `request` or `response` with `parts`
  langchain: there is no message of LangChain's in it
  llamaindex: nothing in it is an event or a message of LlamaIndex
  semantic-kernel: the document is no history of messages with `items`
  vercel-ai: there is no step, message or stream part of this format in it
  gemini: the document holds no `parts` of contents
  bedrock: the document has neither `messages` nor an `output` with a `message`
  rig: nothing in its messages is this format's alone
  mcplab: there is no `scenario_run` in it
  model-exchanges: the document is no exchange with a model
  evalview: the document has no `steps`
  episodes: the document is no event of an episode
  tool-events: the document is no `tool_call` with a `tool`, and no `tool_result`
  ag-ui: the document has no `type` of an event of AG-UI
  run-lines: the document has no `prompt`
  native: the document has neither `steps` nor `calls`
  anthropic: the document has no `messages` and is no response
  openai-responses: the first record is not of this format
  openai-chat: the document has neither `messages` nor `choices`";

#[test]
fn each_reader_has_its_reason_to_decline_a_trace() {
    let unknown = reader::read("{\"hello\": \"world\"}", None).expect_err("no trace");
    let TraceProblem::Unknown(declined) = unknown.problem else { panic!("it is unknown") };
    let reasons: Vec<String> =
        declined.iter().map(|one| format!("\n  {}: {}", one.format, one.reason)).collect();
    assert_eq!(reasons.concat(), REASONS);
}

#[test]
fn two_equal_claims_are_an_error_only_when_they_read_different_things() {
    let same = r#"[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]"#;
    assert_eq!(only(same).answer.as_deref(), Some("hello"));
    let both = r#"[{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}],
        "tool_calls": [{"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}}]}]"#;
    let error = reader::read(both, None).expect_err("two readers");
    assert_eq!(
        error.to_string(),
        "several readers claim this trace, and they read different things: `anthropic`, `openai-chat`"
    );
    assert_eq!(error.help.as_deref(), Some("say which one it is: `trace: {file: ..., format: anthropic}`"));
    assert_eq!(reader::read(both, Some("anthropic")).expect("it is named").runs[0].tool_names(), ["f"]);
    assert_eq!(reader::read(both, Some("openai-chat")).expect("it is named").runs[0].tool_names(), ["g"]);
}

#[test]
fn an_unknown_format_is_answered_with_the_nearest() {
    let error = reader::read("{}", Some("openai_chat")).expect_err("an unknown name");
    assert_eq!(error.to_string(), "there is no trace format `openai_chat`");
    assert_eq!(error.help.as_deref(), Some("did you mean `openai-chat`?"));
}

#[test]
fn a_named_reader_says_what_it_misses() {
    let wrong = |text: &str, format: &str| reader::read(text, Some(format)).expect_err(text).to_string();
    assert_eq!(
        wrong("{\"a\": 1}", "openai-chat"),
        "openai-chat: there are neither `messages` nor `choices` in it"
    );
    assert_eq!(wrong("[]", "maf"), "maf: there is no run in it");
    assert_eq!(wrong("[]", "openai-chat"), "openai-chat: there is no run in it");
    assert_eq!(wrong("calls: [a]", "maf"), "line 1, column 1: this is not JSON: expected value");
}

#[test]
fn a_file_beside_a_run_says_what_it_is() {
    assert_eq!(
        error(
            r#"{"agentType": "general-purpose", "description": "Run checks", "toolUseId": "toolu_1", "spawnDepth": 1}"#
        ),
        "claude-code: this is the note beside a subagent's transcript, and holds no run: read the `.jsonl` file of \
         the same name"
    );
}

#[test]
fn figures_that_cannot_be_are_errors_with_their_place() {
    assert_eq!(
        error(
            r#"{"object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": ""}}],
            "usage": {"prompt_tokens": -5, "completion_tokens": 1}}"#
        ),
        "openai-chat: /usage/prompt_tokens: invalid count -5: expected a non-negative integer"
    );
    assert_eq!(
        error("{\"calls\": [\"a\"]}\n{\"calls\": [\"a\"], \"cost_usd\": -1}"),
        "native: line 2: /cost_usd: invalid amount -1: expected a non-negative number"
    );
    let start = r#"{"type":"episode_start","episode_id":"e","timestamp":9}"#;
    let end = r#"{"type":"episode_end","episode_id":"e","timestamp":4}"#;
    assert_eq!(
        error(&format!("{start}\n{end}")),
        "episodes: line 2: /timestamp: 4 is before the episode's start, 9"
    );
}

/// Files with a mistake, and what is said of it.
const MISTAKES: &[(&str, &str)] = &[
    (
        r#"[{"type":"function_call","call_id":"c","name":"f"},{"type":"function_call","call_id":"d"}]"#,
        "openai-responses: /1: `name` is missing",
    ),
    (
        r#"{"object":"response","output":[{"type":"function_call","call_id":"c"}]}"#,
        "openai-responses: /output/0: `name` is missing",
    ),
    (
        r#"{"$schemaVersion":"1","model_responses":[],"generated_items":[{"raw_item":1}]}"#,
        "openai-responses: /generated_items/0/raw_item: an object is expected here, not a number",
    ),
    (r#"{"object":"trace.span","span_data":{"type":"function"}}"#, "openai-responses: `name` is missing"),
    (
        r#"{"type":"assistant","sessionId":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t"}]}}"#,
        "claude-code: /message/content/0: `name` is missing",
    ),
    (
        r#"{"timestamp":"x","type":"response_item","payload":{"type":"function_call","call_id":"c"}}"#,
        "codex: /payload: `name` is missing",
    ),
    (r#"{"type":"item.completed","item":{"type":"mcp_tool_call"}}"#, "codex: /item: `tool` is missing"),
    (
        r#"{"schema_version":"ATIF-v1.4","steps":[{"source":"agent","tool_calls":[{}]}]}"#,
        "atif: /steps/0/tool_calls/0: `function_name` is missing",
    ),
    (
        r#"{"msg":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}}"#,
        "mcp: /msg/params: `name` is missing",
    ),
    (
        r#"{"type":"message_start","message":{"type":"message","role":"assistant","usage":{"input_tokens":-1}}}"#,
        "anthropic: /usage/input_tokens: invalid count -1: expected a non-negative integer",
    ),
    (
        r#"{"object":"chat.completion.chunk","choices":[{"delta":{"tool_calls":[1]}}]}"#,
        "openai-chat: /choices/0: a tool call must be an object, not a number",
    ),
];

/// Files whose mistake stands under one of several names of a key: the pointer has the name that the file has.
const ALIASES: &[(&str, &str)] = &[
    (
        r#"{"all_messages":[{"kind":"request","parts":[]},{"kind":"response","parts":[{"part_kind":"tool-call","tool_name":5,"tool_call_id":"c"}]}]}"#,
        "pydantic-ai: /all_messages/1/parts/0/tool_name: a string is expected here, not a number",
    ),
    (
        "{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}\n{\"role\":\"model\",\"parts\":[{\"function_call\":{\"name\":5}}]}",
        "gemini: line 2: /parts/0/function_call/name: a string is expected here, not a number",
    ),
    (
        r#"{"type":"agent_response","messages":[{"role":"assistant","contents":[{"type":"text","text":"hi"}]}],"usage":{"input_token_count":-4}}"#,
        "maf: /usage/input_token_count: invalid count -4: expected a non-negative integer",
    ),
    (
        r#"{"resource_spans":[{"scope_spans":[{"spans":[{"traceId":7}]}]}]}"#,
        "otel: /resource_spans/0/scope_spans/0/spans/0/traceId: a string is expected here, not a number",
    ),
    (
        r#"{"steps":[{"text":"","finishReason":"stop","content":[{"type":"text","text":"hi"}]}],"usage":{"inputTokens":-1}}"#,
        "vercel-ai: /usage/inputTokens: invalid count -1: expected a non-negative integer",
    ),
];

#[test]
fn a_pointer_has_the_key_of_the_file() {
    for (text, expected) in ALIASES {
        assert_eq!(error(text), *expected);
    }
}

#[test]
fn mistakes_in_each_format_have_their_place() {
    for (text, expected) in MISTAKES {
        assert_eq!(error(text), *expected);
    }
}

#[test]
fn a_stream_that_is_cut_is_shown_where_it_stops() {
    let stream = "event: a\ndata: {\"type\": \"response.created\"}\n\nevent: b\ndata: {\"type\": \n";
    assert_eq!(error(stream), "line 5, column 8: this is not JSON: EOF while parsing a value");
}

#[test]
fn a_mistake_deep_in_a_trace_has_a_pointer() {
    let call = r#"{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}"#;
    let messages = format!(
        r#"{{"messages": [{{"role": "assistant", "tool_calls": [{call}]}},
            {{"role": "assistant", "tool_calls": [{{"id": "d", "function": {{}}}}]}}]}}"#
    );
    assert_eq!(error(&messages), "openai-chat: /messages/1/tool_calls/0/function: `name` is missing");
}

#[test]
fn broken_arguments_are_an_attempt_and_no_error() {
    let call = r#"{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"a\": "}}"#;
    let trace = only(&format!(r#"[{{"role": "assistant", "content": null, "tool_calls": [{call}]}}]"#));
    assert_eq!((trace.calls[0].arguments.to_string().as_str(), trace.answer), ("{\"a\": ", None));
    assert_eq!(trace.calls[0].status, CallStatus::Unanswered);
}

#[test]
fn a_native_document_gives_a_line_and_a_column_for_each_mistake() {
    let text = "{\"calls\": [\"f\",\n  {\"call\": \"g\", \"arg\": {}}, {\"call\": \"h\", \"turn\": 0}\n],\n \"cost_usd\": -1}";
    assert_eq!(
        error(text),
        "native: line 2, column 17: unknown key `arg` (help: did you mean `args`?)
line 2, column 51: expected a whole number from 1 up, found `0`
line 4, column 14: invalid amount -1: expected a non-negative number"
    );
    let steps = "[{\"user\": \"hi\"},\n {\"call\": \"f\", \"turn\": 0}]";
    assert_eq!(error(steps), "native: line 2, column 24: expected a whole number from 1 up, found `0`");
}

#[test]
fn arguments_is_another_name_of_args() {
    let trace = only(r#"{"calls": [{"name": "f", "arguments": {"a": 1}}]}"#);
    assert_eq!(trace.calls[0].arguments.to_text(), r#"{"a":1}"#);
    assert_eq!(
        error(r#"{"calls": [{"name": "f", "args": {}, "arguments": {}}]}"#),
        "native: line 1, column 51: `args` is given twice, once by another name"
    );
}

#[test]
fn the_table_has_one_reader_a_name() {
    let mut names: Vec<&str> = reader::READERS.iter().map(|reader| reader.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), reader::READERS.len());
    let unknown = reader::read("{}", None).expect_err("nobody's");
    assert!(matches!(unknown.problem, TraceProblem::Unknown(declined) if declined.len() == names.len()));
}

#[test]
fn a_text_of_very_many_values_is_refused_at_their_limit() {
    let text = format!("{{\"calls\": [\"a\"{}]}}", ",\n\"a\"".repeat(2_000_000));
    assert_eq!(error(&text), "line 1999999, column 4: the text has more than 2000000 values");
    let alone = arraign_trace::reader::read_run(&mut std::io::Cursor::new(&text), None, "1");
    let alone = alone.expect_err("too many values").to_string();
    assert_eq!(alone, "line 1999999, column 4: the text has more than 2000000 values");
    // The marks in a text are no values.
    let text = format!("{{\"calls\": [], \"answer\": \"{}\"}}", ",[:".repeat(1_000_000));
    assert_eq!(only(&text).answer.map(|answer| answer.len()), Some(3_000_000));
}

#[test]
fn a_run_of_very_many_steps_is_refused() {
    let text = format!("{{\"calls\": [\"a\"{}]}}", ",\"a\"".repeat(250_000));
    let refused = error(&text);
    assert!(refused.contains("a run has at most 250000 steps, and this one has 250001"), "{refused}");
}
