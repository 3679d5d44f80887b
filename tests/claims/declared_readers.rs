//! Readers that suites and `arraign.yaml` declare: the ones to copy, held against the files of their frameworks, and
//! what a project sees of its own.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::__internals::check::SHIPPED_READERS;
use arraign::__internals::source::Files;
use arraign::__internals::suite::{load_readers, read_run_folder};
use arraign::Trace;
use arraign::reader::{Recording, read_with};
use arraign::trace::CallStatus;
use serde_json::{Value, json};

const ANSWER: &str = "Order 7 has shipped; shipping to Bergen costs 12 EUR.";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn text_of(file: &str) -> String {
    fs::read_to_string(root().join("tests/readers").join(file)).expect("a trace")
}

/// Reads a trace by the declarations to copy of one framework.
fn read_example(framework: &str, text: &str) -> Result<Recording, String> {
    let folder = root().join("examples/readers");
    let files = Files::new(&folder, &folder);
    let readers = load_readers(&folder.join(format!("{framework}.yaml")), &files).expect("they load");
    read_with(&readers, text, None).map_err(|error| error.to_string())
}

/// What a run did, in the words of a table: the calls with an argument and a status, and whether the answer is the one
/// that the scenario ends with.
fn describe_run(run: &Trace) -> String {
    let calls = run.calls.iter().map(|call| {
        let argument = ["city", "id", "command"].iter().find_map(|name| call.arguments.get(name));
        let status = match call.status {
            CallStatus::Ok => "ok",
            CallStatus::Error => "error",
            CallStatus::Unknown => "unknown",
            CallStatus::Unanswered => "unanswered",
        };
        format!("{}({}) {status}", call.name, argument.map(ToString::to_string).unwrap_or_default())
    });
    let answer = match run.answer.as_deref() {
        Some(ANSWER) => "answered",
        Some(_) => "answered otherwise",
        None => "no answer",
    };
    let unread = if run.calls_unrecorded.is_some() { ", calls unrecorded" } else { "" };
    let calls: Vec<String> = calls.collect();
    format!("{}; {answer}{unread}", calls.join(", "))
}

#[test]
fn the_readers_to_copy_read_what_their_frameworks_wrote() {
    const SHOP: &str = "get_order(7) ok, get_quote(\"Oslo\") error, get_quote(\"Bergen\") ok; answered";
    const UNTOLD: &str =
        "get_order(7) unknown, get_quote(\"Oslo\") unknown, get_quote(\"Bergen\") unknown; answered";
    const DELETING: &str =
        "get_order(7) ok, get_quote(\"Oslo\") error, get_quote(\"Bergen\") ok, delete_order(9) ok; answered";
    const TOOLS: &str =
        "get_order(7) ok, get_quote(\"Oslo\") error, get_quote(\"Bergen\") ok, delete_order(9) ok; no answer";
    let bash = "Bash(\"echo shipped\") ok, Bash(\"cat /nonexistent/oslo\") error, Bash(\"echo 12\") ok, \
                Bash(\"rm -f /home/ada/shop/order9\") ok; answered";
    let unknown = "get_order(7) unknown, get_quote(\"Oslo\") unknown, get_quote(\"Bergen\") unknown, delete_order(9) unknown; answered";
    let mini = "bash(\"echo shipped\") ok, bash(\"cat /nonexistent/oslo\") error, bash(\"echo 12\") ok, \
                bash(\"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; printf '%s' 'Order 7 has shipped; shipping to Bergen costs 12 EUR.'\") ok; answered";
    let shell = "terminal(\"echo shipped\") ok, terminal(\"cat /nonexistent/oslo\") error, terminal(\"echo 12\") ok; answered";
    // smolagents does not tell which of several parallel calls failed, nor their results.
    let smolagents = "get_order(7) unanswered, get_quote(\"Oslo\") unanswered, get_quote(\"Bergen\") ok, \
                      get_order(7) unanswered, get_quote(\"Bergen\") unanswered; answered";
    let text_commands = "command(\"cat order_7\\n\") unknown, command(\"submit\") unknown; answered";
    for (file, format, told) in [
        ("ag2.history.json", "ag2", SHOP),
        ("agno.events.jsonl", "agno-events", SHOP),
        ("agno.run.json", "agno", SHOP),
        ("agno.tools.json", "agno-tools", TOOLS),
        ("any-agent.trace.json", "any-agent", DELETING),
        ("autogen.stream.constructed.jsonl", "autogen-stream", SHOP),
        ("autogen.taskresult.json", "autogen", SHOP),
        ("chatlas.turns.json", "chatlas", DELETING),
        ("continue.session.json", "continue", bash),
        ("crewai.events.shortened.jsonl", "crewai-events", &format!("{DELETING}, calls unrecorded")),
        ("crewai.output.json", "crewai", SHOP),
        ("dspy.prediction.json", "dspy", SHOP),
        ("dspy.history.constructed.json", "dspy-history", "; no answer, calls unrecorded"),
        ("fast-agent.history.json", "fast-agent", DELETING),
        ("genkit.messages.json", "genkit", unknown),
        ("goose.export.constructed.json", "goose", SHOP),
        ("goose.session.constructed.jsonl", "goose", SHOP),
        ("haystack.messages.json", "haystack", SHOP),
        ("llamaindex-ts.result.json", "llamaindex-ts", DELETING),
        ("maf-workflow.events.json", "maf-workflow", DELETING),
        ("mini-swe-agent.traj.json", "mini-swe-agent", mini),
        ("mlflow.trace.json", "mlflow", DELETING),
        ("openhands.events.jsonl", "openhands", shell),
        ("smolagents.messages.json", "smolagents-messages", "; no answer, calls unrecorded"),
        ("smolagents.result.json", "smolagents", smolagents),
        ("swe-agent.constructed.traj", "swe-agent", UNTOLD),
        ("swe-agent.text.constructed.traj", "swe-agent-text", text_commands),
    ] {
        let framework = file.split('.').next().expect("a name");
        let recording = read_example(framework, &text_of(file)).expect(file);
        assert_eq!((recording.format, recording.runs.len()), (format, 1), "{file}");
        assert_eq!(describe_run(&recording.runs[0]), told, "{file}");
    }
    let runs = read_example("tau-bench", &text_of("tau-bench.constructed.json")).expect("runs").runs;
    let told: Vec<String> = runs.iter().map(describe_run).collect();
    assert_eq!(told, [UNTOLD, "; answered"]);
}

