//! Every key and every setting that the schema describes: each of its forms loads, on a case as in the defaults of a suite, and
//! the loader knows no key that the schema does not know.

mod hints;
mod samples;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use arraign::__internals::check::{BUILTIN, Registry};
use arraign::__internals::suite::schema;
use arraign::Harness;
use arraign::json::{self, Json, JsonMap, json};
use arraign_trace::reader::NATIVE_KEYS;

use hints::BESIDE;
use samples::{STRANGER, Sample, Sampler};

/// The files that samples name.
const FILES: &[(&str, &str)] = &[
    ("policy.yaml", "tools: {look: {arguments: {id: {type: string}}}}\n"),
    ("rules.yaml", "sequences: [{type: before, first: look, then: edit}]\n"),
    ("rows.csv", "number\n1\n"),
    ("part.yaml", "tags: [shop]\n"),
    ("schema.json", r#"{"type": "string"}"#),
];

/// A package with the files that samples name.
fn make_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in FILES {
        fs::write(folder.path().join(path), text).expect("a file");
    }
    // A root is a folder with the text of the samples as its name.
    fs::create_dir(folder.path().join("look")).expect("a folder");
    folder
}

/// The mistakes of a file of cases with this content.
fn find_mistakes(folder: &Path, content: &Json) -> Vec<(String, Option<String>)> {
    fs::write(folder.join("s.yaml"), content.to_string()).expect("a file");
    match Harness::new(folder).load("s.yaml") {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(|error| (error.problem.clone(), error.help.clone())).collect(),
    }
}

/// What is wrong with the samples, each of which `place` puts into a file: no form of a key loads, or the loader knows a key
/// that the schema does not know.
fn judge(folder: &Path, samples: &[Sample], place: impl Fn(&Json) -> Json) -> Vec<String> {
    let mut refused: BTreeMap<&str, String> = BTreeMap::new();
    let mut loaded: BTreeSet<&str> = BTreeSet::new();
    let mut wrong = Vec::new();
    for sample in samples {
        let content = place(&sample.value);
        let mistakes = find_mistakes(folder, &content);
        match &sample.known {
            None if mistakes.is_empty() => {
                loaded.insert(&sample.path);
            }
            None => {
                refused.insert(&sample.path, format!("{content}\n    {mistakes:?}"));
            }
            Some(known) => {
                let stranger = format!("`{STRANGER}`");
                let Some((_, help)) = mistakes.iter().find(|(problem, _)| problem.contains(&stranger)) else {
                    wrong.push(format!("{content}\n    is not refused for `{STRANGER}`: {mistakes:?}"));
                    continue;
                };
                let listed = help.as_deref().into_iter().flat_map(|help| help.split('`').skip(1).step_by(2));
                let hidden: Vec<&str> =
                    listed.filter(|key| !known.contains(*key) && !MISPLACED.contains(key)).collect();
                if !hidden.is_empty() {
                    wrong.push(format!("{content}\n    the schema does not know {hidden:?}"));
                }
            }
        }
    }
    refused.retain(|path, _| !loaded.contains(path) && !is_foreign_relation(path));
    wrong.extend(refused.into_iter().map(|(path, problem)| format!("{path}: {problem}")));
    wrong
}

/// Whether the path leads to a relation of a matcher where no call is around the value. The schema has one form of matchers, and
/// the loader refuses relations there.
fn is_foreign_relation(path: &str) -> bool {
    let is_relation =
        ["(matcher).from(", "(matcher).of", "(matcher).path"].iter().any(|word| path.contains(word));
    let places = ["failed_when", ".when.", "(tool_with_arguments).result.", "state.has."];
    is_relation && places.iter().any(|place| path.contains(place))
}

/// Keys that the loader knows in a place where it refuses them, to say where they belong.
const MISPLACED: &[&str] = &["timeout", "output_limit", "format"];

/// A case that loads, with these keys in place of its own.
fn build_case(keys: &Json) -> Json {
    let mut case = json!({
        "id": "a",
        "allow_vacuous": true,
        "trace": {"calls": ["look"], "answer": "look"},
        "expect": [{"tool_called": "look"}],
        "workspace": {},
        "mocks": {"state": {"look": ["look"]}, "tools": {"look": {"append": {"/look": 1}, "return": "found"}}},
    });
    for (key, value) in keys.as_object().expect("keys") {
        case[key] = value.clone();
    }
    case.as_object_mut().expect("keys").retain(|_, value| !value.is_null());
    case
}

