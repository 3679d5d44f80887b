//! `cargo arraign accept`.

use crate::package::{Package, pin};

const PINNED: &str = "id: a
trace: traces/now.yaml
snapshot: true
expect: [{tool_blocklist: [rm, mv]}]
";

/// A case whose snapshot was taken when the agent did something else.
fn snapshot() -> Package {
    let package = Package::of(PINNED);
    package.write("evals/traces/now.yaml", "calls: [rm]\n");
    assert_eq!(package.arraign_with(&[("INSTA_UPDATE", "always")], &["run"]).code, Some(0));
    package.write("evals/traces/now.yaml", "calls: [mv]\n");
    assert_eq!(package.arraign(&["run"]).code, Some(101));
    package
}

const COMPARED: &str = "id: a
trace: traces/now.yaml
baseline: {file: traces/good/a.yaml, fail_on: [TOOLS_CHANGED]}
";

/// A case with a run that differs from its baseline.
fn baseline() -> Package {
    let package = Package::of(COMPARED);
    package.write("evals/traces/good/a.yaml", "calls: [look]\nanswer: done\n");
    package.write("evals/traces/now.yaml", "# recorded today\ncalls: [look, tell]\nanswer: done\n");
    assert_eq!(package.arraign(&["run"]).code, Some(101));
    package
}

const GATED: &str = "dataset: rows.json
summary_baseline: {file: baselines/s.json, max_regression: 0.05}
";

const ROWS: &str = r#"[
  {"id": "a", "input": "?", "expected_tools": ["look"], "trace": {"calls": ["look"], "answer": "x"}},
  {"id": "b", "input": "?", "expected_tools": ["look"], "trace": {"calls": ["TOOL"], "answer": "x"}}
]"#;

/// A suite whose mean fell behind its baseline.
fn summary() -> Package {
    let package = Package::of(GATED);
    package.write("evals/rows.json", &ROWS.replace("TOOL", "look"));
    let written = [("ARRAIGN_OUTPUT_JSON", "evals/baselines/s.json")];
    package.arraign_with(&written, &["run", "--", "--skip", "pass_threshold"]);
    package.write("evals/rows.json", &ROWS.replace("TOOL", "tell"));
    assert_eq!(package.arraign(&["run"]).code, Some(101));
    package
}

#[test]
fn a_pending_snapshot_is_taken_and_its_case_is_green() {
    let package = snapshot();
    pin("accept-snapshot", &package.arraign(&["accept"]));
    assert!(!package.path("evals/snapshots/s.a.snap.new").exists());
    assert_eq!(package.arraign(&["run"]).code, Some(0));
    pin("accept-nothing", &package.arraign(&["accept"]));
}

#[test]
fn what_insta_would_accept_is_what_is_accepted() {
    let package = snapshot();
    package.arraign(&["accept"]);
    let accepted = package.read("evals/snapshots/s.a.snap");
    package.arraign_with(&[("INSTA_UPDATE", "always")], &["run"]);
    assert_eq!(package.read("evals/snapshots/s.a.snap"), accepted);
}

