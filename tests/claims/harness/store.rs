//! The log of verdicts: every trial leaves one line, whichever process ran it.

use crate::project::{Project, case, green, red};
use arraign::json::{self, Json, json};

#[test]
fn every_trial_that_ran_leaves_one_line_in_one_log() {
    let project = Project::of(&[green("a"), red("b"), case("c", "rm", "ignore: true"), green("d")]);
    project.run(&["--skip", "::d", "--test-threads", "3"]).exits(101);
    let files = project.files("out");
    let [manifest, log] = files.as_slice() else { panic!("{files:?}") };
    let run = manifest.strip_suffix("/@manifests/evals@subject.json").expect("a manifest");
    let process =
        log.strip_prefix(&format!("{run}/evals@subject.")).and_then(|rest| rest.strip_suffix(".jsonl"));
    assert!(process.is_some_and(|process| process.parse::<u32>().is_ok()), "{log}");
    assert_eq!(names(&project.verdicts("out")), ["s::a", "s::b"]);
    project.run(&[]).exits(101);
    assert_eq!(project.files("out").len(), 4, "a second run has its own folder");
}

/// The names of the trials, sorted.
fn names(verdicts: &[Json]) -> Vec<&str> {
    let mut names: Vec<&str> =
        verdicts.iter().map(|verdict| verdict["name"].as_str().expect("a name")).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_run_has_a_readable_time_in_its_name() {
    let project = Project::of(&[green("a")]);
    project.run(&[]).exits(0);
    let run = project.files("out")[0].split('/').nth(1).expect("a run").to_owned();
    let form = regex::Regex::new(r"^20\d\d-[01]\d-[0-3]\dT[0-2]\d-[0-5]\d-[0-5]\dZ-\d+$").expect("a pattern");
    assert!(form.is_match(&run), "{run}");
}

#[test]
fn a_verdict_says_what_a_report_needs() {
    let project = Project::of(&[case("b", "rm", "tier: smoke\ntags: [x]\ndescription: no deletion")]);
    project.run(&[]).exits(101);
    let verdict = project.verdict("s::b");
    let expected: Json = json!({
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
    let whole: arraign::verdict::Verdict = json::from_json(verdict.clone()).expect("it reads back");
    assert_eq!(whole.name, "s::b");
}

#[test]
fn attempts_of_nextest_are_lines_of_the_logs_of_its_slots() {
    let project = Project::of(&[red("b")]);
    for (attempt, slot) in [("1", "0"), ("2", "3"), ("3", "0")] {
        let variables = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "run-7"), ("NEXTEST_ATTEMPT", attempt)];
        let mut command = project.command(&["--exact", "s::b", "--nocapture"]);
        command.envs(variables).env("NEXTEST_TEST_GLOBAL_SLOT", slot);
        crate::project::Ran::of(&mut command).exits(101);
    }
    let logs = ["out/run-7/evals@subject.slot-0.jsonl", "out/run-7/evals@subject.slot-3.jsonl"];
    assert_eq!(project.logs("out"), logs);
    assert_eq!(attempts(&project), [1, 3, 2]);
}

/// The number of the attempt in each verdict.
fn attempts(project: &Project) -> Vec<u64> {
    let number = |verdict: &Json| verdict.get("attempt").map_or(Some(1), Json::as_u64).expect("a number");
    project.verdicts("out").iter().map(number).collect()
}

/// `cargo nextest run --stress-count 2 --retries 1`
#[test]
fn the_rounds_of_a_stress_run_are_further_attempts() {
    let project = Project::of(&[green("a")]);
    for (round, attempt) in [("0", "1"), ("0", "2"), ("1", "1")] {
        let mut command = project.command(&["--exact", "s::a", "--nocapture"]);
        command.env("NEXTEST", "1").env("NEXTEST_RUN_ID", "r").env("NEXTEST_TOTAL_ATTEMPTS", "2");
        command.env("NEXTEST_ATTEMPT", attempt).env("NEXTEST_STRESS_CURRENT", round);
        crate::project::Ran::of(&mut command).exits(0);
    }
    assert_eq!(attempts(&project), [1, 2, 3]);
}

#[test]
fn a_torn_log_is_continued_on_a_line_of_its_own() {
    let project = Project::of(&[green("a"), green("b")]);
    let variables = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r"), ("NEXTEST_TEST_GLOBAL_SLOT", "0")];
    project.run_with(&variables, &["--exact", "s::a", "--nocapture"]).exits(0);
    let log = "out/r/evals@subject.slot-0.jsonl";
    let whole = project.read(log);
    project.write(log, &whole[..whole.len() / 2]);
    project.run_with(&variables, &["--exact", "s::b", "--nocapture"]).exits(0);
    let text = project.read(log);
    let lines: Vec<&str> = text.lines().collect();
    let [torn, next] = lines.as_slice() else { panic!("{text}") };
    assert!(whole.starts_with(torn) && next.contains("\"name\":\"s::b\""), "{text}");
}

/// A manifest as a run of `harness` leaves it: its path below the folder of the run, and its text.
fn manifest(harness: &str, started_ms: u128) -> (String, String) {
    let manifest = json!({
        "schema_version": 1, "arraign": "0.1.0", "harness": harness, "cases": "evals", "package": "",
        "started_ms": started_ms,
    });
    (format!("@manifests/{harness}.json"), manifest.to_string())
}

/// The folders below `target/arraign` but for those of runs that the tests started.
fn earlier_runs(project: &Project) -> Vec<String> {
    let runs = std::fs::read_dir(project.path("target/arraign")).expect("runs").flatten();
    let names = runs.map(|run| run.file_name().into_string().expect("a name"));
    let mut names: Vec<String> = names.filter(|name| !name.starts_with("20")).collect();
    names.sort();
    names
}

/// Runs the subject from a target folder of the project, as cargo would have built it there.
fn run_from_own_target_folder(project: &Project) {
    let program = project.path("target/debug/deps/subject-0123456789abcdef");
    std::fs::create_dir_all(program.parent().expect("deps")).expect("a folder");
    std::fs::copy(crate::project::subject(), &program).expect("the program");
    let like = project.command(&[]);
    let mut command = std::process::Command::new(program);
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(project.path("")).env_remove("ARRAIGN_OUT");
    crate::project::Ran::of(&mut command).exits(0);
}

/// The folders of runs of this harness that are older than an hour, but for the newest.
#[test]
fn old_runs_are_removed_unless_the_user_named_their_folder() {
    let project = Project::of(&[green("a")]).file("evals/arraign.yaml", "keep_runs: 2");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_millis();
    let fresh = now - 60_000;
    for (run, (path, text)) in [
        ("old", manifest("evals@subject", 1)),
        ("older", manifest("evals@subject", 1)),
        ("fresh", manifest("evals@subject", fresh)),
        ("fresh-too", manifest("evals@subject", fresh)),
        ("other-harness", manifest("crates%2Fshop%2Fevals", 1)),
        ("no-run", ("notes.txt".to_owned(), "mine".to_owned())),
    ] {
        project.write(&format!("target/arraign/{run}/{path}"), text);
    }
    let out = project.path("target/arraign").to_string_lossy().into_owned();
    project.run_with(&[("ARRAIGN_OUT", &out)], &[]).exits(0);
    assert_eq!(earlier_runs(&project).len(), 6, "an archive is left alone");
    run_from_own_target_folder(&project);
    assert_eq!(earlier_runs(&project), ["fresh", "fresh-too", "no-run", "other-harness"]);
}

/// The clock was set back, or forward: a run of tomorrow, and one of the year 2500, are not old.
#[test]
fn runs_of_the_future_are_not_removed() {
    let project = Project::of(&[green("a")]).file("evals/arraign.yaml", "keep_runs: 1");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_millis();
    for (run, started_ms) in [("tomorrow", now + 24 * 3_600_000), ("late", 16_725_225_600_000), ("old", 1000)]
    {
        let (path, text) = manifest("evals@subject", started_ms);
        project.write(&format!("target/arraign/{run}/{path}"), text);
    }
    run_from_own_target_folder(&project);
    assert_eq!(earlier_runs(&project), ["late", "tomorrow"]);
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
    assert!(files[1].starts_with(&format!("{run}/crates%2Fshop%2Fevals@subject.")), "{files:?}");
    let began: Json = json::from_str(&project.read(&files[0])).expect("JSON");
    assert_eq!((&began["cases"], &began["package"]), (&"crates/shop/evals".into(), &"crates/shop/".into()));
    let skipped = json!([{"name": "s::b", "file": "evals/s.yaml", "reason": "not yet"}]);
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
            project.files("out").contains(&format!("out/{folder}/evals@subject.shared.jsonl")),
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
    assert!(folder.join("evals@subject.shared.jsonl").is_file(), "{}", folder.display());
    std::fs::remove_dir_all(folder).expect("the verdict is removed");
}

/// The characters that GitHub's artifact store and Windows refuse in a path, and the endings that Windows drops.
#[test]
fn every_file_of_a_run_can_be_uploaded_and_copied_to_windows() {
    let ids = ["a::b", "co:lon", "why? <b>|*", "\"quoted\"", "back\\slash", "line\nbreak"];
    let cases: Vec<String> = ids.iter().map(|id| green(&json!(id).to_string())).collect();
    let project = Project::of(&cases);
    project.run(&[]).exits(0);
    let files = project.files("out");
    assert_eq!(project.verdicts("out").len(), ids.len(), "{files:?}");
    for file in files {
        assert!(!file.contains(|c: char| c.is_control() || "\":<>|*?\\".contains(c)), "{file}");
        assert!(file.split('/').all(|part| !part.ends_with(['.', ' '])), "{file}");
    }
}
