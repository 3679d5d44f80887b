//! `cargo arraign mutate`: what the cases would notice.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::locate_in_repository;
use crate::program::{arraign, pin};

use arraign::json::{self, Json, json};

fn package() -> PathBuf {
    locate_in_repository("tests/mutation")
}

#[test]
fn each_survivor_is_a_line_with_a_check_that_notices_it() {
    let ran = arraign(&package(), &["mutate"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    pin("mutate-text", &ran.stdout);
    assert_eq!(arraign(&package(), &["mutate"]).stdout, ran.stdout, "the same each time");
    for format in ["text", "json", "sarif"] {
        let shown = arraign(&package(), &["mutate", "--all", "--format", format]).stdout;
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

/// One check of the state notices each change of a call that changes the state: its answers are those of the state, not those
/// of the recording.
#[test]
#[cfg(feature = "mocks")]
fn a_check_of_the_state_notices_each_change_of_a_writing_call() {
    let case = r#"
mocks:
  state: {orders: {"7": {status: shipped, total: 20}, "8": {status: open, total: 5}}, refunds: []}
  tools:
    get_order: [{read: "/orders/{{id}}"}, {return: no such order, failed: true}]
    refund:
      - when: {id: {exists_in: /orders}}
        set: {"/orders/{{id}}/status": refunded}
        append: {/refunds: {id: "{{id}}", amount: "{{amount}}"}}
        return: {ok: true}
      - {return: no such order, failed: true}
    cancel: {remove: "/orders/{{id}}", return: done}
id: a
expect:
  - state: {after: [{cancel: {id: 8}}, {refund: {id: 7, amount: 20}}]}
trace:
  - {call: get_order, args: {id: 7}, result: {status: shipped, total: 20}}
  - {call: refund, args: {id: 7, amount: 20}, result: {ok: true}}
  - {call: cancel, args: {id: 8}, result: done}
"#;
    let folder = MutatedFolder::with_case(case);
    let ran = arraign(folder.path(), &["mutate", "--all", "--format", "json"]);
    let found: Json = json::from_str(&ran.stdout).expect("JSON");
    let mutants = found["cases"][0]["runs"][0]["mutants"].as_array().expect("mutants").to_vec();
    let wanted = ["omit", "duplicate", "change_value", "fail", "omit_argument", "rename"];
    let mut seen = 0;
    for mutant in mutants {
        let id = mutant["id"].as_str().expect("an id");
        // A second `cancel` finds nothing and changes nothing.
        let is_harmless = id.starts_with("duplicate 3 cancel");
        let is_wanted = wanted.iter().any(|sort| id.starts_with(&format!("{sort} ")))
            && (id.contains("refund") || id.contains("cancel"))
            && !is_harmless;
        if is_wanted {
            seen += 1;
            assert!(mutant["fate"]["killed"].is_object(), "{mutant}");
        }
    }
    assert!(seen >= 11, "{seen}: {found}");
}

/// A run whose id is a secret is named by its number.
#[test]
fn no_id_of_a_run_shows_a_secret() {
    let folder = MutatedFolder::with_case("{id: a, trace: traces/t.jsonl, expect: [{tool_called: look}]}");
    let token = ["ghp", "_0123456789abcdefghijABCDEFGHIJ456789"].concat();
    let run = |id: &str, answer: &str| {
        format!("{{\"id\": \"{id}\", \"calls\": [\"look\"], \"answer\": \"{answer}\"}}\n")
    };
    fs::create_dir(folder.path().join("evals/traces")).expect("a folder");
    let runs = [run(&token, "one"), run("second", "two")].concat();
    fs::write(folder.path().join("evals/traces/t.jsonl"), runs).expect("a file");
    for format in ["text", "json", "sarif"] {
        let ran = arraign(folder.path(), &["mutate", "--all", "--format", format]);
        assert!(!ran.stdout.contains(&token), "{}", ran.stdout);
    }
    let shown = arraign(folder.path(), &["mutate"]).stdout;
    assert!(shown.contains("evals/traces/t.jsonl (run 1): "), "{shown}");
    assert!(shown.contains("evals/traces/t.jsonl (second): "), "{shown}");
}

/// A folder with one file of cases, for which the program is run.
struct MutatedFolder(TempDir);

impl MutatedFolder {
    fn with_case(case: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("evals")).expect("a folder");
        fs::write(folder.path().join("evals/s.yaml"), case).expect("a file");
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// The mutants of all cases: the name of each, and its fate.
    fn list_fates(&self) -> Vec<(String, Json)> {
        let ran = arraign(self.path(), &["mutate", "--format", "json"]);
        let report: Json =
            json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
        let cases = report["cases"].as_array().expect("cases").iter();
        let runs = cases.flat_map(|case| case["runs"].as_array().expect("runs"));
        let mutants = runs.flat_map(|run| run["mutants"].as_array().expect("mutants"));
        mutants
            .map(|mutant| (mutant["id"].as_str().expect("an id").to_owned(), mutant["fate"].clone()))
            .collect()
    }

    fn find_fate(&self, id: &str) -> Json {
        let fates = self.list_fates();
        let found = fates.iter().find(|(known, _)| known == id).map(|(_, fate)| fate.clone());
        found.unwrap_or_else(|| panic!("no mutant {id} among {fates:#?}"))
    }

    fn has_mutant(&self, id: &str) -> bool {
        self.list_fates().iter().any(|(known, _)| known.starts_with(id))
    }
}

/// A case on a run of one call, with these checks.
fn refund_case(expect: &str) -> MutatedFolder {
    MutatedFolder::with_case(&format!(
        "{{id: a, expect: [{expect}], trace: {{calls: [{{call: refund, args: {{amount: 2}}, result: {{ok: true}}}}], answer: \
         \"Order 7 is not free.\"}}}}"
    ))
}

#[test]
fn an_added_check_kills_the_survivor_that_proposed_it() {
    let before = refund_case("contains: order");
    for id in
        ["fail 1 refund", "omit 1 refund", "change_type 1 refund.amount", "change_numbers", "cut_answer"]
    {
        let fate = before.find_fate(id);
        let addition = fate["survived"]["addition"].clone();
        assert!(addition.is_object(), "{id}: {fate}");
        let after = refund_case(&format!("{{contains: order}}, {addition}"));
        assert!(after.find_fate(id)["killed"].is_object(), "{id}: {addition}");
    }
}

#[test]
fn only_a_violation_kills() {
    // Without tokens in the run, the check of tokens would be undecided.
    let folder = MutatedFolder::with_case(
        "{id: a, expect: [{cost_at_most: 1}, {contains: a}], trace: {answer: a, cost_usd: 0.7, calls: []}}",
    );
    assert!(folder.find_fate("double_cost")["killed"].is_object());
    assert!(folder.find_fate("unknown_call first")["survived"].is_object());
}

#[test]
fn numbers_with_a_fraction_are_mutants_only_where_a_check_distinguishes_them() {
    assert!(!refund_case("tool_called: refund").has_mutant("change_type 1 refund.amount fraction"));
    let strict = refund_case(
        "{calls: {match: bfcl, list: [{refund: {amount: [2]}}], functions: [{name: refund, parameters: \
         {type: dict, properties: {amount: {type: integer}}, required: [amount]}}]}}",
    );
    assert!(strict.has_mutant("change_type 1 refund.amount fraction"));
}

#[test]
fn calls_of_one_parallel_turn_are_not_swapped() {
    let run = |turn: usize| {
        MutatedFolder::with_case(&format!(
            "{{id: a, expect: [tool_called: a], trace: {{steps: [{{call: a, args: {{x: 1}}, turn: 1}}, {{call: b, args: \
             {{x: 2}}, turn: {turn}}}]}}}}"
        ))
    };
    assert!(run(2).has_mutant("swap 1 a"));
    assert!(!run(1).has_mutant("swap 1 a"));
}

#[test]
fn a_ban_is_put_to_the_test_by_a_call_that_it_forbids() {
    let folder = refund_case("{tool_blocklist: [admin_*, rm]}");
    for id in ["forbidden_call admin_", "forbidden_call rm"] {
        assert_eq!(folder.find_fate(id)["killed"]["by"], json!(["tool_blocklist"]));
    }
}

#[test]
fn a_share_that_is_not_reached_is_exit_code_101() {
    let folder = refund_case("tool_called: refund");
    let ran = arraign(folder.path(), &["mutate", "--min", "0.9"]);
    assert_eq!(ran.code, Some(101));
    assert!(ran.stdout.contains("traces below --min: 1"), "{}", ran.stdout);
    assert_eq!(arraign(folder.path(), &["mutate", "--min", "0.1"]).code, Some(0));
    assert_eq!(arraign(folder.path(), &["mutate", "--min", "7"]).code, Some(2));
}

#[test]
fn only_survivors_that_are_new_fail_with_a_baseline() {
    let folder = refund_case("{tool_called: refund}, {contains: free}");
    let run = |flags: &[&str]| arraign(folder.path(), &[&["mutate"], flags].concat());
    assert_eq!(run(&["--baseline", "known.json"]).code, Some(2), "there is no such file yet");
    assert_eq!(run(&["--write-baseline", "known.json"]).code, Some(0));
    let ran = run(&["--baseline", "known.json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert!(!ran.stdout.contains("survived:"), "{}", ran.stdout);
    let case = folder.path().join("evals/s.yaml");
    let weaker = fs::read_to_string(&case).expect("a file").replace("{tool_called: refund}, ", "");
    fs::write(&case, weaker).expect("a file");
    let ran = run(&["--baseline", "known.json"]);
    assert_eq!(ran.code, Some(101), "{}", ran.stdout);
    assert!(ran.stdout.contains("survived: call 1 `refund` is not made"), "{}", ran.stdout);
}

#[test]
fn a_slip_in_the_name_of_a_sort_is_an_error() {
    let folder = MutatedFolder::with_case(
        "{id: a, mutate: {ignore: [duplicat]}, expect: [tool_called: x], trace: {calls: [{call: x}]}}",
    );
    let ran = arraign(folder.path(), &["mutate"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("unknown sort `duplicat`"), "{}", ran.stderr);
}

/// The blocks of a page in this language.
fn list_blocks(page: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).filter_map(|block| Some(block.split_once("```")?.0.to_owned())).collect()
}

/// A folder with the case of the page.
fn write_case_of_page(page: &str) -> MutatedFolder {
    let folder = MutatedFolder::with_case("");
    fs::remove_file(folder.path().join("evals/s.yaml")).expect("a file");
    fs::write(folder.path().join("evals/refund.yaml"), &list_blocks(page, "yaml")[0]).expect("a file");
    folder
}

#[test]
fn the_page_shows_a_real_report_and_every_sort() {
    let page = fs::read_to_string(locate_in_repository("docs/mutation.md")).expect("a page");
    let ran = arraign(write_case_of_page(&page).path(), &["mutate"]);
    for line in list_blocks(&page, "text").iter().flat_map(|block| block.lines()) {
        assert!(line.starts_with('$') || ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
    for (_, name) in arraign::__internals::case::MUTATION_SORTS {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_page_shows_what_a_fix_adds_and_what_may_vary() {
    let path = locate_in_repository("docs/mutation.md");
    let page = fs::read_to_string(&path).expect("a page");
    let folder = write_case_of_page(&page);
    let case = folder.path().join("evals/refund.yaml");
    let blocks = list_blocks(&page, "yaml");
    fs::write(&case, format!("{}{}", blocks[0], blocks[2])).expect("a file");
    let ran = arraign(folder.path(), &["mutate"]);
    assert!(ran.stdout.contains(" ignored"), "{}{}", ran.stdout, ran.stderr);
    fs::write(&case, &blocks[0]).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"));
    command.args(["mutate", "--fix=all"]).current_dir(folder.path()).env_remove("CARGO_MANIFEST_DIR");
    let fixed = command.env_remove("CI").env_remove("TF_BUILD").output().expect("the program runs");
    let shown = String::from_utf8(fixed.stdout).expect("UTF-8");
    assert!(shown.contains("34 of 34 noticed") && page.contains("34 of 34"), "{shown}");
    let text = fs::read_to_string(&case).expect("a case");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, page.replace(&blocks[1], &text)).expect("the page is written");
    } else {
        assert_eq!(blocks[1], text, "BLESS=1 writes it");
    }
}

#[test]
fn survivors_as_sarif_are_notes_at_their_cases() {
    let folder = refund_case("tool_called: refund");
    let log: Json =
        json::from_str(&arraign(folder.path(), &["mutate", "--format", "sarif"]).stdout).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert!(results.iter().all(|result| result["level"] == "note"), "{results:?}");
    let texts: Vec<&str> = results.iter().filter_map(|result| result["message"]["text"].as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("is made twice")), "{texts:?}");
}

/// Runs the cases with their mutants, which fail no trial.
fn run_with_mutants(folder: &MutatedFolder) {
    let ran = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"))
        .args(["run"])
        .current_dir(folder.path())
        .env("ARRAIGN_MUTATE", "1")
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("ARRAIGN_OUT")
        .output()
        .expect("the program runs");
    assert_eq!(ran.status.code(), Some(0), "a survivor fails no trial");
}

#[test]
fn of_many_traces_the_page_shows_those_with_most_survivors_and_folds_the_others() {
    let cases: Vec<String> = (0..10)
        .map(|at| {
            let expect = if at == 9 { "tool_calls_at_most: 0" } else { "contains: x" };
            format!("  - {{id: c{at}, expect: [{expect}], trace: {{calls: [], answer: x{at}}}}}\n")
        })
        .collect();
    let folder = MutatedFolder::with_case(&format!("tests:\n{}", cases.concat()));
    run_with_mutants(&folder);
    assert_eq!(arraign(folder.path(), &["report", "--format", "html"]).code, Some(0));
    let page = fs::read_to_string(folder.path().join("target/arraign/report.html")).expect("a report");
    let section = page.split_once("id=\"mutation\"").expect("a section").1;
    assert!(section.contains("2 more traces"), "{section}");
    assert!(section.find("inline in s::c9") < section.find("inline in s::c0"), "{section}");
}

#[test]
fn the_mutants_of_a_run_are_read_from_its_logs() {
    let folder = refund_case("tool_called: refund");
    let direct = arraign(folder.path(), &["mutate"]).stdout;
    assert_eq!(arraign(folder.path(), &["run"]).code, Some(0));
    let ran = arraign(folder.path(), &["mutate", "--from-run"]);
    assert_eq!(ran.code, Some(2), "that run has tried none: {}", ran.stdout);
    run_with_mutants(&folder);
    let joined = arraign(folder.path(), &["mutate", "--from-run"]);
    assert_eq!((joined.code, joined.stdout), (Some(0), direct));
    assert_eq!(arraign(folder.path(), &["report", "--format", "html"]).code, Some(0));
    let page = fs::read_to_string(folder.path().join("target/arraign/report.html")).expect("a report");
    assert!(page.contains("What the cases would notice") && page.contains("is made twice"), "{page}");
}

#[test]
fn what_a_suite_ignores_is_added_to_what_its_case_ignores() {
    let folder = MutatedFolder::with_case(
        "{mutate: {ignore: {mutant: [duplicate, omit], reason: of the suite}}, tests: [{id: a, mutate: {ignore: [rename]}, \
         expect: [contains: x], trace: {calls: [{call: look}], answer: x}}]}",
    );
    assert_eq!(folder.find_fate("duplicate 1 look")["ignored"]["reason"], "of the suite");
    assert!(folder.find_fate("omit 1 look")["ignored"].is_object());
    assert!(folder.find_fate("rename 1 look")["ignored"].is_object());
    assert!(folder.find_fate("unknown_call first")["survived"].is_object());
}

#[test]
fn a_star_ignores_every_mutant_that_survives() {
    let folder = MutatedFolder::with_case(
        "{id: a, mutate: {ignore: \"*\"}, expect: [tool_called: look], trace: {calls: [{call: look}], answer: x}}",
    );
    assert!(folder.find_fate("omit 1 look")["killed"].is_object());
    let fates = folder.list_fates();
    assert!(fates.iter().all(|(_, fate)| fate["survived"].is_null()), "{fates:?}");
}

/// A program is a check like any other where it may start, and left out where it may not.
#[cfg(all(unix, feature = "live"))]
#[test]
fn programs_see_each_mutant_if_they_may_start() {
    let script =
        "if grep -q amount.:2,; then echo '{\\\"pass\\\":true}'; else echo '{\\\"pass\\\":false}'; fi";
    let case = |expect: &str| {
        MutatedFolder::with_case(&format!(
            "{{id: a, expect: [{expect}{{exec: [sh, -c, \"{script}\"]}}], trace: {{calls: [{{call: refund, args: {{amount: \
             2, order: 7}}}}], answer: Done.}}}}"
        ))
    };
    let folder = case("{tool_called: refund}, ");
    let shown = arraign(folder.path(), &["mutate"]).stdout;
    assert!(shown.contains("left out: `exec` (runs a program: `--allow-exec` lets it)"), "{shown}");
    assert!(shown.contains("survived: call 1 `refund`: `amount` is"), "{shown}");
    let shown = arraign(folder.path(), &["mutate", "--allow-exec"]).stdout;
    assert!(!shown.contains("left out: `exec`"), "{shown}");
    assert!(!shown.contains("survived: call 1 `refund`: `amount` is"), "{shown}");
    assert!(shown.contains("survived: call 1 `refund`: `order` is"), "{shown}");
    let ran = arraign(case("").path(), &["mutate"]);
    assert!(ran.stderr.contains("each of its checks runs a program"), "{}{}", ran.stdout, ran.stderr);
}

/// One case that is tried at once, and 40 that take their time.
#[cfg(target_os = "linux")]
fn write_slow_cases() -> String {
    let calls: Vec<String> = (0..800).map(|at| format!("{{call: look, args: {{at: {at}}}}}")).collect();
    let calls = calls.join(", ");
    let slow = (0..40).map(|at| {
        format!("  - {{id: slow_{at}, expect: [tool_called: look], trace: {{calls: [{calls}]}}}}\n")
    });
    let first = "tests:\n  - {id: first, expect: [contains: x], trace: {calls: [], answer: x}}\n";
    slow.fold(first.to_owned(), |text, case| text + &case)
}

/// Ctrl-C ends the mutants early: what is known is shown, and said to be a part.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_mutation_shows_what_it_knows_and_is_130() {
    use std::thread::sleep;
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process};

    let folder = MutatedFolder::with_case(&write_slow_cases());
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"));
    command.args(["mutate", "--write-baseline", "known.json"]).current_dir(folder.path());
    command
        .env_remove("CARGO_MANIFEST_DIR")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("the program starts");
    // The signals that the program catches, as bits: the second one is that of Ctrl-C.
    let catches_interrupt = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_some_and(|bits| bits & 2 != 0)
    };
    while !catches_interrupt() {
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(500));
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process");
    kill_process(id, Signal::INT).expect("it is ours");
    let ended = child.wait_with_output().expect("it ends");
    let [stdout, stderr] = [ended.stdout, ended.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8"));
    assert_eq!(ended.status.code(), Some(130), "{stdout}{stderr}");
    let partial = stderr.trim_end();
    assert!(
        partial.starts_with("interrupted: only ") && partial.ends_with(" of 41 cases were tried"),
        "{stderr}"
    );
    assert!(stdout.trim_end().ends_with(partial), "{stdout}");
    assert!(!folder.path().join("known.json").exists(), "a part is no baseline");
}
