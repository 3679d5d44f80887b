//! `cargo arraign lsp`: sessions as an editor has them.

use std::fs;
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lsp_server::{Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::program::arraign;

const TRACE: &str = r#"{"steps": [
  {"call": "get_order", "id": "call_17", "args": {"order": {"id": 1042}, "fast": true}},
  {"call": "refund", "args": {"order": 7}},
  {"say": "Done."}
]}"#;

const CASES: &str = "tests:
  - id: asks first
    trace: traces/shop.json
    expect:
      - required_tools: [get_order]
  - id: no_refund
    trace: traces/shop.json
    expect:
      - forbidden_tools: [refund]
";

/// A project without a crate, and a server for it.
struct Session {
    folder: tempfile::TempDir,
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: i32,
    notifications: Vec<Notification>,
}

impl Session {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("evals/traces/shop.json", TRACE)].iter().chain(files) {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"));
        command
            .arg("lsp")
            .current_dir(folder.path())
            .env_remove("ARRAIGN_OUT")
            .env_remove("CARGO_TARGET_DIR");
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server");
        let input = server.stdin.take().expect("its input");
        let output = BufReader::new(server.stdout.take().expect("its output"));
        let mut session = Self { folder, server, input, output, last: 0, notifications: Vec::new() };
        let folders = json!([{"uri": session.uri(""), "name": "test"}]);
        session
            .ask("initialize", json!({"capabilities": {}, "workspaceFolders": folders}))
            .expect("capabilities");
        session.notify("initialized", json!({}));
        session
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder").join(name)
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    fn send(&mut self, message: impl Into<Message>) {
        message.into().write(&mut self.input).expect("the server reads");
        self.input.flush().expect("the server reads");
    }

    fn notify(&mut self, method: &str, parameters: Value) {
        self.send(Notification::new(method.to_owned(), parameters));
    }

    fn receive(&mut self) -> Message {
        Message::read(&mut self.output).expect("a message").expect("the server runs")
    }

