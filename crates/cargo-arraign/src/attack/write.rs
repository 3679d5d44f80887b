//! `--write`: attacks as ordinary cases, in a file beside the file of the attacked cases.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use arraign::__internals::attack::{Attack, AttackReport};
use arraign::__internals::harness::PlannedAttack;
use arraign::__internals::place::Source;
use arraign::__internals::report::plain::{count_noun, escape_line};
use arraign::__internals::source::write_whole;
use arraign::__internals::yaml::Document;
use arraign::Harness;
use arraign::json::{Json, JsonMap, json};

use crate::error::CliError;
use crate::yaml_writer::render_document;

/// The first line of a written file. A file without it is not replaced.
const MARK: &str = "# Written by `cargo arraign attack --write`.\n";

/// The keys of suites with the list of cases.
const LISTS: [&str; 3] = ["tests", "cases", "scenarios"];

/// The keys of a case that are about its runs without an attack.
const OF_RUNS: [&str; 6] = ["trace", "snapshot", "baseline", "repeat", "expect_verdict", "require_calls"];

/// Writes the attacks that were made, and returns lines that say so.
pub(super) fn write_cases(
    harness: &Harness,
    folder: &Path,
    report: &AttackReport,
    planned: &[PlannedAttack],
) -> Result<String, CliError> {
    let made: BTreeSet<String> =
        report.attacks.iter().map(|one| one.attack.suffix() + &one.attack.case).collect();
    let mut files: BTreeMap<&Path, Vec<&PlannedAttack>> = BTreeMap::new();
    for one in
        planned.iter().filter(|one| made.contains(&(one.attack.about.suffix() + &one.attack.about.case)))
    {
        files.entry(&one.path).or_default().push(one);
    }
    let mut said = String::new();
    for (path, attacks) in files {
        let target = path.with_extension("attacks.yaml");
        let name = target.strip_prefix(folder).unwrap_or(&target).to_owned();
        let shown = escape_line(&name.display().to_string());
        let AttackSuite { suite, left_out } = build_suite(path, &attacks)?;
        for (what, why) in left_out {
            let _ = writeln!(said, "not written: {}: {why}", escape_line(&what));
        }
        let Some(suite) = suite else { continue };
        replace_file(&target, &(MARK.to_owned() + &render_document(&suite)))?;
        // What does not load is no ordinary case.
        if let Err(errors) = harness.load(&name) {
            let _ = fs::remove_file(&target);
            return Err(CliError::new(format!("{shown}: the written cases do not load: {errors}")));
        }
        let _ = writeln!(said, "{shown}: wrote {}", count_noun(attacks.len(), "attack"));
    }
    Ok(said)
}

fn replace_file(path: &Path, text: &str) -> Result<(), CliError> {
    let name = path.display();
    let is_own = match fs::read(path) {
        Ok(before) => before.starts_with(MARK.as_bytes()),
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    if !is_own {
        return Err(CliError::new(format!("{name} exists, and this command has not written it")));
    }
    write_whole(path, text.as_bytes()).map_err(|error| CliError::new(format!("{name}: {error}")))
}

/// The attacks on the cases of a file.
struct AttackSuite {
    /// The suite. `None` if no attack can be written.
    suite: Option<JsonMap>,
    /// What cannot be written, and why.
    left_out: Vec<(String, NotWritten)>,
}

/// Why an attack is not written.
enum NotWritten {
    SeveralDocuments,
    OneOfSeveralRows,
    InAnotherFile,
    NoMapping,
    ExpectIsNoList,
}

impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SeveralDocuments => "the file has several documents",
            Self::OneOfSeveralRows => "it is one of several rows",
            Self::InAnotherFile => "another file has it",
            Self::NoMapping => "it is no mapping",
            Self::ExpectIsNoList => "its `expect` is no list",
        })
    }
}

