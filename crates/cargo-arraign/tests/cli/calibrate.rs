//! `cargo arraign calibrate`: a judge against labelled examples.

use walkdir::WalkDir;

use crate::package::Package;
use crate::program::Ran;
use crate::server::{Asked, Reply, Server};

use arraign::json::{self, Json, JsonMap, json};

const RECORD: (&str, &str) = ("ARRAIGN_JUDGE", "record");

const EXAMPLES: &str = "prompt: Does it say please?
examples:
  - {id: kind, answer: please wait, label: pass}
  - {id: kinder, input: Hurry!, answer: please do come in, label: pass}
  - {id: short, answer: wait, label: fail}
  - {id: curt, answer: please go away, label: fail}
";

/// A judge on a server: answers each question of a request.
fn judge(asked: &Asked) -> Reply {
    let body = asked.json();
    let code = &body["response_format"]["json_schema"]["schema"]["properties"]["code"]["enum"][0];
    let user = body["messages"][1]["content"].as_str().expect("text");
    let evidence: Json = json::from_str(user.lines().nth(1).expect("evidence")).expect("JSON");
    let mut reply = JsonMap::from_iter([("code".to_owned(), code.clone())]);
    for (id, question) in
        user.lines().filter(|line| line.starts_with('q')).filter_map(|line| line.split_once(". "))
    {
        reply.insert(id.to_owned(), answer_question(question, &evidence));
    }
    Reply::json(&json!({
        "choices": [{"message": {"role": "assistant", "content": Json::from(reply).to_string()}}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
    }))
}

/// Whether the answer that the question is about contains `please`. A canary asks for a code instead.
fn answer_question(question: &str, evidence: &Json) -> Json {
    let exhibit = question.split(['`', '.']).nth(1).expect("a part of the evidence");
    let answer = evidence[exhibit]["answer"].as_str().expect("an answer");
    let wanted = question.split(" the code ").nth(1).map_or("please", |rest| &rest[..16]);
    let pass = answer.contains(wanted);
    json!({"reason": if pass { "it does" } else { "it does not" }, "pass": pass})
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
         disagreements:\n  \
           calibration/tone.yaml:6 curt: labelled fail, judged pass: it does\n"
    );
    assert_eq!(server.asked().len(), 4);
    assert_eq!(calibrate(&package, &[], &["--min-kappa", "0.5"]).code, Some(0));
    assert_eq!(calibrate(&package, &[], &["--min-kappa", "0.6"]).code, Some(101));
    let cassettes = WalkDir::new(package.path("calibration/cassettes")).into_iter().flatten();
    assert_eq!(cassettes.filter(|entry| entry.file_type().is_file()).count(), 4);
}

#[test]
fn examples_without_an_opinion_are_named() {
    let (package, _server) = package(EXAMPLES);
    let ran = calibrate(&package, &[], &[]);
    assert_eq!(ran.code, Some(101));
    for text in [
        "no opinion:\n  calibration/tone.yaml:3 kind: there is no recording\n",
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
        "expected the label `pass` or `fail`",
        "the example has no `label`: `pass` or `fail`",
        "the example has no `prompt`, and the file has none for all",
    ] {
        assert!(ran.stderr.contains(text), "{}", ran.stderr);
    }
    let package = Package::of("");
    package.write("calibration/tone.yaml", EXAMPLES);
    let ran = calibrate(&package, &[], &[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("no judge is configured"), "{}", ran.stderr);
}
