//! The quarantine: a failure that does not decide, until a day.

use std::path::PathBuf;
use std::process::Command;

use crate::project::{Project, Ran, case, green, own, red, suite};
use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::report::{FORMATS, Totals};
use arraign::json::{self, Json};

/// The variable of the day in the test target.
const TODAY: &str = "HARNESS_TEST_TODAY";

/// Two cases that fail, of which `s::a` is quarantined, and one that passes.
fn project() -> Project {
    Project::of(&[red("a"), red("b"), green("c")]).file(
        "evals/quarantine.yaml",
        "- {case: s::a, until: 2026-12-10, reason: flaps since gpt-6, owner: team-orders}\n",
    )
}

/// The same without the case that decides.
fn green_project() -> Project {
    project().file("evals/s.yaml", suite(&[red("a"), green("c")]))
}

fn run_on(project: &Project, day: &str, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    project.run_with(&[&[(TODAY, day)], variables].concat(), arguments)
}

#[test]
fn a_quarantined_failure_prints_ok_and_does_not_decide() {
    let ran = run_on(&green_project(), "2026-12-01", &[], &[]).exits(0);
    assert_eq!(ran.results().into_iter().collect::<Vec<_>>(), [("s::a", "ok"), ("s::c", "ok")]);
    ran.complains(
        "arraign: quarantined: s::a until 2026-12-10: flaps since gpt-6 (team-orders); tool_blocklist: ",
    );
    let ran = run_on(&project(), "2026-12-01", &[], &[]).exits(101);
    assert_eq!(ran.results()["s::b"], "FAILED");
}

/// The lines of one text that another lacks.
fn list_other_lines<'t>(text: &'t str, other: &str) -> Vec<&'t str> {
    text.lines().filter(|line| !other.lines().any(|known| known == *line)).collect()
}

#[test]
fn the_days_before_and_after_the_end_differ_in_the_exit_code_and_one_line() {
    let drawn = |day: &str, code: i32| {
        let project = green_project();
        let ran = run_on(&project, day, &[], &[]).exits(code);
        let mut verdict = project.verdict("s::a");
        for changing in ["duration_ms", "findings", "runs", "rerun"] {
            verdict.as_object_mut().expect("a mapping").remove(changing);
        }
        (ran, json::to_string_pretty(&verdict).expect("JSON"))
    };
    let (before, verdict_before) = drawn("2026-12-10", 0);
    let (after, verdict_after) = drawn("2026-12-11", 101);
    assert_eq!(before.results()["s::a"], "ok");
    assert_eq!(after.results()["s::a"], "FAILED");
    let line = "quarantine: until 2026-12-10: flaps since gpt-6 (team-orders); the trial decides, because that day is over";
    assert!(after.stdout.contains(line), "{}", after.stdout);
    let lines = list_other_lines(&verdict_after, &verdict_before);
    // The line before has a comma behind it.
    assert_eq!(lines, ["    \"owner\": \"team-orders\",", "    \"lapse\": \"that day is over\""]);
    assert_eq!(list_other_lines(&verdict_before, &verdict_after), ["    \"owner\": \"team-orders\""]);
}

#[test]
fn a_case_that_passes_shows_nothing() {
    let project = green_project().file("evals/s.yaml", suite(&[green("a")]));
    let ran = run_on(&project, "2026-12-01", &[], &[]).exits(0);
    assert!(!ran.stderr.contains("quarantine"), "{}", ran.stderr);
    assert_eq!(project.verdict("s::a")["quarantine"], Json::Null);
}

