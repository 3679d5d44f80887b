//! `cargo arraign import`: what it writes loads, and its cases get their verdicts.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::__internals::engine::evaluate_recorded;
use arraign::__internals::place::Source;
use arraign::__internals::source::Files;
use arraign::__internals::suite::load_recorded;
use arraign::__internals::yaml::Document;
use arraign::Harness;
use arraign::json::json;

use crate::package::copy;
use crate::program::{Ran, arraign};

/// The files of a tool in a folder of their own; the runs that somebody recorded later lie where they are looked up.
pub(crate) fn project(tool: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/import").join(tool);
    copy(&own, folder.path());
    let runs = folder.path().join("runs");
    if runs.exists() {
        fs::create_dir_all(folder.path().join("evals")).expect("a folder");
        fs::rename(runs, folder.path().join("evals/traces")).expect("a move");
    }
    folder
}

/// The YAML that was written, then each case with its verdict.
pub(crate) fn outcome(folder: &Path, name: &str) -> String {
    let path = folder.join("evals").join(name);
    let suite = Harness::new("evals").at(folder).load(name).unwrap_or_else(|errors| panic!("{errors}"));
    let files = Files::new(folder, folder.join("evals"));
    let mut shown = vec![fs::read_to_string(&path).expect("the file"), "=== verdicts".to_owned()];
    for case in &suite.cases {
        let id = case.id.as_deref().unwrap_or_default();
        match load_recorded(case, &path, &files) {
            Err(_) => shown.push(format!("{id}: no run")),
            Ok(runs) => {
                let verdict = evaluate_recorded(case, id, &runs);
                shown.push(format!("{id}: {}", verdict.status));
                for breach in verdict.violations() {
                    shown.push(format!("  {}", breach.message));
                }
            }
        }
    }
    shown.join("\n")
}

pub(crate) fn imported(tool: &str, files: &[&str], more: &[&str]) -> (tempfile::TempDir, Ran) {
    let folder = project(tool);
    let arguments: Vec<&str> = ["import", "--from", tool].iter().chain(files).chain(more).copied().collect();
    let ran = arraign(folder.path(), &arguments);
    (folder, ran)
}

/// Imports `files`, pins what is told, what is written, and the verdicts.
pub(crate) fn pin(tool: &str, files: &[&str], written: &[&str]) {
    let (folder, ran) = imported(tool, files, &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    insta::assert_snapshot!(format!("import_{tool}"), ran.stdout);
    for name in written {
        let stem = name.trim_end_matches(".yaml");
        insta::assert_snapshot!(format!("import_{tool}_{stem}"), outcome(folder.path(), name));
    }
}

#[test]
fn assay_suites_keep_their_metrics_and_policies() {
    pin("assay", &["eval.yaml"], &["eval.yaml"]);
}

#[test]
fn a_log_is_imported_with_its_cases() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = |id: &str| {
        format!(
            "  - {{id: {id}, prompt: 'prompt {id}', eval: {{tool_constraints: {{required_tools: [a]}}}}}}\n"
        )
    };
    let suite = format!("scenarios:\n{}{}{}", scenario("s1"), scenario("s2"), scenario("s9"));
    fs::write(folder.path().join("eval.yaml"), suite).expect("a file");
    let run = |id: &str, tool: &str| {
        let steps = json!([{"user": format!("prompt {id}")}, {"call": tool}]);
        json!({"id": id, "steps": steps}).to_string()
    };
    let log = [run("s2", "b"), run("s1", "a")].join("\n");
    fs::write(folder.path().join("log.jsonl"), &log).expect("a file");
    let arguments = ["import", "--from", "mcplab", "eval.yaml", "--traces", "log.jsonl"];
    let ran = arraign(folder.path(), &arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("ran 3 cases: 1 green, 1 red, 0 undecided, 1 without a recorded run"),
        "{}",
        ran.stdout
    );
    let written = fs::read_to_string(folder.path().join("evals/eval.yaml")).expect("the suite");
    assert!(written.contains("defaults: {trace: traces/log.jsonl}\n"), "{written}");
    assert_eq!(fs::read_to_string(folder.path().join("evals/traces/log.jsonl")).expect("the log"), log);
    // Another log of this name is not replaced.
    fs::remove_file(folder.path().join("evals/eval.yaml")).expect("it is removed");
    fs::write(folder.path().join("log.jsonl"), "{}").expect("a file");
    let refused = arraign(folder.path(), &arguments);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("log.jsonl already exists"), "{}", refused.stderr);
}

