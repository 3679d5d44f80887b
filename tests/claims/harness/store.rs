//! Verdict files: every trial leaves one, whichever process ran it.

use serde_json::Value;

use crate::project::{Project, case, green, red};

#[test]
fn every_trial_that_ran_leaves_one_verdict() {
    let project = Project::of(&[green("a"), red("b"), case("c", "rm", "ignore: true"), green("d")]);
    project.run(&["--skip", "::d", "--test-threads", "3"]).exits(101);
    let files = project.files("out");
    assert_eq!(files.len(), 3, "{files:?}");
    let run = files[0].strip_suffix("/@manifests/evals@subject.json").expect("a beginning");
    let verdicts = ["a", "b"].map(|id| format!("{run}/evals@subject/s%%{id}.json"));
    assert_eq!(files[1..], verdicts);
    project.run(&[]).exits(101);
    assert_eq!(project.files("out").len(), 7, "a second run has its own folder");
}

#[test]
fn a_verdict_says_what_a_report_needs() {
    let project = Project::of(&[case("b", "rm", "tier: smoke\ntags: [x]\ndescription: no deletion")]);
    project.run(&[]).exits(101);
    let verdict = project.verdict("s::b");
    let expected: Value = serde_json::json!({
        "schema_version": 1, "name": "s::b", "status": "fail", "expected": "pass", "passed": false,
        "tier": "smoke", "tags": ["x"], "description": "no deletion",
    });
    for (key, value) in expected.as_object().expect("a mapping") {
        assert_eq!(&verdict[key], value, "{key}");
    }
    assert_eq!(verdict["case"]["file"], "evals/s.yaml");
    assert_eq!((&verdict["case"]["line"], &verdict["case"]["column"]), (&2.into(), &9.into()));
    let violation = &verdict["findings"][0]["violations"][0];
    assert_eq!((&violation["tool"], &violation["at"]["line"]), (&"rm".into(), &4.into()));
    let whole: arraign::verdict::Verdict = serde_json::from_value(verdict.clone()).expect("it reads back");
    assert_eq!(whole.name, "s::b");
}

#[test]
fn runs_and_attempts_of_nextest_are_kept_apart() {
    let project = Project::of(&[red("b")]);
    for attempt in ["1", "2", "3"] {
        let variables = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "run-7"), ("NEXTEST_ATTEMPT", attempt)];
        project.run_with(&variables, &["--exact", "s::b", "--nocapture"]).exits(101);
    }
    let expected = [
        "out/run-7/@manifests/evals@subject.json",
        "out/run-7/evals@subject/attempt-2/s%%b.json",
        "out/run-7/evals@subject/attempt-3/s%%b.json",
        "out/run-7/evals@subject/s%%b.json",
    ];
    assert_eq!(project.files("out"), expected);
}

/// `cargo nextest run --stress-count 2 --retries 1`
#[test]
fn the_rounds_of_a_stress_run_are_kept_apart() {
    let project = Project::of(&[green("a")]);
    for (round, attempt) in [("0", "1"), ("0", "2"), ("1", "1")] {
        let mut command = project.command(&["--exact", "s::a", "--nocapture"]);
        command.env("NEXTEST", "1").env("NEXTEST_RUN_ID", "r").env("NEXTEST_TOTAL_ATTEMPTS", "2");
        command.env("NEXTEST_ATTEMPT", attempt).env("NEXTEST_STRESS_CURRENT", round);
        crate::project::Ran::of(&mut command).exits(0);
    }
    let folder = "out/r/evals@subject";
    let of = |attempt: &str| format!("{folder}/{attempt}s%%a.json");
    assert_eq!(project.files(folder), [of("attempt-2/"), of("attempt-3/"), of("")]);
}

#[test]
fn a_run_says_how_it_began() {
    let project = Project::empty().file(
        "crates/shop/evals/s.yaml",
        crate::project::suite(&[green("a"), case("b", "rm", "ignore: not yet")]),
    );
    std::fs::create_dir(project.path(".git")).expect("a repository");
    let package = project.path("crates/shop").to_string_lossy().into_owned();
    project.run_with(&[("CARGO_MANIFEST_DIR", package.as_str())], &[]).exits(0);
    let files = project.files("out");
    let run = files[0].strip_suffix("/@manifests/crates%2Fshop%2Fevals@subject.json").expect("a beginning");
    assert_eq!(files[1], format!("{run}/crates%2Fshop%2Fevals@subject/s%%a.json"));
    let began: Value = serde_json::from_str(&project.read(&files[0])).expect("JSON");
    assert_eq!((&began["cases"], &began["package"]), (&"crates/shop/evals".into(), &"crates/shop/".into()));
    let skipped = serde_json::json!([{"name": "s::b", "file": "evals/s.yaml", "reason": "not yet"}]);
    assert_eq!((&began["skipped"], &began["arraign"]), (&skipped, &env!("CARGO_PKG_VERSION").into()));
    assert!(began["rules"].get("tool_blocklist").is_none(), "a report knows what comes with arraign");
    assert_eq!(project.verdict("s::a")["harness"], "crates/shop/evals@subject", "whose target is `subject`");
}