#[test]
fn errors_and_undecided_trials_decide_as_ever() {
    let undecided = case("u", "look", "").replace("tool_blocklist: [rm]", "cost_at_most: 1");
    let broken = "  - {id: e, trace: {file: none.json}, expect: [{tool_blocklist: [rm]}]}\n";
    for (id, text, status) in [
        ("u", undecided, "undecided"),
        ("e", broken.to_owned(), "error"),
        ("p", own("p", "panics: {message: oh}", ""), "error"),
    ] {
        let entry = format!("[{{case: 's::{id}', until: 2026-12-10, reason: flaps}}]");
        let project = Project::of(&[text]).file("evals/quarantine.yaml", entry);
        let ran = run_on(&project, "2026-12-01", &[], &[]).exits(101);
        let verdict = project.verdict(&format!("s::{id}"));
        assert_eq!(verdict["status"], status, "{}\n{}", ran.stdout, ran.stderr);
    }
    // A case that cannot be read fails alone where it is named.
    let project = green_project().file("evals/s.yaml", "tests: [{id: a, expect: 7}]\n");
    run_on(&project, "2026-12-01", &[], &["--exact", "s::a"]).exits(101);
}

#[test]
fn mistakes_of_the_file_stop_the_run() {
    let refused = |entries: &str, problem: &str| {
        let project = green_project().file("evals/quarantine.yaml", entries);
        run_on(&project, "2026-12-01", &[], &[]).exits(2).complains(problem);
        run_on(&project, "2026-12-01", &[], &["--list"]).exits(2).complains(problem);
    };
    refused("- {case: s::a, until: 2026-12-10}", "`reason` is missing");
    refused("- {case: s::a, reason: why}", "`until` is missing");
    refused("- {case: s::a, until: 2026-12-10, reason: ' '}", "a quarantine needs a reason");
    refused("- {case: s::a, until: soon, reason: why}", "expected a day such as `2026-12-20`");
    refused("- {case: s::a, until: 2026-02-30, reason: why}", "expected a day");
    refused("- {case: s::a, until: 2026-12-10, reason: why, untill: x}", "unknown key `untill`");
    refused("{case: s::a}", "expected a list of entries, found a mapping");
    refused(
        "- {case: s::a, until: 2027-01-01, reason: why}",
        "`2027-01-01` is more than 30 days ahead: a quarantine ends sooner",
    );
    refused(
        "- {case: s::a, until: 2026-11-23, reason: why}",
        "the quarantine of `s::a` ended on 2026-11-23, more than 7 days ago",
    );
    refused("- {case: s::aa, until: 2026-12-10, reason: why}", "no case is called `s::aa`");
    refused("- {case: s::aa, until: 2026-12-10, reason: why}", "did you mean `s::a`?");
    refused("- {case: 't::*', until: 2026-12-10, reason: why}", "no case is called `t::*`");
    refused(
        "- {case: s::a, until: 2026-12-10, reason: why, variant: cheaper}",
        "no variant is called `cheaper`, for which `s::a` is quarantined",
    );
    let twice =
        "- {case: s::a, until: 2026-12-10, reason: why}\n- {case: s::a, until: 2026-12-11, reason: why}";
    refused(twice, "`s::a` is quarantined twice: the other is at evals/quarantine.yaml:1:10");
    // The boundaries, and a folder that allows more.
    for until in ["2026-12-31", "2026-11-24"] {
        let entry = format!("- {{case: s::a, until: {until}, reason: why}}");
        let project = green_project().file("evals/quarantine.yaml", entry);
        run_on(&project, "2026-12-01", &[], &["--list"]).exits(0);
    }
    let later = green_project()
        .file("evals/quarantine.yaml", "- {case: s::a, until: 2027-01-01, reason: why}")
        .file("evals/arraign.yaml", "quarantine_days: 60\n");
    run_on(&later, "2026-12-01", &[], &[]).exits(0);
    // A trial that is named reads its own file alone: it does not look for the cases of all entries.
    let gone =
        green_project().file("evals/quarantine.yaml", "- {case: s::x, until: 2026-12-10, reason: why}");
    run_on(&gone, "2026-12-01", &[], &["--exact", "s::c"]).exits(0);
}

#[test]
fn a_case_that_the_tier_leaves_out_has_an_entry() {
    let project = green_project().file("evals/s.yaml", suite(&[red("a"), case("c", "look", "tier: smoke")]));
    run_on(&project, "2026-12-01", &[("ARRAIGN_TIER", "smoke")], &[]).exits(0);
}

