//! `cargo arraign lint`: what the cases leave untested.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use arraign::__internals::case::Day;
use arraign::json::{self, Json};
use arraign::{CannotDecide, Check, Evidence, Harness, Outcome, Violation};

use crate::locate_in_repository;
use crate::package::Package;
use crate::program::{arraign, pin};
use crate::report::suite;

fn package() -> PathBuf {
    locate_in_repository("tests/lint")
}

#[test]
fn each_thing_left_untested_is_a_line() {
    let ran = arraign(&package(), &["lint"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    pin("lint-text", &ran.stdout);
    assert_eq!(arraign(&package(), &["lint"]).stdout, ran.stdout, "the same each time");
}

#[test]
fn remarks_are_an_error_where_they_are_denied() {
    assert_eq!(arraign(&package(), &["lint", "--deny"]).code, Some(101));
}

#[test]
fn as_json_each_remark_has_its_place() {
    let ran = arraign(&package(), &["lint", "evals", "--format", "json"]);
    let found: Json = json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((&found["cases"], found["left_out"].as_array().map(<[Json]>::len)), (&7.into(), Some(2)));
    let remarks = found["remarks"].as_array().expect("remarks");
    let unused = remarks.iter().find(|remark| remark["lint"] == "uncalled_tool").expect("a remark");
    assert_eq!(
        (&unused["at"]["file"], &unused["at"]["line"]),
        (&"evals/policies/orders.yaml".into(), &6.into())
    );
}

/// A folder with one file of cases.
fn linted(suite: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("evals")).expect("a folder");
    fs::write(folder.path().join("evals/s.yaml"), suite).expect("a file");
    let ran = arraign(folder.path(), &["lint", "--deny"]);
    (ran.code, ran.stdout + &ran.stderr)
}

#[test]
fn a_name_that_is_nearly_the_name_of_a_called_tool_is_a_remark() {
    let (_, told) = linted(
        "{id: a, trace: {calls: [{call: get_order, server: shop}]}, expect: [{forbidden_tools: [get_ordr, \
         'crm:get_order', delete_all]}, {required_tools: [get_order]}]}",
    );
    for name in ["get_ordr", "crm:get_order"] {
        let remark = format!(
            "`forbidden_tools` names `{name}`, which its run does not call; it calls `shop:get_order`"
        );
        assert!(told.contains(&remark), "{told}");
    }
    assert!(!told.contains("delete_all"), "{told}");
}

/// A case may look at the state, or name the tool in a check of calls. One of several cases with the tools suffices.
#[test]
#[cfg(feature = "mocks")]
fn a_change_of_the_state_that_no_case_looks_at_is_a_remark() {
    let lint = |expect: &str| {
        linted(&format!(
            "{{mocks: {{state: {{orders: {{}}, log: []}}, tools: {{\n  close: {{set: {{'/orders/{{{{id}}}}': closed}}, return: ok}},\n  \
             note: {{append: {{/log: 1}}, return: ok}}}}}}, tests: [\n\
             {{id: a, trace: {{calls: [{{call: close, args: {{id: 7}}}}]}}, expect: [{expect}]}},\n\
             {{id: b, trace: {{calls: []}}, expect: [{{contains: x}}]}}]}}"
        ))
        .1
    };
    let remark = |tool: &str| {
        format!("unseen_effect: `{tool}` changes the state, and no case looks at what it changes")
    };
    let told = lint("{state: {has: {/orders/7: closed}}}");
    assert!(told.contains(&remark("note")) && !told.contains(&remark("close")), "{told}");
    assert!(told.contains("evals/s.yaml:3:3"), "{told}");
    let told = lint("{tool_called: note}");
    assert!(told.contains(&remark("close")) && !told.contains(&remark("note")), "{told}");
    let told = lint("{state: {after: [{close: {id: 7}}]}}");
    assert!(!told.contains("unseen_effect"), "{told}");
}

#[test]
fn cases_that_test_all_that_happens_leave_nothing_to_remark() {
    let told = linted(
        "{id: a, trace: {steps: [{call: f, args: {x: 1}, result: {}}, {say: done}]}, \
         expect: [args_valid: {tool: f, constraints: {x: {enum: [1]}}}, contains: done]}",
    );
    assert_eq!(told, (Some(0), "cases: 1, remarks: 0\n".to_owned()));
}

/// Only a program that can run agents knows the input that a recording should have.
#[cfg(feature = "live")]
#[test]
fn a_recording_of_an_agent_without_a_fingerprint_is_a_remark() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("evals/traces/s")).expect("a folder");
    let suite = "tests:\n  - {id: a, agent: shop, input: hi, expect: [{required_tools: [f]}]}\n  \
                 - {id: b, agent: shop, input: hi, expect: [{required_tools: [f]}]}\n";
    fs::write(folder.path().join("evals/s.yaml"), suite).expect("a file");
    let runs =
        [("a", r#"{"calls": ["f"]}"#), ("b", r#"{"recorded": {"input": "sha256:00"}, "calls": ["f"]}"#)];
    for (id, run) in runs {
        fs::write(folder.path().join(format!("evals/traces/s/{id}.json")), run).expect("a file");
    }
    let told = arraign(folder.path(), &["lint"]).stdout;
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("unfingerprinted")).collect();
    let message = "evals/s.yaml:2:20: unfingerprinted: the recording evals/traces/s/a.json has no fingerprint of its input; \
                   until it is recorded again, only the words of the input are compared";
    assert_eq!(lines, [message]);
}

