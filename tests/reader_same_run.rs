//! One run, recorded in many formats, is one trace: a table of files, and what each of them cannot tell.
//!
//! The run asks "Where is my order 1042, and what would it cost to reship it to Oslo?": two parallel calls, of which
//! one fails, a retry that works, and an answer.

use std::path::Path;

use Gap::{Answer, Failures, LastUsage, Redacted, Results, Turns, Usage};
use arraign::reader;
use arraign::trace::{Call, CallStatus, Trace};
use serde_json::{Value, json};

/// What a file cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Which calls were parallel.
    Turns,
    /// Which call failed.
    Failures,
    /// Why it failed.
    Redacted,
    /// What came of the calls.
    Results,
    /// What was said.
    Answer,
    /// The tokens.
    Usage,
    /// The tokens of all model calls but the last.
    LastUsage,
}

/// The files that hold the run whole, and their gaps.
const FILES: &[(&str, &[Gap])] = &[
    ("anthropic/messages.json", &[Usage]),
    ("anthropic/request_with_system.json", &[Usage]),
    ("anthropic/responses.jsonl", &[Results, Failures]),
    ("anthropic/stream.sse", &[Results, Failures]),
    ("atif/claude_code.shop-mcp.trajectory.json", &[]),
    ("atif/codex.shop-mcp.trajectory.json", &[Failures]),
    ("claude-code/stream-json.shop-mcp.jsonl", &[]),
    ("claude-code/transcript.shop-mcp.jsonl", &[]),
    ("codex/exec-json.shop-mcp.jsonl", &[Turns]),
    ("codex/rollout.shop-mcp.jsonl", &[]),
    ("episodes/events.jsonl", &[Turns, Usage]),
    ("maf/agent_response.chatcompletions.streamed.v1.23.0.to_dict.json", &[Redacted]),
    ("maf/agent_response.chatcompletions.v1.0.0.to_dict.json", &[]),
    ("maf/agent_response.chatcompletions.v1.0.0b251007.to_dict.json", &[Redacted, LastUsage]),
    ("maf/agent_response.chatcompletions.v1.0.0b260107.to_dict.json", &[Redacted, LastUsage]),
    ("maf/agent_response.chatcompletions.v1.0.0b260114.to_dict.json", &[Redacted, LastUsage]),
    ("maf/agent_response.chatcompletions.v1.0.0rc1.to_dict.json", &[LastUsage]),
    ("maf/agent_response.chatcompletions.v1.1.0.to_dict.json", &[]),
    ("maf/agent_response.chatcompletions.v1.16.0.to_dict.json", &[]),
    ("maf/agent_response.chatcompletions.v1.23.0.to_dict.json", &[Redacted]),
    ("maf/agent_response.chatcompletions.v1.23.0.to_json.json", &[Redacted]),
    ("maf/agent_response.chatcompletions.v1.6.0.to_dict.json", &[]),
    ("maf/agent_response.chatcompletions.v1.9.0.to_dict.json", &[]),
    ("maf/agent_response.responses.v1.23.0.to_dict.json", &[Redacted]),
    ("maf/agent_response_updates.chatcompletions.v1.23.0.jsonl", &[Redacted]),
    ("maf/agent_response_updates.responses.v1.23.0.jsonl", &[Redacted]),
    ("maf/agent_session.v1.23.0.to_dict.json", &[Redacted, Usage]),
    ("maf/dotnet_agent_response.constructed.json", &[Redacted]),
    ("mcp/inspector_v2_history.constructed.json", &[Turns, Answer, Usage]),
    ("mcp/raw_jsonrpc.jsonl", &[Turns, Redacted, Answer, Usage]),
    ("mcp/tee_log.claude_code.jsonl", &[Turns, Answer, Usage]),
    ("mcp/tee_log.python_sdk.jsonl", &[Turns, Redacted, Answer, Usage]),
    ("native/steps.yaml", &[]),
    ("openai-chat/messages.json", &[Failures, Usage]),
    ("openai-chat/messages_with_tools.json", &[Failures, Usage]),
    ("openai-chat/request_response_log.jsonl", &[Failures]),
    ("openai-chat/chunks.jsonl", &[Results, Failures]),
    ("openai-chat/chunks.sse", &[Results, Failures]),
    ("openai-responses/agents_sdk.run_state.chatcompletions.json", &[Failures, Redacted]),
    ("openai-responses/agents_sdk.run_state.responses.json", &[Failures, Redacted]),
    ("openai-responses/agents_sdk.to_input_list.chatcompletions.json", &[Failures, Redacted, Usage]),
    ("openai-responses/agents_sdk.to_input_list.responses.json", &[Failures, Redacted, Usage]),
    ("openai-responses/agents_sdk.trace_export.chatcompletions.jsonl", &[Redacted]),
    ("openai-responses/agents_sdk.trace_export.responses.jsonl", &[Redacted, Answer]),
    ("openai-responses/agents_sdk.trace_ingest_body.chatcompletions.json", &[Redacted]),
    ("openai-responses/agents_sdk.trace_ingest_body.responses.json", &[Redacted, Answer]),
    ("openai-responses/input_and_output.jsonl", &[Failures]),
    ("openai-responses/input_items.json", &[Failures, Usage]),
    ("openai-responses/responses.jsonl", &[Results, Failures]),
    ("openai-responses/responses.stream.jsonl", &[Results, Failures]),
    ("openai-responses/responses.stream.sse", &[Results, Failures]),
    ("run-lines/runs.jsonl", &[Turns, Usage]),
];

