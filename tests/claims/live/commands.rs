//! Agents that are processes: what they are given, and what they give.

use super::{LIVE, RECORD, asks, shell, shell_with};
use crate::project::Project;
use arraign::json::Json;

/// A case whose agent, in shell, puts a text into its answer.
fn answers(script: &str, more: &str) -> Project {
    let script = format!("printf '{{\"calls\": [\"look\"], \"answer\": \"%s\"}}' \"$({script})\"");
    Project::of(&[asks("a", &shell_with(&script, more), "")])
}

fn answer(project: &Project) -> String {
    project.verdict("s::a")["runs"][0]["answer"].as_str().expect("a text").to_owned()
}

#[test]
fn the_case_is_asked_on_standard_input() {
    let project = answers("cat | tr '\"' '!'", "");
    project.run_with(&[LIVE], &[]).exits(0);
    let asked = "{!id!:!a!,!input!:!Where is order 7?!,!query!:!Where is order 7?!,!run!:1}";
    assert_eq!(answer(&project), asked);
}

#[test]
fn placeholders_are_filled_each_within_its_argument() {
    let script = "printf '{\"calls\": [\"look\"], \"answer\": \"%s\"}' \"$#:$1:$2:$3\"";
    let script = Json::from(script);
    let agent = format!(
        "{{command: [sh, -c, {script}, sh, '{{{{query}}}}', '--id={{{{id}}}}', '{{{{.Go}}}} {{{{run}}}}']}}"
    );
    let project = Project::of(&[asks("a", &agent, "").replace("order 7?", "$(echo 7); x?")]);
    project.run_with(&[LIVE], &[]).exits(0);
    assert_eq!(answer(&project), "3:Where is $(echo 7); x?:--id=a:{{.Go}} 1");
    let missing = asks("a", "{command: [sh, -c, exit, '{{input.who}}']}", "");
    let ran = Project::of(&[missing]).run_with(&[LIVE], &[]).exits(101);
    ran.says("could not be asked").says("the case says nothing for `{{input.who}}`");
}

#[test]
fn an_agent_sees_only_the_variables_that_it_is_given() {
    let names = "env | cut -d= -f1 | sort | tr '\\n' ' '";
    let project = answers(names, ", env: [MODEL, NOT_SET]");
    project.run_with(&[LIVE, ("MODEL", "m"), ("OTHER", "o"), ("HOME", "/h")], &[]).exits(0);
    let seen = answer(&project);
    // The last is the mark by which arraign finds what the agent has started.
    let own = |name: &&str| !["PWD", "SHLVL", "_", "OLDPWD", "_ARRAIGN_PROCESS"].contains(name);
    assert_eq!(seen.split_whitespace().filter(own).collect::<Vec<_>>(), ["HOME", "MODEL", "PATH"]);
}

#[test]
fn an_agent_works_in_its_folder() {
    let project = answers("pwd", "");
    project.run_with(&[LIVE], &[]).exits(0);
    assert_eq!(answer(&project), project.path("").display().to_string().trim_end_matches('/'));
    let project = answers("pwd", ", cwd: agents/one").file("agents/one/x", "");
    project.run_with(&[LIVE], &[]).exits(0);
    assert!(answer(&project).ends_with("/agents/one"));
    let project = answers("pwd", ", cwd: gone");
    let ran = project.run_with(&[LIVE], &[]).exits(101);
    ran.says("the agent `sh` could not be started").says("/gone: the working folder does not exist");
}

