//! Sessions with lenses and quick fixes that change files.

use std::fs;

use serde_json::{Value, json};

use super::session::{Session, marked};

const FILE: &str = "evals/shop.yaml";

impl Session {
    /// The titles of the lenses of the file.
    fn list_lenses(&mut self) -> Vec<String> {
        let file = json!({"textDocument": {"uri": self.uri(FILE)}});
        let lenses = self.ask("textDocument/codeLens", file).expect("lenses");
        let lenses = lenses.as_array().cloned().unwrap_or_default();
        lenses.iter().map(|lens| lens["command"]["title"].as_str().expect("a title").to_owned()).collect()
    }

    /// The actions for the first character of a line.
    fn list_actions(&mut self, line: u32) -> Vec<Value> {
        let range = json!({"start": {"line": line, "character": 4}, "end": {"line": line, "character": 4}});
        let file = json!({"uri": self.uri(FILE)});
        let parameters = json!({"textDocument": file, "range": range, "context": {"diagnostics": []}});
        let actions = self.ask("textDocument/codeAction", parameters).expect("actions");
        actions.as_array().cloned().unwrap_or_default()
    }
}

/// The text with an edit of one place in one line.
fn apply_edit(text: &str, edit: &Value) -> String {
    let number = |end: &str, part: &str| {
        usize::try_from(edit["range"][end][part].as_u64().expect("a number")).expect("a small number")
    };
    let offset = |end: &str| {
        let lines = text.split_inclusive('\n').take(number(end, "line"));
        lines.map(str::len).sum::<usize>() + number(end, "character")
    };
    [&text[..offset("start")], edit["newText"].as_str().expect("a text"), &text[offset("end")..]].concat()
}

#[test]
fn a_quick_fix_adds_the_check_that_notices_a_survivor() {
    let text = "tests:
  - id: looks é
    trace: traces/shop.json
    expect:
      - required_tools: [get_order] # enough?
  - {id: b, trace: traces/shop.json, expect: [required_tools: [refund]]}
";
    let mut session = Session::new(&[(FILE, text)]);
    session.open(FILE, text);
    let titles: Vec<Value> = session.list_actions(2).iter().map(|action| action["title"].clone()).collect();
    assert_eq!(titles, ["Try which changes of its trace `shop::looks é` notices"]);

    let name = "shop::looks é";
    assert_eq!(session.run_command("arraign.mutate", FILE, name)["success"], true);
    let is_twice = |action: &&Value| {
        let title = action["title"].as_str().expect("a title");
        title.starts_with("Add `call: {tool: refund") && title.contains("notices: call 2 `refund`")
    };
    let actions = session.list_actions(4);
    let action = actions.iter().find(is_twice).unwrap_or_else(|| panic!("{actions:#?}"));
    assert_eq!(action["kind"], "quickfix");
    let edit = &action["edit"]["changes"][session.uri(FILE)][0];
    let added = apply_edit(text, edit);
    assert!(added.contains("[get_order] # enough?\n      - call: {tool: refund"), "{added}");
    assert!(added.ends_with("  - {id: b, trace: traces/shop.json, expect: [required_tools: [refund]]}\n"));

    // The case with the check is right, passes, and is not offered it again.
    fs::write(session.path(FILE), &added).expect("a file");
    session.change(FILE, &added);
    assert_eq!(session.wait_for_diagnostics(FILE), Vec::<Value>::new());
    let title = action["title"].clone();
    assert!(session.list_actions(4).iter().all(|other| other["title"] != title), "{title}");
    let other = session.list_actions(6);
    assert!(other.iter().all(|action| action["title"] != title), "another case: {other:#?}");
    assert_eq!(session.run_command("arraign.run", FILE, name)["success"], true);
}

