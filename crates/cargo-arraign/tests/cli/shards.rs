//! `cargo arraign report --merge`: the shards of a run, complete or not.

use std::fs;
use std::path::PathBuf;

use crate::package::Package;
use crate::report::suite;

use arraign::json::{self, Json};

/// Runs the shards, each into a folder of its own, and returns the folders of the runs.
fn run_shards(package: &Package, shards: &[(&str, &str)]) -> Vec<String> {
    shards.iter().map(|(shard, out)| run_shard(package, shard, out)).collect()
}

fn run_shard(package: &Package, shard: &str, out: &str) -> String {
    package.arraign_with(&[("ARRAIGN_SHARD", shard), ("ARRAIGN_OUT", out)], &["run"]);
    let runs: Vec<PathBuf> =
        fs::read_dir(package.path(out)).expect("runs").map(|run| run.expect("a run").path()).collect();
    let [run] = runs.as_slice() else { panic!("one run: {runs:?}") };
    run.to_string_lossy().into_owned()
}

fn cases() -> Package {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    Package::of(&suite(&names.map(|name| (name, "look"))))
}

/// Removes all durations, which differ from run to run.
fn blank_durations(json: &mut Json) {
    match json {
        Json::Object(fields) => {
            fields.retain(|name, _| name != "duration_ms");
            fields.values_mut().for_each(blank_durations);
        }
        Json::Array(items) => items.iter_mut().for_each(blank_durations),
        _ => {}
    }
}

#[test]
fn all_shards_together_are_the_report_of_one_process() {
    let package = cases();
    let folders = run_shards(&package, &[("1/3", "one"), ("2/3", "two"), ("3/3", "three")]);
    package.arraign_with(&[("ARRAIGN_OUT", "alone")], &["run"]);
    let alone =
        fs::read_dir(package.path("alone")).expect("runs").next().expect("a run").expect("a run").path();
    let report = |folders: &[&str], out: &str| {
        let ran = package
            .arraign(&[&["report", "--format", "json", "--out", out, "--merge"][..], folders].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
        let mut json: Json = json::from_str(&package.read(&format!("{out}/report.json"))).expect("JSON");
        json["run"] = Json::Null;
        blank_durations(&mut json);
        json
    };
    // The order of the folders does not matter.
    let merged = report(&[&folders[2], &folders[0], &folders[1]], "merged");
    assert_eq!(merged, report(&[&alone.to_string_lossy()], "whole"));
}

#[test]
fn a_missing_shard_and_shards_of_different_lists_are_2() {
    let package = cases();
    let mut folders = run_shards(&package, &[("1/3", "one"), ("3/3", "three")]);
    let missing = package.arraign(&["report", "--merge", &folders[0], &folders[1]]);
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr.contains("incomplete: shard 2 of 3 is missing"), "{}", missing.stderr);
    package.write("evals/t.yaml", &suite(&[("new", "look")]));
    folders.push(run_shard(&package, "2/3", "two"));
    let unlike = package.arraign(&["report", "--merge", &folders[0], &folders[1], &folders[2]]);
    assert_eq!(unlike.code, Some(2));
    assert!(unlike.stderr.contains("the folders are not shards of one run"), "{}", unlike.stderr);
}

#[test]
fn a_filter_of_the_program_that_matches_nothing_is_2_and_names_the_nearest_trial() {
    let package = Package::of(&suite(&[("refund", "look"), ("quote", "look")]));
    for arguments in [&["run", "--", "refnud"][..], &["run", "--", "--exact", "s::refnud"]] {
        let ran = package.arraign(arguments);
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        assert!(ran.stderr.contains("`; did you mean `s::refund`?"), "{}", ran.stderr);
    }
}

#[test]
fn flags_select_tiers_and_tags() {
    let package = Package::of(
        "tests:\n  - {id: a, tier: smoke, tags: [x], trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}\n  \
         - {id: b, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}\n",
    );
    for flags in [&["run", "--tier", "smoke"][..], &["run", "--tag", "x"]] {
        let ran = package.arraign(flags);
        assert!(ran.stdout.contains("1 passed"), "{}", ran.stdout);
    }
    assert_eq!(package.arraign(&["run", "--tier", "smok"]).code, Some(2));
}

