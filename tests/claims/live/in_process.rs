//! Agents that are closures of the test target.

use std::time::{Duration, Instant};

use super::{LIVE, asks};
use crate::project::{Project, suite};

#[test]
fn an_agent_is_asked_and_its_run_is_looked_at() {
    let project = Project::of(&[asks("a", "looks", ""), asks("b", "deletes", "")]);
    let ran = project.run_with(&[LIVE], &[]).exits(101);
    assert_eq!(ran.results().into_iter().collect::<Vec<_>>(), [("s::a", "ok"), ("s::b", "FAILED")]);
    ran.says("`rm` is blocked, but was called").says("from the agent (live, 1 call)");
    let run = &project.verdict("s::a")["runs"][0];
    let asked = r#"{"id":"a","input":"Where is order 7?","query":"Where is order 7?","run":1}"#;
    assert_eq!(run["calls"][0]["arguments"], asked);
    assert_eq!(run["answer"], "run 1 of a");
}

#[test]
fn messages_of_a_framework_are_a_run() {
    let project = Project::of(&[asks("a", "chats", "require_calls: true")]);
    project.run_with(&[LIVE], &[]).exits(0);
    assert_eq!(project.verdict("s::a")["runs"][0]["answer"], "It has shipped.");
}

#[test]
fn an_error_is_the_trials_with_its_causes() {
    let project = Project::of(&[asks("a", "errs", "")]);
    let ran = project.run_with(&[LIVE], &[]).exits(101);
    ran.says("error[trial]: the agent `errs` failed\n --> evals/s.yaml:4:12")
        .says("= cause: the model refused")
        .says("401 from the model");
    assert_eq!(project.verdict("s::a")["status"], "error");
}

#[test]
fn a_panic_is_the_trials_error_and_no_other_trials() {
    let project = Project::of(&[asks("a", "panics", ""), asks("b", "looks", "")]);
    let ran = project.run_with(&[LIVE], &[]).exits(101);
    assert_eq!(ran.results()["s::b"], "ok");
    ran.says("error[trial]: the agent `panics` panicked: no such tool").complains("tests/subject/agents.rs:");
}

/// An agent that talks to a process may meet a closed pipe; that is no reason to end the run.
#[test]
fn a_pipe_error_of_an_agent_is_its_own() {
    let project = Project::of(&[asks("a", "looks", ""), asks("b", "unplugged", ""), asks("c", "looks", "")]);
    for threads in ["1", "4"] {
        let ran = project.run_with(&[LIVE], &["--test-threads", threads]).exits(101);
        ran.says("error[trial]: the agent `unplugged` panicked: failed to write: Broken pipe")
            .says("2 passed; 1 failed");
    }
}

#[test]
fn what_is_no_trace_is_an_error_with_the_nearest_readers_reason() {
    let ran = Project::of(&[asks("a", "babbles", "")]).run_with(&[LIVE], &[]).exits(101);
    ran.says("the agent `babbles` did not return a valid trace")
        .says("no reader knows this trace; the nearest is `")
        .says("declare a reader for it: docs/traces.md");
}

#[test]
fn an_agent_that_hangs_or_blocks_is_stopped_in_time() {
    let project = Project::of(&[asks("a", "hangs", "timeout: 200ms"), asks("b", "blocks", "timeout: 200ms")]);
    let started = Instant::now();
    let ran = project.run_with(&[LIVE], &[]).exits(101).says("0 passed; 2 failed");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    ran.says("the agent `hangs` timed out: no answer within 200ms")
        .says("the agent `blocks` timed out: no answer within 200ms");
}

/// The most that were at work at once, of twenty.
fn most_at_once(arguments: &[&str]) -> u32 {
    let cases: Vec<String> = (0..20).map(|n| asks(&format!("c{n}"), "counts", "")).collect();
    let project = Project::of(&cases);
    project.run_with(&[LIVE], arguments).exits(0);
    let most = (0..20).map(|n| project.verdict(&format!("s::c{n}"))["runs"][0]["answer"].clone());
    most.filter_map(|most| most.as_str()?.parse().ok()).max().expect("they answer")
}

