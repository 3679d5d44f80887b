//! Small or large files of other people that would cost much: each is evaluated within limits, or refused at its place.
//!
//! The limits are the kernel's: memory, and seconds of CPU, which do not depend on what else the machine does. A debug build,
//! which is what runs here, takes about twelve times as long as a release.

use std::fmt::Write as _;
use std::process::Command;

use crate::project::{Project, Ran, subject};

use arraign::json::{Json, json};

/// 300 MB, and what a debug build and its threads reserve.
const KILOBYTES: u32 = 500_000;

/// 5 seconds of a release.
const CPU_SECONDS: u32 = 60;

/// Runs the test target within the limits. A process that exceeds one of them is killed, and has no exit code.
fn run(project: &Project, arguments: &[&str]) -> Ran {
    let like = project.command(&[]);
    let mut command = Command::new("sh");
    let limits = format!("ulimit -v {KILOBYTES}; ulimit -t {CPU_SECONDS}; exec \"$0\" \"$@\"");
    command.args(["-c", &limits]).arg(subject()).args(arguments).args(["--test-threads", "1"]);
    for (name, value) in like.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // Each arena of the allocator reserves address space that it does not use.
    command.env("MALLOC_ARENA_MAX", "1").current_dir(project.path(""));
    Ran::of(&mut command)
}

fn run_case(case: impl AsRef<[u8]>) -> Ran {
    run(&Project::empty().file("evals/s.yaml", case), &[])
}

