//! `ARRAIGN_VERBOSE=1`: what became of each case, passed or not.

use crate::project::{Project, case, green, red};

const ON: [(&str, &str); 1] = [("ARRAIGN_VERBOSE", "1")];

#[test]
fn each_case_has_a_block_in_the_order_of_the_files() {
    let project = Project::of(&[green("z"), red("y"), green("x")]);
    let ran = project.run_with(&ON, &["--test-threads", "3"]).exits(101);
    let blocks = &ran.stdout[ran.stdout.find("test result").expect("the result")..];
    let heads: Vec<&str> = blocks.lines().filter(|line| line.contains("ED, score")).collect();
    assert_eq!(heads, ["s::z: PASSED, score 100%", "s::y: FAILED, score 0%", "s::x: PASSED, score 100%"]);
    ran.says("  tools called: look\n  tool_blocklist  holds      100%\n").says_nothing_on_stderr();
}

#[test]
fn a_trial_of_nextest_has_its_own_block() {
    let project = Project::of(&[green("a"), red("b")]);
    let variables = [("ARRAIGN_VERBOSE", "true"), ("NEXTEST", "1")];
    let ran = project.run_with(&variables, &["--exact", "s::a", "--nocapture"]).exits(0);
    assert!(!ran.stdout.contains("s::b"));
    ran.says("s::a: PASSED, score 100%");
}

#[test]
fn blocks_stay_out_of_json_events() {
    let ran = Project::of(&[green("a")]).run_with(&ON, &["--format", "json"]).exits(0);
    assert!(!ran.stdout.contains("PASSED"), "{}", ran.stdout);
    ran.complains("s::a: PASSED");
}

#[test]
fn nothing_is_said_of_what_did_not_run() {
    let project = Project::of(&[green("a"), case("b", "rm", "ignore: true"), green("c")]);
    let ran = project.run_with(&ON, &["--skip", "::c"]).exits(0).says("s::a: PASSED");
    assert!(!ran.stdout.contains("s::b: ") && !ran.stdout.contains("s::c: "), "{}", ran.stdout);
    assert!(!project.run_with(&ON, &["--list"]).exits(0).stdout.contains("PASSED"));
}

#[test]
fn a_switch_is_on_or_off() {
    let project = Project::of(&[green("a")]);
    for off in ["0", "false", ""] {
        let ran = project.run_with(&[("ARRAIGN_VERBOSE", off)], &[]).exits(0);
        assert!(!ran.stdout.contains("PASSED"), "{off}");
    }
    let ran = project.run_with(&[("ARRAIGN_VERBOSE", "yes")], &[]).exits(2);
    ran.complains("error: ARRAIGN_VERBOSE is `yes`: expected `1` or `0`");
}
