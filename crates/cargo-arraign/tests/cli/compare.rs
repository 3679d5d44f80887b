//! `cargo arraign compare`: two runs, by their folders, ids or reports.

use std::fs;
use std::path::Path;

use arraign::json::{self, Json, json};
use arraign::{Harness, Trace, Verdict};

use crate::package::Package;
use crate::program::{arraign, pin};
use crate::report::suite;

/// Whether each case, by name, passes.
type Results = &'static [(&'static str, bool)];

const BEFORE: Results = &[("refunds::asks", true), ("refunds::greets", true), ("refunds::pays", false)];
const AFTER: Results = &[("refunds::asks", false), ("refunds::greets", true), ("refunds::pays", true)];

/// The verdicts of trials that all judge the same trace.
fn verdicts(results: &[(&str, bool)]) -> Vec<Verdict> {
    let suite = Harness::new("evals")
        .parse("[{id: good, expect: [contains: ships]}, {id: bad, expect: [contains: leaves]}]")
        .expect("cases");
    let verdict = |(name, passes): &(&str, bool)| {
        let trace = Trace { answer: Some("it ships today".to_owned()), ..Trace::default() };
        let mut verdict = arraign::evaluate(&suite.cases[usize::from(!passes)], &trace);
        (verdict.name, verdict.harness) = ((*name).to_owned(), "evals".to_owned());
        verdict
    };
    results.iter().map(verdict).collect()
}

/// The verdicts of so many cases of one variant, of which the first `good` pass, each on a run of its own.
fn sample(variant: &str, cases: usize, good: usize) -> Vec<Verdict> {
    let names: Vec<String> = (0..cases).map(|number| format!("refunds::c{number}")).collect();
    let results: Vec<(&str, bool)> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), at < good)).collect();
    let mut verdicts = verdicts(&results);
    for verdict in &mut verdicts {
        verdict.runs[0].evidence_hash = Some(format!("{variant} {}", verdict.name));
        verdict.case_name = Some(verdict.name.clone());
        verdict.name = format!("{}@{variant}", verdict.name);
        verdict.variant = Some(variant.to_owned());
    }
    verdicts
}

fn write_lines(path: &Path, verdicts: &[Verdict]) {
    let lines: Vec<String> = verdicts.iter().map(|verdict| json::to_string(verdict).expect("JSON")).collect();
    fs::write(path, lines.join("\n")).expect("a file");
}

/// Writes the log of a process, as the process leaves it.
fn leave(log: &Path, attempt: u32, results: Results) {
    fs::create_dir_all(log.parent().expect("the run")).expect("a folder");
    let lines = verdicts(results).into_iter().map(|mut verdict| {
        verdict.attempt = attempt;
        json::to_string(&verdict).expect("JSON") + "\n"
    });
    fs::write(log, lines.collect::<String>()).expect("a file");
}

/// A package with two runs.
fn package() -> tempfile::TempDir {
    let package = tempfile::tempdir().expect("a folder");
    for (started_ms, (id, results)) in (1..).zip([("1-1", BEFORE), ("2-2", AFTER)]) {
        leave_run(&package.path().join("target/arraign").join(id), started_ms, results);
    }
    package
}

fn leave_run(run: &Path, started_ms: u64, results: Results) {
    leave(&run.join("evals.7.jsonl"), 1, results);
    fs::create_dir_all(run.join("@manifests")).expect("a folder");
    let manifest = json!({
        "schema_version": 1, "arraign": "0.1.0", "harness": "evals", "cases": "evals", "package": "",
        "started_ms": started_ms,
    });
    fs::write(run.join("@manifests/evals.json"), manifest.to_string()).expect("a file");
}

#[test]
fn a_regression_is_exit_code_101() {
    let package = package();
    let ran = arraign(package.path(), &["compare", "1-1", "2-2"]);
    assert_eq!(ran.code, Some(101), "{}", ran.stderr);
    pin("compare-text", &ran.stdout);
    let markdown = arraign(package.path(), &["compare", "1-1", "2-2", "--format", "markdown"]);
    let heading = "### <code>2-2</code> compared with <code>1-1</code>\n";
    assert!(markdown.stdout.starts_with(heading), "{}", markdown.stdout);
    let json = arraign(package.path(), &["compare", "1-1", "2-2", "--format", "json"]);
    let json: Json = json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json["comparisons"][0]["trials"][0]["change"], "regressed");
}

