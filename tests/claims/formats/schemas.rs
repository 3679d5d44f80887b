//! The published schemas take what is written, and nothing else.

use serde_json::Value;

use super::*;
use crate::published::{problems, schema};

const RUNS: [&str; 3] = ["every", "hostile", "shop"];

/// All verdicts of the shared runs, one of them with what no verdict log holds.
fn all() -> Vec<Verdict> {
    let mut all: Vec<Verdict> = RUNS.iter().flat_map(|name| verdicts(name)).collect();
    let attempt = Attempt::new(Status::Fail, false);
    all.first_mut().expect("a verdict").earlier_attempts.push(attempt);
    all
}

#[test]
fn each_document_is_of_its_schema() {
    let all = all();
    let render = |wanted: ReportFormat| format(wanted).render_run(&run(), &all);
    assert_eq!(problems(&schema("report"), &json(&render(ReportFormat::Json))), [""; 0]);
    let of_line = schema("verdict");
    for line in render(ReportFormat::Jsonl).lines() {
        assert_eq!(problems(&of_line, &json(line)), [""; 0], "{line}");
    }
    // Once as replays of the same runs, and once as other runs of the agent.
    for is_sample in [false, true] {
        let mut later = all[..all.len() - 1].to_vec();
        for run in later.iter_mut().flat_map(|verdict| &mut verdict.runs).filter(|_| is_sample) {
            run.evidence_hash = Some("another".to_owned());
        }
        let compared = compare_verdicts(("before", &all[1..]), ("after", &later));
        assert_eq!(compared.comparisons[0].verdict.is_some(), is_sample);
        assert_eq!(problems(&schema("comparison"), &arraign::json::json!(compared)), [""; 0]);
    }
}

/// Keys that hold what the evidence holds: any key is theirs.
const OPEN: [&str; 3] = ["stats", "value", "values"];

/// Where the objects of a document are, but for those of the evidence.
fn objects(document: &Value, at: &str, found: &mut Vec<String>) {
    if let Value::Object(fields) = document {
        found.push(at.to_owned());
        for (key, value) in fields.iter().filter(|(key, _)| !OPEN.contains(&key.as_str())) {
            objects(value, &format!("{at}/{key}"), found);
        }
    }
    for (index, value) in document.as_array().into_iter().flatten().enumerate() {
        objects(value, &format!("{at}/{index}"), found);
    }
}

#[test]
fn an_unknown_key_is_refused_wherever_it_stands() {
    let schema = schema("verdict");
    let mut kinds = std::collections::BTreeSet::new();
    for verdict in all() {
        let document = Value::from(arraign::json::json!(verdict));
        let mut found = Vec::new();
        objects(&document, "", &mut found);
        for at in found {
            let mut wrong = document.clone();
            wrong
                .pointer_mut(&at)
                .and_then(Value::as_object_mut)
                .expect("an object")
                .insert("extra".into(), 1.into());
            assert!(!schema.is_valid(&wrong), "`extra` in {at} is taken");
            kinds.insert(at.replace(|c: char| c.is_ascii_digit(), ""));
        }
    }
    assert!(kinds.len() > 30, "{kinds:?}");
}

/// What cannot be read back is no verdict, and the schema says so.
#[test]
fn a_key_that_a_reader_needs_is_required() {
    let schema = schema("verdict");
    let mut needed = std::collections::BTreeSet::new();
    for verdict in all() {
        let document = Value::from(arraign::json::json!(verdict));
        let mut found = Vec::new();
        objects(&document, "", &mut found);
        for at in found {
            let fields = document.pointer(&at).and_then(Value::as_object).expect("an object");
            for key in fields.keys() {
                let mut less = document.clone();
                less.pointer_mut(&at).and_then(Value::as_object_mut).expect("an object").remove(key);
                if serde_json::from_value::<Verdict>(less.clone()).is_err() {
                    assert!(!schema.is_valid(&less), "{at} without `{key}` is taken");
                    needed.insert(key.clone());
                }
            }
        }
    }
    assert!(needed.len() > 20, "{needed:?}");
}
