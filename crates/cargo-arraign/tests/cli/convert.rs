//! `cargo arraign convert`: the runs of a file in the format of others, and what is lost.

use std::fs;
use std::path::Path;

use arraign::json::{self, Json};
use arraign::reader::read;

use crate::locate_in_repository;
use crate::program::{Ran, arraign, pin};

/// Converts the sample of a reader, which lies in the folder.
fn convert(folder: &Path, sample: &str, flags: &[&str]) -> Ran {
    let name = Path::new(sample).file_name().expect("a name");
    let from = locate_in_repository("crates/arraign-trace/tests/reader").join(sample);
    fs::copy(from, folder.join(name)).expect("a copy");
    arraign(folder, &[&["convert", name.to_str().expect("a name")], flags].concat())
}

#[test]
fn a_run_becomes_a_file_beside_its_own_and_losses_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = convert(folder.path(), "claude-code/transcript.shop-mcp.jsonl", &[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "transcript.shop-mcp.atif.json\n"));
    pin("convert-losses", &ran.stderr);
    let written = fs::read_to_string(folder.path().join("transcript.shop-mcp.atif.json")).expect("a file");
    let trajectory: Json = json::from_str(&written).expect("JSON");
    assert_eq!(trajectory["schema_version"], "ATIF-v1.8");

    let again = arraign(folder.path(), &["convert", "transcript.shop-mcp.jsonl"]);
    assert_eq!(again.code, Some(2));
    assert_eq!(
        again.stderr,
        "error: transcript.shop-mcp.atif.json: the file exists\n  help: remove it, or give `--out DIR`\n"
    );
}

#[test]
fn each_of_several_runs_is_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = convert(
        folder.path(),
        "openai-responses/agents_sdk.nested.trace_export.constructed.jsonl",
        &["--out", "new", "--to", "openai-chat"],
    );
    let files: Vec<&str> = ran.stdout.lines().collect();
    assert!(files.len() > 1, "{}", ran.stdout);
    assert!(files[1].ends_with("constructed.2.openai-chat.json"), "{}", ran.stdout);
    for file in files {
        let text = fs::read_to_string(folder.path().join(file)).expect("a file");
        read(&text, Some("openai-chat")).expect("messages");
    }
}

#[test]
fn with_strict_a_loss_fails_and_the_file_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = convert(folder.path(), "openai-chat/messages.json", &["--strict"]);
    assert_eq!(ran.code, Some(101), "{}", ran.stderr);
    assert!(folder.path().join("messages.atif.json").is_file());
    let native = arraign(folder.path(), &["convert", "messages.json", "--to", "native", "--strict"]);
    assert_eq!((native.code, native.stderr.as_str()), (Some(0), ""));
}

#[test]
fn secrets_are_masked_unless_that_is_switched_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = ["sk-", "proj-", "Zk3v9Qw1Lm5Xc7Vb2Nn8Rt4Yu6Io0Pa"].concat();
    fs::write(
        folder.path().join("t.yaml"),
        format!("steps: [{{user: my key is {key}}}, {{say: Thanks.}}]\n"),
    )
    .expect("a file");
    let masked = arraign(folder.path(), &["explain", "t.yaml", "--format", "atif"]);
    assert!(masked.stdout.contains("my key is ***"), "{}", masked.stdout);
    let ran = arraign(folder.path(), &["convert", "t.yaml", "--unmasked"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(fs::read_to_string(folder.path().join("t.atif.json")).expect("a file").contains(&key));
}

#[test]
fn a_run_without_a_step_is_refused_and_the_others_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = "{\"steps\": [{\"say\": \"Hi.\"}]}\n{\"steps\": [], \"answer\": null}\n";
    fs::write(folder.path().join("t.jsonl"), lines).expect("a file");
    let ran = arraign(folder.path(), &["convert", "t.jsonl", "--trace-format", "native"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(101), "t.1.atif.json\n"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("t.jsonl run 2: not written: the run has no text and no call"),
        "{}",
        ran.stderr
    );
}
