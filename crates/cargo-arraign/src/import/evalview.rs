//! EvalView: test cases with `expected`, `thresholds` and `checks`, one a document.

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;
use serde_json::{Map, Value};

use super::draft::{Case, Draft, Given, Imported};
use super::lost::{Keys, Lost, list, pruned, says_nothing};

const RUNNING: &str = "how an agent is reached is no part of a case: its run is in the trace";
const LABEL: &str = "a case has `tags`, and no other labels";

const OF_A_TEST: &[(&[&str], &str)] = &[
    (&["adapter", "endpoint", "adapter_config", "tools", "model", "mocks"], RUNNING),
    (&["meta", "suite_type", "difficulty", "generated", "source_file"], LABEL),
    (&["gate"], "a red case is red at once here"),
];

const OF_EXPECTED: &[(&[&str], &str)] = &[
    (&["metrics"], "there are no named metrics: `thresholds` has `max_cost` and `max_latency`"),
    (&["hallucination", "safety"], "its settings have no counterpart: see `checks`"),
];

pub(super) fn import(given: &Given) -> Result<Imported, LoadErrors> {
    let mut draft = Draft::new(given, "evalview");
    for document in given.documents()? {
        for node in document.root().one_or_many() {
            if node.get("input").is_none() && node.get("turns").is_none() {
                return Err(node.error("an EvalView test case has `input`, or `turns`").into());
            }
            test(node, &mut draft);
        }
    }
    Ok(draft.finish())
}

fn test(node: Node<'_>, draft: &mut Draft) {
    let Some(mut keys) = Keys::of(node) else { return };
    let name = keys.text(&["name"]).unwrap_or_default();
    let id = draft.ids.own(&name);
    let lost = &mut draft.lost;
    let mut case = Case::new(&id);
    case.put("description", keys.text(&["description"]));
    case.put("input", keys.take(&["input"]).map(Node::to_json));
    case.put("tags", keys.take(&["tags"]).filter(|node| !says_nothing(*node)).map(Node::to_json));
    let mut checks = Map::new();
    let expected = keys.take(&["expected"]).and_then(|node| expected(node, &mut checks, lost));
    let in_order = expected.as_ref().is_some_and(has_sequence);
    case.put("expected", expected);
    let turns = list(keys.take(&["turns"])).into_iter().filter_map(|node| turn(node, lost));
    let turns: Vec<Value> = turns.collect();
    case.put("turns", (!turns.is_empty()).then_some(turns));
    case.put("thresholds", keys.take(&["thresholds"]).and_then(pruned));
    if let Some(mut block) = keys.take(&["checks"]).and_then(Keys::of) {
        for key in ["hallucination", "safety", "pii"] {
            if let Some(node) = block.take(&[key]) {
                checks.entry(key).or_insert_with(|| node.to_json());
            }
        }
        block.lose_rest(&[], lost);
    }
    checks.retain(|_, wanted| *wanted == Value::Bool(true));
    case.put("checks", (!checks.is_empty()).then_some(checks));
    case.put("adapter_config", mode(&mut keys, in_order, lost));
    keys.lose_rest(OF_A_TEST, lost);
    draft.case(node.place(), case.finish());
}

fn has_sequence(expected: &Value) -> bool {
    expected.get("tool_sequence").or_else(|| expected.get("sequence")).is_some()
}

/// How sequences are compared; nothing else of `adapter_config` is about the case.
fn mode(keys: &mut Keys<'_>, in_order: bool, lost: &mut Lost) -> Option<Value> {
    let mut settings = Keys::of(keys.take(&["adapter_config"])?)?;
    let mode = if in_order { settings.text(&["sequence_mode"]) } else { None };
    settings.lose_all(RUNNING, lost);
    Some(Value::Object(Map::from_iter([("sequence_mode".to_owned(), mode?.into())])))
}

/// The block, and what in it is a check of its own here.
fn expected(node: Node<'_>, checks: &mut Map<String, Value>, lost: &mut Lost) -> Option<Value> {
    let mut keys = Keys::of(node)?;
    let mut block = Map::new();
    for key in ["tools", "tool_categories", "tool_sequence", "sequence", "forbidden_tools"] {
        if let Some(node) = keys.take(&[key]).filter(|node| !says_nothing(*node)) {
            block.insert(key.to_owned(), node.to_json());
        }
    }
    if let Some(output) = keys.take(&["output"]).and_then(|node| output(node, checks, lost)) {
        block.insert("output".to_owned(), output);
    }
    for key in ["hallucination", "safety"] {
        let wanted = node.get(key).and_then(|node| node.get("check")).map(Node::to_json);
        if wanted == Some(Value::Bool(true)) {
            checks.insert(key.to_owned(), true.into());
        }
    }
    keys.lose_rest(OF_EXPECTED, lost);
    Some(block.into())
}

fn output(node: Node<'_>, checks: &mut Map<String, Value>, lost: &mut Lost) -> Option<Value> {
    let mut keys = Keys::of(node)?;
    let mut block = Map::new();
    for key in ["contains", "not_contains", "regex_patterns", "json_schema"] {
        if let Some(node) = keys.take(&[key]).filter(|node| !says_nothing(*node)) {
            block.insert(key.to_owned(), node.to_json());
        }
    }
    if keys.take(&["no_pii"]).map(Node::to_json) == Some(Value::Bool(true)) {
        checks.insert("pii".to_owned(), true.into());
    }
    let judge = "whether an answer is uncertain enough is a judge's to say: write an `agent_check`";
    keys.lose_rest(&[(&["must_acknowledge_uncertainty"], judge)], lost);
    (!block.is_empty()).then_some(block.into())
}

/// A turn that expects something.
fn turn(node: Node<'_>, lost: &mut Lost) -> Option<Value> {
    let mut keys = Keys::of(node)?;
    let mut turn = Map::from_iter([("query".to_owned(), keys.text(&["query"])?.into())]);
    let mut checks = Map::new();
    if let Some(block) = keys.take(&["expected"]).and_then(|node| expected(node, &mut checks, lost)) {
        turn.insert("expected".to_owned(), block);
    }
    for check in checks.keys() {
        lost.key(node, check, "it is asked of a whole run here: say it in the case's `checks`");
    }
    keys.lose_rest(&[(&["context"], "what the agent was given is in the trace")], lost);
    Some(turn.into())
}
