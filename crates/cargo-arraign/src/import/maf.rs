//! The Agent Framework: datasets of golden rows, as JSON or JSON Lines.
//!
//! Arraign reads such rows as they are, apart from criteria that only the program of their author knows.

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;
use arraign::json::{Json, JsonMap, json};

use super::draft::{CaseDraft, ImportInput, ImportedFiles, SuiteDraft};
use super::keys::{Keys, is_empty_node, list_entries};
use super::unsupported::UnsupportedList;

/// The criteria that arraign knows.
const KNOWN: &[&str] = &["grounded", "tool_called"];

/// Keys of a row that are copied.
const COPIED: &[&str] = &[
    "description",
    "expected_tools",
    "expected_fields",
    "tier",
    "tags",
    "forbidden_substrings",
    "refusal_expected",
    "attack_type",
    "pass_threshold",
];

/// The keys that make a row check something.
const EXPECTING: &[&str] = &["criteria", "expected_fields", "expected_tools", "expected_tool_calls"];

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "maf");
    for document in input.parse_documents()? {
        let root = document.root();
        let rows = ["rows", "items", "test_cases", "cases"].iter().find_map(|key| root.get(key));
        for node in rows.unwrap_or(root).one_or_many() {
            if ["input", "query"].iter().all(|key| node.get(key).is_none()) {
                return Err(node
                    .error("expected a row with `input` or `query`, as the Agent Framework has it")
                    .into());
            }
            import_row(node, &mut draft);
        }
    }
    Ok(draft.finish())
}

fn import_row(node: Node<'_>, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(node) else { return };
    let asked = keys.take_text(&["input", "query"]).unwrap_or_default();
    let id = match keys.take_text(&["id", "name"]) {
        Some(id) => draft.ids.claim_id(&id),
        None => draft.ids.derive_id(&asked),
    };
    let mut case = CaseDraft::new(&id);
    case.set("input", Some(asked));
    let mut copied = JsonMap::new();
    keys.copy_keys(COPIED, &mut copied);
    copied.iter().for_each(|(key, value)| case.set(key, Some(value.clone())));
    let expects = EXPECTING.iter().any(|key| node.get(key).is_some_and(|node| !is_empty_node(node)));
    if let Some(criteria) = keys.take(&["criteria"]) {
        let known = convert_criteria(criteria, &mut draft.unsupported);
        // Without any key that a row is scored by, the criteria say that it is.
        case.set("criteria", (expects && !known.is_empty()).then_some(known));
    }
    case.add_checks(convert_calls(&mut keys, &mut draft.unsupported));
    let judge = "only a judge can compare texts: write an `agent_check`";
    let answer = ["expected_output", "ground_truth", "expected_response"];
    keys.reject_rest(&[(&answer, judge)], &mut draft.unsupported);
    draft.add_case(node.place(), case.finish());
}

/// Returns the criteria that arraign knows, and names the others with the line to write.
fn convert_criteria(node: Node<'_>, unsupported: &mut UnsupportedList) -> JsonMap {
    let mut known = JsonMap::new();
    for (key, value) in node.entries().into_iter().flatten() {
        let name = key.name.as_str();
        if KNOWN.contains(&name) {
            known.insert(name.to_owned(), value.to_json());
        } else if value.to_json() != Json::Bool(false) {
            let why = format!(
                "the file does not say what it checks: write it into the suite or arraign.yaml, `criteria: {{{name}: [{{tool_called: ...}}]}}`, and `{name}: true` into the row"
            );
            unsupported.add(value.place(), format!("the criterion `{name}`"), why);
        }
    }
    known
}

/// Converts the calls that an `EvalItem` expects: a name, and arguments if it has any.
fn convert_calls(keys: &mut Keys<'_>, unsupported: &mut UnsupportedList) -> Vec<Json> {
    let mut checks = Vec::new();
    for node in list_entries(keys.take(&["expected_tool_calls"])) {
        let Some(name) = node.get("name").and_then(Node::as_str) else {
            unsupported.add_key(node, "expected_tool_calls", "a call without a name");
            continue;
        };
        let mut settings =
            JsonMap::from_iter([("tool".to_owned(), name.into()), ("status".to_owned(), "any".into())]);
        if let Some(arguments) = node.get("arguments").filter(|node| !is_empty_node(*node)) {
            let arguments = arguments.entries().into_iter().flatten();
            let literal = |value: Json| if value.is_object() { json!({"equals": value}) } else { value };
            let arguments: JsonMap =
                arguments.map(|(key, value)| (key.name.to_string(), literal(value.to_json()))).collect();
            settings.insert("args".to_owned(), arguments.into());
        }
        checks.push(json!({"call": settings}));
    }
    checks
}