#[test]
fn a_run_that_is_no_worse_is_exit_code_0() {
    let package = package();
    leave_run(&package.path().join("target/arraign/3-3"), 3, AFTER);
    let ran = arraign(package.path(), &["compare", "2-2", "target/arraign/3-3"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.contains("nothing changed"), "{}", ran.stdout);
}

#[test]
fn a_folder_with_one_run_is_that_run() {
    let package = package();
    let leave = |run: &str, started_ms| leave_run(&package.path().join(run), started_ms, AFTER);
    leave("runs/one/3-3", 3);
    leave("runs/two/4-4", 4);
    let ran = arraign(package.path(), &["compare", "runs/one", "runs/two"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let twice = arraign(package.path(), &["compare", "runs/one", "runs/one/3-3"]);
    assert!(twice.stderr.contains("is named twice"), "{}", twice.stderr);
    leave("runs/two/5-5", 5);
    let several = arraign(package.path(), &["compare", "runs/one", "runs/two"]);
    let said = "`runs/two` is a folder of 2 runs: name one of them; the newest is `runs/two/5-5`";
    assert!(several.code == Some(2) && several.stderr.contains(said), "{}", several.stderr);
}

#[test]
fn a_side_is_not_compared_with_itself() {
    let package = package();
    let log = package.path().join("report.jsonl");
    write_lines(&log, &[sample("baseline", 10, 9), sample("cheaper", 10, 9)].concat());
    for (arguments, twice) in [
        (&["2-2", "target/arraign/2-2"][..], "`target/arraign/2-2` is named twice"),
        (&["1-1", "2-2", "2-2"], "`2-2` is named twice"),
        // Without a second name, it is the newest run.
        (&["2-2"], "target/arraign`, and a run is not compared with itself"),
        (&["2-2"], "cargo arraign compare BEFORE 2-2"),
        (
            &["report.jsonl", "--out", "empty"],
            "`report.jsonl` is one run: `empty` has no run to compare it with",
        ),
        (&["report.jsonl", "report.jsonl"], "`report.jsonl` is named twice"),
        (&["report.jsonl", "--variants", "baseline,baseline"], "`baseline` is named twice"),
        (&["report.jsonl", "--variants", "baseline,cheaper,cheaper"], "`cheaper` is named twice"),
    ] {
        let ran = arraign(package.path(), &[&["compare"], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stdout);
        assert!(ran.stderr.contains(twice), "{arguments:?}: {}", ran.stderr);
    }
    // One name is the side that all others are compared with.
    let one = arraign(package.path(), &["compare", "report.jsonl", "--variants", "cheaper"]);
    assert!(one.stdout.contains("baseline compared with cheaper"), "{}{}", one.stdout, one.stderr);
}

/// The share is that of the cases with a result, so their number stands beside it.
#[test]
fn cases_without_a_result_are_no_part_of_the_share_and_are_counted() {
    let package = package();
    let mut all = [sample("baseline", 100, 93), sample("cheaper", 100, 93)].concat();
    for verdict in all.iter_mut().filter(|verdict| verdict.variant.as_deref() == Some("cheaper")).take(3) {
        verdict.runs[0].status = Some(arraign::Status::Error);
    }
    write_lines(&package.path().join("report.jsonl"), &all);
    let ran = arraign(package.path(), &["compare", "report.jsonl", "--variants"]);
    let line = |name: &str| {
        let line =
            ran.stdout.lines().find(|line| line.starts_with(&format!("{name} ")) && line.contains('%'));
        let line = line.expect("a row of the table");
        line.split_whitespace().take(9).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("baseline"), "baseline 100 93.0 % (86.2 to 96.6) 0 runs");
    assert_eq!(line("cheaper"), "cheaper 97 of 100 92.8 % (85.9 to 96.5)");
    let json = arraign(package.path(), &["compare", "report.jsonl", "--variants", "--format", "json"]);
    let json: Json = json::from_str(&json.stdout).expect("JSON");
    let side = &json["variants"][1];
    assert_eq!((&side["cases"], &side["cases_with_result"]), (&100.into(), &97.into()));
    assert_eq!(side["runs_without_result"], 3);
}

/// The folders of a run's shards are one side, whose trials are those of all of them.
#[test]
fn the_shards_of_a_run_are_one_side() {
    let cases = suite(&["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| (name, "look")));
    let package = Package::of(&cases);
    let run = |shard: &str, out: &str| {
        package.arraign_with(&[("ARRAIGN_SHARD", shard), ("ARRAIGN_OUT", out)], &["run"]);
        let folder = fs::read_dir(package.path(out)).expect("runs").next().expect("a run").expect("a run");
        folder.path().to_string_lossy().into_owned()
    };
    let [b1, b2, a1, a2] = [run("1/2", "b1"), run("2/2", "b2"), run("1/2", "a1"), run("2/2", "a2")];
    let compare = |names: &[&String]| {
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        package.arraign(&[&["compare"], &names[..]].concat())
    };
    let whole = compare(&[&b2, &b1, &a1, &a2]);
    assert_eq!((whole.code, whole.stderr.as_str()), (Some(0), ""), "{}", whole.stdout);
    assert!(whole.stdout.contains("judged the same evidence in all of 8 cases"), "{}", whole.stdout);
    for (names, problem) in [
        (&[&b1, &b2, &a1][..], "is shard 1 of 2, and 2 is not named beside it"),
        (&[&b1, &a1, &b2, &a2], "is shard 1 of 2, and 2 is not named beside it"),
    ] {
        let ran = compare(names);
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
        assert!(ran.stderr.contains("cargo arraign report --merge"), "{}", ran.stderr);
    }
    // The newest run is no whole one either.
    let newest = package.arraign(&["compare", "--variants", "--out", "a2"]);
    assert_eq!(newest.code, Some(2), "{}", newest.stdout);
    assert!(newest.stderr.contains("is shard 2 of 2, and 1 is not named beside it"), "{}", newest.stderr);
}

#[test]
fn the_last_attempt_of_a_retried_trial_counts_and_is_flaky() {
    let package = package();
    // The later attempt is in the earlier log: slots of nextest are not in the order of time.
    leave(&package.path().join("target/arraign/2-2/evals.1.jsonl"), 2, &[("refunds::asks", true)]);
    let ran = arraign(package.path(), &["compare", "1-1", "2-2"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert!(ran.stdout.contains("refunds::asks  in the later run"), "{}", ran.stdout);
}

#[test]
fn the_markdown_of_a_report_compares_with_an_earlier_run() {
    let package = package();
    let ran =
        arraign(package.path(), &["report", "--run", "2-2", "--format", "markdown", "--compare", "1-1"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(101), ""));
    let page = fs::read_to_string(package.path().join("target/arraign/report.md")).expect("a report");
    assert!(
        page.contains("### <code>2-2</code> compared with <code>1-1</code>\n\n1 regressed, 1 improved.\n"),
        "{page}"
    );
}

#[test]
fn reports_are_runs_too() {
    let package = package();
    let lines: Vec<String> =
        verdicts(AFTER).iter().map(|verdict| json::to_string(verdict).expect("JSON")).collect();
    write_lines(&package.path().join("report.jsonl"), &verdicts(AFTER));
    let report =
        format!("{{\"schema_version\":1,\"run\":{{\"id\":\"7\"}},\"verdicts\":[{}]}}", lines.join(","));
    fs::write(package.path().join("report.json"), report).expect("a file");
    for report in ["report.json", "report.jsonl"] {
        let ran = arraign(package.path(), &["compare", "1-1", report]);
        assert_eq!(ran.code, Some(101), "{report}: {}", ran.stderr);
    }
}

#[test]
fn what_is_no_run_is_exit_code_2() {
    let package = package();
    let log = package.path().join("target/arraign/2-2/evals.7.jsonl");
    fs::write(&log, "{\"schema_version\": 1, \"name\": 7}\n").expect("a file");
    let cut = arraign(package.path(), &["compare", "1-1", "2-2"]);
    let gone = arraign(package.path(), &["compare", "1-1", "3-3"]);
    assert_eq!((cut.code, gone.code), (Some(2), Some(2)));
    pin("compare-errors", &[cut.stderr, gone.stderr].concat());
}

#[test]
fn without_names_the_last_two_runs_that_share_trials_are_compared() {
    let package = package();
    let runs = package.path().join("target/arraign");
    leave_run(&runs.join("other"), 3, &[("elsewhere::x", true)]);
    leave_run(&runs.join("newest"), 4, &[("refunds::asks", true)]);
    let ran = arraign(package.path(), &["compare"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(
        ran.stdout.starts_with("newest compared with 2-2: 1 improved, 2 only before\n"),
        "{}",
        ran.stdout
    );
    let named = arraign(package.path(), &["compare", "1-1"]);
    assert!(named.stdout.starts_with("newest compared with 1-1: 2 only before\n"), "{}", named.stdout);
    fs::remove_dir_all(runs.join("2-2")).expect("a run");
    fs::remove_dir_all(runs.join("1-1")).expect("a run");
    let alone = arraign(package.path(), &["compare"]);
    assert_eq!(alone.code, Some(2));
    assert!(
        alone.stderr.contains("before `newest` has a trial of it; name the earlier run"),
        "{}",
        alone.stderr
    );
}

#[test]
fn variants_of_one_run_are_compared_and_the_worse_one_is_exit_code_101() {
    let package = package();
    let log = package.path().join("report.jsonl");
    write_lines(
        &log,
        &[sample("baseline", 40, 38), sample("cheaper", 40, 37), sample("terse", 40, 20)].concat(),
    );
    let all = arraign(package.path(), &["compare", "report.jsonl", "--variants"]);
    assert_eq!(all.code, Some(101), "{}", all.stderr);
    pin("compare-variants", &all.stdout);
    let two = arraign(package.path(), &["compare", "--variants", "baseline,cheaper", "report.jsonl"]);
    assert_eq!((two.code, two.stderr.as_str()), (Some(0), ""));
    let none = arraign(package.path(), &["compare", "report.jsonl", "--variants", "baseline,cheap"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("its variants are `baseline`, `cheaper`, `terse`"), "{}", none.stderr);
}

/// A run that was cut off has the cases that came first. What it has lost is not what somebody took out.
#[test]
fn a_run_that_was_cut_off_is_not_no_worse() {
    let package = tempfile::tempdir().expect("a folder");
    let mut half = sample("baseline", 200, 100)[..100].to_vec();
    for verdict in &mut half {
        verdict.runs[0].evidence_hash = Some(format!("later {}", verdict.name));
    }
    for (id, verdicts) in [("1-1", sample("baseline", 200, 200)), ("2-2", half)] {
        let run = package.path().join("target/arraign").join(id);
        leave_run(&run, 1, &[]);
        let path = run.join("@manifests/evals.json");
        let manifest = fs::read_to_string(&path).expect("a manifest");
        fs::write(&path, manifest.replacen('{', "{\"trials\":200,", 1)).expect("a manifest");
        write_lines(&run.join("evals.7.jsonl"), &verdicts);
    }
    let ran = arraign(package.path(), &["compare", "1-1", "2-2", "--margin", "0.05"]);
    assert_eq!(ran.code, Some(101), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("100 of 200 cases have no result in 2-2"), "{}", ran.stdout);
    assert!(ran.stderr.contains("`2-2` is incomplete: 100 verdicts are lost"), "{}", ran.stderr);
}

#[test]
fn with_a_margin_undecided_is_exit_code_101_unless_it_is_allowed() {
    let package = package();
    let log = package.path().join("report.jsonl");
    write_lines(&log, &[sample("baseline", 40, 38), sample("cheaper", 40, 37)].concat());
    let compare = ["compare", "report.jsonl", "--variants", "baseline,cheaper", "--margin"];
    let ran = arraign(package.path(), &[&compare[..], &["0.05"]].concat());
    assert_eq!(ran.code, Some(101), "{}", ran.stdout);
    assert!(ran.stdout.contains("like these would decide it"), "{}", ran.stdout);
    let allowed = arraign(package.path(), &[&compare[..], &["0.05", "--allow-undecided"]].concat());
    let wide = arraign(package.path(), &[&compare[..], &["0.2"]].concat());
    assert_eq!((allowed.code, wide.code), (Some(0), Some(0)), "{}", wide.stdout);
    assert!(
        wide.stdout.contains("cheaper is no worse than baseline by more than 20 points"),
        "{}",
        wide.stdout
    );
    let json = arraign(package.path(), &[&compare[..], &["0.05", "--format", "json"]].concat());
    let json: Json = json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json["comparisons"][0]["verdict"], "undecided");
    assert_eq!(json["comparisons"][0]["needs"]["runs"], 1);
    assert_eq!(json["margin"], 0.05);
}

#[test]
fn a_setting_that_cannot_be_meant_is_refused() {
    let package = package();
    for (arguments, message) in [
        (&["--margin", "5"][..], "expected a number between 0 and 1, such as 0.05 for five points"),
        (&["--confidence", "95"], "expected a number between 0 and 1, such as 0.95"),
        (&["--cluster", "repository"], "expected `metadata.` and a key of the cases' `metadata`"),
        (&["--allow-undecided"], "--margin"),
        (&["--variants"], "name one run"),
    ] {
        let ran = arraign(package.path(), &[&["compare", "1-1", "2-2"], arguments].concat());
        assert!(ran.code == Some(2) && ran.stderr.contains(message), "{arguments:?}: {}", ran.stderr);
    }
}

/// A run of two variants of one agent: twelve cases, of which the variant `hasty` answers four wrong.
#[cfg(all(unix, feature = "live"))]
#[test]
fn the_variants_of_a_run_are_compared() {
    use crate::package::Package;

    let script = "i=$(cat); n=${i#*order }; n=${n%%[!0-9]*}; tool=look; \
        if [ \"$HASTE\" = yes ] && [ $((n % 3)) = 0 ]; then tool=rm; fi; echo \"{\\\"calls\\\": [\\\"$tool\\\"]}\"";
    let settings = json!({
        "agents": {"shop": {"command": ["sh", "-c", script]}},
        "variants": {"hasty": {"env": {"HASTE": "yes"}}},
    });
    let cases: Vec<String> = (1..=24)
        .map(|n| format!("  - {{id: c{n}, input: order {n}, expect: [{{tool_blocklist: [rm]}}]}}\n"))
        .collect();
    let package = Package::of(&format!("agent: shop\ntests:\n{}", cases.concat()));
    fs::write(package.path("evals/arraign.yaml"), settings.to_string()).expect("the settings");
    let live = [("ARRAIGN_AGENT_MODE", "live")];
    let ran = package.arraign_with(&live, &["run", "--variant", "baseline,hasty"]);
    assert_eq!(ran.code, Some(101), "{}{}", ran.stdout, ran.stderr);
    let compared = package.arraign(&["compare", "--variants", "baseline,hasty"]);
    assert_eq!(compared.code, Some(101), "{}{}", compared.stdout, compared.stderr);
    assert!(
        compared.stdout.contains("hasty is worse than baseline by 33.3 points (24 pairs"),
        "{}",
        compared.stdout
    );
    let json = package.arraign(&["compare", "--variants", "--format", "json"]);
    let report: Json = json::from_str(&json.stdout).expect("JSON");
    let comparison = &report["comparisons"][0];
    assert_eq!((comparison["after"].as_str(), comparison["pairs"].as_u64()), (Some("hasty"), Some(24)));
    assert_eq!(comparison["lost"][0], "s::c12");
}

#[test]
fn a_plan_says_how_many_cases_decide_a_margin() {
    let package = Package::of(&suite(&[("a", "look"), ("b", "rm")]));
    let plan = |arguments: &[&str]| {
        let ran = package
            .arraign(&[&["compare", "--plan", "--format", "json", "--margin", "0.2"], arguments].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        json::from_str::<Json>(&ran.stdout).expect("JSON")
    };
    let unknown = plan(&[]);
    let cases = |plan: &Json| plan["plans"][0]["worse"].as_u64().expect("a number");
    assert!((30..200).contains(&cases(&unknown)), "{unknown}");
    assert_eq!(plan(&[]), unknown, "the same each time");
    package.attempt("one", "1", "s::a");
    package.attempt("one", "1", "s::b");
    let of_run = plan(&["--from", "one"]);
    assert!(of_run["passed"].as_f64() < unknown["passed"].as_f64(), "{of_run}");
    let text = package.arraign(&["compare", "--plan", "--margin", "0.2"]);
    assert!(
        text.stdout
            .contains("| runs a side | `no worse`, if nothing changed | `worse`, if the drop is 20 points |"),
        "{}",
        text.stdout
    );
    assert_eq!(package.arraign(&["compare", "--plan"]).code, Some(2), "a plan needs a margin");
}

#[test]
fn a_page_has_the_plot_the_figures_and_what_each_side_lost() {
    let package = tempfile::tempdir().expect("a folder");
    let mut all = sample("baseline", 20, 19);
    all.extend(sample("small", 20, 17));
    all.extend(sample("tiny", 20, 4));
    let costs = [("baseline", 0.01), ("small", 0.002), ("tiny", 0.0005)];
    for verdict in &mut all {
        let variant = verdict.variant.clone().unwrap_or_default();
        let cost = costs.iter().find(|(name, _)| *name == variant).expect("a variant").1;
        verdict.runs[0].cost_usd = Some(cost);
    }
    write_lines(&package.path().join("report.jsonl"), &all);
    let ran = arraign(package.path(), &["compare", "--variants", "--format", "html", "report.jsonl"]);
    assert_eq!(ran.code, Some(101), "{}", ran.stderr);
    for part in [
        "<svg viewBox=",
        ">baseline</text>",
        ">tiny</text>",
        "tiny is worse than baseline",
        "<h2>small compared with baseline</h2>\n<p>2 lost</p>",
        "<h2>tiny compared with baseline</h2>\n<p>15 lost</p>",
        "<code>refunds::c18</code>",
        "<th>$/passed</th>",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("<script"), "{}", ran.stdout);
    let plan = arraign(package.path(), &["compare", "--plan", "--margin", "0.05", "--format", "html"]);
    assert_eq!(plan.code, Some(2), "{}", plan.stdout);
}
