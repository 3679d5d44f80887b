//! Shards: every trial runs in exactly one of them, and a report tells when one is missing.

use std::collections::BTreeSet;

use crate::project::{Project, Ran, case, green, red};

fn names(ran: &Ran) -> Vec<String> {
    ran.names().into_iter().map(str::to_owned).collect()
}

fn project() -> Project {
    let mut cases: Vec<String> = (0..30).map(|n| green(&format!("c{n}"))).collect();
    cases.push(red("bad"));
    cases.push(case("later", "rm", "ignore: not yet"));
    Project::of(&cases)
}

#[test]
fn every_trial_runs_in_exactly_one_shard() {
    let project = project();
    let whole = names(&project.run(&[]).exits(101));
    let mut seen: Vec<String> = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let ran = project.run_with(&[("ARRAIGN_SHARD", shard)], &[]);
        let number = shard.split('/').next().expect("a number");
        assert!(ran.stderr.contains(&format!("arraign: shard {number} of 3, ")), "{}", ran.stderr);
        assert!(ran.stderr.contains(" of 31 cases"), "{}", ran.stderr);
        seen.extend(names(&ran));
    }
    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!((seen.len(), distinct.len()), (whole.len(), whole.len()), "{seen:?}");
}

#[test]
fn a_shard_is_asked_for() {
    let project = project();
    let gitlab = [("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "3")];
    assert_eq!(names(&project.run_with(&gitlab, &[])).len(), 32, "a matrix of jobs sets them, too");
    let auto = [&gitlab[..], &[("ARRAIGN_SHARD", "auto")]].concat();
    let first = names(&project.run_with(&[("ARRAIGN_SHARD", "1/3")], &[]));
    assert_eq!(names(&project.run_with(&auto, &[])), first);
    let none = project.run_with(&[("ARRAIGN_SHARD", "auto")], &[]).exits(2);
    none.complains("ARRAIGN_SHARD is `auto`, but no CI server has set a shard");
    project
        .run_with(&[("ARRAIGN_SHARD", "4/3")], &[])
        .exits(2)
        .complains("ARRAIGN_SHARD is `4/3`: expected `NUMBER/COUNT`, such as `2/3`, `auto` or `auto/COUNT`");
}

#[test]
fn servers_that_run_a_job_several_times_tell_its_shard() {
    let project = project();
    let second = names(&project.run_with(&[("ARRAIGN_SHARD", "2/3")], &[]));
    for (index, count, number) in [
        ("BITBUCKET_PARALLEL_STEP", "BITBUCKET_PARALLEL_STEP_COUNT", "1"),
        ("SEMAPHORE_JOB_INDEX", "SEMAPHORE_JOB_COUNT", "2"),
        ("AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", "1"),
        ("CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT", "1"),
    ] {
        let variables = [("ARRAIGN_SHARD", "auto"), (index, number), (count, "3")];
        assert_eq!(names(&project.run_with(&variables, &[])), second, "{index}");
    }
    let variables = [("ARRAIGN_SHARD", "auto/4"), ("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "3")];
    let unlike = project.run_with(&variables, &[]).exits(2);
    unlike.complains("ARRAIGN_SHARD is `auto/4`, but CI_NODE_TOTAL is `3`");
    // Kubernetes tells a job its index alone.
    let indexed = |shard: &str, index: &str| {
        project.run_with(&[("ARRAIGN_SHARD", shard), ("JOB_COMPLETION_INDEX", index)], &[])
    };
    assert_eq!(names(&indexed("auto/3", "1")), second);
    indexed("auto", "1")
        .exits(2)
        .complains("JOB_COMPLETION_INDEX does not say how many shards there are: use `auto/COUNT`");
    indexed("auto/3", "3").exits(2).complains("JOB_COMPLETION_INDEX is `3` and there are 3 shards");
    for wrong in ["auto/0", "auto/x", "automatic"] {
        indexed(wrong, "1")
            .exits(2)
            .complains("expected `NUMBER/COUNT`, such as `2/3`, `auto` or `auto/COUNT`");
    }
}

#[test]
fn a_trial_runs_by_its_name_in_any_shard() {
    let project = project();
    for shard in ["1/2", "2/2"] {
        let ran = project.run_with(&[("ARRAIGN_SHARD", shard)], &["--exact", "s::c7"]).exits(0);
        assert_eq!(ran.names(), ["s::c7"]);
    }
}

#[test]
fn nextest_divides_the_trials_itself() {
    let variables = [("ARRAIGN_SHARD", "1/2"), ("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r")];
    project()
        .run_with(&variables, &["--exact", "s::c7"])
        .exits(2)
        .complains("use `cargo nextest run --partition`");
}

/// Bazel's part is played: the variables that its test runner sets.
#[test]
fn bazels_protocol_selects_shards_from_0_and_touches_its_file() {
    let project = project();
    let file = project.path("status").to_string_lossy().into_owned();
    let mut all = Vec::new();
    for index in ["0", "1"] {
        let variables = [
            ("TEST_TOTAL_SHARDS", "2"),
            ("TEST_SHARD_INDEX", index),
            ("TEST_SHARD_STATUS_FILE", file.as_str()),
        ];
        all.extend(names(&project.run_with(&variables, &[])));
    }
    assert_eq!(all.len(), 32);
    assert!(project.path("status").is_file());
    let report = project.path("test.xml").to_string_lossy().into_owned();
    let variables = [("XML_OUTPUT_FILE", report.as_str()), ("TESTBRIDGE_TEST_ONLY", "c7")];
    assert_eq!(names(&project.run_with(&variables, &[]).exits(0)), ["s::c7"]);
    assert!(project.read("test.xml").contains(" name=\"s::c7\""), "{}", project.read("test.xml"));
}
