//! Public bug reports about tools like this one, rebuilt as cases with the verdicts that they should get.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use arraign::json::{self, Json};

/// Reports whose verdicts are not yet as expected, each with the reason.
const OPEN: &[(&str, &str)] = &[];

/// The verdicts that a report's trials should get.
#[derive(Deserialize)]
struct Expectation {
    /// A status by trial, or several of which any will do.
    expected: BTreeMap<String, Json>,
    /// The exit code, or several; `None` if nobody asks.
    exit: Option<Json>,
    env: BTreeMap<String, String>,
    args: Vec<String>,
}

#[test]
fn rebuilt_bug_reports_get_the_expected_verdicts() {
    let data =
        std::env::var_os("ARRAIGN_CONFORMANCE_DIR").map(|root| Path::new(&root).join("goldens/reports"));
    let Some(data) = data.filter(|data| data.is_dir()) else {
        eprintln!("skipped: ARRAIGN_CONFORMANCE_DIR names no folder with goldens/reports");
        return;
    };
    let mut reports: Vec<PathBuf> = fs::read_dir(&data)
        .expect("the reports")
        .map(|entry| entry.expect("a report").path())
        .filter(|report| report.join("expected.json").exists())
        .collect();
    reports.sort();
    assert!(reports.len() > 10, "{} reports", reports.len());
    let mut wrong = Vec::new();
    for report in reports {
        let name = report.file_name().expect("a name").to_string_lossy().into_owned();
        let differences = compare_verdicts(&report);
        match OPEN.iter().find(|(open, _)| *open == name) {
            Some((_, reason)) if differences.is_empty() => {
                wrong.push(format!("{name} agrees now: {reason}?"));
            }
            Some(_) => {}
            None => wrong.extend(differences.into_iter().map(|difference| format!("{name}: {difference}"))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a report's cases in a copy of its folder, and lists the verdicts that differ.
fn compare_verdicts(report: &Path) -> Vec<String> {
    let text = fs::read_to_string(report.join("expected.json")).expect("the expectation");
    let expectation: Expectation = json::from_str(&text).expect("an expectation");
    let folder = tempfile::tempdir().expect("a folder");
    copy_files(report, folder.path());
    let out = folder.path().join("out");
    let run = Command::new(env!("CARGO_BIN_EXE_cargo-arraign"))
        .arg("run")
        .args(&expectation.args)
        .envs(&expectation.env)
        .env("ARRAIGN_OUT", &out)
        .env("ARRAIGN_REPORT", "json")
        .env_remove("CARGO_MANIFEST_DIR")
        // Under nextest, a process writes its verdicts alone, and the report is rendered later.
        .env_remove("NEXTEST")
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    let statuses = read_statuses(&out.join("report.json"));
    // Where the cases do not load, there is no report.
    let without_report = if run.status.code() == Some(2) { "refused" } else { "not run" };
    let mut differences = Vec::new();
    for (trial, expected) in &expectation.expected {
        let status = statuses.get(trial).map_or(without_report, String::as_str);
        if !names(expected, &Json::from(status)) {
            differences.push(format!("`{trial}` is {status}, {expected} expected"));
        }
    }
    let code = Json::from(run.status.code());
    if let Some(expected) = expectation.exit.filter(|expected| !names(expected, &code)) {
        differences.push(format!("the exit code is {code}, {expected} expected"));
    }
    differences
}

/// Whether `expected` is the value, or a list that has it.
fn names(expected: &Json, value: &Json) -> bool {
    expected == value || expected.as_array().is_some_and(|list| list.contains(value))
}

fn read_statuses(report: &Path) -> BTreeMap<String, String> {
    let Ok(text) = fs::read_to_string(report) else { return BTreeMap::new() };
    let report: Json = json::from_str(&text).expect("a report");
    let verdicts = report["verdicts"].as_array().map(<[Json]>::to_vec).unwrap_or_default();
    let text_of = |verdict: &Json, key: &str| verdict[key].as_str().expect("a text").to_owned();
    verdicts.iter().map(|verdict| (text_of(verdict, "name"), text_of(verdict, "status"))).collect()
}

fn copy_files(from: &Path, to: &Path) {
    for entry in walkdir::WalkDir::new(from).into_iter().map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.path().strip_prefix(from).expect("a path below"));
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).expect("a folder");
        } else {
            // A copy of a read-only file could not be removed everywhere.
            fs::write(target, fs::read(entry.path()).expect("a file")).expect("a copy");
        }
    }
}
