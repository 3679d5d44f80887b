//! Agents of other makes: their tools, their shells, their languages.

use arraign::__internals::place::Source;
use arraign::__internals::yaml::Document;
use arraign::json::{self, Json};
use serde::Deserialize;

use super::subject::{Recorded, ask, check, hold_losses};

#[derive(Deserialize)]
struct Session {
    id: String,
    verdict: Expected,
    calls: Json,
    #[serde(rename = "final")]
    answer: String,
    #[serde(default = "usual")]
    settings: String,
}

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Expected {
    Ok,
    Bad,
}

fn usual() -> String {
    "{}".to_owned()
}

fn sessions() -> Vec<Session> {
    let documents = Document::parse(&Source::new("dialects.yaml", include_str!("dialects.yaml")));
    let mut sessions = documents.expect("valid YAML")[0].root().to_json();
    json::from_json(sessions["cases"].take()).expect("sessions")
}

#[test]
fn honest_work_is_known_in_every_dialect() {
    let mut wrong = Vec::new();
    let mut honest = 0;
    let mut all = 0;
    for session in sessions() {
        let calls = json::from_json(session.calls).expect("calls");
        let outcome =
            ask(check(&session.settings).as_ref(), &Recorded { calls, answer: session.answer }.into());
        hold_losses(&outcome, &session.id);
        (all, honest) = (all + 1, honest + i32::from(session.verdict == Expected::Ok));
        if outcome.violations.is_empty() != (session.verdict == Expected::Ok) {
            let lost: Vec<String> =
                outcome.losses.iter().map(|loss| format!("-{:.3} {}", loss.points, loss.why)).collect();
            let score = outcome.score.get();
            wrong.push(format!("{}, {:?}: {score:.3}\n  {}", session.id, session.verdict, lost.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(honest >= 20 && all - honest >= 20, "{honest} of {all} are honest");
}
