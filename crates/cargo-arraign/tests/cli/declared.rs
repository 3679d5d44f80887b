//! Readers that users declare, and the size limit: on the command line, in `arraign.yaml`, and in suites.

use std::fs;
use std::path::Path;

use crate::package::Package;

/// A reader of lines with a `say` or a `do`.
const READER: &str = "
  lines:
    when: {path: '$[0].log', equals: shop}
    steps: '$'
    user: {each: $.ask}
    say: {each: $.say}
    call: {each: $.do, name: $.tool, args: $.with}
    skip: ['$[0]']
";

const TRACE: &str = r#"{"log": "shop"}
{"ask": "Where is order 7?"}
{"do": {"tool": "get_order", "with": {"id": 7}}}
{"say": "It has shipped."}
"#;

const EXPECT: &str = "expect: [{required_tools: [get_order]}, {contains: shipped}]";

/// A package with the trace, and with one case about it behind `head`.
fn package(head: &str) -> Package {
    let case = format!("{{id: a, trace: traces/run.jsonl, {EXPECT}}}");
    let package = Package::of(&format!("{head}tests:\n  - {case}\n"));
    fs::create_dir_all(package.path("evals/traces")).expect("a folder");
    fs::write(package.path("evals/traces/run.jsonl"), TRACE).expect("a trace");
    package
}

#[test]
fn explain_tries_the_readers_of_a_file() {
    let package = package("");
    fs::write(package.path("mine.yaml"), format!("readers:{READER}")).expect("a file");
    let trace = "evals/traces/run.jsonl";
    let ran = package.arraign(&["explain", trace, "--reader", "mine.yaml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for part in ["lines", "get_order", "It has shipped."] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    fs::write(package.path("mine.yaml"), format!("readers:{}", READER.replace("steps", "stepz")))
        .expect("a file");
    let ran = package.arraign(&["explain", trace, "--reader", "mine.yaml"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("unknown key `stepz`") && ran.stderr.contains("mine.yaml:4:5"),
        "{}",
        ran.stderr
    );
    let ran = package.arraign(&["explain", trace, "--reader", "nowhere.yaml"]);
    assert!(ran.code == Some(2) && ran.stderr.contains("nowhere.yaml"), "{}", ran.stderr);
}

/// Each file of a framework with shipped readers is read by naming them, and `explain` says whose they are.
#[test]
fn explain_proposes_the_readers_that_come_with_arraign() {
    let package = package("");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/readers");
    for entry in fs::read_dir(samples).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let framework = name.split('.').next().expect("a name");
        let copy = package.path("evals/traces").join(&name);
        fs::copy(&path, &copy).expect("a copy");
        let trace = format!("evals/traces/{name}");
        let ran = package.arraign(&["explain", &trace]);
        let command = format!("`cargo arraign explain {trace} --reader {framework}`");
        assert!(ran.code == Some(2) && ran.stderr.contains(&command), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("`readers: [{framework}]` in arraign.yaml")), "{}", ran.stderr);
        let ran = package.arraign(&["explain", &trace, "--reader", framework]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        fs::write(package.path("evals/arraign.yaml"), format!("readers: [{framework}]\n")).expect("a file");
        let ran = package.arraign(&["explain", &trace]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
        fs::remove_file(package.path("evals/arraign.yaml")).expect("a file");
    }
    let ran = package.arraign(&["explain", "evals/traces/run.jsonl", "--reader", "agnoo"]);
    assert!(
        ran.stderr.contains("readers come with arraign for ag2, agno, any-agent, autogen"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_suite_declares_its_readers() {
    let head = format!("readers:{READER}");
    let ran = package(&head).arraign(&["run"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    // Without the reader, nobody reads the file; with a mistake in it, the suite does not load.
    let ran = package("").arraign(&["run"]);
    assert!(ran.code == Some(101) && ran.stdout.contains("no reader knows this trace"), "{}", ran.stdout);
    let ran = package(&head.replace("$.say", "'say['")).arraign(&["run"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("evals/s.yaml:6:17"), "{}", ran.stderr);
}

#[test]
fn the_size_limit_is_a_flag_and_a_key() {
    let package = package(&format!("readers:{READER}"));
    // The limit is for the file of cases, too: the trace is the larger one.
    package.write("evals/traces/run.jsonl", &TRACE.replace("shipped", &"shipped ".repeat(200)));
    let run = |arguments: &[&str]| package.arraign(&[&["run"], arguments].concat());
    let refused = run(&["--size-limit", "1000B"]);
    assert!(refused.code == Some(101) && refused.stdout.contains("run.jsonl"), "{}", refused.stdout);
    assert_eq!(run(&["--size-limit", "4KiB"]).code, Some(0));
    let mistaken = run(&["--size-limit", "much"]);
    assert!(mistaken.code == Some(2) && mistaken.stderr.contains("much"), "{}", mistaken.stderr);
    fs::write(package.path("evals/arraign.yaml"), "size_limit: 1000 B\n").expect("a file");
    assert_eq!(run(&[]).code, Some(101));
    assert_eq!(run(&["--size-limit", "4KiB"]).code, Some(0), "the flag counts before the key");
    let explained = package.arraign(&["explain", "evals/traces/run.jsonl"]);
    assert!(explained.code == Some(2) && explained.stderr.contains("run.jsonl"), "{}", explained.stderr);
    fs::write(package.path("evals/arraign.yaml"), "size_limit: much\n").expect("a file");
    let mistaken = run(&[]);
    assert!(
        mistaken.code == Some(2) && mistaken.stderr.contains("evals/arraign.yaml:1:13"),
        "{}",
        mistaken.stderr
    );
}

#[test]
fn the_nearest_word_on_which_results_are_failures_counts() {
    let reader =
        READER.replace("with}", "with, result: {value: $.got}}") + "    failed_when: {matches: /^refused/}\n";
    let trace = TRACE.replace("}}}", r#"}, "got": "refused: no such order"}}"#);
    let run = |suite: &str, case: &str| {
        let case = format!("{{id: a, trace: traces/run.jsonl, {case}expect: [{{tool_called: get_order}}]}}");
        let package = Package::of(&format!("readers:{reader}{suite}tests:\n  - {case}\n"));
        fs::create_dir_all(package.path("evals/traces")).expect("a folder");
        fs::write(package.path("evals/traces/run.jsonl"), &trace).expect("a trace");
        let ran = package.arraign(&["run"]);
        assert!(matches!(ran.code, Some(0 | 101)), "{}", ran.stderr);
        ran.code == Some(0)
    };
    let never = "failed_when: never";
    assert!(!run("", ""), "the reader decides");
    assert!(run(&format!("{never}\n"), ""), "the suite decides before the reader");
    assert!(
        !run(&format!("{never}\n"), "failed_when: {get_order: {contains: order}}, "),
        "the case decides first"
    );
}
