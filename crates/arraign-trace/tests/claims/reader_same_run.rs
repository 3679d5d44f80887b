//! One run, recorded in every format, is one trace: a table of files, and what each of them cannot tell.
//!
//! The run asks "Where is my order 1042, and what would it cost to reship it to Oslo?": two parallel calls, of which
//! one fails, a retry that works, and an answer.

use std::path::Path;

use Gap::{Answer, Failures, Ids, Input, LastUsage, Model, Reasoning, Redacted, Results, Turns, Usage};
use arraign_trace::json::{self, Json, json};
use arraign_trace::reader;
use arraign_trace::trace::{Call, CallStatus, Trace};

/// What a file cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// What the user asked.
    Input,
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
    /// Which model answered.
    Model,
    /// The tokens.
    Usage,
    /// The tokens of all model calls but the last.
    LastUsage,
    /// How many of the tokens were reasoning.
    Reasoning,
    /// The ids of the calls.
    Ids,
}

/// The files that hold the run whole, and their gaps.
const FILES: &[(&str, &[Gap])] = &[
    ("adk/adk_events.by_alias.jsonl", &[Input]),
    ("adk/adk_events.snake.jsonl", &[Input]),
    ("ag-ui/events.sse", &[Failures]),
    ("ag-ui/events.without_parents.jsonl", &[Failures]),
    ("anthropic/messages.json", &[Model, Usage]),
    ("anthropic/request_with_system.json", &[Usage]),
    ("anthropic/responses.jsonl", &[Input, Failures, Results, Reasoning]),
    ("anthropic/stream.sse", &[Input, Failures, Results, Reasoning]),
    ("atif/claude_code.shop-mcp.trajectory.json", &[Reasoning]),
    ("atif/codex.shop-mcp.trajectory.json", &[Failures]),
    ("claude-code/stream-json.shop-mcp.jsonl", &[Input, Reasoning]),
    ("claude-code/transcript.shop-mcp.jsonl", &[Reasoning]),
    ("codex/exec-json.shop-mcp.jsonl", &[Input, Turns, Model]),
    ("codex/rollout.shop-mcp.jsonl", &[]),
    ("episodes/events.jsonl", &[Turns, Model, Usage, Ids]),
    ("evalview/trace.json", &[Input, Turns, Model, Reasoning]),
    ("gemini-cli/gemini_cli.session.jsonl", &[]),
    // Its figures count the calls that choose a model as well.
    ("gemini-cli/gemini_cli.stream-json.jsonl", &[Usage]),
    ("gemini/gemini_contents.json", &[Model, Usage]),
    ("inspect/shop.json", &[]),
    ("langchain/astream_events_v2.jsonl", &[Usage]),
    ("langchain/dumps_result_state.json", &[]),
    ("langchain/langgraph_state.json", &[]),
    ("langchain/langsmith_runs.jsonl", &[]),
    ("langchain/messages_to_dict.json", &[]),
    ("langchain/stream_messages.jsonl", &[Input, Usage]),
    ("langchain/stream_updates.jsonl", &[Input]),
    ("maf/agent_response.chatcompletions.streamed.v1.23.0.to_dict.json", &[Input, Redacted, Model]),
    ("maf/agent_response.chatcompletions.v1.0.0.to_dict.json", &[Input, Model]),
    ("maf/agent_response.chatcompletions.v1.0.0b251007.to_dict.json", &[Input, Redacted, Model, LastUsage]),
    ("maf/agent_response.chatcompletions.v1.0.0b260107.to_dict.json", &[Input, Redacted, Model, LastUsage]),
    ("maf/agent_response.chatcompletions.v1.0.0b260114.to_dict.json", &[Input, Redacted, Model, LastUsage]),
    ("maf/agent_response.chatcompletions.v1.0.0rc1.to_dict.json", &[Input, Model, LastUsage]),
    ("maf/agent_response.chatcompletions.v1.1.0.to_dict.json", &[Input, Model]),
    ("maf/agent_response.chatcompletions.v1.16.0.to_dict.json", &[Input, Model]),
    ("maf/agent_response.chatcompletions.v1.23.0.to_dict.json", &[Input, Redacted, Model]),
    ("maf/agent_response.chatcompletions.v1.23.0.to_json.json", &[Input, Redacted, Model]),
    ("maf/agent_response.chatcompletions.v1.6.0.to_dict.json", &[Input, Model]),
    ("maf/agent_response.chatcompletions.v1.9.0.to_dict.json", &[Input, Model]),
    ("maf/agent_response.responses.v1.23.0.to_dict.json", &[Input, Redacted, Model]),
    ("maf/agent_response_updates.chatcompletions.v1.23.0.jsonl", &[Input, Redacted, Model]),
    ("maf/agent_response_updates.responses.v1.23.0.jsonl", &[Input, Redacted, Model]),
    ("maf/agent_session.v1.23.0.to_dict.json", &[Redacted, Model, Usage]),
    ("maf/dotnet_agent_response.constructed.json", &[Input, Redacted, Model, Reasoning]),
    ("mcp/inspector_v2_history.constructed.json", &[Input, Turns, Answer, Model, Usage]),
    ("mcp/raw_jsonrpc.jsonl", &[Input, Turns, Redacted, Answer, Model, Usage]),
    ("mcp/tee_log.claude_code.jsonl", &[Input, Turns, Answer, Model, Usage]),
    ("mcp/tee_log.python_sdk.jsonl", &[Input, Turns, Redacted, Answer, Model, Usage]),
    ("mcplab/trace.jsonl", &[Reasoning]),
    ("native/order.json", &[Reasoning]),
    ("openai-chat/chunks.jsonl", &[Input, Failures, Results]),
    ("openai-chat/chunks.sse", &[Input, Failures, Results]),
    ("openai-chat/messages.json", &[Failures, Model, Usage]),
    ("openai-chat/messages_with_tools.json", &[Failures, Usage]),
    ("openai-chat/request_response_log.jsonl", &[Failures]),
    ("openai-responses/agents_sdk.run_state.chatcompletions.json", &[Failures, Redacted]),
    ("openai-responses/agents_sdk.run_state.responses.json", &[Failures, Redacted, Model]),
    ("openai-responses/agents_sdk.to_input_list.chatcompletions.json", &[Failures, Redacted, Usage]),
    ("openai-responses/agents_sdk.to_input_list.responses.json", &[Failures, Redacted, Model, Usage]),
    ("openai-responses/agents_sdk.trace_export.chatcompletions.jsonl", &[Redacted]),
    ("openai-responses/agents_sdk.trace_export.responses.jsonl", &[Input, Redacted, Answer, Model, Ids]),
    ("openai-responses/agents_sdk.trace_ingest_body.chatcompletions.json", &[Redacted]),
    ("openai-responses/agents_sdk.trace_ingest_body.responses.json", &[Input, Redacted, Answer, Model, Ids]),
    ("openai-responses/input_and_output.jsonl", &[Failures]),
    ("openai-responses/input_items.json", &[Failures, Model, Usage]),
    ("openai-responses/responses.jsonl", &[Input, Failures, Results]),
    ("openai-responses/responses.stream.jsonl", &[Input, Failures, Results]),
    ("openai-responses/responses.stream.sse", &[Input, Failures, Results]),
    ("otel/console.constructed.log", &[]),
    ("otel/maf.otlp.json", &[]),
    ("otel/maf.otlp.jsonl", &[]),
    ("otel/openinference_langchain.otlp.jsonl", &[]),
    ("otel/traceloop_langchain.otlp.jsonl", &[Reasoning]),
    ("pydantic-ai/all_messages.json", &[]),
    ("pydantic-ai/all_messages.turn2.json", &[]),
    ("pydantic-ai/new_messages.json", &[]),
    ("pydantic-ai/v1.all_messages.json", &[]),
    ("rig/rig-0.24.messages.json", &[Failures, Model, Usage]),
    ("rig/rig-0.44.messages.json", &[Usage]),
    ("run-lines/runs.jsonl", &[Turns, Model, Usage]),
    ("vercel-ai/v6.fullStream.chat.jsonl", &[]),
    ("vercel-ai/v6.fullStream.responses.jsonl", &[]),
    ("vercel-ai/v6.generateText.result.chat.json", &[]),
    ("vercel-ai/v6.generateText.result.responses.json", &[]),
    ("vercel-ai/v6.generateText.steps.chat.json", &[]),
    ("vercel-ai/v6.response.messages.chat.json", &[Input, Model, Usage]),
    ("vercel-ai/v6.response.messages.responses.json", &[Input, Model, Usage]),
    ("vercel-ai/v6.ui_message.chat.json", &[Model, Usage]),
    ("vercel-ai/v6.ui_message.responses.json", &[Model, Usage]),
    ("vercel-ai/v6.ui_message_stream.chat.jsonl", &[Input, Model, Usage]),
    ("vercel-ai/v7.fullStream.responses.jsonl", &[Input]),
    ("vercel-ai/v7.generateText.result.chat.json", &[Input]),
    ("vercel-ai/v7.generateText.result.responses.json", &[Input]),
    ("vercel-ai/v7.generateText.steps.chat.json", &[Input]),
    ("vercel-ai/v7.generateText.steps.responses.json", &[Input]),
    ("vercel-ai/v7.ui_message.responses.json", &[Model, Usage]),
    ("vercel-ai/v7.ui_message_stream.chat.jsonl", &[Input, Model, Usage]),
    ("vercel-ai/v7.ui_message_stream.responses.jsonl", &[Input, Model, Usage]),
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
        let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, ["get_order", "get_shipping_quote", "get_shipping_quote"], "{file}");
        let arguments: Vec<Option<&Json>> = calls.iter().map(|call| call.arguments.json()).collect();
        let expected = [
            json!({"order_id": "1042"}),
            json!({"city": "Oslo", "weight_kg": 1.2}),
            json!({"city": "Oslo", "weight_kg": 1.2, "carrier": "postnord"}),
        ];
        assert_eq!(arguments, expected.each_ref().map(Some), "{file}");
        let turns: Vec<bool> = calls.windows(2).map(|pair| pair[0].turn == pair[1].turn).collect();
        assert_eq!(turns, [tells(Turns), false], "{file}");
        assert!(calls.iter().all(|call| call.id.is_some() == tells(Ids)), "{file}");
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
fn value_of(call: &Call) -> Option<Json> {
    match call.result.as_ref()? {
        Json::String(text) => json::from_str(&text.replace('\'', "\"")).ok(),
        value => Some(value.clone()),
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    each(|file, run, _, tells| {
        let question = "Where is my order 1042, and what would it cost to reship it to Oslo?";
        assert_eq!(run.input.as_deref(), tells(Input).then_some(question), "{file}");
        let answer = "Order 1042 has shipped (tracking TRK-88). Reshipping to Oslo costs $18.50.";
        assert_eq!(run.answer.as_deref(), tells(Answer).then_some(answer), "{file}");
        assert_eq!(run.model.is_some(), tells(Model), "{file}: {:?}", run.model);
    });
}

#[test]
fn the_same_tokens_are_used() {
    each(|file, run, _, tells| {
        if !tells(Usage) {
            assert!(run.usage.is_none_or(|usage| usage.input_tokens != 590), "{file}");
            return;
        }
        let usage = run.usage.unwrap_or_else(|| panic!("{file} has no tokens"));
        let figures = (usage.input_tokens, usage.output_tokens, usage.partial);
        assert_eq!(figures, if tells(LastUsage) { (590, 95, false) } else { (260, 30, true) }, "{file}");
        let cached = if tells(LastUsage) { 192 } else { 128 };
        assert_eq!(usage.cached_tokens.unwrap_or(cached), cached, "{file}");
        let reasoning = if tells(LastUsage) { 12 } else { 4 };
        assert_eq!(usage.reasoning_tokens, tells(Reasoning).then_some(reasoning), "{file}");
    });
}
