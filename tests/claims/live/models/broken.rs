//! Models and agents that misbehave, and recordings that are interrupted.

use arraign::json;
use arraign::json::Json;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Barrier};
use std::thread::sleep;
use std::time::Duration;

use arraign_trace::source::is_temporary;

use super::{ALLOWED, CASSETTE, LIVE, RECORD, project, replies, run, take_server_away};
use crate::project::Project;
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
    take_server_away(&project);
    let ran = run(&project, &[RECORD]).exits(101);
    ran.says("a request to its model failed: POST http://").says("the provider gave no reply");
    assert!(!project.path(CASSETTE).exists());
}

#[test]
fn an_earlier_cassette_stays_where_the_agent_fails() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    run(&project, &[RECORD]).exits(0);
    let kept = project.read(CASSETTE);
    project.write("result", "gone");
    take_server_away(&project);
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

/// The exchanges are the trace, which must not contain the key either, although nothing is recorded.
#[test]
fn a_key_in_a_request_is_in_no_verdict() {
    let server = Server::new(replies::reply);
    for form in ["sk-live-0123456789abcdef", "eDpzay1saXZlLTAxMjM0NTY3ODlhYmNkZWY="] {
        let project = project("chat", &server);
        project.write("result", format!("shipped with {form}"));
        let ran = run(&project, &[LIVE]).exits(101).says("wrote the value of the secret");
        assert!(!ran.stdout.contains(form), "{}", ran.stdout);
        assert!(project.files("out").iter().all(|file| !project.read(file).contains(form)));
    }
}

#[test]
fn an_agent_that_asks_nothing_and_prints_nothing_is_an_error() {
    let server = Server::new(replies::reply);
    let project = project("chat none", &server);
    run(&project, &[RECORD]).exits(101).says("it printed no trace, and sent no request to its model");
}

/// The process ends although its provider does not: nobody waits for a minute.
#[test]
fn a_provider_that_hangs_ends_with_the_time_of_the_case() {
    let server = Server::saying(Reply::silence());
    let project = project("chat", &server);
    let text = project.read("evals/s.yaml").replace("{id: a,", "{id: a, timeout: 1s,");
    project.write("evals/s.yaml", text);
    run(&project, &[RECORD]).exits(101).says("no answer within 1s");
    assert_eq!(server.asked().len(), 1);
    assert!(!project.path(CASSETTE).exists());
}

/// What the agent has read of a stream is recorded, although the stream never ends.
#[test]
fn a_client_that_hangs_up_is_recorded_and_replayed() {
    let server = Server::new(|asked, number| {
        let reply = replies::reply(asked, number);
        if number == 1 { reply } else { reply.then_silence() }
    });
    let project = project("chat streamed impatient", &server);
    run(&project, &[RECORD]).exits(0);
    let cassette = project.read(CASSETTE);
    let last: Json = json::from_str(cassette.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["response"]["cut"], true, "{cassette}");
    take_server_away(&project);
    run(&project, &[ALLOWED]).exits(0);
    let other = project.read("evals/s.yaml").replace(", 'impatient'", "");
    project.write("evals/s.yaml", other);
    run(&project, &[ALLOWED]).exits(101).says("the stream broke off");
}

/// Both agents are asked before either has an answer.
#[test]
fn two_runs_at_once_leave_one_whole_cassette() {
    let both = Arc::new(Barrier::new(2));
    let server = Server::new(move |asked, number| {
        if !asked.body.contains("call_") {
            both.wait();
        }
        replies::reply(asked, number)
    });
    let project = project("chat", &server);
    let runs = ["one", "two"].map(|out| {
        let mut command = project.command(&[]);
        command.env(RECORD.0, RECORD.1).env("ARRAIGN_OUT", out).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("it starts")
    });
    for mut run in runs {
        assert_eq!(run.wait().expect("it ends").code(), Some(0));
    }
    assert_eq!(project.files("evals"), [CASSETTE, "evals/s.yaml"]);
    assert_eq!(project.read(CASSETTE).lines().count(), 2);
    take_server_away(&project);
    run(&project, &[ALLOWED]).exits(0);
}

/// The files below a folder, without temporary ones. A process that is killed while it writes leaves such a file, which
/// does not count as a cassette.
fn list_finished(project: &Project, below: &str) -> Vec<String> {
    let files = project.files(below).into_iter();
    files.filter(|file| !is_temporary(Path::new(file))).collect()
}

/// Records, and kills the process this long after the last request. Returns whether there is a cassette then, which is whole.
fn is_recorded_until(pause: Duration, project: &Project, server: &Server) -> bool {
    let before = server.asked().len();
    let mut command = project.command(&[]);
    command.env(RECORD.0, RECORD.1).stdout(Stdio::null()).stderr(Stdio::null());
    let mut recording = command.spawn().expect("it starts");
    while server.asked().len() < before + 2 {
        assert!(recording.try_wait().expect("a process").is_none(), "the agent failed");
        sleep(Duration::from_millis(1));
    }
    sleep(pause);
    recording.kill().expect("it is killed");
    recording.wait().expect("it ends");
    if !project.path(CASSETTE).exists() {
        assert!(list_finished(project, "evals/cassettes").is_empty(), "{:?}", project.files("evals"));
        return false;
    }
    let cassette = project.read(CASSETTE);
    let lines = cassette.lines().map(|line| json::parse(line).expect("a whole line"));
    assert_eq!(lines.count(), 2);
    std::fs::remove_file(project.path(CASSETTE)).expect("the cassette");
    true
}

/// The process is killed ever nearer to the moment at which it has written a cassette of some megabytes.
#[test]
fn a_cassette_is_whole_or_absent_after_a_kill() {
    let server = Server::new(replies::reply);
    let project = project("chat", &server);
    project.write("result", "shipped ".repeat(500_000));
    let mut absent = Duration::ZERO;
    let mut whole = Duration::from_millis(20);
    assert!(!is_recorded_until(absent, &project, &server), "the agent reads for longer than that");
    while !is_recorded_until(whole, &project, &server) {
        (absent, whole) = (whole, whole * 2);
    }
    for _ in 0..6 {
        let middle = (absent + whole) / 2;
        if is_recorded_until(middle, &project, &server) { whole = middle } else { absent = middle }
    }
    run(&project, &[RECORD]).exits(0);
    assert_eq!(list_finished(&project, "evals"), [CASSETTE, "evals/s.yaml"]);
}