#[test]
fn sixteen_are_at_work_whatever_the_threads_are() {
    assert_eq!(most_at_once(&["--test-threads", "2"]), 16);
}

#[test]
fn one_thread_is_one_agent() {
    assert_eq!(most_at_once(&["--test-threads", "1"]), 1);
}

#[test]
fn each_run_of_a_case_is_asked() {
    let project = Project::of(&[asks("a", "looks", "repeat: 3")]);
    project.run_with(&[LIVE], &[]).exits(0);
    let runs = project.verdict("s::a")["runs"].clone();
    let answers: Vec<&str> =
        runs.as_array().expect("runs").iter().filter_map(|run| run["answer"].as_str()).collect();
    assert_eq!(answers, ["run 1 of a", "run 2 of a", "run 3 of a"]);
}

/// The agent's panic is on standard error, if it was asked.
#[test]
fn only_trials_that_run_ask() {
    let ignored = asks("ignored", "panics", "ignore: too dear");
    let project = Project::of(&[asks("other", "panics", ""), ignored, asks("a", "looks", "")]);
    for arguments in [&["s::a"][..], &["--exact", "s::a"], &["--skip", "other"], &["--list"], &["a", "s::a"]]
    {
        let arguments = [arguments, &["--skip", "other"]].concat();
        let ran = project.run_with(&[LIVE], &arguments).exits(0);
        let asked = if arguments.contains(&"--list") { "" } else { "arraign: agents ran once\n" };
        assert_eq!(ran.stderr, asked);
    }
    project.run_with(&[LIVE], &["--ignored"]).exits(101).complains("no such tool");
}

#[test]
fn one_variable_chooses_the_agent_of_all() {
    let own = "  - {id: own, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}\n".to_owned();
    let project = Project::of(&[asks("a", "looks", ""), own]);
    let ran = project.run_with(&[LIVE, ("ARRAIGN_VARIANT", "deletes")], &[]).exits(101);
    assert_eq!(ran.results().into_iter().collect::<Vec<_>>(), [("s::a@deletes", "FAILED"), ("s::own", "ok")]);
    let slip = project.run_with(&[("ARRAIGN_VARIANT", "delete")], &[]).exits(2);
    slip.complains("no variant is called `delete`; did you mean `deletes`?");
}

#[test]
fn a_recording_of_one_agent_is_none_of_another() {
    let project = Project::of(&[asks("a", "looks", "")]);
    project.run_with(&[("ARRAIGN_AGENT_MODE", "record"), ("ARRAIGN_OUT", "made")], &[]).exits(0);
    project.run_with(&[("ARRAIGN_OUT", "own")], &[]).exits(0);
    let project = project.file("evals/s.yaml", suite(&[asks("a", "deletes", "")]));
    let ran = project.run_with(&[("ARRAIGN_OUT", "other")], &[]).exits(101);
    ran.says("recorded by another agent: `looks` made the recording, and the case asks `deletes`")
        .says("help: run this agent: ARRAIGN_AGENT_MODE=live");
    for mode in ["record", "rerecord"] {
        let refused =
            project.run_with(&[("ARRAIGN_AGENT_MODE", mode), ("ARRAIGN_OUT", mode)], &[]).exits(101);
        refused.says(
            "evals/traces/s/a.json is a recording of the agent `looks`, and `deletes` would replace it",
        );
    }
    // A recording without a name may be of any agent.
    let text = project.read("evals/traces/s/a.json");
    let name = text.find("\"agent_name\"").expect("a name");
    let end = name + text[name..].find(',').expect("another key") + 1;
    project.write("evals/traces/s/a.json", format!("{}{}", &text[..name], &text[end..]));
    project.run_with(&[("ARRAIGN_OUT", "unnamed")], &[]).exits(0);
}