#[test]
fn every_setting_of_a_check_loads_in_each_form() {
    let schema = schema::of_cases(&Registry::default());
    let folder = make_folder();
    let forms = Sampler::new(&schema);
    let keys = schema["definitions"]["part_of_case"]["properties"].as_object().expect("keys");
    let mut wrong = Vec::new();
    for kind in BUILTIN {
        let mut samples = forms.list_samples(kind.name, &schema["definitions"]["checks"][kind.name]);
        wrong.extend(judge(folder.path(), &samples, |settings| {
            build_case(&json!({"expect": [JsonMap::from_iter([(kind.name.to_owned(), settings.clone())])]}))
        }));
        // Beside `metric`, a setting that is called like a key of a case is that key.
        samples.retain(|sample| {
            sample
                .value
                .as_object()
                .is_some_and(|settings| !settings.keys().any(|key| keys.contains_key(key)))
        });
        wrong.extend(judge(folder.path(), &samples, |settings| {
            let mut case = build_case(&json!({"expect": null, "metric": kind.name}));
            case.as_object_mut().expect("keys").extend(settings.as_object().cloned().unwrap_or_default());
            case
        }));
    }
    assert!(wrong.is_empty(), "{}\n{} are wrong", wrong.join("\n"), wrong.len());
}

/// Returns the keys of a case that `key` needs beside it.
fn find_beside(key: &str) -> Json {
    let beside = BESIDE.iter().find(|(known, _)| *known == key).map_or("{}", |(_, keys)| *keys);
    json::from_str(beside).expect("JSON")
}

#[test]
fn every_key_of_a_case_loads_in_each_form_on_a_case_and_in_defaults() {
    let schema = schema::of_cases(&Registry::default());
    let folder = make_folder();
    let forms = Sampler::new(&schema);
    let mut wrong = Vec::new();
    for (key, form) in schema["definitions"]["part_of_case"]["properties"].as_object().expect("keys") {
        // The test of settings walks `metric` with those of each check.
        if key == "metric" {
            continue;
        }
        let samples = forms.list_samples(key, form);
        wrong.extend(judge(folder.path(), &samples, |value| {
            let mut keys = find_beside(key);
            keys[key] = value.clone();
            build_case(&keys)
        }));
        // Every case has an id and rows of its own.
        if ["id", "name", "cases", "each"].contains(&key.as_ref()) {
            continue;
        }
        wrong.extend(judge(folder.path(), &samples, |value| {
            let mut keys = find_beside(key);
            keys[key] = Json::Null;
            json!({"defaults": {key: value}, "tests": [build_case(&keys)]})
        }));
    }
    assert!(wrong.is_empty(), "{}\n{} are wrong", wrong.join("\n"), wrong.len());
}

#[test]
fn every_key_of_a_suite_loads_in_each_form() {
    let schema = schema::of_cases(&Registry::default());
    let folder = make_folder();
    let forms = Sampler::new(&schema);
    let mut wrong = Vec::new();
    for (key, form) in schema["definitions"]["suite"]["properties"].as_object().expect("keys") {
        // The other tests walk cases and their keys.
        if ["tests", "cases", "scenarios", "defaults"].contains(&key.as_ref()) {
            continue;
        }
        let samples = forms.list_samples(key, form);
        wrong.extend(judge(folder.path(), &samples, |value| {
            let mut keys = find_beside(key);
            keys[key] = Json::Null;
            json!({key: value, "tests": [build_case(&keys)]})
        }));
    }
    assert!(wrong.is_empty(), "{}\n{} are wrong", wrong.join("\n"), wrong.len());
}

#[test]
fn every_key_of_the_settings_of_all_suites_loads_in_each_form() {
    let schema = schema::of_workspace(&Registry::default());
    let folder = make_folder();
    let forms = Sampler::new(&schema);
    let mut wrong = Vec::new();
    for (key, form) in schema["properties"].as_object().expect("keys") {
        let samples = forms.list_samples(key, form);
        wrong.extend(judge(folder.path(), &samples, |value| {
            fs::write(folder.path().join("arraign.yaml"), json!({key: value}).to_string()).expect("a file");
            build_case(&json!({}))
        }));
    }
    assert!(wrong.is_empty(), "{}\n{} are wrong", wrong.join("\n"), wrong.len());
}

#[test]
fn the_schema_knows_each_key_of_a_trace() {
    let schema = schema::of_cases(&Registry::default());
    let run = &schema["definitions"]["run"]["properties"];
    for (form, keys) in NATIVE_KEYS {
        let described = match form {
            "run" => run,
            "step" => &schema["definitions"]["step"]["anyOf"][1]["properties"],
            "recorded" => &run["recorded"]["anyOf"][1]["properties"],
            "usage" => &schema["definitions"]["usage"]["properties"],
            other => panic!("{other} is new"),
        };
        let mut described: Vec<&str> =
            described.as_object().expect("keys").keys().map(arraign::json::JsonText::as_str).collect();
        let mut keys = keys.to_vec();
        described.sort_unstable();
        keys.sort_unstable();
        assert_eq!(described, keys, "{form}");
    }
}
