//! The tutorials of the book, followed step by step: files are written (`file:PATH` behind a fence), commands are run
//! (`run`, or `run:101` with their exit code), and their output has each line of the next block that `says` something.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::locate_in_repository;

use arraign::json;

/// A fenced block of a page: its language, the words behind it, and its text.
struct Step {
    line: usize,
    language: String,
    word: String,
    text: String,
}

#[test]
fn a_python_agent_has_a_red_trial_by_the_tutorial() {
    if is_missing("python3") {
        return;
    }
    follow_tutorial("start-python.md");
}

#[test]
fn a_team_without_a_crate_has_a_red_trial_by_the_tutorial() {
    follow_tutorial("start-files.md");
}

#[test]
fn forty_conversations_have_three_red_trials_by_the_tutorial() {
    if is_missing("python3") {
        return;
    }
    follow_tutorial("start-conversations.md");
}

#[test]
fn a_promptfoo_configuration_has_a_red_trial_by_the_tutorial() {
    if is_missing("python3") {
        return;
    }
    follow_tutorial("start-promptfoo.md");
}

#[test]
#[cfg_attr(not(feature = "mocks"), ignore = "the page asks an MCP server: `mocks`")]
fn an_mcp_server_has_a_red_trial_by_the_tutorial() {
    if is_missing("python3") {
        return;
    }
    follow_tutorial("start-mcp.md");
}

#[test]
fn the_page_on_own_readers_and_reports_runs() {
    if is_missing("python3") {
        return;
    }
    follow_tutorial("extend.md");
}

#[test]
#[cfg_attr(not(feature = "live"), ignore = "the page runs agents: `live`")]
fn three_models_become_a_decision_by_the_page() {
    follow_tutorial("which-model.md");
}

#[test]
#[cfg_attr(not(feature = "live"), ignore = "the page runs agents: `live`")]
fn a_case_that_flaps_is_found_quarantined_and_fixed_by_the_page() {
    follow_tutorial("flaky.md");
}

#[test]
#[cfg_attr(not(feature = "live"), ignore = "the page runs agents: `live`")]
fn a_skill_of_a_coding_agent_is_tested_by_the_page() {
    follow_tutorial("coding-agent.md");
}

#[test]
#[cfg_attr(not(feature = "mocks"), ignore = "the page runs agents with mock tools: `mocks`")]
fn an_agent_that_obeys_its_tools_is_found_by_the_page() {
    if is_missing("python3") {
        return;
    }
    follow_tutorial("injection.md");
}

#[test]
#[cfg_attr(not(feature = "live"), ignore = "the page runs a program: `live`")]
fn a_world_of_ones_own_is_asked_by_the_page() {
    if is_missing("python3") {
        return;
    }
    follow_tutorial("worlds.md");
}

