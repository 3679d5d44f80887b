//! A LiteLLM proxy as the server that agents stand behind, where `ARRAIGN_LITELLM` names its program
//! (`tests/litellm.sh`).

use std::ffi::OsString;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::json;

use crate::project::Project;
use crate::{LIVE, RECORD, asks, claim};

/// What the proxy wants to be told, and no file may hold.
const KEY: &str = "sk-litellm-12345678";

pub(crate) fn claims() -> Vec<Trial> {
    let program = std::env::var_os("ARRAIGN_LITELLM");
    let trial = claim(a_real_proxy_records_and_replays);
    vec![trial.with_ignored_flag(program.is_none())]
}

/// Models that answer without a network.
fn configuration() -> String {
    let model = |name: &str, answers: serde_json::Value| {
        let mut settings = json!({"model": "openai/none", "api_key": "none"});
        settings.as_object_mut().expect("an object").extend(answers.as_object().cloned().unwrap_or_default());
        json!({"model_name": name, "litellm_params": settings})
    };
    let function = json!({"name": "rm", "arguments": "{\"id\": 7}"});
    let calls = json!([{"id": "c1", "type": "function", "function": function}]);
    let models = [
        model("says", json!({"mock_response": "It ships today."})),
        model("calls", json!({"mock_response": "", "mock_tool_calls": calls})),
        model("busy", json!({"mock_response": "litellm.RateLimitError"})),
    ];
    let general = json!({"master_key": KEY});
    json!({"model_list": models, "general_settings": general, "litellm_settings": {"num_retries": 0}})
        .to_string()
}

/// A proxy that ends with this value.
struct Proxy {
    process: Child,
    port: u16,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Proxy {
    fn start(program: &OsString, folder: &Project) -> Self {
        folder.write("litellm.yaml", configuration());
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("its address").port();
        drop(free);
        let mut command = Command::new(program);
        command.args(["--config", "litellm.yaml", "--host", "127.0.0.1", "--port", &port.to_string()]);
        command.current_dir(folder.path("")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let proxy = Self { process: command.spawn().expect("the proxy starts"), port };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < Duration::from_secs(120), "the proxy does not listen");
            std::thread::sleep(Duration::from_millis(200));
        }
        proxy
    }

    /// An agent that is one of its models.
    fn agent(&self, model: &str, stream: bool) -> String {
        let url = format!("http://127.0.0.1:{}/v1/chat/completions", self.port);
        let body = json!({
            "model": model,
            "stream": stream,
            "messages": [{"role": "user", "content": "{{query}}"}],
        });
        let headers = json!({"authorization": "Bearer ${PROXY_KEY}"});
        json!({"http": {"url": url, "headers": headers, "body": body, "retries": 1}}).to_string()
    }
}

fn a_real_proxy_records_and_replays() {
    let program = std::env::var_os("ARRAIGN_LITELLM").expect("it names the program");
    let folder = Project::bare();
    let proxy = Proxy::start(&program, &folder);
    let says = |id: &str, stream| {
        let case = asks(id, &proxy.agent("says", stream), "");
        case.replace("[rm]}", "[rm]}, {equals: It ships today.}")
    };
    let project = Project::of(&[
        says("says", false),
        says("streams", true),
        asks("calls", &proxy.agent("calls", false), ""),
        asks("busy", &proxy.agent("busy", false), ""),
    ]);
    let key = ("PROXY_KEY", KEY);
    let results = [("s::busy", "FAILED"), ("s::calls", "FAILED"), ("s::says", "ok"), ("s::streams", "ok")];
    let ran = project.run_with(&[RECORD, key], &[]).exits(101);
    assert_eq!(ran.results().into_iter().collect::<Vec<_>>(), results, "{}", ran.stdout);
    let ran = ran.says("`rm` is blocked, but was called").says("it answered 429 Too Many Requests");
    assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
    let ran = project.run_with(&[LIVE, ("PROXY_KEY", "sk-litellm-a-wrong-one")], &["s::says"]).exits(101);
    assert!(!ran.says("it answered 40").stdout.contains("a-wrong-one"));
    drop(proxy);
    let again = project.run(&["says", "streams", "calls"]).exits(101);
    assert_eq!(again.results().into_iter().collect::<Vec<_>>(), results[1..], "{}", again.stdout);
    for file in project.files("") {
        assert!(!project.read(&file).contains(KEY), "{file}");
    }
}
