//! llama.cpp's server with a small model: nobody wrote its answers down before.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::super::RECORD;
use super::{Running, holds_nowhere, program};
use crate::project::{Project, Ran};

use arraign::json::{self, Json, json};

/// What the server wants to be told, and no file may hold.
const KEY: &str = "sk-llama-12345678";

const CASE: &str = "
tests:
  - id: a
    input: Which animal says meow?
    agent: AGENT
    expect:
      - agent_check: {label: names, prompt: The answer names an animal.}
  - id: b
    trace: [{say: The answer is the cat.}]
    expect:
      - agent_check: {label: rude, prompt: The answer is rude.}
";

#[test]
#[ignore = "tests/matrix/servers.sh installs the servers and runs this"]
fn a_small_model_answers_and_judges() {
    let model = Model::start();
    let judge = json!({"model": "smollm2", "base_url": model.url, "key_env": "MODEL_KEY", "timeout": "4m"});
    let cases = format!("judge: {judge}{}", CASE.replace("AGENT", &model.agent()));
    let project = Project::empty().file("evals/s.yaml", cases);
    let record = [RECORD, ("ARRAIGN_JUDGE", "record"), ("MODEL_KEY", KEY)];
    let recorded = project.run_with(&record, &["--test-threads", "1"]);
    drop(model);
    let replayed = project.run_with(&[("ARRAIGN_OUT", "again")], &[]);
    let run = &project.verdict("s::a")["runs"][0];
    assert!(run["usage"]["output_tokens"].as_u64() > Some(0), "{recorded:?}");
    assert!(run["answer"].as_str().is_some_and(|answer| !answer.is_empty()), "{recorded:?}");
    assert_eq!(again(&project, "s::a")["runs"][0]["answer"], run["answer"], "{replayed:?}");
    for (id, label) in [("a", "names"), ("b", "rude")] {
        judged(&project, id, label, &recorded);
    }
    holds_nowhere(&project, KEY);
}

/// So small a model need not be right, and may well say yes to all that it is asked: then it is found out, and nothing of
/// what it said counts. What its opinion comes to has its form in either case, and what it was is said.
fn judged(project: &Project, id: &str, label: &str, recorded: &Ran) {
    let name = format!("s::{id}");
    let verdict = project.verdict(&name);
    let replayed = again(project, &name);
    let cassette = format!("evals/cassettes/s/{id}.");
    let cassette = project.files("evals").into_iter().find(|file| file.starts_with(&cassette));
    let shown = match (verdict["status"].as_str(), cassette) {
        (Some(status @ ("pass" | "fail")), Some(file)) => {
            let kept: Json = json::from_str(&project.read(&file)).expect("a recording is JSON");
            let opinion = &kept["votes"][0][label];
            assert_eq!(opinion["pass"], status == "pass", "{recorded:?}");
            assert!(opinion["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{kept}");
            assert_eq!(replayed["status"], status);
            opinion.to_string()
        }
        (Some("error"), None) => {
            let why = verdict["findings"][0]["unfit"].as_str().expect("a reason").to_owned();
            let known =
                ["it answered yes to a control question whose answer is no", "is not a valid opinion"];
            assert!(known.iter().any(|known| why.contains(known)), "{recorded:?}");
            assert_eq!(replayed["status"], "undecided");
            why
        }
        (_, cassette) => panic!("neither an opinion nor an error, {cassette:?}: {recorded:?}"),
    };
    eprintln!("\nthe model says of `{}`: {shown}", verdict["runs"][0]["answer"]);
}

/// The verdict of the replay.
fn again(project: &Project, name: &str) -> Json {
    let verdicts = project.verdicts("again");
    verdicts.into_iter().find(|verdict| verdict["name"] == name).expect("a verdict")
}

struct Model {
    url: String,
    _process: Running,
}

impl Model {
    fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/matrix/servers/smollm2.py");
        let mut command = Command::new(program("python"));
        command.arg(script).env("MODEL_KEY", KEY);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Running(command.spawn().expect("the server starts"));
        let mut said = BufReader::new(process.0.stdout.take().expect("its output"));
        let mut url = String::new();
        said.read_line(&mut url).expect("it says where it listens");
        assert!(url.starts_with("http://127.0.0.1:"), "it does not listen: {url}");
        Self { url: format!("{}/v1", url.trim()), _process: process }
    }

    fn agent(&self) -> String {
        let body = json!({
            "model": "smollm2",
            "messages": [{"role": "user", "content": "{{query}}"}],
            "max_tokens": 200,
            "temperature": 0,
        });
        let headers = json!({"authorization": "Bearer ${MODEL_KEY}"});
        let url = format!("{}/chat/completions", self.url);
        json!({"http": {"url": url, "headers": headers, "body": body}, "timeout": "2m"}).to_string()
    }
}
