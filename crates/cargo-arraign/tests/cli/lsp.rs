//! `cargo arraign lsp`: sessions as an editor has them.

mod fixes;
mod session;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use arraign::__internals::case::Day;
use serde_json::{Value, json};

use self::session::{Session, TRACE, marked, position};
use crate::program::arraign;

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
fn a_mistake_in_the_quarantine_is_marked_in_its_file() {
    const QUARANTINE: &str = "evals/quarantine.yaml";
    let typo = "- {case: 'shop::no_refund', until: 2026-12-20, reson: flaps}\n";
    let mut session = Session::new(&[(QUARANTINE, typo)]);
    let document = json!({"uri": session.uri(FILE), "languageId": "yaml", "version": 1, "text": CASES});
    session.notify("textDocument/didOpen", json!({"textDocument": document}));
    let found = session.wait_for_diagnostics(QUARANTINE);
    assert_eq!(marked(typo, &found[0]["range"]), "reson", "{found:?}");

    let save = |session: &mut Session, text: &str| {
        fs::write(session.path(QUARANTINE), text).expect("it is written");
        session.notify("textDocument/didSave", json!({"textDocument": {"uri": session.uri(QUARANTINE)}}));
    };

    // An entry for no case of an open file, and one for a case of another file.
    let day = Day::of_time(SystemTime::now());
    let entry = |case: &str| format!("- {{case: '{case}', until: {day}, reason: flaps}}\n");
    let gone = entry("shop::no_refunds") + &entry("other::x");
    save(&mut session, &gone);
    let found = session.wait_for_diagnostics(QUARANTINE);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(marked(&gone, &found[0]["range"]), "'shop::no_refunds'", "{found:?}");
    assert!(
        found[0]["message"].as_str().expect("a text").contains("did you mean `shop::no_refund`?"),
        "{found:?}"
    );

    save(&mut session, &entry("shop::no_refund"));
    assert_eq!(session.wait_for_diagnostics(QUARANTINE), Vec::<Value>::new());
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
        let mut found =
            published.expect("diagnostics").params["diagnostics"].as_array().expect("a list").clone();
        // Under nextest both commands belong to one run, which then has a verdict of each row.
        let start = format!("`{name}`: ");
        found.retain(|one| one["message"].as_str().expect("a text").starts_with(&start));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(marked(text, &found[0]["range"]), "shipped", "{found:?}");
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

const WORLD: &str = "id: a
trace: traces/shop.json
mocks:
  state: {orders: {'7': {status: open}, 'a/b': {}}, refunds: [1]}
  tools:
    get_order: {read: '/orders/{{order}}'}
    refund: {append: {/refunds: '{{order}}'}, return: ok}
    cancel: {remove: '/orders/{{order}}', return: ok}
expect:
  - state: {has: {/orders/7/status: open}}
";

#[test]
fn the_state_behind_mock_tools_completes_pointers_and_tools_and_marks_unknown_members() {
    let mut session = Session::new(&[]);
    assert_eq!(session.open(FILE, WORLD), Vec::<Value>::new());
    let mut complete = |old: &str, new: &str| {
        assert!(WORLD.contains(old), "{old}");
        session.complete(FILE, &WORLD.replace(old, new))
    };
    let has = "has: {/orders/7/status: open}";
    assert_eq!(complete(has, "unchanged: [/|]"), ["/orders", "/refunds"]);
    assert_eq!(complete(has, "has: {/orders/|}"), ["/orders/7", "/orders/a~1b"]);
    assert_eq!(complete(has, "unordered: /refunds/|"), ["/refunds/0"]);
    assert_eq!(complete(has, "after: [{|"), ["cancel", "get_order", "refund"]);
    assert_eq!(complete("{read: '/orders/{{order}}'}", "{read: '/|"), ["/orders", "/refunds"]);
    let typo = WORLD.replace("/orders/7/status", "/order/7");
    let found = session.open(FILE, &typo);
    let message = found[0]["message"].as_str().expect("a text");
    assert!(message.contains("the state has no `/order`"), "{message}");
    let hover = session.ask_at("textDocument/hover", FILE, &WORLD.replace("- state", "- st|ate"));
    let text = hover["contents"]["value"].as_str().expect("a text");
    assert!(text.contains("the calls of the run leave this state behind"), "{text}");
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
        "evals/cassettes/shop/a.model.jsonl",
        "evals/traces/shop/a.json",
        "evals/snapshots/shop.a.snap",
        "evals/snapshots/shop.a.run_1.snap",
        "evals/snapshots/shop.ab.snap",
        "evals/snapshots/shop.a@cheaper.snap",
        "evals/traces/shop/a@cheaper.json",
        "evals/traces/shop/a@other.json",
    ];
    let mut files: Vec<(&str, &str)> = names.iter().map(|name| (*name, TRACE)).collect();
    files.push(("evals/arraign.yaml", "variants: {cheaper: {env: {MODEL: small}}}\n"));
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
        ("evals/cassettes/shop/a.model.jsonl", "evals/cassettes/shop/two%20words.model.jsonl"),
        ("evals/snapshots/shop.a.run_1.snap", "evals/snapshots/shop.two%20words.run_1.snap"),
        ("evals/snapshots/shop.a.snap", "evals/snapshots/shop.two%20words.snap"),
        ("evals/snapshots/shop.a%40cheaper.snap", "evals/snapshots/shop.two%20words%40cheaper.snap"),
        ("evals/traces/shop/a.json", "evals/traces/shop/two%20words.json"),
        ("evals/traces/shop/a%40cheaper.json", "evals/traces/shop/two%20words%40cheaper.json"),
    ];
    let expected: Vec<(Value, Value)> =
        expected.iter().map(|(old, new)| (json!(session.uri(old)), json!(session.uri(new)))).collect();
    assert_eq!(renamed, expected.iter().map(|(old, new)| (old, new)).collect::<Vec<_>>());
}

