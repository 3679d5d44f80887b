use super::*;
use crate::check::Registry;
use crate::json::{Json, json};
use crate::place::Source;
use crate::suite::defaults::find_defaults;
use crate::suite::schema;
use crate::yaml::Document;

/// How a key of the defaults and the same key of a case become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExpectedCombination {
    /// The entries of both lists.
    Added,
    /// The keys of both mappings; the case decides about a key that both have.
    Merged,
    /// A mapping whose keys have combinations of their own.
    Nested,
    /// The value of the case; the lint tells of it, because something is no longer checked.
    Gate,
    /// The value of the case.
    Replaced,
    /// The key cannot be a default.
    Own,
}

use ExpectedCombination::{Added, Gate, Merged, Nested, Own, Replaced};

/// How the keys combine that the value of a case does not simply replace. A new key needs a row if a default must hold for a
/// case that has its own value, or if its loss is worth a remark.
const COMBINATIONS: &[(&str, ExpectedCombination)] = &[
    ("baseline", Gate),
    ("cases", Own),
    ("checks", Merged),
    ("criteria", Gate),
    ("each", Own),
    ("eval", Nested),
    ("eval.agent_assertions", Added),
    ("eval.agent_context", Gate),
    ("eval.response_assertions", Added),
    ("eval.tool_constraints", Nested),
    ("eval.tool_constraints.forbidden_tools", Added),
    ("eval.tool_constraints.required_tools", Gate),
    ("eval.tool_input_assertions", Gate),
    ("eval.tool_sequence", Gate),
    ("expect", Added),
    ("expected", Nested),
    ("expected.forbidden_tools", Added),
    ("expected.output", Nested),
    ("expected.output.contains", Added),
    ("expected.output.json_schema", Gate),
    ("expected.output.not_contains", Added),
    ("expected.output.regex", Added),
    ("expected.output.regex_patterns", Added),
    ("expected.sequence", Gate),
    ("expected.tool_categories", Gate),
    ("expected.tool_sequence", Gate),
    ("expected.tools", Gate),
    ("expected_fields", Gate),
    ("expected_tools", Gate),
    ("extract", Added),
    ("forbidden_substrings", Added),
    ("id", Own),
    ("include", Added),
    ("metadata", Merged),
    ("metric", Gate),
    ("mocks", Merged),
    ("mutate", Nested),
    ("mutate.ignore", Added),
    ("name", Own),
    ("pass_threshold", Gate),
    ("refusal_expected", Gate),
    ("require_calls", Gate),
    ("require_exercised", Gate),
    ("sequence_required", Gate),
    ("tags", Added),
    ("thresholds", Merged),
    ("turns", Gate),
    ("verification", Gate),
    ("weights", Merged),
    ("workspace", Merged),
];

/// Settings of `tool_blocklist` that stand beside `metric`, and combine like keys of a case.
const SETTINGS: &[(&str, ExpectedCombination)] = &[("blocked", Added), ("blocklist", Added)];

/// The keys that a suite says for each of its cases.
const SHARED: &[&str] = &[
    "agent",
    "allow_vacuous",
    "include",
    "mocks",
    "mutate",
    "require_calls",
    "require_exercised",
    "weights",
    "workspace",
];

fn find_combination(path: &str) -> Option<ExpectedCombination> {
    COMBINATIONS.iter().chain(SETTINGS).find(|(known, _)| *known == path).map(|(_, combination)| *combination)
}

/// Lists the keys of `mapping`, and those inside of the mappings that are combined key by key.
fn list_paths(schema: &Json, mapping: &Json, before: &str, paths: &mut Vec<String>) {
    for (name, form) in mapping["properties"].as_object().expect("keys") {
        let path = format!("{before}{name}");
        if find_combination(&path) == Some(Nested) {
            let reference = [&form["$ref"], &form["allOf"][0]["$ref"]].into_iter().find_map(Json::as_str);
            let pointer = reference.map(|pointer| pointer.trim_start_matches('#'));
            let inner = pointer.map_or(form, |pointer| schema.pointer(pointer).expect("a form"));
            list_paths(schema, inner, &format!("{path}."), paths);
        }
        paths.push(path);
    }
}

/// Nests `value` in a mapping for each key of `path`.
fn nest(path: &str, value: Json) -> Json {
    path.rsplit('.').fold(value, |value, key| json!({key: value}))
}

fn parse(content: &Json) -> Tree {
    let documents = Document::parse(&Source::new("s.yaml", content.to_string())).expect("YAML");
    documents.into_iter().next().expect("a document").root
}

/// The value of the case at `path` after the defaults were added, and the keys of the gates that it replaces.
fn combine(path: &str, case: &Json, defaults: &Json) -> (Json, Vec<String>) {
    let mut case = parse(case);
    let suite = parse(&json!({"defaults": defaults}));
    let replaced = combine_with_defaults(&mut case, &find_defaults(&suite), &mut CopyBudget::new());
    let combined = case.node(&Source::new("s.yaml", "")).to_json();
    let value = combined.pointer(&format!("/{}", path.replace('.', "/"))).cloned().unwrap_or_default();
    (value, replaced.into_iter().map(|gate| gate.key).collect())
}

/// Every key of a case, and every key inside of those that combine key by key.
fn list_keys_of_cases() -> Vec<String> {
    let schema = schema::of_cases(&Registry::default());
    let mut paths = Vec::new();
    list_paths(&schema, &schema["definitions"]["part_of_case"], "", &mut paths);
    paths
}

