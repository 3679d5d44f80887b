//! Models and agents that misbehave.

use super::{ALLOWED, CASSETTE, RECORD, project, replies, run};
use crate::server::{Reply, Server};

#[test]
fn a_reply_that_a_client_repeats_its_request_for_is_no_recording() {
    for status in [429, 500] {
        let server = Server::saying(Reply::of(status, "{}"));
        let project = project("chat", &server);
        run(&project, &[RECORD]).exits(101).says("it exited with code 3");
        assert!(!project.path(CASSETTE).exists(), "{status}");
    }
}

#[test]
fn a_provider_that_asks_for_patience_is_asked_again() {
    let server = Server::new(|asked, number| match number {
        1 => Reply::of(429, "{}").header("retry-after", "0"),
        number => replies::reply(asked, number - 1),
    });
    let project = project("chat", &server);
    run(&project, &[RECORD]).exits(0);
    assert!(!project.read(CASSETTE).contains("429"));
}

#[test]
fn a_stream_that_breaks_off_breaks_off_for_the_agent_and_is_not_recorded() {
    let server = Server::new(|asked, number| replies::reply(asked, number).cut(40));
    let project = project("chat streamed", &server);
    run(&project, &[RECORD]).exits(101).says("it exited with code 3");
    assert!(!project.path(CASSETTE).exists());
}

#[test]
fn a_server_that_nobody_runs_is_the_agents_error() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    super::take_server_away(&project);
    run(&project, &[RECORD]).exits(101).says("the provider gave no reply");
    assert!(!project.path(CASSETTE).exists());
}

#[test]
fn an_earlier_cassette_stays_where_the_agent_fails() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    run(&project, &[RECORD]).exits(0);
    let kept = project.read(CASSETTE);
    project.write("result", "gone");
    super::take_server_away(&project);
    run(&project, &[RECORD]).exits(101);
    assert_eq!(project.read(CASSETTE), kept);
}

#[test]
fn a_torn_cassette_is_an_error_with_its_line() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    run(&project, &[RECORD]).exits(0);
    let text = project.read(CASSETTE);
    project.write(CASSETTE, &text[..text.len() - 20]);
    run(&project, &[ALLOWED])
        .exits(101)
        .says("evals/cassettes/s/a.model.jsonl:2: this is no exchange with a model");
}

#[test]
fn a_key_in_a_request_is_never_recorded() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    project.write("result", "shipped with sk-live-0123456789abcdef");
    run(&project, &[RECORD]).exits(101).says("wrote the value of the secret `OPENAI_API_KEY`");
    assert!(!project.path(CASSETTE).exists());
}

#[test]
fn an_agent_that_asks_nothing_and_prints_nothing_is_an_error() {
    let server = Server::new(replies::reply);
    let project = project("chat none", &server);
    run(&project, &[RECORD]).exits(101).says("it printed no trace, and sent no request to its model");
}
