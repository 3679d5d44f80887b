//! EvalView: test cases with `expected`, `thresholds` and `checks`, one per document.

use arraign::__internals::place::LoadErrors;
use arraign::__internals::yaml::Node;
use arraign::json::{Json, JsonMap};

use super::draft::{CaseDraft, ImportInput, ImportedFiles, SuiteDraft};
use super::keys::{Keys, is_empty_node, list_entries, prune_empty};
use super::unsupported::UnsupportedList;
use crate::yaml_writer::render_document;

const RUNNING: &str = "a case does not say how to reach the agent: it uses a recorded trace";
const LABEL: &str = "a case has no labels other than `tags`";

const OF_A_TEST: &[(&[&str], &str)] = &[
    (&["adapter", "endpoint", "adapter_config", "tools", "model", "mocks"], RUNNING),
    (&["meta", "suite_type", "difficulty", "generated", "source_file"], LABEL),
    (&["gate"], "every failed case fails the run"),
];

const OF_EXPECTED: &[(&[&str], &str)] = &[
    (&["metrics"], "arraign has no named metrics: use `max_cost` and `max_latency` in `thresholds`"),
    (&["hallucination", "safety"], "arraign has no counterpart for these settings: see `checks`"),
];

pub(super) fn import(input: &ImportInput) -> Result<ImportedFiles, LoadErrors> {
    let mut draft = SuiteDraft::new(input, "evalview");
    let documents = input.parse_documents()?;
    // EvalView's configuration has weights for all tests and no test.
    if let [document] = documents.as_slice()
        && let Some(weights) = find_global_weights(document.root())
    {
        return Ok(import_configuration(document.root(), weights, draft));
    }
    for document in documents {
        for node in document.root().one_or_many() {
            if node.get("input").is_none() && node.get("turns").is_none() {
                let error = node.error("expected an EvalView test case with `input` or `turns`");
                return Err(error.into());
            }
            import_test(node, &mut draft);
        }
    }
    Ok(draft.finish())
}