#[test]
fn a_name_means_its_case_and_a_pattern_all_that_it_matches() {
    let cases = suite(&[red("what?"), red("whats"), red("row[1]"), red("row[2]")]);
    let quarantine = |case: &str| {
        let entry = format!("- {{case: '{case}', until: 2026-12-10, reason: why}}");
        let project = Project::empty().file("evals/s.yaml", &cases).file("evals/quarantine.yaml", entry);
        let ran = run_on(&project, "2026-12-01", &[], &[]).exits(101);
        let excused: Vec<String> = ran
            .results()
            .into_iter()
            .filter(|(_, result)| *result == "ok")
            .map(|(name, _)| name.into())
            .collect();
        // Each process of nextest knows its own trial only.
        for name in ["s::what?", "s::whats", "s::row[1]", "s::row[2]"] {
            let nextest = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r")];
            let code = if excused.iter().any(|known| known == name) { 0 } else { 101 };
            run_on(&project, "2026-12-01", &nextest, &["--exact", name]).exits(code);
        }
        excused
    };
    assert_eq!(quarantine("s::what?"), ["s::what?"]);
    assert_eq!(quarantine("s::row[1]"), ["s::row[1]"]);
    assert_eq!(quarantine("s::row[*]"), ["s::row[1]", "s::row[2]"]);
    assert_eq!(quarantine("s::?hat*"), ["s::what?", "s::whats"]);
}

#[test]
fn libtest_nextest_and_merged_shards_agree() {
    let project = project();
    let names = ["s::a", "s::b", "s::c"];
    let ran = run_on(&project, "2026-12-01", &[("ARRAIGN_OUT", "libtest")], &[]).exits(101);
    let libtest: Vec<bool> = names.iter().map(|name| ran.results()[name] == "ok").collect();
    let nextest = names.map(|name| {
        let variables = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r"), ("ARRAIGN_OUT", "nextest")];
        run_on(&project, "2026-12-01", &variables, &["--exact", name]).code == Some(0)
    });
    assert_eq!(libtest, nextest);
    for shard in ["1/2", "2/2"] {
        run_on(&project, "2026-12-01", &[("ARRAIGN_SHARD", shard), ("ARRAIGN_OUT", "shards")], &[]);
    }
    let count = |out: &str| {
        let folders: Vec<PathBuf> = std::fs::read_dir(project.path(out))
            .expect("runs")
            .map(|entry| entry.expect("a run").path())
            .filter(|path| path.is_dir())
            .collect();
        let run = StoredRun::open(&folders).expect("a run");
        let mut totals = Totals::new(run.run());
        run.visit_verdicts(|verdict| totals.add_verdict(verdict)).expect("verdicts");
        (totals.passed, totals.failed, totals.quarantined, totals.count_red())
    };
    assert_eq!(count("libtest"), (1, 1, 1, 1));
    assert_eq!(count("nextest"), (1, 1, 1, 1));
    assert_eq!(count("shards"), (1, 1, 1, 1));
}

#[test]
fn a_gate_is_quarantined_by_its_own_name() {
    let gated = format!("gate: {{mean: 0.9}}\n{}", suite(&[red("a"), green("c")]));
    let entries = "- {case: s::pass_threshold, until: 2026-12-10, reason: why}\n- {case: s::a, until: 2026-12-10, reason: why}\n";
    let project = Project::empty().file("evals/s.yaml", gated).file("evals/quarantine.yaml", entries);
    let ran = run_on(&project, "2026-12-01", &[], &[]).exits(0);
    assert_eq!(ran.results()["s::pass_threshold"], "ok");
    let without = "- {case: s::a, until: 2026-12-10, reason: why}\n";
    let project = project.file("evals/quarantine.yaml", without);
    let ran = run_on(&project, "2026-12-01", &[], &[]).exits(101);
    assert_eq!(ran.results()["s::pass_threshold"], "FAILED", "its cases count as they are");
}

