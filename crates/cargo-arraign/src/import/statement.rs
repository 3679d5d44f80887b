//! Statements in English that say one plain thing of a run: a file that exists, a text in it, a command that was run.
//!
//! A statement is read only if all of its words are understood. All others stay questions to a judge.

use std::sync::LazyLock;

use arraign::json::{Json, json};
use regex::{Captures, Regex};

use super::draft::build_check;
use super::pattern::escape_literal;

/// The tools with which Claude Code changes files.
const EDITS: [&str; 4] = ["Edit", "MultiEdit", "NotebookEdit", "Write"];

/// The tool with which Claude Code runs commands.
const SHELL: &str = "Bash";

/// What a statement became.
pub(super) struct ReadStatement {
    pub(super) checks: Vec<Json>,
    /// Whether the checks name tools of Claude Code.
    pub(super) names_tools: bool,
}

/// A form of statements, and the checks for what its groups hold.
struct Form {
    pattern: Regex,
    convert: fn(&Captures<'_>) -> Vec<Json>,
    names_tools: bool,
}

/// Reads a statement. `None` if it says something that no check says.
pub(super) fn read_statement(text: &str) -> Option<ReadStatement> {
    let text = text.trim().trim_end_matches('.').trim_end();
    FORMS.iter().find_map(|form| {
        let captures = form.pattern.captures(text)?;
        Some(ReadStatement { checks: (form.convert)(&captures), names_tools: form.names_tools })
    })
}

static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    // A path has an extension, or stands in quotes.
    let path = r#"(?:(?:the |an? )?(?:output )?(?:file )?(?:named |called )?(?:`(?<path>[^`\s]+)`|"(?<path2>[^"\s]+)"|(?<path3>[\w./-]*\w\.[A-Za-z]\w*)))"#;
    let quoted = r#"(?:`(?<text>[^`]+)`|"(?<text2>[^"]+)"|'(?<text3>[^']+)')"#;
    // A command stands in backticks, or is the name of a well-known runner of tests.
    let command = |at: &str| {
        format!(
            r"(?:`(?<{at}>[^`]+)`|(?<{at}2>pytest|tox|ruff|eslint|npm test|npm run [\w:-]+|yarn test|pnpm test|cargo (?:test|check|clippy|fmt|build)|go (?:test|vet|build)|make [\w-]+))"
        )
    };
    let run = command("run");
    let other = command("other");
    let agent = "(?:the )?(?:agent|assistant|skill|model|run|it|claude)";
    let edits = "(?:the |each |every |any |all |its |the last )*(?:file |code )?(?:edits?|changes?)";
    let was = "(?:is|was|are|were|has been|have been|gets|got)";
    let form = |pattern: &str, convert: fn(&Captures<'_>) -> Vec<Json>, names_tools: bool| Form {
        pattern: Regex::new(&format!("^(?i:{pattern})$")).unwrap_or_else(|error| panic!("{error}")),
        convert,
        names_tools,
    };
    vec![
        form(&format!("{path} (?:exists|{was} (?:created|written|present))"), require_file, false),
        form(&format!("(?:{agent} )?(?:creates|created|writes|wrote) {path}"), require_file, false),
        form(&format!("no {path} (?:exists|{was} (?:created|written|left))"), forbid_file, false),
        form(
            &format!("{path} (?:does not exist|{was} (?:not created|absent|deleted|removed))"),
            forbid_file,
            false,
        ),
        form(
            &format!(
                "{path} (?:{was}|remains|stays) (?:unchanged|unmodified|untouched|not (?:modified|changed|edited|touched))"
            ),
            keep_file,
            false,
        ),
        form(
            &format!("(?:{agent} )?(?:does not|did not) (?:modify|change|edit|touch) {path}"),
            keep_file,
            false,
        ),
        form(
            &format!("{path} (?:contains|includes) (?:the (?:text|string|word|line) )?{quoted}"),
            require_text,
            false,
        ),
        form(
            &format!("{path} does not (?:contain|include) (?:the (?:text|string|word|line) )?{quoted}"),
            forbid_text,
            false,
        ),
        form(&format!("{run} {was} run(?: at least once)?"), require_run, true),
        form(&format!("{agent} (?:runs|ran|executes|executed) {run}(?: at least once)?"), require_run, true),
        form(
            &format!(
                "(?:{agent} )?(?:used|uses|ran|runs|executed|executes|called|calls) (?:the )?(?:script )?(?<run>[\\w./-]+\\.(?:py|sh|js|mjs|ts|rb|pl))"
            ),
            require_run,
            true,
        ),
        form(&format!("{run} {was} (?:never|not) run"), forbid_run, true),
        form(&format!("{agent} (?:never (?:runs|ran)|does not run|did not run) {run}"), forbid_run, true),
        form(&format!("{run} {was} run after {edits}"), run_after_edits, true),
        form(&format!("{agent} (?:runs|ran) {run} after {edits}"), run_after_edits, true),
        form(&format!("{run} {was} run before {edits}"), run_before_edits, true),
        form(&format!("{agent} (?:runs|ran) {run} before {edits}"), run_before_edits, true),
        form(&format!("{run} {was} run before {other}"), run_before_other, true),
        form(&format!("{agent} (?:runs|ran) {run} before {other}"), run_before_other, true),
    ]
});

