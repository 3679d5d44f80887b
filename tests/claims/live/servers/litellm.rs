//! A LiteLLM proxy, with answers of its own: the server that agents stand behind, and the judge.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use arraign::__internals::http::{HttpClient, HttpLimits, HttpRequest};
use arraign::__internals::judge::Questionnaire;
use arraign::json::{Json, json};
use arraign::{Evidence, Harness, Trace};

use super::super::{LIVE, RECORD, asks};
use super::{Running, holds_nowhere, program};
use crate::project::{Project, suite};

/// What the proxy wants to be told, and no file may hold.
const KEY: &str = "sk-litellm-12345678";

/// How long one answer may take.
const PATIENCE: &str = "3s";

#[test]
#[ignore = "tests/matrix/servers.sh installs the servers and runs this"]
fn a_proxy_records_and_replays() {
    let folder = Project::bare();
    let proxy = Proxy::start(&folder);
    let agents = agents_recorded(&proxy);
    let judges = judges_recorded(&proxy);
    drop(proxy);
    let again = agents.run(&["says", "streams", "calls"]).exits(101);
    let results = [("s::calls", "FAILED"), ("s::says", "ok"), ("s::streams", "ok")];
    assert_eq!(again.results().into_iter().collect::<Vec<_>>(), results, "{}", again.stdout);
    let again = judges.run_with(&[("ARRAIGN_OUT", "again")], &["yes", "no", "busy"]).exits(101);
    let again = again.says("the judge says no to `polite`").says("there is no recording");
    let results = [("busy::a", "FAILED"), ("no::a", "FAILED"), ("yes::a", "ok")];
    assert_eq!(again.results().into_iter().collect::<Vec<_>>(), results, "{}", again.stdout);
    holds_nowhere(&agents, KEY);
    holds_nowhere(&judges, KEY);
}

/// Agents that answer, stream, call, and fail: what became of each.
fn agents_recorded(proxy: &Proxy) -> Project {
    let says = |id: &str, stream| {
        let case = asks(id, &proxy.agent("says", stream), "");
        case.replace("[rm]}", "[rm]}, {equals: It ships today.}")
    };
    let failing = ["busy", "broken", "late", "slow"].map(|model| asks(model, &proxy.agent(model, false), ""));
    let calls = asks("calls", &proxy.agent("calls", false), "");
    let project = Project::of(&[&[says("says", false), says("streams", true), calls], &failing[..]].concat());
    let ran = project.run_with(&[RECORD, ("PROXY_KEY", KEY)], &[]).exits(101);
    let passed: Vec<_> = ran.results().into_iter().filter(|(_, result)| *result == "ok").collect();
    assert_eq!(passed, [("s::says", "ok"), ("s::streams", "ok")], "{}", ran.stdout);
    let ran = faults(ran, &project, |model| format!("s::{model}")).says("`rm` is blocked, but was called");
    assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
    assert_eq!(project.files("evals/traces").len(), 3, "only what answered is recorded");
    let wrong = ("PROXY_KEY", "sk-litellm-a-wrong-one");
    let ran = project.run_with(&[LIVE, wrong, ("ARRAIGN_OUT", "wrong")], &["s::says"]).exits(101);
    assert!(!ran.says("it answered 40").stdout.contains("a-wrong-one"));
    project
}

/// Judges that say yes, no, nothing that could be read, and those that fail: what became of each.
fn judges_recorded(proxy: &Proxy) -> Project {
    let project = Project::empty();
    for model in ["yes", "no", "babbles", "busy", "broken", "late", "slow"] {
        project.write(&format!("evals/{model}.yaml"), proxy.judged_by(model));
    }
    let record = [("ARRAIGN_JUDGE", "record"), ("PROXY_KEY", KEY)];
    let ran = project.run_with(&record, &["--test-threads", "8"]).exits(101);
    assert_eq!(ran.results()["yes::a"], "ok", "{}", ran.stdout);
    assert_eq!(project.verdict("no::a")["status"], "fail");
    assert_eq!(project.verdict("babbles::a")["status"], "error");
    let ran = faults(ran, &project, |model| format!("{model}::a"));
    let ran = ran.says("the judge says no to `polite`").says("it holds no JSON object");
    // Two that answered, and one that was asked twice.
    let ran = ran.complains("the judge was asked: 4 requests, ");
    assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
    assert_eq!(project.files("evals/cassettes").len(), 2, "only opinions are recorded");
    project
}