#[test]
fn every_report_has_its_own_total() {
    let project = green_project();
    let formats: Vec<&str> = FORMATS.iter().map(|format| format.format.name()).collect();
    let variables = [("ARRAIGN_REPORT", &*formats.join(",")), ("GITHUB_ACTIONS", "true")];
    let ran = run_on(&project, "2026-12-01", &variables, &[]).exits(0);
    assert!(!ran.stdout.contains("::error"), "{}", ran.stdout);
    let json: Json = json::from_str(&project.read("out/report.json")).expect("JSON");
    assert_eq!(json["totals"]["quarantined"], 1);
    assert_eq!((&json["totals"]["passed"], &json["totals"]["failed"]), (&Json::from(1), &Json::from(0)));
    let markdown = project.read("out/report.md");
    assert!(markdown.contains("## arraign: 1 of 2 cases passed, and 1 is quarantined"), "{markdown}");
    assert!(markdown.contains("| passed | failed | quarantined |"), "{markdown}");
    assert!(markdown.contains("### Quarantined"), "{markdown}");
    assert!(!markdown.contains("### What did not pass"), "{markdown}");
    let junit = project.read("out/report.junit.xml");
    assert!(!junit.contains("<failure"), "{junit}");
    assert!(
        junit
            .contains("name=\"s::a.quarantined\" value=\"until 2026-12-10: flaps since gpt-6 (team-orders);"),
        "{junit}"
    );
    let sarif: Json = json::from_str(&project.read("out/report.sarif")).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    for result in results {
        assert_eq!(result["suppressions"][0]["kind"], "external", "{result}");
        assert_eq!(result["level"], "note");
    }
    assert_eq!(results.len(), 1);
    let ctrf: Json = json::from_str(&project.read("out/report.ctrf.json")).expect("JSON");
    assert_eq!(ctrf["results"]["tests"][0]["status"], "other");
    assert_eq!(ctrf["results"]["tests"][0]["tags"][0], "quarantined");
    assert_eq!(
        (&ctrf["results"]["summary"]["other"], &ctrf["results"]["summary"]["failed"]),
        (&Json::from(1), &Json::from(0))
    );
    if cfg!(feature = "html") {
        let html = project.read("out/report.html");
        assert!(html.contains("1 of 2 cases passed, and 1 is quarantined"));
        assert!(html.contains("data-standing=\"quarantined\""));
    }
}

#[test]
fn a_pull_request_that_adds_an_entry_for_its_own_case_is_red() {
    let project = green_project().file("base.yaml", "");
    let base = [("ARRAIGN_QUARANTINE", "base.yaml")];
    let ran = run_on(&project, "2026-12-01", &base, &[]).exits(101);
    ran.says("the trial decides, because the base branch has no such entry");
    // It lasts as long as the shorter of the two.
    project.write("base.yaml", "- {case: 's::*', until: 2026-12-01, reason: why}");
    run_on(&project, "2026-12-01", &base, &[]).exits(0);
    run_on(&project, "2026-12-02", &base, &[]).exits(101);
    run_on(&project, "2026-12-02", &[("ARRAIGN_QUARANTINE", "none.yaml")], &[])
        .exits(2)
        .complains("ARRAIGN_QUARANTINE: cannot read");
}

