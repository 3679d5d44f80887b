//! What the answer of a run is: reasoning and calls in texts, texts beside calls, and parts that were not understood.

use arraign_trace::Trace;
use arraign_trace::json::{Json, json};
use arraign_trace::reader;
use arraign_trace::trace::{Arguments, CallStatus, Ended, Role, TextProtocol, UnreadContent};

fn read(format: &str, file: &Json) -> Trace {
    let recording = reader::read(&file.to_string(), Some(format)).expect("a trace");
    recording.runs.into_iter().next().expect("a run")
}

fn chat(texts: &[(&str, &str)]) -> Trace {
    let messages = texts.iter().map(|(role, content)| json!({"role": role, "content": content}));
    read("openai-chat", &messages.collect())
}

fn protocols(run: &Trace) -> Vec<&str> {
    let parts = run.unread.iter().filter_map(|part| match &part.what {
        UnreadContent::TextCall { protocol } => Some(protocol.as_str()),
        _ => None,
    });
    parts.collect()
}

#[test]
fn reasoning_in_a_text_is_no_part_of_the_answer_in_any_format() {
    let text = "<think>I must not say it.</think>\n\nIt ships.";
    let response = json!({"model": "m", "choices": [
        {"finish_reason": "stop", "message": {"role": "assistant", "content": text}}]});
    for (format, file) in [
        ("openai-chat", response),
        (
            "anthropic",
            json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": [{"type": "text", "text": text}]}]),
        ),
        ("native", json!({"steps": [{"user": "hi"}, {"say": text}]})),
        ("native", json!({"calls": [], "answer": text})),
        (
            "gemini",
            json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": text}]}]}),
        ),
    ] {
        let run = read(format, &file);
        assert_eq!(run.answer.as_deref(), Some("It ships."), "{format}");
        let kept = run
            .messages
            .last()
            .and_then(|message| message.reasoning.clone())
            .or(run.answer_reasoning.clone());
        assert_eq!(kept.as_deref(), Some("<think>I must not say it.</think>\n\n"), "{format}");
        // The native form keeps both apart, and whoever wants the whole text gets it.
        let again = reader::read(&reader::to_native(&run), None).expect("a trace").runs.remove(0);
        assert_eq!(again, run, "{format}");
        let mut whole = run;
        whole.restore_reasoning();
        assert_eq!(whole.answer.as_deref(), Some(text), "{format}");
        assert_eq!(whole.everything_said().as_deref(), Some(text), "{format}");
    }
}

#[test]
fn a_text_that_breaks_off_in_its_reasoning_is_no_answer() {
    let run =
        chat(&[("user", "hi"), ("assistant", "Let me see."), ("user", "well?"), ("assistant", "<think>It")]);
    assert_eq!(run.answer, None);
    assert_eq!(run.ended, Ended::Cut("the reasoning was not closed".to_owned()));
    assert_eq!(run.everything_said().as_deref(), Some("Let me see."));
    let again = reader::read(&reader::to_native(&run), None).expect("a trace").runs.remove(0);
    assert_eq!(again, run);
    let mut whole = run;
    whole.restore_reasoning();
    assert_eq!((whole.answer.as_deref(), whole.ended), (Some("<think>It"), Ended::Unknown));
    // Before a call, or before another message, nothing is cut.
    let file = json!([{"role": "user", "content": "hi"},
        {"role": "assistant", "content": "<think>I look.", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "7"},
        {"role": "assistant", "content": "It is 7."}]);
    let run = read("openai-chat", &file);
    assert_eq!((run.answer.as_deref(), &run.ended), (Some("It is 7."), &Ended::Unknown));
    assert_eq!(run.everything_said().as_deref(), Some("It is 7."));
}

#[test]
fn a_call_that_is_written_as_text_is_an_unread_part() {
    let asked = ("user", "Delete order 9.");
    for (text, protocol) in [
        ("<tool_call>{\"name\": \"delete\", \"arguments\": {}}</tool_call>", "hermes"),
        ("[TOOL_CALLS][{\"name\": \"delete\", \"arguments\": {}}]", "mistral"),
        ("<|channel|>commentary to=functions.delete <|message|>{}<|call|>", "harmony"),
        ("<execute_command>\n<command>rm</command>\n</execute_command>", "cline"),
        ("[{\"tool.name\": \"delete\", \"tool.args\": \"{}\"}]", "json"),
        ("<think>I delete it.\n<tool_call>{\"name\": \"delete\"}</tool_call>", "hermes"),
        ("<think>I delete it.</think>Action: delete\nAction Input: {\"id\": 9}", "react"),
        ("<think>I delete it.</think>[{\"tool.name\": \"delete\", \"tool.args\": \"{}\"}]", "json"),
    ] {
        let run = chat(&[asked, ("assistant", text), ("user", "{\"deleted\": 9}"), ("assistant", "Done.")]);
        assert_eq!(protocols(&run), [protocol], "{text}");
        assert!(run.calls_unrecorded.is_some(), "{text}");
        // The answer comes after the user's message, so it is whole.
        assert_eq!((run.answer.as_deref(), run.answer_doubt()), (Some("Done."), None), "{text}");
        let last = chat(&[asked, ("assistant", "I do."), ("assistant", text), ("assistant", "Done.")]);
        assert!(last.answer_doubt().is_some(), "{text}");
    }
}