/// The folder may lie outside of the repository: whoever sets the variable has chosen it.
#[test]
fn what_is_pending_in_another_folder_is_taken_from_there() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    for folder in [elsewhere.path().to_str().expect("UTF-8"), "target/pending"] {
        let package = Package::of(PINNED);
        let variable = [("INSTA_PENDING_DIR", folder)];
        package.write("evals/traces/now.yaml", "calls: [rm]\n");
        assert_eq!(package.arraign_with(&variable, &["accept"]).code, Some(2), "no run yet");
        assert_eq!(package.arraign_with(&variable, &["run"]).code, Some(101));
        assert!(!package.path("evals/snapshots").exists(), "it is pending elsewhere");
        assert_eq!(package.arraign(&["accept"]).stdout, "nothing to accept\n");
        let ran = package.arraign_with(&variable, &["accept"]);
        assert!(
            ran.stdout.starts_with("new: evals/snapshots/s.a.snap (s::a)\n"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
        assert_eq!(package.arraign(&["run"]).code, Some(0));
        assert_eq!(package.arraign_with(&variable, &["accept"]).stdout, "nothing to accept\n");
    }
}

#[test]
fn a_pending_snapshot_that_is_empty_or_cut_off_is_refused() {
    let package = snapshot();
    let whole = package.read("evals/snapshots/s.a.snap.new");
    let before = package.read("evals/snapshots/s.a.snap");
    let (header, _) = whole.split_once("findings:").expect("findings");
    for cut in ["", "---\n", "---\nsource: s\n---\n", header, whole.trim_end()] {
        package.write("evals/snapshots/s.a.snap.new", cut);
        let ran = package.arraign(&["accept"]);
        assert_eq!((ran.code, &*ran.stdout), (Some(101), "nothing to accept\n"), "{cut:?}");
        assert!(ran.stderr.contains("s.a.snap.new: the file is empty or cut off"), "{}", ran.stderr);
        assert_eq!(package.read("evals/snapshots/s.a.snap"), before);
    }
    package.write("evals/snapshots/s.a.snap.new", &whole);
    assert_eq!(package.arraign(&["accept"]).code, Some(0));
}

/// A run whose output is JSON writes the same file.
#[test]
fn a_run_in_json_keeps_its_pending_snapshot_in_the_same_folder() {
    let package = Package::of(PINNED);
    package.write("evals/traces/now.yaml", "calls: [rm]\n");
    let variable = [("INSTA_PENDING_DIR", "target/pending")];
    package.arraign_with(&variable, &["run", "--", "--format", "json", "-Zunstable-options"]);
    assert!(package.path("target/pending/evals/snapshots/s.a.snap.new").exists());
    assert!(!package.path("evals/snapshots").exists());
}

#[test]
fn a_dry_run_takes_nothing() {
    let package = snapshot();
    let before = package.read("evals/snapshots/s.a.snap");
    let ran = package.arraign(&["accept", "--dry-run"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stdout.ends_with("\n1 change would be accepted\n"), "{}", ran.stdout);
    assert_eq!(package.read("evals/snapshots/s.a.snap"), before);
    assert!(package.path("evals/snapshots/s.a.snap.new").exists());
}

#[test]
fn nothing_is_taken_in_ci() {
    let package = snapshot();
    for arguments in [&["accept"][..], &["accept", "--dry-run"]] {
        let ran = package.arraign_with(&[("CI", "true")], arguments);
        assert_eq!(ran.code, Some(2));
        assert!(ran.stderr.starts_with("error: cannot accept in CI"), "{}", ran.stderr);
    }
    assert!(package.path("evals/snapshots/s.a.snap.new").exists());
    assert_eq!(package.arraign_with(&[("CI", "false")], &["accept"]).code, Some(0));
}

#[test]
fn a_run_becomes_the_baseline_of_its_case() {
    let package = baseline();
    pin("accept-baseline", &package.arraign(&["accept"]));
    let taken = package.read("evals/traces/good/a.yaml");
    assert_eq!(taken, package.read("evals/traces/now.yaml"), "as it stands, with its remarks");
    assert_eq!(package.arraign(&["run"]).code, Some(0));
}

#[test]
fn a_baseline_that_is_not_there_yet_is_made() {
    let package = baseline();
    std::fs::remove_file(package.path("evals/traces/good/a.yaml")).expect("the baseline");
    let ran = package.arraign(&["run"]);
    assert_eq!(ran.code, Some(101));
    assert!(ran.stdout.contains("there is no baseline `evals/traces/good/a.yaml` yet"), "{}", ran.stdout);
    let ran = package.arraign(&["accept"]);
    assert!(ran.stdout.starts_with("new: evals/traces/good/a.yaml (s::a)\n"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(package.read("evals/traces/good/a.yaml"), package.read("evals/traces/now.yaml"));
    assert_eq!(package.arraign(&["run"]).code, Some(0));
}

/// What lies there may be worth something.
#[test]
fn a_baseline_that_cannot_be_read_is_not_written_over() {
    let package = baseline();
    package.write("evals/traces/good/a.yaml", "{");
    assert_eq!(package.arraign(&["run"]).code, Some(101));
    assert_eq!(package.arraign(&["accept"]).stdout, "nothing to accept\n");
}

/// Replaces a text in all files below `folder`.
fn replace_in_files(folder: &std::path::Path, from: &str, to: &str) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            replace_in_files(&path, from, to);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            std::fs::write(&path, text.replace(from, to)).expect("the file is written");
        }
    }
}

/// A verdict that another machine wrote may name any file.
#[test]
fn a_file_that_no_case_names_is_not_written() {
    let package = baseline();
    for file in ["evals/s.yaml", "Cargo.toml", "evals/traces/other.yaml"] {
        let before = std::fs::read_to_string(package.path(file)).ok();
        replace_in_files(&package.path("target/arraign"), "evals/traces/good/a.yaml", file);
        let ran = package.arraign(&["accept"]);
        assert!(ran.stderr.contains("names no such baseline"), "{}{}", ran.stdout, ran.stderr);
        assert_eq!(
            (ran.code, std::fs::read_to_string(package.path(file)).ok()),
            (Some(101), before),
            "{file}"
        );
        assert_eq!(package.arraign(&["run"]).code, Some(101));
    }
}

#[test]
fn means_become_the_baseline_of_their_suite() {
    let package = summary();
    pin("accept-summary", &package.arraign(&["accept", "--dry-run"]));
    assert_eq!(package.arraign(&["accept"]).code, Some(0));
    let ran = package.arraign(&["run", "--", "pass_threshold"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}

#[test]
fn a_summary_baseline_that_is_not_there_yet_is_made() {
    let package = Package::of(GATED);
    package.write("evals/rows.json", &ROWS.replace("TOOL", "look"));
    assert_eq!(package.arraign(&["run"]).code, Some(101));
    let ran = package.arraign(&["accept"]);
    assert!(ran.stdout.starts_with("new: evals/baselines/s.json (s::pass_threshold)\n"), "{}", ran.stdout);
    assert_eq!(package.arraign(&["run"]).code, Some(0));
}

#[test]
fn filters_choose_what_is_taken() {
    let package = snapshot();
    let other = package.arraign(&["accept", "other"]);
    assert_eq!((other.code, other.stdout.as_str()), (Some(0), "nothing to accept\n"));
    assert!(
        package
            .arraign(&["accept", "--dry-run", "s.a.snap"])
            .stdout
            .ends_with("\n1 change would be accepted\n")
    );
    assert!(package.arraign(&["accept", "s::a"]).stdout.ends_with("\naccepted 1 change\n"));
}

/// Which of them is right is not for a program to say.
#[test]
fn what_cannot_be_taken_is_told_and_the_rest_is_taken() {
    let case = |id: &str, trace: &str| {
        format!(
            "  - {{id: {id}, trace: {trace}, baseline: {{file: traces/good/{id}.yaml, fail_on: [TOOLS_CHANGED]}}}}\n"
        )
    };
    let shared = |id: &str| case(id, "traces/now.yaml").replace(&format!("good/{id}"), "good/shared");
    let cases =
        [case("inline", "{calls: [tell]}"), case("runs", "traces/now*.yaml"), shared("one"), shared("two")];
    let package = Package::of(&format!("tests:\n{}{}", cases.concat(), case("fine", "traces/now.yaml")));
    for name in ["inline", "runs", "shared", "fine"] {
        package.write(&format!("evals/traces/good/{name}.yaml"), "calls: [look]\n");
    }
    for name in ["now", "now2"] {
        package.write(&format!("evals/traces/{name}.yaml"), "calls: [tell]\n");
    }
    package.arraign(&["run"]);
    pin("accept-some", &package.arraign(&["accept"]));
}

#[test]
fn another_repository_is_not_written_to() {
    let package = baseline();
    let out = package.path("target/arraign").to_string_lossy().into_owned();
    let other = Package::of("id: b\n");
    std::fs::rename(other.path("evals"), other.path("cases")).expect("another folder of cases");
    let ran = other.arraign_with(&[("ARRAIGN_OUT", out.as_str())], &["accept"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains(
        "the run belongs to the cases in `evals`, which is not a folder in DIR; change to the package"
    ));
}

/// A verdict may come from another machine.
#[test]
fn no_verdict_makes_the_program_write_elsewhere() {
    let package = baseline();
    let path = package.find_log();
    let verdict = package.read(&path);
    for file in ["../../elsewhere.yaml", "/elsewhere.yaml"] {
        package.write(&path, &verdict.replace("\"evals/traces/good/a.yaml\"", &format!("\"{file}\"")));
        let ran = package.arraign(&["accept"]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(101), "nothing to accept\n"));
        assert!(ran.stderr.contains("names no such baseline"), "{}", ran.stderr);
    }
}

/// The variants of a case share its baseline, which is what the agent does without them.
#[cfg(all(unix, feature = "live"))]
#[test]
fn a_run_of_a_variant_is_no_new_baseline() {
    let case = "id: a
input: hello
agent: {command: [sh, -c, 'echo \"{\\\"calls\\\": [\\\"${TOOL:-look}\\\"], \\\"answer\\\": \\\"done\\\"}\"']}
baseline: {file: traces/good/a.json, fail_on: [TOOLS_CHANGED]}
";
    let package = Package::of(case);
    package.write("evals/arraign.yaml", "variants: {wild: {env: {TOOL: tell}}}");
    package.write("evals/traces/good/a.json", "{\"calls\": [\"look\"], \"answer\": \"done\"}");
    let record = [("ARRAIGN_AGENT_MODE", "record")];
    let ran = package.arraign_with(&record, &["run", "--variant", "all"]);
    assert!(ran.stdout.contains("1 passed; 1 failed"), "{}{}", ran.stdout, ran.stderr);
    let accepted = package.arraign(&["accept"]);
    assert_eq!(accepted.code, Some(101), "{}", accepted.stdout);
    assert!(accepted.stderr.contains("only `baseline` writes it, not `wild`"), "{}", accepted.stderr);
    assert!(package.read("evals/traces/good/a.json").contains("look"));
}
