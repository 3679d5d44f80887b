//! The gate of a suite whose agents really run: each agent is asked once, whoever comes first.

use arraign::json;
use arraign::json::Json;
use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use arraign::__internals::harness::runs::{StoredRun, find_newest};
use arraign::__internals::report::Totals;

use super::{LIVE, RECORD, asks, shell};
use crate::project::{Project, Ran, suite};

/// A project whose agents note whom they were asked for, and then run the script.
fn gated(script: &str, more: &str) -> Project {
    let project = Project::empty();
    let agent = shell(&format!("cat >> {}; {script}", project.path("asked").display()));
    let cases = ["a", "b", "c"].map(|id| asks(id, &agent, more));
    project.file("evals/s.yaml", format!("gate: {{mean: 0.9}}\n{}", suite(&cases)))
}

const LOOKS: &str = "echo '{\"calls\": [\"look\"]}'";

/// How often each agent was asked so far.
fn asked(project: &Project) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(project.path("asked")).unwrap_or_default();
    let mut counts = BTreeMap::new();
    for line in text.lines().filter(|line| line.ends_with('}')) {
        let input: Json = json::from_str(line).expect("an input");
        *counts.entry(input["id"].as_str().expect("an id").to_owned()).or_default() += 1;
    }
    counts
}

fn once() -> BTreeMap<String, usize> {
    ["a", "b", "c"].map(|id| (id.to_owned(), 1)).into()
}

/// The variables of a process of nextest.
const NEXTEST: [(&str, &str); 2] = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r")];

/// One trial, as nextest runs it.
fn trial(project: &Project, mode: (&str, &str), name: &str) -> Ran {
    project.run_with(&[&NEXTEST[..], &[mode]].concat(), &["--exact", name])
}

fn start(project: &Project, name: &str) -> Child {
    let mut command = project.command(&["--exact", name]);
    command.envs(NEXTEST).env(LIVE.0, LIVE.1).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it starts")
}

fn end(child: Child) -> Option<i32> {
    child.wait_with_output().expect("it ends").status.code()
}

#[track_caller]
fn eventually(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_mins(1), "it never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn alone_a_gate_asks_the_agents_of_its_cases() {
    for arguments in [&["--exact", "s::pass_threshold"][..], &["pass_threshold"]] {
        let project = gated(LOOKS, "");
        project.run_with(&[LIVE], arguments).exits(0).says("1 passed");
        assert_eq!(asked(&project), once());
    }
}

#[test]
fn in_one_process_each_agent_is_asked_once() {
    let project = gated(LOOKS, "");
    project.run_with(&[LIVE], &[]).exits(0).says("4 passed").complains("agents ran 3 times");
    assert_eq!(asked(&project), once());
}

#[test]
fn under_nextest_a_gate_asks_only_for_what_no_trial_has_asked() {
    for mode in [LIVE, RECORD, ("ARRAIGN_AGENT_MODE", "rerecord")] {
        let project = gated(LOOKS, "");
        trial(&project, mode, "s::a").exits(0);
        trial(&project, mode, "s::pass_threshold").exits(0);
        assert_eq!(asked(&project), once());
        for later in ["s::b", "s::c"] {
            trial(&project, mode, later).exits(0);
        }
        assert_eq!(asked(&project), once(), "the trials take over what the gate has asked");
        assert_eq!(project.verdicts("out/r").len(), 4);
        assert_eq!(project.verdict("s::b")["runs"][0]["calls"][0]["name"], "look");
    }
}

#[test]
fn a_failure_that_a_gate_has_seen_is_that_of_the_case() {
    let project = gated("echo out of order >&2; exit 3", "");
    trial(&project, RECORD, "s::pass_threshold").exits(101).says("the mean score of 3 cases is 0");
    for later in ["s::a", "s::b", "s::c"] {
        trial(&project, RECORD, later).exits(101).says("it exited with code 3").says("out of order");
    }
    assert_eq!(asked(&project), once());
}

#[test]
fn a_trial_that_is_repeated_asks_again() {
    let project = gated(LOOKS, "");
    trial(&project, LIVE, "s::pass_threshold").exits(0);
    let variables = [&NEXTEST[..], &[LIVE, ("NEXTEST_ATTEMPT", "2")]].concat();
    project.run_with(&variables, &["--exact", "s::a"]).exits(0);
    assert_eq!(asked(&project)["a"], 2);
    let other_run = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "other"), LIVE];
    project.run_with(&other_run, &["--exact", "s::b"]).exits(0);
    assert_eq!(asked(&project)["b"], 2);
}

/// The agents wait for each other, so the gate asks all of them at once.
#[test]
fn a_trial_waits_for_the_gate_that_asks_its_agent() {
    let project = gated("until [ -e go ]; do sleep 0.02; done; echo '{\"calls\": [\"look\"]}'", "");
    let gate = start(&project, "s::pass_threshold");
    eventually(|| asked(&project) == once());
    let trials = ["s::a", "s::b", "s::c"].map(|name| start(&project, name));
    project.write("go", "");
    assert_eq!(end(gate), Some(0));
    assert!(trials.into_iter().all(|trial| end(trial) == Some(0)));
    assert_eq!(asked(&project), once());
}