#[test]
fn each_file_is_recognized_by_one_reader_where_all_are_declared() {
    let names: Vec<&str> = SHIPPED_READERS.iter().map(|shipped| shipped.name).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("all.yaml");
    fs::write(&path, format!("readers: [{}]\n", names.join(", "))).expect("a file");
    let readers = load_readers(&path, &Files::new(folder.path(), folder.path())).expect("they load");
    for entry in fs::read_dir(root().join("tests/readers")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a trace");
        let recording = read_with(&readers, &text, None);
        let recording = recording.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(readers.declared_names().any(|name| name == recording.format), "{}", path.display());
    }
}

#[test]
fn the_folder_of_examples_has_a_file_for_each_tested_framework_and_no_other() {
    let names = |folder: &str, end: fn(&str) -> Option<&str>| {
        let entries = fs::read_dir(root().join(folder)).expect("a folder");
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                end(&entry.expect("an entry").file_name().to_string_lossy()).map(ToOwned::to_owned)
            })
            .collect();
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(
        names("examples/readers", |name| name.strip_suffix(".yaml")),
        names("tests/readers", |name| name.split('.').next())
    );
    let shipped: Vec<&str> = SHIPPED_READERS.iter().map(|shipped| shipped.name).collect();
    assert_eq!(names("examples/readers", |name| name.strip_suffix(".yaml")), shipped);
}

#[test]
fn a_list_of_readers_has_shipped_ones_by_name_and_ones_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = |text: &str| {
        let path = folder.path().join("readers.yaml");
        fs::write(&path, text).expect("a file");
        let loaded = load_readers(&path, &Files::new(folder.path(), folder.path()));
        loaded
            .map(|readers| readers.declared_names().collect::<Vec<_>>())
            .map_err(|errors| errors.to_string())
    };
    assert_eq!(
        load("readers: [agno, {own: {steps: $.log}}]\n"),
        Ok(vec!["agno", "agno-events", "agno-tools", "own"])
    );
    let error = load("readers:\n  - agnoo\n").expect_err("a slip");
    assert_eq!(
        error,
        "readers.yaml:2:5: `agnoo` is not one of the known values (help: did you mean `agno`?)"
    );
    let error = load("readers: [agno, {own: {stepps: $.log}}]\n").expect_err("a slip");
    assert!(error.starts_with("readers.yaml:1:24: unknown key `stepps`"), "{error}");
}