/// Builds the suite with the attacks on the cases of a file.
fn build_suite(path: &Path, attacks: &[&PlannedAttack]) -> Result<AttackSuite, CliError> {
    let text =
        fs::read_to_string(path).map_err(|error| CliError::new(format!("{}: {error}", path.display())))?;
    let source = Source::new(path.to_string_lossy(), text);
    let documents = Document::parse(&source).map_err(|errors| CliError::new(errors.to_string()))?;
    let [document] = documents.as_slice() else {
        let left_out = vec![(path.display().to_string(), NotWritten::SeveralDocuments)];
        return Ok(AttackSuite { suite: None, left_out });
    };
    let root = document.root().to_json();
    let list = LISTS.into_iter().find(|key| root.get(key).is_some_and(Json::is_array));
    let (mut suite, cases) = match (&root, list) {
        (Json::Object(fields), Some(key)) => {
            let mut header = fields.clone();
            let cases = header.remove(key).unwrap_or_default();
            // The gate of a suite is about its cases without an attack.
            header.remove("gate");
            (header, cases.as_array().unwrap_or_default().to_vec())
        }
        (Json::Array(cases), _) => (JsonMap::new(), cases.clone()),
        _ => (JsonMap::new(), vec![root.clone()]),
    };
    let mut written = Vec::new();
    let mut left_out = Vec::new();
    for one in attacks {
        let case = cases.iter().find(|case| one.id.as_deref() == case["id"].as_str());
        let built = match case {
            _ if one.is_row => Err(NotWritten::OneOfSeveralRows),
            None => Err(NotWritten::InAnotherFile),
            Some(case) => build_case(case, &one.attack),
        };
        match built {
            Ok(case) => written.push(case),
            Err(why) => {
                left_out.push((format!("{}{}", one.attack.about.case, one.attack.about.suffix()), why));
            }
        }
    }
    if written.is_empty() {
        return Ok(AttackSuite { suite: None, left_out });
    }
    suite.insert("tests".to_owned(), Json::Array(written));
    Ok(AttackSuite { suite: Some(suite), left_out })
}

fn remove_variance(thresholds: &mut Json) {
    if let Json::Object(limits) = thresholds {
        limits.remove("variance");
    }
}

/// Builds the case of an attack.
fn build_case(case: &Json, attack: &Attack) -> Result<Json, NotWritten> {
    let Json::Object(case) = case else { return Err(NotWritten::NoMapping) };
    let mut case = case.clone();
    for key in OF_RUNS {
        case.remove(key);
    }
    // An attack asks once, and what it must hold holds in that run.
    if let Some(thresholds) = case.get_mut("thresholds") {
        remove_variance(thresholds);
    }
    if let Some(thresholds) = case.get_mut("expected").and_then(|expected| expected.get_mut("thresholds")) {
        remove_variance(thresholds);
    }
    let id = case.get("id").and_then(Json::as_str).unwrap_or("case");
    let suffix = attack.about.suffix();
    let suffix: String =
        suffix.chars().map(|c| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '_' }).collect();
    let id = format!("{id}{}", suffix.trim_end_matches('_'));
    let mut inject = json!({"tool": attack.injection.tool, "text": attack.injection.text});
    if !attack.injection.at.is_empty() {
        inject["at"] = attack.injection.at.as_str().into();
    }
    let mut check = json!({"text": attack.injection.text, "canary": attack.canary});
    if let Some(decoy) = &attack.about.decoy {
        check["tools"] = json!([decoy]);
    }
    if !attack.arguments.is_empty() {
        check["arguments"] = Json::Array(attack.arguments.clone());
    }
    let mut mocks = case.remove("mocks").unwrap_or_else(|| json!({}));
    mocks["inject"] = inject;
    let mut expect = match case.remove("expect") {
        None => Vec::new(),
        Some(Json::Array(expect)) => expect,
        Some(_) => return Err(NotWritten::ExpectIsNoList),
    };
    expect.push(json!({"not_injected": check}));
    let mut written: JsonMap = [("id".to_owned(), Json::from(id))].into_iter().collect();
    case.remove("id");
    for (key, value) in case.iter() {
        written.insert(key.as_str().to_owned(), value.clone());
    }
    written.insert("mocks".to_owned(), mocks);
    written.insert("expect".to_owned(), Json::Array(expect));
    Ok(Json::Object(written))
}
