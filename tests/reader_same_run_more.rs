//! One run, recorded in every format: the same calls, arguments, results and answer, but for what a format cannot tell.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::reader;
use arraign::trace::{Call, CallStatus, Trace};
use serde_json::{Value, json};

/// What the formats cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blind {
    /// What the user asked.
    Input,
    /// How many tokens it took.
    Usage,
    /// Which model answered.
    Model,
    /// Which calls failed.
    Failure,
    /// Which calls were parallel.
    Turns,
    /// How many of the tokens were reasoning.
    Reasoning,
}

use Blind::{Failure, Input, Model, Reasoning, Turns, Usage};

/// The files that hold the run, and what each cannot tell.
const FILES: &[(&str, &[Blind])] = &[
    ("otel/maf.otlp.json", &[]),
    ("otel/maf.otlp.jsonl", &[]),
    ("otel/console.constructed.log", &[]),
    ("otel/openinference_langchain.otlp.jsonl", &[]),
    ("otel/traceloop_langchain.otlp.jsonl", &[Reasoning]),
    ("langchain/messages_to_dict.json", &[]),
    ("langchain/dumps_result_state.json", &[]),
    ("langchain/langgraph_state.json", &[]),
    ("langchain/langsmith_runs.jsonl", &[]),
    ("langchain/astream_events_v2.jsonl", &[Usage]),
    ("langchain/stream_messages.jsonl", &[Input, Usage]),
    ("langchain/stream_updates.jsonl", &[Input]),
    ("pydantic-ai/all_messages.json", &[]),
    ("pydantic-ai/all_messages.turn2.json", &[]),
    ("pydantic-ai/new_messages.json", &[]),
    ("pydantic-ai/v1.all_messages.json", &[]),
    ("vercel-ai/v6.fullStream.chat.jsonl", &[Input]),
    ("vercel-ai/v6.fullStream.responses.jsonl", &[Input]),
    ("vercel-ai/v6.generateText.result.chat.json", &[]),
    ("vercel-ai/v6.generateText.result.responses.json", &[]),
    ("vercel-ai/v6.generateText.steps.chat.json", &[]),
    ("vercel-ai/v6.response.messages.chat.json", &[Input, Usage, Model]),
    ("vercel-ai/v6.response.messages.responses.json", &[Input, Usage, Model]),
    ("vercel-ai/v6.ui_message.chat.json", &[Usage, Model]),
    ("vercel-ai/v6.ui_message.responses.json", &[Usage, Model]),
    ("vercel-ai/v6.ui_message_stream.chat.jsonl", &[Input, Usage, Model]),
    ("vercel-ai/v7.fullStream.responses.jsonl", &[Input]),
    ("vercel-ai/v7.generateText.result.chat.json", &[Input]),
    ("vercel-ai/v7.generateText.result.responses.json", &[Input]),
    ("vercel-ai/v7.generateText.steps.chat.json", &[Input]),
    ("vercel-ai/v7.generateText.steps.responses.json", &[Input]),
    ("vercel-ai/v7.ui_message.responses.json", &[Usage, Model]),
    ("vercel-ai/v7.ui_message_stream.chat.jsonl", &[Input, Usage, Model]),
    ("vercel-ai/v7.ui_message_stream.responses.jsonl", &[Input, Usage, Model]),
    ("gemini/gemini_contents.json", &[Usage, Model]),
    ("adk/adk_events.by_alias.jsonl", &[Input]),
    ("adk/adk_events.snake.jsonl", &[Input]),
    ("gemini-cli/gemini_cli.session.jsonl", &[]),
    // Its figures count the calls that choose a model as well.
    ("gemini-cli/gemini_cli.stream-json.jsonl", &[Usage]),
    ("inspect/shop.json", &[]),
    ("rig/rig-0.24.messages.json", &[Failure, Usage, Model]),
    ("rig/rig-0.44.messages.json", &[Usage]),
    ("mcplab/trace.jsonl", &[Reasoning]),
    ("evalview/trace.json", &[Input, Model, Turns, Reasoning]),
];