#[test]
fn a_log_that_does_not_show_calls_is_imported_with_its_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let suite = "scenarios:\n  - {id: s1, prompt: hi, eval: {tool_constraints: {forbidden_tools: [a]}}}\n";
    fs::write(folder.path().join("eval.yaml"), suite).expect("a file");
    let log = r#"[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]"#;
    fs::write(folder.path().join("log.json"), log).expect("a file");
    let ran = arraign(folder.path(), &["import", "--from", "mcplab", "eval.yaml", "--traces", "log.json"]);
    let written = fs::read_to_string(folder.path().join("evals/eval.yaml")).expect("the suite");
    assert!(written.contains("trace: {file: traces/log.json, format: anthropic}"), "{written}");
    assert!(ran.stdout.contains("ran 1 case: 1 green"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn mcplab_scenarios_and_test_cases_keep_their_eval() {
    pin("mcplab", &["shop.yaml", "weather.yaml"], &["shop.yaml", "weather.yaml"]);
}

#[test]
fn evalview_tests_keep_what_they_expect() {
    pin("evalview", &["stock.yaml"], &["stock.yaml"]);
}

#[test]
fn rows_of_the_agent_framework_become_cases() {
    pin("maf", &["rows.json"], &["rows.yaml"]);
}

/// Imports one stimulus of Vally with these lines. Returns what was told, and the YAML that was written.
fn import_stimulus(lines: &str) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("add.js"), "add").expect("a file");
    let stimulus = format!("name: a\nstimuli:\n  - name: one\n    prompt: Do it.\n{lines}");
    fs::write(folder.path().join("eval.yaml"), stimulus).expect("a file");
    let ran = arraign(folder.path(), &["import", "--from", "vally", "eval.yaml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    (ran.stdout, fs::read_to_string(folder.path().join("evals/eval.yaml")).expect("the suite"))
}

/// Without the characters of a glob, the two choices have one name.
#[test]
fn two_choices_of_tools_of_vally_keep_their_own_names() {
    let (_, written) = import_stimulus(
        "    graders:
      - type: tool-calls
        config:
          required: [^(bash|sh)$, (bash|sh), ^(bash|sh)$, ^(bash|sh)]
",
    );
    let suite = Document::parse(&Source::new("eval.yaml", written.as_str())).expect("YAML");
    let settings =
        suite[0].root().to_json().pointer("/tests/0/expect/0/sequence_valid").cloned().expect("rules");
    let aliases = json!({
        "bash_or_sh": ["bash", "sh"], "bash_or_sh_2": ["*bash*", "*sh*"], "bash_or_sh_3": ["bash*", "sh*"],
    });
    assert_eq!(settings["aliases"], aliases, "{written}");
    let tools: Vec<_> =
        settings["rules"].as_array().expect("rules").iter().map(|rule| rule["tool"].clone()).collect();
    assert_eq!(tools, ["bash_or_sh", "bash_or_sh_2", "bash_or_sh", "bash_or_sh_3"], "{written}");
}

#[test]
fn files_that_cannot_be_those_of_a_workspace_are_left_out_with_the_reason() {
    let graders = "    graders: [{type: output-contains, config: {substring: x}}]\n";
    let files = |files: &str| import_stimulus(&format!("    environment: {{files: [{files}]}}\n{graders}"));
    let (told, written) = files("{src: add.js, dest: lib}, {src: add.js, dest: lib/add.js}");
    assert!(told.contains("`lib` is a file and a folder"), "{told}");
    assert!(!written.contains("workspace"), "{written}");
    let (told, written) =
        files("{src: add.js, dest: .git/hooks/pre-commit}, {src: add.js, dest: lib/add.js}");
    assert!(told.contains("`.git/hooks/pre-commit` belongs to git"), "{told}");
    assert!(written.contains("from: fixtures/eval/one"), "{written}");
}

/// A policy that is tested on calls of its own becomes a case with these calls, and gives Assay's verdict.
#[test]
fn a_policy_of_assay_is_tested_on_its_own_calls() {
    let (folder, ran) = imported("assay", &["own_calls.yaml"], &[]);
    assert!(ran.stdout.contains("ran 3 cases: 3 green"), "{}", ran.stdout);
    let written = outcome(folder.path(), "own_calls.yaml");
    insta::assert_snapshot!("import_assay_own_calls", format!("{}{written}", ran.stdout));
}

#[test]
fn a_test_case_in_toml_is_refused_with_the_form_to_write() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.toml"), "name = \"a\"\n").expect("a file");
    let ran = arraign(folder.path(), &["import", "--from", "evalview", "a.toml"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("write it as YAML"), "{}", ran.stderr);
}

#[test]
fn stimuli_of_vally_keep_their_graders() {
    pin("vally", &["eval.yaml"], &["eval.yaml"]);
}

const ANALYSIS: &str = "name: Stock Analysis
input: {query: What is Apple worth?}
expected:
  tools: [fetch]
  safety: {check: true}
  output: {regex_patterns: ['(?P<x>a).*(?P=x)', '(?<=a*)b']}
thresholds: {min_score: 70}
checks: {safety: false}
difficulty: hard
meta: {owner: ada}
mocks: {seed: 1, tool_mocks: [{tool: fetch, match_params: {ticker: AAPL}, returns: {price: 3}}, {tool: fetch, returns: null, error: no such ticker}]}
";

/// What `EvalView` keeps beside its tests: a configuration, and the golden run of a test.
#[test]
fn an_evalview_project_comes_with_its_settings_and_goldens() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("tests/a.yaml", ANALYSIS);
    let config = "adapter: http\nendpoint: http://localhost\nscoring: {weights: {tool_accuracy: 0.3, sequence: 0.2}}\n\
                  tool_categories: {web: [fetch]}\nci: {fail_on: [REGRESSION, TOOLS_CHANGED]}\n";
    write("tests/config.yaml", config);
    write("tests/other.yaml", "adapter: http\nmodel: m\n");
    let golden = r#"{"metadata": {"test_name": "Stock Analysis"}, "trace": {"session_id": "s", "start_time": "2026-01-01T00:00:00", "end_time": "2026-01-01T00:00:01", "steps": [], "final_output": "x", "metrics": {"total_cost": 0, "total_latency": 1}}}"#;
    write(".evalview/golden/Stock_Analysis.golden.json", golden);
    write(".evalview/golden/Stock_Analysis.variant_short.golden.json", golden);
    write(".evalview/config.yaml", config);
    let files = ["import", "--from", "evalview", "tests/a.yaml", "tests/config.yaml", "tests/other.yaml"];
    let ran = arraign(folder.path(), &files);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let read = |name: &str| fs::read_to_string(folder.path().join("evals").join(name)).expect(name);
    insta::assert_snapshot!(
        "import_evalview_project",
        [ran.stdout.clone(), read("arraign.yaml"), read("a.yaml")].join("\n===\n")
    );
    assert_eq!(read("traces/golden/Stock_Analysis.golden.json"), golden);
}