/// Returns what the group `name`, or its other spellings, holds.
fn find_group<'c>(captures: &'c Captures<'_>, name: &str) -> &'c str {
    let spellings = [name.to_owned(), format!("{name}2"), format!("{name}3")];
    spellings.iter().find_map(|name| captures.name(name)).map_or("", |found| found.as_str())
}

fn require_file(captures: &Captures<'_>) -> Vec<Json> {
    vec![build_check("files", json!({"exists": [find_group(captures, "path")]}))]
}

fn forbid_file(captures: &Captures<'_>) -> Vec<Json> {
    vec![build_check("files", json!({"absent": [find_group(captures, "path")]}))]
}

fn keep_file(captures: &Captures<'_>) -> Vec<Json> {
    vec![build_check("files", json!({"unchanged": [find_group(captures, "path")]}))]
}

fn require_text(captures: &Captures<'_>) -> Vec<Json> {
    let contains = find_group(captures, "text");
    vec![build_check("file", json!({"path": find_group(captures, "path"), "contains": [contains]}))]
}

fn forbid_text(captures: &Captures<'_>) -> Vec<Json> {
    forbid_in_file(find_group(captures, "path"), "contains", &json!([find_group(captures, "text")]))
}

/// Builds checks for a file that exists and of which a setting of `file` does not hold.
pub(super) fn forbid_in_file(path: &str, setting: &str, value: &Json) -> Vec<Json> {
    let mut settings = json!({"path": path});
    settings[setting] = value.clone();
    let forbidden = build_check("none_of", json!([build_check("file", settings)]));
    vec![build_check("files", json!({"exists": [path]})), forbidden]
}

/// What may stand before a command that is run: variables, a path, and programs that run another one.
const LAUNCHED: &str = r"(?:(?:uv|poetry|pdm|pipenv|hatch|rye) run\s+|python[\d.]* -m\s+|(?:npx|pnpm|yarn|bunx|sudo|time|env)\s+|\w+=\S*\s+)*(?:[^\s;&|()]*/)?";

/// The call that runs a command: alone, by its path, by a launcher, or among others. The name in the arguments of another
/// command is no run of it.
fn describe_run(command: &str) -> Json {
    let pattern = format!(r"(?:^|[;&|(\n])\s*{LAUNCHED}{}(?:$|[\s;&|)])", match_words(command));
    json!({"tool": SHELL, "args_match": {"command": pattern}})
}

/// A call in which the command may be run: its name stands anywhere.
fn describe_mention(command: &str) -> Json {
    let pattern = format!(r"(?:^|[\s;&|(/]){}(?:$|[^\w-])", match_words(command));
    json!({"tool": SHELL, "args_match": {"command": pattern}})
}

fn match_words(command: &str) -> String {
    command.split_whitespace().map(escape_literal).collect::<Vec<_>>().join(r"\s+")
}

fn require_run(captures: &Captures<'_>) -> Vec<Json> {
    build_rules(&json!([{"type": "count", "tool": describe_run(find_group(captures, "run")), "min": 1}]))
}

fn forbid_run(captures: &Captures<'_>) -> Vec<Json> {
    build_rules(
        &json!([{"type": "count", "tool": describe_mention(find_group(captures, "run")), "exactly": 0}]),
    )
}

/// Requires that the command runs after each edit. Without an edit, it runs.
fn run_after_edits(captures: &Captures<'_>) -> Vec<Json> {
    let run = describe_run(find_group(captures, "run"));
    build_rules(&json!([
        {"type": "count", "tool": run.clone(), "min": 1},
        {"type": "after", "trigger": "edits", "then": run, "within": "any"},
    ]))
}

fn run_before_edits(captures: &Captures<'_>) -> Vec<Json> {
    let run = describe_run(find_group(captures, "run"));
    build_rules(&json!([
        {"type": "count", "tool": run.clone(), "min": 1},
        {"type": "before", "first": run, "then": "edits"},
    ]))
}