/// A default under one name of a key must meet the value of a case under the other.
#[test]
fn every_other_name_of_a_key_is_the_same_key() {
    let schema = schema::of_cases(&Registry::default());
    let keys = schema["definitions"]["part_of_case"]["properties"].as_object().expect("keys");
    let mut named = 0;
    for (name, form) in keys {
        let meaning = form["description"].as_str().unwrap_or_default();
        if let Some(key) = meaning.strip_prefix("Another name of `").and_then(|rest| rest.strip_suffix("`."))
        {
            assert!(keys::same(name, key), "{name} is another name of {key}");
            named += 1;
        }
    }
    assert_eq!(named, 2);
}

#[test]
fn every_row_is_about_a_key() {
    let paths = list_keys_of_cases();
    let strange: Vec<_> =
        COMBINATIONS.iter().filter(|(row, _)| !paths.iter().any(|path| path == row)).collect();
    assert!(strange.is_empty(), "{strange:?}");
}

#[test]
fn a_key_of_a_case_and_of_the_defaults_combine_as_declared() {
    let keys = list_keys_of_cases();
    let settings = SETTINGS.iter().map(|(path, combination)| (*path, *combination));
    let keys = keys.iter().map(|path| (path.as_str(), find_combination(path).unwrap_or(Replaced)));
    for (path, combination) in keys.chain(settings) {
        let both = |own: Json, default: Json| combine(path, &nest(path, own), &nest(path, default));
        let replaced = (json!(["own"]), vec![]);
        match combination {
            Added => {
                assert_eq!(
                    both(json!(["own"]), json!(["default"])),
                    (json!(["own", "default"]), vec![]),
                    "{path}"
                );
                assert_eq!(both(json!(["one"]), json!(["one"])), (json!(["one"]), vec![]), "{path}");
            }
            Merged => {
                let merged = both(json!({"own": 1, "both": 1}), json!({"default": 2, "both": 2}));
                assert_eq!(merged, (json!({"own": 1, "both": 1, "default": 2}), vec![]), "{path}");
            }
            Gate => {
                let told = (json!(["own"]), vec![path.to_owned()]);
                assert_eq!(both(json!(["own"]), json!(["default"])), told, "{path}");
                assert_eq!(both(json!(["own"]), json!(["own"])), replaced, "{path}");
            }
            Replaced => assert_eq!(both(json!(["own"]), json!(["default"])), replaced, "{path}"),
            Own => {
                let document = Document::parse(&Source::new("s.yaml", json!({path: 1}).to_string()));
                let errors = keys::check_defaults(document.expect("YAML")[0].root(), "`defaults`");
                assert!(errors.is_err(), "{path}");
            }
            // Each key inside is a row of its own.
            Nested => {}
        }
    }
}

#[test]
fn a_key_of_the_defaults_alone_is_added_or_told() {
    for (path, combination) in COMBINATIONS {
        // The case has the mapping with another key, and not this one.
        let Some((parent, key)) = path.rsplit_once('.') else {
            let alone = combine(path, &json!({}), &json!({*path: ["default"]}));
            assert_eq!(alone, (json!(["default"]), vec![]), "{path}");
            continue;
        };
        let alone = combine(path, &nest(parent, json!({"other": 1})), &nest(path, json!(["default"])));
        match combination {
            Added => assert_eq!(alone, (json!(["default"]), vec![]), "{path}"),
            Gate => assert_eq!(alone, (Json::Null, vec![(*path).to_owned()]), "{path}"),
            Nested => {
                let inner = nest(key, json!({"unknown": 1}));
                let alone = combine(path, &nest(parent, json!({"other": 1})), &nest(parent, inner));
                assert_eq!(alone, (Json::Null, vec![format!("{path}.unknown")]), "{path}");
            }
            other => panic!("{path}: {other:?} inside of a mapping"),
        }
    }
}

#[test]
fn only_shared_keys_of_a_suite_apply_to_its_cases() {
    let keys = keys::common().iter().copied();
    let mut shared: Vec<&str> =
        keys.filter(|key| !find_defaults(&parse(&json!({*key: 1}))).is_empty()).collect();
    shared.sort_unstable();
    assert_eq!(shared, SHARED);
}

/// No column has an entry for a key that no longer exists.
#[test]
fn every_entry_of_a_column_is_about_a_key() {
    fn check_entry(path: &str, combination: keys::Combination) {
        let expected = match combination {
            keys::Combination::Replace => Replaced,
            keys::Combination::ReplaceGate => Gate,
            keys::Combination::Add => Added,
            keys::Combination::Merge => Merged,
            keys::Combination::Inside(inner) => {
                for (key, combination) in inner {
                    check_entry(&format!("{path}.{key}"), *combination);
                }
                Nested
            }
        };
        let found = find_combination(path);
        assert!(found == Some(expected) || found == Some(Own), "{path}: {combination:?} is {found:?}");
    }

    for (key, combination) in keys::RULES.iter().chain(keys::METRIC_SETTINGS) {
        check_entry(key, *combination);
    }
}

/// The page of cases says which keys are added and which are merged.
#[test]
fn the_page_of_cases_lists_what_is_added_and_merged() {
    let page = include_str!("../../../docs/cases.md");
    let section =
        page.split("\n## Defaults\n").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    for (start, combination) in [("\n- Entries are added", Added), ("\n- Keys are merged", Merged)] {
        let item = section.split(start).nth(1).and_then(|rest| rest.split("\n- ").next()).expect("an item");
        let mut named: Vec<&str> = item.split('`').skip(1).step_by(2).collect();
        named.sort_unstable();
        let combined = COMBINATIONS.iter().chain(SETTINGS).filter(|(_, own)| *own == combination);
        let mut expected: Vec<&str> = combined.map(|(path, _)| *path).collect();
        expected.sort_unstable();
        assert_eq!(named, expected, "{combination:?}");
    }
}