#[test]
#[cfg(all(unix, feature = "live"))]
fn a_lens_records_the_run_of_an_agent() {
    let agent = r#"#!/bin/sh
echo '{"calls": ["look"], "answer": "done"}'
"#;
    let text = "agent: {command: [sh, agent.sh]}
tests:
  - {id: a, input: Hello, expect: [required_tools: [look]]}
";
    let mut session = Session::new(&[(FILE, text), ("agent.sh", agent)]);
    session.open(FILE, text);
    assert_eq!(session.list_lenses(), ["Run", "Debug trace", "Record"]);
    assert_eq!(session.run_command("arraign.run", FILE, "shop::a")["success"], false, "nothing is recorded");
    let recorded = session.run_command("arraign.record", FILE, "shop::a");
    assert_eq!(recorded["success"], true, "{recorded}");
    assert!(session.path("evals/traces/shop").read_dir().expect("a folder").next().is_some());
    assert_eq!(session.run_command("arraign.run", FILE, "shop::a")["success"], true);
}

#[test]
fn a_pending_snapshot_is_accepted() {
    let text = "tests:
  - id: a
    trace: traces/shop.json
    snapshot: true
    expect: [forbidden_tools: [refund]]
";
    let mut session = Session::new(&[(FILE, text)]);
    session.open(FILE, text);
    assert_eq!(session.list_lenses(), ["Run", "Debug trace"]);
    assert_eq!(session.run_command("arraign.run", FILE, "shop::a")["success"], false);
    assert_eq!(session.list_lenses(), ["Run", "Debug trace", "Accept snapshot"]);
    let actions = session.list_actions(3);
    assert_eq!(actions[0]["title"], "Accept the snapshot of `shop::a`", "{actions:?}");
    let accepted = session.run_command("arraign.accept", FILE, "shop::a");
    assert_eq!(accepted["success"], true, "{accepted}");
    assert_eq!(session.run_command("arraign.run", FILE, "shop::a")["success"], true);
    assert_eq!(session.list_lenses(), ["Run", "Debug trace"]);
}

#[test]
fn the_line_of_a_policy_is_related_to_its_violation_and_defines_its_tool() {
    let policy = "tools:\n  refund:\n    arguments:\n      order: {type: integer, maximum: 5}\n";
    let files = [("evals/policies/p.yaml", policy), ("evals/cassettes/shop/a.model.jsonl", "")];
    let text = "tests:
  - id: a
    trace: traces/shop.json
    expect:
      - required_tools: [refund]
      - args_valid: {policy: policies/p.yaml}
";
    let mut session = Session::new(&[&files[..], &[(FILE, text)]].concat());
    session.open(FILE, text);
    session.run_command("arraign.run", FILE, "shop::a");
    let published = session.notifications.iter().rev();
    let mut published = published.filter(|one| one.method == "textDocument/publishDiagnostics");
    let found = published.next().expect("diagnostics").params["diagnostics"][0].clone();
    let related = found["relatedInformation"].as_array().expect("places").clone();
    let uris: Vec<&Value> = related.iter().map(|one| &one["location"]["uri"]).collect();
    let trace = session.uri("evals/traces/shop.json");
    let rule = session.uri("evals/policies/p.yaml");
    assert_eq!(uris, [&json!(trace), &json!(rule)], "{found}");
    assert_eq!(related[1]["location"]["range"]["start"]["line"], 3, "{found}");

    let tool = session.ask_at("textDocument/definition", FILE, &text.replace("[refund]", "[ref|und]"));
    assert_eq!((&tool[0]["uri"], &tool[1]["uri"]), (&json!(trace), &json!(rule)), "{tool}");
    assert_eq!(marked(policy, &tool[1]["range"]), "refund");
    let recordings = session.ask_at("textDocument/definition", FILE, &text.replace("id: a", "id: a|"));
    let cassette = session.uri("evals/cassettes/shop/a.model.jsonl");
    assert_eq!((&recordings[0]["uri"], &recordings[1]["uri"]), (&json!(trace), &json!(cassette)));
}

#[test]
fn verdicts_of_a_run_in_a_terminal_appear_by_themselves() {
    let text = "{id: a, trace: traces/shop.json, expect: [forbidden_tools: [refund]]}";
    let mut session = Session::new(&[(FILE, text)]);
    assert_eq!(session.open(FILE, text), Vec::<Value>::new());
    let folder = session.path("");
    assert_eq!(crate::program::arraign(&folder, &["run"]).code, Some(101));
    let found = session.wait_for_diagnostics(FILE);
    assert_eq!(found[0]["code"], "forbidden_tools", "{found:?}");
}