#[test]
fn traces_that_nobody_reads_are_remarks() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("evals/traces/s")).expect("a folder");
    let suite = "tests:\n  - {id: a, expect: [{required_tools: [f]}]}\n  \
                 - {id: b, expect: [{required_tools: [f]}]}\n  \
                 - {id: c, repeat: 2, trace: traces/c*.json, expect: [{required_tools: [f]}]}\n";
    fs::write(folder.path().join("evals/s.yaml"), suite).expect("a file");
    // A backup is no trace.
    let names = [
        "s/a.jsonl",
        "s/a.json",
        "a.yaml",
        "s/b.json",
        "s/b.json~",
        "s/b.bak",
        "c1.json",
        "c2.json",
        "c3.json",
    ];
    for name in names {
        fs::write(folder.path().join("evals/traces").join(name), r#"{"calls": ["f"]}"#).expect("a file");
    }
    let told = arraign(folder.path(), &["lint"]).stdout;
    let is_about = |line: &&str| line.contains("several_traces") || line.contains("left_out_runs");
    let lines: Vec<&str> = told.lines().filter(is_about).collect();
    let several = "evals/s.yaml:2:10: several_traces: the case takes the trace `evals/traces/s/a.json`, and nobody reads \
                   `evals/traces/s/a.jsonl`, `evals/traces/a.yaml`; remove the other traces, or name the one with `trace:`";
    let left_out = "evals/s.yaml:4:21: left_out_runs: `repeat: 2` leaves out 1 recorded run; raise `repeat`, or remove the runs";
    assert_eq!(lines, [several, left_out]);
}

#[test]
fn a_tool_whose_failure_is_noticed_is_tested() {
    let (_, told) =
        linted("{id: a, trace: {calls: [f, g, g]}, expect: [sequence_valid: {sequence: [f, g, g]}]}");
    assert_eq!(told, "cases: 1, remarks: 0\n");
}

#[test]
fn a_folder_without_cases_is_exit_code_2() {
    let (code, told) = linted("{id: a, trace: gone.json, expect: [contains: x]}");
    assert_eq!(code, Some(2), "{told}");
    assert!(told.starts_with("error: no case in `evals` could be checked\n  evals/s.yaml:1:"), "{told}");
    let nowhere = arraign(&package(), &["lint", "nowhere"]);
    assert_eq!(nowhere.code, Some(2));
    assert!(nowhere.stderr.contains("no folder `nowhere`"), "{}", nowhere.stderr);
}

/// A check of a crate's own: nothing is logged.
#[derive(serde::Deserialize, arraign::schemars::JsonSchema)]
#[schemars(crate = "arraign::schemars")]
struct NothingLogged {}

impl Check for NothingLogged {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let logged = evidence.trace.calls.iter().find(|call| call.name == "log");
        Ok(logged.map(|call| Violation::new(format!("`{}` was called", call.name))).into())
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let mut trace = arraign::Trace::default();
        trace.push_call(arraign::trace::Call::new("log", arraign::trace::Arguments::none(), 1));
        Some(trace.into())
    }
}

#[test]
fn a_crate_with_checks_of_its_own_lints_in_a_test() {
    let harness = Harness::new("evals").at(package()).check::<NothingLogged>("not_on_sundays");
    let found = harness.lint().expect("the files can be listed");
    assert_eq!((found.cases, found.left_out.len()), (8, 1));
    let unused = found.remarks.iter().filter(|remark| remark.lint == "unused_policy");
    let unused: Vec<String> = unused.map(|remark| remark.at.to_string()).collect();
    assert_eq!(unused, ["evals/policies/forgotten.yaml:1:1"]);
    let unnoticed = |name: &str| {
        found.remarks.iter().any(|remark| remark.lint == "unnoticed_tool" && remark.message.contains(name))
    };
    assert!(!unnoticed("`log`"), "{:?}", found.remarks);
}

