//! Recordings that know when they are stale: another input, or another agent.

use super::{RECORD, shell_with};
use crate::project::{Project, Ran};
use arraign::json::{self, Json};

/// All agents run again.
const RERECORD: (&str, &str) = ("ARRAIGN_AGENT_MODE", "rerecord");

/// A suite with an agent that answers with its prompt, and counts its runs in the file `asked`.
fn suite(ids: &[&str], more: &str) -> String {
    let script =
        "echo x >> asked; printf '{\"calls\": [\"look\"], \"answer\": \"%s\"}' \"$(head -1 prompts/a.md)\"";
    let agent = shell_with(script, ", inputs: ['prompts/**']");
    let cases = ids
        .iter()
        .map(|id| format!("  - {{id: {id}, input: about {id}, expect: [{{tool_blocklist: [rm]}}]{more}}}\n"));
    format!("agent: {agent}\ntests:\n{}", cases.collect::<String>())
}

fn project(ids: &[&str]) -> Project {
    Project::empty().file("evals/s.yaml", suite(ids, "")).file("prompts/a.md", "Be brief.\n")
}

/// How often the agent has run.
fn asked(project: &Project) -> usize {
    if project.path("asked").exists() { project.read("asked").lines().count() } else { 0 }
}

fn run(project: &Project, variables: &[(&str, &str)]) -> Ran {
    let _ = std::fs::remove_dir_all(project.path("out"));
    project.run_with(variables, &[])
}

fn recording(project: &Project, file: &str) -> Json {
    json::from_str(&project.read(file)).expect("a recording")
}

#[test]
fn a_recording_contains_the_fingerprints_of_its_agent() {
    let project = project(&["a"]);
    run(&project, &[RECORD]).exits(0);
    let recorded = &recording(&project, "evals/traces/s/a.json")["recorded"];
    let files = recorded["files"].as_object().expect("files");
    assert_eq!(files.keys().collect::<Vec<_>>(), ["prompts/a.md"]);
    for hash in [&files["prompts/a.md"], &recorded["agent"], &recorded["input"]] {
        assert!(hash.as_str().is_some_and(|hash| hash.starts_with("sha256:") && hash.len() == 71), "{hash}");
    }
    run(&project, &[]).exits(0).says_nothing_on_stderr();
}

#[test]
fn a_changed_file_of_the_agent_leaves_its_recordings_undecided() {
    let project = project(&["a", "b"]);
    run(&project, &[RECORD]).exits(0);
    let day = recording(&project, "evals/traces/s/a.json")["recorded"]["at"].as_str().expect("a time")[..10]
        .to_owned();
    project.write("prompts/a.md", "Be long.\n");
    let record = "ARRAIGN_AGENT_MODE=record cargo test --test subject -- --exact";
    let ran = run(&project, &[]).exits(101);
    ran.says(&format!("recorded by an agent that has changed: `prompts/a.md` has changed since {day}"))
        .says(&format!("record the run again: {record} s::a;"))
        .complains("2 trials are undecided: 2 recorded by an agent that has changed")
        .complains(&format!("recorded by an agent that has changed: {record} s::a s::b"));
    assert_eq!(project.verdict("s::a")["findings"][0]["undecided"], "changed_agent");
    run(&project, &[("ARRAIGN_STALE", "allow")]).exits(0);
    project.write("evals/s.yaml", suite(&["a", "b"], ", input_match: false"));
    run(&project, &[]).exits(0);
}

#[test]
fn added_and_removed_files_count_and_line_breaks_do_not() {
    let project = project(&["a"]);
    run(&project, &[RECORD]).exits(0);
    project.write("prompts/a.md", "Be brief.\r\n");
    run(&project, &[]).exits(0);
    project.write("prompts/deep/b.md", "More.\n");
    run(&project, &[]).exits(101).says("`prompts/deep/b.md` was added since");
    std::fs::rename(project.path("prompts/a.md"), project.path("a.md")).expect("it is moved");
    run(&project, &[]).exits(101).says("`prompts/a.md` was removed, `prompts/deep/b.md` was added since");
}

#[test]
fn record_asks_only_for_what_is_missing_or_stale() {
    let project = project(&["a", "b", "c"]);
    run(&project, &[RECORD]).exits(0).complains("arraign: agents ran 3 times; 0 recordings were fresh");
    std::fs::remove_file(project.path("evals/traces/s/b.json")).expect("one is missing");
    run(&project, &[RECORD]).exits(0).complains("arraign: agents ran once; 2 recordings were fresh");
    assert_eq!(asked(&project), 4);
    let other = project.read("evals/s.yaml").replace("about c", "about d");
    project.write("evals/s.yaml", other);
    run(&project, &[RECORD]).exits(0).complains("agents ran once; 2 recordings were fresh");
    project.write("prompts/a.md", "Be long.\n");
    run(&project, &[RECORD]).exits(0).complains("agents ran 3 times; 0 recordings were fresh");
    run(&project, &[]).exits(0).says_nothing_on_stderr();
    run(&project, &[RECORD]).exits(0).complains("agents ran 0 times; 3 recordings were fresh");
    assert_eq!(asked(&project), 8);
    run(&project, &[RERECORD]).exits(0).complains("arraign: agents ran 3 times\n");
    assert_eq!(asked(&project), 11);
}

