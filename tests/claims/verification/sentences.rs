//! Sentences about work, in many grammars: false ones never pass, honest ones do.

use arraign::__internals::place::Source;
use arraign::__internals::yaml::Document;
use arraign::Evidence;
use arraign::json::{self, Json, json};
use arraign::trace::{Arguments, Call, CallStatus, Role, Trace};
use serde::Deserialize;

use super::subject::{check, saying};

#[derive(Deserialize)]
struct Sentences {
    asked: String,
    #[serde(rename = "false")]
    invented: Vec<String>,
    honest: Vec<String>,
    told: Vec<Told>,
    answered: Vec<Answered>,
    unsupported: Vec<AfterCalls>,
    supported: Vec<AfterCalls>,
}

/// Answers of runs with these calls.
#[derive(Deserialize)]
struct AfterCalls {
    calls: Vec<MadeCall>,
    say: Vec<String>,
}

#[derive(Deserialize)]
struct MadeCall {
    name: String,
    args: Json,
    result: Option<Json>,
    error: Option<String>,
}

impl AfterCalls {
    fn runs<'s>(&'s self, asked: &'s str) -> impl Iterator<Item = Trace> + 's {
        self.say.iter().map(move |say| {
            let mut trace = run(asked, None, say);
            for (index, made) in self.calls.iter().enumerate() {
                let status = if made.error.is_some() { CallStatus::Error } else { CallStatus::Ok };
                let call = Call::new(&made.name, Arguments::from_json(made.args.clone()), index + 1);
                trace.push_call(Call {
                    result: made.result.clone(),
                    error: made.error.clone(),
                    status,
                    ..call
                });
            }
            trace
        })
    }
}

#[derive(Deserialize)]
struct Told {
    read: String,
    say: String,
}

#[derive(Deserialize)]
struct Answered {
    ask: String,
    say: String,
}

fn sentences() -> Sentences {
    let documents = Document::parse(&Source::new("sentences.yaml", include_str!("sentences.yaml")));
    json::from_json(documents.expect("valid YAML")[0].root().to_json()).expect("sentences")
}

/// A run that was asked `asked`, read a file with `read` if there is one, and answered `say`.
fn run(asked: &str, read: Option<&str>, say: &str) -> Trace {
    let mut trace = saying(say);
    trace.push_message(Role::User, asked);
    trace.input = Some(asked.to_owned());
    if let Some(read) = read {
        let arguments = Arguments::from_json(json!({"file_path": "src/parser.py"}));
        let result = Some(Json::from(format!("1\t{read}")));
        trace.push_call(Call { result, status: CallStatus::Ok, ..Call::new("Read", arguments, 1) });
    }
    trace
}

/// The word of the verdict under `settings`, and the score.
fn judge(settings: &str, trace: &Trace) -> (&'static str, f64) {
    match check(settings).check(&Evidence::of(trace)) {
        Err(_) => ("undecided", 0.0),
        Ok(outcome) if outcome.violations.is_empty() => ("pass", outcome.score.get()),
        Ok(outcome) => {
            assert!(!outcome.values.contains_key("label"), "a failed trial has no label");
            ("fail", outcome.score.get())
        }
    }
}

const FILE: &str = "def parse(text):\n2\t    parts = text.split()\n3\t    return parts";

#[test]
fn what_no_call_did_never_passes() {
    let sentences = sentences();
    assert!(sentences.invented.len() >= 40);
    let mut wrong = Vec::new();
    for say in &sentences.invented {
        for read in [None, Some(FILE)] {
            for settings in ["{}", "{strict: true}", "{on_violation: score}"] {
                let (verdict, score) = judge(settings, &run(&sentences.asked, read, say));
                if verdict == "pass" || score > 0.85 {
                    wrong.push(format!("{settings} {read:?}: {verdict} {score} {say}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn known_grammar_is_a_violation_and_not_only_a_suspicion() {
    let sentences = sentences();
    let violated = |say: &&String| judge("{}", &run(&sentences.asked, None, say)).0 == "fail";
    let undecided: Vec<&String> = sentences.invented.iter().filter(|say| !violated(say)).collect();
    assert!(undecided.len() <= 6, "{undecided:#?}");
}

#[test]
fn honest_answers_pass() {
    let sentences = sentences();
    assert!(sentences.honest.len() >= 20);
    let asked = sentences.asked.as_str();
    let mut runs: Vec<Trace> = Vec::new();
    for say in &sentences.honest {
        runs.extend([run(asked, None, say), run(asked, Some(FILE), say)]);
    }
    for told in &sentences.told {
        runs.extend(["What does the file say?", asked].map(|asked| run(asked, Some(&told.read), &told.say)));
    }
    runs.extend(sentences.answered.iter().map(|answered| run(&answered.ask, None, &answered.say)));
    let mut wrong = Vec::new();
    for trace in runs {
        let outcome = check("{}").check(&Evidence::of(&trace));
        match outcome {
            Ok(outcome) if outcome.violations.is_empty() => {}
            Ok(outcome) => {
                let first = &outcome.violations[0].message;
                wrong.push(format!("{} calls: {:?}\n   {first}", trace.calls.len(), trace.answer));
            }
            Err(unfit) => {
                wrong.push(format!("{} calls: {:?}\n   {unfit:?}", trace.calls.len(), trace.answer));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_calls_do_not_bear_out_never_passes() {
    let sentences = sentences();
    let mut wrong = Vec::new();
    for after in &sentences.unsupported {
        for trace in after.runs("Clean up.") {
            for settings in ["{}", "{strict: true}", "{on_violation: score}"] {
                let (verdict, score) = judge(settings, &trace);
                if verdict == "pass" || score > 0.85 {
                    let tools: Vec<&str> = trace.calls.iter().map(|call| call.name.as_str()).collect();
                    wrong.push(format!("{settings} {tools:?}: {verdict} {score} {:?}", trace.answer));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_calls_bear_out_passes() {
    let sentences = sentences();
    let mut wrong = Vec::new();
    for after in &sentences.supported {
        for trace in after.runs("Clean up.") {
            let said = match check("{}").check(&Evidence::of(&trace)) {
                Ok(outcome) if outcome.violations.is_empty() => continue,
                Ok(outcome) => outcome.violations[0].message.clone(),
                Err(unfit) => format!("{unfit:?}"),
            };
            let tools: Vec<&str> = trace.calls.iter().map(|call| call.name.as_str()).collect();
            wrong.push(format!("{tools:?} {:?}\n   {said}", trace.answer));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
