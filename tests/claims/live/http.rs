//! Agents that are servers: what they are sent, what may come back, and what becomes of one that fails.

use std::time::{Duration, Instant};

use super::{LIVE, RECORD, asks};
use crate::project::{Project, Ran};
use crate::server::{Asked, NOBODY, Reply, Server};

use arraign::json::{Json, json};

/// What no file and no message may hold.
const KEY: &str = "sk-1234567890";

fn calls(tool: &str) -> Reply {
    Reply::json(&json!({"calls": [tool], "answer": "Done."}))
}

/// An agent in YAML: `http` and what stands beside it.
fn agent(http: &Json, beside: &Json) -> String {
    let mut agent = json!({"http": http});
    let entries = beside.as_object().cloned().unwrap_or_default();
    agent.as_object_mut().expect("an object").extend(entries);
    agent.to_string()
}

/// What becomes of a case whose agent this is.
fn run(http: &Json, beside: &Json, variables: &[(&str, &str)]) -> (Project, Ran) {
    let project = Project::of(&[asks("a", &agent(http, beside), "")]);
    let ran = project.run_with(&[&[LIVE], variables].concat(), &[]);
    (project, ran)
}

/// The one request that came, after a case with this agent passed.
fn sent(server: &Server, http: &Json) -> Asked {
    run(http, &json!({}), &[]).1.exits(0);
    let asked = server.asked();
    assert_eq!(asked.len(), 1, "{asked:?}");
    asked[0].clone()
}

fn answer(project: &Project) -> String {
    project.verdict("s::a")["runs"][0]["answer"].as_str().expect("a text").to_owned()
}

#[test]
fn a_server_is_sent_what_a_command_reads() {
    let server = Server::saying(calls("look"));
    let http = json!(server.url("/ask"));
    run(&http, &json!({"timeout": i64::MAX}), &[]).1.exits(0);
    let asked = &server.asked()[0];
    assert_eq!(asked.line, "POST /ask HTTP/1.1");
    let query = "Where is order 7?";
    assert_eq!(asked.json(), json!({"id": "a", "input": query, "query": query, "run": 1}));
}

#[test]
fn a_template_is_filled_with_values() {
    let server = Server::saying(calls("look"));
    let body = json!({"run": "{{run}}", "said": "{{id}}: {{ input.query }}", "in": "{{input}}", "n": 0.5});
    let http = json!({"url": server.url("/"), "method": "put", "headers": {"x-tenant": 7}, "body": body});
    let case = asks("a", &agent(&http, &json!({})), "");
    let input = r#"{query: "say \"hi\"", tags: [1]}"#;
    let project = Project::of(&[case.replace("Where is order 7?", input)]);
    project.run_with(&[LIVE], &[]).exits(0);
    let [asked] = &server.asked()[..] else { panic!("one request") };
    let input = json!({"query": "say \"hi\"", "tags": [1]});
    let body = json!({"run": 1, "said": "a: say \"hi\"", "in": input, "n": 0.5});
    assert_eq!((asked.json(), asked.header("x-tenant")), (body, Some("7")));
    assert!(asked.line.starts_with("PUT "), "{}", asked.line);
    let http = json!({"url": server.url("/"), "body": ["{{input.who}}"]});
    let (_, ran) = run(&http, &json!({}), &[]);
    ran.exits(101).says("could not be asked").says("the case says nothing for `{{input.who}}`");
}

#[test]
fn a_url_holds_what_is_asked_as_one_part() {
    let server = Server::saying(calls("look"));
    let asked = sent(&server, &json!({"url": server.url("/{{id}}?q={{query}}"), "method": "GET"}));
    assert_eq!(asked.line, "GET /a?q=Where%20is%20order%207%3F HTTP/1.1");
    assert_eq!(asked.body, "");
}

/// A completion of an OpenAI-compatible server, with one call.
fn completion(tool: &str) -> Json {
    let function = json!({"name": tool, "arguments": "{\"id\": 7}"});
    let call = json!({"id": "c1", "type": "function", "function": function});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let choice = json!({"index": 0, "finish_reason": "tool_calls", "message": message});
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12});
    json!({"id": "x", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})
}

