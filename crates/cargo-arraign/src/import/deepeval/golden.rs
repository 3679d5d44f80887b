//! Converts a golden to a case.

use arraign::__internals::place::Place;
use arraign::__internals::yaml::Node;
use arraign::json::{Json, json};
use arraign::trace::{Arguments, Call, CallStatus, CallsUnrecorded, Role, Trace, Usage};

use super::locate_node;
use crate::import::draft::{CaseDraft, SuiteDraft};
use crate::import::keys::{Keys, is_empty_node, list_entries, read_scalar};
use crate::import::question::{ask_same_answer, build_question};
use crate::import::unsupported::UnsupportedList;

const CONTEXT: &str = "in a trace, retrieved text is the result of a call: record the run and use `grounded`";
const LABEL: &str = "a case has no labels other than `tags` and `description`";

const OF_A_GOLDEN: &[(&[&str], &str)] = &[
    (&["context", "retrieval_context", "retrievalContext"], CONTEXT),
    (
        &["additional_metadata", "additionalMetadata", "custom_column_key_values", "customColumnKeyValues"],
        LABEL,
    ),
    (&["expected_labels", "expectedLabels", "source_file", "sourceFile", "comments"], LABEL),
    (
        &["persona", "user_description", "userDescription"],
        "arraign does not simulate users: record a conversation",
    ),
    (&["images_mapping", "imagesMapping", "multimodal"], "traces contain only text"),
];

/// The question of a case to be completed. Without a judge, it is undecided.
const COMPLETE: &str =
    "Does the answer do what was asked? (Replace this question by the checks of the case.)";

/// The remark on a test case without expectations.
const TO_COMPLETE: &str = "the file does not say what they check: the case has one question to a judge; write its checks, such as `contains`, or `verification: {profile: text}` for work that the answer claims";

/// Imports a golden. `row` is its position in a table.
pub(super) fn import_golden(node: Node<'_>, row: Option<&Place>, draft: &mut SuiteDraft) {
    let at = locate_node(node, row);
    let Some(mut keys) = Keys::new(node) else { return };
    let before = draft.unsupported.0.len();
    let asked =
        keys.take_text(&["input"]).filter(|text| !text.is_empty()).or_else(|| keys.take_text(&["scenario"]));
    let asked = asked.unwrap_or_default();
    let name = keys.take_text(&["name"]);
    let id = draft.ids.derive_id(name.as_deref().unwrap_or(&asked));
    let answers = ["actual_output", "actualOutput"].into_iter().filter_map(|key| node.get(key));
    let has_answer = answers.into_iter().any(|answer| !is_empty_node(answer));
    let mut case = CaseDraft::new(&id);
    case.set("input", Some(asked.clone()));
    if let Some(trace) = read_trace(&mut keys, &asked, &mut draft.unsupported) {
        case.set("trace", Some(draft.add_trace(&id, &trace)));
    }
    let mut checks = require_tools(&mut keys, draft);
    checks.extend(build_questions(&mut keys, &mut draft.unsupported));
    // A test case of metrics has an answer and no expectation: the metrics are in the program that runs it.
    if checks.is_empty() && has_answer {
        draft.unsupported.add(at.clone(), format!("the metrics of `{id}`"), TO_COMPLETE);
        checks.push(build_question("to be completed", COMPLETE));
    }
    case.add_checks(checks);
    keys.reject_rest(OF_A_GOLDEN, &mut draft.unsupported);
    // The nodes of a row have places in a text that nobody sees, so they get the place of the row.
    if row.is_some() {
        draft.unsupported.0[before..].iter_mut().for_each(|unsupported| unsupported.place = at.clone());
    }
    draft.add_case(at, case.finish());
}

/// Reads the recorded run of a golden: its answer and calls, or its turns.
fn read_trace(keys: &mut Keys<'_>, asked: &str, unsupported: &mut UnsupportedList) -> Option<Trace> {
    let answer = keys.take_text(&["actual_output", "actualOutput"]);
    let called = keys.take(&["tools_called", "toolsCalled"]);
    let turns = list_entries(keys.take(&["turns"]).filter(|node| !is_empty_node(*node)));
    let mut trace = Trace {
        usage: read_usage(keys),
        cost_usd: read_number(keys, &["token_cost", "tokenCost"]),
        ..Trace::default()
    };
    if answer.is_none() && called.is_none_or(is_empty_node) && turns.is_empty() {
        return None;
    }
    // A golden without the key was exported without its calls; an empty list says that there were none.
    trace.calls_unrecorded = (called.is_none() && turns.is_empty()).then_some(CallsUnrecorded::ByFormat);
    // Turns contain the question already.
    if turns.is_empty() {
        trace.push_message(Role::User, asked);
    }
    for call in list_entries(called) {
        add_call(&mut trace, call, unsupported);
    }
    for turn in turns {
        add_turn(&mut trace, turn, unsupported);
    }
    if let Some(answer) = answer {
        trace.push_message(Role::Assistant, answer);
    }
    trace.settle_answer();
    Some(trace)
}

