//! Assay: `eval.yaml` with `metric:` tests, as its pages print them, or with `expected: {type: ...}`, as its program
//! reads them.

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;
use serde_json::{Map, Value, json};

use super::draft::{Case, Draft, Given, Imported, named};
use super::lost::{Keys, Lost, list, text};
use super::pattern;

/// The metrics that are checks of ours, and their settings.
const METRICS: &[(&str, &[&str])] = &[
    ("args_valid", &["policy", "schema"]),
    ("sequence_valid", &["policy", "sequence", "rules"]),
    ("tool_blocklist", &["blocked"]),
    ("tool_output_valid", &["schemas"]),
    ("tool_collision_detect", &["trusted_servers"]),
];

const OF_A_SUITE: &[(&[&str], &str)] = &[
    (&["model"], "which model was asked is in the trace"),
    (
        &["settings"],
        "how the run is made is the runner's: see `cargo test -- --help`, `timeout` and `repeat` of a case",
    ),
    (&["thresholds", "otel"], "it has no counterpart here"),
];

const OF_A_TEST: &[(&[&str], &str)] = &[
    (&["on_error"], "a case that errs is never passed here"),
    (&["metadata"], "a case has `tags` and a `description`, and no other labels"),
];

pub(super) fn import(given: &Given) -> Result<Imported, LoadErrors> {
    let mut draft = Draft::new(given, "assay");
    for document in given.documents()? {
        let root = document.root();
        let Some(mut suite) = Keys::of(root).filter(|_| root.get("tests").is_some()) else {
            return Err(root.error("an Assay suite has `tests`").into());
        };
        for (key, names) in [("version", &["version", "configVersion"][..]), ("suite", &["suite"])] {
            if let Some(text) = suite.text(names) {
                draft.head(key, text);
            }
        }
        if let Some(output) = suite.take(&["output"]) {
            draft.head("output", output.to_json());
        }
        for node in list(suite.take(&["tests"])) {
            test(node, &mut draft);
        }
        suite.lose_rest(OF_A_SUITE, &mut draft.lost);
    }
    Ok(draft.finish())
}

fn test(node: Node<'_>, draft: &mut Draft) {
    let Some(mut keys) = Keys::of(node) else {
        return draft.lost.key(node, "tests", "a test is a mapping");
    };
    let id = keys.text(&["id"]).unwrap_or_default();
    let id = draft.ids.own(&id);
    let mut case = Case::new(&id);
    case.put("description", keys.text(&["description"]));
    case.put("input", keys.take(&["input"]).and_then(|node| input(node, &mut draft.lost)));
    case.put("tags", keys.take(&["tags"]).map(Node::to_json));
    if keys.node().get("metric").is_some() {
        return documented(keys, case, draft);
    }
    let expected = list(keys.take(&["expected"]));
    let assertions = list(keys.take(&["assertions"]));
    let alone = expected.len() == 1 && assertions.is_empty();
    for node in expected {
        match expectation(node, draft) {
            Expectation::Metric(metric, settings) if alone => {
                case.put("metric", Some(metric));
                settings.into_iter().for_each(|(key, value)| case.put(&key, Some(value)));
            }
            Expectation::Metric(metric, settings) => case.expect(vec![named(metric, settings)]),
            Expectation::Checks(checks) => case.expect(checks),
        }
    }
    for node in assertions {
        case.expect(assertion(node, &mut draft.lost));
    }
    keys.lose_rest(OF_A_TEST, &mut draft.lost);
    draft.case(node.place(), case.finish());
}

/// A test as the pages have it is a case already: its settings stand beside its metric.
fn documented(mut keys: Keys<'_>, mut case: Case, draft: &mut Draft) {
    let place = keys.node().place();
    for key in ["on_error", "metadata"] {
        if let Some(node) = keys.take(&[key]) {
            let why = OF_A_TEST.iter().find(|(names, _)| names.contains(&key)).map_or("", |(_, why)| why);
            draft.lost.key(node, key, why);
        }
    }
    for (key, node) in keys.rest() {
        if key == "policy" {
            draft.names(node);
        }
        case.put(key, Some(node.to_json()));
    }
    draft.case(place, case.finish());
}

/// A text, or `{prompt, context}`.
fn input(node: Node<'_>, lost: &mut Lost) -> Option<String> {
    let Some(mut keys) = Keys::of(node) else { return text(node) };
    let prompt = keys.text(&["prompt"]);
    keys.lose_rest(&[(&["context"], "what the agent was given is in the trace")], lost);
    prompt
}

