//! Programs that check a run (`exec`): who may start one, what it is told, and what becomes of one that misbehaves.

use std::time::{Duration, Instant};

use crate::live::LIVE;
use crate::project::{Project, Ran};

use arraign::json::{self, Json, json};

const ALLOWED: (&str, &str) = ("HARNESS_TEST_ALLOWED", "1");

/// A package with one case, which `script` checks.
fn checked_by(script: &str, more: &str) -> Project {
    let script = Json::from(script);
    let case = format!(
        "tests:\n  - id: a\n    input: {{query: Refund order 7, user: 3}}\n    trace: {{input: Refund order 7, calls: [refund]}}\n    \
         expect: [exec: {{command: [sh, -c, {script}]{more}}}]\n"
    );
    Project::empty().file("evals/s.yaml", case)
}

fn run(project: &Project) -> Ran {
    project.run_with(&[ALLOWED], &[])
}

/// Whether a process with these words in its command line runs.
fn is_running(words: &str) -> bool {
    let processes = std::process::Command::new("ps").args(["-eo", "args"]).output().expect("ps");
    String::from_utf8_lossy(&processes.stdout).lines().any(|line| line.contains(words))
}

#[test]
fn a_program_starts_only_with_consent() {
    let project = checked_by("touch started; echo '{\"pass\": true}'", "");
    let ran = project.run(&[]).exits(101).says("a folder of evals cannot allow itself to start one");
    ran.says("`cargo arraign run --allow-exec`");
    project.run(&["--list"]).exits(0);
    assert!(!project.path("started").exists());
    run(&project).exits(0).says("1 passed");
    assert!(project.path("started").exists());
    std::fs::remove_file(project.path("started")).expect("the file");
    project.run_with(&[LIVE], &[]).exits(0);
    assert!(project.path("started").exists());
}

#[test]
fn a_program_reads_the_case_and_the_native_trace() {
    let project = checked_by("cat > facts.json; env > env.txt; echo '{\"pass\": true}'", ", env: [GIVEN]");
    project.run_with(&[ALLOWED, ("GIVEN", "yes"), ("HIDDEN", "no")], &[]).exits(0);
    let facts: Json = json::from_str(&project.read("facts.json")).expect("JSON");
    assert_eq!(facts["id"], "a");
    assert_eq!(facts["input"], json!({"query": "Refund order 7", "user": 3}));
    assert!(facts["trace"].to_string().contains("refund"), "{facts}");
    let env = project.read("env.txt");
    assert!(env.contains("GIVEN=yes") && !env.contains("HIDDEN"), "{env}");
}

#[test]
fn a_verdict_of_a_program_fails_the_case() {
    let ran =
        run(&checked_by("echo '{\"pass\": false, \"violations\": [\"no reason\", \"no amount\"]}'", ""));
    ran.exits(101).says("error[exec]: no reason").says("no amount").says("--> evals/s.yaml:5:");
}

#[test]
fn a_program_that_hangs_is_killed_with_its_children() {
    let project = checked_by("sleep 98761 & sleep 98761", ", timeout: 300ms");
    let started = Instant::now();
    run(&project).exits(101).says("timed out: no answer within 300ms");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(!is_running("sleep 98761"));
    // A grandchild that keeps the pipe open does not keep the trial waiting.
    let project = checked_by("sleep 98762 & echo '{\"pass\": true}'", ", timeout: 20s");
    let started = Instant::now();
    run(&project).exits(0);
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    assert!(!is_running("sleep 98762"));
}

#[test]
fn anything_but_a_report_is_an_error() {
    run(&checked_by("head -c 100000000 /dev/zero", "")).exits(101).says("it wrote more than 1048576 bytes");
    let failed = run(&checked_by("echo '{\"pass\": true}'; echo broken >&2; exit 1", ""));
    failed.exits(101).says("it exited with code 1").says("broken");
    run(&checked_by("echo pass", "")).exits(101).says("did not write a report");
    run(&checked_by("echo '{\"pass\": true}{\"pass\": true}'", "")).exits(101).says("did not write a report");
}

#[test]
fn a_secret_of_the_environment_is_masked() {
    let script =
        "echo \"{\\\"pass\\\": false, \\\"message\\\": \\\"key $SHOP_TOKEN\\\"}\"; echo $SHOP_TOKEN >&2";
    let project = checked_by(script, ", env: [SHOP_TOKEN]");
    let secret = "kd83jf-plain-looking-92";
    let ran = project.run_with(&[ALLOWED, ("SHOP_TOKEN", secret)], &[]).exits(101).says("key ");
    assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{}", ran.stdout);
    project.holds_nowhere(secret);
    let failing = checked_by("echo $SHOP_TOKEN; echo $SHOP_TOKEN >&2; exit 1", ", env: [SHOP_TOKEN]");
    let ran = failing.run_with(&[ALLOWED, ("SHOP_TOKEN", secret)], &[]).exits(101);
    assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{}", ran.stdout);
}

#[test]
fn a_program_may_be_a_part_of_a_combination() {
    let case = "trace: {calls: [a]}
expect: [{none_of: [{exec: [sh, -c, 'echo \"{\\\"pass\\\": true}\"']}]}]
";
    run(&Project::empty().file("evals/s.yaml", case)).exits(101).says("error[none_of]");
}