fn read(name: &str) -> Trace {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reader");
    let text = fs::read_to_string(folder.join(name)).expect("a file");
    let mut runs = reader::read(&text, None).unwrap_or_else(|error| panic!("{name}: {error}")).runs;
    runs.remove(0)
}

/// A name without the server that a client puts before it.
fn bare(name: &str) -> &str {
    name.strip_prefix("mcp_shop_").unwrap_or(name)
}

/// A result as JSON: formats keep it as JSON, or as the text that a model was sent.
fn parsed(call: &Call) -> Option<Value> {
    match call.result.as_ref()? {
        Value::String(text) => serde_json::from_str(text).ok(),
        value => Some(value.clone()),
    }
}

#[test]
fn calls_arguments_and_results_are_the_same_in_every_format() {
    for (name, blind) in FILES {
        let run = read(name);
        let names: Vec<&str> = run.calls.iter().map(|call| bare(&call.name)).collect();
        assert_eq!(names, ["get_order", "get_shipping_quote", "get_shipping_quote"], "{name}");
        let arguments: Vec<Option<&Value>> = run.calls.iter().map(|call| call.arguments.json()).collect();
        let expected = [
            json!({"order_id": "1042"}),
            json!({"city": "Oslo", "weight_kg": 1.2}),
            json!({"city": "Oslo", "weight_kg": 1.2, "carrier": "postnord"}),
        ];
        assert_eq!(arguments, expected.each_ref().map(Some), "{name}");
        let order = json!({"order_id": "1042", "status": "shipped", "tracking": "TRK-88"});
        assert_eq!(parsed(&run.calls[0]), Some(order), "{name}");
        assert_eq!(parsed(&run.calls[2]), Some(json!({"price": 18.5, "currency": "USD"})), "{name}");
        let turns: Vec<usize> = run.calls.iter().map(|call| call.turn).collect();
        assert_eq!(turns, if blind.contains(&Turns) { [1, 2, 3] } else { [1, 1, 2] }, "{name}");
        let ids = run.calls.iter().filter(|call| call.id.is_some()).count();
        assert_eq!(ids, 3, "{name}");
    }
}

#[test]
fn the_failed_call_is_the_same_in_every_format_that_has_a_word_for_it() {
    for (name, blind) in FILES {
        let run = read(name);
        let statuses: Vec<CallStatus> = run.calls.iter().map(|call| call.status).collect();
        if blind.contains(&Failure) {
            assert_eq!(statuses, [CallStatus::Unknown; 3], "{name}");
            continue;
        }
        assert_eq!(statuses, [CallStatus::Ok, CallStatus::Error, CallStatus::Ok], "{name}");
        let error = run.calls[1].error.as_deref().unwrap_or_default();
        assert!(error.contains("carrier timeout"), "{name}: {error}");
    }
}

#[test]
fn the_conversation_is_the_same_in_every_format() {
    for (name, blind) in FILES {
        let run = read(name);
        let answer = "Order 1042 has shipped (tracking TRK-88). Reshipping to Oslo costs $18.50.";
        assert_eq!(run.answer.as_deref(), Some(answer), "{name}");
        let question = "Where is my order 1042, and what would it cost to reship it to Oslo?";
        assert_eq!(run.input.as_deref(), (!blind.contains(&Input)).then_some(question), "{name}");
        assert_eq!(run.model.is_none(), blind.contains(&Model), "{name}: {:?}", run.model);
    }
}

#[test]
fn tokens_are_counted_once_in_every_format_that_counts_them() {
    for (name, blind) in FILES {
        let run = read(name);
        if blind.contains(&Usage) {
            assert!(run.usage.is_none_or(|usage| usage.input_tokens != 590), "{name}");
            continue;
        }
        let usage = run.usage.unwrap_or_else(|| panic!("{name} has no tokens"));
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.partial), (590, 95, false), "{name}");
        assert_eq!(usage.cached_tokens.unwrap_or(192), 192, "{name}");
        let reasoning = (!blind.contains(&Reasoning)).then_some(12);
        assert_eq!(usage.reasoning_tokens, reasoning, "{name}");
    }
}