fn mkfifo(project: &Project, path: &str) {
    let path = project.path(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn aliases_of_a_long_text_are_refused() {
    for (length, count) in [(50_000, 10_000), (5_000, 40_000)] {
        let aliases = "*a, ".repeat(count);
        let case = format!(
            "x: &a {}\ntests: [{{id: a, tags: [{aliases}], expect: [{{contains: x}}]}}]",
            "y".repeat(length)
        );
        run_case(case).exits(2).complains("--> evals/s.yaml:");
    }
}

/// A schema whose levels each refer to the next one twice.
fn double_levels(depth: usize, more: &str) -> String {
    let mut definitions: Vec<String> = (0..depth)
        .map(|level| {
            let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
            format!("\"l{level}\": {}", json!({"allOf": [next, next]}))
        })
        .collect();
    definitions.push(format!("\"l{depth}\": {{\"type\": \"object\"}}"));
    format!("{{\"$defs\": {{{}}}, \"$ref\": \"#/$defs/l0\"{more}}}", definitions.join(", "))
}

#[test]
fn schemas_that_explode_are_refused_or_run_out_of_steps() {
    let unevaluated = ", \"unevaluatedProperties\": false";
    for (depth, more) in
        [(11, unevaluated), (12, unevaluated), (18, unevaluated), (20, unevaluated), (28, ""), (60, "")]
    {
        let schema = double_levels(depth, more);
        let ran =
            run_case(format!("{{id: a, metric: json_schema, schema: {schema}, trace: [{{say: '{{}}'}}]}}"));
        assert!(matches!(ran.code, Some(2 | 101)), "{depth} {more}: {ran:?}");
        assert!(
            format!("{}{}", ran.stdout, ran.stderr).contains("--> evals/s.yaml:"),
            "{depth} {more}: {ran:?}"
        );
    }
    let mut negated = json!({"type": "object"});
    for _ in 0..29 {
        negated = json!({"allOf": [{"not": {"not": negated}}]});
    }
    let ran =
        run_case(format!("{{id: a, metric: json_schema, schema: {negated}, trace: [{{say: '{{}}'}}]}}"));
    assert!(matches!(ran.code, Some(0 | 2 | 101)), "{ran:?}");
}

#[test]
fn a_named_pipe_is_no_file() {
    for pipe in
        ["evals/traces/s.json", "evals/policies/p.yaml", "evals/schemas/x.json", "evals/baselines/b.json"]
    {
        let case = "id: s\nmetric: args_valid\npolicy: policies/p.yaml\nbaseline: baselines/b.json\nexpect: [{json_schema: schemas/x.json}]\n";
        let project = Project::empty().file("evals/s.yaml", case);
        for (path, text) in [
            ("evals/traces/s.json", "{\"calls\": [\"look\"], \"answer\": \"{}\"}"),
            ("evals/policies/p.yaml", "look: {type: object}"),
            ("evals/schemas/x.json", "{\"type\": \"object\"}"),
            ("evals/baselines/b.json", "{\"calls\": [\"look\"], \"answer\": \"{}\"}"),
        ] {
            if path == pipe { mkfifo(&project, path) } else { project.write(path, text) }
        }
        let ran = run(&project, &[]);
        assert!(matches!(ran.code, Some(2 | 101)), "{pipe}: {ran:?}");
        assert!(
            format!("{}{}", ran.stdout, ran.stderr).contains("this is not a regular file"),
            "{pipe}: {ran:?}"
        );
    }
    for pipe in ["evals/t.yaml", "evals/arraign.yaml"] {
        let project = Project::of(&[crate::project::green("a")]);
        mkfifo(&project, pipe);
        run(&project, &[]).exits(2).complains("this is not a regular file");
    }
}

#[test]
fn defaults_that_many_cases_copy_are_refused() {
    let bans: Vec<String> = (0..1_000).map(|ban| format!("    - not_called: t{ban}\n")).collect();
    let bans = bans.concat();
    let cases: Vec<String> = (0..5_000).map(|case| format!("  - {{id: c{case}}}\n")).collect();
    let cases = cases.concat();
    let case = format!("defaults:\n  trace: {{calls: [a]}}\n  expect:\n{bans}tests:\n{cases}");
    run_case(&case).exits(2).complains("add more than 256 MiB to its cases").complains("--> evals/s.yaml:");
    let shared = format!("expect:\n{}", bans.replace("    - ", "  - "));
    let cases: Vec<String> =
        (0..5_000).map(|case| format!("  - {{id: c{case}, include: shared/s.yaml}}\n")).collect();
    let cases = cases.concat();
    let project =
        Project::empty().file("evals/shared/s.yaml", shared).file("evals/s.yaml", format!("tests:\n{cases}"));
    run(&project, &[])
        .exits(2)
        .complains("add more than 256 MiB to its cases")
        .complains("--> evals/s.yaml:");
}

#[test]
fn a_schema_with_a_thousand_alternatives_keeps_few_errors() {
    let options: Vec<Json> = (0..1_000).map(|option| json!({"const": option})).collect();
    let values: Vec<String> = (0..2_000).map(|value| (value + 1_000).to_string()).collect();
    let schema = json!({"items": {"oneOf": options}});
    run_case(format!(
        "{{id: a, metric: json_schema, schema: {schema}, trace: [{{say: '[{}]'}}]}}",
        values.join(",")
    ))
    .exits(101);
}

#[test]
fn very_many_declared_readers_are_refused() {
    let readers: Vec<String> =
        (0..3_000).map(|reader| format!("  r{reader}: {{when: $.a, steps: $.b, say: $.c}}\n")).collect();
    let readers = readers.concat();
    let project =
        Project::of(&[crate::project::green("a")]).file("evals/arraign.yaml", format!("readers:\n{readers}"));
    run(&project, &[])
        .exits(2)
        .complains("declares more than 250 readers")
        .complains("--> evals/arraign.yaml:");
}

#[test]
fn a_csv_file_with_very_many_columns_is_read() {
    let names: Vec<String> = (0..100_000).map(|column| format!("c{column}")).collect();
    let values = vec!["x"; 100_000];
    let rows = format!("{}\n{}\n", names.join(","), values.join(","));
    let case = "cases: rows.csv\ntrace: {calls: [], answer: '{{c99999}}'}\nexpect: [{equals: x}]\n";
    let project = Project::empty().file("evals/s.yaml", case).file("evals/rows.csv", rows);
    run(&project, &[]).exits(0);
}

/// A trace of so many calls of different tools.
fn write_calls(count: usize) -> String {
    let calls: Vec<String> = (0..count).map(|number| format!("\"tool_{number}\"")).collect();
    format!("{{\"calls\": [{}], \"answer\": \"done\"}}", calls.join(","))
}

#[test]
fn rules_that_each_call_breaks_keep_some_of_their_violations() {
    let mut case = "id: s\ntimeout: 60m\nexpect:\n  - sequence_valid:\n      rules:\n".to_owned();
    for number in 0..10 {
        let _ = writeln!(case, "        - {{type: immediately_before, first: first_{number}, then: '*'}}");
    }
    let project =
        Project::empty().file("evals/s.yaml", case).file("evals/traces/s.json", write_calls(20_000));
    run(&project, &[]).exits(101);
    let verdict = project.verdict("s::s").to_string();
    assert!(verdict.contains("is violated 19900 more times") && verdict.len() < 8 << 20, "{}", verdict.len());
}

#[test]
fn a_million_calls_are_refused() {
    for (count, problem) in [
        (1_000_000, "native: line 1, column 11: a run has at most 250000 steps, and this one has 1000001"),
        (3_000_000, "line 1, column 8000007: the text has more than 2000000 values"),
    ] {
        let calls = format!("{{\"calls\": [{}\"a\"], \"answer\": \"done\"}}", "\"a\",".repeat(count));
        let project = Project::empty()
            .file("evals/s.yaml", "{id: s, expect: [{tool_blocklist: [rm]}]}")
            .file("evals/traces/s.json", calls);
        run(&project, &[]).exits(101).says(&format!("evals/traces/s.json: {problem}"));
        assert!(project.verdict("s::s").to_string().len() < 4096, "{count}");
    }
}

#[test]
fn a_verdict_keeps_some_of_many_calls_and_of_their_items() {
    for (blocked, code) in [("rm", 0), ("a", 101)] {
        let calls = format!("{{\"calls\": [{}\"a\"], \"answer\": \"done\"}}", "\"a\",".repeat(50_000));
        let project = Project::empty()
            .file("evals/s.yaml", format!("{{id: s, expect: [{{tool_blocklist: [{blocked}]}}]}}"))
            .file("evals/traces/s.json", calls);
        let ran = run(&project, &[]).exits(code);
        let verdict = project.verdict("s::s");
        let items = verdict["findings"][0]["items"].as_array().expect("items");
        assert_eq!((items.len(), &items[10_000]["label"]), (10_001, &json!("40001 more")));
        let calls = verdict["runs"][0]["calls"].as_array().expect("calls");
        assert_eq!((calls.len(), &verdict["runs"][0]["calls_left_out"]), (10_000, &json!(40_001)));
        assert!(verdict.to_string().len() < 3 << 20, "{}", verdict.to_string().len());
        if code == 101 {
            ran.says("(native, 50001 calls)").says("50002  reply");
        }
    }
}

#[test]
fn the_item_for_the_rest_has_the_worst_state_of_the_rest() {
    let calls = format!("{{\"calls\": [{}\"rm\"], \"answer\": \"done\"}}", "\"a\",".repeat(10_001));
    let project = Project::empty()
        .file("evals/s.yaml", "{id: s, expect: [{tool_blocklist: [rm]}]}")
        .file("evals/traces/s.json", calls);
    run(&project, &[]).exits(101);
    let verdict = project.verdict("s::s");
    let rest = &verdict["findings"][0]["items"][10_000];
    assert_eq!((&rest["label"], &rest["state"]), (&json!("2 more"), &json!("violated")));
}

#[test]
fn a_file_of_cases_of_60_megabytes_is_refused() {
    let rows: Vec<Json> =
        (0..600).map(|number| json!({"id": number.to_string(), "input": "x".repeat(100_000)})).collect();
    let project = Project::empty().file("evals/s.json", json!({"tests": rows}).to_string());
    run(&project, &[]).exits(2).complains("evals/s.json");
}

#[test]
fn thousands_of_globs_meet_thousands_of_calls() {
    let globs: Vec<String> = (0..2_000).map(|number| format!("*rm_{number}_[a-z]*")).collect();
    let lists = [
        json!({"tool_blocklist": globs}),
        json!({"forbidden_tools": globs}),
        json!({"sequence_valid": {"rules": [{"type": "blocklist", "tools": globs}]}}),
    ];
    for list in lists {
        let project = Project::empty()
            .file("evals/s.json", json!({"id": "s", "expect": [list]}).to_string())
            .file("evals/traces/s.json", write_calls(20_000));
        run(&project, &[]).exits(0);
    }
}

#[test]
fn a_dataset_in_one_line_leaves_verdicts_of_the_size_of_its_rows() {
    let row = |number: usize| {
        json!({
            "id": format!("row-{number}"),
            "trace": {"calls": ["look"], "answer": format!("The answer of row {number} is here.")},
            "expect": [{"contains": "NEVER"}, {"tool_blocklist": ["look"]}],
        })
    };
    let rows = json!({"tests": (0..1_000).map(row).collect::<Vec<_>>()}).to_string();
    assert!(rows.len() > 100_000 && !rows.contains('\n'));
    let project = Project::empty().file("evals/s.json", rows);
    run(&project, &[]).exits(101);
    let written: usize = project.logs("out").iter().map(|log| project.read(log).len()).sum();
    assert!(written < 10 << 20, "{written} bytes");
}

#[test]
fn an_id_of_70_000_characters_is_refused() {
    run_case(case_with_id(300)).exits(0);
    let refused = run_case(case_with_id(70_000)).exits(2);
    refused.complains("an id has at most 1000 characters, and this one has 70000");
}

fn case_with_id(length: usize) -> String {
    let id = "i".repeat(length);
    format!("id: {id}\ntrace: {{calls: [look]}}\nexpect: [{{tool_blocklist: [rm]}}]\n")
}