#[test]
fn a_gate_waits_for_the_trial_that_asks_its_agent() {
    let project = gated("until [ -e go ]; do sleep 0.02; done; echo '{\"calls\": [\"look\"]}'", "");
    let trial = start(&project, "s::a");
    eventually(|| asked(&project).len() == 1);
    let gate = start(&project, "s::pass_threshold");
    eventually(|| asked(&project).len() == 3);
    project.write("go", "");
    assert_eq!((end(trial), end(gate)), (Some(0), Some(0)));
    assert_eq!(asked(&project), once());
}

/// The system drops the lock of a process that is killed, and its agent counts as not asked.
#[test]
fn a_gate_takes_over_from_a_trial_that_was_killed() {
    let project = gated(&format!("if [ ! -e hung ]; then touch hung; sleep 300; fi; {LOOKS}"), "");
    let mut killed = start(&project, "s::a");
    eventually(|| project.path("hung").exists());
    let gate = start(&project, "s::pass_threshold");
    eventually(|| asked(&project).len() == 3);
    killed.kill().expect("it is killed");
    killed.wait().expect("it ends");
    assert_eq!(end(gate), Some(0));
    assert_eq!(asked(&project)["a"], 2);
}

/// In parts, a gate is undecided, and the report over all parts decides it.
#[test]
fn a_report_over_all_shards_decides_a_gate() {
    let project = gated(LOOKS, "");
    let shard = |number: usize| {
        let shard = format!("{number}/2");
        let out = project.path(format!("out-{number}"));
        let variables = [LIVE, ("ARRAIGN_SHARD", &shard), ("ARRAIGN_OUT", &out.to_string_lossy())];
        let ran = project.run_with(&variables, &[]);
        (ran, find_newest(&out).expect("the shard's run"))
    };
    let one = shard(1);
    let two = shard(2);
    assert_eq!(asked(&project), once());
    let said = format!("{}{}", one.0.stdout, two.0.stdout);
    assert!(said.contains("undecided: this process runs a part of the trials"), "{said}");
    assert!(said.contains("help: `cargo arraign report --merge DIR...` over the run folders"), "{said}");
    let decided = |folders: &[std::path::PathBuf]| {
        let run = StoredRun::open(folders).expect("a run");
        let mut found = None;
        run.visit_verdicts(|verdict| {
            if verdict.name == "s::pass_threshold" {
                found = Some((verdict.status.to_string(), verdict.score.get(), verdict.passed));
            }
        })
        .expect("verdicts");
        found
    };
    assert_eq!(decided(&[one.1.clone(), two.1.clone()]), Some(("pass".to_owned(), 1.0, true)));
    let with_gate = if one.0.stdout.contains("pass_threshold") { one.1 } else { two.1 };
    assert_eq!(decided(&[with_gate]), Some(("undecided".to_owned(), 0.0, false)));
}

#[test]
fn a_quarantined_gate_does_not_decide_the_merged_report() {
    let entry = |name: &str| format!("- {{case: 's::{name}', until: 2026-12-10, reason: why}}\n");
    let names = ["a", "b", "c", "pass_threshold"];
    let project =
        gated("echo '{\"calls\": [\"rm\"]}'", "").file("evals/quarantine.yaml", names.map(entry).concat());
    let folders = [1, 2].map(|number| {
        let shard = format!("{number}/2");
        let out = project.path(format!("out-{number}"));
        let out_text = out.to_string_lossy();
        let today = ("HARNESS_TEST_TODAY", "2026-12-01");
        let variables = [LIVE, today, ("ARRAIGN_SHARD", &shard), ("ARRAIGN_OUT", &out_text)];
        project.run_with(&variables, &[]);
        find_newest(&out).expect("the shard's run")
    });
    let run = StoredRun::open(&folders).expect("a run");
    let mut totals = Totals::new(run.run());
    run.visit_verdicts(|verdict| totals.add_verdict(verdict)).expect("verdicts");
    assert_eq!((totals.cases, totals.quarantined, totals.count_red()), (4, 4, 0));
}

#[test]
fn a_rerun_line_asks_whom_the_run_asked() {
    let project = gated("exit 3", "");
    let ran = project.run_with(&[LIVE, ("ARRAIGN_VARIANT", "errs")], &["s::a@errs"]).exits(101);
    ran.says(
        "rerun: ARRAIGN_AGENT_MODE=live ARRAIGN_VARIANT=errs cargo test --test subject -- --exact s::a@errs",
    );
    let other = [RECORD, ("ARRAIGN_OUT", "other")];
    project.run_with(&other, &["s::a"]).exits(101).says("rerun: ARRAIGN_AGENT_MODE=record cargo test");
    project.run_with(&[("ARRAIGN_OUT", "replay")], &["s::a"]).exits(101).says("rerun: cargo test");
}