#[test]
fn a_completion_is_an_answer() {
    let server = Server::saying(Reply::json(&completion("rm")));
    let (_, ran) = run(&json!(server.url("/v1/chat/completions")), &json!({}), &[]);
    ran.exits(101).says("`rm` is blocked, but was called").says("{\"id\":7}");
    let (_, ran) = run(&json!(server.url("/")), &json!({"format": "anthropic"}), &[]);
    ran.exits(101).says("did not return a valid trace").says("= cause: anthropic: ");
}

#[test]
fn a_stream_is_an_answer() {
    let chunk = |delta: Json| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": null});
        let chunk = json!({"id": "x", "object": "chat.completion.chunk", "model": "m", "choices": [choice]});
        format!("data: {chunk}\n\n")
    };
    let text = |text: &str| chunk(json!({"content": text}));
    let stream =
        format!("{}{}{}data: [DONE]\n\n", chunk(json!({"role": "assistant"})), text("It "), text("ships."));
    let server = Server::saying(Reply::of(200, stream).header("content-type", "text/event-stream"));
    let (project, ran) = run(&json!(server.url("/")), &json!({}), &[]);
    ran.exits(0);
    assert_eq!(answer(&project), "It ships.");
}

#[test]
fn the_events_of_a_frontend_are_an_answer() {
    let events = [
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "rm"}),
        json!({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"id\": 7}"}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    ];
    let stream = events.map(|event| format!("data: {event}\n\n")).concat();
    let server = Server::saying(Reply::of(200, stream).header("content-type", "text/event-stream"));
    let message = json!({"id": "{{id}}-{{run}}", "role": "user", "content": "{{query}}"});
    let body = json!({"threadId": "{{id}}", "runId": "{{run}}", "messages": [message]});
    let (_, ran) = run(&json!({"url": server.url("/"), "body": body}), &json!({}), &[]);
    ran.exits(101).says("`rm` is blocked, but was called").says("{\"id\":7}");
    assert_eq!(server.asked()[0].json()["messages"][0]["id"], "a-1");
}

#[test]
fn another_agents_answer_says_nothing_of_calls() {
    let answers =
        |result: Json| Server::saying(Reply::json(&json!({"jsonrpc": "2.0", "id": "a", "result": result})));
    let parts = json!([{"kind": "text", "text": "It ships."}]);
    let message = json!({"kind": "message", "messageId": "m", "role": "agent", "parts": parts});
    let (project, ran) = run(&json!(answers(message).url("/")), &json!({}), &[]);
    ran.exits(101);
    assert_eq!(project.verdict("s::a")["status"], "undecided");
    assert_eq!(answer(&project), "It ships.");
    let error = json!({"jsonrpc": "2.0", "id": "a", "error": {"code": -32603, "message": "no quota"}});
    for nonsense in [answers(json!({"tools": []})), Server::saying(Reply::json(&error))] {
        let (project, ran) = run(&json!(nonsense.url("/")), &json!({}), &[]);
        ran.exits(101).says("did not return a valid trace").says("it answered: {");
        assert_eq!(project.verdict("s::a")["status"], "error");
    }
}

#[test]
fn a_run_that_says_that_it_failed_is_an_error() {
    let started = json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"});
    let events = json!([started, {"type": "RUN_ERROR", "message": "the model is overloaded"}]);
    let parts = json!([{"kind": "text", "text": "the model is overloaded"}]);
    let message = json!({"kind": "message", "messageId": "m", "role": "agent", "parts": parts});
    let task = json!({"kind": "task", "id": "t", "status": {"state": "failed", "message": message}});
    for failed in [events, task] {
        let server = Server::saying(Reply::json(&failed));
        let (project, ran) = run(&json!(server.url("/")), &json!({}), &[]);
        ran.exits(101).says("failed\n").says("= cause: the model is overloaded");
        assert_eq!(project.verdict("s::a")["status"], "error");
    }
}