#[test]
fn several_runs_are_recorded_where_they_are_missing() {
    let project = project(&[]);
    project.write("evals/s.yaml", suite(&["a"], ", repeat: 3"));
    run(&project, &[RECORD]).exits(0);
    std::fs::remove_file(project.path("evals/traces/s/a/2.json")).expect("one is missing");
    run(&project, &[RECORD]).exits(0).complains("agents ran once; 2 recordings were fresh");
    assert_eq!(asked(&project), 4);
}

/// The second case fails. What the others have answered is kept, so that only the second is asked again.
#[test]
fn a_run_that_was_cut_short_goes_on() {
    let project = project(&["a", "b", "c"]);
    let failing = project.read("evals/s.yaml").replace(
        "echo x >> asked;",
        "echo x >> asked; if grep -q 'about b' && [ ! -e mended ]; then exit 3; fi;",
    );
    project.write("evals/s.yaml", failing);
    run(&project, &[RECORD]).exits(101).says("it exited with code 3");
    project.write("mended", "");
    run(&project, &[RECORD]).exits(0).complains("agents ran once; 2 recordings were fresh");
    assert_eq!(asked(&project), 4);
}

#[test]
fn a_changed_definition_alone_is_a_remark() {
    let project = project(&["a", "b"]);
    run(&project, &[RECORD]).exits(0);
    let other = project.read("evals/s.yaml").replace("inputs:", "env: [MODEL], inputs:");
    project.write("evals/s.yaml", other);
    run(&project, &[]).exits(0).complains(
        "arraign: the definition of the agent has changed since the recording of 2 trials: \
         ARRAIGN_AGENT_MODE=record cargo test --test subject -- --exact s::a s::b",
    );
    run(&project, &[RECORD]).exits(0).complains("agents ran twice; 0 recordings were fresh");
    run(&project, &[]).exits(0).says_nothing_on_stderr();
}

#[test]
fn inputs_that_were_named_after_the_recording_make_it_stale() {
    let project = project(&["a"]);
    let with_inputs = project.read("evals/s.yaml");
    project.write("evals/s.yaml", with_inputs.replace(", inputs: ['prompts/**']", ""));
    run(&project, &[RECORD]).exits(0);
    project.write("evals/s.yaml", with_inputs);
    run(&project, &[]).exits(101).says("the recording has no fingerprints of the agent's `inputs`");
}

#[test]
fn a_recording_without_fingerprints_is_compared_by_its_words() {
    let project = project(&["a"]).file("evals/traces/s/a.json", r#"{"input": "about a", "calls": ["look"]}"#);
    project.write("prompts/a.md", "Be long.\n");
    run(&project, &[]).exits(0);
    run(&project, &[RECORD]).exits(0).complains("agents ran once; 0 recordings were fresh");
}

#[test]
fn a_glob_without_a_file_is_an_error_before_any_trial() {
    let project = project(&["a", "b"]);
    std::fs::remove_file(project.path("prompts/a.md")).expect("it is removed");
    let ran = run(&project, &[]).exits(2);
    ran.complains("`prompts/**` in `inputs` of `sh`: it matches no file of the package")
        .complains("1 mistake in the eval files; no trial was run");
    let named = project.run(&["--exact", "s::a"]).exits(101);
    named.says("matches no file of the package");
    for (glob, problem) in [("../x", "leads out of its folder"), ("a[", "is not a pattern")] {
        project.write("evals/s.yaml", suite(&["a"], "").replace("prompts/**", glob));
        run(&project, &[]).exits(2).complains(problem);
    }
}

#[test]
fn an_agent_in_rust_names_its_files_as_well() {
    let case = "tests:\n  - {id: a, input: hi, agent: prompted, expect: [{tool_blocklist: [rm]}]}\n";
    let project = Project::empty().file("evals/s.yaml", case).file("prompts/rust.md", "one");
    run(&project, &[RECORD]).exits(0);
    project.write("prompts/rust.md", "two");
    run(&project, &[]).exits(101).says("`prompts/rust.md` has changed since");
}

/// Rows share their template and their agent, and each has its own recording.
#[test]
fn a_changed_row_is_asked_again_alone() {
    let script = "echo x >> asked; echo '{\"calls\": [\"look\"]}'";
    let case = format!(
        "id: order\nagent: {}\ncases: data/orders.csv\ninput: Where is order {{{{number}}}}, {{{{name}}}}?\nexpect: [{{tool_called: look}}]\n",
        shell_with(script, "")
    );
    let project = Project::empty().file("evals/s.yaml", case);
    project.write("evals/data/orders.csv", "id,number,name\na,7,Ada\nb,8,Bob\n");
    run(&project, &[RECORD]).exits(0);
    project.write("evals/data/orders.csv", "id,number,name\na,7,Ada\nb,8,Eve\n");
    let ran = run(&project, &[]).exits(101).says("1 passed; 1 failed");
    ran.says("recorded for another input").says("--> evals/s.yaml:").says("row: evals/data/orders.csv:3:1");
    run(&project, &[RECORD]).exits(0).complains("agents ran once; 1 recording was fresh");
    assert_eq!(asked(&project), 3);
    run(&project, &[]).exits(0).says_nothing_on_stderr();
}
