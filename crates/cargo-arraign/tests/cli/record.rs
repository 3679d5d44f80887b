//! `cargo arraign record`: the model port alone.

use std::fs;
use std::process::Command;

use crate::program::arraign;

#[test]
fn a_program_without_a_request_leaves_no_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = arraign(folder.path(), &["record", "true"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(ran.stderr.contains("sent no request to its model through the port"), "{}", ran.stderr);
    assert!(!folder.path().join("trace.model.jsonl").exists());
}

#[test]
fn a_model_that_cannot_be_reached_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("evals")).expect("a folder");
    let agent = "agent: {http: {url: '${OPENAI_BASE_URL}/chat/completions?key=hidden', retries: 0}}";
    let suite = format!("{agent}\ntests: [{{id: a, input: hello, expect: [{{contains: hello}}]}}]\n");
    fs::write(folder.path().join("evals/s.yaml"), suite).expect("a suite");
    let program = env!("CARGO_BIN_EXE_cargo-arraign");
    let mut command = Command::new(program);
    command.args(["record", "--", program, "run"]).current_dir(folder.path());
    command.env("OPENAI_BASE_URL", "http://127.0.0.1:1/v1").env("ARRAIGN_AGENT_MODE", "live");
    let output = command.output().expect("the program runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let said = "nothing is recorded: POST http://127.0.0.1:1/v1/chat/completions: the provider gave no reply";
    assert!(stderr.contains(said) && !stderr.contains("hidden"), "{stderr}");
}