#[test]
fn the_part_that_is_the_trace_is_picked() {
    let run_of = |tool: &str| json!({"data": {"run": {"calls": [tool]}, "said": ["It", "ships."]}});
    let server = Server::saying(Reply::json(&run_of("look")));
    let http = json!({"url": server.url("/"), "trace": "$.data.run", "answer": "$.data.said[*]"});
    let (project, ran) = run(&http, &json!({}), &[]);
    ran.exits(0);
    assert_eq!(answer(&project), "It\nships.");
    let server = Server::saying(Reply::json(&run_of("rm")));
    let http = json!({"url": server.url("/"), "trace": "$.data.run"});
    run(&http, &json!({}), &[]).1.exits(101).says("`rm` is blocked, but was called");
}

#[test]
fn an_answer_alone_says_nothing_of_calls() {
    let task = json!({"kind": "task", "artifacts": [{"parts": [{"kind": "text", "text": "It ships."}]}]});
    let server = Server::saying(Reply::json(&json!({"jsonrpc": "2.0", "id": 1, "result": task})));
    let http = json!({"url": server.url("/"), "answer": "$.result.artifacts[*].parts[*].text"});
    let (project, ran) = run(&http, &json!({}), &[]);
    ran.exits(101);
    assert_eq!(project.verdict("s::a")["status"], "undecided");
    assert_eq!(answer(&project), "It ships.");
    let wrong = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "no quota"}});
    let server = Server::saying(Reply::json(&wrong));
    let http = json!({"url": server.url("/"), "answer": "$.result.text"});
    let (_, ran) = run(&http, &json!({}), &[]);
    ran.exits(101).says("= cause: no value at `$.result.text`").says("\"message\":\"no quota\"");
}

#[test]
fn plain_text_is_an_answer() {
    let server =
        Server::saying(Reply::of(200, "It: ships.").header("content-type", "text/plain; charset=utf-8"));
    let (project, ran) = run(&json!(server.url("/")), &json!({}), &[]);
    ran.exits(101);
    assert_eq!(answer(&project), "It: ships.");
    assert_eq!(project.verdict("s::a")["status"], "undecided");
}

#[test]
fn a_server_has_a_name_in_the_folders_own_file() {
    let server = Server::saying(calls("rm"));
    let project = Project::of(&[asks("a", "robot", "")]);
    project.write("evals/arraign.yaml", format!("agents: {{robot: {{http: '{}'}}}}", server.url("/")));
    project.run_with(&[LIVE], &[]).exits(101).says("`rm` is blocked, but was called");
    project.write("evals/arraign.yaml", format!("agents: {{robot: {{http: '{NOBODY}', timeout: 1s}}}}"));
    let ran = project.run_with(&[LIVE, ("ARRAIGN_OUT", "other")], &[]).exits(101);
    ran.says("the agent `robot` gave no answer").says("connection refused");
}

#[test]
fn a_recording_replays_without_the_server_and_the_key() {
    let server = Server::saying(calls("look"));
    let headers = json!({"authorization": "Bearer ${AGENT_KEY}"});
    let http = json!({"url": "${AGENT_URL}/ask", "headers": headers});
    let project = Project::of(&[asks("a", &agent(&http, &json!({})), "repeat: 2")]);
    let variables = [RECORD, ("AGENT_KEY", KEY), ("AGENT_URL", &server.url(""))];
    project.run_with(&variables, &[]).exits(0);
    assert_eq!(server.asked().len(), 2);
    assert_eq!(project.files("evals/traces"), ["evals/traces/s/a/1.json", "evals/traces/s/a/2.json"]);
    nowhere(&project, KEY);
    project.run(&[]).exits(0);
    assert_eq!(server.asked().len(), 2);
}

/// No file of the package holds `secret`.
fn nowhere(project: &Project, secret: &str) {
    for file in project.files("") {
        assert!(!project.read(&file).contains(secret), "{file}");
    }
}

