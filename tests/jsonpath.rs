//! Paths are held against the public compliance suite of RFC 9535, where it is at hand.

use std::path::Path;

use arraign::pattern::JsonPath;
use serde_json::{Value, json};

/// Tests of the suite that are not met, each with its reason.
const DEVIATIONS: &[(&str, &str)] = &[];

#[test]
fn the_compliance_suite_agrees() {
    let Some(folder) = std::env::var_os("ARRAIGN_CONFORMANCE_DIR") else {
        eprintln!("skipped: ARRAIGN_CONFORMANCE_DIR names no folder with jsonpath/cts.json");
        return;
    };
    let text = std::fs::read_to_string(Path::new(&folder).join("jsonpath/cts.json")).expect("the suite");
    let suite: Value = serde_json::from_str(&text).expect("JSON");
    let tests = suite["tests"].as_array().expect("its tests");
    let failed = tests.iter().filter(|test| !agrees(test)).map(|test| test["name"].as_str().expect("a name"));
    let listed: Vec<&str> = DEVIATIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(failed.collect::<Vec<_>>(), listed);
    assert!(tests.len() >= 700, "only {} tests", tests.len());
}

fn agrees(test: &Value) -> bool {
    let path = JsonPath::new(test["selector"].as_str().expect("a selector"));
    let Ok(path) = path else { return test["invalid_selector"] == true };
    if test["invalid_selector"] == true {
        return false;
    }
    let found = json!(path.select(&test["document"]));
    let orders = test["results"].as_array().map_or_else(|| vec![&test["result"]], |all| all.iter().collect());
    orders.contains(&&found)
}

/// What jsonpath-rust gets wrong, and the suite does not ask.
#[test]
fn counting_nothing_is_zero_and_a_filter_may_stand_in_a_filter() {
    let document = json!([{"items": []}, {"items": [1]}, {}, [{"items": 1}]]);
    let select = |path: &str| json!(JsonPath::new(path).expect(path).select(&document));
    assert_eq!(select("$[?count(@.items[*]) == 0]"), json!([{"items": []}, {}, [{"items": 1}]]));
    assert_eq!(select("$[?@[?@.items]]"), json!([[{"items": 1}]]));
    for path in ["$[?length(@.*) < 3]", "$[?value(@.a)]", "$[?in(@.a, 'b')]", "$.a b", "$[?@. a == 1]"] {
        assert!(JsonPath::new(path).is_err(), "{path}");
    }
}

/// The one known difference from the RFC: there, two values that are both absent are equal under `<=` and `>=` too.
#[test]
fn absent_values_are_equal_but_not_at_most_each_other() {
    let document = json!([{}]);
    let count = |path: &str| JsonPath::new(path).expect(path).select(&document).len();
    assert_eq!((count("$[?@.a == @.b]"), count("$[?@.a <= @.b]")), (1, 0));
}