    /// Sends a request and returns its result, or the message of its error.
    fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.last += 1;
        self.send(Request::new(self.last.into(), method.to_owned(), parameters));
        loop {
            match self.receive() {
                Message::Response(Response { response_result, .. }) => {
                    return response_result.map_err(|error| error.message);
                }
                Message::Notification(notification) => self.notifications.push(notification),
                Message::Request(_) => {}
            }
        }
    }

    /// Opens a file with `text` and returns its diagnostics.
    fn open(&mut self, name: &str, text: &str) -> Vec<Value> {
        let document = json!({"uri": self.uri(name), "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
        self.wait_for_diagnostics(name)
    }

    fn change(&mut self, name: &str, text: &str) {
        let document = json!({"uri": self.uri(name), "version": 2});
        let changes = json!([{"text": text}]);
        self.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    fn wait_for_diagnostics(&mut self, name: &str) -> Vec<Value> {
        let uri = self.uri(name);
        loop {
            let Message::Notification(notification) = self.receive() else { continue };
            if notification.method == "textDocument/publishDiagnostics" && notification.params["uri"] == uri {
                return notification.params["diagnostics"].as_array().cloned().unwrap_or_default();
            }
        }
    }

    /// Asks about the place of `|` in `text`, which becomes the text of the file.
    fn ask_at(&mut self, method: &str, name: &str, text: &str) -> Value {
        let position = position(text);
        self.change(name, &text.replace('|', ""));
        let document = json!({"uri": self.uri(name)});
        self.ask(method, json!({"textDocument": document, "position": position})).expect("an answer")
    }

    fn complete(&mut self, name: &str, text: &str) -> Vec<String> {
        let items = self.ask_at("textDocument/completion", name, text);
        let items = items.as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect()
    }

    fn run_command(&mut self, command: &str, name: &str, case: &str) -> Value {
        let argument = json!({"uri": self.uri(name), "name": case});
        let parameters = json!({"command": command, "arguments": [argument]});
        self.ask("workspace/executeCommand", parameters).expect("a result")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The position of the cursor `|`.
fn position(text: &str) -> Value {
    let before = &text[..text.find('|').expect("a cursor")];
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
    json!({"line": line, "character": column})
}

/// The text in the lines of `text` that a range marks.
fn marked<'t>(text: &'t str, range: &Value) -> &'t str {
    let number = |end: &str, part: &str| {
        usize::try_from(range[end][part].as_u64().expect("a number")).expect("a small number")
    };
    let line = text.lines().nth(number("start", "line")).expect("a line");
    &line[number("start", "character")..number("end", "character")]
}

const FILE: &str = "evals/shop.yaml";

#[test]
fn mistakes_are_marked_as_somebody_types_and_vanish_when_they_are_mended() {
    let mut session = Session::new(&[]);
    let typo = CASES.replace("required_tools", "requird_tools");
    let found = session.open(FILE, &typo);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(marked(&typo, &found[0]["range"]), "requird_tools");
    assert!(
        found[0]["message"].as_str().expect("a text").contains("did you mean `required_tools`?"),
        "{found:?}"
    );

    let context = json!({"diagnostics": []});
    let parameters =
        json!({"textDocument": {"uri": session.uri(FILE)}, "range": found[0]["range"], "context": context});
    let actions = session.ask("textDocument/codeAction", parameters).expect("actions");
    assert_eq!(actions[0]["title"], "Replace with `required_tools`");
    let edit = &actions[0]["edit"]["changes"][session.uri(FILE)][0];
    assert_eq!((&edit["newText"], &edit["range"]), (&json!("required_tools"), &found[0]["range"]));

    session.change(FILE, CASES);
    assert_eq!(session.wait_for_diagnostics(FILE), Vec::<Value>::new());
}

#[test]
fn a_mistake_in_a_policy_is_marked_in_the_policy() {
    let policy = "tools:\n  refund:\n    arguments:\n      order: {type: intger}\n";
    let mut session = Session::new(&[("evals/policies/p.yaml", policy)]);
    let case = "{id: a, trace: traces/shop.json, metric: args_valid, policy: policies/p.yaml}";
    let document = json!({"uri": session.uri(FILE), "languageId": "yaml", "version": 1, "text": case});
    session.notify("textDocument/didOpen", json!({"textDocument": document}));
    let found = session.wait_for_diagnostics("evals/policies/p.yaml");
    assert_eq!(marked(policy, &found[0]["range"]), "intger", "{found:?}");
}

#[test]
fn checks_that_the_schema_of_the_project_names_are_no_mistakes() {
    let schema = r#"{"properties": {"metric": {"enum": ["contains", "our_check"]}}}"#;
    let mut session = Session::new(&[("arraign.schema.json", schema)]);
    let text = "{id: a, trace: traces/shop.json, expect: [our_check: {any: thing}]}";
    assert_eq!(session.open(FILE, text), Vec::<Value>::new());
}

#[test]
fn a_lens_runs_its_case_and_the_verdict_stands_on_its_line() {
    let mut session = Session::new(&[(FILE, CASES)]);
    assert_eq!(session.open(FILE, CASES), Vec::<Value>::new());
    let lenses = session
        .ask("textDocument/codeLens", json!({"textDocument": {"uri": session.uri(FILE)}}))
        .expect("lenses");
    let titles: Vec<&str> = lenses
        .as_array()
        .expect("a list")
        .iter()
        .map(|lens| lens["command"]["title"].as_str().expect("a title"))
        .collect();
    assert_eq!(titles, ["Run", "Debug trace", "Run", "Debug trace"]);
    assert_eq!(marked(CASES, &lenses[2]["range"]), "no_refund");
    let argument = &lenses[2]["command"]["arguments"][0];
    assert_eq!(argument["name"], "shop::no_refund");

    let result = session.run_command("arraign.run", FILE, "shop::no_refund");
    assert_eq!(result["success"], false, "{result}");
    let published =
        session.notifications.iter().rev().find(|one| one.method == "textDocument/publishDiagnostics");
    let found = published.expect("diagnostics before the answer").params["diagnostics"][0].clone();
    assert_eq!(
        (&found["code"], marked(CASES, &found["range"])),
        (&json!("forbidden_tools"), "refund"),
        "{found}"
    );
    let related = &found["relatedInformation"][0];
    assert_eq!(related["location"]["uri"], session.uri("evals/traces/shop.json"));
    assert!(related["message"].as_str().expect("a text").starts_with("call 2: `refund`"), "{related}");

    // A line above moves the mark; a change of the line removes it.
    let below = format!("# note\n{CASES}");
    session.change(FILE, &below);
    let moved = session.wait_for_diagnostics(FILE);
    assert_eq!(marked(&below, &moved[0]["range"]), "refund");
    session.change(FILE, &CASES.replace("[refund]", "[refunds]"));
    assert_eq!(session.wait_for_diagnostics(FILE), Vec::<Value>::new());

    let passed = session.run_command("arraign.run", FILE, "shop::asks first");
    assert_eq!(passed["success"], true, "{passed}");
}

/// The rows of a case share its lines, so each diagnostic names its row.
#[test]
fn a_red_row_is_marked_in_the_template_and_named() {
    let text = "id: order
cases: data/orders.csv
trace: {calls: [look], answer: \"It is {{status}}.\"}
expect:
  - contains: shipped
";
    let rows = "id,status\n7,shipped\n8,lost\n9,late\n";
    let mut session = Session::new(&[(FILE, text), ("evals/data/orders.csv", rows)]);
    assert_eq!(session.open(FILE, text), Vec::<Value>::new());
    for (name, line) in [("shop::order[8]", 2), ("shop::order[9]", 3)] {
        let result = session.run_command("arraign.run", FILE, name);
        assert_eq!(result["success"], false, "{result}");
        let published =
            session.notifications.iter().rev().find(|one| one.method == "textDocument/publishDiagnostics");
        let found = published.expect("diagnostics").params["diagnostics"].as_array().expect("a list").clone();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(marked(text, &found[0]["range"]), "shipped", "{found:?}");
        let message = found[0]["message"].as_str().expect("a text");
        assert!(message.starts_with(&format!("`{name}`: ")), "{found:?}");
        let row = &found[0]["relatedInformation"][0]["location"];
        assert_eq!(row["uri"], session.uri("evals/data/orders.csv"));
        assert_eq!(row["range"]["start"]["line"], line);
    }
}

#[test]
fn debug_trace_shows_the_calls_of_the_case() {
    let mut session = Session::new(&[(FILE, CASES)]);
    session.open(FILE, CASES);
    let result = session.run_command("arraign.debugTrace", FILE, "shop::no_refund");
    assert!(
        result["success"] == true && result["output"].as_str().expect("a text").contains("get_order"),
        "{result}"
    );
    let file = PathBuf::from(result["file"].as_str().expect("a file"));
    assert_eq!(fs::read_to_string(file).expect("it is written"), result["output"].as_str().expect("a text"));
    assert!(session.ask("workspace/executeCommand", json!({"command": "arraign.nothing"})).is_err());
}

#[test]
fn the_trace_completes_tools_arguments_values_and_runs() {
    let mut session = Session::new(&[("evals/policies/p.yaml", "tools:\n  cancel:\n    arguments: {}\n")]);
    session.open(FILE, CASES);
    let head = "tests:\n  - id: asks first\n    trace: traces/shop.json\n    expect:\n";
    let mut complete = |rest: &str| session.complete(FILE, &format!("{head}{rest}"));
    assert_eq!(complete("      - required_tools: [get|"), ["get_order", "refund"]);
    assert_eq!(complete("      - forbidden_tools:\n          - |"), ["get_order", "refund"]);
    let path = "      - tool_input: {tool: get_order, type: jsonpath, path: |";
    assert_eq!(complete(path), ["$.fast", "$.order", "$.order.id"]);
    assert_eq!(complete("      - call:\n          tool: refund\n          args:\n            |"), ["order"]);
    assert_eq!(complete("      - call: {tool: refund, args: {order: |"), ["7"]);
    assert_eq!(complete("      - contains: |"), Vec::<String>::new());
    assert_eq!(
        complete("      - args_valid: {policy: policies/p.yaml}\n      - tool_blocklist: [|"),
        ["cancel", "get_order", "refund"]
    );
    let runs = "id: a\ntrace:\n  file: traces/runs.jsonl\n  run: |\nexpect: [no_failed_calls: {}]\n";
    fs::write(session.path("evals/traces/runs.jsonl"), "{\"id\": \"first\", \"steps\": [{\"say\": \"a\"}]}\n{\"id\": \"second\", \"steps\": [{\"say\": \"b\"}]}\n").expect("a file");
    let labels = session.complete(FILE, runs);
    assert_eq!(labels, ["first", "second"]);
    let flow = "id: a\ntrace: {file: traces/runs.jsonl, run: |\nexpect: [no_failed_calls: {}]\n";
    assert_eq!(session.complete(FILE, flow), ["first", "second"]);
}

#[test]
fn a_hover_describes_the_check_and_what_the_last_run_measured() {
    let mut session = Session::new(&[(FILE, CASES)]);
    session.open(FILE, CASES);
    let check = CASES.replace("forbidden_tools", "forbidden|_tools");
    let before = session.ask_at("textDocument/hover", FILE, &check);
    let text = |hover: &Value| hover["contents"]["value"].as_str().expect("a text").to_owned();
    assert!(text(&before).starts_with("**`forbidden_tools`**: none of these tools is called"), "{before}");
    session.run_command("arraign.run", FILE, "shop::no_refund");
    let after = session.ask_at("textDocument/hover", FILE, &check);
    assert!(text(&after).contains("Last run, `shop::no_refund`: fail, score 0 %\n- `refund`"), "{after}");
    let case = session.ask_at("textDocument/hover", FILE, &CASES.replace("no_refund", "no|_refund"));
    assert!(text(&case).contains("did not pass") && text(&case).contains("traces/shop.json"), "{case}");
}

#[test]
fn a_definition_is_the_named_file_or_the_call() {
    let mut session = Session::new(&[(FILE, CASES)]);
    session.open(FILE, CASES);
    let trace = session.uri("evals/traces/shop.json");
    let file =
        session.ask_at("textDocument/definition", FILE, &CASES.replacen("traces/shop", "traces|/shop", 1));
    assert_eq!(file[0]["uri"], trace);
    let call = session.ask_at("textDocument/definition", FILE, &CASES.replace("[refund]", "[ref|und]"));
    assert_eq!((&call[0]["uri"], marked(TRACE, &call[0]["range"])), (&json!(trace), "\"refund\""));
    let by_id =
        session.ask_at("textDocument/definition", FILE, &CASES.replace("[get_order]", "[get|_order]"));
    assert_eq!(marked(TRACE, &by_id[0]["range"]), "\"call_17\"");
}

#[test]
fn a_rename_takes_the_files_that_are_named_after_the_case_along() {
    let names = [
        "evals/traces/shop/a.json",
        "evals/snapshots/shop.a.snap",
        "evals/snapshots/shop.a.run_1.snap",
        "evals/snapshots/shop.ab.snap",
    ];
    let files: Vec<(&str, &str)> = names.iter().map(|name| (*name, TRACE)).collect();
    let mut session = Session::new(&files);
    let text = "tests:\n  - {id: a, expect: [no_failed_calls: {}]}\n  - {id: b, trace: traces/shop.json, expect: [no_failed_calls: {}]}\n";
    session.open(FILE, text);
    let cursor = text.replace("id: a", "id: a|");
    let range = session.ask_at("textDocument/prepareRename", FILE, &cursor);
    assert_eq!(range["placeholder"], "a");
    let at = json!({"uri": session.uri(FILE)});
    let mut rename = |name: &str| {
        session.ask(
            "textDocument/rename",
            json!({"textDocument": at, "position": position(&cursor), "newName": name}),
        )
    };
    assert_eq!(rename("b"), Err("another case of this file has the id `b`".to_owned()));
    let edit = rename("two words").expect("an edit");
    let changes = edit["documentChanges"].as_array().expect("changes").clone();
    assert_eq!(changes[0]["edits"][0]["newText"], "\"two words\"");
    let renamed: Vec<(&Value, &Value)> =
        changes[1..].iter().map(|one| (&one["oldUri"], &one["newUri"])).collect();
    let expected = [
        ("evals/snapshots/shop.a.run_1.snap", "evals/snapshots/shop.two%20words.run_1.snap"),
        ("evals/snapshots/shop.a.snap", "evals/snapshots/shop.two%20words.snap"),
        ("evals/traces/shop/a.json", "evals/traces/shop/two%20words.json"),
    ];
    let expected: Vec<(Value, Value)> =
        expected.iter().map(|(old, new)| (json!(session.uri(old)), json!(session.uri(new)))).collect();
    assert_eq!(renamed, expected.iter().map(|(old, new)| (old, new)).collect::<Vec<_>>());
}

#[test]
fn ten_thousand_cases_do_not_delay_a_completion_until_they_are_read() {
    let cases = (0..10_000).map(|number| {
        format!("  - {{id: c{number}, trace: traces/shop.json, expect: [no_failed_calls: {{}}]}}\n")
    });
    let text = format!("tests:\n{}", cases.collect::<String>());
    let mut session = Session::new(&[(FILE, &text)]);
    session.open(FILE, &text);
    let cursor =
        format!("{text}  - id: last\n    trace: traces/shop.json\n    expect:\n      - required_tools: [|");
    let started = std::time::Instant::now();
    assert_eq!(session.complete(FILE, &cursor), ["get_order", "refund"]);
    eprintln!("a completion with 10,000 cases: {} ms", started.elapsed().as_millis());
}

#[test]
fn a_file_that_is_no_case_is_left_alone() {
    let mut session = Session::new(&[]);
    let name = "evals/policies/p.yaml";
    let document = json!({"uri": session.uri(name), "languageId": "yaml", "version": 1, "text": "tests: ["});
    session.notify("textDocument/didOpen", json!({"textDocument": document}));
    let lenses = session.ask("textDocument/codeLens", json!({"textDocument": {"uri": session.uri(name)}}));
    assert_eq!(lenses, Ok(Value::Null));
    assert_eq!(session.ask("shutdown", Value::Null), Ok(Value::Null));
    session.notify("exit", Value::Null);
    assert!(session.server.wait().expect("it ends").success());
    assert!(Path::new(&session.path(name)).parent().is_some_and(|folder| !folder.exists()));
    assert_eq!(arraign(session.folder.path(), &["lsp", "--help"]).code, Some(0));
}
