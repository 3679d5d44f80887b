//! `cargo arraign init`.

use std::fs;
use std::path::Path;

use crate::program::arraign;

const MANIFEST: &str = "# ours\n[package]\nname = \"agent\"\nversion = \"0.0.0\" # for ever\n";

fn folder(manifest: Option<&str>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    if let Some(text) = manifest {
        fs::write(folder.path().join("Cargo.toml"), text).expect("a manifest");
    }
    folder
}

/// All files below `folder` with their text.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
                found.push((name, fs::read_to_string(&path).expect("a text")));
            }
        }
    }
    found.sort();
    found
}

const TRACE: &str = r#"[{"role": "user", "content": "Where is order 7?"},
  {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "get_order", "arguments": "{\"id\": 7}"}}]},
  {"role": "tool", "tool_call_id": "c", "content": "{\"state\": \"sent\"}"},
  {"role": "assistant", "content": "Order 7 was sent."}]"#;

#[test]
fn the_first_case_can_be_that_of_the_users_own_trace() {
    for manifest in [None, Some(MANIFEST)] {
        let folder = folder(manifest);
        fs::write(folder.path().join("order 7.json"), TRACE).expect("a trace");
        let ran = arraign(folder.path(), &["init", "--from", "order 7.json", "--workflow", "none"]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
        for line in [
            "wrote  evals/own.yaml\n",
            "wrote  evals/traces/order_7.json\n",
            "The first case passes: its checks",
        ] {
            assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
        }
        assert!(!folder.path().join("evals/first.yaml").exists());
        let listed = arraign(folder.path(), &["run", "--", "--list"]);
        assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""), "cases.rs lists the trial");
        assert_eq!(listed.stdout, "own::order_7: test\n");
        let ran = arraign(folder.path(), &["run"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let path = folder.path().join("evals/traces/order_7.json");
        let other = fs::read_to_string(&path).expect("the run").replace("get_order", "refund");
        fs::write(path, other).expect("another run");
        assert_eq!(arraign(folder.path(), &["run"]).code, Some(101), "another call is noticed");
    }
    let folder = folder(None);
    let ran = arraign(folder.path(), &["init", "--from", "gone.json"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("gone.json") && !folder.path().join("evals").exists(), "{}", ran.stderr);
}

/// The trace lies where the book says, and nothing else is there.
#[test]
fn a_case_is_written_wherever_the_trace_lies() {
    let folder = folder(None);
    let trace = "evals/traces/skill/raise_limit/1.json";
    let path = folder.path().join(trace);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(&path, TRACE).expect("a trace");
    let ran = arraign(folder.path(), &["init", "--from", trace, "--workflow", "none"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("wrote  evals/own.yaml\nwrote  evals/schemas/arraign.schema.json\n"),
        "{}",
        ran.stdout
    );
    let case = fs::read_to_string(folder.path().join("evals/own.yaml")).expect("a case");
    assert!(case.contains("trace: traces/skill/raise_limit/1.json\n"), "{case}");
    let ran = arraign(folder.path(), &["run"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("test own::1 ... ok"), "{}", ran.stdout);
    // A second trace of this name, beside cases that are there.
    fs::write(folder.path().join("1.json"), TRACE).expect("a trace");
    let again = arraign(folder.path(), &["init", "--from", "1.json"]);
    assert!(again.stdout.contains("kept   evals/own.yaml: already exists"), "{}", again.stdout);
    let command = ["from-trace", "1.json", "--out", "evals/one.yaml"];
    assert!(again.stdout.contains("next   cargo arraign from-trace 1.json --out evals/"), "{}", again.stdout);
    assert_eq!(arraign(folder.path(), &command).code, Some(0));
    let other = ["from-trace", "1.json", "--out", "evals/two.yaml"];
    let ran = arraign(folder.path(), &other);
    assert!(ran.stdout.contains("two_1.json"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(arraign(folder.path(), &["run"]).code, Some(0));
}

/// A secret that the trace contains is not made part of the repository by naming the file.
#[test]
fn a_trace_with_a_secret_is_copied_without_it() {
    let folder = folder(None);
    fs::create_dir_all(folder.path().join("evals/traces")).expect("a folder");
    let trace = TRACE.replace(
        "sent\\\"}",
        "sent\\\", \\\"api_key\\\": \\\"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD\\\"}",
    );
    assert_ne!(trace, TRACE);
    fs::write(folder.path().join("evals/traces/7.json"), trace).expect("a trace");
    let ran = arraign(folder.path(), &["init", "--from", "evals/traces/7.json", "--workflow", "none"]);
    assert!(ran.stdout.contains("wrote  evals/traces/own_7.json\n"), "{}{}", ran.stdout, ran.stderr);
    let copied = fs::read_to_string(folder.path().join("evals/traces/own_7.json")).expect("the run");
    assert!(!copied.contains("abcdefghijklmnop"), "{copied}");
}

#[test]
fn transcripts_that_lie_around_are_found() {
    let folder = folder(None);
    fs::create_dir_all(folder.path().join("conversations")).expect("a folder");
    for number in 1..=40 {
        fs::write(folder.path().join(format!("conversations/conv_{number:03}.json")), TRACE)
            .expect("a trace");
    }
    for (name, text) in [
        ("package.json", r#"{"name": "a", "version": "1.0.0"}"#),
        ("tsconfig.json", "{}"),
        ("list.json", "[1]"),
    ] {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let ran = arraign(folder.path(), &["init", "--workflow", "none"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!("init_beside_transcripts", ran.stdout);
    // What it advises works.
    let ran = arraign(folder.path(), &["init", "--from", "conversations/conv_001.json"]);
    assert!(ran.stdout.contains("wrote  evals/own.yaml"), "{}{}", ran.stdout, ran.stderr);
    let rules = "id: all\ntrace: {file: traces/conversations/*.json, each: true}\nexpect: [{tool_called: get_order}]\n";
    fs::write(folder.path().join("evals/rules.yaml"), rules).expect("a case");
    let copies = folder.path().join("evals/traces/conversations");
    fs::create_dir_all(&copies).expect("a folder");
    for entry in fs::read_dir(folder.path().join("conversations")).expect("a folder") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, copies.join(path.file_name().expect("a name"))).expect("a copy");
    }
    let ran = arraign(folder.path(), &["run"]);
    assert!(ran.stdout.contains("42 passed"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn rust_analyzer_sees_cases_where_it_is_wanted() {
    let plain = folder(Some(MANIFEST));
    arraign(plain.path(), &["init", "--workflow", "none"]);
    let target = fs::read_to_string(plain.path().join("tests/evals.rs")).expect("a target");
    assert!(!plain.path().join("evals/cases.rs").exists() && !target.contains("cases!"), "{target}");
    let wanted = folder(Some(MANIFEST));
    arraign(wanted.path(), &["init", "--rust-analyzer", "--workflow", "none"]);
    let target = fs::read_to_string(wanted.path().join("tests/evals.rs")).expect("a target");
    assert!(
        wanted.path().join("evals/cases.rs").exists() && target.contains("arraign::cases!(\"evals\");"),
        "{target}"
    );
    // A case more, and no reminder unless the file is there.
    for (folder, is_reminded) in [(&plain, false), (&wanted, true)] {
        let case = "{id: more, trace: {calls: [look]}, expect: [{tool_called: look}]}";
        fs::write(folder.path().join("evals/more.yaml"), case).expect("a case");
        let ran = arraign(folder.path(), &["run"]);
        assert_eq!(ran.stderr.contains("cargo arraign ide"), is_reminded, "{}", ran.stderr);
    }
}

#[test]
fn an_agent_gets_its_feature_its_function_and_its_case() {
    let folder = folder(Some(MANIFEST));
    let ran = arraign(folder.path(), &["init", "--agent", "model"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!("init_with_an_agent", ran.stdout);
    let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).expect("a manifest");
    assert!(manifest.contains("arraign = { version = \"0.1\", features = [\"model\"] }"), "{manifest}");
    let target = fs::read_to_string(folder.path().join("tests/evals.rs")).expect("a target");
    assert!(target.contains(".agent(\"support\", support).agent_model(\"support\").run()"), "{target}");
    let elsewhere = self::folder(None);
    let ran = arraign(elsewhere.path(), &["init", "--agent", "model"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("agents: {support: {command:"), "{}", ran.stderr);
}

/// A case whose agent the test target does not name would stop the whole run.
#[test]
fn an_agent_is_not_added_to_a_test_target_that_is_there() {
    let folder = folder(Some(MANIFEST));
    arraign(folder.path(), &["init"]);
    let before = files(folder.path());
    let ran = arraign(folder.path(), &["init", "--agent", "model"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    for told in [
        "kept   Cargo.toml: `arraign` is already in `dev-dependencies`: `cargo add --dev arraign --features model` adds",
        "kept   Cargo.toml: the test target `evals` already exists",
        "kept   tests/evals.rs: already exists",
        "add your agent to the harness in tests/evals.rs: `.agent_model(\"support\")`, and run this again",
    ] {
        assert!(ran.stdout.contains(told), "no {told}: {}", ran.stdout);
    }
    assert_eq!(files(folder.path()), before);
    // With the call in it, the case of the agent is added.
    let target = folder.path().join("tests/evals.rs");
    let own =
        fs::read_to_string(&target).expect("a target").replace(".run()", ".agent_model(\"support\").run()");
    fs::write(&target, own).expect("a target");
    let again = arraign(folder.path(), &["init", "--agent", "model"]);
    assert!(again.code == Some(0) && !again.stdout.contains("and run this again"), "{}", again.stdout);
    assert_eq!(files(folder.path()).len(), before.len() + 1, "{}", again.stdout);
}

#[test]
fn a_crate_gets_all_that_runs_its_first_case() {
    let folder = folder(Some(MANIFEST));
    let ran = arraign(folder.path(), &["init"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!("init_in_a_crate", ran.stdout);
    let names: Vec<String> = files(folder.path()).into_iter().map(|(name, _)| name).collect();
    insta::assert_snapshot!("init_in_a_crate_files", names.join("\n"));
    let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).expect("a manifest");
    assert!(manifest.starts_with(MANIFEST), "{manifest}");
    let harness = arraign::Harness::new("evals").at(folder.path());
    let suite = harness.load("first.yaml").expect("the first case loads");
    assert_eq!(suite.cases.len(), 1);
    let listed = arraign(folder.path(), &["run", "--", "--list"]);
    assert_eq!((listed.code, listed.stderr.as_str()), (Some(0), ""), "cases.rs lists the trials");
    let first = fs::read_to_string(folder.path().join("evals/first.yaml")).expect("the first case");
    let line = first.lines().next().expect("a line");
    let schema =
        line.strip_prefix("# yaml-language-server: $schema=").expect("the line that editors look for");
    let schema = fs::read_to_string(folder.path().join("evals").join(schema)).expect("the schema is there");
    assert_eq!(schema, arraign(folder.path(), &["schema"]).stdout);
}

#[test]
fn a_second_time_changes_nothing_and_says_so() {
    let folder = folder(Some(MANIFEST));
    arraign(folder.path(), &["init"]);
    let before = files(folder.path());
    let ran = arraign(folder.path(), &["init"]);
    assert_eq!(ran.code, Some(0));
    insta::assert_snapshot!("init_twice", ran.stdout);
    assert_eq!(files(folder.path()), before);
}

#[test]
fn what_is_there_is_left_and_told() {
    let folder = folder(Some(MANIFEST));
    fs::create_dir_all(folder.path().join("tests")).expect("a folder");
    fs::write(folder.path().join("tests/evals.rs"), "mine").expect("a file");
    let ran = arraign(folder.path(), &["init", "--workflow", "none"]);
    assert!(ran.stdout.contains("kept   tests/evals.rs"), "{}", ran.stdout);
    assert_eq!(fs::read_to_string(folder.path().join("tests/evals.rs")).expect("a file"), "mine");
    assert!(!folder.path().join(".github").exists());
}

#[test]
fn a_project_in_another_language_gets_the_cases_alone() {
    let folder = folder(None);
    let ran = arraign(folder.path(), &["init"]);
    assert_eq!(ran.code, Some(0));
    insta::assert_snapshot!("init_without_a_crate", ran.stdout);
    assert!(!folder.path().join("tests").exists());
}

#[test]
fn a_workspace_is_told_to_name_a_member() {
    let folder = folder(Some("[workspace]\nmembers = [\"crates/agent\"]\n"));
    let ran = arraign(folder.path(), &["init"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    insta::assert_snapshot!("init_in_a_workspace", ran.stderr);
    assert_eq!(files(folder.path()).len(), 1);
}

#[test]
fn the_workflow_stands_at_the_root_of_the_repository() {
    let root = tempfile::tempdir().expect("a folder");
    let member = root.path().join("crates/agent");
    fs::create_dir_all(root.path().join(".git")).expect("a folder");
    fs::create_dir_all(&member).expect("a folder");
    fs::write(member.join("Cargo.toml"), MANIFEST).expect("a manifest");
    let ran = arraign(root.path(), &["init", "crates/agent"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    insta::assert_snapshot!("init_in_a_member", ran.stdout);
    let workflow = fs::read_to_string(root.path().join(".github/workflows/evals.yml")).expect("a workflow");
    assert!(workflow.contains("working-directory: crates/agent"), "{workflow}");
}

#[test]
fn a_member_uses_what_its_workspace_shares() {
    let root = folder(Some(
        "[workspace]\nmembers = [\"crates/*\"]\n\n[workspace.dependencies]\narraign = \"0.1\"\n",
    ));
    let member = root.path().join("crates/agent");
    fs::create_dir_all(root.path().join(".git")).expect("a folder");
    fs::create_dir_all(&member).expect("a folder");
    fs::write(member.join("Cargo.toml"), MANIFEST).expect("a manifest");
    let ran = arraign(root.path(), &["init", "crates/agent", "--workflow", "gitlab"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    insta::assert_snapshot!("init_in_a_workspaces_member", ran.stdout);
    let texts: Vec<String> = ["Cargo.toml", "crates/agent/Cargo.toml", ".gitignore", ".gitlab-ci.yml"]
        .map(|name| format!("## {name}\n{}", fs::read_to_string(root.path().join(name)).expect("a file")))
        .into();
    insta::assert_snapshot!("init_in_a_workspaces_member_files", texts.join("\n"));
    let before = files(root.path());
    let ran = arraign(root.path(), &["init", "crates/agent", "--workflow", "none"]);
    assert!(ran.stdout.contains("Nothing was changed."), "{}", ran.stdout);
    assert_eq!(files(root.path()), before);
}

#[test]
fn a_pipeline_of_gitlab_that_exists_gets_an_include() {
    let folder = folder(None);
    fs::write(folder.path().join(".gitlab-ci.yml"), "build: {script: [make]}\n").expect("a file");
    fs::write(folder.path().join(".gitignore"), "node_modules").expect("a file");
    let ran = arraign(folder.path(), &["init", "--workflow", "gitlab"]);
    assert!(ran.stdout.contains("next   Add to .gitlab-ci.yml: `include: "), "{}", ran.stdout);
    assert!(folder.path().join(".gitlab/evals.yml").exists());
    let ignored = fs::read_to_string(folder.path().join(".gitignore")).expect("a file");
    assert_eq!(ignored, "node_modules\n/target/arraign/\n");
}

/// GitHub's `upload-artifact` refuses a path with one of these characters, and the whole upload with it.
const REFUSED_BY_GITHUB: &[char] = &['"', ':', '<', '>', '|', '*', '?', '\r', '\n'];

#[test]
fn what_a_run_leaves_can_be_uploaded() {
    let folder = folder(None);
    arraign(folder.path(), &["init"]);
    let ran = arraign(folder.path(), &["run"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let left: Vec<String> = files(&folder.path().join("target")).into_iter().map(|(name, _)| name).collect();
    assert!(left.iter().any(|name| name.contains(".jsonl")), "{left:?}");
    let refused: Vec<&String> = left.iter().filter(|name| name.contains(REFUSED_BY_GITHUB)).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

#[test]
fn a_manifest_that_is_none_is_left_alone() {
    let folder = folder(Some("[package\n"));
    let ran = arraign(folder.path(), &["init"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    assert_eq!(files(folder.path()).len(), 1);
}
