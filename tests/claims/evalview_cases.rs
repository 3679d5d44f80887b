//! Whole `expected:` cases against what EvalView's own package says of them: score and passed.
//!
//! What differs on purpose is computed from the rule: a violated gate scores 0, `exact` fails on a mismatch,
//! weights at the top of a case count, and what cannot be meant is a mistake in the file.

use std::path::Path;

use arraign::__internals::pattern::{ToolCategories, is_glob};
use arraign::Harness;
use arraign::json::{self, Json, json};

const GROUPS: [&str; 5] = ["cost_latency", "forbidden", "sequence", "tool_accuracy", "weights_overall"];
const MODES: [&str; 3] = ["subsequence", "exact", "unordered"];
const KEYS: [&str; 6] =
    ["tools", "tool_categories", "tool_sequence", "sequence", "forbidden_tools", "output"];

fn cases() -> Vec<Json> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/evalview");
    let read = |group: &str| -> Json {
        let text =
            std::fs::read_to_string(folder.join(format!("{group}.json"))).expect("the recorded verdicts");
        json::from_str(&text).expect("JSON")
    };
    GROUPS.iter().flat_map(|group| read(group)["cases"].as_array().expect("cases").to_vec()).collect()
}

/// The case as its users write it, with the trace and the judge's opinion in it.
fn written(case: &Json) -> Json {
    let mut written = case["input"]["test_case"].clone();
    let input = &case["input"];
    let recorded = &input["trace"];
    let figure = |key: &str, otherwise: f64| recorded[key].as_f64().unwrap_or(otherwise);
    // Their names are whole: they do not take a server off.
    let calls = recorded["tools"].as_array().into_iter().flatten();
    let calls: Vec<Json> = calls.map(|name| json!({"call": name, "written": name})).collect();
    // And they are different tools wherever they differ: all of them were offered side by side.
    let forbidden = written["expected"]["forbidden_tools"].as_array().into_iter().flatten();
    let offered: Vec<Json> =
        forbidden.chain(recorded["tools"].as_array().into_iter().flatten()).cloned().collect();
    written["trace"] = json!({
        "offered": offered,
        "calls": calls,
        "answer": recorded["output"],
        "cost_usd": figure("cost", 0.01),
        "duration_ms": figure("latency", 1000.0),
    });
    // What weighs nothing is not asked.
    if written["weights"]["output_quality"] != json!(0.0) {
        written["opinions"] = json!({"output_quality": {"score": input["judge"]["score"]}});
    }
    if written["thresholds"]["min_score"].is_null() {
        written["thresholds"]["min_score"] = json!(0);
    }
    written
}

/// What the file is a mistake for, beyond what the original refuses.
fn is_mistaken(case: &Json) -> bool {
    let asked = &case["input"]["test_case"];
    let mut categories = asked["expected"]["tool_categories"].as_array().into_iter().flatten();
    let known = |name: &Json| ToolCategories::default().find(name.as_str().unwrap_or_default()).is_some();
    let all_known = categories.all(known);
    let mode = asked["adapter_config"]["sequence_mode"].as_str();
    let empty = |key: &str| asked["expected"][key].as_array().is_some_and(<[Json]>::is_empty);
    let vacuous = ["tools", "tool_sequence", "forbidden_tools"].iter().any(|key| empty(key));
    let unknown = asked["expected"]
        .as_object()
        .is_some_and(|keys| keys.keys().any(|key| !KEYS.contains(&key.as_str())));
    let unknown = unknown || asked.get("generated").is_some();
    let recorded = &case["input"]["trace"];
    let figures =
        ["cost", "latency"].iter().any(|key| recorded[*key].as_f64().is_some_and(|figure| figure < 0.0));
    let limits = ["max_cost", "max_latency"]
        .iter()
        .any(|key| asked["thresholds"][*key].as_f64().is_some_and(|limit| limit < 0.0));
    let mode = mode.is_some_and(|mode| !MODES.contains(&mode));
    !all_known || mode || vacuous || unknown || limits || figures
}

/// A pattern among the forbidden tools: theirs takes it for a name.
fn has_globs(case: &Json) -> bool {
    let forbidden = &case["input"]["test_case"]["expected"]["forbidden_tools"];
    forbidden.as_array().into_iter().flatten().any(|name| name.as_str().is_some_and(is_glob))
}

/// Their score, with the weights at the top of the case that their package does not read.
fn score(case: &Json) -> f64 {
    let weights = &case["input"]["test_case"]["weights"];
    let theirs = &case["expected"];
    if weights.is_null() {
        return theirs["score"].as_f64().expect("a score");
    }
    let weight = |name: &str| weights[name].as_f64().expect("a weight");
    100.0 * theirs["tool_accuracy"]["accuracy"].as_f64().expect("accuracy") * weight("tool_accuracy")
        + case["input"]["judge"]["score"].as_f64().expect("a judge") * weight("output_quality")
        + 100.0
            * theirs["sequence"]["progress_score"].as_f64().expect("progress")
            * weight("sequence_correctness")
}

#[test]
fn scores_and_verdicts_agree() {
    let mut agreed = 0;
    for case in cases() {
        let mut case_text = written(&case);
        // The original accepts a threshold of 0.
        case_text["allow_vacuous"] = json!(true);
        let loaded = Harness::new("evals").parse(&case_text.to_string());
        if is_mistaken(&case) || has_globs(&case) || case.get("expected").is_none() {
            continue;
        }
        let suite = loaded.unwrap_or_else(|errors| panic!("{}: {errors}", case["id"]));
        let trace = match &suite.cases[0].trace {
            arraign::__internals::case::TraceFrom::Inline(trace) => (**trace).clone(),
            other => panic!("{other:?}"),
        };
        let verdict = arraign::evaluate(&suite.cases[0], &trace);
        let theirs = &case["expected"];
        let gate = theirs["forbidden"]["passed"] == json!(false);
        let exact = case["input"]["test_case"]["adapter_config"]["sequence_mode"] == json!("exact");
        let out_of_order = exact && theirs["sequence"]["correct"] == json!(false);
        let card = verdict.scorecards.first().unwrap_or_else(|| panic!("{}: no card", case["id"]));
        let wanted = if gate { 0.0 } else { score(&case) };
        assert!(
            (card.score.expect("a score") - wanted).abs() < 1e-9,
            "{}: {card:?}, theirs {wanted}",
            case["id"]
        );
        let passed = theirs["passed"] == json!(true) && !gate && !out_of_order;
        assert_eq!(
            verdict.passed,
            passed,
            "{}: {}",
            case["id"],
            arraign::__internals::report::terminal::render_red_trial(&verdict)
        );
        agreed += 1;
    }
    assert!(agreed >= 30, "only {agreed} cases were held against the recorded verdicts");
}

#[test]
fn what_the_original_refuses_and_what_cannot_be_meant_is_refused() {
    for case in cases() {
        let uneven =
            case["output"]["message"].as_str().is_some_and(|message| message.contains("must sum to"));
        if uneven || is_mistaken(&case) {
            let loaded = Harness::new("evals").parse(&written(&case).to_string());
            assert!(loaded.is_err(), "{}: it was read", case["id"]);
        }
    }
}