/// What a hostile trace can make it do is bounded.
#[test]
fn a_run_of_many_tools_is_tried_in_part() {
    let calls: Vec<String> = (0..3_000).map(|number| format!("t{number}")).collect();
    let (_, told) = linted(&format!(
        "{{id: a, trace: {{calls: [{}]}}, expect: [tool_blocklist: [rm]]}}",
        calls.join(", ")
    ));
    assert!(told.lines().count() < 1_000, "{}", told.lines().count());
}

#[test]
fn an_expectation_without_weight_is_remarked_and_noted_in_the_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("evals")).expect("a folder");
    let case = "id: w\nexpected: {tools: [a], tool_sequence: [a], output: {contains: [x]}}\nweights: {tool_accuracy: 0, \
                output_quality: 1, sequence_correctness: 0}\nthresholds: {min_score: 100}\ntrace: {calls: [b], answer: x}\n";
    fs::write(folder.path().join("evals/w.yaml"), case).expect("a file");
    let shown = arraign(folder.path(), &["lint"]).stdout;
    for check in ["tool_accuracy", "sequence_correctness"] {
        assert!(shown.contains(&format!("cannot_decide: this `{check}` has the weight 0")), "{shown}");
    }
    assert_eq!(arraign(folder.path(), &["run"]).code, Some(0));
    assert_eq!(arraign(folder.path(), &["report", "--format", "json"]).code, Some(0));
    let report = fs::read_to_string(folder.path().join("target/arraign/report.json")).expect("a report");
    assert!(report.contains("has the weight 0, so it cannot fail the case"), "{report}");
}

#[test]
fn near_misses_are_those_of_the_runs_of_the_case() {
    let (_, told) = linted(
        "tests:\n  - {id: ban, metric: tool_blocklist, blocklist: [get_order], trace: {calls: [{call: shop.get_order, \
         args: {oder_id: 1}, result: ok}]}}\n  - {id: other, expect: [{call: {tool: get_order, args: {order_di: 1}}}], \
         trace: {calls: [{call: get_order, args: {order_id: 1}, result: ok}]}}\n",
    );
    for remark in [
        "near_miss: `tool_blocklist` names `get_order`, which its run does not call; it calls `shop.get_order`",
        "near_miss: `call` names the argument `order_di`, which no call of `get_order` has; one has `order_id`",
    ] {
        assert!(told.contains(remark), "{told}");
    }
}

#[test]
fn settings_that_are_likely_slips_are_remarks() {
    let (_, told) = linted(
        "id: a\nthresholds: {variance: {runs: 2, pass_rate: 0.5}}\ntrace: {calls: [{call: f, args: {x: {length: 2, w: 1}}, \
         result: ok}]}\nexpect:\n  - not_called: \"^get_order$\"\n  - not_called: \"a,b\"\n  - call: {tool: f, args: {x: \
         {length: 2, w: 1}}}\n  - args_valid: {schema: {f: {properties: {x: {format: date}}, required: [x]}}}\n",
    );
    for remark in [
        "odd_name: `^get_order$` looks like a regular expression",
        "odd_name: `a,b` looks like several names",
        "allowed_by_pass_rate: this `not_called` need not hold in every run",
        "literal_matcher: `length` beside other keys is no matcher",
        "unasserted_format: `format: date` is an annotation here",
    ] {
        assert!(told.contains(remark), "{remark}: {told}");
    }
}

#[test]
fn cases_in_folders_of_data_and_hidden_ones_are_remarks() {
    let folder = tempfile::tempdir().expect("a folder");
    let case = "{id: a, trace: {calls: [f]}, expect: [{tool_called: f}]}\n";
    for (name, text) in [
        ("evals/s.yaml", case),
        ("evals/traces/lost.yaml", case),
        ("evals/policies/lost.yml", case),
        ("evals/.hidden.yaml", case),
        ("evals/traces/run.yaml", "{calls: [f], answer: the metric expect}\n"),
        ("evals/policies/tools.yaml", "{tools: {f: {arguments: {metric: {type: string}}}}}\n"),
        ("evals/.git/x.yaml", case),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    let told = arraign(folder.path(), &["lint"]).stdout;
    let lost: Vec<&str> = told.lines().filter(|line| line.contains("passed_over")).collect();
    let files: Vec<&str> = lost.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(files, ["evals/.hidden.yaml", "evals/policies/lost.yml", "evals/traces/lost.yaml"], "{told}");
}

#[test]
fn an_entry_of_the_quarantine_without_a_case_is_a_mistake() {
    let linted = |name: &str| {
        let package = Package::of(&suite(&[("a", "look")]));
        let until = Day::of_time(SystemTime::now());
        package
            .write("evals/quarantine.yaml", &format!("- {{case: '{name}', until: {until}, reason: why}}\n"));
        package.arraign(&["lint"])
    };
    assert_eq!(linted("s::a").code, Some(0));
    let ran = linted("s::aa");
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("no case is called `s::aa`"), "{}", ran.stderr);
}