/// Each failing model is an error that says how it failed.
fn faults(ran: crate::project::Ran, project: &Project, trial: fn(&str) -> String) -> crate::project::Ran {
    for model in ["busy", "broken", "late", "slow"] {
        assert_eq!(project.verdict(&trial(model))["status"], "error", "{model}");
    }
    ran.says("it answered 429 Too Many Requests")
        .says("it answered 500 Internal Server Error")
        .says("it answered 408 Request Timeout")
        .says(&format!(" answer within {PATIENCE}"))
}

/// A suite of one case, which is judged.
fn judged(judge: &str) -> String {
    let case = "  - id: a\n    trace: [{say: please wait}]\n    expect: [{agent_check: {label: polite, prompt: Is it polite?}}]\n";
    format!("judge: {judge}\n{}", suite(&[case.to_owned()]))
}

/// What a judge replies who says `pass`, and no to what it is tried with.
fn reply(pass: bool) -> String {
    let suite = Harness::new("evals").parse(&judged("{model: m}")).expect("a suite");
    let trace = Trace { answer: Some("please wait".to_owned()), ..Trace::default() };
    let asked = Questionnaire::for_case(&suite.cases[0], &Evidence::of(&trace));
    let asked = asked.expect("it is not too long").expect("a question");
    let mut reply = json!({"code": asked.nonce()});
    for question in asked.asked() {
        let yes = pass && question.label.is_some();
        reply[&question.id] = json!({"reason": if yes { "it does" } else { "it does not" }, "pass": yes});
    }
    reply.to_string()
}

/// Models that answer without a network.
fn configuration() -> String {
    let model = |name: &str, answers: Json| {
        let mut settings = json!({"model": "openai/none", "api_key": "none"});
        settings.as_object_mut().expect("an object").extend(answers.as_object().cloned().unwrap_or_default());
        json!({"model_name": name, "litellm_params": settings})
    };
    let function = json!({"name": "rm", "arguments": "{\"id\": 7}"});
    let calls = json!([{"id": "c1", "type": "function", "function": function}]);
    let says = |text: &str| json!({"mock_response": text});
    let models = [
        model("says", says("It ships today.")),
        model("calls", json!({"mock_response": "", "mock_tool_calls": calls})),
        model("busy", says("litellm.RateLimitError")),
        model("broken", says("litellm.InternalServerError")),
        model("late", json!({"mock_response": "x", "mock_timeout": true, "timeout": 0.2})),
        model("slow", json!({"mock_response": "x", "mock_delay": 60})),
        model("yes", says(&reply(true))),
        model("no", says(&reply(false))),
        model("babbles", says("Let me think.")),
    ];
    let general = json!({"master_key": KEY});
    // Whoever retries or waits here, it is not the proxy.
    let settings = json!({"num_retries": 0, "disable_cooldowns": true});
    json!({"model_list": models, "general_settings": general, "router_settings": settings}).to_string()
}

struct Proxy {
    port: u16,
    _process: Running,
}

impl Proxy {
    fn start(folder: &Project) -> Self {
        folder.write("litellm.yaml", configuration());
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("its address").port();
        drop(free);
        let mut command = Command::new(program("litellm"));
        command.args(["--config", "litellm.yaml", "--host", "127.0.0.1", "--port", &port.to_string()]);
        // Else it looks for prices on the network.
        command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True").current_dir(folder.path(""));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let proxy = Self { port, _process: Running(command.spawn().expect("the proxy starts")) };
        proxy.warm_up();
        proxy
    }

    /// Its first answer takes many times as long as all others: it loads what it needs for them.
    fn warm_up(&self) {
        let body = json!({"model": "says", "messages": [{"role": "user", "content": "Hello"}]});
        let request = HttpRequest::post(format!("{}/chat/completions", self.url()), body).with_bearer(KEY);
        let client = HttpClient::default();
        let started = Instant::now();
        while let Err(error) =
            client.send_request(&request, &HttpLimits { retries: 0, ..HttpLimits::default() })
        {
            assert!(started.elapsed() < Duration::from_mins(3), "the proxy does not answer: {error}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// An agent that is one of its models.
    fn agent(&self, model: &str, stream: bool) -> String {
        let url = format!("{}/chat/completions", self.url());
        let body = json!({
            "model": model,
            "stream": stream,
            "messages": [{"role": "user", "content": "{{query}}"}],
        });
        let headers = json!({"authorization": "Bearer ${PROXY_KEY}"});
        let http = json!({"url": url, "headers": headers, "body": body, "retries": 1});
        json!({"http": http, "timeout": PATIENCE}).to_string()
    }

    /// A suite whose judge is one of its models.
    fn judged_by(&self, model: &str) -> String {
        let url = self.url();
        let key = "PROXY_KEY";
        let timeout = PATIENCE;
        judged(&json!({"model": model, "base_url": url, "key_env": key, "timeout": timeout}).to_string())
    }
}
