//! Exit codes: 0 all passed, 101 a trial failed, 2 the run itself is wrong.

use crate::project::{Project, Ran, case, green, own, red};

#[test]
fn a_green_run_is_0() {
    let ran = Project::of(&[green("a"), green("b")]).run(&[]).exits(0).says_nothing_on_stderr();
    assert_eq!(ran.results().into_iter().collect::<Vec<_>>(), [("s::a", "ok"), ("s::b", "ok")]);
    ran.says("test result: ok. 2 passed; 0 failed; 0 ignored");
}

/// The drawing of the design: claim, place, calls, what to do, how to run it again.
#[test]
fn a_red_run_is_101_and_draws_what_is_wrong() {
    let ran = Project::of(&[green("a"), red("b")]).run(&["--test-threads", "1"]).exits(101);
    assert_eq!(ran.results()["s::b"], "FAILED");
    ran.says(
        r"---- s::b ----
error[tool_blocklist]: `rm` is blocked, but was called
 --> evals/s.yaml:7:32
  |
7 |     expect: [{tool_blocklist: [rm]}]
  |                                ^^ s::b
  |
  = trace: in the case (inline, 1 call)
  = >  1  rm  {}
  = help: keep the agent from calling it, or take the entry off the list
  = rerun: cargo test --test subject -- --exact s::b
",
    )
    .says("test result: FAILED. 1 passed; 1 failed;")
    .says_nothing_on_stderr();
}

#[test]
fn all_mistakes_of_all_files_are_told_at_once_and_nothing_runs() {
    let project = Project::of(&[case("a", "look", "tagz: [x]\ntimeout: soon")])
        .file("evals/t.yaml", "tests: [")
        .file("evals/u.yaml", "{id: u, metric: tool_blokclist}")
        .file("evals/fine.yaml", "{id: f, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}");
    let ran = project.run(&[]).exits(2);
    assert_eq!(ran.stdout, "");
    ran.complains("unknown key `tagz`")
        .complains("did you mean `tags`?")
        .complains("--> evals/s.yaml:5:5")
        .complains("expected a time above 0")
        .complains("--> evals/t.yaml:1")
        .complains("unknown metric `tool_blokclist`")
        .complains("--> evals/u.yaml:1:")
        .complains("mistakes in the eval files; no trial was run");
    assert!(project.files("out").is_empty());
}

/// A slip in a key of all suites is no setting that is quietly left out.
#[test]
fn a_shared_setting_that_nobody_reads_is_2() {
    let shared = |text: &str| Project::of(&[green("a")]).file("evals/arraign.yaml", text).run(&[]);
    shared("jugde: {model: gpt-4o}").exits(2).complains("did you mean `judge`?");
    shared("judge: {modle: gpt-4o}").exits(2).complains("did you mean `model`?");
    shared("# nothing yet\n{}").exits(0);
}

/// What a project's gates are is said once; what a case says itself wins.
#[test]
fn shared_settings_of_verification_are_the_base_of_each_case() {
    let case = |id: &str, settings: &str| {
        format!(
            "- id: {id}\n  verification: {settings}\n  trace:\n    steps:\n\
             \x20     - {{call: kb_put, args: {{path: src/a.py, body: LIMIT = 5}}, result: 'wrote: LIMIT = 5'}}\n\
             \x20     - {{call: Bash, args: {{command: bin/ci}}, result: 3 passed, exit_code: 0}}\n\
             \x20     - say: 'src/a.py:1 is `LIMIT = 5`, checked and verified: 3 passed.'\n"
        )
    };
    let cases = [
        case("shared", "true"),
        case("adds", "{tools: {read: [x]}, gates: []}"),
        case("wins", "{tools: {ignore: [kb_put], self_verifying: []}}"),
        case("stricter", "{strict: true, gates: [lint]}"),
    ];
    let ran = |shared: &str, arguments: &[&str]| {
        let project = Project::empty().file("evals/s.yaml", cases.concat());
        project.file("evals/arraign.yaml", shared).run(arguments)
    };
    let shared = "verification:\n  gates: []\n  tools: {edit: [kb_put], self_verifying: [kb_put]}\n  commands: {test: [bin/ci]}\n";
    let all = ran(shared, &[]).exits(101);
    let all = all.says("test s::shared   ... ok").says("test s::adds     ... ok");
    all.says("test s::wins     ... ok").says("test s::stricter ... FAILED");
    ran("{}", &[]).exits(101).says("test s::shared   ... FAILED");
    ran("verification: {gates: [typ]}", &[]).exits(2).complains("--> evals/arraign.yaml:1:24");
    ran("verification: {treshold: 1}", &[]).exits(2).complains("did you mean `threshold`?");
    ran("verification: true", &[])
        .exits(2)
        .complains("a suite asks for it with `defaults: {verification: true}`");
    ran("verification: {threshold: 0, on_violation: score}", &["--exact", "s::shared"]).exits(101);
}

/// Only a score may take over from a threshold: without one, something must still be able to fail.
#[test]
fn verification_that_only_scores_needs_a_scorecard() {
    let run = "{steps: [{call: Write, args: {path: a.py, content: LIMIT = 5}, result: ok}, {say: Done.}]}";
    let case = format!("verification: {{on_violation: score}}\n  trace: {run}\n");
    let weights = "weights: {tool_accuracy: 0, output_quality: 0, sequence_correctness: 0, verification: 1}";
    let suite = format!(
        "{weights}\ntests:\n- id: plain\n  {case}- id: scored\n  expected: {{}}\n  thresholds: {{min_score: 1}}\n  {case}"
    );
    let ran = Project::empty().file("evals/s.yaml", suite).run(&[]).exits(101);
    ran.says("test s::plain  ... FAILED").says("test s::scored ... ok");
}

