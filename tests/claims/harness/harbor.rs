//! The trials of a Harbor job as runs of a case.

use std::fs;
use std::path::Path;

use crate::project::{Project, suite};

/// A job with the trials of these fixtures, below the folder of cases.
fn job(trace: &str, expect: &str, trials: &[&str]) -> Project {
    let case = format!("  - {{id: a, trace: {trace}, expect: [{expect}]}}\n");
    let mut project = Project::empty().file("evals/s.yaml", suite(&[case]));
    for trial in trials {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/reward/jobs").join(trial);
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        for file in ["config.json", "result.json", "agent/trajectory.json"] {
            if let Ok(text) = fs::read_to_string(folder.join(file)) {
                project = project.file(&format!("evals/jobs/j/{name}/{file}"), text);
            }
        }
    }
    if trials.is_empty() {
        return project;
    }
    project.file("evals/jobs/j/result.json", "{}").file("evals/jobs/j/config.json", "{}")
}

const REWARD: &str = "{reward: 1}";

#[test]
fn files_of_a_job_are_no_cases_and_each_trial_can_be_one() {
    let trials = ["solved/cart__a1", "not-solved/cart__b1"];
    let project = job("{harbor: jobs/j, each: true}", REWARD, &trials);
    assert_eq!(project.run(&["--list"]).exits(0).names(), ["s::a::cart__a1", "s::a::cart__b1"]);
    let ran = project.run(&[]).exits(101).says("1 passed; 1 failed");
    assert_eq!(ran.results()["s::a::cart__b1"], "FAILED");
    assert_eq!(project.verdict("s::a::cart__b1")["runs"][0]["rewards"]["values"]["reward"], 0.0);
}

#[test]
fn a_reward_that_no_check_reads_is_told() {
    let trials = ["not-solved/cart__b1"];
    let unread = job("{harbor: jobs/j}", "{tool_called: bash_command}", &trials);
    unread.run(&[]).exits(0).complains("1 case that passed has a reward that no check reads");
    let items = unread.verdict("s::a")["findings"][0]["items"].to_string();
    assert!(items.contains("no check reads the reward of the run: `reward` is 0"), "{items}");
    let read = job("{harbor: jobs/j}", "{none_of: [{reward: 1}]}", &trials);
    let ran = read.run(&[]).exits(0);
    assert!(!ran.stderr.contains("no check reads"), "{}", ran.stderr);
}

#[test]
fn a_job_without_the_trial_is_an_error_that_names_what_there_is() {
    let none = job("{harbor: jobs/none}", REWARD, &[]);
    none.run(&[]).exits(101).says("evals/jobs/none: no folder in it is a trial of a Harbor job");
    let other = job("{harbor: jobs/j, run: cart__c1}", REWARD, &["solved/cart__a1"]);
    other.run(&[]).exits(101).says("no run `cart__c1`: the file holds 1, counted from 1: `cart__a1`");
    let damaged = job("{harbor: jobs/j}", REWARD, &["solved/cart__a1"])
        .file("evals/jobs/j/cart__a1/agent/trajectory.json", "{");
    damaged.run(&[]).exits(101).says("evals/jobs/j/cart__a1/agent/trajectory.json: harbor: not JSON");
}
