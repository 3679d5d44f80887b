//! Readers that a user declares: what their paths mean, and what they leave.

use arraign_trace::Trace;
use arraign_trace::json::{self, Json, json};
use arraign_trace::reader::{ReaderSet, TraceError};
use arraign_trace::trace::{Arguments, CallStatus, Role};

/// A set with one reader, called `own`.
fn readers(declaration: Json) -> ReaderSet {
    let mut readers = ReaderSet::default();
    readers.declare("own", json::from_json(declaration).expect("a declaration"));
    readers
}

fn read_text(declaration: Json, text: &str) -> Result<Vec<Trace>, TraceError> {
    readers(declaration).read(text, Some("own")).map(|recording| recording.runs)
}

fn read_one(declaration: Json, document: &Json) -> Trace {
    let mut runs = read_text(declaration, &document.to_string()).expect("runs");
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn mistake(declaration: &Json) -> String {
    json::from_json::<arraign_trace::reader::ReaderDeclaration>(declaration.clone())
        .expect_err("a mistake")
        .to_string()
}

/// A declaration of messages with parts, as many formats have them.
fn of_messages() -> Json {
    json!({
        "when": {"path": "$.log[*].who", "equals": "bot"},
        "steps": "$.log[*]",
        "user": "$[?@.who == 'me'].parts[*].text",
        "say": "$[?@.who == 'bot'].parts[*].text",
        "call": {"each": "$.parts[?@.kind == 'use']", "name": "$.tool", "args": "$.with", "id": "$.ref"},
        "result": {"each": "$.parts[?@.kind == 'got']", "of": "$.ref", "value": "$.value", "failed": "$.bad"},
    })
}

fn messages() -> Json {
    json!({"log": [
        {"who": "me", "parts": [{"text": "hi"}]},
        {"who": "bot", "parts": [
            {"text": "a"}, {"kind": "use", "ref": "1", "tool": "f", "with": {"x": 1}},
            {"text": "b"}, {"kind": "use", "ref": "2", "tool": "g", "with": "{"}]},
        {"who": "tool", "parts": [
            {"kind": "got", "ref": "2", "value": "no", "bad": true}, {"kind": "got", "ref": "1", "value": {"y": 2}, "bad": false}]},
        {"who": "bot", "parts": [{"text": "done"}]},
    ]})
}

#[test]
fn texts_calls_and_results_are_read_in_the_order_of_their_lists() {
    let run = read_one(of_messages(), &messages());
    let said: Vec<(Role, &str, usize)> = run
        .messages
        .iter()
        .map(|message| (message.role, message.text.as_str(), message.after_calls))
        .collect();
    let wanted = [
        (Role::User, "hi", 0),
        (Role::Assistant, "a", 0),
        (Role::Assistant, "b", 1),
        (Role::Assistant, "done", 2),
    ];
    assert_eq!(said, wanted);
    assert_eq!(run.tool_names(), ["f", "g"]);
    assert_eq!([run.calls[0].turn, run.calls[1].turn], [1, 1]);
    assert_eq!((run.calls[0].status, &run.calls[0].result), (CallStatus::Ok, &Some(json!({"y": 2}))));
    assert_eq!((run.calls[1].status, run.calls[1].error.as_deref()), (CallStatus::Error, Some("no")));
    assert!(matches!(&run.calls[1].arguments, Arguments::Broken { raw, .. } if raw == "{"));
    assert_eq!(run.answer.as_deref(), Some("done"));
    assert!(run.unread.is_empty() && run.calls_unrecorded.is_none(), "{:?}", run.unread);
}

#[test]
fn a_part_of_a_new_kind_is_unread_and_has_its_place() {
    let text = messages().to_string().replace("\"use\"", "\"use_v2\"");
    let run = &read_text(of_messages(), &text).expect("a run")[0];
    let places: Vec<String> = run.unread.iter().map(ToString::to_string).collect();
    assert_eq!(run.calls.len(), 0);
    assert!(run.calls_unrecorded.is_some());
    assert!(places[0].starts_with("/log/1/parts/1: a part of the unknown kind `use_v2`"), "{places:?}");
    assert!(places.iter().any(|place| place.contains("a result of the call `2`")), "{places:?}");
}

#[test]
fn whatever_looks_like_a_call_is_one_or_is_unread() {
    let mut document = messages();
    document["extra"] = json!([{"name": "rm", "arguments": {"path": "/"}}]);
    let run = read_one(of_messages(), &document);
    let unread: Vec<String> = run.unread.iter().map(ToString::to_string).collect();
    assert_eq!(unread, ["/extra/0: a value that looks like a call of `rm`"]);
    // The same call once more, by its id or by its name and arguments, and the definition of a tool.
    document["extra"] = json!([
        {"name": "f", "id": "1", "arguments": {"x": 1}},
        {"name": "f", "arguments": {"x": 1}},
        {"name": "h", "parameters": {"type": "object", "properties": {}}},
    ]);
    assert!(read_one(of_messages(), &document).unread.is_empty());
}

#[test]
fn a_step_in_which_nothing_is_selected_is_unread_unless_it_only_tells() {
    let of = |step: Json| {
        let mut document = messages();
        document["log"].as_array_mut().expect("a list").push(step);
        read_one(of_messages(), &document).unread.len()
    };
    assert_eq!(of(json!({"who": "clock", "at": 7, "note": "tick"})), 0);
    assert_eq!(of(json!({"who": "bot", "parts": [], "type": "thinking", "data": {"a": {}}})), 0);
    assert_eq!(of(json!({"type": "shell", "line": "rm -rf /"})), 1);
    assert_eq!(of(json!({"type": "news", "data": {"a": 1}})), 1);
    let mut harmless = of_messages();
    harmless["harmless"] = json!(["news"]);
    let mut document = messages();
    document["log"].as_array_mut().expect("a list").push(json!({"type": "news", "data": {"a": 1}}));
    assert!(read_one(harmless, &document).unread.is_empty());
}

#[test]
fn results_without_ids_answer_calls_in_order_and_a_result_may_be_inside_its_call() {
    let declaration = json!({
        "steps": "$.log[*]",
        "call": {"name": "$.tool", "args": "$.with"},
        "result": {"value": "$.got", "error": "$.failure.message"},
    });
    let log = json!({"log": [{"tool": "f"}, {"tool": "g", "with": null}, {"got": 1}, {"got": 2, "failure": {"message": "no"}}]});
    let run = read_one(declaration, &log);
    let results: Vec<_> =
        run.calls.iter().map(|call| (call.name.as_str(), call.result.clone(), call.status)).collect();
    assert_eq!(results, [("f", Some(json!(1)), CallStatus::Ok), ("g", Some(json!(2)), CallStatus::Error)]);
    assert_eq!(run.calls[0].arguments, Arguments::Unrecorded);
    assert_eq!(run.calls[1].arguments, Arguments::none());

    let inside = json!({
        "steps": "$",
        "call": {"name": "$.tool", "result": {"value": ["$.output", "$.error"], "failed": {"path": "$.state", "equals": ["bad", "worse"]}}},
    });
    let log = "{\"tool\": \"f\", \"state\": \"fine\", \"output\": 1}\n{\"tool\": \"g\", \"state\": \"bad\", \"output\": null, \"error\": \"no\"}\n{\"tool\": \"h\"}";
    let run = &read_text(inside, log).expect("a run")[0];
    let statuses: Vec<CallStatus> = run.calls.iter().map(|call| call.status).collect();
    assert_eq!(statuses, [CallStatus::Ok, CallStatus::Error, CallStatus::Unanswered]);
    assert_eq!(run.calls[1].error.as_deref(), Some("no"));
}

#[test]
fn texts_are_json_and_numbered_keys_a_list_where_the_declaration_says_so() {
    let declaration = json!({
        "steps": {"path": "$.steps", "json": true},
        "call": {"each": "$.calls", "name": "$.n", "args": "$.a", "json": true},
    });
    let document =
        json!({"steps": json!([{"calls": json!([{"n": "f", "a": {"x": 1}}]).to_string()}]).to_string()});
    assert_eq!(read_one(declaration, &document).calls[0].arguments.get("x"), Some(&json!(1)));

    let numbered = json!({
        "steps": {"path": "$.t", "numbered": true},
        "say": "$.thought",
        "call": {"name": "$.tool", "args": "$.args", "result": {"value": "$.seen"}},
    });
    let document = json!({"t": {"thought_0": "a", "tool_0": "f", "args_0": {}, "seen_0": 1, "thought_1": "b", "tool_1": "g", "args_1": {}, "seen_1": 2}});
    let run = read_one(numbered, &document);
    assert_eq!(run.tool_names(), ["f", "g"]);
    assert_eq!(run.messages.iter().map(|message| message.after_calls).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_known_format_is_read_below_a_path_and_a_file_may_hold_several_runs() {
    let chat = |name: &str| {
        json!([{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": [
            {"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}}]}])
    };
    let file = json!({"cases": [{"no": 1, "log": chat("f")}, {"no": 2, "log": chat("g")}]});
    let each = json!({"runs": "$.cases[*]", "id": "$.no", "inside": {"path": "$.log", "as": "openai-chat"}});
    let runs = read_text(each, &file.to_string()).expect("runs");
    let told: Vec<_> = runs.iter().map(|run| (run.id.as_deref(), run.tool_names())).collect();
    assert_eq!(told, [(Some("1"), vec!["f"]), (Some("2"), vec!["g"])]);

    let together = json!({"inside": {"path": "$.cases[*].log", "as": "openai-chat"}});
    let run = read_one(together.clone(), &file);
    let calls: Vec<_> = run.calls.iter().map(|call| (call.index, call.turn, call.name.as_str())).collect();
    assert_eq!(calls, [(1, 1, "f"), (2, 2, "g")]);

    let broken = file.to_string().replace("\"name\":\"g\"", "\"title\":\"g\"");
    let error = read_text(together, &broken).expect_err("a call without a name").to_string();
    assert!(error.starts_with("own: /cases/1/log/1/tool_calls/0"), "{error}");
}

#[test]
fn figures_are_of_the_run_or_else_the_sum_of_the_steps() {
    let declaration = json!({
        "steps": "$.log[*]", "say": "$.text", "model": "$.model", "cost": "$.usd",
        "tokens": {"input": "$.in", "output": "$.out"}, "duration": {"seconds": "$.s"}, "id": "$.id",
    });
    let of_steps = json!({"id": 7, "log": [{"text": "a", "in": 10, "out": 1, "model": "m"}, {"text": "b", "in": "5", "out": 2}]});
    let run = read_one(declaration.clone(), &of_steps);
    let usage = run.usage.expect("tokens");
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.partial), (15, 3, false));
    assert_eq!((run.id.as_deref(), run.model.as_deref()), (Some("7"), Some("m")));
    let of_run = json!({"in": 100, "usd": 0.5, "s": 1.5, "log": [{"text": "a", "in": 10}]});
    let run = read_one(declaration.clone(), &of_run);
    assert_eq!(run.usage.map(|usage| (usage.input_tokens, usage.partial)), Some((100, true)));
    assert_eq!((run.cost_usd, run.duration_ms), (Some(0.5), Some(1500.0)));
    let error = read_text(declaration, "{\"log\": [{\"text\": \"a\"}]}\n{\"log\": []}");
    assert!(error.is_err());
}

#[test]
fn an_invalid_figure_has_its_place() {
    let declaration = json!({"steps": "$", "say": "$.text", "tokens": {"input": "$.n.in"}});
    let error = read_text(declaration, "{\"text\": \"a\"}\n{\"text\": \"b\", \"n\": {\"in\": -5}}")
        .expect_err("an error");
    assert_eq!(error.to_string(), "own: line 2: /n/in: invalid figure -5: expected a non-negative number");
}

#[test]
fn a_declared_reader_comes_before_the_built_in_ones_and_may_replace_one() {
    let chat = json!([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]).to_string();
    let declaration =
        json!({"when": {"path": "$[0].role", "equals": "user"}, "steps": "$", "say": "$.content"});
    let set = readers(declaration.clone());
    assert_eq!(set.read(&chat, None).expect("a run").format, "own");
    assert_eq!(set.read(&chat, Some("openai-chat")).expect("a run").format, "openai-chat");
    assert_eq!(set.claims(&chat).expect("claims")[0].0, "own");
    let mut set = ReaderSet::default();
    set.declare("openai-chat", json::from_json(declaration).expect("a declaration"));
    assert_eq!(set.read(&chat, Some("openai-chat")).expect("a run").runs[0].messages.len(), 2);
    assert_eq!(set.names().iter().filter(|name| **name == "openai-chat").count(), 1);
}

#[test]
fn steps_of_one_turn_go_on_with_it() {
    let declaration = |key: &str, path: &str| {
        let mut declaration = json!({"steps": "$", "say": "$.text", "call": {"name": "$.tool"}});
        declaration[key] = json!(path);
        declaration
    };
    let log = r#"[{"m": 1, "new": 1, "tool": "f"}, {"m": 1, "tool": "g"}, {"m": 2, "new": 1, "text": "a"}, {"m": 2, "text": "b"}]"#;
    for (key, path) in [("turn", "$.m"), ("new_turn", "$.new")] {
        let run = &read_text(declaration(key, path), log).expect("a run")[0];
        assert_eq!(run.calls.iter().map(|call| call.turn).collect::<Vec<_>>(), [1, 1], "{key}");
        assert_eq!(run.answer.as_deref(), Some("ab"), "{key}");
    }
}

#[test]
fn a_declaration_that_cannot_be_meant_says_why() {
    for (declaration, problem) in [
        (json!({"say": "$.a"}), "`steps` or `inside` is missing"),
        (json!({"steps": "$", "inside": {"path": "$", "as": "rig"}}), "give one of `steps` and `inside`"),
        (json!({"steps": "$", "call": {"args": "$.a"}}), "`call` needs one of `name` and `tool`"),
        (
            json!({"inside": {"path": "$", "as": "openai_chat"}}),
            "no built-in reader is called `openai_chat`: did you mean `openai-chat`?",
        ),
        (json!({"steps": "log"}), "`log` is not a JSONPath: a path starts with `$`, like `$.status`"),
        (json!({"steps": []}), "expected at least one path"),
    ] {
        let said = mistake(&declaration);
        assert!(said.contains(problem), "{said}");
    }
}

#[test]
fn hostile_documents_end_in_an_error_or_a_run() {
    let deep = format!("{}{}", "[".repeat(120), "]".repeat(120));
    for text in
        [deep.as_str(), "[]", "{}", "[[[]], null, 7]", "null", "\"text\"", "{\"log\": {\"log\": [[]]}}"]
    {
        let _ = read_text(of_messages(), text);
    }
}

/// A declaration of spans, as tracers write them.
fn of_spans() -> Json {
    json!({
        "steps": "$.spans[*]",
        "step_id": "$.id",
        "order": "$.start",
        "say": "$.text",
        "new_turn": "$[?@.kind == 'model']",
        "asked": {"each": "$.asked[*]", "name": "$.tool", "args": "$.with"},
        "call": {"each": "$[?@.kind == 'tool']", "name": "$.tool", "args": "$.with", "id": "$.id"},
    })
}

/// A span of a tool.
fn tool_span(id: &str, start: impl Into<Json>, city: &str) -> Json {
    json!({"kind": "tool", "id": id, "start": start.into(), "tool": "quote", "with": {"city": city}})
}

fn list_cities(run: &Trace) -> Vec<String> {
    let cities = run.calls.iter().map(|call| call.arguments.get("city"));
    cities.map(|city| city.and_then(Json::as_str).unwrap_or_default().to_owned()).collect()
}

#[test]
fn steps_are_read_in_the_order_of_their_times() {
    let spans = |spans: Json| read_one(of_spans(), &json!({"spans": spans}));
    // A float does not have the digits that tell these two apart.
    let model = json!({"kind": "model", "start": 1_795_797_761_998_880_464_u64});
    let run = spans(json!([
        tool_span("b", 1_795_797_761_998_880_466_u64, "Bergen"),
        tool_span("a", 1_795_797_761_998_880_465_u64, "Oslo"),
        model,
    ]));
    assert_eq!(list_cities(&run), ["Oslo", "Bergen"]);
    assert_eq!(run.calls.iter().map(|call| call.index).collect::<Vec<_>>(), [1, 2]);
    let run = spans(json!([
        tool_span("b", "2026-11-27T16:36:46.5+01:00", "Bergen"),
        tool_span("a", "2026-11-27T15:36:46.4Z", "Oslo")
    ]));
    assert_eq!(list_cities(&run), ["Oslo", "Bergen"]);
    // Equal times leave the order of the file, and a step without a time stays where it is.
    let run = spans(json!([
        tool_span("c", 2.5, "Bergen"), {"kind": "model", "text": "a"}, tool_span("a", 2, "Oslo"), tool_span("b", "2", "Voss")
    ]));
    assert_eq!(list_cities(&run), ["Oslo", "Voss", "Bergen"]);
    let error = read_text(of_spans(), r#"{"spans": [{"start": "soon", "text": "a"}]}"#).expect_err("no time");
    assert_eq!(
        error.to_string(),
        "own: /spans/0/start: invalid time \"soon\": expected a number, or a time such as 2026-12-20T10:00:00Z"
    );
    let mixed = json!({"spans": [tool_span("a", "2026-11-27T15:36:46Z", "Oslo"), tool_span("b", 1_795_797_761, "Bergen")]});
    assert_eq!(
        read_text(of_spans(), &mixed.to_string()).expect_err("two clocks").to_string(),
        "own: /spans/1/start: the time 1795797761 is not written as the times before it: dates and numbers have no order"
    );
}

#[test]
fn parallel_calls_are_in_the_order_in_which_they_were_asked_for() {
    let asked = |city: &str| json!({"tool": "quote", "with": {"city": city}});
    let spans = json!({"spans": [
        {"kind": "model", "start": 1, "asked": [asked("Oslo"), asked("Bergen")]},
        tool_span("b", 2, "Bergen"),
        tool_span("a", 3, "Oslo"),
        {"kind": "model", "start": 4, "asked": [asked("Voss")]},
        tool_span("c", 5, "Voss"),
    ]});
    let run = read_one(of_spans(), &spans);
    assert_eq!(list_cities(&run), ["Oslo", "Bergen", "Voss"]);
    assert_eq!(
        run.calls.iter().map(|call| (call.index, call.turn)).collect::<Vec<_>>(),
        [(1, 1), (2, 1), (3, 2)]
    );
    assert_eq!(run.unread, []);
    // A tool that fills in a default was asked for all the same; one that was called otherwise was not.
    let with = |city: &str, with: Json| {
        let span = json!({"kind": "tool", "id": "a", "start": 2, "tool": "quote", "with": with});
        let run = read_one(
            of_spans(),
            &json!({"spans": [{"kind": "model", "start": 1, "asked": [asked(city)]}, span]}),
        );
        run.unread.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(with("Oslo", json!({"city": "Oslo", "unit": "EUR"})).is_empty());
    assert_eq!(
        with("Oslo", json!({"city": "Bergen"})),
        ["/spans/0/asked/0: a value that looks like a call of `quote`"]
    );
    // What names no tool may be a call all the same.
    for nameless in [json!({"with": {"city": "Oslo"}}), json!({"tool": null, "with": {}}), json!({"tool": 7})]
    {
        let run =
            read_one(of_spans(), &json!({"spans": [{"kind": "model", "text": "a", "asked": [nameless]}]}));
        assert_eq!(run.unread.len(), 1, "{nameless}");
    }
    // The same reply of a model, recorded by two libraries, asks once.
    let model = |start: u64| json!({"kind": "model", "start": start, "asked": [asked("Oslo")]});
    let run = read_one(of_spans(), &json!({"spans": [model(1), model(2), tool_span("a", 3, "Oslo")]}));
    assert_eq!((run.calls.len(), run.unread), (1, Vec::new()));
}

#[test]
fn a_step_that_is_written_twice_counts_once() {
    let spans = |second: Json| read_one(of_spans(), &json!({"spans": [tool_span("a", 1, "Oslo"), second]}));
    let run = spans(tool_span("a", 1, "Oslo"));
    assert_eq!((list_cities(&run), run.unread), (vec!["Oslo".to_owned()], Vec::new()));
    // Under one id stands something else: nobody knows which of them happened.
    let run = spans(tool_span("a", 1, "Bergen"));
    assert_eq!(list_cities(&run), ["Oslo"]);
    let unread: Vec<String> = run.unread.iter().map(ToString::to_string).collect();
    assert_eq!(unread, ["/spans/1: a record with the id `a` of another record, which differs"]);
}

#[test]
fn figures_of_several_paths_are_added_up() {
    let tokens = |input: Json| {
        let declaration = json!({"steps": "$.log[*]", "say": "$.text", "call": {"each": "$.call", "name": "$.name"},
            "tokens": {"input": input, "output": "$.out"}});
        let log = json!({"log": [{"text": "a", "in": 10, "cached": 5, "out": 1}, {"text": "b", "in": 20, "out": 2}]});
        read_one(declaration, &log)
            .usage
            .map(|usage| (usage.input_tokens, usage.output_tokens, usage.partial))
    };
    // The second step does not say what was cached: its input is not whole.
    assert_eq!(tokens(json!({"path": ["$.in", "$.cached"], "all": true})), Some((35, 3, true)));
    assert_eq!(tokens(json!({"path": ["$.in", "$.out"], "all": true})), Some((33, 3, false)));
    assert_eq!(tokens(json!(["$.in", "$.cached"])), Some((30, 3, false)));
}
