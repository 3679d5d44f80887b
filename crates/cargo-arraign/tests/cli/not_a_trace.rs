//! Files that are no trace are named, and the command of the message makes a trace of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use arraign::json::json;

use crate::program::arraign;

const CHAT: [&str; 2] = [
    r#"{"role": "user", "content": "Where is order 7?"}"#,
    r#"{"role": "assistant", "content": "It ships today."}"#,
];

/// Returns the command that the message about a file gives.
fn read_advice(folder: &Path, file: &str, named: &str) -> String {
    let ran = arraign(folder, &["explain", file]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains(named), "{}", ran.stderr);
    let (_, advice) = ran.stderr.split_once("help: ").expect("a help");
    let commands: Vec<&str> = advice.split('`').skip(1).step_by(2).collect();
    (*commands.first().expect("a command")).to_owned()
}

/// Follows the message about a file; returns whether its program exists here.
fn follow_advice(folder: &Path, file: &str, named: &str) -> bool {
    let command = read_advice(folder, file, named);
    let program = command.split(' ').next().expect("a program");
    if Command::new(program).arg("--version").output().is_err() {
        return false;
    }
    let ran = Command::new("sh").arg("-c").arg(command.replace("FILE", file)).current_dir(folder).output();
    let ran = ran.expect("a shell");
    assert!(ran.status.success(), "{command}: {}", String::from_utf8_lossy(&ran.stderr));
    true
}

/// Writes a file, follows the message about it, and reads the trace that this makes.
#[track_caller]
fn assert_advice_makes_a_trace(file: &str, text: &str, named: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(file), text).expect("a file");
    if !follow_advice(folder.path(), file, named) {
        return;
    }
    let ran = arraign(folder.path(), &["explain", "trace.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("It ships today."), "{}", ran.stdout);
}

#[test]
fn a_log_with_a_prefix_is_cut_by_the_command_of_the_message() {
    let lines = CHAT.map(|line| format!("2026-11-29T06:47:18Z app[7]: {line}\n")).concat();
    assert_advice_makes_a_trace("app.log", &lines, "line 1, column 30: this is a log with a prefix");
}

#[test]
fn a_log_of_docker_is_unpacked_by_the_command_of_the_message() {
    let record = |log: &str| json!({"log": log, "stream": "stdout", "time": "t"}).to_string();
    // Docker splits long lines: only the last part ends with a line break.
    let [user, assistant] = CHAT;
    let (start, end) = assistant.split_at(20);
    let records = [record(&format!("{user}\n")), record(start), record(&format!("{end}\n"))];
    assert_advice_makes_a_trace("app.log", &records.join("\n"), "this is a log file of Docker");
}

#[test]
fn the_requests_of_a_har_file_are_taken_out_by_the_command_of_the_message() {
    let request = json!({"model": "m", "messages": [{"role": "user", "content": "Where is order 7?"}]});
    let response = json!({"object": "chat.completion", "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "It ships today."}}]});
    let har = json!({"log": {"version": "1.2", "entries": [
        {"request": {"method": "GET", "url": "/"}, "response": {"content": {"text": "<p>"}}},
        {"request": {"method": "POST", "postData": {"text": request.to_string()}},
         "response": {"content": {"text": response.to_string()}}},
    ]}});
    assert_advice_makes_a_trace("app.har", &har.to_string(), "this is a HAR file");
}

#[test]
fn the_rows_of_a_csv_file_are_objects_after_the_command_of_the_message() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("runs.csv"), "id,answer\n7,\"It ships, today.\"\n").expect("a file");
    if follow_advice(folder.path(), "runs.csv", "line 1, column 1: this is a CSV file") {
        let rows = fs::read_to_string(folder.path().join("rows.jsonl")).expect("rows");
        assert_eq!(rows, "{\"id\": \"7\", \"answer\": \"It ships, today.\"}\n");
    }
}

#[test]
fn the_output_of_curl_and_an_eval_set_have_a_way_to_a_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("curl.txt"), "HTTP/2 200\ncontent-type: application/json\n\n{\"id\": 1}\n")
        .expect("a file");
    let command = read_advice(folder.path(), "curl.txt", "line 1, column 1: this is the output of `curl -v`");
    assert_eq!(command, "-v");
    fs::write(folder.path().join("set.json"), "{\"eval_set_id\": \"s\", \"eval_cases\": []}")
        .expect("a file");
    let command = read_advice(folder.path(), "set.json", "this is an ADK eval set");
    assert_eq!(command, "cargo arraign import --from adk");
}
