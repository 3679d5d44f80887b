//! Agents that run in every mode, while the requests to their model are recorded and replayed.

mod broken;
mod combined;
mod connections;
mod replies;

use std::fs;

use super::{LIVE, RECORD};
use crate::project::{Project, Ran, subject};
use crate::server::{NOBODY, Server};

use arraign::json::{self, Json};

/// Lets agents run in a replay.
const ALLOWED: (&str, &str) = ("HARNESS_TEST_ALLOWED", "1");

/// The cassette of the case `a`.
const CASSETTE: &str = "evals/cassettes/s/a.model.jsonl";

/// A suite whose agent asks a provider at `upstream`.
fn suite(ids: &[&str], agent: &str, upstream: &str, more: &str) -> String {
    let words: Vec<String> = agent.split(' ').map(|word| format!("'{word}'")).collect();
    let command = format!("[{}, --agent, {}]", subject().display(), words.join(", "));
    let upstream = format!("{{openai: '{upstream}/v1', anthropic: '{upstream}', gemini: '{upstream}'}}");
    let agent =
        format!("{{command: {command}, env: [OPENAI_API_KEY], model: {{upstream: {upstream}{more}}}}}");
    let cases = ids.iter().map(|id| {
        format!("  - {{id: {id}, input: Where is order 7?, expect: [{{tool_called: get_order}}, {{contains: shipped}}]}}\n")
    });
    format!("agent: {agent}\ntests:\n{}", cases.collect::<String>())
}

fn project(agent: &str, server: &Server) -> Project {
    Project::empty().file("evals/s.yaml", suite(&["a"], agent, &server.url(""), ""))
}

fn run(project: &Project, variables: &[(&str, &str)]) -> Ran {
    let _ = fs::remove_dir_all(project.path("out"));
    let key = ("OPENAI_API_KEY", "sk-live-0123456789abcdef");
    project.run_with(&[variables, &[key]].concat(), &[])
}

/// Leaves no server that could be asked.
fn take_server_away(project: &Project) {
    let text = project.read("evals/s.yaml");
    let (before, rest) = text.split_once("http://127.0.0.1:").expect("an address");
    let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let address = format!("http://127.0.0.1:{port}");
    project.write(
        "evals/s.yaml",
        format!("{before}{address}{}", &rest[port.len()..]).replace(&address, NOBODY.trim_end_matches('/')),
    );
}

#[test]
fn each_protocol_is_recorded_and_replayed_without_its_server() {
    for agent in ["chat", "responses", "anthropic", "gemini"] {
        for form in ["", " streamed"] {
            let server = Server::new(replies::reply);
            let project = project(&format!("{agent}{form}"), &server);
            run(&project, &[RECORD]).exits(0);
            assert_eq!(server.asked().len(), 2, "{agent}{form}");
            assert_eq!(project.files("evals"), [CASSETTE, "evals/s.yaml"]);
            take_server_away(&project);
            run(&project, &[ALLOWED]).exits(0).says_nothing_of_remarks();
            let verdict = project.verdict("s::a");
            assert_eq!(verdict["runs"][0]["calls"][0]["arguments"], "{\"id\":7}", "{agent}{form}");
            assert_eq!(verdict["runs"][0]["model"], "m-1", "{agent}{form}");
            project.holds_nowhere("sk-live-0123456789abcdef");
            project.holds_nowhere("org-secret");
            project.holds_nowhere("AIzaSecretKey123");
        }
    }
}

#[test]
fn a_replay_rests_on_the_recorded_answers_of_the_model() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    let judged = |variables: &[(&str, &str)]| {
        run(&project, variables).exits(0);
        let verdict = project.verdict("s::a");
        (verdict["live"].clone(), verdict["runs"][0]["evidence_hash"].clone())
    };
    let (live, recorded) = judged(&[RECORD]);
    assert_eq!(live, true);
    // Each run takes another time, so that no two traces are the same.
    assert_eq!(judged(&[ALLOWED]), (Json::Null, recorded.clone()));
    assert_ne!(judged(&[LIVE]).1, recorded);
}

impl Ran {
    /// The only line on standard error says how often agents ran.
    #[track_caller]
    fn says_nothing_of_remarks(self) -> Self {
        assert_eq!(self.stderr, "arraign: agents ran once\n");
        self
    }
}

#[test]
fn a_stream_keeps_its_pieces() {
    let server = Server::new(replies::reply);
    let project = project("anthropic streamed", &server);
    run(&project, &[RECORD]).exits(0);
    let cassette = project.read(CASSETTE);
    let first: Json = json::from_str(cassette.lines().next().expect("a line")).expect("JSON");
    let chunks = first["response"]["chunks"].as_array().expect("pieces");
    let text: String = chunks.iter().filter_map(Json::as_str).collect();
    assert!(
        text.starts_with("event: message_start\ndata: ") && text.ends_with("\"type\":\"message_stop\"}\n\n")
    );
    assert_eq!(first["request"]["path"], "/v1/messages");
    assert_eq!(first["request"]["to"], "anthropic");
    assert!(first["request"].get("headers").is_none());
}

