//! Verdicts of Node 20, recorded.

use std::path::Path;

use super::*;

use arraign::json::{self, Json};

#[test]
fn every_recorded_verdict_is_ours() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/js_regex.json");
    let text = std::fs::read_to_string(path).expect("the recorded verdicts");
    let recorded: Json = json::from_str(&text).expect("JSON");
    let cases = recorded["cases"].as_array().expect("cases");
    assert!(cases.len() > 100);
    let field = |case: &Json, name: &str| case[name].as_str().expect(name).to_owned();
    for case in cases {
        let said = ours(&field(case, "pattern"), "i", &field(case, "text")).expect("few steps");
        let word = match said {
            AnswerScope::Invalid => "invalid",
            AnswerScope::NoMatch => "no_match",
            AnswerScope::Match(_) => "match",
        };
        assert_eq!(word, field(case, "expected"), "{case}");
    }
}
