//! `cargo arraign import --from promptfoo`: verdicts agree with promptfoo's own, or a remark says why not.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use arraign::__internals::engine::evaluate_recorded;
use arraign::__internals::source::Files;
use arraign::__internals::suite::load_recorded;
use arraign::Harness;
use arraign::json::{self, Json};

use crate::import::{import_texts, imported, outcome, pin};
use crate::program::{Ran, arraign};

#[test]
fn promptfoo_assertions_become_checks() {
    let files = ["promptfooconfig.yaml", "agent.yaml"];
    pin("promptfoo", &files, &files);
}

#[test]
fn what_promptfoo_keeps_in_other_files_is_followed() {
    let (folder, ran) = imported("promptfoo", &["far/far.yaml"], &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    insta::assert_snapshot!("import_promptfoo_far", ran.stdout);
    insta::assert_snapshot!("import_promptfoo_far_far", outcome(folder.path(), "far.yaml"));
}

/// A file of tests that somebody sent may name any file of this machine.
#[cfg(unix)]
#[test]
fn nothing_outside_of_the_folder_becomes_part_of_a_case() {
    let folder = crate::import::project("promptfoo");
    let outside = tempfile::tempdir().expect("a folder");
    let secret = outside.path().join("secret.txt");
    fs::write(&secret, "the secret").expect("a file");
    std::os::unix::fs::symlink(&secret, folder.path().join("far/link.txt")).expect("a link");
    std::os::unix::fs::symlink(outside.path(), folder.path().join("far/up")).expect("a link");
    let secret = secret.to_string_lossy().into_owned();
    for name in ["link.txt", "l*.txt", "up/secret.txt", "up/*.txt", &secret, "../../secret.txt"] {
        let config = format!(
            "prompts: ['{{{{a}}}}']\ntests: [{{vars: {{a: 'file://{name}'}}, assert: [{{type: contains, value: 'file://{name}'}}, {{type: contains, value: x}}]}}]\n"
        );
        fs::write(folder.path().join("far/config.yaml"), config).expect("a file");
        let ran = arraign(folder.path(), &["import", "--from", "promptfoo", "far/config.yaml"]);
        assert_eq!(ran.code, Some(0), "{name}: {}{}", ran.stdout, ran.stderr);
        let written = fs::read_to_string(folder.path().join("evals/config.yaml")).expect("the cases");
        fs::remove_file(folder.path().join("evals/config.yaml")).expect("removed");
        assert!(!written.contains("the secret"), "{name}: {written}");
        assert!(ran.stdout.contains("`contains`: "), "{name}: {}", ran.stdout);
    }
}

/// Returns the written cases of `name` by their descriptions, each with its status; `no run` without a recorded one.
fn statuses_by_description(folder: &Path, name: &str) -> BTreeMap<String, String> {
    let mut statuses = BTreeMap::new();
    let path = folder.join("evals").join(name);
    if !path.exists() {
        return statuses;
    }
    let suite = Harness::new("evals").at(folder).load(name).unwrap_or_else(|errors| panic!("{errors}"));
    let files = Files::new(folder, folder.join("evals"));
    for case in &suite.cases {
        let status = load_recorded(case, &path, &files).map_or_else(
            |_| "no run".to_owned(),
            |runs| evaluate_recorded(case, "case", &runs).status.to_string(),
        );
        // A description that several cases share counts as passed if each of them passes.
        let known =
            statuses.entry(case.description.clone().unwrap_or_default()).or_insert_with(|| status.clone());
        if known == "pass" {
            *known = status;
        }
    }
    statuses
}

/// Returns the lines of the imported file that have a remark.
fn list_remarked_lines(ran: &Ran, file: &str) -> BTreeSet<usize> {
    let remarks =
        ran.stdout.lines().filter_map(|line| line.strip_prefix(file)?.strip_prefix(':')?.split_once(':'));
    remarks.filter_map(|(line, _)| line.parse().ok()).collect()
}

/// Tests that pass there and fail here without a remark: JSON with a key that comes twice is no JSON here.
const STRICTER: &[(&str, &str)] = &[("is-json", "t11")];

/// promptfoo's own verdicts of many small configurations: none that is red there is green here without a remark on its line.
#[test]
fn small_configurations_of_promptfoo_keep_their_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/import/promptfoo_verdicts");
    let verdicts = fs::read_to_string(folder.join("verdicts.json")).expect("the verdicts");
    let verdicts: BTreeMap<String, BTreeMap<String, bool>> = json::from_str(&verdicts).expect("JSON");
    let mut agreed = 0;
    let mut shown = Vec::new();
    for (name, expected) in &verdicts {
        let file = format!("{name}.yaml");
        let text = fs::read_to_string(folder.join(&file)).expect("a configuration");
        let (project, ran) = import_texts("promptfoo", &[(&file, &text)]);
        let statuses = statuses_by_description(project.path(), &file);
        let remarked = list_remarked_lines(&ran, &file);
        for (description, passes) in expected {
            let line = text.lines().position(|line| line.contains(&format!("description: {description},")));
            let is_remarked = remarked.contains(&(line.expect("a test") + 1));
            let here = statuses.get(description).map_or("left out", String::as_str);
            match (passes, here) {
                (true, "pass") | (false, "fail") => agreed += 1,
                (true, "fail") if STRICTER.contains(&(name.as_str(), description.as_str())) => {
                    shown.push(format!("{name} {description}: pass there, fail here"));
                }
                (_, "no run" | "undecided") => shown.push(format!("{name} {description}: {here}")),
                (there, here) => {
                    assert!(is_remarked, "{name} {description}: {here} without a remark\n{}", ran.stdout);
                    let there = if *there { "pass" } else { "fail" };
                    shown.push(format!("{name} {description}: {there} there, {here} here"));
                }
            }
        }
    }
    let all: usize = verdicts.values().map(BTreeMap::len).sum();
    insta::assert_snapshot!(
        "import_promptfoo_differences",
        format!("agreed: {agreed} of {all}\n{}", shown.join("\n"))
    );
}

