//! Scripted turns: the same agent is asked text by text, and all its answers are one run.

use super::{LIVE, RECORD, shell, shell_with};
use crate::project::{Project, Ran};
use crate::server::{Reply, Server};
use arraign::json::{self, Json, json};

/// Answers each line of its input with a run of its own.
const LINES: &str = "n=0; while read -r line; do n=$((n+1)); printf '%s\\n' \"$line\" >> lines.jsonl; \
                     echo '{\"calls\": [\"look\"], \"answer\": \"answer '$n'\"}'; done; touch ended";

fn case(agent: &str, more: &str) -> Project {
    let case = format!(
        "tests:\n  - id: a\n    agent: {agent}\n    turns:\n      - {{query: hello}}\n      - {{user: and order 8?, \
         expected: {{output: {{contains: [answer 2]}}}}}}\n    expect: [{{tool_blocklist: [rm]}}, {{tool_calls_at_most: 2}}]\n    thresholds: {{min_score: 50}}\n{more}"
    );
    Project::empty().file("evals/s.yaml", case)
}

fn run(project: &Project) -> Ran {
    project.run_with(&[LIVE], &[])
}

#[test]
fn a_command_answers_each_line_with_a_line() {
    let project = case(&shell(LINES), "");
    project.run_with(&[RECORD], &[]).exits(0);
    let lines = project.read("lines.jsonl");
    let lines: Vec<Json> = lines.lines().map(|line| json::from_str(line).expect("JSON")).collect();
    let expected = [("hello", 1), ("and order 8?", 2)]
        .map(|(text, turn)| json!({"id": "a", "input": text, "query": text, "run": 1, "turn": turn}));
    assert_eq!(lines, expected);
    assert!(project.path("ended").exists(), "the input ends");
    let recording = project.read("evals/traces/s/a.json");
    let places = ["hello", "answer 1", "and order 8?"].map(|text| recording.find(text));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{recording}");
    assert!(recording.contains("answer 2"), "{recording}");
    project.run(&[]).exits(0).says("1 passed");
    let changed = project.read("evals/s.yaml").replace("and order 8?", "and order 9?");
    project.write("evals/s.yaml", changed);
    project.run(&[]).exits(101).says("turn 2 asks");
}

#[test]
fn a_turn_that_misses_its_expectation_fails() {
    let script = LINES.replace("answer '$n'", "no idea");
    run(&case(&shell(&script), "")).exits(101).says("turn 2").says("answer 2");
}

#[test]
fn an_input_may_be_a_list_of_turns() {
    let case = format!(
        "id: a\nagent: {}\ninput: [hello, and order 8?]\nexpect: [{{tool_calls_at_most: 1}}]\n",
        shell(LINES)
    );
    let project = Project::empty().file("evals/s.yaml", case);
    run(&project).exits(101).says("2 calls");
    assert_eq!(project.read("lines.jsonl").lines().count(), 2);
}

#[test]
fn an_answer_may_end_the_turns() {
    for stop in ["{contains: answer 1}", "{regex: '^answer \\d$'}"] {
        let project = case(&shell(LINES), &format!("    stop_when: {stop}\n"));
        run(&project).exits(101).says("the run has no turn 2");
        assert_eq!(project.read("lines.jsonl").lines().count(), 1, "{stop}");
    }
}

#[test]
fn a_command_that_does_not_keep_to_lines_is_an_error() {
    let silent = run(&case(&shell("read -r line; echo '{\"calls\": []}'"), "")).exits(101);
    silent.says("its output ended in turn 2");
    let exits = run(&case(&shell("read -r line; echo broken >&2; exit 3"), "")).exits(101);
    exits.says("it exited with code 3").says("broken");
    let chatty = LINES.replace("done; touch ended", "done; echo more");
    run(&case(&shell(&chatty), "")).exits(101).says("more than one line for each of the 2 turns");
    let slow = shell_with("read -r line; echo waiting >&2; sleep 30", ", timeout: 300ms");
    run(&case(&slow, "")).exits(101).says("no answer within 300ms").says("waiting");
    let large = shell_with("cat /dev/zero", ", output_limit: 1000");
    run(&case(&large, "")).exits(101).says("it wrote more than 1000 bytes");
}

#[test]
fn a_closure_gets_what_it_returned_before() {
    run(&case("remembers", "")).exits(0);
}

#[test]
fn a_server_is_sent_the_conversation_and_a_session() {
    let replies = [1, 2].map(|turn| Reply::json(&json!({"text": format!("answer {turn}")})));
    let server = Server::saying_in_turn(replies.to_vec());
    let body = json!({"messages": "{{conversation}}", "session": "{{session}}", "turn": "{{turn}}"});
    let agent = json!({"http": {"url": server.url("/"), "body": body, "answer": "$.text"}}).to_string();
    let case = format!(
        "id: a\nagent: {agent}\nturns: [{{query: hello}}, {{query: and order 8?}}]\nexpect: [{{contains: answer 2}}]\n"
    );
    run(&Project::empty().file("evals/s.yaml", case)).exits(0);
    let asked = server.asked();
    let [first, second] = [asked[0].json(), asked[1].json()];
    assert_eq!(first["messages"], json!([{"role": "user", "content": "hello"}]));
    let said = [("user", "hello"), ("assistant", "answer 1"), ("user", "and order 8?")];
    let said = said.map(|(role, text)| json!({"role": role, "content": text}));
    assert_eq!(second["messages"], json!(said));
    assert!(first["session"].as_str().is_some_and(|session| session.len() == 16), "{first}");
    assert_eq!((&first["session"], &second["turn"]), (&second["session"], &json!(2)));
}

#[test]
fn turns_that_cannot_be_asked_are_refused() {
    let case = "id: a\nagent: looks\nturns: [{expected: {output: {contains: [x]}}}, {query: and order 8?}]\n";
    let project = Project::empty().file("evals/s.yaml", case);
    project.run(&[]).exits(2).complains("turn 1 has no `query`");
    project.write(
        "evals/s.yaml",
        "id: a\ninput: [a]\nturns: [{query: b}]\nexpect: [{contains: x}]\ntrace: {calls: []}\n",
    );
    project.run(&[]).exits(2).complains("listed under `input` or under `turns`, not both");
    project.write(
        "evals/s.yaml",
        "id: a\ninput: [a]\nstop_when: {regex: '('}\nexpect: [{contains: x}]\ntrace: {calls: []}\n",
    );
    project.run(&[]).exits(2).complains("evals/s.yaml:3:20").complains("invalid pattern");
}
