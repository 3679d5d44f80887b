//! Paths are held against the public compliance suite of RFC 9535, where it is at hand.

use std::path::Path;

use arraign_trace::json::{self, Json, json};
use arraign_trace::jsonpath::JsonPath;

/// Tests of the suite that are not met, each with its reason.
const DEVIATIONS: &[(&str, &str)] = &[];

#[test]
fn the_compliance_suite_agrees() {
    let Some(folder) = std::env::var_os("ARRAIGN_CONFORMANCE_DIR") else {
        eprintln!("skipped: ARRAIGN_CONFORMANCE_DIR names no folder with jsonpath/cts.json");
        return;
    };
    let text = std::fs::read_to_string(Path::new(&folder).join("jsonpath/cts.json")).expect("the suite");
    let suite: Json = json::from_str(&text).expect("JSON");
    let tests = suite["tests"].as_array().expect("its tests");
    let failed = tests.iter().filter(|test| !agrees(test)).map(|test| test["name"].as_str().expect("a name"));
    let listed: Vec<&str> = DEVIATIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(failed.collect::<Vec<_>>(), listed);
    assert!(tests.len() >= 700, "only {} tests", tests.len());
}

fn agrees(test: &Json) -> bool {
    let path = JsonPath::new(test["selector"].as_str().expect("a selector"));
    let Ok(path) = path else { return test["invalid_selector"] == true };
    if test["invalid_selector"] == true {
        return false;
    }
    let found = json!(path.select(&test["document"]));
    let orders = test["results"].as_array().map_or_else(|| vec![&test["result"]], |all| all.iter().collect());
    orders.contains(&&found)
}

/// What the suite does not ask, and another engine gets wrong.
#[test]
fn counting_nothing_is_zero_and_a_filter_may_stand_in_a_filter() {
    let document = json!([{"items": []}, {"items": [1]}, {}, [{"items": 1}]]);
    assert_eq!(select("$[?count(@.items[*]) == 0]", &document), json!([{"items": []}, {}, [{"items": 1}]]));
    assert_eq!(select("$[?@[?@.items]]", &document), json!([[{"items": 1}]]));
    for path in ["$[?length(@.*) < 3]", "$[?value(@.a)]", "$[?in(@.a, 'b')]", "$.a b", "$[?@. a == 1]"] {
        assert!(JsonPath::new(path).is_err(), "{path}");
    }
}

#[test]
fn a_filter_may_count_from_the_end() {
    let document = json!([{"a": [1, 2]}, {"a": [2, 1]}]);
    assert_eq!(select("$[?@.a[-1] == 1]", &document), json!([{"a": [2, 1]}]));
    assert_eq!(select("$[?value(@.a[-1:]) == 1]", &document), json!([{"a": [2, 1]}]));
    assert_eq!(select("$[-1].a[-2]", &document), json!([2]));
    assert!(JsonPath::new("$[?@['[-1]'] == -1]").is_ok());
}

/// Values that are equal are also at most each other, be they absent; only numbers and texts have an order; and numbers are
/// equal as numbers at every depth.
#[test]
fn comparisons_in_a_filter_are_those_of_the_rfc() {
    let document = json!([{"yes": true, "no": false, "whole": [1], "float": [1.0]}]);
    assert_eq!(select("$[?@.a == @.b]", &document), document);
    assert_eq!(select("$[?@.a <= @.b]", &document), document);
    assert_eq!(select("$[?@.yes > @.no]", &document), json!([]));
    assert_eq!(select("$[?@.whole[0] == @.float[0]]", &document), document);
    assert_eq!(select("$[?@.whole == @.float]", &document), document);
    let wei = arraign_trace::json::parse("[100000000000000000001]").expect("JSON");
    assert_eq!(select("$[?@ == 100000000000000000000]", &wei), json!([]));
    assert_eq!(select("$[?@ == 100000000000000000001]", &wei), wei);
}

fn select(path: &str, document: &Json) -> Json {
    json!(JsonPath::new(path).expect(path).select(document))
}