#[test]
fn what_nextest_will_not_start_its_list_knows() {
    let project = Project::of(&[green("a"), case("b", "rm", "ignore: not yet")]);
    let variables = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r")];
    project.run_with(&variables, &["--list", "--format", "terse", "--ignored"]).exits(0);
    assert!(project.files("out").is_empty());
    project.run_with(&variables, &["--list", "--format", "terse"]).exits(0);
    let began = project.read("out/r/@manifests/evals@subject.json");
    project.run_with(&variables, &["--exact", "s::a", "--nocapture"]).exits(0);
    assert_eq!(
        project.read("out/r/@manifests/evals@subject.json"),
        began,
        "the list knows more than a trial"
    );
    assert!(began.contains("\"name\":\"s::b\""), "{began}");
    let plain = Project::of(&[green("a")]);
    plain.run_with(&variables, &["--list", "--format", "terse"]).exits(0);
    assert!(plain.files("out").is_empty(), "nothing is ignored: a trial may say the rest");
}

#[test]
fn the_id_of_a_run_is_one_folder() {
    let project = Project::of(&[green("a")]);
    for (id, folder) in [("../../up", "%2E%2E%2F%2E%2E%2Fup"), ("a/b", "a%2Fb"), ("..", "%2E%2E")] {
        project.run_with(&[("NEXTEST", "1"), ("NEXTEST_RUN_ID", id)], &["--exact", "s::a"]).exits(0);
        assert!(
            project.files("out").contains(&format!("out/{folder}/evals@subject/s%%a.json")),
            "{:?}",
            project.files("")
        );
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_said() {
    let project = Project::of(&[green("a")]).file("taken", "a file");
    let nextest = [("ARRAIGN_OUT", "taken"), ("NEXTEST", "1"), ("NEXTEST_RUN_ID", "one")];
    for (variables, arguments) in [(&nextest[..1], &[][..]), (&nextest[..], &["--exact", "s::a"][..])] {
        let ran = project.run_with(variables, arguments).exits(2);
        let wrong = format!("error: cannot write verdicts below `{}", project.path("taken").display());
        assert!(ran.stderr.starts_with(&wrong), "{}", ran.stderr);
        assert!(ran.stderr.contains("set ARRAIGN_OUT"), "{}", ran.stderr);
    }
}

/// A path is relative to the package; none is the target folder that the executable was built into.
#[test]
fn without_a_folder_the_target_folder_is_taken() {
    let project = Project::of(&[green("a")]);
    project.run_with(&[("ARRAIGN_OUT", "some/where")], &[]).exits(0);
    assert_eq!(project.files("some/where").len(), 2);
    let id = format!("harness-test-{}", std::process::id());
    let mut command = project.command(&["--exact", "s::a"]);
    command.env_remove("ARRAIGN_OUT").env("NEXTEST", "1").env("NEXTEST_RUN_ID", &id);
    crate::project::Ran::of(&mut command).exits(0);
    let program = crate::project::subject();
    let target = program.ancestors().find(|folder| folder.ends_with("deps")).expect("deps");
    let target = target.parent().and_then(std::path::Path::parent).expect("the target folder");
    let folder = target.join("arraign").join(&id);
    assert!(folder.join("evals@subject/s%%a.json").is_file(), "{}", folder.display());
    std::fs::remove_dir_all(folder).expect("the verdict is removed");
}

#[test]
fn long_and_strange_names_have_a_file_each() {
    let long = "\u{1f980}".repeat(90);
    let project = Project::of(&[green(&format!("{long}1")), green(&format!("{long}2")), green("a/b::c\n")]);
    project.run(&[]).exits(0);
    let files = project.files("out");
    assert_eq!(files.len(), 4, "{files:?}");
    assert_eq!(files.iter().filter(|file| file.contains(".tmp")).count(), 0, "{files:?}");
}

/// The characters that GitHub's artifact store and Windows refuse in a path, and the endings that Windows drops.
#[test]
fn every_file_of_a_run_can_be_uploaded_and_copied_to_windows() {
    let ids = ["a::b", "co:lon", "why? <b>|*", "\"quoted\"", "back\\slash", "line\nbreak"];
    let cases: Vec<String> = ids.iter().map(|id| green(&serde_json::json!(id).to_string())).collect();
    let project = Project::of(&cases);
    project.run(&[]).exits(0);
    let files = project.files("out");
    assert_eq!(files.len(), ids.len() + 1, "{files:?}");
    for file in files {
        assert!(!file.contains(|c: char| c.is_control() || "\":<>|*?\\".contains(c)), "{file}");
        assert!(file.split('/').all(|part| !part.ends_with(['.', ' '])), "{file}");
    }
}
