//! What a foreign file may cost: the size of verdicts, the number of violations, the depth of schemas.

use std::fmt::Write as _;

use arraign::__internals::report::terminal::render_red_trial;
use arraign::json::{self, json};
use arraign::trace::{Arguments, Call, Trace};
use arraign::{Harness, evaluate};

/// A dataset as a program writes it: all rows in one line.
fn write_rows(count: usize) -> String {
    let row = |number: usize| {
        json!({
            "id": format!("row-{number}"),
            "trace": {"calls": ["look"], "answer": format!("The answer of row {number} is here.")},
            "expect": [{"contains": "NEVER"}, {"tool_blocklist": ["look"]}],
        })
    };
    json!({"tests": (0..count).map(row).collect::<Vec<_>>()}).to_string()
}

#[test]
fn a_verdict_of_a_file_in_one_line_contains_a_part_of_the_line() {
    let text = write_rows(300);
    let suite = Harness::new("evals").parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
    for (number, case) in suite.cases.iter().enumerate() {
        let run = Trace { answer: Some("other".to_owned()), ..Trace::default() };
        let verdict = evaluate(case, &run);
        let at = &verdict.findings[0].violations[0].at;
        assert!(at.text.contains("NEVER"), "{number}: {at:?}");
        let marked: String = at.text.chars().skip(at.column - 1 - at.skipped).collect();
        assert!(marked.starts_with("\"NEVER\"") || marked.starts_with("NEVER"), "{number}: {at:?}");
        let shown = render_red_trial(&verdict);
        assert!(shown.contains(&format!("--> {}:1:{}", at.file, at.column)), "{shown}");
        assert_eq!(shown.contains("1 | ..."), at.skipped > 0, "{shown}");
        let bytes = json::to_string(&verdict).expect("JSON").len();
        assert!(bytes < 8_000, "{number}: {bytes}");
    }
}

#[test]
fn a_long_line_is_never_cut_within_a_text() {
    let secret = "a1B2c3D4".repeat(100);
    for filler in [0, 50, 150, 199, 250] {
        let text = format!(
            "{{\"id\": \"x\", \"trace\": {{\"calls\": [], \"answer\": \"-----BEGIN PRIVATE KEY-----\\n{secret}\"}}, \
             \"tags\": [\"{}\"], \"expect\": [{{\"contains\": \"NEVER\"}}], \"description\": \"password: {secret}\"}}",
            "t".repeat(filler.max(1))
        );
        let suite = Harness::new("evals").parse(&text).unwrap_or_else(|errors| panic!("{errors}"));
        let verdict = evaluate(&suite.cases[0], &Trace { answer: Some("no".to_owned()), ..Trace::default() });
        let shown = json::to_string(&verdict.findings).expect("JSON");
        assert!(!shown.contains("a1B2c"), "{filler}: {shown}");
    }
}

#[test]
fn the_violations_of_a_rule_are_counted_beyond_a_hundred() {
    let mut rules = String::new();
    for number in 0..20 {
        let _ = writeln!(rules, "      - {{type: immediately_before, first: first_{number}, then: look}}");
    }
    let suite = Harness::new("evals").parse(&format!("expect:\n  - sequence_valid:\n      rules:\n{rules}"));
    let suite = suite.unwrap_or_else(|errors| panic!("{errors}"));
    let mut run = Trace { answer: Some("done".to_owned()), ..Trace::default() };
    for turn in 1..=2_000 {
        run.push_call(Call::new("look", Arguments::none(), turn));
    }
    let violations = &evaluate(&suite.cases[0], &run).findings[0].violations;
    assert_eq!(violations.len(), 1001);
    assert_eq!(violations[100].message, "rule 1: immediately_before is violated 1900 more times");
    assert_eq!(violations[1000].message, "there are 1020 more violations");
}