#[test]
fn no_case_of_promptfoo_turns_from_red_to_green() {
    let (folder, ran) = imported("promptfoo", &["verdicts.yaml"], &[]);
    insta::assert_snapshot!("import_promptfoo_verdicts", ran.stdout);
    insta::assert_snapshot!("import_promptfoo_verdicts_verdicts", outcome(folder.path(), "verdicts.yaml"));
    for (description, status) in statuses_by_description(folder.path(), "verdicts.yaml") {
        assert!(
            status != "pass" || description.starts_with("green"),
            "{description}: passes\n{}",
            ran.stdout
        );
    }
}

/// promptfoo's own verdicts of a configuration with recorded outputs: each agrees, or the import says what it left out.
#[test]
fn published_verdicts_of_promptfoo_agree_or_are_listed() {
    let data =
        std::env::var_os("ARRAIGN_CONFORMANCE_DIR").map(|root| Path::new(&root).join("goldens/promptfoo"));
    let Some(data) = data.filter(|data| data.is_dir()) else {
        eprintln!("skipped: ARRAIGN_CONFORMANCE_DIR names no folder with goldens/promptfoo");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(data.join("promptfooconfig.yaml"), folder.path().join("config.yaml")).expect("a copy");
    let ran = arraign(folder.path(), &["import", "--from", "promptfoo", "config.yaml"]);
    let statuses = statuses_by_description(folder.path(), "config.yaml");
    let verdicts = fs::read_to_string(data.join("verdicts.json")).expect("the verdicts");
    let verdicts: Json = json::from_str(&verdicts).expect("JSON");
    let mut agreed = 0;
    for verdict in verdicts.as_array().expect("a list") {
        let description = verdict["description"].as_str().expect("a description");
        let Some(status) = statuses.get(description) else { continue };
        assert_eq!(Some(status == "pass"), verdict["success"].as_bool(), "{description}\n{}", ran.stdout);
        agreed += 1;
    }
    let left_out = ran.stdout.lines().filter(|line| line.contains("so the case is not written")).count();
    assert_eq!(agreed + left_out, verdicts.as_array().map_or(0, <[Json]>::len), "{}", ran.stdout);
}
