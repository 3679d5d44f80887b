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

/// The finding of a schema on an answer.
fn judge_answer(schema: &json::Json, answer: &json::Json) -> arraign::verdict::Finding {
    let case = json!({"expect": [{"json_schema": {"schema": schema}}]}).to_string();
    let suite = Harness::new("evals").parse(&case).unwrap_or_else(|errors| panic!("{errors}"));
    let run = Trace { answer: Some(answer.to_string()), ..Trace::default() };
    let verdict = evaluate(&suite.cases[0], &run);
    let bytes = json::to_string(&verdict).expect("JSON").len();
    assert!(bytes < 24 << 20, "a verdict of {bytes} bytes");
    verdict.findings.into_iter().next().expect("a finding")
}

#[test]
fn a_schema_lists_a_part_of_what_it_finds_and_counts_the_rest() {
    let objects: Vec<json::Json> = (0..10_000).map(|id| json!({"id": id, "name": "x"})).collect();
    let others: Vec<json::Json> = (0..10_000).map(|id| json!({"id": -1 - id, "name": "x"})).collect();
    let names: Vec<String> = (0..40_000).map(|name| format!("name_{name}")).collect();
    let many: Vec<json::Json> = (0..100).map(|_| json!({"a": "x".repeat(1_000)})).collect();
    for (schema, answer, more) in [
        (json!({"items": {"enum": objects}}), json!(others), 9_001),
        (json!({"required": names}), json!({"a": 1}), 39_001),
        (json!({"items": {"required": names[..1_000]}}), json!(many), 99_001),
        (
            json!({"properties": {"a": {"type": "string"}}, "additionalProperties": false}),
            {
                let entries = names.iter().map(|name| (name.clone(), json!(1)));
                json::Json::Object(entries.collect())
            },
            39_001,
        ),
    ] {
        let finding = judge_answer(&schema, &answer);
        assert_eq!(finding.violations.len(), 1_000);
        let last = &finding.violations[999].message;
        assert_eq!(*last, format!("{more} more parts do not fit the schema"));
    }
}

#[test]
fn a_schema_with_too_many_comparisons_is_neither_kept_nor_broken() {
    let names: Vec<String> = (0..30_000).map(|name| format!("name_{name}")).collect();
    let properties: json::JsonMap = names.iter().map(|name| (name.clone(), json!({}))).collect();
    let schema = json!({"items": {"properties": properties}, "maxItems": 20_000});
    let finding = judge_answer(&schema, &json!(vec![json!({}); 10_000]));
    assert_eq!(finding.status, arraign::Status::Error);
    let reason = finding.unfit.expect("a reason");
    assert!(reason.contains("more than 20000000 comparisons"), "{reason}");
    assert!(finding.help.is_some_and(|help| help.contains("a smaller part of the value")));
}

#[cfg(feature = "json-schema")]
#[test]
fn a_value_that_breaks_thousands_of_alternatives_has_one_violation() {
    let options: Vec<json::Json> = (0..1_000).map(|option| json!({"const": option})).collect();
    let values: Vec<json::Json> = (0..2_000).map(|value| json!(value + 1_000)).collect();
    for word in ["oneOf", "anyOf"] {
        let finding = judge_answer(&json!({"items": {word: options}}), &json!(values));
        let [violation] = finding.violations.as_slice() else { panic!("{finding:?}") };
        assert!(
            violation.message.contains("has too many parts to list those that break it"),
            "{violation:?}"
        );
        let fitting: Vec<json::Json> = (0..100).map(json::Json::from).collect();
        assert_eq!(judge_answer(&json!({"items": {word: options}}), &json!(fitting)).violations.len(), 0);
    }
    let all: Vec<json::Json> = (0..300).map(|name| json!({"required": [format!("name_{name}")]})).collect();
    let finding = judge_answer(&json!({"allOf": all}), &json!({"a": "x".repeat(200_000)}));
    assert_eq!(finding.violations.len(), 300);
    let needed: Vec<String> = (0..20_000).map(|name| format!("name_{name}")).collect();
    let finding =
        judge_answer(&json!({"dependentRequired": {"a": needed}}), &json!({"a": "x".repeat(1_000)}));
    assert_eq!(finding.violations.len(), 1_000);
}

#[cfg(feature = "json-schema")]
#[test]
fn a_pattern_that_would_read_a_long_text_too_often_is_not_run() {
    let schema = json!({"properties": {"x": {"pattern": "(?=(a+)+$)(a*)*b"}}});
    let finding = judge_answer(&schema, &json!({"x": "a".repeat(60_000)}));
    assert_eq!(finding.status, arraign::Status::Error);
    assert!(finding.unfit.is_some_and(|reason| reason.contains("comparisons")));
}

#[test]
fn rules_that_each_call_breaks_describe_some_of_the_calls() {
    let mut rules = String::new();
    for number in 0..100 {
        let _ = writeln!(rules, "      - {{type: immediately_before, first: first_{number}, then: look}}");
    }
    let case = |rules: &str| {
        let suite =
            Harness::new("evals").parse(&format!("expect:\n  - sequence_valid:\n      rules:\n{rules}"));
        suite.unwrap_or_else(|errors| panic!("{errors}"))
    };
    let mut run = Trace { answer: Some("done".to_owned()), ..Trace::default() };
    for turn in 1..=20_000 {
        run.push_call(Call::new("look", Arguments::none(), turn));
    }
    let finding = evaluate(&case(&rules).cases[0], &run).findings.remove(0);
    assert_eq!(finding.violations[100].message, "rule 1: immediately_before is violated 19900 more times");
    for number in 0..6_000 {
        let _ = writeln!(rules, "      - {{type: immediately_before, first: first_{number}, then: look}}");
    }
    let finding = evaluate(&case(&rules).cases[0], &run).findings.remove(0);
    assert_eq!(finding.status, arraign::Status::Error);
    assert!(finding.unfit.is_some_and(|reason| reason.contains("more than 100000000 times")));
}
