//! A judge on a server, asked by the harness: what is sent, and what becomes of a server that misbehaves.

use std::time::{Duration, Instant};

use arraign::json::{Json, json};
use arraign::judge::JudgeRequest;

use super::{LIVE, RECORD, asks};
use crate::project::{Project, Ran, suite};
use crate::scripted;
use crate::server::{Asked, NOBODY, Reply, Server};

const KEY: &str = "a1b2c3d4e5f6g7h8";

/// What a model would be sent, as the judge of the test target is.
pub(crate) fn request(asked: &Asked) -> JudgeRequest {
    let body = asked.json();
    let text = |index: usize| body["messages"][index]["content"].as_str().expect("text").to_owned();
    let user = text(1);
    let code = user.lines().next().expect("a line").trim_start_matches("BEGIN EVIDENCE ");
    let schema = match &body["response_format"]["json_schema"]["schema"] {
        Json::Null => schema_told(&user, code),
        schema => schema.clone(),
    };
    JudgeRequest::new(text(0), user, schema)
}

/// The form of the answer, as the questions tell it.
fn schema_told(user: &str, code: &str) -> Json {
    let mut properties = json!({"code": {"enum": [code]}});
    for line in user.lines().filter(|line| line.starts_with('q')) {
        let (id, rest) = line.split_once('.').expect("a question");
        let key = ["pass", "score", "claims"].into_iter().find(|key| rest.contains(&format!("(`{key}`")));
        properties[id] = json!({"properties": {key.expect("a form"): {}}});
    }
    json!({"properties": properties})
}

