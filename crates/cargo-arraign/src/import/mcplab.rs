//! MCPLab: evaluation files with `scenarios`, and test cases that are files of their own.

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;

use super::draft::{Case, Draft, Given, Imported};
use super::lost::{Keys, Lost, list, pruned, says_nothing};

const RUNNING: &str =
    "how an agent and its servers are reached is no part of a case: its run is in the trace";

const OF_A_FILE: &[(&[&str], &str)] = &[
    (&["servers", "agents", "run_defaults", "mcp_servers"], RUNNING),
    (&["snapshot_eval"], "a case has `snapshot: true` and `baseline`"),
];

const OF_A_SCENARIO: &[(&[&str], &str)] = &[
    (&["servers", "mcp_servers", "agent", "agents"], RUNNING),
    (&["snapshot_eval"], "a case has `snapshot: true` and `baseline`"),
    (&["attachments"], "what was attached is in the trace, if anywhere"),
];

/// The blocks of `eval` that are read as they stand.
const EVAL: &[&str] = &[
    "tool_constraints",
    "tool_sequence",
    "tool_input_assertions",
    "response_assertions",
    "agent_assertions",
    "agent_context",
];

pub(super) fn import(given: &Given) -> Result<Imported, LoadErrors> {
    let mut draft = Draft::new(given, "mcplab");
    for document in given.documents()? {
        let root = document.root();
        if root.get("prompt").is_some() {
            scenario(root, &mut draft);
            continue;
        }
        let Some(mut file) = Keys::of(root).filter(|_| root.get("scenarios").is_some()) else {
            let error = root.error("an MCPLab file has `scenarios`, or is one test case with its `prompt`");
            return Err(error.into());
        };
        if let Some(name) = file.text(&["name"]) {
            draft.head("suite", name);
        }
        for node in list(file.take(&["scenarios"])) {
            scenario(node, &mut draft);
        }
        file.lose_rest(OF_A_FILE, &mut draft.lost);
    }
    Ok(draft.finish())
}

fn scenario(node: Node<'_>, draft: &mut Draft) {
    let Some(mut keys) = Keys::of(node) else {
        return draft.lost.key(node, "scenarios", "a scenario is a mapping");
    };
    if let Some(name) = keys.text(&["ref"]) {
        let why = "it stands in a file of its own: import that file as well";
        return draft.lost.add(node.place(), format!("the scenario `{name}`"), why);
    }
    let id = keys.text(&["id"]).unwrap_or_default();
    let id = draft.ids.own(&id);
    let mut case = Case::new(&id);
    case.put("description", keys.text(&["name", "description"]));
    case.put("input", keys.text(&["prompt"]));
    case.put("tags", keys.take(&["tags"]).filter(|node| !says_nothing(*node)).map(Node::to_json));
    case.put("eval", keys.take(&["eval"]).and_then(|node| eval(node, &mut draft.lost)));
    let extract = keys.take(&["extract"]).filter(|node| !says_nothing(*node));
    case.put("extract", extract.map(Node::to_json));
    keys.lose_rest(OF_A_SCENARIO, &mut draft.lost);
    draft.case(node.place(), case.finish());
}

/// The block, without what asks for nothing.
fn eval(node: Node<'_>, lost: &mut Lost) -> Option<serde_json::Value> {
    let mut keys = Keys::of(node)?;
    let mut block = serde_json::Map::new();
    for key in EVAL {
        if let Some(value) = keys.take(&[key]).and_then(pruned) {
            block.insert((*key).to_owned(), value);
        }
    }
    if !block.contains_key("agent_assertions") {
        block.remove("agent_context");
    }
    keys.lose_rest(&[], lost);
    (!block.is_empty()).then_some(block.into())
}