fn run_before_other(captures: &Captures<'_>) -> Vec<Json> {
    let [run, other] = ["run", "other"].map(|name| describe_run(find_group(captures, name)));
    build_rules(&json!([
        {"type": "count", "tool": run.clone(), "min": 1},
        {"type": "count", "tool": other.clone(), "min": 1},
        {"type": "before", "first": run, "then": other},
    ]))
}

fn build_rules(rules: &Json) -> Vec<Json> {
    let mut settings = json!({"rules": rules.clone()});
    let names_edits = rules.to_string().contains("\"edits\"");
    if names_edits {
        settings["aliases"] = json!({"edits": EDITS});
    }
    vec![build_check("sequence_valid", settings)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::draft::find_load_error;

    fn read(text: &str) -> Option<String> {
        read_statement(text).map(|read| Json::Array(read.checks).to_string())
    }

    #[test]
    fn plain_statements_about_files_are_checks() {
        let exists = r#"[{"files":{"exists":["report.md"]}}]"#;
        for text in [
            "report.md exists",
            "The file `report.md` was created.",
            "A file named \"report.md\" is created",
            "The agent wrote report.md",
            "Creates a file named report.md",
        ] {
            assert_eq!(read(text).as_deref(), Some(exists), "{text}");
        }
        for (text, check) in [
            ("No file tmp/a.log exists", Some(r#"[{"files":{"absent":["tmp/a.log"]}}]"#)),
            ("No tmp/a.log was deleted", None),
            ("tmp/a.log was not created", Some(r#"[{"files":{"absent":["tmp/a.log"]}}]"#)),
            ("The skill did not modify src/lib.rs", Some(r#"[{"files":{"unchanged":["src/lib.rs"]}}]"#)),
            (
                "out.csv contains the text \"a, b\"",
                Some(r#"[{"file":{"path":"out.csv","contains":["a, b"]}}]"#),
            ),
            (
                "`Makefile` does not contain 'TODO'",
                Some(
                    r#"[{"files":{"exists":["Makefile"]}},{"none_of":[{"file":{"path":"Makefile","contains":["TODO"]}}]}]"#,
                ),
            ),
        ] {
            assert_eq!(read(text).as_deref(), check, "{text}");
        }
    }

    #[test]
    fn rules_of_commands_are_rules() {
        for text in [
            "pytest was run after the edit",
            "The agent ran `pytest` after every edit.",
            "`npm run lint` was run before any change",
            "cargo test is run before `git commit`",
            "The skill used script scripts/collect.py",
            "`git push` was never run",
            "The agent ran cargo test",
        ] {
            let checks = read_statement(text).unwrap_or_else(|| panic!("{text}")).checks;
            assert_eq!(find_load_error(&checks), None, "{text}");
        }
        let after = read("pytest was run after the edit").expect("a rule");
        assert!(after.contains(r#""trigger":"edits""#) && after.contains(r#""within":"any""#), "{after}");
    }

    #[test]
    fn a_command_is_run_by_its_path_by_a_launcher_and_among_others() {
        let checks = read_statement("The agent ran `pytest`").expect("a rule").checks;
        let pattern = checks[0].pointer("/sequence_valid/rules/0/tool/args_match/command");
        let pattern = Regex::new(pattern.and_then(Json::as_str).expect("a pattern")).expect("a pattern");
        for command in [
            "pytest",
            "pytest -q tests",
            "/usr/bin/pytest",
            ".venv/bin/pytest -x",
            "uv run pytest",
            "poetry run  pytest -q",
            "python -m pytest",
            "python3.12 -m pytest tests",
            "uv run python -m pytest",
            "npx pytest",
            "sudo env CI=1 pytest",
            "CI=1 DEBUG= pytest",
            "time pytest",
            "cd src && pytest",
            "(pytest; true)",
            "ls\npytest",
        ] {
            assert!(pattern.is_match(command), "{command:?} runs it");
        }
        for command in [
            "echo pytest",
            "pip install pytest",
            "uv add pytest",
            "grep -r pytest .",
            "python -c pytest",
            "cat pytest.ini",
            "pytest-watch",
            "mypytest",
            "git commit -m pytest",
            "runner/x pytest",
        ] {
            assert!(!pattern.is_match(command), "{command:?} does not run it");
        }
    }

    #[test]
    fn what_says_more_stays_a_question() {
        for text in [
            "report.md exists and has three sections",
            "The output includes X",
            "The report mentions the version",
            "pytest was run after the edit and passed",
            "The agent ran a linter",
            "The file is well written",
            "The agent did not modify anything else",
            "e.g. exists",
            "",
        ] {
            assert!(read(text).is_none(), "{text}: {:?}", read(text));
        }
    }
}
