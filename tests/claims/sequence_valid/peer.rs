//! The same rules on the same calls: what the peer says, but where ours differs on purpose.

use std::fs;

use arraign::__internals::pattern::{TextPattern, ToolPattern, is_glob};
use arraign::json::{self, Json, json};

use super::*;

/// What the peer's verdict is for us.
enum Ours {
    States(Vec<String>),
    Refused,
}

/// The peer takes a glob by the letter and lets rules stand that cannot hold or cannot fail; all else agrees.
fn ours(case: &Json) -> Ours {
    let rules = case["rules"].as_array().expect("rules");
    if rules.iter().any(is_a_mistake) {
        return Ours::Refused;
    }
    let verdicts = case["outcomes"].as_array().expect("outcomes").iter().map(|state| state.as_str());
    let pairs = rules.iter().zip(verdicts);
    Ours::States(
        pairs.map(|(rule, verdict)| ours_for(rule, verdict.expect("text"), &case["calls"])).collect(),
    )
}

fn is_a_mistake(rule: &Json) -> bool {
    let broken = |text: &Json| TextPattern::new(text.as_str().expect("text")).is_err();
    let operands = rule.as_object().into_iter().flat_map(arraign::json::JsonObject::values);
    let mut patterns = operands
        .filter_map(|value| value["args_match"].as_object())
        .flat_map(arraign::json::JsonObject::values);
    rule["pattern"] == ""
        || rule["within"] == 0
        || rule["tools"] == json!([])
        || (rule["type"] == "before" && rule["first"] == rule["then"])
        || patterns.any(broken)
}

fn ours_for(rule: &Json, verdict: &str, calls: &Json) -> String {
    let glob = ["tool", "pattern"].iter().find_map(|key| rule[*key].as_str().filter(|name| is_glob(name)));
    let Some(glob) = glob else { return verdict.to_owned() };
    let glob = ToolPattern::new(glob).expect("a glob");
    let hit = calls
        .as_array()
        .expect("calls")
        .iter()
        .any(|call| glob.matches_name(call["tool"].as_str().expect("a name")));
    let held = match rule["type"].as_str() {
        Some("require") => hit,
        Some("blocklist") => !hit,
        other => panic!("what a glob means in {other:?} is not stated here"),
    };
    if held { "held".to_owned() } else { "violated".to_owned() }
}

fn states(outcome: &Outcome) -> Vec<String> {
    let states = outcome.items.iter().map(|item| json::to_json(&item.state).expect("a word"));
    states.map(|state| state.as_str().expect("a word").to_owned()).collect()
}

fn settings(case: &Json) -> String {
    let aliases = case["aliases_yaml"].as_str().unwrap_or_default();
    format!("rules: {}\n{aliases}\n", case["rules"])
}

fn policy(case: &Json) -> String {
    let aliases = case["aliases_yaml"].as_str().unwrap_or_default();
    format!("version: \"1\"\n{aliases}\nsequences: {}\n", case["rules"])
}

fn run_of(case: &Json) -> Trace {
    let calls = case["calls"].as_array().expect("calls").iter();
    let calls: Vec<_> =
        calls.map(|call| (call["tool"].as_str().expect("a name"), call["args"].clone())).collect();
    trace(&calls)
}

fn cases() -> Vec<Json> {
    let text = fs::read_to_string("tests/goldens/assay/sequence_rules.json").expect("the goldens");
    let goldens: Json = json::from_str(&text).expect("JSON");
    goldens["cases"].as_array().expect("cases").to_vec()
}

fn agrees(case: &Json, read: Result<Box<dyn Check>, LoadErrors>) {
    let id = &case["id"];
    match (ours(case), read) {
        (Ours::Refused, read) => assert!(read.is_err(), "{id} should be refused"),
        (Ours::States(_), Err(errors)) => panic!("{id}: {errors}"),
        (Ours::States(expected), Ok(check)) => {
            let outcome = check.check(&Evidence::of(&run_of(case))).expect("an outcome");
            assert_eq!(states(&outcome), expected, "{id}: {}", case["what"]);
            assert_eq!(outcome.violations.is_empty(), !expected.contains(&"violated".to_owned()), "{id}");
        }
    }
}

#[test]
fn inline_rules_agree_with_the_peer() {
    let cases = cases();
    assert!(cases.len() >= 39);
    for case in &cases {
        agrees(case, read(&settings(case)));
    }
}

#[test]
fn rules_of_a_policy_file_agree_with_the_peer() {
    let folder = tempfile::tempdir().expect("a folder");
    for case in &cases() {
        let name = format!("{}.yaml", case["id"].as_str().expect("an id"));
        fs::write(folder.path().join(&name), policy(case)).expect("it is written");
        agrees(case, read_in(folder.path(), &format!("policy: {name}")));
    }
}
