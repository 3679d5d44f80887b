//! `cargo arraign explain`: what a reader saw, and what the file does not tell.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::json::json;
use arraign::reader;

use crate::locate_in_repository;
use crate::program::{Ran, arraign, pin};

fn samples() -> PathBuf {
    locate_in_repository("crates/arraign-trace/tests/reader")
}

fn explained(arguments: &[&str]) -> Ran {
    arraign(&samples(), &[&["explain"], arguments].concat())
}

#[track_caller]
fn told(arguments: &[&str]) -> String {
    let ran = explained(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    ran.stdout
}

#[test]
fn a_run_is_a_timeline() {
    pin("explain-timeline", &told(&["claude-code/transcript.shop-mcp.jsonl"]));
}

#[test]
fn what_the_file_does_not_tell_is_said() {
    pin("explain-not-told", &told(&["openai-chat/messages.json"]));
    pin("explain-nothing-but-calls", &told(&["tool-events/events.jsonl"]));
}

#[test]
fn what_was_not_understood_is_said_by_its_kind_and_its_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(samples().join("codex/rollout.shell.jsonl")).expect("a sample");
    let renamed = text.replace("\"custom_tool_call\"", "\"custom_call_v2\"");
    let renamed = renamed.replace("\"function_call\"", "\"function_call_v2\"");
    fs::write(folder.path().join("rollout.jsonl"), renamed).expect("a file");
    let ran = arraign(folder.path(), &["explain", "rollout.jsonl", "--unread"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    pin("explain-unread", &ran.stdout);
    let whole = arraign(folder.path(), &["explain", "rollout.jsonl"]).stdout;
    for line in ran.stdout.lines().skip(3) {
        assert!(whole.contains(line.trim()), "{whole}");
    }
    assert!(
        told(&["--unread", "openai-chat/messages.json"]).ends_with("all parts of the file were understood\n")
    );
}

#[test]
fn nested_agents_have_their_path() {
    pin("explain-nested", &told(&["claude-code/stream-json.subagents.constructed.jsonl"]));
}

#[test]
fn a_run_is_picked_by_its_id_or_its_number() {
    let all = told(&["native/runs.jsonl"]);
    let second = told(&["native/runs.jsonl", "--run", "2"]);
    let (_, told) = all.split_once("\nrun 2 of 2\n").expect("the second run");
    assert_eq!(second, format!("native/runs.jsonl: native\n\nrun 2\n{told}"));
    let gone = explained(&["native/runs.jsonl", "--run", "nope"]);
    assert_eq!(gone.code, Some(2));
    assert!(gone.stderr.contains("native/runs.jsonl: no run `nope`: the file holds"), "{}", gone.stderr);
}

/// Of every reader a file, and files with several runs.
#[test]
fn as_json_a_trace_reads_back_as_the_same() {
    let mut folders: Vec<PathBuf> = list(&samples()).into_iter().filter(|path| path.is_dir()).collect();
    folders.retain(|folder| !folder.ends_with("snapshots"));
    for folder in folders {
        let is_trace = |path: &PathBuf| path.extension().is_some_and(|end| end != "txt" && end != "snap");
        let files: Vec<PathBuf> = list(&folder).into_iter().filter(is_trace).collect();
        let last = files.len().saturating_sub(1);
        for file in [files.first(), files.get(last)].into_iter().flatten() {
            let text = fs::read_to_string(file).expect("a sample");
            let Ok(recording) = reader::read(&text, None) else { continue };
            let written = told(&[file.to_str().expect("UTF-8"), "--format", "json"]);
            let again = reader::read(&written, None).unwrap_or_else(|error| panic!("{error}\n{written}"));
            assert_eq!((again.format, &again.runs), ("native", &recording.runs), "{}", file.display());
        }
    }
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The answer of `explain` about a file with this text.
fn explain_text(text: &str, more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("trace.json"), text).expect("a file");
    arraign(folder.path(), &[&["explain", "trace.json"], more].concat())
}

#[test]
fn a_file_that_nobody_knows_is_told_with_each_reason() {
    let nearest = explain_text("[{\"role\": \"user\", \"parts\": 1, \"x\": {}}]", &[]).stderr;
    let objection = "no reader knows this trace; the nearest is `";
    assert!(nearest.contains(objection) && nearest.contains("explain --all`"), "{nearest}");
    assert_eq!(nearest.lines().count(), 2, "{nearest}");
    let ran = explain_text("{\"a\": 1}", &["--all"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    let told = &ran.stderr;
    assert!(told.starts_with("error: trace.json: no reader knows this trace:\n  "), "{told}");
    for reader in reader::READERS {
        assert!(told.contains(&format!("\n  {}: ", reader.name)), "{told}");
    }
}

#[test]
fn an_ambiguous_file_names_the_flag_that_decides() {
    let text = json!([
        {"role": "user", "content": "hi", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "g", "input": {}}]},
    ]);
    let ran = explain_text(&text.to_string(), &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    pin("explain-ambiguous", &ran.stderr);
    let decided = explain_text(&text.to_string(), &["--trace-format", "anthropic"]);
    assert!(decided.stdout.contains("trace.json: anthropic (as asked), 1 run"), "{}", decided.stdout);
}

#[test]
fn a_format_that_is_none_and_a_file_that_is_not_there_say_so() {
    let typo = explained(&["openai-chat/messages.json", "--trace-format", "openai-chatt"]);
    assert_eq!(
        typo.stderr,
        "error: openai-chat/messages.json: there is no trace format `openai-chatt`\n  help: did you mean `openai-chat`?\n"
    );
    let gone = explained(&["gone.json"]);
    assert!(gone.stderr.starts_with("error: gone.json: No such file"), "{}", gone.stderr);
    assert_eq!((typo.code, gone.code), (Some(2), Some(2)));
    let folder = explained(&["native"]);
    assert_eq!(folder.stderr, "error: native: this is a folder, not a file\n");
}

#[test]
fn what_is_long_is_cut_unless_all_of_it_is_asked_for() {
    let calls: Vec<String> = (0..500).map(|number| format!("tool_{number}")).collect();
    let text = json!({"calls": calls, "answer": "long ".repeat(400)}).to_string();
    let short = explain_text(&text, &[]).stdout;
    assert!(short.len() < 10_000 && short.contains("... (1,700 more characters)"), "{short}");
    assert!(
        short.contains("and 400 more texts and calls") && short.contains("`--full` shows everything"),
        "{short}"
    );
    let full = explain_text(&text, &["--full"]).stdout;
    assert!(full.contains("tool_499") && full.contains(&"long ".repeat(400)) && !full.contains("--full"));
}

#[test]
fn many_runs_are_cut_as_well() {
    let run =
        |number: usize| json!({"id": format!("r{number}"), "steps": [{"say": "hi"}]}).to_string() + "\n";
    let text: String = (1..=25).map(run).collect();
    let short = explain_text(&text, &[]).stdout;
    assert!(short.contains("... and 15 more runs; `--run` selects one, `--full` shows all"), "{short}");
    assert!(explain_text(&text, &["--full"]).stdout.contains("run 25 of 25"));
}

#[test]
fn a_hostile_trace_is_told_in_harmless_characters() {
    let text =
        fs::read_to_string(locate_in_repository("tests/report/evals/traces/hostile.json")).expect("a trace");
    for more in [&[][..], &["--full"], &["--format", "json"]] {
        let ran = explain_text(&text, more);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let harmful =
            |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}');
        assert!(!ran.stdout.contains(harmful), "{:?}", ran.stdout);
        let command = |line: &str| ["::", "##"].iter().any(|start| line.trim_start().starts_with(start));
        assert_eq!(ran.stdout.lines().find(|line| command(line)), None);
    }
}

#[test]
fn secrets_are_masked_in_each_form() {
    let secret = format!("sk-proj-{}", "A1b2C3d4".repeat(5));
    let text = json!({"input": format!("use {secret}"), "steps": [
        {"call": "pay", "args": {"note": secret}, "result": format!("paid with {secret}")},
        {"say": format!("done with {secret}")},
    ]});
    for more in [&[][..], &["--full"], &["--format", "json"]] {
        let ran = explain_text(&text.to_string(), more);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
        assert!(!ran.stdout.contains("A1b2C3d4") && ran.stdout.contains("***"), "{}", ran.stdout);
    }
}

/// A file that is too large to be read at once is told as a small one is.
#[test]
fn a_large_file_is_told_run_by_run() {
    let filler = "x".repeat(100_000);
    let line = |run: usize| {
        format!("{{\"id\": \"r{run}\", \"steps\": [{{\"call\": \"f\", \"result\": \"{filler}\"}}]}}\n")
    };
    let text: String = (0..90).map(line).collect();
    let short = explain_text(&text, &[]).stdout;
    assert!(short.starts_with("trace.json: native, 90 runs\n"), "{}", &short[..80]);
    assert!(short.contains("run 10 of 90\n") && short.contains("\n... and 80 more runs; "), "{short}");
    let json = explain_text(&text, &["--format", "json"]).stdout;
    assert_eq!(
        arraign::reader::read(&json, None).expect("our own").runs,
        arraign::reader::read(&text, None).expect("a log").runs
    );
    let broken = explain_text(&format!("{text}{{\"steps\": [{{\"call\": 7}}]}}"), &["--format", "json"]);
    assert!(broken.stderr.contains("trace.json: native: line 91: "), "{}", broken.stderr);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_or_too_large_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.json")).status();
    assert!(made.expect("mkfifo").success());
    // The file has no blocks on the disk.
    let sparse = fs::File::create(folder.path().join("sparse.json")).expect("a file");
    sparse.set_len(3 << 30).expect("a sparse file");
    for (file, problem) in [
        ("/dev/zero", "this is not a regular file"),
        ("pipe.json", "this is not a regular file"),
        ("sparse.json", "3221225472 bytes are over the limit of 67108864"),
    ] {
        for more in [&[][..], &["--run", "1"]] {
            let ran = arraign(folder.path(), &[&["explain", file], more].concat());
            assert_eq!(ran.code, Some(2), "{file}");
            assert!(ran.stderr.contains(problem), "{file}: {}", ran.stderr);
        }
    }
}