#[test]
fn a_key_is_sent_and_kept_nowhere() {
    let echo = |asked: &Asked, _| {
        Reply::of(401, format!("no such key: {}", asked.header("x-api-key").unwrap_or("-")))
    };
    let tells = |asked: &Asked, _| {
        Reply::json(&json!({"calls": ["look"], "answer": asked.header("x-api-key").unwrap_or("-")}))
    };
    let nonsense =
        |asked: &Asked, _| Reply::of(200, format!("? {}", asked.header("x-api-key").unwrap_or("-")));
    for server in [Server::new(echo), Server::new(tells), Server::new(nonsense)] {
        for mode in [LIVE, RECORD] {
            let url = server.url("/?key=${AGENT_KEY}");
            let http = json!({"url": url, "headers": {"x-api-key": "${AGENT_KEY}"}});
            let project = Project::of(&[asks("a", &agent(&http, &json!({})), "")]);
            let ran = project.run_with(&[mode, ("AGENT_KEY", KEY)], &[]).exits(101).says("AGENT_KEY");
            assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
            nowhere(&project, KEY);
            assert!(project.files("evals/traces").is_empty());
        }
        assert_eq!(server.asked()[0].header("x-api-key"), Some(KEY));
    }
}

#[test]
fn a_variable_that_is_not_set_is_an_error() {
    let server = Server::saying(calls("look"));
    let http = json!({"url": server.url("/"), "headers": {"authorization": "Bearer ${AGENT_KEY}"}});
    let (project, ran) = run(&http, &json!({}), &[("AGENT_KEY", "")]);
    ran.exits(101).says("could not be asked").says("= cause: the variable `AGENT_KEY` is not set");
    assert_eq!(project.verdict("s::a")["status"], "error");
    assert!(server.asked().is_empty());
}