#[test]
fn a_program_with_a_path_is_found_from_its_folder() {
    use std::os::unix::fs::PermissionsExt as _;

    let agent = "{command: [./one.sh], cwd: agents}";
    let project = Project::of(&[asks("a", agent, "")]);
    project.write("agents/one.sh", "#!/bin/sh\necho '{\"calls\": [\"look\"]}'\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(project.path("agents/one.sh"), executable).expect("its rights");
    project.run_with(&[LIVE], &[]).exits(0);
}

#[test]
fn any_known_format_is_an_answer() {
    let chat = r#"[{"role": "user", "content": "Where is order 7?"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "rm", "arguments": "{}"}}]}]"#;
    let project = Project::of(&[asks("a", &shell(&format!("echo '{chat}'")), "")]);
    project.run_with(&[LIVE], &[]).exits(101).says("`rm` is blocked, but was called");
    let yaml = shell("printf 'steps:\\n- call: look\\n- say: done\\n'");
    Project::of(&[asks("a", &yaml, "")]).run_with(&[LIVE], &[]).exits(0);
    let named = shell_with("echo '{\"calls\": [\"look\"]}'", ", format: openai-chat");
    let ran = Project::of(&[asks("a", &named, "")]).run_with(&[LIVE], &[]).exits(101);
    ran.says("the agent `sh` did not return a valid trace").says("openai-chat: ");
}

#[test]
fn output_that_is_no_trace_is_shown_with_the_form_of_an_answer() {
    let help =
        "an answer without a word on calls is a trace as well: {\"calls\": [], \"calls_unrecorded\": true";
    for (script, shown) in [
        ("echo 'It shipped.'", "it printed: It shipped."),
        ("echo 'INFO starting'; echo '{\"calls\": []}'", "it printed: INFO starting"),
        ("true", "it printed nothing"),
    ] {
        let ran = Project::of(&[asks("a", &shell(script), "")]).run_with(&[LIVE], &[]).exits(101);
        ran.says("the agent `sh` did not return a valid trace").says(shown).says(help);
    }
    let as_told = "echo '{\"calls\": [], \"calls_unrecorded\": true, \"answer\": \"It shipped.\"}'";
    let ran = Project::of(&[asks("a", &shell(as_told), "")]).run_with(&[LIVE], &[]).exits(101);
    ran.says("undecided");
}

#[test]
fn agents_have_names_in_the_folders_own_file() {
    let project = Project::of(&[asks("a", "robot", "")]);
    let agents = |script: &str| format!("agents:\n  robot: {}\n", shell(script));
    project.write("evals/arraign.yaml", agents("echo '{\"calls\": [\"look\"]}'"));
    project.run_with(&[LIVE], &[]).exits(0);
    project.write("evals/arraign.yaml", agents("exit 3"));
    let ran = project.run_with(&[LIVE, ("ARRAIGN_OUT", "other")], &[]).exits(101);
    ran.says("the agent `robot` failed: it exited with code 3");
}

#[test]
fn the_recording_holds_the_trace_alone() {
    let script = "echo using $SUPPORT_KEY >&2; echo '{\"calls\": [\"look\"]}'";
    let project = Project::of(&[asks("a", &shell_with(script, ", env: [SUPPORT_KEY]"), "")]);
    project.run_with(&[RECORD, ("SUPPORT_KEY", "sk-1234567890")], &[]).exits(0);
    let recording = project.read("evals/traces/s/a.json");
    let (provenance, trace) = recording.split_once("\n  },\n").expect("a provenance");
    assert!(provenance.starts_with("{\n  \"recorded\": {"), "{recording}");
    assert!(trace.starts_with("  \"agent\": \"sh\",\n  \"steps\": ["), "{recording}");
    project.holds_nowhere("sk-1234567890");
}

#[test]
fn a_secret_in_the_answer_is_kept_nowhere() {
    let key = ("SUPPORT_KEY", "sk-1234567890");
    let answer = "echo \"{\\\"calls\\\": [\\\"$SUPPORT_KEY\\\"]}\"";
    let often = "for n in $(seq 999); do printf $SUPPORT_KEY >&2; done; exit 1";
    for script in [answer, "echo $SUPPORT_KEY >&2; exit 1", often] {
        let project = Project::of(&[asks("a", &shell_with(script, ", env: [SUPPORT_KEY]"), "")]);
        for mode in [LIVE, RECORD] {
            let ran = project.run_with(&[mode, key], &[]).exits(101).says("SUPPORT_KEY");
            assert!(!ran.stdout.contains("34567890") && !ran.stderr.contains("34567890"), "{ran:?}");
        }
        project.holds_nowhere(key.1);
        assert!(project.files("evals/traces").is_empty());
    }
}

#[test]
fn a_run_that_failed_by_its_own_format_is_an_error_and_replaces_no_recording() {
    let events = |last: &str| {
        let started = r#"{"type": "RUN_STARTED", "threadId": "t", "runId": "r"}"#;
        let said =
            r#"{"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "assistant", "delta": "Shipped."}"#;
        shell(&format!("printf '%s\\n' '{started}' '{said}' '{last}'"))
    };
    let finished = r#"{"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}"#;
    let project = Project::of(&[asks("a", &events(finished), "")]);
    project.run_with(&[RECORD], &[]).exits(0);
    let recording = project.read("evals/traces/s/a.json");
    let failed = events(r#"{"type": "RUN_ERROR", "message": "429 from the provider"}"#);
    project.write("evals/s.yaml", format!("tests:\n{}", asks("a", &failed, "")));
    let ran = project.run_with(&[("ARRAIGN_AGENT_MODE", "rerecord")], &[]).exits(101);
    ran.says("the agent `sh` failed").says("429 from the provider");
    assert_eq!(project.read("evals/traces/s/a.json"), recording);
}
