//! What the harness prints is what libtest prints, and what a person needs beside it.

use crate::project::{Project, case, green, red};

fn three() -> Project {
    Project::of(&[green("apple"), red("banana"), case("cherry", "look", "ignore: too slow")])
}

#[test]
fn trials_that_filters_leave_out_are_counted() {
    let project = three();
    project.run(&["apple"]).exits(0).says("1 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out");
    project
        .run(&["apple", "cherry"])
        .exits(0)
        .says("1 passed; 0 failed; 1 ignored; 0 measured; 1 filtered out");
    project.run(&["--skip", "banana"]).exits(0).says("1 ignored; 0 measured; 1 filtered out");
    project.run(&["--ignored"]).exits(0).says("1 passed; 0 failed; 0 ignored; 0 measured; 2 filtered out");
}

#[test]
fn times_are_reported_where_they_are_asked_for() {
    let ran = three().run(&["-Z", "unstable-options", "--report-time", "apple"]).exits(0);
    let line =
        ran.stdout.lines().find(|line| line.starts_with("test s::apple")).expect("the line").to_owned();
    let time = line.strip_prefix("test s::apple ... ok <").and_then(|rest| rest.strip_suffix("s>"));
    assert!(time.is_some_and(|time| time.parse::<f64>().is_ok()), "{line}");
    assert!(!three().run(&["apple"]).stdout.contains('<'));
    let json = three().run(&["--format", "json", "apple"]).exits(0);
    let end = json.stdout.lines().find(|line| line.contains(r#""event": "ok", "exec_time": "#));
    assert!(end.is_some(), "{}", json.stdout);
}

#[test]
fn a_seed_gives_an_order_and_every_trial_runs() {
    let cases: Vec<String> = (0..20).map(|number| green(&format!("n{number:02}"))).collect();
    let project = Project::of(&cases);
    let order = |arguments: &[&str]| {
        let ran = project.run(&[&["--test-threads", "1"], arguments].concat()).exits(0);
        let lines = ran.stdout.lines().filter(|line| line.starts_with("test s::")).map(str::to_owned);
        (ran.stdout.lines().nth(1).expect("a title").to_owned(), lines.collect::<Vec<_>>())
    };
    let (title, plain) = order(&[]);
    assert_eq!((title.as_str(), plain.len()), ("running 20 tests", 20));
    let (title, seven) = order(&["--shuffle-seed", "7"]);
    assert_eq!(title, "running 20 tests (shuffle seed: 7)");
    assert_eq!(seven, order(&["-Zunstable-options", "--shuffle-seed=7"]).1);
    assert_ne!(seven, plain);
    let mut sorted = seven;
    sorted.sort();
    assert_eq!(sorted, plain);
    assert!(order(&["--shuffle"]).0.starts_with("running 20 tests (shuffle seed: "));
    project
        .run(&["--shuffle-seed", "x"])
        .exits(2)
        .complains("--shuffle-seed is `x`: expected an integer from 0 up");
}

#[test]
fn junit_is_all_that_is_on_standard_output() {
    let ran = three().run(&["-Z", "unstable-options", "--format", "junit"]).exits(101);
    assert!(
        ran.stdout.starts_with("<?xml") && ran.stdout.trim_end().ends_with("</testsuites>"),
        "{}",
        ran.stdout
    );
    for part in ["s::apple", "<failure", "s::banana", "<skipped"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

#[test]
fn a_log_has_a_line_for_each_trial_and_the_terminal_keeps_its_own() {
    let project = three();
    let log = project.path("log");
    let ran = project.run(&["--test-threads", "1", "--logfile", &log.to_string_lossy()]).exits(101);
    ran.says("test s::apple  ... ok").says("error[tool_blocklist]").says("1 passed; 1 failed; 1 ignored");
    assert_eq!(project.read("log"), "ok s::apple\nfailed s::banana\nignored: too slow s::cherry\n");
}

/// 300 cases whose traces nobody has recorded.
#[test]
fn errors_of_one_cause_are_one_block_and_a_list() {
    let cases: Vec<String> = (0..300)
        .map(|number| format!("  - {{id: c{number:03}, expect: [{{tool_called: look}}]}}\n"))
        .collect();
    let project =
        Project::empty().file("evals/s.yaml", format!("tests:\n{}{}", cases.concat(), red("banana")));
    let ran = project.run(&["--test-threads", "1"]).exits(101);
    let (_, messages) = ran.stdout.split_once("\nfailures:\n\n").expect("messages");
    let (messages, names) = messages.split_once("\nfailures:\n").expect("names");
    assert!(messages.starts_with("---- s::c000 ----\nerror[trial]: no trace"), "{messages}");
    assert_eq!(messages.matches("error[trial]").count(), 1, "{messages}");
    assert!(messages.contains("the same for 299 more trials:\n  s::c001: no trace"), "{messages}");
    assert!(messages.contains("  ... and 279 more, which the list at the end names\n"), "{messages}");
    assert!(messages.contains("---- s::banana ----\nerror[tool_blocklist]"), "{messages}");
    assert!(messages.lines().count() < 60, "{messages}");
    assert_eq!(names.lines().filter(|line| line.starts_with("    s::")).count(), 301);
    ran.says("301 red trials by check:\n  an error        300  s::c000, s::c001, s::c002 and 297 more")
        .says("\n  tool_blocklist    1  s::banana\n");
}

/// Nothing is lost for a machine.
#[test]
fn events_have_each_message() {
    let cases: Vec<String> =
        (0..6).map(|number| format!("  - {{id: c{number}, expect: [{{tool_called: look}}]}}\n")).collect();
    let project = Project::empty().file("evals/s.yaml", format!("tests:\n{}", cases.concat()));
    let ran = project.run(&["--format", "json"]).exits(101);
    assert_eq!(ran.stdout.matches(r#""stdout": "\nthread 's::c"#).count(), 6, "{}", ran.stdout);
    ran.complains("6 red trials by check:");
}

#[test]
fn a_red_trial_says_why_it_matters_and_what_its_calls_returned() {
    let long = "x".repeat(300);
    let text = format!(
        r#"- id: a
  description: nobody pays twice
  trace:
    steps:
      - {{user: "Pay order 7"}}
      - {{call: find, args: {{id: 7}}, result: {long}}}
      - {{call: pay, args: {{id: 7}}, result: "{long} Authorization: Bearer abcdefghijklmnop1234"}}
      - {{call: mail, args: {{}}, error: the server is down}}
      - {{say: Paid.}}
  expect: [{{not_called: pay}}]
"#
    );
    let ran = Project::empty().file("evals/s.yaml", text).run(&[]).exits(101);
    let ran = ran.says("  = case: nobody pays twice\n").says("failed: the server is down");
    // The result that the violation is about is whole, and the other one is cut.
    assert!(ran.stdout.contains(&format!("-> {long} Auth")), "{}", ran.stdout);
    assert!(ran.stdout.contains(&format!("-> {}...", "x".repeat(60))), "{}", ran.stdout);
    assert!(!ran.stdout.contains("abcdefghijklmnop1234"), "{}", ran.stdout);
}
