//! The check, read from YAML and asked.

use arraign::__internals::check::{Check, CheckKind, Registry, Scope, Tables};
use arraign::__internals::outcome::Outcome;
use arraign::__internals::place::Source;
use arraign::__internals::source::Files;
use arraign::__internals::yaml::Document;
use arraign::Evidence;
use arraign::json::Json;
use arraign::trace::{Arguments, Call, CallStatus, Trace};
use serde::Deserialize;

/// The check with these settings.
pub(crate) fn check(settings: &str) -> Box<dyn Check> {
    let documents = Document::parse(&Source::new("settings.yaml", settings)).expect("valid YAML");
    let kinds = Registry::default();
    let files = Files::new(".", ".");
    let tables = Tables::default();
    let kind: &CheckKind = kinds.find("verification").expect("the check");
    let scope = Scope {
        kinds: &kinds,
        files: &files,
        folder: std::path::Path::new("."),
        tables: &tables,
        script: arraign::__internals::check::ScriptInScope::Absent,
    };
    (kind.read)(documents[0].root(), &scope).unwrap_or_else(|errors| panic!("{errors}"))
}

pub(crate) fn ask(check: &dyn Check, trace: &Trace) -> Outcome {
    check.check(&Evidence::of(trace)).expect("an answer")
}

/// A run that only answers.
pub(crate) fn saying(answer: &str) -> Trace {
    Trace { answer: Some(answer.to_owned()), ..Trace::default() }
}

/// Holds the losses to what the score lacks.
pub(crate) fn hold_losses(outcome: &Outcome, what: &str) {
    let lost: f64 = outcome.losses.iter().map(|loss| loss.points).sum();
    let lacking = 1.0 - outcome.score.get();
    assert!(
        (lost - lacking).abs() < 1e-9,
        "{what}: {lost} is lost and {lacking} is lacking: {:#?}",
        outcome.losses
    );
}

/// A run as the goldens write it.
#[derive(Debug, Deserialize)]
pub(crate) struct Recorded {
    pub(crate) calls: Vec<RecordedCall>,
    #[serde(rename = "final")]
    pub(crate) answer: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct RecordedCall {
    name: String,
    #[serde(default)]
    args: Json,
    result: Option<Json>,
    exit_code: Option<i64>,
    #[serde(default)]
    is_error: bool,
}

impl From<Recorded> for Trace {
    fn from(recorded: Recorded) -> Self {
        let mut trace = saying(&recorded.answer);
        for (index, call) in recorded.calls.into_iter().enumerate() {
            let failed = call.is_error || call.exit_code.is_some_and(|code| code != 0);
            let status = if failed { CallStatus::Error } else { CallStatus::Ok };
            let arguments = Arguments::from_json(call.args);
            let result = call.result;
            let exit_code = call.exit_code;
            trace.push_call(Call { result, exit_code, status, ..Call::new(call.name, arguments, index + 1) });
        }
        trace
    }
}