#[test]
fn a_filter_that_matches_nothing_is_0() {
    let project = Project::of(&[green("a")]);
    let one = project.run(&["nothing"]).exits(0).says("running 0 tests");
    one.complains("arraign: no trial contains `nothing`");
    let two = project.run(&["nothing", "nobody"]).exits(0).says("running 0 tests");
    two.complains("arraign: no trial contains `nothing` or `nobody`");
}

#[test]
fn no_case_is_2() {
    let empty = Project::empty();
    empty.run(&[]).exits(2).complains("error: no case below `evals`: an empty run does not pass");
    let support = Project::empty().file("evals/policies/p.yaml", "x: 1").file("evals/arraign.yaml", "{}");
    support.run(&[]).exits(2).complains("no case below `evals`");
}

#[test]
fn a_missing_folder_is_2_and_both_places_are_named() {
    let project = Project::bare().file("elsewhere/x", "");
    let here = project.path("");
    let there = project.path("elsewhere");
    let ran = Ran::of(project.command(&[]).current_dir(&there)).exits(2);
    let here = here.display();
    let there = there.display();
    ran.complains(&format!("no folder `evals` in {here} (CARGO_MANIFEST_DIR)"))
        .complains(&format!("nor in {there} (the current folder)"));
    let unset = Ran::of(project.command(&[]).env_remove("CARGO_MANIFEST_DIR")).exits(2);
    unset.complains("(the current folder)").complains("CARGO_MANIFEST_DIR, which is not set");
}

#[test]
fn a_folder_of_the_current_folder_is_the_second_choice() {
    let project = Project::of(&[green("a")]);
    Ran::of(project.command(&[]).env_remove("CARGO_MANIFEST_DIR")).exits(0).says("1 passed");
    project.run_with(&[("CARGO_MANIFEST_DIR", "/nowhere")], &[]).exits(0).says("1 passed");
}

/// `cargo nextest archive` with `--workspace-remap`: the tree that the executable was built in is not asked.
#[test]
fn a_remapped_package_is_read_where_the_variable_says() {
    let old = Project::of(&[red("old")]);
    let new = Project::of(&[green("new")]);
    let there = new.path("");
    let ran = old.run_with(&[("CARGO_MANIFEST_DIR", &there.to_string_lossy())], &[]).exits(0);
    assert_eq!(ran.names(), ["s::new"]);
    ran.says_nothing_on_stderr();
}

#[test]
fn a_bad_flag_is_2() {
    let project = Project::of(&[green("a")]);
    for bad in [&["--bogus"][..], &["--format", "xml"], &["--format"], &["--test-threads", "many"]] {
        let ran = project.run(bad).exits(2);
        assert!(ran.stdout.is_empty() && ran.stderr.starts_with("error: "), "{bad:?}: {ran:?}");
    }
}

#[test]
fn a_file_that_is_too_large_or_no_text_is_2() {
    let project =
        Project::of(&[green("a")]).file("evals/latin.yaml", b"id: caf\xe9\n").file("evals/none.json", "");
    project
        .run(&[])
        .exits(2)
        .complains("this byte begins no UTF-8 character")
        .complains("--> evals/latin.yaml:1:8")
        .complains("the file contains no case");
}

#[test]
fn a_check_that_panics_on_its_counterexample_is_no_crash() {
    let ran = Project::of(&[own("a", "panics: {message: oh}", ""), green("b")]).run(&[]).exits(101);
    assert_eq!(ran.results().into_iter().collect::<Vec<_>>(), [("s::a", "FAILED"), ("s::b", "ok")]);
    ran.says("the check panicked: oh").says_nothing_on_stderr();
}

#[test]
fn a_log_that_cannot_be_written_is_2() {
    let project = Project::of(&[green("a")]);
    project.run(&["--logfile", "/nowhere/log"]).exits(2).complains("--logfile: cannot write `/nowhere/log`");
    let log = project.path("log");
    project.run(&["--logfile", &log.to_string_lossy()]).exits(0).says("test s::a ... ok").says("1 passed");
    assert_eq!(project.read("log"), "ok s::a\n");
}

/// `cargo test | head -1`.
#[test]
fn a_closed_pipe_is_no_panic() {
    let cases: String = (0..400).map(|n| red(&format!("{}_{n}", "x".repeat(200)))).collect();
    let project = Project::empty().file("evals/s.yaml", format!("tests:\n{cases}"));
    for arguments in [&[][..], &["--list"], &["--format", "json"]] {
        let mut command = project.command(arguments);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().expect("the process starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(101), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_2_and_no_panic() {
    let project = Project::of(&[green("a")]);
    for arguments in [&[][..], &["--list"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let output = project.command(arguments).stdout(full).output().expect("it ends");
        let said = "error: cannot write the output: No space left on device\n";
        assert_eq!(String::from_utf8_lossy(&output.stderr), said, "{arguments:?}");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

/// Half a report looks like a run with fewer trials, so it is not taken for a success.
#[cfg(target_os = "linux")]
#[test]
fn a_junit_report_that_cannot_be_written_is_2() {
    let project = Project::of(&[green("a")]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
    let mut command = project.command(&["-Z", "unstable-options", "--format", "junit"]);
    let output = command.stdout(full).output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write the output: No space left on device"), "{said}");
    let ran = project.run_with(&[("XML_OUTPUT_FILE", "/dev/full")], &[]).exits(2);
    ran.complains("XML_OUTPUT_FILE: cannot write `/dev/full`: No space left on device");
}
