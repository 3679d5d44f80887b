//! `cargo arraign run`.

use std::fs;
use std::process::Command;

use crate::locate_in_repository;
use crate::package::{Package, copy};
use crate::program::arraign;

const CASES: &str = "tests:
  - {id: green, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}
  - {id: red, trace: {calls: [rm]}, expect: [{tool_blocklist: [rm]}]}
";

#[test]
fn the_codes_are_those_of_a_test_target() {
    let package = Package::of(CASES);
    assert_eq!(package.arraign(&["run"]).code, Some(101));
    assert_eq!(package.arraign(&["run", "evals", "--", "--skip", "red"]).code, Some(0));
    assert_eq!(package.arraign_with(&[("ARRAIGN_TIER", "smoke")], &["run"]).code, Some(2));
    assert_eq!(package.arraign(&["run", "--", "--wat"]).code, Some(2));
}

#[test]
fn a_red_trial_says_how_this_program_runs_it_again() {
    let package = Package::of(CASES);
    let ran = package.arraign(&["run"]);
    assert!(ran.stdout.contains("= rerun: cargo arraign run -- --exact s::red\n"), "{}", ran.stdout);
    fs::rename(package.path("evals"), package.path("my evals")).expect("another folder");
    let ran = package.arraign(&["run", "my evals"]);
    assert!(
        ran.stdout.contains("= rerun: cargo arraign run 'my evals' -- --exact s::red\n"),
        "{}",
        ran.stdout
    );
}

#[test]
fn the_verdicts_lie_in_the_target_folder_of_the_package() {
    let package = Package::of(CASES);
    package.arraign(&["run"]);
    assert_eq!(fs::read_dir(package.path("target/arraign")).expect("a run").count(), 1);
}

#[test]
fn a_folder_that_is_not_there_is_2() {
    let ran = arraign(&Package::of(CASES).path(""), &["run", "elsewhere"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(2), "error: no folder `elsewhere`: name the folder of the cases\n")
    );
}

/// A trial that has ended before the interrupt has its whole verdict. The other trials do not count as passed.
#[cfg(all(unix, feature = "live"))]
#[test]
fn an_interrupted_run_is_130_and_its_report_is_not_green() {
    use rustix::process::{Pid, Signal, kill_process};

    let slow = "{id: slow, input: hi, agent: {command: [sh, -c, 'touch began; sleep 60']}, expect: [{tool_blocklist: [rm]}]}";
    let green = "{id: green, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}";
    let package = Package::of(&format!("tests:\n  - {green}\n  - {slow}\n"));
    let mut command = package.command(&["run", "--", "--test-threads=2"]);
    command.env("ARRAIGN_AGENT_MODE", "live").stdout(std::process::Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let has_verdict = || {
        let runs = fs::read_dir(package.path("target/arraign")).into_iter().flatten().flatten();
        let files = runs.flat_map(|run| fs::read_dir(run.path()).into_iter().flatten().flatten());
        files.filter_map(|file| fs::read_to_string(file.path()).ok()).any(|log| log.contains("s::green"))
    };
    let started = std::time::Instant::now();
    while !(has_verdict() && package.path("began").exists()) {
        assert!(started.elapsed().as_secs() < 30, "the run does not come so far");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(id, Signal::INT).expect("it is ours");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let ran = package.arraign(&["report"]);
    assert_eq!(ran.code, Some(101), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 case: 1 passed"), "{}", ran.stdout);
    assert!(ran.stderr.contains("the run is incomplete: 1 trial without a verdict"), "{}", ran.stderr);
}

/// This repository's own cases, but for those of checks that its test target brings.
#[test]
fn the_trials_are_those_of_the_test_target() {
    let listed = listed_by_the_test_target();
    let expected: Vec<&str> = listed.lines().filter(|line| !line.starts_with("custom::")).collect();
    assert!(expected.len() > 100, "{listed}");
    let package = Package::of("");
    fs::remove_dir_all(package.path("evals")).expect("the folder is empty");
    copy(&locate_in_repository("evals"), &package.path("evals"));
    fs::remove_dir_all(package.path("evals/custom")).expect("the cases of own checks");
    let ran = package.arraign(&["run", "--", "--list"]);
    assert_eq!(ran.stdout.lines().collect::<Vec<_>>(), expected, "{}", ran.stderr);
}

/// What `cargo test --test evals -- --list` says, with the features of this test: nothing is built twice.
fn listed_by_the_test_target() -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--test", "evals"]).current_dir(locate_in_repository(""));
    let others = [(cfg!(feature = "live"), "live"), (cfg!(feature = "http"), "http")];
    for (has, feature) in others {
        command.args(has.then_some(["--features", feature]).into_iter().flatten());
    }
    command.args((!cfg!(debug_assertions)).then_some("--release")).args(["--", "--list"]);
    for name in ["NEXTEST", "ARRAIGN_TIER", "ARRAIGN_TAGS"] {
        command.env_remove(name);
    }
    // Build scripts look at these: passed on, they would have packages built again.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_PKG_"))
    {
        command.env_remove(name);
    }
    command.env_remove("CARGO_MANIFEST_DIR").env_remove("CARGO_MANIFEST_PATH");
    let output = command.output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}