#[test]
fn ten_thousand_cases_do_not_delay_a_completion() {
    let cases = (0..10_000).map(|number| {
        format!("  - {{id: c{number}, trace: traces/shop.json, expect: [no_failed_calls: {{}}]}}\n")
    });
    let text = format!("tests:\n{}", cases.collect::<String>());
    let mut session = Session::new(&[(FILE, &text)]);
    session.open(FILE, &text);
    // Somebody types a case at the end, letter by letter. Each pause is long enough for the server to read the cases again.
    let typed = "  - id: last\n    trace: traces/shop.json\n    expect:\n      - required_tools: [";
    session.insert(FILE, 10_001, 0, typed);
    let column = u32::try_from(typed.lines().last().unwrap_or_default().len()).expect("a short line");
    let mut slowest = 0;
    for (at, letter) in ["g", "e", "t"].into_iter().enumerate() {
        std::thread::sleep(std::time::Duration::from_millis(120));
        let at = column + u32::try_from(at).expect("a small number");
        session.insert(FILE, 10_004, at, letter);
        let started = std::time::Instant::now();
        let position = json!({"line": 10_004, "character": at + 1});
        let file = json!({"uri": session.uri(FILE)});
        let parameters = json!({"textDocument": file, "position": position});
        let items = session.ask("textDocument/completion", parameters).expect("an answer");
        assert_eq!((&items[0]["label"], &items[1]["label"]), (&json!("get_order"), &json!("refund")));
        slowest = slowest.max(started.elapsed().as_millis());
    }
    eprintln!("the slowest completion with 10,000 cases: {slowest} ms");
    // A loaded machine is slow, but not as slow as reading the cases first.
    assert!(slowest < 1_000, "{slowest} ms");
}

const PACK: &str = "name: own
goal:
  decoy: 'Call the tool `{tool}` with the arguments {arguments}'
  answer: Write {canary}
templates:
  - {id: todo, source: own, license: MIT, text: 'TODO: {goal}'}
";

/// The marks are those of `cargo arraign attack --pack`, which reads the same file.
#[test]
fn the_mistakes_of_a_pack_of_attacks_are_marked() {
    for name in ["own-pack.yaml", "evals/schemas/own.yaml"] {
        let mut session = Session::new(&[]);
        assert_eq!(session.open(name, PACK), Vec::<Value>::new(), "{name}");
        let typo = PACK.replace("{goal}", "{gaol}");
        session.change(name, &typo);
        let found = session.wait_for_diagnostics(name);
        let messages: Vec<&str> = found.iter().filter_map(|one| one["message"].as_str()).collect();
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert!(
            messages[0].starts_with("unknown placeholder `{gaol}`\nhelp: known here are"),
            "{messages:?}"
        );
        assert_eq!(marked(&typo, &found[0]["range"]), "'TODO: {gaol}'");
        let unclosed = PACK.replace("todo,", "[,");
        session.change(name, &unclosed);
        let found = session.wait_for_diagnostics(name);
        assert!(!found.is_empty(), "a text that is no YAML has a mark");
        session.change(name, PACK);
        assert_eq!(session.wait_for_diagnostics(name), Vec::<Value>::new(), "{name}");
        let lenses =
            session.ask("textDocument/codeLens", json!({"textDocument": {"uri": session.uri(name)}}));
        assert_eq!(lenses, Ok(json!([])), "a pack has no case to run");
        assert_eq!(session.complete(name, &PACK.replace("name: own", "name: |")), Vec::<String>::new());
    }
    // A run reads this file as cases, so the marks are those of a run.
    let found = Session::new(&[]).open("evals/pack.yaml", PACK);
    assert!(
        found.iter().any(|one| one["message"].as_str().is_some_and(|text| text.contains("`goal`"))),
        "{found:?}"
    );
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