/// Returns the weights of `.evalview/config.yaml`, which hold for all tests.
fn find_global_weights(root: Node<'_>) -> Option<Node<'_>> {
    let is_test = ["name", "input", "turns", "expected"].iter().any(|key| root.get(key).is_some());
    let weights = root.pointer("/scoring/weights").or_else(|| root.get("weights"));
    weights.filter(|weights| !is_test && weights.entries().is_some())
}

/// Writes the weights to `arraign.yaml`, whose settings hold for all files of the folder.
fn import_configuration(root: Node<'_>, weights: Node<'_>, mut draft: SuiteDraft) -> ImportedFiles {
    if let Some(mut keys) = Keys::new(root) {
        keys.skip(&["weights"]);
        if let Some(mut scoring) = keys.take(&["scoring"]).and_then(Keys::new) {
            scoring.skip(&["weights"]);
            scoring.reject_all("arraign scores with the weights alone", &mut draft.unsupported);
        }
        keys.reject_all(RUNNING, &mut draft.unsupported);
    }
    let settings = JsonMap::from_iter([("weights".to_owned(), weights.to_json())]);
    ImportedFiles { files: vec![("arraign.yaml".to_owned(), render_document(&settings))], ..draft.finish() }
}

fn import_test(node: Node<'_>, draft: &mut SuiteDraft) {
    let Some(mut keys) = Keys::new(node) else { return };
    let name = keys.take_text(&["name"]).unwrap_or_default();
    add_categories(&mut keys, draft);
    let id = draft.ids.claim_id(&name);
    let unsupported = &mut draft.unsupported;
    let mut case = CaseDraft::new(&id);
    case.set("description", keys.take_text(&["description"]));
    case.set("input", keys.take(&["input"]).map(Node::to_json));
    case.set("tags", keys.take(&["tags"]).filter(|node| !is_empty_node(*node)).map(Node::to_json));
    let mut checks = JsonMap::new();
    let expected = keys.take(&["expected"]).and_then(|node| convert_expected(node, &mut checks, unsupported));
    // The sequence's mode is written in another block than the sequence, and means nothing without one.
    let in_order = expected.as_ref().is_some_and(has_sequence);
    case.set("expected", expected);
    let turns =
        list_entries(keys.take(&["turns"])).into_iter().filter_map(|node| convert_turn(node, unsupported));
    let turns: Vec<Json> = turns.collect();
    case.set("turns", (!turns.is_empty()).then_some(turns));
    case.set("thresholds", keys.take(&["thresholds"]).and_then(prune_empty));
    case.set("weights", keys.take(&["weights"]).and_then(prune_empty));
    // `expected` may have added some of these checks already; the block's own entry does not replace them.
    if let Some(mut block) = keys.take(&["checks"]).and_then(Keys::new) {
        for key in ["hallucination", "safety", "pii"] {
            if let Some(node) = block.take(&[key]) {
                checks.get_or_insert_with(key, || node.to_json());
            }
        }
        block.reject_rest(&[], unsupported);
    }
    // `false` switches a check off, which is the default here.
    checks.retain(|_, wanted| *wanted == Json::Bool(true));
    case.set("checks", (!checks.is_empty()).then_some(checks));
    case.set("adapter_config", take_sequence_mode(&mut keys, in_order, unsupported));
    keys.reject_rest(OF_A_TEST, unsupported);
    draft.add_case(node.place(), case.finish());
}

/// Moves the tool categories of a test to the suite: in arraign they hold for all cases of a file.
fn add_categories(keys: &mut Keys<'_>, draft: &mut SuiteDraft) {
    let Some(node) = keys.take(&["tool_categories"]).filter(|node| !is_empty_node(*node)) else { return };
    let Json::Object(own) = node.to_json() else { return };
    for (name, tools) in own {
        // The same category with the same tools is added once and is no conflict.
        if draft.add_category(&name, &tools) {
            continue;
        }
        let why =
            "another test of the file gives this category other tools: import the two from separate files";
        draft.unsupported.add_key(node, &name, why);
    }
}

fn has_sequence(expected: &Json) -> bool {
    expected.get("tool_sequence").or_else(|| expected.get("sequence")).is_some()
}

/// Takes the comparison of sequences, the only key of `adapter_config` that concerns the case.
fn take_sequence_mode(
    keys: &mut Keys<'_>,
    in_order: bool,
    unsupported: &mut UnsupportedList,
) -> Option<Json> {
    let mut settings = Keys::new(keys.take(&["adapter_config"])?)?;
    let node = settings.node();
    let mode = settings.take_text(&["sequence_mode"]);
    if mode.is_some() && !in_order {
        unsupported.add_key(node, "sequence_mode", "the test expects no sequence");
    }
    settings.reject_all(RUNNING, unsupported);
    let mode = mode.filter(|_| in_order)?;
    Some(Json::Object(JsonMap::from_iter([("sequence_mode".to_owned(), mode.into())])))
}

/// Converts the block, and adds to `checks` what is a separate check in arraign.
fn convert_expected(node: Node<'_>, checks: &mut JsonMap, unsupported: &mut UnsupportedList) -> Option<Json> {
    let mut keys = Keys::new(node)?;
    let mut block = JsonMap::new();
    keys.copy_keys(&["tools", "tool_categories", "tool_sequence", "sequence", "forbidden_tools"], &mut block);
    if let Some(output) = keys.take(&["output"]).and_then(|node| convert_output(node, checks, unsupported)) {
        block.insert("output".to_owned(), output);
    }
    // Only the switch is imported. The keys stay among the others and are reported, because their settings are lost.
    for key in ["hallucination", "safety"] {
        let wanted = node.get(key).and_then(|node| node.get("check")).map(Node::to_json);
        if wanted == Some(Json::Bool(true)) {
            checks.insert(key.to_owned(), true.into());
        }
    }
    keys.reject_rest(OF_EXPECTED, unsupported);
    Some(block.into())
}

fn convert_output(node: Node<'_>, checks: &mut JsonMap, unsupported: &mut UnsupportedList) -> Option<Json> {
    let mut keys = Keys::new(node)?;
    let mut block = JsonMap::new();
    keys.copy_keys(&["contains", "not_contains", "regex_patterns", "json_schema"], &mut block);
    if keys.take(&["no_pii"]).map(Node::to_json) == Some(Json::Bool(true)) {
        checks.insert("pii".to_owned(), true.into());
    }
    let judge = "only a judge can decide whether an answer is uncertain enough: write an `agent_check`";
    keys.reject_rest(&[(&["must_acknowledge_uncertainty"], judge)], unsupported);
    (!block.is_empty()).then_some(block.into())
}

/// Converts a turn.
fn convert_turn(node: Node<'_>, unsupported: &mut UnsupportedList) -> Option<Json> {
    let mut keys = Keys::new(node)?;
    let mut turn = JsonMap::from_iter([("query".to_owned(), keys.take_text(&["query"])?.into())]);
    let mut checks = JsonMap::new();
    if let Some(block) =
        keys.take(&["expected"]).and_then(|node| convert_expected(node, &mut checks, unsupported))
    {
        turn.insert("expected".to_owned(), block);
    }
    // A turn has no checks of its own in a case, so the switch is named and not applied to all turns.
    for check in checks.keys() {
        unsupported.add_key(
            node,
            check,
            "this check applies to the whole run: add it to the `checks` of the case",
        );
    }
    keys.reject_rest(&[(&["context"], "the trace records what the agent received")], unsupported);
    Some(turn.into())
}