#[test]
fn a_mark_of_a_call_that_a_later_version_renames_is_never_a_run_without_calls() {
    for (file, marks) in [
        ("ag2.history.json", &["ModelResponse\"", "tool_calls\"", "calls\"", "name\""][..]),
        ("agno.events.jsonl", &["ToolCallStarted", "tool\"", "tool_name"]),
        ("agno.run.json", &["tool_calls", "function\"", "name\"", "messages"]),
        ("agno.tools.json", &["tool_name", "tool_args"]),
        ("any-agent.trace.json", &["tool.name", "gen_ai.output\"", "call_llm"]),
        ("autogen.stream.constructed.jsonl", &["ToolCallRequestEvent", "name\""]),
        ("autogen.taskresult.json", &["ToolCallRequestEvent", "name\"", "messages"]),
        ("chatlas.turns.json", &["tool_request", "name\"", "contents"]),
        ("continue.session.json", &["toolCalls", "function\"", "name\""]),
        ("crewai.events.shortened.jsonl", &["tool_usage_started", "tool_name"]),
        ("crewai.output.json", &["tool_calls", "function\"", "name\"", "messages"]),
        ("dspy.prediction.json", &["tool_name", "trajectory"]),
        ("fast-agent.history.json", &["tool_calls", "params", "name\""]),
        ("genkit.messages.json", &["toolRequest", "name\"", "content"]),
        ("goose.export.constructed.json", &["toolRequest", "toolCall\"", "name\"", "conversation"]),
        ("goose.session.constructed.jsonl", &["toolRequest", "toolCall\"", "name\""]),
        ("haystack.messages.json", &["tool_call\"", "tool_name", "content"]),
        ("llamaindex-ts.result.json", &["toolCall\"", "name\"", "options"]),
        ("maf-workflow.events.json", &["function_call", "name\""]),
        ("mini-swe-agent.traj.json", &["tool_calls", "function\"", "name\""]),
        ("mlflow.trace.json", &["mlflow.spanType", "mlflow.spanOutputs", "TOOL"]),
        ("openhands.events.jsonl", &["ActionEvent", "tool_call\"", "name\""]),
        ("smolagents.result.json", &["tool_calls", "model_output_message", "function", "name\""]),
        ("swe-agent.constructed.traj", &["tool_calls", "function", "name\"", "history"]),
        ("swe-agent.text.constructed.traj", &["action\"", "trajectory"]),
        ("tau-bench.constructed.json", &["tool_calls", "function", "traj\""]),
    ] {
        let framework = file.split('.').next().expect("a name");
        let text = text_of(file);
        for mark in marks {
            let later = text.replace(&format!("\"{mark}"), &format!("\"v2_{mark}"));
            let later = if later == text { text.replace(mark, &format!("v2_{mark}")) } else { later };
            assert_ne!(later, text, "{file}: {mark} is no mark");
            // A file that is not recognized any more is an error, which is no pass either.
            let Ok(recording) = read_example(framework, &later) else { continue };
            for run in recording.runs.iter().filter(|run| run.calls.is_empty()).take(1) {
                assert!(run.calls_unrecorded.is_some(), "{file}: without `{mark}` no call is missed");
            }
        }
    }
}

#[test]
fn a_folder_of_events_is_one_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let events = dir.path().join("run/events");
    fs::create_dir_all(&events).expect("a folder");
    for (number, event) in text_of("openhands.events.jsonl").lines().enumerate() {
        fs::write(events.join(format!("event-{number}.json")), event).expect("a file");
    }
    let examples = root().join("examples/readers");
    let readers =
        load_readers(&examples.join("openhands.yaml"), &Files::new(&examples, &examples)).expect("readers");
    let files = Files::new(dir.path(), dir.path());
    let recording = read_run_folder(&dir.path().join("run"), None, &readers, &files).expect("a run");
    assert_eq!((recording.format, recording.runs.len(), recording.runs[0].calls.len()), ("openhands", 1, 3));
    let error = read_run_folder(&events, None, &readers, &files).expect_err("no events below");
    assert!(error.to_string().contains("no file matches `events/*.json`"), "{error}");
}