/// Each `cargo arraign` of the docs is a command, and its flags are flags of this command.
#[test]
#[cfg_attr(
    not(all(feature = "mocks", feature = "http")),
    ignore = "the docs name commands of all features: `mocks`, `http`"
)]
fn each_command_of_the_docs_exists_with_its_flags() {
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut unknown = Vec::new();
    for page in list_pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for line in text.split("cargo arraign ").skip(1) {
            let line: String = line.chars().take_while(|c| !"`\n|;&)".contains(*c)).collect();
            let ours = line.split(" -- ").next().unwrap_or_default();
            let mut words = ours.split_whitespace();
            // Prose such as "`cargo arraign` reads" has no command behind it.
            let Some(command) =
                words.next().filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
            else {
                continue;
            };
            let help = helps.entry(command.to_owned()).or_insert_with(|| read_help(command));
            let flags = words.filter(|word| word.starts_with("--") && word.len() > 2);
            let flags = flags.map(|flag| flag.trim_end_matches(&[',', '.', ':', ']'][..]));
            let missing: Vec<&str> = flags.filter(|flag| !help.contains(*flag)).collect();
            if help.is_empty() || !missing.is_empty() {
                unknown.push(format!("{}: cargo arraign {command} {}", page.display(), missing.join(" ")));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(helps.len() >= 15, "{:?}", helps.keys());
}

#[test]
fn each_snippet_for_a_shell_or_in_toml_or_json_can_be_parsed() {
    let mut mistakes = Vec::new();
    for page in list_pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for Step { line, language, text, .. } in list_steps(&text) {
            let mistake = match language.as_str() {
                "toml" => text.parse::<toml_edit::DocumentMut>().err().map(|error| error.to_string()),
                "json" => find_json_mistake(&text),
                "sh" => find_shell_mistake(&text),
                _ => None,
            };
            mistakes.extend(mistake.map(|mistake| format!("{}:{line}: {mistake}", page.display())));
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

/// A snippet is a value, or some members of an object.
fn find_json_mistake(text: &str) -> Option<String> {
    let parse = |text: &str| json::parse(text).map(drop);
    parse(text).or_else(|error| parse(&format!("{{{text}}}")).map_err(|_| error.to_string())).err()
}

fn find_shell_mistake(text: &str) -> Option<String> {
    let output = Command::new("sh").args(["-n", "-c", text]).output().expect("a shell");
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The pages of the docs and the README files.
fn list_pages() -> Vec<PathBuf> {
    let folders = ["docs", "docs/checks", ".", "crates/arraign-trace", "crates/cargo-arraign"];
    let entries =
        folders.iter().flat_map(|folder| fs::read_dir(locate_in_repository(folder)).expect("a folder"));
    let pages = entries.map(|entry| entry.expect("an entry").path());
    pages.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The help of a command. Empty if the program has no such command.
fn read_help(command: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"))
        .args([command, "--help"])
        .output()
        .expect("the program");
    if output.status.success() { String::from_utf8(output.stdout).expect("UTF-8") } else { String::new() }
}

fn is_missing(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err()
}

fn follow_tutorial(page: &str) {
    let text = fs::read_to_string(locate_in_repository("docs").join(page)).expect("a page");
    let folder = tempfile::tempdir().expect("a folder");
    let mut said = String::new();
    let mut ran = 0;
    for Step { line, word, text, .. } in list_steps(&text) {
        if let Some(path) = word.strip_prefix("file:") {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        } else if let Some(code) = word.strip_prefix("run") {
            let code = code.strip_prefix(':').map_or(0, |code| code.parse().expect("an exit code"));
            said = run_commands(folder.path(), &text, code, &format!("{page}:{line}"));
            ran += 1;
        } else if word == "says" {
            for expected in text.lines() {
                assert!(said.contains(expected), "{page}:{line}: the output lacks `{expected}`:\n{said}");
            }
        }
    }
    assert!(ran > 1, "{page} has {ran} commands");
}

/// Runs the lines of a block in a shell that knows this program, and returns what they print.
fn run_commands(folder: &Path, text: &str, code: i32, at: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_cargo-arraign")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("sh");
    command.args(["-e", "-c", text]).current_dir(folder).stdin(Stdio::null());
    command.env("PATH", format!("{}:{path}", program.display()));
    for variable in
        ["CARGO_MANIFEST_DIR", "CARGO_TARGET_DIR", "ARRAIGN_OUT", "ARRAIGN_REPORT", "CI", "NEXTEST"]
    {
        command.env_remove(variable);
    }
    let output = command.output().expect("a shell");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
    assert_eq!(output.status.code(), Some(code), "{at}:\n{said}");
    said
}

fn list_steps(page: &str) -> Vec<Step> {
    let (mut steps, mut open): (Vec<Step>, Option<Step>) = (Vec::new(), None);
    for (index, line) in page.lines().enumerate() {
        match &mut open {
            Some(_) if line == "```" => steps.extend(open.take()),
            Some(step) => step.text.extend([line, "\n"]),
            None => {
                open = line.strip_prefix("```").map(|info| {
                    let (language, word) = info.split_once(' ').unwrap_or((info, ""));
                    let language = language.to_owned();
                    let word = word.to_owned();
                    Step { line: index + 1, language, word, text: String::new() }
                });
            }
        }
    }
    steps
}