#[test]
fn json_is_a_call_if_its_name_is_that_of_a_tool() {
    let text = "{\"name\": \"delete\", \"arguments\": {\"id\": 9}}";
    let mut run = chat(&[("user", "hi"), ("assistant", text)]);
    assert_eq!(protocols(&run), [""; 0]);
    assert!(run.may_hold_json_call());
    run.note_text_calls(&|name| name == "delete");
    run.note_text_calls(&|name| name == "delete");
    assert_eq!(protocols(&run), ["json"]);
    // The request offers the tool.
    let offered = json!({"request": {"messages": [{"role": "user", "content": "hi"}], "tools": [
            {"type": "function", "function": {"name": "delete", "parameters": {}}}]},
        "response": {"choices": [{"message": {"role": "assistant", "content": text}}]}});
    assert_eq!(protocols(&read("openai-chat", &offered)), ["json"]);
    // The run calls the tool elsewhere.
    let called = json!({"steps": [{"call": "delete", "result": 1}, {"say": text}]});
    assert_eq!(protocols(&read("native", &called)), ["json"]);
}

#[test]
fn calls_of_hermes_are_read_where_that_is_wanted() {
    let mut run = chat(&[
        ("user", "hi"),
        (
            "assistant",
            "<think>Two.</think>I look.\n<tool_call>\n{\"name\": \"f\", \"arguments\": {\"id\": 7}}\n</tool_call>\n<tool_call>\n{\"name\": \"g\", \"arguments\": \"{}\"}\n</tool_call>",
        ),
        ("user", "<tool_response>\n7\n</tool_response>\n<tool_response>\nError: no g\n</tool_response>"),
        ("assistant", "It is 7."),
    ]);
    run.read_text_calls(TextProtocol::React);
    assert_eq!((run.calls.len(), protocols(&run)), (0, vec!["hermes"]));
    run.read_text_calls(TextProtocol::Hermes);
    assert_eq!(run.tool_names(), ["f", "g"]);
    assert_eq!([run.calls[0].turn, run.calls[1].turn], [1, 1]);
    assert_eq!(run.calls[0].arguments, Arguments::Json(json!({"id": 7})));
    assert_eq!(run.calls[1].result, Some(json!("Error: no g")));
    assert_eq!(run.calls[1].status, CallStatus::Unknown);
    assert_eq!((run.unread.len(), &run.calls_unrecorded), (0, &None));
    let said: Vec<(Role, &str, usize)> =
        run.messages.iter().map(|said| (said.role, said.text.as_str(), said.after_calls)).collect();
    let wanted = [(Role::User, "hi", 0), (Role::Assistant, "I look.", 0), (Role::Assistant, "It is 7.", 2)];
    assert_eq!(said, wanted);
    assert_eq!(run.messages[1].reasoning.as_deref(), Some("<think>Two.</think>"));
    assert_eq!((run.answer.as_deref(), run.answer_doubt()), (Some("It is 7."), None));
}

#[test]
fn calls_of_react_are_read_in_one_text_or_in_several() {
    let alone = "Thought: x\nAction: f\nAction Input: {\"id\": 7}\nObservation: seven\nThought: y\nFinal Answer: It is 7.";
    let mut run = chat(&[("user", "hi"), ("assistant", alone)]);
    run.read_text_calls(TextProtocol::React);
    assert_eq!(run.tool_names(), ["f"]);
    assert_eq!(run.calls[0].result, Some(json!("seven")));
    assert_eq!(run.answer.as_deref(), Some("Thought: y\nFinal Answer: It is 7."));
    let mut run = chat(&[
        ("user", "hi"),
        ("assistant", "<think>x</think>Action: f\nAction Input: Oslo"),
        ("user", "Observation: seven"),
        ("assistant", "Action: g\nAction Input: {\"id\":"),
        ("user", "Go on."),
        ("assistant", "Final Answer: 7"),
    ]);
    run.read_text_calls(TextProtocol::React);
    assert_eq!(run.tool_names(), ["f", "g"]);
    assert_eq!(run.calls[0].arguments, Arguments::Json(json!("Oslo")));
    assert!(matches!(run.calls[1].arguments, Arguments::Broken { .. }));
    assert_eq!([run.calls[0].status, run.calls[1].status], [CallStatus::Unknown, CallStatus::Unanswered]);
    assert_eq!([run.calls[0].turn, run.calls[1].turn], [1, 2]);
    assert_eq!(run.answer.as_deref(), Some("Final Answer: 7"));
}

