//! Agents that misbehave: an error with its cause, within their time.

use super::{LIVE, asks, shell, shell_with};
use crate::project::{Project, Ran};

/// What becomes of an agent in shell. One that is not stopped sleeps for an hour.
fn fault(script: &str, settings: &str, more: &str) -> Ran {
    let project = Project::of(&[asks("a", &shell_with(script, settings), more)]);
    let ran = project.run_with(&[LIVE], &[]).exits(101);
    assert_eq!(project.verdict("s::a")["status"], "error");
    ran
}

#[test]
fn an_exit_code_is_an_error_with_what_was_said_last() {
    let ran = fault("echo '{\"calls\": []}'; printf 'first\\n\\033[31mlast\\n' >&2; exit 7", "", "");
    ran.says("error[trial]: the agent `sh` failed: it exited with code 7\n --> evals/s.yaml:4:12")
        .says("= cause: its standard error:")
        .says("\\u{1b}[31mlast");
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let ran = Project::of(&[asks("a", "{command: [no-such-agent]}", "")]).run_with(&[LIVE], &[]).exits(101);
    ran.says("the agent `no-such-agent` could not be started").says("No such file or directory");
}

#[test]
fn a_flood_is_stopped() {
    let ran = fault("yes", ", output_limit: 100000", "");
    ran.says("was stopped: it wrote more than 100000 bytes; `output_limit` raises the limit");
}

#[test]
fn a_flood_on_standard_error_is_cut() {
    let ran = fault("yes noise | head -c 5000000 >&2; echo last >&2; exit 1", "", "");
    assert!(ran.stdout.len() < 8192, "{} bytes", ran.stdout.len());
    ran.says("last\n");
}

#[test]
fn what_is_no_trace_is_an_error() {
    for nonsense in ["echo hello", "printf '\\377\\376'", "echo '{\"calls\": [1]}'", "echo '{'"] {
        let ran = fault(nonsense, "", "");
        ran.says("the agent `sh` did not return a valid trace");
    }
}

#[test]
fn several_runs_are_no_answer() {
    let ran = fault("echo '{\"calls\": []}'; echo '{\"calls\": []}'", "", "");
    ran.says("returned 2 runs instead of one");
}

#[test]
fn silence_is_no_answer() {
    fault("true", "", "").says("the trace is empty");
}

#[test]
fn a_hang_is_stopped_by_the_case_or_by_the_command() {
    for (settings, more) in
        [("", "timeout: 300ms"), (", timeout: 300ms", ""), (", timeout: 300ms", "timeout: 1m")]
    {
        let ran = fault("echo half-way >&2; sleep 3600", settings, more);
        ran.says("timed out: no answer within 300ms").says("half-way");
    }
}

#[test]
fn a_signal_is_named() {
    fault("kill -9 $$", "", "").says("failed: its process was killed (signal: 9 (SIGKILL))");
}

#[test]
fn an_agent_that_reads_nothing_is_no_error() {
    let long = "x".repeat(1 << 20);
    let case = asks("a", &shell("exec 0<&-; echo '{\"calls\": [\"look\"]}'"), "");
    let project = Project::of(&[case.replace("Where is order 7?", &long)]);
    project.run_with(&[LIVE], &[]).exits(0);
}

#[test]
fn an_agent_that_closes_its_output_and_stays_is_stopped() {
    let ran = fault("exec 1>&- 2>&-; sleep 3600", "", "timeout: 300ms");
    ran.says("no answer within 300ms");
}

#[test]
fn one_of_several_runs_is_named() {
    let script = "grep -q '\"run\":2' && exit 4; echo '{\"calls\": [\"look\"]}'";
    fault(script, "", "repeat: 3").says("run 2: the agent `sh` failed: it exited with code 4");
}

/// The second agent removes the folder in which the verdict of the first one is: a run that leaves no verdicts has not
/// merely failed.
#[test]
fn an_output_folder_that_vanishes_is_exit_2() {
    let project = Project::empty();
    let looks = "echo '{\"calls\": [\"look\"]}'";
    let removes = format!(
        "until [ -n \"$(ls {out}/*/*.jsonl)\" ]; do sleep 0.05; done; sleep 0.1; rm -rf {out}; {looks}",
        out = project.path("out").display()
    );
    let cases = [asks("a", &shell(looks), ""), asks("b", &shell(&removes), "timeout: 10s")];
    project.write("evals/s.yaml", format!("tests:\n{}", cases.concat()));
    let run = || project.run_with(&[LIVE], &["--test-threads", "1"]);
    run()
        .exits(2)
        .says("2 passed")
        .complains("verdicts of this run are lost: ")
        .complains("was removed while it ran");
    // Without a verdict that is lost there is nothing to say.
    project.write("evals/s.yaml", format!("tests:\n{}", cases[0]));
    run().exits(0);
}