#[test]
fn a_partial_report_has_an_undecided_trial_for_each_shard_without_its_verdicts() {
    let package = cases();
    let folders = run_shards(&package, &[("1/3", "one"), ("3/3", "three")]);
    let merged = |folders: &[&str]| {
        let flags = ["report", "--format", "json,markdown,junit", "--out", "merged", "--partial", "--merge"];
        package.arraign(&[&flags[..], folders].concat())
    };
    // The folder of a job that was killed before its first trial.
    fs::create_dir_all(package.path("two/run")).expect("a folder");
    let two = package.path("two/run").to_string_lossy().into_owned();
    let ran = merged(&[&folders[0], &two, &folders[1]]);
    assert_eq!(ran.code, Some(101), "{}", ran.stderr);
    let report: Json = json::from_str(&package.read("merged/report.json")).expect("JSON");
    let trials = report["verdicts"].as_array().expect("verdicts");
    assert_eq!(trials[0]["name"], "shard 2 of 3");
    assert_eq!(trials[0]["status"], "undecided");
    let left = 8 - (trials.len() - 1);
    let problem = format!("shard 2 of 3 left no verdicts: {left} of 8 trials");
    for file in ["report.json", "report.md", "report.junit.xml"] {
        let text = package.read(&format!("merged/{file}"));
        assert!(text.contains(&problem), "{file}: {text}");
    }
    let shown = package.arraign(&["report", "--partial", "--merge", &folders[0], &folders[1]]);
    assert_eq!(shown.code, Some(101));
    assert!(shown.stdout.contains("---- shard 2 of 3: undecided ----"), "{}", shown.stdout);
    assert!(shown.stdout.contains(&problem), "{}", shown.stdout);
    let again = "ARRAIGN_SHARD=2/3 cargo arraign run";
    assert_eq!(trials[0]["rerun"], again);

    // A job that was killed between two trials.
    let log = fs::read_dir(&folders[0]).expect("a run").map(|file| file.expect("a file").path());
    let log = log.into_iter().find(|path| path.extension().is_some_and(|end| end == "jsonl")).expect("a log");
    let lines = fs::read_to_string(&log).expect("a log");
    let (first, rest) = lines.split_once('\n').expect("a line");
    let count = rest.lines().count() + 1;
    assert!(count > 1, "the shard has several trials");
    fs::write(&log, format!("{first}\n")).expect("it is cut");
    let all = [run_shard(&package, "2/3", "again"), folders[0].clone(), folders[1].clone()];
    let cut = merged(&[&all[0], &all[1], &all[2]]);
    assert_eq!(cut.code, Some(101));
    let text = package.read("merged/report.md");
    assert!(text.contains(&format!("shard 1 of 3 left 1 of {count} verdicts")), "{text}");
    // What contradicts itself stays a mistake, and a whole run is reported as ever.
    package.write("evals/t.yaml", &suite(&[("new", "look")]));
    let unlike = run_shard(&package, "2/3", "unlike");
    assert_eq!(merged(&[&folders[1], &unlike]).code, Some(2));
    assert_eq!(merged(&[&two]).code, Some(2));
    assert_eq!(package.arraign(&["report", "--partial"]).code, Some(2));
}

#[test]
fn the_shards_of_several_variants_are_lists_of_their_own() {
    let cases = suite(&["a", "b", "c", "d", "e", "f"].map(|name| (name, "look")));
    let package = Package::of(&cases);
    package.write("evals/arraign.yaml", "variants: {cheaper: {env: {MODEL: small}}}\n");
    let run = |shard: &str, variant: &str| {
        let out = format!("{variant}-{}", &shard[..1]);
        package.arraign_with(
            &[("ARRAIGN_SHARD", shard), ("ARRAIGN_OUT", &out), ("ARRAIGN_VARIANT", variant)],
            &["run"],
        );
        let folder = fs::read_dir(package.path(&out)).expect("runs").next().expect("a run").expect("a run");
        folder.path().to_string_lossy().into_owned()
    };
    let folders =
        [run("1/2", "baseline"), run("2/2", "baseline"), run("1/2", "cheaper"), run("2/2", "cheaper")];
    let merge = |flags: &[&str], folders: &[String]| {
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        package.arraign(&[&["report"], flags, &["--merge"], &folders].concat())
    };
    let whole = merge(&[], &folders);
    assert_eq!((whole.code, whole.stderr.as_str()), (Some(0), ""));
    let without = merge(&[], &folders[..3]);
    assert_eq!(without.code, Some(2));
    assert!(without.stderr.contains("shard 2 of 2 of cheaper is missing"), "{}", without.stderr);
    let partial = merge(&["--partial"], &folders[..3]);
    assert_eq!(partial.code, Some(101));
    assert!(partial.stdout.contains("---- shard 2 of 2 of cheaper: undecided ----"), "{}", partial.stdout);
    merge(&["--partial", "--format", "json", "--out", "merged"], &folders[..3]);
    let again = "ARRAIGN_SHARD=2/2 ARRAIGN_VARIANT=cheaper cargo arraign run";
    assert!(package.read("merged/report.json").contains(&format!("\"rerun\":\"{again}\"")), "{again}");
}