/// Rewrites the replies of the models in `MLflow`'s sample as another library returns them.
fn rewrite_replies(trace: &mut Value, rewrite: fn(&str, &[(&str, Value)]) -> Value) {
    for span in trace["data"]["spans"].as_array_mut().expect("spans") {
        let attributes = span["attributes"].as_object_mut().expect("attributes");
        if attributes["mlflow.spanType"] != "\"CHAT_MODEL\"" {
            continue;
        }
        let outputs = attributes["mlflow.spanOutputs"].as_str().expect("a text").to_owned();
        let reply: Value = serde_json::from_str(&outputs).expect("a reply");
        let message = &reply["choices"][0]["message"];
        let asked = message["tool_calls"].as_array().into_iter().flatten().map(|call| {
            let arguments = call["function"]["arguments"].as_str().expect("a text");
            let name = call["function"]["name"].as_str().expect("a name");
            (name, serde_json::from_str(arguments).expect("arguments"))
        });
        let asked: Vec<(&str, Value)> = asked.collect();
        let reply = rewrite(message["content"].as_str().unwrap_or_default(), &asked);
        attributes.insert("mlflow.spanOutputs".to_owned(), reply.to_string().into());
    }
}

#[test]
fn mlflow_orders_parallel_calls_as_the_model_asked_whichever_library_it_has() {
    type Reply = fn(&str, &[(&str, Value)]) -> Value;
    let libraries: [(&str, Reply); 5] = [
        ("OpenAI Responses", |text, asked| {
            let calls = asked.iter().map(|(name, arguments)| {
                json!({"type": "function_call", "call_id": "c", "name": name, "arguments": arguments.to_string()})
            });
            let said = json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
            json!({"object": "response", "output": ([said].into_iter().chain(calls).collect::<Value>())})
        }),
        ("Anthropic", |text, asked| {
            let calls = asked.iter().map(
                |(name, arguments)| json!({"type": "tool_use", "id": "c", "name": name, "input": arguments}),
            );
            let said = json!({"type": "text", "text": text});
            json!({"type": "message", "content": ([said].into_iter().chain(calls).collect::<Value>())})
        }),
        ("LangChain", |text, asked| {
            let calls =
                asked.iter().map(|(name, arguments)| json!({"name": name, "args": arguments, "id": "c"}));
            let calls: Vec<Value> = calls.collect();
            json!({"generations": [[{"text": text, "message": {"type": "ai", "tool_calls": calls}}]]})
        }),
        ("Gemini", |text, asked| {
            let calls = asked
                .iter()
                .map(|(name, arguments)| json!({"function_call": {"name": name, "args": arguments}}));
            let parts: Vec<Value> = [json!({"text": text})].into_iter().chain(calls).collect();
            json!({"candidates": [{"content": {"role": "model", "parts": parts}}]})
        }),
        ("Bedrock", |text, asked| {
            let calls = asked.iter().map(
                |(name, arguments)| json!({"toolUse": {"toolUseId": "c", "name": name, "input": arguments}}),
            );
            let parts: Vec<Value> = [json!({"text": text})].into_iter().chain(calls).collect();
            json!({"output": {"message": {"role": "assistant", "content": parts}}})
        }),
    ];
    let sample: Value = serde_json::from_str(&text_of("mlflow.trace.json")).expect("JSON");
    let read = |trace: &Value| read_example("mlflow", &trace.to_string()).expect("a run").runs.remove(0);
    let told = describe_run(&read(&sample));
    for (library, reply) in libraries {
        let mut trace = sample.clone();
        rewrite_replies(&mut trace, reply);
        // The second of the two parallel calls starts first.
        let spans = trace["data"]["spans"].as_array_mut().expect("spans");
        let started = [4, 5].map(|span| spans[span]["start_time_unix_nano"].clone());
        spans[4]["start_time_unix_nano"] = started[1].clone();
        spans[5]["start_time_unix_nano"] = started[0].clone();
        let run = read(&trace);
        assert_eq!(describe_run(&run), told, "{library}");
        assert_eq!(run.unread, [], "{library}");
        let said = run.messages.iter().filter(|message| message.text == "Let me look.").count();
        assert_eq!(said, 1, "{library}");
        // A call that has no span of its tool was asked for, and may have been made.
        trace["data"]["spans"].as_array_mut().expect("spans").remove(5);
        assert_eq!(read(&trace).unread.len(), 1, "{library}");
    }
}
