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