#[test]
fn many_are_asked_at_once() {
    let server = Server::new(|_, _| {
        std::thread::sleep(Duration::from_millis(500));
        calls("look")
    });
    let cases: Vec<String> =
        (0..32).map(|n| asks(&format!("c{n}"), &agent(&json!(server.url("/")), &json!({})), "")).collect();
    let started = Instant::now();
    Project::of(&cases).run_with(&[LIVE], &["--test-threads", "2"]).exits(0);
    // One after the other they would take 16 seconds.
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

#[test]
fn a_busy_server_is_waited_for() {
    let busy = Reply::of(429, "slow down").header("retry-after", "1");
    let server = Server::saying_in_turn(vec![busy, Reply::of(503, ""), calls("look")]);
    run(&json!(server.url("/")), &json!({}), &[]).1.exits(0);
    assert_eq!(server.asked().len(), 3);
    let server = Server::saying(Reply::of(503, "overloaded"));
    let (_, ran) = run(&json!({"url": server.url("/"), "retries": 0}), &json!({}), &[]);
    ran.exits(101).says("it answered 503 Service Unavailable: overloaded");
    assert_eq!(server.asked().len(), 1);
}

/// The cause of a case's error, when this is what its agent answers.
fn fault(reply: Reply, beside: &Json, cause: &str) {
    let server = Server::saying(reply);
    let (project, ran) = run(&json!({"url": server.url("/"), "retries": 0}), beside, &[]);
    ran.exits(101).says(cause);
    assert_eq!(project.verdict("s::a")["status"], "error");
}

#[test]
fn faults_are_errors_with_their_cause() {
    let none = json!({});
    fault(Reply::of(429, "").header("retry-after", "1"), &none, "it answered 429 Too Many Requests");
    fault(Reply::of(500, "<p>no\n</p>"), &none, "it answered 500 Internal Server Error: <p>no </p>");
    fault(calls("look").cut(9), &none, "the connection broke: it ended before the end of the answer");
    fault(Reply::of(200, "{\"calls\": "), &none, "it answered: {\"calls\":");
    fault(Reply::of(200, ""), &none, "it answered nothing");
    fault(Reply::of(200, vec![0xff]), &none, "the answer is not UTF-8: invalid byte 0");
    fault(Reply::json(&json!({"error": "x"})), &none, "did not return a valid trace");
    let ten_megabytes = Reply::of(200, vec![b' '; 10 << 20]);
    fault(ten_megabytes, &json!({"output_limit": 1_000_000}), "the answer has more than 1000000 bytes");
    let deep = Reply::of(200, "[".repeat(10 << 20));
    fault(deep, &none, "did not return a valid trace");
    fault(
        Reply::of(302, "").header("location", "http://x/"),
        &none,
        "a redirect to http://x/: redirects are not followed",
    );
}

#[test]
fn slow_servers_are_left_when_their_time_is_over() {
    let drip = Reply::of(200, " ".repeat(1000)).dripping(Duration::from_millis(20));
    for reply in [Reply::silence(), drip] {
        let server = Server::saying(reply);
        for (beside, more) in [(json!({"timeout": "400ms"}), ""), (json!({}), "timeout: 400ms")] {
            let project = Project::of(&[asks("a", &agent(&json!(server.url("/")), &beside), more)]);
            let started = Instant::now();
            let ran = project.run_with(&[LIVE], &[]).exits(101);
            ran.says("gave no answer").says(": no complete answer within ");
            assert_eq!(project.verdict("s::a")["status"], "error");
            assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
        }
    }
}

/// Before anybody is asked, and in a replay as well.
#[test]
fn what_names_no_variable_is_refused_at_its_place() {
    let refused = |http: &str, problem: &str, place: &str| {
        let ran = Project::of(&[asks("a", &format!("{{http: {http}}}"), "")]).run(&[]).exits(2);
        ran.complains(problem).complains(place).complains("a variable of the environment is `${AGENT_KEY}`");
    };
    let no_name = "`${agent key}` names no variable: a name has letters, digits and `_`";
    refused("'http://h/?k=${KEY'", "`${` has no `}` behind it", "--> evals/s.yaml:4:19");
    refused("{url: '${agent key}'}", no_name, "--> evals/s.yaml:4:25");
    let header = "{url: 'http://h/', headers: {accept: x, x-key: 'a ${}'}}";
    refused(header, "`${}` names no variable", "--> evals/s.yaml:4:66");
    let project = Project::of(&[asks("a", "support", "")]);
    project.write("evals/arraign.yaml", "agents:\n  support:\n    http: 'http://h/${'\n");
    project.run(&[]).exits(2).complains("--> evals/arraign.yaml:3:11");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let refused = |agent: &str, problem: &str| {
        Project::of(&[asks("a", agent, "")]).run(&[]).exits(2).complains(problem);
    };
    refused("{htp: x}", "did you mean `http`?");
    refused("{http: {}}", "`url` is missing");
    refused("{http: x}", "not the URL of a server");
    refused("{http: {url: 'http://h/', metod: GET}}", "did you mean `method`?");
    refused("{http: {url: 'http://h/', method: POTS}}", "did you mean `POST`?");
    refused("{http: {url: 'http://h/', method: GET, body: {}}}", "a `GET` has no `body`");
    refused("{http: {url: 'http://h/', body: '{{qury}}'}}", "did you mean `query`?");
    refused("{http: {url: 'http://h/{{x', body: {}}}", "`{{` has no `}}` behind it");
    refused("{http: {url: 'http://h/', trace: '$['}}", "evals/s.yaml:4:");
    refused("{http: {url: 'http://h/', headers: [a]}}", "expected a mapping, found a list");
    refused("{http: {url: 'http://h/', timeout: 3s}}", "`timeout` belongs beside `http`, not in it");
    refused("{http: {url: 'http://h/', retries: 99}}", "`retries` is a number from 0 to 10");
    refused("{http: 'http://h/', command: [x]}", "an agent is a `command`, or it is asked over `http`");
    refused("{http: 'http://h/', cwd: x}", "this is a setting of a `command`");
}
