//! A run counts for a case only if it was recorded for the input of the case.

use arraign::__internals::case::{AgentFingerprint, TraceFrom, fingerprint_input};
use arraign::__internals::report::terminal::render_red_trial;
use arraign::json::{self, Json, json};
use arraign::trace::Provenance;
use arraign::{Case, Harness, LoadErrors, Status, Suite, Trace, Verdict, evaluate};

use crate::project::Project;

/// A run in which the user asks about order 7 in a longer text, and then says thanks.
const RUN: &str = "trace:
  - {user: \"Answer briefly.\\n\\nWhere is   order 7?\"}
  - {call: look, args: {id: 7}, result: shipped}
  - {say: It has shipped.}
  - {user: Thanks!}
  - {say: You are welcome.}
expect: [{tool_blocklist: [rm]}]
";

/// A run in which the user says nothing.
const SILENT_RUN: &str = "trace: [{call: look}, {say: It has shipped.}]\nexpect: [{tool_blocklist: [rm]}]\n";

fn parse_case(text: &str) -> Result<Suite, LoadErrors> {
    Harness::new("evals").parse(&format!("id: a\n{text}"))
}

fn inline_trace(case: &Case) -> &Trace {
    let TraceFrom::Inline(trace) = &case.trace else { panic!("no inline trace") };
    trace
}

fn judge(input: &str, run: &str) -> Verdict {
    let suite = parse_case(&format!("{input}\n{run}")).expect("a case");
    evaluate(&suite.cases[0], inline_trace(&suite.cases[0]))
}

fn status(input: &str, run: &str) -> Status {
    judge(input, run).status
}

#[test]
fn a_run_fits_if_the_first_user_message_has_the_input_as_lines_of_its_own() {
    for input in ["input: Where is order 7?", "input: {query: 'Where is order  7?'}", ""] {
        assert_eq!(status(input, RUN), Status::Pass, "{input}");
    }
    let others = ["Where is order 8?", "where is order 7?", "Where is order 7", "order 7?", "Thanks!", "''"];
    for input in others {
        assert_eq!(status(&format!("input: {input}"), RUN), Status::Undecided, "{input}");
    }
}

#[test]
fn a_setting_says_which_messages_are_compared() {
    for (input_match, input, expected) in [
        ("first", "Thanks!", Status::Undecided),
        ("last", "Thanks!", Status::Pass),
        ("last", "Where is order 7?", Status::Undecided),
        ("any", "Thanks!", Status::Pass),
        ("any", "Thanks", Status::Undecided),
        ("contains", "Thanks", Status::Pass),
        ("contains", "order 8", Status::Undecided),
        ("true", "Thanks!", Status::Undecided),
        ("false", "order 8", Status::Pass),
    ] {
        let settings = format!("input: {input}\ninput_match: {input_match}");
        assert_eq!(status(&settings, RUN), expected, "{settings}");
    }
    let error = parse_case(&format!("input_match: frist\n{RUN}")).err().expect("a mistake").to_string();
    assert!(error.contains("`input_match` is `first`, `last`, `any`, `contains` or `false`"), "{error}");
}

#[test]
fn the_advice_names_the_setting_with_which_a_run_counts() {
    for (input, setting) in [("Thanks!", "any"), ("order 7", "contains"), ("order 8", "false")] {
        let help = judge(&format!("input: {input}"), RUN).findings[0].help.clone().expect("advice");
        assert!(help.ends_with(&format!("`input_match: {setting}` accepts the difference")), "{help}");
    }
}

#[test]
fn the_case_decides_before_its_suite_and_that_before_all_suites() {
    let run = |text: &str| json!({"steps": [{"user": text}, {"call": "look"}]}).to_string();
    let suite = |head: &str, case: &str| {
        format!(
            "{head}tests:\n  - {{id: a, input: order 7, {case}trace: traces/a.json, expect: [tool_called: look]}}\n"
        )
    };
    let project = Project::empty().file("evals/traces/a.json", run("about order 7, please"));
    for (number, (all, head, case, code)) in [
        ("", "", "", 101),
        ("input_match: contains", "", "", 0),
        ("input_match: contains", "input_match: first\n", "", 101),
        ("", "input_match: contains\n", "", 0),
        ("", "input_match: contains\n", "input_match: any, ", 101),
        ("", "defaults: {input_match: contains}\n", "", 0),
    ]
    .into_iter()
    .enumerate()
    {
        project.write("evals/arraign.yaml", format!("size_limit: 1 MB\n{all}\n"));
        project.write("evals/s.yaml", suite(head, case));
        project.run_with(&[("ARRAIGN_OUT", &format!("run{number}"))], &[]).exits(code);
    }
}

#[test]
fn a_run_for_another_input_is_undecided_with_both_texts() {
    let verdict = judge("input: Where is order 8?", RUN);
    assert_eq!(verdict.findings.len(), 1, "no check is asked");
    insta::assert_snapshot!(render_red_trial(&verdict));
}

#[test]
fn the_texts_of_turns_come_in_their_order() {
    let turns = |one: &str, other: &str| format!("turns: [{{query: {one}}}, {{query: {other}}}]");
    assert_eq!(status(&turns("Where is order 7?", "Thanks!"), RUN), Status::Pass);
    assert_eq!(status(&turns("Where is order 7?", "Where is order 7?"), RUN), Status::Undecided);
    let without_text = "turns: [{expected: {output: {contains: [shipped]}}}, {query: Thanks!}]";
    assert_eq!(status(&format!("{without_text}\nthresholds: {{min_score: 80}}"), RUN), Status::Pass);
    insta::assert_snapshot!(render_red_trial(&judge(&turns("Thanks!", "Where is order 7?"), RUN)));
}

#[test]
fn a_mapping_without_a_text_is_not_compared() {
    assert_eq!(status("input: {order: 8}", RUN), Status::Pass);
    let error = parse_case(&format!("input: {{qeury: x}}\n{RUN}")).err().expect("a mistake").to_string();
    assert!(error.contains("unknown key `qeury`") && error.contains("did you mean `query`?"), "{error}");
}

#[test]
fn a_run_without_a_user_message_is_not_compared() {
    assert_eq!(status("input: Where is order 8?", SILENT_RUN), Status::Pass);
    assert_eq!(status("turns: [{query: hello}]", SILENT_RUN), Status::Pass);
    // The native form can record the input without a message.
    let asked = "trace: {input: Where is order 7?, calls: [look]}\nexpect: [{tool_blocklist: [rm]}]";
    assert_eq!(status("input: Where is order 8?", asked), Status::Undecided);
}

#[test]
fn a_case_can_waive_the_rule() {
    assert_eq!(status("input: Where is order 8?\ninput_match: false", RUN), Status::Pass);
    assert_eq!(status("input: Where is order 8?\ninput_match: true", RUN), Status::Undecided);
}

#[test]
fn an_expected_failure_needs_a_run_for_the_input() {
    let fails = RUN.replace("[rm]", "[look]");
    assert!(judge("input: Where is order 7?\nexpect_verdict: fail", &fails).passed);
    assert!(!judge("input: Where is order 8?\nexpect_verdict: fail", &fails).passed);
    assert!(judge("input: Where is order 8?\nexpect_verdict: undecided", &fails).passed);
}

#[test]
fn a_fingerprint_decides_over_the_words() {
    let suite = parse_case(&format!("input: {{query: Where is order 7?, user: 1}}\n{RUN}")).expect("a case");
    let case = &suite.cases[0];
    let recorded_for = |input: &str| {
        let other = parse_case(&format!("{input}\n{RUN}")).expect("a case");
        let recorded = Provenance::new("arraign", "2026-11-22T10:00:00Z", fingerprint_input(&other.cases[0]));
        evaluate(case, &Trace { recorded: Some(Box::new(recorded)), ..inline_trace(case).clone() })
    };
    // The order of keys is not part of the input.
    assert_eq!(recorded_for("input: {user: 1, query: Where is order 7?}").status, Status::Pass);
    assert_eq!(recorded_for("input: {query: Where is order 7?, user: 2}").status, Status::Undecided);
    assert_eq!(recorded_for("input: Where is order 7?").status, Status::Undecided);
    assert_eq!(recorded_for("").status, Status::Undecided);
    let unfit = recorded_for("input: {query: Where is order 7?, user: 2}").findings[0].unfit.clone();
    assert_eq!(
        unfit.as_deref(),
        Some("recorded for another input: the fingerprint of the case's input differs from the recorded one")
    );
}

#[test]
fn a_run_of_an_agent_is_held_to_the_words_as_well() {
    let suite = parse_case(&format!("input: Where is order 7?\n{RUN}")).expect("a case");
    let case = &suite.cases[0];
    let other = parse_case(&RUN.replace("order 7", "order 17")).expect("a case");
    let agent = AgentFingerprint::default();
    let stamp = |run: &Trace| {
        let recorded = agent.stamp(case, run, "arraign", "2026-11-22T10:00:00Z");
        evaluate(case, &Trace { recorded: Some(Box::new(recorded)), ..run.clone() }).status
    };
    assert_eq!(stamp(inline_trace(case)), Status::Pass);
    assert_eq!(stamp(inline_trace(&other.cases[0])), Status::Undecided);
    // A run without a word of the user was asked what the agent was asked.
    let silent = parse_case(SILENT_RUN).expect("a case");
    assert_eq!(stamp(inline_trace(&silent.cases[0])), Status::Pass);
}

#[test]
fn one_run_for_another_input_leaves_several_runs_undecided() {
    let case = "id: a\ninput: order 7\ntrace: traces/*.json\nexpect: [{tool_blocklist: [rm]}]\n";
    let run = |text: &str, tool: &str| json!({"steps": [{"user": text}, {"call": tool}]}).to_string();
    let project = Project::empty()
        .file("evals/s.yaml", case)
        .file("evals/traces/1.json", run("order 7", "rm"))
        .file("evals/traces/2.json", run("order 8", "look"));
    project.run(&[]).exits(101).says("undecided: recorded for another input");
    assert_eq!(project.verdict("s::a")["status"], "undecided");
    let rate = "thresholds: {variance: {runs: 2, pass_rate: 0.5}}\n";
    project.write("evals/s.yaml", format!("{case}{rate}").replace("[rm]", "[ls]"));
    project
        .run_with(&[("ARRAIGN_OUT", "rate")], &[])
        .exits(101)
        .says("undecided: recorded for another input");
}

/// A suite with one case that a recording in its folder of traces belongs to.
fn recorded_project() -> Project {
    Project::empty()
        .file("evals/s.yaml", "tests:\n  - {id: a, input: order 7, expect: [{tool_blocklist: [rm]}]}\n")
        .file("evals/traces/s/a.json", r#"{"steps": [{"user": "order 8"}, {"call": "look"}]}"#)
}

#[test]
fn the_environment_can_waive_the_rule() {
    let project = recorded_project();
    project
        .run(&[])
        .exits(101)
        .says("recorded for another input: the case asks \"order 7\", the run was asked \"order 8\"");
    project.run_with(&[("ARRAIGN_STALE", "allow")], &[]).exits(0);
    project.run_with(&[("ARRAIGN_STALE", "refuse")], &[]).exits(101);
    let wrong = project.run_with(&[("ARRAIGN_STALE", "yes")], &[]).exits(2);
    wrong.complains("ARRAIGN_STALE is `yes`: expected `allow` or `refuse`");
}

#[test]
fn a_run_is_selected_by_the_id_of_its_case() {
    let run =
        |id: &str, text: &str| json!({"id": id, "steps": [{"user": text}, {"call": "look"}]}).to_string();
    let case =
        |id: &str| format!("  - {{id: {id}, input: about {id}, expect: [{{tool_blocklist: [rm]}}]}}\n");
    let suite =
        format!("defaults: {{trace: {{file: traces/all.jsonl, run: '{{id}}'}}}}\ntests:\n{}", case("one"));
    let project = Project::empty()
        .file("evals/s.yaml", format!("{suite}{}", case("two")))
        .file("evals/traces/all.jsonl", [run("one", "about one"), run("two", "about two")].join("\n"));
    project.run(&[]).exits(0);
    project.write("evals/s.yaml", format!("{suite}{}", case("third")));
    let gone = project.run_with(&[("ARRAIGN_OUT", "gone")], &[]).exits(101);
    gone.says("no run `third`: the file holds 2, counted from 1: `one`, `two`");
}

#[test]
fn a_run_sums_up_its_undecided_trials() {
    let case = |id: &str, more: &str| {
        format!("  - {{id: {id}, input: order 7, {more}expect: [{{tool_blocklist: [rm]}}]}}\n")
    };
    let other = "agent: looks, trace: traces/other.json, ";
    let cases = [
        case("a", other),
        case("b", "agent: looks, trace: traces/other2.json, "),
        case("c", "trace: traces/unread.json, "),
    ];
    let stale = r#"{"steps": [{"user": "order 8"}, {"call": "look"}]}"#;
    let unread =
        r#"{"calls_unrecorded": {"place": "line 3", "reason": "a new kind of part"}, "calls": ["look"]}"#;
    let project = Project::empty()
        .file("evals/s.yaml", format!("tests:\n{}", cases.concat()))
        .file("evals/traces/other.json", stale)
        .file("evals/traces/other2.json", stale)
        .file("evals/traces/unread.json", unread);
    let record = "ARRAIGN_AGENT_MODE=record cargo test --test subject -- --exact";
    project
        .run(&[])
        .exits(101)
        .complains("arraign: 3 trials are undecided: 2 recorded for another input, 1 not read whole")
        .complains(&format!("  recorded for another input: {record} s::a s::b"))
        .complains("  not read whole: cargo arraign explain --unread evals/traces/unread.json")
        .says(&format!("help: record the run again: {record} s::a; `input_match: false` accepts"));
    assert!(
        !project.run(&["--exact", "s::a"]).stderr.contains("is undecided"),
        "one trial says everything itself"
    );
}

#[test]
fn a_recording_contains_the_fingerprint_of_its_input() {
    let case = |input: &str| {
        format!("tests:\n  - {{id: a, input: {input}, agent: looks, expect: [{{tool_blocklist: [rm]}}]}}\n")
    };
    let project = Project::empty().file("evals/s.yaml", case("order 7"));
    project.run_with(&[("ARRAIGN_AGENT_MODE", "record")], &[]).exits(0);
    let recording: Json = json::from_str(&project.read("evals/traces/s/a.json")).expect("a recording");
    let recorded = &recording["recorded"];
    assert_eq!(recorded["by"], concat!("arraign ", env!("CARGO_PKG_VERSION")));
    assert!(
        recorded["input"].as_str().is_some_and(|input| input.starts_with("sha256:") && input.len() == 71)
    );
    assert!(recorded["at"].as_str().is_some_and(|at| at.ends_with('Z') && at.len() == 20), "{recorded}");
    project.run(&[]).exits(0);
    project.write("evals/s.yaml", case("order 8"));
    let changed = project.run_with(&[("ARRAIGN_OUT", "changed")], &[]).exits(101);
    changed.says(
        "recorded for another input: the fingerprint of the case's input differs from the recorded one",
    );
    project.run_with(&[("ARRAIGN_AGENT_MODE", "live"), ("ARRAIGN_OUT", "live")], &[]).exits(0);
}
