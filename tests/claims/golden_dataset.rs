//! The three axes of golden datasets, held against recorded scores of the functions that define them.

use std::fs;
use std::path::Path;

use arraign::json::{self, Json, json};
use arraign::trace::{Arguments, Call, Role, Trace};
use arraign::verdict::{Finding, Verdict};
use arraign::{Harness, evaluate};

const WEIGHTS: [(&str, f64); 3] = [("groundedness", 0.4), ("correctness", 0.4), ("completeness", 0.2)];
const THRESHOLD: f64 = 0.7;
const EPSILON: f64 = 1e-9;

fn recorded(file: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    json::from_str(&text).expect("JSON")
}

/// A run that calls `tools`, then says `text`.
fn run(tools: &Json, text: &str) -> Trace {
    let mut trace = Trace::default();
    for (index, tool) in tools.as_array().expect("the called tools").iter().enumerate() {
        trace.push_call(Call::new(tool.as_str().expect("a name"), Arguments::none(), index + 1));
    }
    trace.push_message(Role::Assistant, text);
    trace.settle_answer();
    trace
}

/// What ours says of a row's run; an error where the row is no case of ours.
fn judged(row: &Json) -> Result<Verdict, String> {
    let keys = ["criteria", "expected_tools", "expected_fields"];
    let case: Json = keys.iter().map(|key| ((*key).to_owned(), row[key].clone())).collect();
    let suite = Harness::new("evals").parse(&case.to_string()).map_err(|errors| errors.to_string())?;
    let text = row["text"].as_str().expect("the answer");
    Ok(evaluate(&suite.cases[0], &run(&row["tools"], text)))
}

fn finding<'v>(verdict: &'v Verdict, check: &str) -> &'v Finding {
    verdict.findings.iter().find(|finding| finding.check == check).expect(check)
}

fn overall(verdict: &Verdict) -> f64 {
    WEIGHTS.iter().map(|(axis, weight)| weight * finding(verdict, axis).score.get()).sum()
}

fn agrees(ours: f64, theirs: &Json) -> bool {
    (ours - theirs.as_f64().expect("a score")).abs() < EPSILON
}

/// A criterion that is no boolean, or that nobody reads, is a mistake in the row.
fn is_refused(row: &Json) -> bool {
    let known = |name: &str| ["grounded", "tool_called"].contains(&name);
    row["criteria"]
        .as_object()
        .expect("criteria")
        .iter()
        .any(|(name, value)| !known(name) || !value.is_boolean())
}

#[test]
fn every_recorded_row_is_scored_alike() {
    let recorded = recorded("golden_dataset.json");
    let rows = recorded["cases"].as_array().expect("rows");
    for row in rows.iter().filter(|row| !is_refused(row)) {
        let verdict = judged(row).expect("a case");
        for (axis, _) in WEIGHTS {
            assert!(agrees(finding(&verdict, axis).score.get(), &row[axis]), "{axis}: {row}");
        }
        let told = &finding(&verdict, "completeness").values;
        assert_eq!((&told["found"], &told["missing"]), (&row["found"], &row["missing"]), "{row}");
        assert_eq!(finding(&verdict, "correctness").values["tools_called"], row["tools"]);
        assert!(agrees(overall(&verdict), &row["overall"]), "{row}");
        let passed = overall(&verdict) + EPSILON >= THRESHOLD;
        assert_eq!((passed, verdict.passed), (row["passed"] == true, passed), "{row}");
    }
    assert!(rows.iter().filter(|row| !is_refused(row)).count() > 25);
}

#[test]
fn a_criterion_that_is_no_boolean_is_refused() {
    let recorded = recorded("golden_dataset.json");
    let rows = recorded["cases"].as_array().expect("rows");
    let refused: Vec<String> =
        rows.iter().filter(|row| is_refused(row)).map(|row| judged(row).expect_err("a mistake")).collect();
    assert!(!refused.is_empty());
    for error in refused {
        assert!(error.contains("expected `true` or `false`") || error.contains("no scorer reads"), "{error}");
    }
}

/// `2/3` as two of the names `aa`, `ab`, `ac`: those that the run has, and all of them.
fn share(fraction: &Json) -> (Vec<String>, Vec<String>) {
    let (part, whole) = fraction.as_str().and_then(|text| text.split_once('/')).expect("a fraction");
    let letters = ('a'..='z').take(whole.parse().expect("a count"));
    let names: Vec<String> = letters.map(|letter| format!("a{letter}")).collect();
    (names[..part.parse().expect("a count")].to_vec(), names)
}

#[test]
fn shares_on_the_threshold_reach_it() {
    let edges = recorded("golden_dataset_float_edges.json");
    for edge in edges.as_array().expect("edges") {
        let ((called, tools), (told, fields)) = (share(&edge["correct"]), share(&edge["complete"]));
        // Groundedness is 1 in all of them: some tool is called, though it may be another.
        let called = [called, vec!["other".to_owned()]].concat();
        let verdict = judged(&json!({
            "criteria": {}, "tools": called, "expected_tools": tools,
            "text": told.join(" "), "expected_fields": fields,
        }));
        let verdict = verdict.expect("a case");
        assert!(agrees(overall(&verdict), &edge["float"]), "{edge}");
        assert!(verdict.passed && edge["passes_ge_0.7"] == true, "{edge}");
    }
}
