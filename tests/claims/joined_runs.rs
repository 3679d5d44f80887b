//! A trace file that several cases of a suite share, and the places of the traces of a dataset's rows.

use crate::project::Project;
use arraign::json::{Json, json};

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
    assert_eq!(joined.verdict("s::one")["runs"].as_array().map(<[Json]>::len), Some(1));
    assert_eq!(
        joined.verdict("s::two")["runs"].as_array().map(<[Json]>::len),
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
    // In longer texts of the user, too, if it has a line of its own.
    let runs =
        [line("two", "Answer briefly.\nWhat about two?"), line("one", "Question: What about one?\nAnswer:")];
    project(suite(&["one", "two"]), &runs).run(&[]).exits(0);
    let runs = [line("two", "What about two? Or three?"), line("one", "What about one?")];
    let ran = project(suite(&["one", "two"]), &runs).run(&[]).exits(101);
    ran.says("no run of `two` is in `traces/all.jsonl`: no run has its id, and none was asked its input; the runs are 1, 2")
        .says("run 1 has the input among other words: `input_match: contains` takes it as the run of the case");
}

#[test]
fn a_case_without_a_run_of_its_own_is_an_error_and_the_others_keep_theirs() {
    let runs = [run(Some("one"), "What about one?", "one"), run(Some("two"), "What about two?", "two")];
    for cases in [&["one", "two", "three"][..], &["three"]] {
        let joined = project(suite(cases), &runs);
        let ran = joined.run(&[]).exits(101);
        ran.says("no run of `three` is in `traces/all.jsonl`: no run has its id, and none was asked its input; the runs are `one`, `two`")
            .says("name the run that is its own: `trace: {file: traces/all.jsonl, run: ID}`");
        assert_eq!(joined.verdict("s::three")["status"], "error");
        if cases.len() > 1 {
            assert_eq!(joined.verdict("s::one")["status"], "pass");
        }
    }
}

#[test]
fn a_file_with_one_run_is_of_each_case() {
    let silent = [json!({"calls": ["one", "two"]}).to_string()];
    project(suite(&["one", "two"]), &silent).run(&[]).exits(0);
    // Runs that say nothing of their input are of no case, if there are several.
    let silent = [silent[0].clone(), silent[0].clone()];
    project(suite(&["one", "two"]), &silent).run(&[]).exits(101).says("no run of `one` is in");
    // A case with the file as its own trace has all of its runs.
    let own = cases(&["one"]).replace("id: one,", "id: one, trace: traces/all.jsonl,");
    let all = project(own, &silent);
    all.run(&[]).exits(0);
    assert_eq!(all.verdict("s::one")["runs"].as_array().map(<[Json]>::len), Some(2));
}

#[test]
fn a_run_that_two_cases_could_take_is_an_error_of_both() {
    let runs = [run(None, "What about one?\nWhat about two?", "one"), run(Some("x"), "hello", "two")];
    let joined = project(suite(&["one", "two"]), &runs);
    let ran = joined.run(&[]).exits(101);
    ran.says("run 1 of `traces/all.jsonl` could be the run of `one` and of `two`: both ask it");
    for name in ["s::one", "s::two"] {
        assert_eq!(joined.verdict(name)["status"], "error");
    }
    // The run of one case is not that of the other, although its text begins alike.
    let cases = "tests:
  - {id: a, input: Where is order 1, expect: [{required_tools: [one]}]}
  - {id: b, input: Where is order 17?, expect: [{required_tools: [two]}]}
";
    let runs = [run(None, "Where is order 17?", "two"), run(None, "Where is order 1", "one")];
    project(format!("defaults: {{trace: traces/all.jsonl}}\n{cases}"), &runs).run(&[]).exits(0);
}

#[test]
fn cases_that_ask_the_same_share_a_run_and_cases_for_two_users_do_not() {
    let suite = |inputs: [&str; 2]| {
        let cases = ["one", "two"].iter().zip(inputs).map(|(id, input)| {
            format!("  - {{id: {id}, input: {input}, expect: [{{required_tools: [one]}}]}}\n")
        });
        format!("defaults: {{trace: traces/all.jsonl}}\ntests:\n{}", cases.collect::<String>())
    };
    let runs = [run(None, "hi", "one"), run(None, "other", "two")];
    project(suite(["hi", "hi"]), &runs).run(&[]).exits(0);
    let inputs = ["{query: hi, user: 1}", "{query: hi, user: 2}"];
    project(suite(inputs), &runs).run(&[]).exits(101).says("could be the run of `one` and of `two`");
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
    let runs = ["two", "one"].map(|id| run(Some(id), &format!("What about {id}?\n{padding}"), id));
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
