//! The schema for editors: it takes whatever loads, refuses unknown keys, and says what the pages say.

use std::fs;
use std::path::{Path, PathBuf};

use arraign::__internals::check::{BUILTIN, Registry};
use arraign::__internals::place::Source;
use arraign::__internals::suite::schema;
use arraign::__internals::yaml::Document;
use arraign::Harness;
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn of_cases() -> Value {
    schema::of_cases(&Registry::default()).into()
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::draft7::new(schema).expect("a schema")
}

/// All YAML files below `folder` whose path pleases.
fn files(folder: &str, pleases: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut folders = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let text = path.to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "yaml") && pleases(&text) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn documents(path: &Path) -> Vec<Value> {
    let source = Source::new(path.to_string_lossy(), fs::read_to_string(path).expect("a file"));
    let documents = Document::parse(&source).unwrap_or_else(|errors| panic!("{errors}"));
    documents.iter().map(|document| document.root().to_json().into()).collect()
}

/// Where and why `schema` refuses what is in a file.
fn problems(validator: &jsonschema::Validator, path: &Path) -> Vec<String> {
    let of = |value: &Value| -> Vec<String> {
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    };
    documents(path).iter().flat_map(of).collect()
}

#[test]
fn the_published_schemas_are_those_of_the_built_in_checks() {
    let kinds = Registry::default();
    for (file, schema) in [
        ("arraign.schema.json", schema::of_cases(&kinds)),
        ("arraign-workspace.schema.json", schema::of_workspace(&kinds)),
        ("arraign-quarantine.schema.json", schema::of_quarantine()),
    ] {
        let path = root().join("docs").join(file);
        let text = format!("{schema:#}\n");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &text).expect("it is written");
        }
        let now = fs::read_to_string(&path).unwrap_or_default();
        assert!(now == text, "{} is out of date: `just bless` rewrites it", path.display());
    }
}

#[test]
fn whatever_loads_is_taken() {
    let validator = validator(&of_cases());
    let other = ["/policies/", "/traces/", "/snapshots/", "/schemas/", "/custom/", "/arraign.yaml"];
    let is_case = |path: &str| !other.iter().any(|part| path.contains(part));
    let loads = |path: &str| is_case(path) && !path.contains("/refused-");
    let mut wrong = Vec::new();
    for path in files("evals", is_case).into_iter().chain(files("tests/check", loads)) {
        let problems = problems(&validator, &path);
        let load = || Harness::new(path.parent().expect("a folder")).load(&path);
        if !problems.is_empty() && load().is_ok() {
            wrong.push(format!("{}:\n  {}", path.display(), problems.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The files that the loader refuses for an unknown key, but for keys of policies and of schemas of tools.
#[test]
fn unknown_keys_are_refused() {
    let validator = validator(&of_cases());
    let mut count = 0;
    let has_policy = |path: &str| {
        ["/args_valid/", "/tool_output_valid/", "/json_schema/"].iter().any(|check| path.contains(check))
    };
    for path in files("tests/check", |path| path.contains("/refused-") && !has_policy(path)) {
        let errors = match Harness::new(path.parent().expect("a folder")).load(&path) {
            Err(errors) => errors.to_string(),
            Ok(_) => continue,
        };
        let in_policy = !errors.contains("/refused-");
        if !errors.contains("unknown key `") || in_policy {
            continue;
        }
        count += 1;
        assert!(!problems(&validator, &path).is_empty(), "{}: {errors}", path.display());
    }
    assert!(count > 5, "only {count} files have an unknown key");
}

#[test]
fn every_check_says_what_it_asks() {
    let schema = of_cases();
    for kind in BUILTIN {
        assert_eq!(schema["definitions"]["checks"][kind.name]["description"], kind.summary);
    }
}

#[test]
fn every_key_of_a_case_is_told() {
    let schema = of_cases();
    let told = schema["definitions"]["part_of_case"]["properties"].as_object().expect("keys");
    let common = schema["definitions"]["case"]["else"]["allOf"][1]["then"]["patternProperties"].as_object();
    let common = common.expect("keys").keys().next().expect("a pattern");
    let names: Vec<&str> = common.trim_matches(['^', '$', '(', ')']).split('|').collect();
    assert!(names.len() > 40, "{names:?}");
    let silent: Vec<_> = names.iter().filter(|name| !told.contains_key(**name)).collect();
    assert!(silent.is_empty(), "no word in src/suite/keys/case.rs on {silent:?}");
}

#[test]
fn the_loader_knows_every_key_of_a_case() {
    let schema = of_cases();
    let keys = schema["definitions"]["part_of_case"]["properties"].as_object().expect("keys");
    for key in keys.keys() {
        let Err(errors) = Harness::new("evals").parse(&format!("tests: [{{{key}: null}}]")) else {
            panic!("{key}: a case without an id loads");
        };
        assert!(!errors.to_string().contains("unknown key"), "{key}: {errors}");
    }
}

#[test]
fn a_placeholder_stands_for_any_value_of_a_case_with_rows() {
    let validator = validator(&of_cases());
    let case = |rows: &str| {
        let text = format!(
            "{{{rows}, tier: '{{{{tier}}}}', expect: [tool_calls_at_most: '{{{{most}}}}'], trace: a.json}}"
        );
        let source = Source::new("a.yaml", text);
        validator.is_valid(&Document::parse(&source).expect("YAML")[0].root().to_json().into())
    };
    assert!(case("cases: rows.csv") && case("each: [{tier: smoke, most: 1}]"));
    assert!(!case("each: rows.csv") && !case("description: none"));
}

#[test]
fn every_setting_has_a_meaning() {
    for part in [schema::of_cases(&Registry::default()), schema::of_workspace(&Registry::default())] {
        let mut nameless = Vec::new();
        look(&part.into(), "", &mut nameless);
        assert!(nameless.is_empty(), "{}", nameless.join("\n"));
    }
}

/// Notes each property below `value` that says nothing.
fn look(value: &Value, path: &str, nameless: &mut Vec<String>) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let path = format!("{path}/{key}");
        if key == "properties"
            && !path.contains("/then/")
            && !path.contains("/if/")
            && !path.contains("/else/")
        {
            let silent =
                inner.as_object().into_iter().flatten().filter(|(_, of)| of["description"].is_null());
            nameless.extend(silent.map(|(name, _)| format!("{path}/{name}")));
        }
        look(inner, &path, nameless);
    }
    for inner in value.as_array().into_iter().flatten() {
        look(inner, path, nameless);
    }
}

#[test]
fn the_schema_of_the_quarantine_takes_entries_and_refuses_what_is_none() {
    let schema = validator(&schema::of_quarantine().into());
    let entry = |keys: &str| {
        let source = Source::new("quarantine.yaml", format!("- {{{keys}}}\n"));
        let documents = Document::parse(&source).expect("YAML");
        schema.is_valid(&documents[0].root().to_json().into())
    };
    let whole = "case: 'shop::a*', until: 2026-12-20, reason: flaps";
    assert!(entry(whole));
    assert!(entry(&format!("{whole}, owner: team-orders, variant: cheaper")));
    assert!(!entry("case: a, until: 2026-12-20"), "without a reason");
    assert!(!entry(&format!("{whole}, reson: x")));
}
