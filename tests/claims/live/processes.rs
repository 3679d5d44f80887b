//! What becomes of an agent's processes, and how many there are.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{LIVE, asks, shell};
use crate::project::Project;

/// Starts a process that lasts, writes its id to `file`, and goes on.
fn starts_one(file: &std::path::Path) -> String {
    format!("sleep 300 & echo $! > {}; ", file.display())
}

fn process_of(file: &std::path::Path) -> String {
    let read = || std::fs::read_to_string(file).unwrap_or_default().trim().to_owned();
    eventually(|| !read().is_empty());
    read()
}

fn is_alive(process: &str) -> bool {
    let found = Command::new("ps").args(["-o", "stat=", "-p", process]).output().expect("ps");
    let state = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

#[track_caller]
fn eventually(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(20), "it never came");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_an_agent_started_is_killed_with_it() {
    let project = Project::empty();
    let file = project.path("process");
    let agent = shell(&(starts_one(&file) + "sleep 300"));
    project.write("evals/s.yaml", format!("tests:\n{}", asks("a", &agent, "timeout: 500ms")));
    project.run_with(&[LIVE], &[]).exits(101).says("no answer within 500ms");
    eventually(|| !is_alive(&process_of(&file)));
}

#[test]
fn what_an_agent_leaves_behind_is_killed_and_not_waited_for() {
    let project = Project::empty();
    let file = project.path("process");
    let agent = shell(&(starts_one(&file) + "echo '{\"calls\": [\"look\"]}'"));
    project.write("evals/s.yaml", format!("tests:\n{}", asks("a", &agent, "")));
    let started = Instant::now();
    project.run_with(&[LIVE], &[]).exits(0);
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    eventually(|| !is_alive(&process_of(&file)));
}

#[test]
fn an_interrupt_ends_all_processes() {
    for (signal, exit_code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let project = Project::empty();
        let file = project.path("process");
        let agent = shell(&(starts_one(&file) + "sleep 300"));
        project.write("evals/s.yaml", format!("tests:\n{}", asks("a", &agent, "")));
        let mut command = project.command(&[]);
        let quiet = command.env(LIVE.0, LIVE.1).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running: Child = quiet.spawn().expect("it starts");
        let process = process_of(&file);
        let killed = Command::new("kill").args([signal, &running.id().to_string()]).status();
        assert!(killed.expect("kill").success());
        assert_eq!(running.wait().expect("it ends").code(), Some(exit_code));
        eventually(|| !is_alive(&process));
    }
}

/// Each waits for fifteen others, so one fewer at once would never end; and each counts who runs beside it.
#[test]
fn sixteen_agents_run_at_once_and_no_more() {
    let project = Project::empty();
    let running = project.path("running");
    let counted = project.path("counted");
    std::fs::create_dir_all(&running).expect("a folder");
    let agent = shell(&format!(
        "cd {}; touch $$; ls | wc -l >> {counted}; until [ $(wc -l < {counted}) -ge 16 ]; do sleep 0.05; done; \
         sleep 0.2; rm $$; echo '{{\"calls\": [\"look\"]}}'",
        running.display(),
        counted = counted.display(),
    ));
    let cases: Vec<String> = (0..40).map(|n| asks(&format!("c{n}"), &agent, "timeout: 60s")).collect();
    project.write("evals/s.yaml", format!("tests:\n{}", cases.concat()));
    project.run_with(&[LIVE], &["--test-threads", "2"]).exits(0).says("40 passed");
    let counted = std::fs::read_to_string(counted).expect("the counts");
    let most = counted.lines().filter_map(|count| count.trim().parse::<u32>().ok()).max();
    assert_eq!(most, Some(16), "{counted}");
}

/// A session of its own is no member of the agent's group: on Linux it is found by its parent, or by its mark.
#[cfg(target_os = "linux")]
#[test]
fn what_has_left_the_group_ends_with_the_agent() {
    let cases = [
        ("sleeps", "setsid sleep 300 & echo $! > PID; sleep 300", 101),
        // The parents have ended: the process is an orphan by the time the agent is killed, or has answered.
        ("orphan", "(setsid sh -c 'sleep 300 & echo $! > PID' &); sleep 300", 101),
        (
            "leaves",
            "(setsid sh -c 'sleep 300 & echo $! > PID' &); sleep 0.3; echo '{\"calls\": [\"look\"]}'",
            0,
        ),
    ];
    for (name, script, exit_code) in cases {
        let project = Project::empty();
        let file = project.path("process");
        let agent = shell(&script.replace("PID", &file.display().to_string()));
        project.write("evals/s.yaml", format!("tests:\n{}", asks(name, &agent, "timeout: 2s")));
        project.run_with(&[LIVE], &[]).exits(exit_code);
        eventually(|| !is_alive(&process_of(&file)));
    }
}