#[test]
fn the_copy_of_the_base_branch_has_no_mistakes() {
    let gone = "- {case: s::gone, until: 2026-10-01, reason: why}\n- {case: 7}\n- {case: s::a, until: 2027-12-01, reason: why}\n";
    let project = green_project().file("base.yaml", gone);
    let base = [("ARRAIGN_QUARANTINE", "base.yaml")];
    run_on(&project, "2026-12-01", &base, &[]).exits(0);
    // A pull request deletes the case together with its entry.
    let deleted = project.file("evals/s.yaml", suite(&[green("c")])).file("evals/quarantine.yaml", "[]");
    run_on(&deleted, "2026-12-01", &base, &[]).exits(0);
    // Another one renames it.
    let renamed = deleted
        .file("evals/s.yaml", suite(&[red("z")]))
        .file("evals/quarantine.yaml", "- {case: s::z, until: 2026-12-10, reason: why}");
    run_on(&renamed, "2026-12-01", &base, &[]).exits(101).says("the base branch has no such entry");
    // One that is broken excuses nothing, and says so.
    let broken = green_project().file("base.yaml", "- {case: [");
    let ran = run_on(&broken, "2026-12-01", &base, &[]).exits(101);
    ran.says("its copy cannot be read as a whole: ").says("base.yaml:1:");
    let broken = green_project().file("base.yaml", "- {case: s::a, until: soon, reason: why}");
    let ran = run_on(&broken, "2026-12-01", &base, &[]).exits(101);
    ran.says("its copy cannot be read as a whole: ").says("base.yaml:1:23");
    let unnamed = green_project();
    let ran = run_on(&unnamed, "2026-12-01", &[("ARRAIGN_QUARANTINE", "[[[")], &[]).exits(2);
    ran.complains("it names a file: the copy of `quarantine.yaml` of the base branch");
}

#[test]
fn a_quarantined_error_says_why_it_decides() {
    let project =
        green_project().file("evals/s.yaml", suite(&[case("a", "look", "trace: traces/gone.json")]));
    project.write("evals/s.yaml", "tests: [{id: a, trace: traces/gone.json, expect: [{tool_called: look}]}]");
    let ran = run_on(&project, "2026-12-01", &[], &[]).exits(101);
    ran.says("quarantine: until 2026-12-10").says("the trial decides, because an error measures nothing");
}

fn git(project: &Project, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.arg("-C").arg(project.path("")).args(["-c", "user.name=a", "-c", "user.email=a@b.example"]);
    let output = command.args(arguments).output().expect("git starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_case_whose_file_differs_from_the_base_branch_is_not_excused() {
    let project = green_project();
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    git(&project, &["add", "evals"]);
    git(&project, &["commit", "--quiet", "--message", "base"]);
    let base = [("ARRAIGN_BASE", "main")];
    run_on(&project, "2026-12-01", &base, &[]).exits(0);
    project.write("evals/s.yaml", suite(&[red("a"), green("c"), green("d")]));
    let ran = run_on(&project, "2026-12-01", &base, &[]).exits(101);
    ran.says("because `evals/s.yaml` is not as in `main`");
    git(&project, &["commit", "--quiet", "--all", "--message", "changed"]);
    run_on(&project, "2026-12-01", &[("ARRAIGN_BASE", "main~1")], &[]).exits(101);
    run_on(&project, "2026-12-01", &base, &[]).exits(0);
    let ran = run_on(&project, "2026-12-01", &[("ARRAIGN_BASE", "origin/main")], &[]).exits(101);
    ran.says("git knows no commit `origin/main`: fetch it");
    run_on(&project, "2026-12-01", &[("ARRAIGN_BASE", "--all")], &[])
        .exits(2)
        .complains("ARRAIGN_BASE is `--all`");
    // A new file is in no base branch.
    project.write("evals/new.yaml", suite(&[red("a")]));
    project.write(
        "evals/quarantine.yaml",
        "- {case: new::a, until: 2026-12-10, reason: why}\n- {case: s::a, until: 2026-12-10, reason: why}",
    );
    run_on(&project, "2026-12-01", &base, &["new::a"])
        .exits(101)
        .says("because `evals/new.yaml` is not as in `main`");
}

/// What a case reads is a part of it: a pull request that changes it may have caused the failure.
#[test]
fn a_case_is_not_excused_if_any_file_that_it_reads_differs() {
    let cases = "agent: shop\ntests:\n  - {id: a, input: x, expect: [{args_valid: {policy: policies/shop.yaml}}, {tool_called: get}]}\n";
    let policy = "tools: {get: {arguments: {id: {type: string}}}}\n";
    let project = Project::empty()
        .file("evals/s.yaml", cases)
        .file("evals/policies/shop.yaml", policy)
        .file("evals/traces/s/a.json", r#"{"calls": ["look"], "answer": "x"}"#)
        .file("evals/arraign.yaml", "agents: {shop: {command: [sh, agent.sh], inputs: ['prompts/*.md']}}\n")
        .file("evals/quarantine.yaml", "- {case: s::a, until: 2026-12-10, reason: why}\n")
        .file("agent.sh", "echo x\n")
        .file("prompts/one.md", "Be kind.\n")
        .file("prompts/two.md", "Be brief.\n")
        .file("other.md", "Nobody reads it.\n");
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "--quiet", "--message", "base"]);
    let base = [("ARRAIGN_BASE", "main")];
    run_on(&project, "2026-12-01", &base, &[]).exits(0);
    for file in [
        "evals/s.yaml",
        "evals/policies/shop.yaml",
        "evals/traces/s/a.json",
        "evals/arraign.yaml",
        "agent.sh",
        "prompts/one.md",
    ] {
        let before = project.read(file);
        project.write(file, format!("{before}\n"));
        let ran = run_on(&project, "2026-12-01", &base, &[]).exits(101);
        ran.says(&format!("because `{file}` is not as in `main`"));
        project.write(file, before);
        run_on(&project, "2026-12-01", &base, &[]).exits(0);
    }
    // A prompt that is deleted, and one that is new.
    std::fs::remove_file(project.path("prompts/two.md")).expect("it is removed");
    run_on(&project, "2026-12-01", &base, &[])
        .exits(101)
        .says("because `prompts/two.md` is not as in `main`");
    project.write("prompts/two.md", "Be brief.\n");
    project.write("prompts/three.md", "Be both.\n");
    run_on(&project, "2026-12-01", &base, &[])
        .exits(101)
        .says("because `prompts/three.md` is not as in `main`");
    std::fs::remove_file(project.path("prompts/three.md")).expect("it is removed");
    // What the case does not read is no matter.
    project.write("other.md", "Changed.\n");
    project.write("evals/t.yaml", suite(&[green("z")]));
    run_on(&project, "2026-12-01", &base, &["s::a"]).exits(0);
}