#[test]
fn a_call_in_text_that_cannot_be_read_stays_unread() {
    let mut run = chat(&[
        ("user", "hi"),
        ("assistant", "<tool_call>{\"name\": \"f\"}</tool_call>"),
        ("user", "<tool_response>1</tool_response>"),
        ("assistant", "<tool_call><function=g></function></tool_call>"),
        ("user", "go on"),
        ("assistant", "Done."),
    ]);
    run.read_text_calls(TextProtocol::Hermes);
    assert_eq!(run.tool_names(), ["f"]);
    assert_eq!(protocols(&run), ["hermes", "function tags"]);
    // The message has another number now, because a result is no message any more.
    assert!(run.unread.iter().all(|part| part.place.to_string() == "message 2"), "{:?}", run.unread);
    assert!(run.calls_unrecorded.is_some());
}

#[test]
fn a_call_in_an_answer_beside_the_messages_stays_unread() {
    let text = "<tool_call>{\"name\": \"f\"}</tool_call>";
    let mut run = read(
        "native",
        &json!({"steps": [{"say": text}, {"user": "go on"}], "answer": format!("Done. {text}")}),
    );
    assert_eq!(protocols(&run), ["hermes", "hermes"]);
    run.read_text_calls(TextProtocol::Hermes);
    assert_eq!((run.tool_names(), protocols(&run)), (vec!["f"], vec!["hermes"]));
    assert!(run.calls_unrecorded.is_some());
}

#[test]
fn a_list_of_parallel_calls_is_these_calls() {
    let arguments = json!({"tool_uses": [
        {"recipient_name": "functions.f", "parameters": {"id": 7}}, {"recipient_name": "functions.g", "parameters": {}}]});
    let file = |arguments: &Json| {
        json!([{"role": "user", "content": "hi"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
            "function": {"name": "multi_tool_use.parallel", "arguments": arguments.to_string()}}]},
        {"role": "tool", "tool_call_id": "a", "content": "both"},
        {"role": "assistant", "content": "Done."}])
    };
    let run = read("openai-chat", &file(&arguments));
    assert_eq!(run.tool_names(), ["f", "g"]);
    assert_eq!([run.calls[0].turn, run.calls[1].turn], [1, 1]);
    assert_eq!((run.answer.as_deref(), &run.calls_unrecorded), (Some("Done."), &None));
    let unreadable = read("openai-chat", &file(&json!({"tool_uses": "all"})));
    assert!(unreadable.calls_unrecorded.is_some());
}

#[test]
fn a_call_without_a_name_may_be_any_tool() {
    let file = json!([{"role": "user", "content": "hi"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "7"},
        {"role": "assistant", "content": "Done."}]);
    let run = read("openai-chat", &file);
    assert_eq!(
        run.unread.iter().map(|part| &part.what).collect::<Vec<_>>(),
        [&UnreadContent::NamelessCall(1)]
    );
    assert_eq!(run.answer_doubt(), None);
}

#[test]
fn a_text_behind_the_calls_of_its_message_is_said_before_their_results() {
    let call = json!({"content_type": "function_call", "id": "a", "function_name": "f", "arguments": {}});
    let result = json!({"content_type": "function_result", "id": "a", "result": 7});
    let text = |text: &str| json!({"content_type": "text", "text": text});
    let file = json!({"messages": [
        {"role": "user", "items": [text("hi")]},
        {"role": "assistant", "items": [call, text("I look.")]},
        {"role": "tool", "items": [result]},
        {"role": "assistant", "items": [text("It is 7.")]}]});
    assert_eq!(read("semantic-kernel", &file).answer.as_deref(), Some("It is 7."));
    // What a provider runs itself is answered in the message: the text behind it is the answer.
    let file = json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": [
        {"type": "text", "text": "I search."},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        {"type": "text", "text": "It is 7."}]}]);
    assert_eq!(read("anthropic", &file).answer.as_deref(), Some("It is 7."));
}

#[test]
fn an_unread_part_touches_the_answer_if_it_is_in_its_message_or_behind_it() {
    let answer = |parts: Json| {
        let run = read(
            "anthropic",
            &json!([{"role": "user", "content": "hi"},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}, {"type": "note_v2"}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "7"}]},
                {"role": "assistant", "content": parts}]),
        );
        run.answer_doubt()
    };
    let text = json!({"type": "text", "text": "It is 7."});
    assert_eq!(answer(json!([text])), None);
    assert!(answer(json!([text, {"type": "note_v2"}])).is_some());
    assert!(answer(json!([{"type": "note_v2"}, text])).is_some());
}

#[test]
fn an_empty_text_is_an_answer_unless_tokens_were_used_for_it() {
    let response = |usage: Json| {
        let file = json!({"request": {"messages": [{"role": "user", "content": "hi"}]},
            "response": {"usage": usage, "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": ""}}]}});
        let run = read("openai-chat", &file);
        (run.answer.clone(), run.answer_doubt().is_some())
    };
    let empty = || Some(String::new());
    let reasoned = json!({"prompt_tokens": 1, "completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 9}});
    assert_eq!(response(json!(null)), (empty(), false));
    assert_eq!(response(json!({"prompt_tokens": 1, "completion_tokens": 0})), (empty(), false));
    assert_eq!(response(reasoned), (empty(), false));
    assert_eq!(response(json!({"prompt_tokens": 1, "completion_tokens": 9})), (empty(), true));
}
