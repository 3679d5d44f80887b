//! A trace file that several cases of a suite share, and the places of the traces of a dataset's rows.

use serde_json::json;

use crate::project::Project;

/// Cases that must call the tool of their id.
fn cases(ids: &[&str]) -> String {
    let case = |id: &&str| {
        format!("  - {{id: {id}, input: 'What about {id}?', expect: [{{required_tools: [{id}]}}]}}\n")
    };
    format!("tests:\n{}", ids.iter().map(case).collect::<String>())
}

fn suite(ids: &[&str]) -> String {
    format!("defaults: {{trace: traces/all.jsonl}}\n{}", cases(ids))
}

/// A native run.
fn run(id: Option<&str>, text: &str, tool: &str) -> String {
    json!({"id": id, "steps": [{"user": text}, {"call": tool}]}).to_string()
}

fn project(suite: String, runs: &[String]) -> Project {
    Project::empty().file("evals/s.yaml", suite).file("evals/traces/all.jsonl", runs.join("\n"))
}

#[test]
fn runs_are_joined_by_id() {
    let runs = ["two", "one", "two", "other"].map(|id| run(Some(id), &format!("What about {id}?"), id));
    let joined = project(suite(&["one", "two"]), &runs);
    joined.run(&[]).exits(0);
    assert_eq!(joined.verdict("s::one")["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        joined.verdict("s::two")["runs"].as_array().map(Vec::len),
        Some(2),
        "several runs of the case"
    );
    joined.run_with(&[("ARRAIGN_OUT", "alone")], &["--exact", "s::one"]).exits(0);
}

#[test]
fn the_scenario_of_a_log_is_its_id() {
    let line = |scenario: &str| {
        let call = json!({"type": "tool_use", "id": "1", "name": scenario, "input": {}});
        let messages = json!([
            {"role": "user", "content": format!("What about {scenario}?")},
            {"role": "assistant", "content": [call]},
        ]);
        json!({"type": "scenario_run", "scenario_id": scenario, "messages": messages}).to_string()
    };
    project(suite(&["one", "two"]), &[line("two"), line("one")]).run(&[]).exits(0);
}

#[test]
fn runs_without_ids_are_joined_by_input() {
    let line = |id: &str, prompt: &str| {
        json!({"prompt": prompt, "response": "ok", "tool_calls": [{"tool_name": id, "args": {}}]}).to_string()
    };
    let runs = [line("two", "What  about two?\n"), line("one", "What about one?")];
    project(suite(&["one", "two"]), &runs).run(&[]).exits(0);
    // In longer texts of the user, too.
    let runs =
        [line("two", "Answer briefly. What about two?"), line("one", "Answer briefly. What about one?")];
    project(suite(&["one", "two"]), &runs).run(&[]).exits(0);
}

#[test]
fn runs_are_not_joined_if_a_case_finds_none() {
    let runs = [run(Some("one"), "What about one?", "one"), run(Some("two"), "What about two?", "two")];
    let ran = project(suite(&["one", "two", "three"]), &runs).run(&[]).exits(101);
    ran.says("recorded for another input: the case asks \"What about one?\", the run was asked \"What about two?\"");
    // Each case has all runs, as without the rule.
    let silent = [json!({"calls": ["one", "two"]}).to_string(), json!({"calls": ["two", "one"]}).to_string()];
    let all = project(suite(&["one", "two"]), &silent);
    all.run(&[]).exits(0);
    assert_eq!(all.verdict("s::one")["runs"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_file_that_a_case_names_itself_is_not_joined() {
    let runs = [run(Some("one"), "hi", "one"), run(Some("two"), "hi", "two")];
    let case = |id: &str| {
        format!("  - {{id: {id}, trace: traces/all.jsonl, expect: [{{required_tools: [{id}]}}]}}\n")
    };
    let own = project(format!("tests:\n{}{}", case("one"), case("two")), &runs);
    own.run(&[]).exits(101).says("`one` was never called");
}

#[test]
fn a_large_file_is_joined_without_being_held() {
    let padding = "x".repeat(300 << 10);
    let runs = ["two", "one"].map(|id| run(Some(id), &format!("What about {id}? {padding}"), id));
    project(suite(&["one", "two"]), &runs).run(&[]).exits(0);
}

#[test]
fn the_rows_of_a_dataset_share_a_file_as_cases_do() {
    let rows = r#"[{"input": "What about one?", "expected_tools": ["one"]}, {"input": "What about two?", "expected_tools": ["two"]}]"#;
    let runs = [run(None, "What about two?", "two"), run(None, "What about one?", "one")];
    let suite = "dataset: datasets/rows.json\ndefaults: {trace: traces/all.jsonl}\n".to_owned();
    let ran = project(suite, &runs).file("evals/datasets/rows.json", rows).run(&[]).exits(0);
    assert_eq!(ran.results().len(), 2);
}

#[test]
fn a_suite_does_not_change_where_the_traces_of_a_dataset_are() {
    let rows = r#"[{"id": "looked_up", "input": "hi", "expected_tools": ["one"]},
        {"id": "named", "input": "hi", "expected_tools": ["two"], "trace": "traces/named.json"}]"#;
    let project = Project::empty()
        .file("evals/datasets/rows.json", rows)
        .file("evals/datasets/traces/rows/looked_up.json", run(None, "hi", "one"))
        .file("evals/datasets/traces/named.json", run(None, "hi", "two"));
    project.run(&[]).exits(0);
    project.write("evals/gate.yaml", "dataset: datasets/rows.json\ngate: {mean: 0.8}\n");
    let ran = project.run_with(&[("ARRAIGN_OUT", "gated")], &[]).exits(0);
    let names: Vec<&str> = ran.results().into_keys().collect();
    assert_eq!(names, ["gate::looked_up", "gate::named", "gate::pass_threshold"]);
}

#[test]
fn a_row_of_a_dataset_is_recorded_beside_the_dataset() {
    let rows = r#"[{"id": "a", "input": "hi", "agent": "looks", "expected_tools": ["look"]}]"#;
    let project = Project::empty()
        .file("evals/datasets/rows.json", rows)
        .file("evals/gate.yaml", "dataset: datasets/rows.json\ngate: {mean: 0.5}\n");
    project.run_with(&[("ARRAIGN_AGENT_MODE", "record")], &[]).exits(0);
    assert_eq!(project.files("evals/datasets/traces"), ["evals/datasets/traces/rows/a.json"]);
    project.run_with(&[("ARRAIGN_OUT", "again")], &[]).exits(0);
}