/// Settings that do not load are told before the program says that all is well.
#[test]
fn what_an_import_writes_besides_cases_is_loaded() {
    let (folder, ran) =
        import_texts("evalview", &[("config.yaml", "adapter: x\ntool_categories: {web: 3}\n")]);
    assert_eq!(ran.code, Some(101), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("these cases do not load") && ran.stdout.contains("arraign.yaml:"),
        "{}",
        ran.stdout
    );
    drop(folder);
    let (_folder, ran) = import_texts("evalview", &[("config.yaml", "adapter: x\nendpoint: y\n")]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_test_case_of_metrics_is_a_case_to_complete() {
    let golden = r#"[{"input": "Is it open?", "actual_output": "Yes, until nine."}]"#;
    let (folder, ran) = import_texts("deepeval", &[("goldens.json", golden)]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("ran 1 case: 0 green, 0 red, 1 undecided"), "{}", ran.stdout);
    assert!(ran.stdout.contains("goldens.json:1: the metrics of `is_it_open`"), "{}", ran.stdout);
    assert!(outcome(folder.path(), "goldens.yaml").contains("is_it_open: undecided"));
}

#[test]
fn adk_conversations_become_traces_and_their_trajectory_is_checked() {
    let files = ["shop.evalset.json", "plain.evalset.json", "older.test.json"];
    pin("adk", &files, &["shop.yaml", "plain.yaml", "older.yaml"]);
}

#[test]
fn deepeval_goldens_become_cases() {
    let files = ["goldens.json", "table.csv", "lines.jsonl", "conversations.json", "talk.csv"];
    let written = ["goldens.yaml", "table.yaml", "lines.yaml", "conversations.yaml", "talk.yaml"];
    pin("deepeval", &files, &written);
}

#[test]
fn evals_of_openai_keep_what_needs_no_model() {
    pin("openai", &["registry.yaml", "support.json"], &["registry.yaml", "support.yaml"]);
}

/// The skill-creator also writes assertions as mappings.
#[test]
fn assertions_of_a_skill_with_a_pattern_need_no_judge() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = r#"{"skill_name": "x", "evals": [{"id": 1, "prompt": "do it", "assertions": [
        {"name": "a", "description": "it says so", "pattern": "all done"}, {"text": "it is polite"}, {"weight": 2}]}]}"#;
    std::fs::write(folder.path().join("evals.json"), text).expect("a file");
    let ran = arraign(folder.path(), &["import", "--from", "skill", "evals.json", "--out", "imported"]);
    let written =
        std::fs::read_to_string(folder.path().join("imported/evals.yaml")).expect("a file of cases");
    assert!(
        written.contains("pattern: all done") && written.contains("Is this true of the run? it is polite"),
        "{written}"
    );
    assert!(
        ran.stdout.contains("expected a text, or a mapping with `description` or `pattern`"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn expectations_of_a_skill_are_questions_to_a_judge() {
    pin("skill", &["evals/evals.json"], &["evals.yaml"]);
}

/// The template of a workspace has the bytes of its files, at the paths by which the prompt names them.
#[test]
fn files_of_a_skill_are_what_the_workspace_begins_with() {
    let (folder, _) = imported("skill", &["evals/evals.json"], &[]);
    let read = |name: &str| fs::read(folder.path().join("evals/fixtures/evals").join(name)).expect("a file");
    assert_eq!(read("eval_1/evals/files/log.txt"), b"fix: the total\nfeat: a cart\n");
    assert_eq!(read("eval_3/data/sales_2025.csv"), b"month,revenue\nMarch,30\n\xff\n");
    let again = arraign(folder.path(), &["import", "--from", "skill", "evals/evals.json"]);
    assert_eq!(again.code, Some(2), "{}", again.stdout);
}

#[test]
fn a_task_of_coder_eval_is_a_case_with_a_workspace() {
    let folder = project("coder-eval");
    let ran = arraign(folder.path(), &["import", "--from", "coder-eval", "weather.yaml", "skills.yaml"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    insta::assert_snapshot!("import_coder_eval", ran.stdout);
    for name in ["weather.yaml", "skills.yaml"] {
        let stem = name.trim_end_matches(".yaml");
        insta::assert_snapshot!(format!("import_coder_eval_{stem}"), outcome(folder.path(), name));
    }
    let template = folder.path().join("evals/fixtures/weather/weather_report");
    let text = fs::read_to_string(template.join("src/main.py")).expect("a file");
    assert_eq!(text, "def main():\n    pass  # TODO: Implement\n", "a later source replaces an earlier one");
    assert!(template.join("README.md").is_file() && !template.join("node_modules").exists());
}

#[test]
fn a_case_of_a_plugin_keeps_its_graders() {
    pin("plugin", &["reviews/prompt.md"], &["reviews.yaml"]);
    let (folder, _) = imported("plugin", &["reviews/case.yaml"], &[]);
    assert!(folder.path().join("evals/reviews.yaml").is_file(), "both files of a case name the whole case");
}

/// A construct of Rust's dialect would be a pattern that never matches, and a check that never fails.
#[test]
fn patterns_of_assay_that_mean_something_else_here_are_listed() {
    let test = |id: &str, kind: &str, pattern: &str| {
        format!("  - {{id: {id}, input: {{prompt: x}}, expected: {{type: {kind}, pattern: '{pattern}'}}}}\n")
    };
    let config = "version: 1\nsuite: s\nmodel: m\ntests:\n".to_owned()
        + &test("class", "regex_not_match", r"\p{Lu}")
        + &test("posix", "regex_not_match", "[[:digit:]]{4}")
        + &test("ascii", "regex_not_match", r"pin \d{4}")
        + &test("broken", "regex_match", "(?P<a>x")
        + &test("plain", "regex_not_match", "secret");
    let (folder, ran) = import_texts("assay", &[("assay.yaml", &config)]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    for (line, known) in
        [(5, "JavaScript does not know"), (6, "JavaScript does not know"), (7, "ASCII"), (8, "left out")]
    {
        let start = format!("assay.yaml:{line}: ");
        assert!(
            ran.stdout.lines().any(|remark| remark.starts_with(&start) && remark.contains(known)),
            "{}",
            ran.stdout
        );
    }
    let suite = fs::read_to_string(folder.path().join("evals/assay.yaml")).expect("the suite");
    assert!(
        !suite.contains(r"\p{Lu}") && !suite.contains("[:digit:]") && suite.contains("secret"),
        "{suite}"
    );
}

/// Each tool's message has the counts of a run, and each remark begins with its place in the source.
#[test]
fn every_import_says_what_is_green_and_where_it_lost_something() {
    let all: [(&str, &str); 11] = [
        ("assay", "eval.yaml"),
        ("mcplab", "weather.yaml"),
        ("evalview", "stock.yaml"),
        ("maf", "rows.json"),
        ("promptfoo", "promptfooconfig.yaml"),
        ("adk", "shop.evalset.json"),
        ("deepeval", "goldens.json"),
        ("openai", "registry.yaml"),
        ("skill", "evals/evals.json"),
        ("plugin", "reviews/prompt.md"),
        ("vally", "eval.yaml"),
    ];
    for (tool, file) in all {
        let (_folder, ran) = imported(tool, &[file], &[]);
        assert!(ran.stdout.contains(" green, ") && ran.stdout.contains(" red, "), "{tool}: {}", ran.stdout);
        let (_, remarks) = ran.stdout.split_once("not imported: ").expect("the remarks");
        let (count, remarks) = remarks.split_once('\n').expect("a count");
        assert_eq!(count.parse(), Ok(remarks.lines().count()), "{tool}: {remarks}");
        for remark in remarks.lines() {
            let mut parts = remark.split(':');
            let name = parts.next().unwrap_or_default();
            let line = parts.next().unwrap_or_default();
            assert!(
                name.contains('.') && line.parse::<usize>().is_ok_and(|line| line > 0),
                "{tool}: {remark}"
            );
        }
    }
}

#[test]
fn without_a_file_of_criteria_adk_s_own_are_meant() {
    let folder = project("adk");
    fs::remove_file(folder.path().join("test_config.json")).expect("removed");
    let ran = arraign(folder.path(), &["import", "--from", "adk", "older.test.json"]);
    insta::assert_snapshot!("import_adk_alone", ran.stdout);
    insta::assert_snapshot!("import_adk_alone_older", outcome(folder.path(), "older.yaml"));
}

#[test]
fn adk_s_ways_to_compare_calls_are_kept_apart() {
    let criteria = [
        r#"{"threshold": 1.0, "match_type": "IN_ORDER"}"#,
        r#"{"threshold": 0.5, "matchType": "any-order"}"#,
        r#"{"threshold": 1.0, "match_type": 0, "ignore_args": true}"#,
        "1.0",
        "0",
    ];
    let mut shown = Vec::new();
    for criterion in criteria {
        let folder = project("adk");
        let config = format!("{{\"criteria\": {{\"tool_trajectory_avg_score\": {criterion}}}}}");
        fs::write(folder.path().join("test_config.json"), config).expect("a file");
        let ran = arraign(folder.path(), &["import", "--from", "adk", "any.evalset.json"]);
        let written = fs::read_to_string(folder.path().join("evals/any.yaml")).unwrap_or_default();
        let checks = written.split_once("expect:").map_or("nothing", |(_, checks)| checks);
        let told = ran.stdout.split_once("not imported").map_or("", |(_, told)| told);
        shown.push(format!("{criterion}:{checks}\nnot imported{told}"));
    }
    insta::assert_snapshot!("import_adk_matches", shown.join("\n"));
}

#[test]
fn an_adk_conversation_is_kept_as_it_was() {
    let (folder, _) = imported("adk", &["shop.evalset.json"], &[]);
    let trace = folder.path().join("evals/traces/shop/order_and_quote.json");
    insta::assert_snapshot!("import_adk_trace", fs::read_to_string(trace).expect("a trace"));
}

#[test]
fn a_file_that_is_written_names_the_schema_of_the_project() {
    let folder = project("mcplab");
    let import = |out: &str| {
        let ran = arraign(folder.path(), &["import", "--from", "mcplab", "shop.yaml", "--out", out]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        fs::read_to_string(folder.path().join(out).join("shop.yaml")).expect("the cases")
    };
    assert!(!import("evals").contains("$schema"), "no schema exists");
    let ran = arraign(folder.path(), &["schema", "--out", "arraign.schema.json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let line = "# yaml-language-server: $schema=../arraign.schema.json\n";
    assert!(import("cases").starts_with(line));
    assert!(import("cases/more").starts_with(&line.replace("../", "../../")));
}

#[test]
fn strict_is_red_where_something_is_lost() {
    let (_, ran) = imported("mcplab", &["weather.yaml"], &["--strict"]);
    assert_eq!(ran.code, Some(101), "{}", ran.stdout);
    let (_, ran) = imported("adk", &["plain.evalset.json"], &["--strict", "--out", "cases"]);
    assert_eq!(ran.code, Some(101), "{}", ran.stdout);
}

#[test]
fn nothing_is_overwritten_and_nothing_is_half_written() {
    let folder = project("mcplab");
    let evals = folder.path().join("evals");
    fs::create_dir_all(&evals).expect("a folder");
    fs::write(evals.join("weather.yaml"), "mine").expect("a file");
    let ran = arraign(folder.path(), &["import", "--from", "mcplab", "shop.yaml", "weather.yaml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    insta::assert_snapshot!("import_over_a_file", ran.stderr);
    assert_eq!(fs::read_to_string(evals.join("weather.yaml")).expect("a file"), "mine");
    assert!(!evals.join("shop.yaml").exists());
}

#[test]
fn a_file_of_another_tool_is_named_and_nothing_is_written() {
    for tool in [
        "assay",
        "mcplab",
        "evalview",
        "maf",
        "promptfoo",
        "adk",
        "deepeval",
        "openai",
        "skill",
        "plugin",
        "coder-eval",
        "vally",
    ] {
        for text in
            ["{a: 1}", "[1, 2]", "text", "{", "[[]]", "{tests: 3, prompts: 4, eval_cases: 1}", "- input: 1"]
        {
            let folder = tempfile::tempdir().expect("a folder");
            fs::write(folder.path().join("odd.yaml"), text).expect("a file");
            let ran = arraign(folder.path(), &["import", "--from", tool, "odd.yaml"]);
            assert!(matches!(ran.code, Some(2 | 101)), "{tool} {text}: {}{}", ran.stdout, ran.stderr);
            let said = ran.stderr.contains("odd.yaml:1:") || ran.stdout.contains("not imported");
            assert!(said, "{tool} {text}: {}{}", ran.stdout, ran.stderr);
        }
    }
    let missing: PathBuf = tempfile::tempdir().expect("a folder").keep();
    let ran = arraign(&missing, &["import", "--from", "adk", "gone.json"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    fs::remove_dir(missing).expect("removed");
}

/// Writes `files` to a folder of its own and imports the first.
pub(crate) fn import_texts(tool: &str, files: &[(&str, &str)]) -> (tempfile::TempDir, Ran) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let ran = arraign(folder.path(), &["import", "--from", tool, files[0].0]);
    (folder, ran)
}

#[test]
fn a_policy_beside_an_assay_configuration_leaves_a_project_that_runs() {
    let config = "version: 1\nsuite: s\nmodel: m\ntests:\n  - id: a\n    input: {prompt: x}\n    metric: args_valid\n    policy: policy.yaml\n";
    let policy = "version: \"2.0\"\ntools: {allow: [pay]}\nschemas: {pay: {required: [amount]}}\n";
    let (folder, ran) = import_texts("assay", &[("assay.yaml", config), ("policy.yaml", policy)]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(folder.path().join("evals/policies/policy.yaml").is_file(), "{}", ran.stdout);
    let trace = folder.path().join("evals/traces/assay");
    fs::create_dir_all(&trace).expect("a folder");
    fs::write(trace.join("a.json"), r#"{"calls": [{"call": "pay", "args": {"amount": 1}}], "answer": "x"}"#)
        .expect("a trace");
    let ran = arraign(folder.path(), &["run"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn an_older_policy_of_assay_is_written_in_its_newer_form() {
    let config = "version: 1\nsuite: s\nmodel: m\ntests:\n  - {id: a, input: {prompt: x}, expected: {type: args_valid, policy: old.yaml}}\n";
    let policy = "version: \"1.0\"\nallow: [pay]\nconstraints:\n  - {tool: pay, params: {path: {matches: \"^/a/\"}}}\n";
    let (folder, ran) = import_texts("assay", &[("assay.yaml", config), ("old.yaml", policy)]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("assay.yaml:5: the file `old.yaml`: a policy of version 1"),
        "{}",
        ran.stdout
    );
    let trace = folder.path().join("evals/traces/assay");
    fs::create_dir_all(&trace).expect("a folder");
    for (path, code) in [("/a/x", 0), ("/b/x", 101)] {
        let run = format!(r#"{{"calls": [{{"call": "pay", "args": {{"path": "{path}"}}}}], "answer": "x"}}"#);
        fs::write(trace.join("a.json"), run).expect("a trace");
        let ran = arraign(folder.path(), &["run"]);
        assert_eq!(ran.code, Some(code), "{path}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_tool_that_deepeval_expects_twice_must_be_called_twice() {
    let golden = |called: &str| {
        format!(
            r#"[{{"input": "x", "actual_output": "y", "tools_called": [{called}],
                "expected_tools": [{{"name": "d"}}, {{"name": "d"}}, {{"name": "b"}}]}}]"#
        )
    };
    let once = r#"{"name": "d"}, {"name": "b"}"#;
    let twice = r#"{"name": "d"}, {"name": "b"}, {"name": "d"}"#;
    for (called, counts) in [(once, "0 green, 1 red"), (twice, "1 green, 0 red")] {
        let (_folder, ran) = import_texts("deepeval", &[("goldens.json", &golden(called))]);
        assert!(ran.stdout.contains(counts), "{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn the_global_weights_of_evalview_hold_for_all_imported_tests() {
    let config = "adapter: http\nscoring:\n  weights: {tool_accuracy: 1, output_quality: 0, sequence_correctness: 0}\n";
    let test = "name: a\ninput: {query: x}\nexpected: {tools: [pay]}\nthresholds: {min_score: 80}\n";
    let (folder, ran) = import_texts("evalview", &[("config.yaml", config), ("a.yaml", test)]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("config.yaml:1: `adapter`"), "{}", ran.stdout);
    let settings = fs::read_to_string(folder.path().join("evals/arraign.yaml")).expect("the settings");
    assert!(settings.contains("tool_accuracy: 1"), "{settings}");
    let ran = arraign(folder.path(), &["import", "--from", "evalview", "a.yaml"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let trace = folder.path().join("evals/traces/a");
    fs::create_dir_all(&trace).expect("a folder");
    // Only the tools count: without the global weights, a missing opinion on the answer would leave the case undecided.
    for (tool, code) in [("pay", 0), ("other", 101)] {
        let run = format!(r#"{{"calls": [{{"call": "{tool}", "args": {{}}}}], "answer": "x"}}"#);
        fs::write(trace.join("a.json"), run).expect("a trace");
        let ran = arraign(folder.path(), &["run"]);
        assert_eq!(ran.code, Some(code), "{tool}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn weights_and_categories_of_evalview_are_carried() {
    let test = "name: a\ninput: {query: x}\nweights: {tool_accuracy: 0.5, output_quality: 0.3, sequence_correctness: 0.2}\n\
                tool_categories: {money: [pay]}\nexpected: {tool_categories: [money]}\nthresholds: {min_score: 80}\n";
    let (folder, ran) = import_texts("evalview", &[("a.yaml", test)]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("not imported: 0"), "{}", ran.stdout);
    let suite = fs::read_to_string(folder.path().join("evals/a.yaml")).expect("the suite");
    assert!(
        suite.contains("tool_categories: {money: [pay]}") && suite.contains("tool_accuracy: 0.5"),
        "{suite}"
    );
}

/// Tools whose files are imported look at calls and not at their results, so an expected call is an attempt.
#[test]
fn an_imported_call_may_have_any_status() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/snapshots");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if !path.file_name().is_some_and(|name| name.to_string_lossy().contains("import_")) {
            continue;
        }
        let lines: Vec<String> =
            fs::read_to_string(&path).expect("a snapshot").lines().map(str::to_owned).collect();
        for (number, line) in lines.iter().enumerate() {
            let name = line.trim_start().trim_start_matches("- ").split(':').next().unwrap_or_default();
            if !line.trim_start().starts_with("- ")
                || !["call", "calls", "effects", "tool_called"].contains(&name)
            {
                continue;
            }
            let depth = line.len() - line.trim_start().len();
            let inside =
                lines[number + 1..].iter().take_while(|line| line.len() - line.trim_start().len() > depth);
            let has_status =
                line.contains("status: any") || inside.into_iter().any(|line| line.trim() == "status: any");
            assert!(has_status, "{}:{}: {line}", path.display(), number + 1);
            count += 1;
        }
    }
    assert!(count > 3, "only {count} imported calls");
}