fn run(file: &str) -> Trace {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader").join(file);
    let text = std::fs::read_to_string(path).expect(file);
    reader::read(&text, None).unwrap_or_else(|error| panic!("{file}: {error}")).runs.remove(0)
}

/// The first three calls: a log of a server may hold more.
fn each(compare: impl Fn(&str, &Trace, &[Call], &dyn Fn(Gap) -> bool)) {
    for (file, gaps) in FILES {
        let run = run(file);
        assert!(run.calls.len() >= 3, "{file}: {:?}", run.tool_names());
        compare(file, &run, &run.calls[..3], &|gap| !gaps.contains(&gap));
    }
}

#[test]
fn the_same_tools_are_called_with_the_same_arguments_in_the_same_turns() {
    each(|file, _, calls, tells| {
        let bare = |call: &Call| call.name.rsplit("__").next().unwrap_or_default().to_owned();
        let names: Vec<String> = calls.iter().map(bare).collect();
        assert_eq!(names, ["get_order", "get_shipping_quote", "get_shipping_quote"], "{file}");
        let arguments: Vec<Option<&Value>> = calls.iter().map(|call| call.arguments.json()).collect();
        let expected = [
            json!({"order_id": "1042"}),
            json!({"city": "Oslo", "weight_kg": 1.2}),
            json!({"city": "Oslo", "weight_kg": 1.2, "carrier": "postnord"}),
        ];
        assert_eq!(arguments, expected.each_ref().map(Some), "{file}");
        let turns: Vec<bool> = calls.windows(2).map(|pair| pair[0].turn == pair[1].turn).collect();
        assert_eq!(turns, [tells(Turns), false], "{file}");
    });
}

#[test]
fn the_same_calls_fail_and_the_others_return_the_same() {
    each(|file, _, calls, tells| {
        let statuses: Vec<CallStatus> = calls.iter().map(|call| call.status).collect();
        let expected = match (tells(Results), tells(Failures)) {
            (false, _) => [CallStatus::Unanswered; 3],
            (true, false) => [CallStatus::Unknown; 3],
            (true, true) => [CallStatus::Ok, CallStatus::Error, CallStatus::Ok],
        };
        assert_eq!(statuses, expected, "{file}");
        if tells(Results) {
            let order = json!({"order_id": "1042", "status": "shipped", "tracking": "TRK-88"});
            assert_eq!(value_of(&calls[0]), Some(order), "{file}");
            assert_eq!(value_of(&calls[2]), Some(json!({"price": 18.5, "currency": "USD"})), "{file}");
        }
        if tells(Failures) {
            let error = calls[1].error.as_deref().unwrap_or_default();
            assert_eq!(error.contains("carrier timeout"), tells(Redacted), "{file}: {error}");
        }
    });
}

/// A result as JSON. Some libraries print Python's form of it.
fn value_of(call: &Call) -> Option<Value> {
    match call.result.as_ref()? {
        Value::String(text) => serde_json::from_str(&text.replace('\'', "\"")).ok(),
        value => Some(value.clone()),
    }
}

#[test]
fn the_same_answer_is_given() {
    each(|file, run, _, tells| {
        let answer = "Order 1042 has shipped (tracking TRK-88). Reshipping to Oslo costs $18.50.";
        assert_eq!(run.answer.as_deref(), tells(Answer).then_some(answer), "{file}");
    });
}

#[test]
fn the_same_tokens_are_used() {
    each(|file, run, _, tells| {
        let figures = run.usage.map(|usage| (usage.input_tokens, usage.output_tokens, usage.partial));
        let expected = if tells(LastUsage) { (590, 95, false) } else { (260, 30, true) };
        assert_eq!(figures, tells(Usage).then_some(expected), "{file}");
        let cached = run.usage.and_then(|usage| usage.cached_tokens);
        let expected = if tells(LastUsage) { 192 } else { 128 };
        assert_eq!(cached.unwrap_or(expected), expected, "{file}");
    });
}
