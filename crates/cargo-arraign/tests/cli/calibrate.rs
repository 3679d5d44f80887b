//! `cargo arraign calibrate`: a judge against labelled examples.

use std::fs;

use serde_json::{Map, Value, json};

use crate::package::Package;
use crate::program::Ran;
use crate::server::{Asked, Reply, Server};

const RECORD: (&str, &str) = ("ARRAIGN_JUDGE", "record");

const EXAMPLES: &str = "prompt: Does it say please?
examples:
  - {id: kind, answer: please wait, label: pass}
  - {id: kinder, input: Hurry!, answer: please do come in, label: pass}
  - {id: short, answer: wait, label: fail}
  - {id: curt, answer: please go away, label: fail}
";

/// Answers each question of a request with whether the answer contains `please`.
fn judge(asked: &Asked) -> Reply {
    let body = asked.json();
    let schema = &body["response_format"]["json_schema"]["schema"]["properties"];
    let user = body["messages"][1]["content"].as_str().expect("text");
    let evidence: Value = serde_json::from_str(user.lines().nth(1).expect("evidence")).expect("JSON");
    let says_please = evidence["run"]["answer"].as_str().expect("an answer").contains("please");
    let reason = if says_please { "it does" } else { "it does not" };
    let mut reply = Map::from_iter([("code".to_owned(), schema["code"]["enum"][0].clone())]);
    for question in schema.as_object().expect("properties").keys().filter(|name| *name != "code") {
        reply.insert(question.clone(), json!({"reason": reason, "pass": says_please}));
    }
    Reply::json(&json!({
        "choices": [{"message": {"role": "assistant", "content": Value::from(reply).to_string()}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
    }))
}

fn package(examples: &str) -> (Package, Server) {
    let server = Server::new(|asked, _| judge(asked));
    let package = Package::of("");
    package.write("evals/arraign.yaml", &format!("judge: {{model: m, base_url: '{}'}}\n", server.url("/v1")));
    package.write("calibration/tone.yaml", examples);
    (package, server)
}

fn calibrate(package: &Package, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    package.arraign_with(variables, &[&["calibrate", "calibration/tone.yaml"], arguments].concat())
}

#[test]
fn agreement_and_kappa_are_told_and_replayed() {
    let (package, server) = package(EXAMPLES);
    let ran = calibrate(&package, &[RECORD], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let spent = "the judge was asked: 4 requests, 4000 tokens read and 400 written";
    assert!(ran.stderr.contains(spent), "{}", ran.stderr);
    let ran = calibrate(&package, &[], &[]);
    assert_eq!(
        ran.stdout,
        "judge: m, temperature 0, seed 0\n\
         agreement: 75.0 % (3 of 4)\n\
         Cohen's kappa: 0.500 (moderate)\n              \x20\
 judge: pass judge: fail\n\
         label: pass              2           0\n\
         label: fail              1           1\n\
         it disagrees on:\n  \
           calibration/tone.yaml:6 curt: fail, and the judge says pass: it does\n"
    );
    assert_eq!(server.asked().len(), 4);
    assert_eq!(calibrate(&package, &[], &["--min-kappa", "0.5"]).code, Some(0));
    assert_eq!(calibrate(&package, &[], &["--min-kappa", "0.6"]).code, Some(101));
    assert_eq!(fs::read_dir(package.path("calibration/cassettes")).expect("cassettes").count(), 4);
}

#[test]
fn examples_without_an_opinion_are_named() {
    let (package, _server) = package(EXAMPLES);
    let ran = calibrate(&package, &[], &[]);
    assert_eq!(ran.code, Some(101));
    for text in [
        "it has no opinion on:\n  calibration/tone.yaml:3 kind: nothing is recorded of it\n",
        "record it: ARRAIGN_JUDGE=record cargo arraign calibrate calibration/tone.yaml\n",
    ] {
        assert!(ran.stdout.contains(text), "{}", ran.stdout);
    }
}

#[test]
fn slips_in_the_file_are_told() {
    let (package, _server) =
        package("examples:\n  - {id: a, answr: b, label: passed}\n  - {id: c, answer: d}\n");
    let ran = calibrate(&package, &[], &[]);
    assert_eq!(ran.code, Some(2));
    for text in [
        "did you mean `answer`?",
        "`label` is `pass` or `fail`",
        "the example has no `label`: `pass` or `fail`",
        "the example has no `prompt`, and the file has none for all",
    ] {
        assert!(ran.stderr.contains(text), "{}", ran.stderr);
    }
    let package = Package::of("");
    package.write("calibration/tone.yaml", EXAMPLES);
    let ran = calibrate(&package, &[], &[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("no judge is named"), "{}", ran.stderr);
}