#[test]
fn a_changed_prompt_or_result_is_undecided_and_named() {
    let server = Server::new(replies::reply);
    let project = project("chat stubborn", &server);
    run(&project, &[RECORD]).exits(0);
    project.write("prompt", "Be long.");
    let ran = run(&project, &[ALLOWED]).exits(101);
    ran.says("error[model]: undecided: the agent")
        .says("asked its model something that is not recorded")
        .says("request 1 to the model, POST /chat/completions, is not recorded")
        .says("the nearest is line 1 of evals/cassettes/s/a.model.jsonl")
        .says("message 1, system message: \"Be brief.\" -> \"Be long.\"")
        .says("record the run again: ARRAIGN_AGENT_MODE=record cargo test --test subject -- --exact s::a");
    let verdict = project.verdict("s::a");
    assert_eq!(
        (&verdict["status"], &verdict["findings"][0]["undecided"]),
        (&"undecided".into(), &"unrecorded_request".into())
    );
    fs::remove_file(project.path("prompt")).expect("the file");
    project.write("result", "lost at sea");
    // The tool runs in a replay as well: if it answers differently each time, another recording settles nothing.
    run(&project, &[ALLOWED])
        .exits(101)
        .says("message 4, tool result: \"shipped\" -> \"lost at sea\"")
        .says("help: a tool answers differently in each run: mock it, or leave the part out with `model: {ignore_text:");
}

#[test]
fn nothing_runs_in_a_replay_without_consent() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    run(&project, &[RECORD]).exits(0);
    run(&project, &[]).exits(101).says("undecided: the agent was not run").says(
        "call `allow_exec()` on the harness of the test target, or use `cargo arraign run --allow-exec`",
    );
    assert_eq!(project.verdict("s::a")["findings"][0]["undecided"], "agent_not_run");
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_missing_cassette_is_undecided_with_the_command() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    run(&project, &[ALLOWED])
        .exits(101)
        .says("undecided: the requests to the model are not recorded: evals/cassettes/s/a.model.jsonl does not exist")
        .says("record them: ARRAIGN_AGENT_MODE=record cargo test --test subject -- --exact s::a");
    assert!(server.asked().is_empty(), "a replay sends nothing");
}

#[test]
fn recording_again_forwards_only_what_is_new() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    run(&project, &[RECORD]).exits(0);
    let first = project.read(CASSETTE);
    run(&project, &[RECORD]).exits(0);
    assert_eq!((server.asked().len(), project.read(CASSETTE)), (2, first.clone()));
    project.write("result", "it has shipped, late");
    run(&project, &[RECORD]).exits(0);
    assert_eq!(server.asked().len(), 3, "only the second request is new");
    assert_eq!(project.read(CASSETTE).lines().next(), first.lines().next());
    run(&project, &[("ARRAIGN_AGENT_MODE", "rerecord")]).exits(0);
    assert_eq!(server.asked().len(), 5);
    let kept = project.read(CASSETTE);
    run(&project, &[LIVE]).exits(0);
    assert_eq!((server.asked().len(), project.read(CASSETTE)), (7, kept));
}

#[test]
fn an_equal_request_more_needs_reuse_and_an_unused_exchange_is_a_remark() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    run(&project, &[RECORD]).exits(0);
    let text = project.read("evals/s.yaml");
    let again = text.replace("'chat'", "'chat', again");
    project.write("evals/s.yaml", &again);
    run(&project, &[ALLOWED]).exits(101).says("is recorded less often than the agent sends it");
    project.write("evals/s.yaml", again.replace("}}}", "}, reuse: true}}"));
    run(&project, &[ALLOWED]).exits(0);
    project.write("evals/s.yaml", &text);
    let cassette = project.read(CASSETTE);
    project.write(CASSETTE, format!("{cassette}{}\n", cassette.lines().next().expect("a line")));
    run(&project, &[ALLOWED])
        .exits(0)
        .complains("arraign: evals/cassettes/s/a.model.jsonl: 1 recorded exchange was not used");
}

#[test]
fn many_agents_run_side_by_side_each_with_its_own_path() {
    let server = Server::new(replies::reply);
    let ids: Vec<String> = (0..64).map(|number| format!("c{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let project = Project::empty().file("evals/s.yaml", suite(&ids, "chat streamed", &server.url(""), ""));
    run(&project, &[RECORD]).exits(0).complains("agents ran 64 times");
    assert_eq!((server.asked().len(), project.files("evals/cassettes").len()), (128, 64));
    take_server_away(&project);
    run(&project, &[ALLOWED]).exits(0).says("64 passed");
}

#[test]
fn an_agent_of_the_test_target_gets_the_address_and_needs_no_consent() {
    let server = Server::new(replies::reply);
    let case = "tests:\n  - {id: a, input: Where is order 7?, agent: modelled, expect: [{tool_called: get_order}]}\n";
    let project = Project::empty().file("evals/s.yaml", case);
    let upstream = server.url("/v1");
    run(&project, &[RECORD, ("OPENAI_BASE_URL", &upstream)]).exits(0);
    run(&project, &[("OPENAI_BASE_URL", NOBODY)]).exits(0);
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn each_variant_has_its_own_cassette_and_may_have_its_own_model() {
    let server = Server::new(replies::reply);
    let project =
        Project::empty().file("evals/s.yaml", suite(&["a"], "chat", NOBODY.trim_end_matches('/'), ""));
    let upstream = format!("{{openai: '{}/v1'}}", server.url(""));
    project.write("evals/arraign.yaml", format!("variants: {{local: {{model: {{upstream: {upstream}}}}}}}"));
    let local = ("ARRAIGN_VARIANT", "local");
    run(&project, &[RECORD, local]).exits(0);
    assert_eq!(server.asked().len(), 2);
    assert!(project.files("evals").contains(&"evals/cassettes/s/a@local.model.jsonl".to_owned()));
    run(&project, &[ALLOWED, local]).exits(0);
    run(&project, &[ALLOWED]).exits(101).says("evals/cassettes/s/a.model.jsonl does not exist");
}
