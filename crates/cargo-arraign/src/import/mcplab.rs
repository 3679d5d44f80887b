//! MCPLab: evaluation files with `scenarios`, and files with a single test case.

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;
use arraign::json::{Json, JsonMap};

use super::draft::{CaseDraft, ImportInput, ImportedFiles, SuiteDraft};
use super::keys::{Keys, is_empty_node, list_entries, prune_empty};
use super::unsupported::UnsupportedList;

const RUNNING: &str = "a case does not say how to reach the agent and its servers: it uses a recorded trace";

const OF_A_FILE: &[(&[&str], &str)] = &[
    (&["servers", "agents", "run_defaults", "mcp_servers"], RUNNING),
    (&["snapshot_eval"], "use `snapshot: true` or `baseline` of a case"),
];

const OF_A_SCENARIO: &[(&[&str], &str)] = &[
    (&["servers", "mcp_servers", "agent", "agents"], RUNNING),
    (&["snapshot_eval"], "use `snapshot: true` or `baseline` of a case"),
    (&["attachments"], "the trace contains attachments, if they were recorded"),
];

/// The blocks of `eval` that are imported unchanged.
const EVAL: &[&str] = &[
    "tool_constraints",
    "tool_sequence",
    "tool_input_assertions",
    "response_assertions",
    "agent_assertions",
    "agent_context",
];

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "mcplab");
    for document in input.parse_documents()? {
        let root = document.root();
        // A test case may be a document of its own, without the list of scenarios around it.
        if root.get("prompt").is_some() {
            import_scenario(root, &mut draft);
            continue;
        }
        let Some(mut file) = Keys::new(root).filter(|_| root.get("scenarios").is_some()) else {
            let error = root.error("expected an MCPLab file with `scenarios`, or a test case with `prompt`");
            return Err(error.into());
        };
        if let Some(name) = file.take_text(&["name"]) {
            draft.set_suite_key("suite", name);
        }
        for node in list_entries(file.take(&["scenarios"])) {
            import_scenario(node, &mut draft);
        }
        file.reject_rest(OF_A_FILE, &mut draft.unsupported);
    }
    Ok(draft.finish())
}

fn import_scenario(node: Node<'_>, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(node) else {
        return draft.unsupported.add_key(node, "scenarios", "expected a mapping");
    };
    // A reference has only a name; the scenario itself is imported with its own file.
    if let Some(name) = keys.take_text(&["ref"]) {
        let why = "the scenario is in another file: import that file as well";
        return draft.unsupported.add(node.place(), format!("the scenario `{name}`"), why);
    }
    let id = keys.take_text(&["id"]).unwrap_or_default();
    let id = draft.ids.claim_id(&id);
    let mut case = CaseDraft::new(&id);
    case.set("description", keys.take_text(&["name", "description"]));
    case.set("input", keys.take_text(&["prompt"]));
    case.set("tags", keys.take(&["tags"]).filter(|node| !is_empty_node(*node)).map(Node::to_json));
    case.set("eval", keys.take(&["eval"]).and_then(|node| convert_eval(node, &mut draft.unsupported)));
    let extract = keys.take(&["extract"]).filter(|node| !is_empty_node(*node));
    case.set("extract", extract.map(Node::to_json));
    keys.reject_rest(OF_A_SCENARIO, &mut draft.unsupported);
    draft.add_case(node.place(), case.finish());
}

/// Converts the block, without empty lists.
fn convert_eval(node: Node<'_>, unsupported: &mut UnsupportedList) -> Option<Json> {
    let mut keys = Keys::new(node)?;
    let mut block = JsonMap::new();
    for key in EVAL {
        if let Some(value) = keys.take(&[key]).and_then(prune_empty) {
            block.insert((*key).to_owned(), value);
        }
    }
    // A context without questions would be refused when the case is loaded.
    if !block.contains_key("agent_assertions") {
        block.remove("agent_context");
    }
    keys.reject_rest(&[], unsupported);
    (!block.is_empty()).then_some(block.into())
}
