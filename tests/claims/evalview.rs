//! The checks of `expected:` against what EvalView's own evaluators say of the same runs, field by field.
//!
//! Two things differ on purpose: a category, a mode or a limit that cannot be meant is a mistake in the file, and
//! globs among forbidden tools expand.

use std::path::Path;

use arraign::__internals::check::{Check, Registry, Scope, Tables};
use arraign::__internals::pattern::{ToolCategories, is_glob};
use arraign::__internals::place::{LoadErrors, Source};
use arraign::__internals::source::Files;
use arraign::__internals::yaml::Document;
use arraign::json::{self, Json, json};
use arraign::trace::{Arguments, Call};
use arraign::{Evidence, Outcome, Trace};

const GROUPS: [&str; 5] = ["cost_latency", "forbidden", "sequence", "tool_accuracy", "weights_overall"];

fn golden(name: &str) -> Json {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/evalview");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("the recorded verdicts");
    json::from_str(&text).expect("JSON")
}

/// Every recorded case that the original could evaluate.
fn cases() -> Vec<Json> {
    let all = GROUPS.iter().flat_map(|group| golden(group)["cases"].as_array().expect("cases").to_vec());
    all.filter(|case| case.get("expected").is_some()).collect()
}

fn read(kind: &str, settings: &Json) -> Result<Box<dyn Check>, LoadErrors> {
    let documents = Document::parse(&Source::new("settings", settings.to_string()))?;
    let kinds = Registry::default();
    let folder = Path::new(".");
    let files = Files::new(folder, folder);
    let tables = Tables::default();
    let scope = Scope {
        kinds: &kinds,
        files: &files,
        folder,
        tables: &tables,
        script: arraign::__internals::check::ScriptInScope::Absent,
    };
    (kinds.find(kind).expect(kind).read)(documents[0].root(), &scope)
}

fn trace(case: &Json) -> Trace {
    let recorded = &case["input"]["trace"];
    let figure = |key: &str, otherwise: f64| Some(recorded[key].as_f64().unwrap_or(otherwise));
    let mut trace = Trace {
        answer: recorded["output"].as_str().map(str::to_owned),
        cost_usd: figure("cost", 0.01),
        duration_ms: figure("latency", 1000.0),
        ..Trace::default()
    };
    for tool in texts(&recorded["tools"]) {
        trace.push_call(Call::new(tool, Arguments::none(), 1));
    }
    trace
}

fn texts(list: &Json) -> Vec<&str> {
    list.as_array().into_iter().flatten().map(|text| text.as_str().expect("a text")).collect()
}

fn outcome(check: &dyn Check, case: &Json) -> Outcome {
    check.check(&Evidence::of(&trace(case))).unwrap_or_else(|unfit| panic!("{case}: {unfit:?}"))
}

fn losses(outcome: &Outcome) -> f64 {
    outcome.losses.iter().map(|loss| loss.points).sum()
}

#[test]
fn tool_accuracy_agrees() {
    for case in cases() {
        let asked = &case["input"]["test_case"]["expected"];
        let theirs = &case["expected"]["tool_accuracy"];
        let unknown = |name: &&str| ToolCategories::default().find(name).is_none();
        let settings = json!({
            "tools": texts(&asked["tools"]),
            "categories": texts(&asked["tool_categories"]),
        });
        let check = read("tool_accuracy", &settings);
        if texts(&asked["tool_categories"]).iter().any(unknown) {
            assert!(check.is_err(), "{case}");
            continue;
        }
        let ours = outcome(check.expect("right settings").as_ref(), &case);
        for field in ["missing", "unexpected", "correct", "categories_satisfied"] {
            assert_eq!(ours.values[field], theirs[field], "{field} of {case}");
        }
        assert_eq!(json!(ours.score), theirs["accuracy"], "{case}");
        assert!((losses(&ours) - (1.0 - ours.score.get())).abs() < 1e-12, "{case}");
    }
}

#[test]
fn sequence_progress_agrees() {
    for case in cases() {
        let test_case = &case["input"]["test_case"];
        let mode = test_case["adapter_config"]["sequence_mode"].as_str().unwrap_or("subsequence");
        let settings = json!({"tool_sequence": texts(&test_case["expected"]["tool_sequence"]), "mode": mode});
        let check = read("sequence_correctness", &settings);
        if !["subsequence", "exact", "unordered"].contains(&mode) {
            assert!(check.is_err(), "{case}");
            continue;
        }
        let ours = outcome(check.expect("right settings").as_ref(), &case);
        let theirs = &case["expected"]["sequence"];
        assert_eq!(json!(ours.score), theirs["progress_score"], "{case}");
        assert_eq!(ours.values["progress"], theirs["progress_score"], "{case}");
        assert_eq!(ours.values["correct"], theirs["correct"], "{case}");
        assert_eq!(json!(ours.violations.is_empty()), theirs["correct"], "{case}");
        assert!((losses(&ours) - (1.0 - ours.score.get())).abs() < 1e-12, "{case}");
    }
}

#[test]
fn forbidden_tools_agree() {
    let forbidden = |case: &Json| case["input"]["test_case"]["expected"]["forbidden_tools"].clone();
    for case in cases().iter().filter(|case| case["expected"].get("forbidden").is_some()) {
        let settings = json!({"tools": forbidden(case), "names": "normalised"});
        let ours = outcome(read("forbidden_tools", &settings).expect("right settings").as_ref(), case);
        if texts(&forbidden(case)).into_iter().any(is_glob) {
            continue;
        }
        let tools: Vec<_> = ours.violations.iter().map(|violation| violation.tool.as_deref()).collect();
        assert_eq!(json!(tools), case["expected"]["forbidden"]["violations"], "{case}");
    }
}

#[test]
fn limits_agree() {
    for case in cases() {
        for (limit, kind, setting, theirs) in [
            ("max_cost", "cost_at_most", "usd", "cost"),
            ("max_latency", "duration_at_most", "duration", "latency"),
        ] {
            let Some(limit) = case["input"]["test_case"]["thresholds"][limit].as_f64() else { continue };
            let check = read(kind, &json!({setting: limit}));
            if limit < 0.0 {
                assert!(check.is_err(), "{case}");
                continue;
            }
            let ours = outcome(check.expect("a right limit").as_ref(), &case);
            assert_eq!(json!(ours.violations.is_empty()), case["expected"][theirs]["passed"], "{case}");
        }
    }
}

#[test]
fn categories_hold_the_same_tools() {
    let categories = ToolCategories::default();
    let theirs = golden("categories");
    for (name, tools) in theirs.as_object().expect("categories") {
        let ours = categories.find(name).expect(name);
        assert_eq!(ours.tools().collect::<Vec<_>>(), texts(tools), "{name}");
    }
}