pub(crate) fn completion(content: &str) -> Reply {
    Reply::json(&json!({
        "choices": [{"message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
    }))
}

fn honest(asked: &Asked) -> Reply {
    completion(&scripted::looked(&request(asked)).to_string())
}

fn project(server: &str, more: &str) -> Project {
    let judge = format!("judge: {{model: m, base_url: '{server}', key_env: THE_KEY{more}}}\n");
    Project::of(&[asks("a", "please wait", ""), asks("b", "wait", "")]).file("evals/arraign.yaml", judge)
}

fn ask(project: &Project, mode: (&str, &str)) -> Ran {
    project.run_with(&[mode, ("THE_KEY", KEY)], &["--test-threads", "1"])
}

#[test]
fn a_model_is_asked_recorded_and_replayed_without_a_key() {
    let server = Server::new(|asked, _| honest(asked));
    let project = project(&server.url("/v1/"), ", seed: 5");
    let ran = ask(&project, RECORD).exits(101);
    assert_eq!(ran.results().into_values().collect::<Vec<_>>(), ["ok", "FAILED"]);
    ran.complains(
        "the judge was asked: 2 requests, 2000 tokens read and 200 written (2 without a known price)",
    );
    let asked = server.asked();
    assert_eq!(asked[0].line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(asked[0].header("authorization"), Some("Bearer a1b2c3d4e5f6g7h8"));
    let body = asked[0].json();
    assert_eq!((&body["model"], &body["temperature"], &body["seed"]), (&json!("m"), &json!(0), &json!(5)));
    assert_eq!(body["response_format"]["type"], "json_schema");
    // Another server of the same model replays, and nobody is asked.
    project.write("evals/arraign.yaml", "judge: {model: m, seed: 5}\n");
    let ran = project.run_with(&[("ARRAIGN_OUT", "other")], &[]).exits(101).says_nothing_on_stderr();
    assert_eq!(ran.results().into_values().collect::<Vec<_>>(), ["ok", "FAILED"]);
    assert_eq!(server.asked().len(), 2);
}

#[test]
fn a_server_that_knows_no_schemas_is_asked_without_one() {
    let server = Server::new(|asked, _| match asked.json()["response_format"] {
        Json::Null => honest(asked),
        _ => Reply::of(400, "{\"error\": \"unknown field response_format\"}"),
    });
    let ran = ask(&project(&server.url("/v1"), ""), LIVE).exits(101);
    assert_eq!(ran.results().into_values().collect::<Vec<_>>(), ["ok", "FAILED"]);
    assert_eq!(server.asked().len(), 3, "it is not tried again");
}

#[test]
fn a_model_that_takes_no_temperature_is_asked_without_one() {
    let server = Server::new(|asked, _| match asked.json()["temperature"] {
        Json::Null => honest(asked),
        _ => Reply::of(400, "{\"error\": \"unsupported value: temperature\"}"),
    });
    let ran = ask(&project(&server.url("/v1"), ""), LIVE).exits(101);
    assert_eq!(ran.results().into_values().collect::<Vec<_>>(), ["ok", "FAILED"]);
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn a_busy_server_is_asked_again() {
    let server = Server::new(|asked, number| match number {
        1 => Reply::of(429, "slow down").header("retry-after", "1"),
        3 => Reply::of(503, "busy"),
        _ => honest(asked),
    });
    let started = Instant::now();
    let ran = ask(&project(&server.url("/v1"), ""), LIVE).exits(101);
    assert_eq!(ran.results().into_values().collect::<Vec<_>>(), ["ok", "FAILED"]);
    assert_eq!(server.asked().len(), 4);
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[test]
fn each_fault_is_an_error_within_its_time() {
    let ok = || completion("{}");
    let faults: Vec<(Reply, &str)> = vec![
        (Reply::of(401, "{\"error\": \"bad key a1b2c3d4e5f6g7h8\"}"), "it answered 401 Unauthorized"),
        (Reply::of(404, "no such model"), "it answered 404 Not Found: no such model"),
        (Reply::of(500, "oops"), "it answered 500"),
        (Reply::of(429, "later").header("retry-after", "3600"), "it answered 429"),
        (ok().cut(20), "the connection broke"),
        (Reply::of(200, "<html>"), "the answer is not JSON"),
        (Reply::json(&json!({"choices": []})), "it holds no JSON object"),
        (Reply::json(&json!({"choices": [{"message": {"content": null}}]})), "it holds no JSON object"),
        (Reply::json(&json!({"detail": "x"})), "the answer is not JSON: missing field `choices`"),
        (completion("PASS"), "it holds no JSON object"),
        (completion("{\"q1\": {\"pass\": true}}"), "it does not repeat the `code`"),
        (Reply::of(200, "x".repeat(10 << 20)), "the answer has more than"),
        (ok().dripping(Duration::from_millis(200)), "no complete answer within 2s"),
        (Reply::silence(), "no complete answer within 2s"),
        (Reply::of(302, "").header("location", "http://elsewhere/?key=1"), "redirects are not followed"),
    ];
    for (reply, said) in faults {
        let server = Server::saying(reply);
        let project = project(&server.url("/v1"), ", timeout: 2s");
        let started = Instant::now();
        let ran = project.run_with(&[LIVE, ("THE_KEY", KEY)], &["--exact", "s::a"]).exits(101).says(said);
        assert!(started.elapsed() < Duration::from_secs(15), "{said}: {:?}", started.elapsed());
        assert!(!ran.stdout.contains(KEY), "{}", ran.stdout);
        assert_eq!(project.verdict("s::a")["status"], "error", "{said}");
    }
    let nobody = project(&format!("{NOBODY}v1"), ", timeout: 2s");
    ask(&nobody, LIVE).exits(101).says("no connection: connection refused");
}

#[test]
fn a_case_waits_for_its_judge_no_longer_than_it_says() {
    for reply in [Reply::silence(), completion("{}").dripping(Duration::from_millis(200))] {
        let server = Server::saying(reply);
        let project = project(&server.url("/v1"), "");
        project.write("evals/s.yaml", suite(&[asks("a", "please wait", "timeout: 600ms")]));
        let started = Instant::now();
        let ran = ask(&project, RECORD).exits(101).says("600ms");
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        assert_eq!(project.verdict("s::a")["status"], "error", "{ran:?}");
        assert!(project.files("evals/cassettes").is_empty());
    }
}

const PRICED: &str = "prices: {m: {input: 100, output: 1000}}\n";

#[test]
fn tokens_have_their_price_and_a_budget() {
    let server = Server::new(|asked, _| honest(asked));
    let project = project(&server.url("/v1"), ", budget_usd: 0.1");
    let judge = project.read("evals/arraign.yaml");
    project.write("evals/arraign.yaml", format!("{judge}{PRICED}"));
    let ran = ask(&project, RECORD).exits(101).says("the budget of 0.1 US dollars is spent");
    ran.complains("1000 tokens read and 100 written, 0.2000 US dollars");
    assert_eq!(server.asked().len(), 1);
    // It goes on where it stopped.
    let ran = project.run_with(&[RECORD, ("THE_KEY", KEY), ("ARRAIGN_OUT", "other")], &["--exact", "s::b"]);
    ran.exits(101).says("the judge says no to `polite`");
}

#[test]
fn a_budget_without_a_price_asks_once() {
    let server = Server::new(|asked, _| honest(asked));
    let ran = ask(&project(&server.url("/v1"), ", budget_usd: 0.1"), LIVE).exits(101);
    ran.says("cannot enforce `budget_usd`: the price of the judge is unknown")
        .says("prices: {m: {input: .., output: ..}}");
    assert_eq!(server.asked().len(), 1);
}

/// A server that tells the key to everybody, in what it is asked for and beside it.
#[test]
fn no_file_and_no_output_holds_the_key() {
    let server = Server::new(|asked, number| {
        let told =
            scripted::looked(&request(asked)).to_string().replace("it does", &format!("it does {KEY}"));
        if number == 2 { Reply::of(403, told + KEY).header("x-key", KEY) } else { completion(&told) }
    });
    let project = project(&server.url("/v1"), "");
    for (mode, out) in [(RECORD, "1"), (LIVE, "2"), (("ARRAIGN_JUDGE", "replay"), "3")] {
        let reports = ("ARRAIGN_REPORT", "json,jsonl,sarif,junit,markdown");
        let variables = [mode, ("THE_KEY", KEY), ("ARRAIGN_OUT", out), ("ARRAIGN_VERBOSE", "1"), reports];
        let ran = project.run_with(&variables, &["--test-threads", "1"]).exits(101);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains(KEY), "{}{}", ran.stdout, ran.stderr);
    }
    let files = project.files("");
    assert!(files.len() > 8, "{files:?}");
    for file in files {
        assert!(!project.read(&file).contains(KEY), "{file}");
    }
    assert!(project.files("evals/cassettes").iter().any(|file| project.read(file).contains("[THE_KEY]")));
}

#[test]
fn votes_have_seeds_of_their_own() {
    let server = Server::new(|asked, _| honest(asked));
    ask(&project(&server.url("/v1"), ", votes: 3, seed: 7"), LIVE).exits(101).says("3 of 3 votes");
    let seeds: Vec<i64> = server.asked().iter().filter_map(|asked| asked.json()["seed"].as_i64()).collect();
    assert_eq!(seeds, [7, 8, 9, 7, 8, 9]);
}