/// A link that leads to another file is another policy, although both files are as they were.
#[cfg(unix)]
#[test]
fn a_case_is_not_excused_if_a_link_that_it_reads_leads_elsewhere() {
    let policy = "tools: {get: {arguments: {id: {type: string}}}}\n";
    let cases = "tests:\n  - {id: a, trace: [{call: look}], expect: [{args_valid: policies/shop.yaml}, {tool_called: get}]}\n";
    let project = Project::empty()
        .file("evals/s.yaml", cases)
        .file("evals/policies/strict.yaml", policy)
        .file("evals/policies/lax.yaml", policy)
        .file("evals/quarantine.yaml", "- {case: s::a, until: 2026-12-10, reason: why}\n");
    let link = project.path("evals/policies/shop.yaml");
    std::os::unix::fs::symlink("strict.yaml", &link).expect("a link");
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "--quiet", "--message", "base"]);
    let base = [("ARRAIGN_BASE", "main")];
    run_on(&project, "2026-12-01", &base, &[]).exits(0);
    std::fs::remove_file(&link).expect("it is removed");
    std::os::unix::fs::symlink("lax.yaml", &link).expect("a link");
    run_on(&project, "2026-12-01", &base, &[]).exits(101).says("is not as in `main`");
}

#[test]
fn without_git_the_rule_is_off_and_the_report_says_so() {
    let project = green_project();
    let ran = run_on(&project, "2026-12-01", &[("ARRAIGN_BASE", "main"), ("PATH", "")], &[]).exits(0);
    ran.complains(
        "whether a pull request changes the file of the case is unknown (ARRAIGN_BASE): git does not start",
    );
    let outside = [("ARRAIGN_BASE", "main"), ("GIT_CEILING_DIRECTORIES", "/"), ("GIT_DIR", "/nowhere")];
    let ran = run_on(&project, "2026-12-01", &outside, &[]).exits(0);
    ran.complains("the cases are in no git repository");
}
