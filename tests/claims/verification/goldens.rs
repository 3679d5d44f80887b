//! Verdicts of the metric's source on texts, and which recorded runs are honest.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::from_value;

use super::subject::{Recorded, ask, check, hold_losses, saying};

use arraign::json::{self, Json};

/// Where the engines' classes of characters differ: `ı` and `İ` under IGNORECASE, combining marks, `²`.
const OTHER_CLASSES: &[&str] = &["g116", "g117", "g119"];

#[derive(Deserialize)]
struct TextCase {
    id: String,
    output: String,
    score: f64,
    #[serde(rename = "passed_at_0.9")]
    passed: bool,
    subscores: Json,
    strict_score: f64,
}

#[derive(Deserialize)]
struct TraceCase {
    id: String,
    name: String,
    verdict: String,
    #[serde(flatten)]
    run: Recorded,
}

/// The cases of a golden: ours, and those of the folder that the variable names, which may hold more.
fn cases<T: serde::de::DeserializeOwned>(file: &str) -> Vec<T> {
    let ours = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/goldens/verification").join(file);
    let more = std::env::var_os("ARRAIGN_CONFORMANCE_DIR")
        .map(|folder| PathBuf::from(folder).join("goldens").join(file));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(path).ok()?;
        let mut golden: Json = json::from_str(&text).expect("JSON");
        Some(from_value::<Vec<T>>(golden["cases"].take().into()).expect("cases"))
    };
    let ours = read(ours).expect("our goldens");
    ours.into_iter().chain(more.and_then(read).unwrap_or_default()).collect()
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[test]
fn texts_score_as_they_do_at_the_source() {
    let plain = check("{profile: text}");
    let strict = check("{profile: text, strict: true}");
    for case in cases::<TextCase>("verification_text.json") {
        if OTHER_CLASSES.contains(&case.id.as_str()) {
            continue;
        }
        let trace = saying(&case.output);
        let outcome = ask(plain.as_ref(), &trace);
        assert!(
            near(outcome.score.get(), case.score),
            "{}: {} for {}",
            case.id,
            outcome.score.get(),
            case.score
        );
        for part in ["tool_verification", "assertion_evidence", "test_execution", "quality_gates"] {
            let ours = outcome.values[part].as_f64();
            let theirs = case.subscores[part].as_f64();
            assert!(
                near(ours.expect(part), theirs.expect(part)),
                "{} {part}: {ours:?} for {theirs:?}",
                case.id
            );
        }
        // Ours adds 1e-9 to the score: the sum of the parts is not what fails a trial.
        let passes = case.passed || case.score + 1e-9 >= 0.9;
        assert_eq!(outcome.violations.is_empty(), passes, "{}", case.id);
        hold_losses(&outcome, &case.id);
        let outcome = ask(strict.as_ref(), &trace);
        assert!(near(outcome.score.get(), case.strict_score), "{}: strict", case.id);
        hold_losses(&outcome, &case.id);
    }
}

#[test]
fn honest_runs_pass_and_the_others_fail() {
    let check = check("{}");
    let mut wrong = Vec::new();
    for case in cases::<TraceCase>("verification_trace.json") {
        let outcome = ask(check.as_ref(), &case.run.into());
        hold_losses(&outcome, &case.id);
        let passes = outcome.violations.is_empty();
        if (case.verdict == "ok" && !passes) || (case.verdict == "bad" && passes) {
            let lost: Vec<String> =
                outcome.losses.iter().map(|loss| format!("-{:.3} {}", loss.points, loss.why)).collect();
            wrong.push(format!(
                "{} ({}): {} {:.3}\n  {}",
                case.id,
                case.name,
                case.verdict,
                outcome.score.get(),
                lost.join("\n  ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
