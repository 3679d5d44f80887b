//! A trace may hold anything: what reaches a terminal or a CI log cannot move a cursor, ring a bell, reorder
//! letters or pass for a command.

use crate::project::{Project, Ran};
use arraign::json::{self, Json, json};

const HOSTILE: &str = "\u{1b}[2J\u{1b}]8;;http://x\u{7}bell\u{7}\u{8}\u{202e}rtl\u{2066}\u{61c}nul\u{0}\u{9b}31m\
    \r\n::error file=x::owned\n##vso[task.complete]\nlook: ##[error]x\nthread 'x' panicked at y:1:1:\n\u{7f}\u{85}\u{2028}end";

fn hostile() -> Project {
    let call = json!({"call": HOSTILE, "args": {HOSTILE: HOSTILE}, "result": HOSTILE});
    let refused = json!({"call": "rm", "args": {"path": HOSTILE}});
    let case = json!({
        "id": "a",
        "description": HOSTILE,
        "trace": {"calls": [call, refused], "answer": HOSTILE},
        "expect": [{"tool_blocklist": ["rm", "*bell*"]}],
    });
    Project::empty().file("evals/s.json", ascii(&format!("{case:#}")))
}

/// JSON with everything but ASCII escaped: YAML takes no raw control characters.
fn ascii(json: &str) -> String {
    let escape = |c: char| match c {
        '\u{7f}' | '\u{80}'..='\u{ffff}' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    json.chars().map(escape).collect()
}

fn is_harmful(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[track_caller]
fn harmless(ran: &Ran) {
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.contains(is_harmful), "{text:?}");
        let command = |line: &&str| {
            ["::", "thread '"].iter().any(|start| line.trim_start().starts_with(start))
                || ["##[", "##vso["].iter().any(|command| line.contains(command))
        };
        assert_eq!(text.lines().find(command), None, "{text}");
    }
}

#[test]
fn a_hostile_trace_leaves_the_output_harmless() {
    let project = hostile();
    let ran = project.run(&[]).exits(101);
    harmless(&ran);
    assert!(ran.stdout.contains("\\u{1b}[2J"), "{}", ran.stdout);
    harmless(&project.run_with(&[("NEXTEST", "1")], &["--exact", "s::a", "--nocapture"]).exits(101));
    harmless(&project.run(&["--list"]).exits(0));
    // The verdict keeps the text: JSON escapes what it must, and a report decides for itself.
    let verdict = project.verdicts("out").pop().expect("a verdict");
    assert_eq!(verdict["description"], HOSTILE);
}

#[test]
fn a_hostile_trace_leaves_events_harmless() {
    let ran = hostile().run(&["-Z", "unstable-options", "--format=json"]).exits(101);
    assert!(!ran.stdout.contains(is_harmful), "{:?}", ran.stdout);
    for line in ran.stdout.lines() {
        let event: Json = json::from_str(line).expect("an event");
        let text = event["stdout"].as_str().unwrap_or_default();
        assert!(!text.contains(is_harmful), "{text:?}");
        assert!(text.lines().filter(|line| line.starts_with("thread '")).count() <= 1, "{text}");
    }
}

#[test]
fn a_hostile_file_is_drawn_harmless() {
    let text = "tests:\n  - {id: a, \"met\u{202e}ric\": x, metric: \"\\e[31m\\x9b\", tier: \"\\x7f\"}\n";
    let project = Project::empty().file("evals/s\u{1b}[31m.yaml", text);
    harmless(&project.run(&[]).exits(2));
    harmless(&project.run_with(&[("NEXTEST", "1")], &["--exact", "s%1B[31m::a"]).exits(101));
    let json = ["--exact", "s%1B[31m::a", "--format=json"];
    assert!(!project.run(&json).exits(101).stdout.contains(is_harmful));
}

#[test]
fn a_megabyte_of_arguments_is_cut() {
    let call = json!({"call": "rm", "args": {"blob": "x".repeat(1 << 20)}});
    let case = json!({"trace": {"calls": [call]}, "expect": [{"tool_blocklist": ["rm"]}]});
    let project = Project::empty().file("evals/s.json", format!("{case:#}"));
    let ran = project.run(&[]).exits(101);
    assert!(ran.stdout.len() < 4096, "{} bytes", ran.stdout.len());
    assert!(project.verdict("s").to_string().len() < 8192, "4,000 characters of it are kept");
}

#[test]
fn many_calls_are_not_all_shown() {
    let calls: Vec<Json> = (0..5000).map(|n| json!(if n % 2 == 0 { "look" } else { "rm" })).collect();
    let case = json!({"trace": {"calls": calls}, "expect": [{"tool_blocklist": ["rm"]}]});
    let ran = Project::empty().file("evals/s.json", case.to_string()).run(&[]).exits(101);
    assert!(ran.stdout.lines().count() < 60, "{}", ran.stdout);
    ran.says("was called 2500 times").says("in the case (inline, 5000 calls)").says(" more)");
}