/// Adds a message of a conversation, after its calls.
fn add_turn(trace: &mut Trace, node: Node<'_>, unsupported: &mut UnsupportedList) {
    let Some(mut keys) = Keys::new(node) else { return };
    let role =
        if keys.take_text(&["role"]).as_deref() == Some("user") { Role::User } else { Role::Assistant };
    // The calls of a turn were made before its text was written.
    for call in list_entries(keys.take(&["tools_called", "toolsCalled"])) {
        add_call(trace, call, unsupported);
    }
    trace.push_message(role, keys.take_text(&["content"]).unwrap_or_default());
    keys.reject_all("a turn of a trace contains only text and calls", unsupported);
}

/// Adds a call, which can be a name or a mapping.
fn add_call(trace: &mut Trace, node: Node<'_>, unsupported: &mut UnsupportedList) {
    let Some(name) = read_tool_name(node) else { return };
    let mut arguments = None;
    let mut result = None;
    if let Some(mut keys) = Keys::new(node) {
        arguments = keys.take(&["input_parameters", "inputParameters"]).map(Node::to_json);
        result = keys.take(&["output"]).map(Node::to_json);
        keys.skip(&["name", "type", "description"]);
        keys.reject_all("a call of a trace contains only arguments and a result", unsupported);
    }
    let arguments = arguments.map_or_else(Arguments::none, Arguments::from_json);
    // The format does not say whether a call succeeded.
    let status = if result.is_some() { CallStatus::Unknown } else { CallStatus::Unanswered };
    let turn = trace.calls.len() + 1;
    trace.push_call(Call { result, status, ..Call::new(name, arguments, turn) });
}

fn read_tool_name(node: Node<'_>) -> Option<String> {
    read_scalar(node).or_else(|| node.get("name").and_then(read_scalar)).filter(|name| !name.is_empty())
}

fn read_number(keys: &mut Keys<'_>, names: &[&str]) -> Option<f64> {
    keys.take(names)?.to_json().as_f64().filter(|figure| *figure >= 0.0)
}

/// Reads the usage. Both numbers are required.
fn read_usage(keys: &mut Keys<'_>) -> Option<Usage> {
    let mut count = |names: &[&str]| keys.take(names)?.to_json().as_u64();
    let input = count(&["input_token_count", "inputTokenCount"]);
    let output = count(&["output_token_count", "outputTokenCount"]);
    Some(Usage { input_tokens: input?, output_tokens: output?, ..Usage::default() })
}

/// Requires the expected tools by name, like `DeepEval` does by default.
fn require_tools(keys: &mut Keys<'_>, draft: &mut SuiteDraft) -> Vec<Json> {
    let expected =
        list_entries(keys.take(&["expected_tools", "expectedTools"]).filter(|node| !is_empty_node(*node)));
    let names: Vec<String> = expected.iter().filter_map(|node| read_tool_name(*node)).collect();
    for node in &expected {
        // Values that are written for a tool would be lost without notice, so the first of them is named.
        let told = ["input_parameters", "inputParameters", "output"].iter().filter_map(|key| node.get(key));
        if let Some(told) = told.into_iter().find(|node| !is_empty_node(*node)) {
            let why =
                "expected tools are compared by name: use `tool_input` and `tool_output_valid` for the rest";
            draft.unsupported.add_key(told, "expected_tools", why);
        }
    }
    build_tool_checks(&names)
}

/// Requires each tool, and a tool that is listed several times as often as it is listed.
fn build_tool_checks(names: &[String]) -> Vec<Json> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for name in names {
        // A list and no map: the tools keep their order, and they are few.
        match counts.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    if counts.is_empty() {
        return Vec::new();
    }
    let tools: Vec<&str> = counts.iter().map(|(name, _)| *name).collect();
    let repeated = counts.iter().filter(|(_, count)| *count > 1);
    let rules: Vec<Json> =
        repeated.map(|(name, count)| json!({"type": "count", "tool": name, "min": count})).collect();
    // `required_tools` asks for one call of each, so a number above one needs a rule.
    let rules = (!rules.is_empty()).then(|| json!({"sequence_valid": {"rules": rules}}));
    std::iter::once(json!({"required_tools": tools})).chain(rules).collect()
}

/// Builds questions to a judge about the expected answer.
fn build_questions(keys: &mut Keys<'_>, unsupported: &mut UnsupportedList) -> Vec<Json> {
    let mut questions = Vec::new();
    if let Some(wanted) =
        keys.take_text(&["expected_output", "expectedOutput"]).filter(|text| !text.is_empty())
    {
        questions.push(build_question("expected_output", &ask_same_answer(&wanted)));
    }
    if let Some(wanted) =
        keys.take_text(&["expected_outcome", "expectedOutcome"]).filter(|text| !text.is_empty())
    {
        questions.push(build_question(
            "expected_outcome",
            &format!("Does the conversation end like this? {wanted}"),
        ));
    }
    if let Some(mut keys) = keys.take(&["expectations"]).and_then(Keys::new) {
        let mut ask = |names: &[&str], label: &str, asked: &str| {
            for (at, condition) in
                list_entries(keys.take(names)).into_iter().filter_map(read_scalar).enumerate()
            {
                questions
                    .push(build_question(&format!("{label} {}", at + 1), &format!("{asked} {condition}")));
            }
        };
        ask(&["must"], "must", "Is this so?");
        // A judge passes a question by saying yes, so what must not happen is asked for as absent.
        ask(&["must_not", "mustNot"], "must not", "Is it true that this did not happen?");
        keys.reject_all("the judge is configured once for all cases", unsupported);
    }
    questions
}