/// What an `expected` entry is here.
enum Expectation {
    /// A metric with its settings.
    Metric(&'static str, Map<String, Value>),
    /// Entries of `expect`.
    Checks(Vec<Value>),
}

fn expectation(node: Node<'_>, draft: &mut Draft) -> Expectation {
    let Some(mut keys) = Keys::of(node) else {
        draft.lost.key(node, "expected", "an expectation is a mapping");
        return Expectation::Checks(Vec::new());
    };
    let name = keys.text(&["type"]).or_else(|| untagged(node).map(str::to_owned)).unwrap_or_default();
    let found = match METRICS.iter().find(|(metric, _)| *metric == name) {
        Some((metric, names)) => Ok(Expectation::Metric(metric, settings(&mut keys, names, draft))),
        None if name == "json_schema" && node.get("schema_file").is_some() => {
            Ok(Expectation::Checks(schema_in_a_file(&mut keys, draft)))
        }
        None => answer(&name, &mut keys).map(Expectation::Checks),
    };
    match found {
        Ok(found) => {
            keys.lose_rest(&[], &mut draft.lost);
            found
        }
        Err(why) => {
            draft.lost.key(node, &format!("expected: {name}"), why);
            Expectation::Checks(Vec::new())
        }
    }
}

/// The file counts; where it does, a schema beside it is an empty one.
fn schema_in_a_file(keys: &mut Keys<'_>, draft: &mut Draft) -> Vec<Value> {
    let Some(file) = keys.take(&["schema_file"]) else { return Vec::new() };
    if keys.node().get("json_schema").and_then(text).is_none_or(|schema| schema.trim() == "{}") {
        keys.skip(&["json_schema"]);
    }
    draft.names(file);
    vec![named("json_schema", json!({"schema": file.to_json()}))]
}

fn settings(keys: &mut Keys<'_>, names: &[&str], draft: &mut Draft) -> Map<String, Value> {
    let mut settings = Map::new();
    for key in names {
        let Some(node) = keys.take(&[key]) else { continue };
        if *key == "policy" {
            draft.names(node);
        }
        settings.insert((*key).to_owned(), node.to_json());
    }
    settings
}

/// The metric that an entry without `type` is of.
fn untagged(node: Node<'_>) -> Option<&'static str> {
    let shapes = [("must_contain", "must_contain"), ("sequence", "sequence_valid"), ("schema", "args_valid")];
    shapes.iter().find(|(key, _)| node.get(key).is_some()).map(|(_, name)| *name)
}

/// An expectation about the answer, as entries of `expect`.
fn answer(name: &str, keys: &mut Keys<'_>) -> Result<Vec<Value>, &'static str> {
    match name {
        "must_contain" => texts("contains", keys.take(&[name])),
        "must_not_contain" => texts("not_contains", keys.take(&[name])),
        "regex_match" => pattern("regex", keys),
        "regex_not_match" => pattern("not_regex", keys),
        "json_schema" => {
            let schema = keys.text(&["json_schema"]).unwrap_or_default();
            match serde_json::from_str::<Value>(&schema) {
                Ok(schema) if schema == json!({}) => Err("its schema constrains nothing"),
                Ok(schema) => Ok(vec![named("json_schema", json!({"schema": schema}))]),
                Err(_) => Err("its schema is no JSON: write `expect: [json_schema: {schema: FILE}]`"),
            }
        }
        "semantic_similarity_to" => {
            Err("likeness in meaning is not measured here: ask a judge (`agent_check`)")
        }
        "judge_criteria" | "faithfulness" | "relevance" => {
            Err("a judge is asked in words here: write an `agent_check`")
        }
        "tool_description_integrity" => Err("the descriptions of tools are in no trace"),
        "" => Err("it says no `type`"),
        _ => Err("there is no such check here"),
    }
}

fn texts(check: &str, node: Option<Node<'_>>) -> Result<Vec<Value>, &'static str> {
    let texts = list(node).into_iter().filter_map(text);
    let checks: Vec<Value> =
        texts.map(|text| named(check, json!({"value": text, "case_sensitive": true}))).collect();
    if checks.is_empty() { Err("it lists no text: it asks for nothing") } else { Ok(checks) }
}

fn pattern(check: &str, keys: &mut Keys<'_>) -> Result<Vec<Value>, &'static str> {
    let flags: String = list(keys.take(&["flags"])).into_iter().filter_map(text).collect();
    let pattern = keys.text(&["pattern"]).ok_or("it has no `pattern`")?;
    Ok(vec![named(check, pattern::settings(&pattern, &flags))])
}

/// An assertion about the trace.
fn assertion(node: Node<'_>, lost: &mut Lost) -> Vec<Value> {
    let Some(mut keys) = Keys::of(node) else { return Vec::new() };
    let kind = keys.text(&["type"]).unwrap_or_default();
    let tool = keys.take(&["tool"]).map(Node::to_json).unwrap_or_default();
    let checks = match kind.as_str() {
        "trace_must_call_tool" => {
            let least = keys.take(&["min_calls"]).map_or(json!(1), Node::to_json);
            vec![rule(&json!({"type": "count", "tool": tool, "min": least}))]
        }
        "trace_must_not_call_tool" => vec![named("forbidden_tools", json!([tool]))],
        "trace_tool_sequence" => {
            let sequence = keys.take(&["sequence"]).map(Node::to_json).unwrap_or_default();
            let others = keys.take(&["allow_other_tools"]).map(Node::to_json) == Some(Value::Bool(true));
            let settings = if others { sequence } else { json!({"allow": [sequence]}) };
            vec![named("tool_sequence", settings)]
        }
        "trace_max_steps" => {
            let most = keys.take(&["max"]).map(Node::to_json).unwrap_or_default();
            lost.key(node, &kind, "steps are counted as tool calls here; each call is one");
            vec![rule(&json!({"type": "count", "tool": "*", "max": most}))]
        }
        _ => {
            lost.key(
                node,
                &format!("assertions: {kind}"),
                "it tests a policy on calls of its own, and no trace",
            );
            return Vec::new();
        }
    };
    keys.lose_rest(&[], lost);
    checks
}

fn rule(rule: &Value) -> Value {
    named("sequence_valid", json!({"rules": [rule]}))
}
