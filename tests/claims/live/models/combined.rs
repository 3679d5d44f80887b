//! Recorded models together with scripted turns, with mock tools and with rows.

use super::{ALLOWED, RECORD, replies, run, take_server_away};
use crate::project::{Project, subject};
use crate::server::Server;

/// An agent that answers line by line, with its model at `server`.
fn turning(server: &Server) -> String {
    let upstream = format!("{{openai: '{}'}}", server.url("/v1"));
    format!("{{command: ['{}', --agent, turns], model: {{upstream: {upstream}}}}}", subject().display())
}

fn project(server: &Server, more: &str) -> Project {
    let case = format!(
        "tests:
  - id: a
    agent: {}
    turns: [{{query: Where is order 7?}}, {{query: And when?, expected: {{output: {{contains: [shipped]}}}}}}]
    thresholds: {{min_score: 50}}
    expect: [{{tool_called: get_order}}, {{tool_calls_at_most: 1}}, {{contains: shipped}}]
{more}",
        turning(server)
    );
    Project::empty().file("evals/s.yaml", case)
}

#[test]
fn turns_with_a_recorded_model_are_one_run() {
    let server = Server::new(replies::reply);
    let project = project(&server, "");
    run(&project, &[RECORD]).exits(0);
    assert_eq!(server.asked().len(), 3);
    take_server_away(&project);
    run(&project, &[ALLOWED]).exits(0);
    let other = project.read("evals/s.yaml").replace("And when?", "And where?");
    project.write("evals/s.yaml", other);
    run(&project, &[ALLOWED])
        .exits(101)
        .says("request 3 to the model")
        .says("\"And when?\" -> \"And where?\"");
    project.write("prompt", "Be long.");
    run(&project, &[ALLOWED]).exits(101).says("request 1 to the model").says("\"Be brief.\" -> \"Be long.\"");
}

#[test]
fn an_answer_ends_turns_with_a_recorded_model() {
    let server = Server::new(replies::reply);
    let project = project(&server, "    stop_when: {contains: shipped}\n");
    run(&project, &[RECORD]).exits(101).says("the run has no turn 2");
    assert_eq!(server.asked().len(), 2);
}

/// A case for each row, whose agent prints its query as its answer and asks its model.
fn rows(server: &Server) -> Project {
    let upstream = format!("{{openai: '{}'}}", server.url("/v1"));
    let agent =
        format!("{{command: ['{}', --agent, chat], model: {{upstream: {upstream}}}}}", subject().display());
    let case = format!(
        "id: order\nagent: {agent}\ncases: data/orders.csv\ninput: Where is order {{{{number}}}}?\nexpect: [{{contains: shipped}}]\n"
    );
    Project::empty().file("evals/s.yaml", case).file("evals/data/orders.csv", "number\n7\n8\n")
}

#[test]
fn each_row_has_a_cassette_of_its_own() {
    let server = Server::new(replies::reply);
    let project = rows(&server);
    run(&project, &[RECORD]).exits(0).says("2 passed");
    let cassettes = ["evals/cassettes/s/order[7].model.jsonl", "evals/cassettes/s/order[8].model.jsonl"];
    assert_eq!(project.files("evals/cassettes"), cassettes);
    take_server_away(&project);
    run(&project, &[ALLOWED]).exits(0).says("2 passed");
    project.write("evals/data/orders.csv", "number\n7\n9\n");
    let ran = run(&project, &[ALLOWED]).exits(101).says("1 passed; 1 failed");
    ran.says("evals/cassettes/s/order[9].model.jsonl does not exist").says("--exact 's::order[9]'");
}
