//! One golden as a case.

use arraign::__internals::place::Place;
use arraign::__internals::yaml::Node;
use arraign::trace::{Arguments, Call, CallStatus, Role, Trace, Usage};
use serde_json::{Value, json};

use super::place_of;
use crate::import::draft::{Case, Draft};
use crate::import::lost::{Keys, Lost, list, says_nothing, text};
use crate::import::question::{question, same_as};

const CONTEXT: &str = "what was retrieved is a call's result in a trace: record the run, and ask `grounded`";
const LABEL: &str = "a case has `tags` and a `description`, and no other labels";

const OF_A_GOLDEN: &[(&[&str], &str)] = &[
    (&["context", "retrieval_context", "retrievalContext"], CONTEXT),
    (
        &["additional_metadata", "additionalMetadata", "custom_column_key_values", "customColumnKeyValues"],
        LABEL,
    ),
    (&["expected_labels", "expectedLabels", "source_file", "sourceFile", "comments"], LABEL),
    (&["persona", "user_description", "userDescription"], "no user is simulated here: record a conversation"),
    (&["images_mapping", "imagesMapping", "multimodal"], "a trace is text"),
];

/// Writes the golden as a case; `row`: where it stands in a table.
pub(super) fn case(node: Node<'_>, row: Option<&Place>, draft: &mut Draft) {
    let at = place_of(node, row);
    let Some(mut keys) = Keys::of(node) else { return };
    let before = draft.lost.0.len();
    let asked = keys.text(&["input"]).filter(|text| !text.is_empty()).or_else(|| keys.text(&["scenario"]));
    let asked = asked.unwrap_or_default();
    let name = keys.text(&["name"]);
    let id = draft.ids.made_of(name.as_deref().unwrap_or(&asked));
    let mut case = Case::new(&id);
    case.put("input", Some(asked.clone()));
    if let Some(trace) = recorded(&mut keys, &asked, &mut draft.lost) {
        case.put("trace", Some(draft.trace(&id, &trace)));
    }
    case.expect(tools(&mut keys, draft));
    case.expect(questions(&mut keys, &mut draft.lost));
    keys.lose_rest(OF_A_GOLDEN, &mut draft.lost);
    if row.is_some() {
        draft.lost.0[before..].iter_mut().for_each(|lost| lost.place = at.clone());
    }
    draft.case(at, case.finish());
}

/// The run that the golden holds: its answer and calls, or its turns.
fn recorded(keys: &mut Keys<'_>, asked: &str, lost: &mut Lost) -> Option<Trace> {
    let answer = keys.text(&["actual_output", "actualOutput"]);
    let called = keys.take(&["tools_called", "toolsCalled"]);
    let turns = list(keys.take(&["turns"]).filter(|node| !says_nothing(*node)));
    let mut trace = Trace {
        usage: usage(keys),
        cost_usd: figure(keys, &["token_cost", "tokenCost"]),
        ..Trace::default()
    };
    if answer.is_none() && called.is_none_or(says_nothing) && turns.is_empty() {
        return None;
    }
    trace.calls_unrecorded = called.is_none() && turns.is_empty();
    if turns.is_empty() {
        trace.push_message(Role::User, asked);
    }
    for call in list(called) {
        push(&mut trace, call, lost);
    }
    for turn in turns {
        self::turn(&mut trace, turn, lost);
    }
    if let Some(answer) = answer {
        trace.push_message(Role::Assistant, answer);
    }
    trace.settle_answer();
    Some(trace)
}

/// One text of a conversation, after the calls that it made.
fn turn(trace: &mut Trace, node: Node<'_>, lost: &mut Lost) {
    let Some(mut keys) = Keys::of(node) else { return };
    let role = if keys.text(&["role"]).as_deref() == Some("user") { Role::User } else { Role::Assistant };
    for call in list(keys.take(&["tools_called", "toolsCalled"])) {
        push(trace, call, lost);
    }
    trace.push_message(role, keys.text(&["content"]).unwrap_or_default());
    keys.lose_all("a turn of a trace has its text and its calls", lost);
}

/// A call, by its name alone or with what is known of it.
fn push(trace: &mut Trace, node: Node<'_>, lost: &mut Lost) {
    let Some(name) = tool(node) else { return };
    let (mut arguments, mut result) = (None, None);
    if let Some(mut keys) = Keys::of(node) {
        arguments = keys.take(&["input_parameters", "inputParameters"]).map(Node::to_json);
        result = keys.take(&["output"]).map(Node::to_json);
        keys.skip(&["name", "type", "description"]);
        keys.lose_all("a call of a trace has its arguments and its result", lost);
    }
    let arguments = arguments.map_or_else(Arguments::none, Arguments::from_json);
    let status = if result.is_some() { CallStatus::Unknown } else { CallStatus::Unanswered };
    let turn = trace.calls.len() + 1;
    trace.push_call(Call { result, status, ..Call::new(name, arguments, turn) });
}

fn tool(node: Node<'_>) -> Option<String> {
    text(node).or_else(|| node.get("name").and_then(text)).filter(|name| !name.is_empty())
}

fn figure(keys: &mut Keys<'_>, names: &[&str]) -> Option<f64> {
    keys.take(names)?.to_json().as_f64().filter(|figure| *figure >= 0.0)
}

/// Tokens are told where both numbers are.
fn usage(keys: &mut Keys<'_>) -> Option<Usage> {
    let mut count = |names: &[&str]| keys.take(names)?.to_json().as_u64();
    let input = count(&["input_token_count", "inputTokenCount"]);
    let output = count(&["output_token_count", "outputTokenCount"]);
    Some(Usage { input_tokens: input?, output_tokens: output?, ..Usage::default() })
}

/// The tools that are expected, by name: as `DeepEval` compares them unless it is told otherwise.
fn tools(keys: &mut Keys<'_>, draft: &mut Draft) -> Vec<Value> {
    let expected = list(keys.take(&["expected_tools", "expectedTools"]).filter(|node| !says_nothing(*node)));
    let names: Vec<String> = expected.iter().filter_map(|node| tool(*node)).collect();
    for node in &expected {
        let told = ["input_parameters", "inputParameters", "output"].iter().filter_map(|key| node.get(key));
        if let Some(told) = told.into_iter().find(|node| !says_nothing(*node)) {
            let why =
                "expected tools are compared by name: ask `tool_input` and `tool_output_valid` for more";
            draft.lost.key(told, "expected_tools", why);
        }
    }
    if names.is_empty() { Vec::new() } else { vec![json!({"required_tools": names})] }
}

/// What the answer should say, as questions to a judge.
fn questions(keys: &mut Keys<'_>, lost: &mut Lost) -> Vec<Value> {
    let mut questions = Vec::new();
    if let Some(wanted) = keys.text(&["expected_output", "expectedOutput"]).filter(|text| !text.is_empty()) {
        questions.push(question("expected_output", &same_as(&wanted)));
    }
    if let Some(wanted) = keys.text(&["expected_outcome", "expectedOutcome"]).filter(|text| !text.is_empty())
    {
        questions
            .push(question("expected_outcome", &format!("Does the conversation end like this? {wanted}")));
    }
    if let Some(mut keys) = keys.take(&["expectations"]).and_then(Keys::of) {
        let mut ask = |names: &[&str], label: &str, asked: &str| {
            for (at, condition) in list(keys.take(names)).into_iter().filter_map(text).enumerate() {
                questions.push(question(&format!("{label} {}", at + 1), &format!("{asked} {condition}")));
            }
        };
        ask(&["must"], "must", "Is this so?");
        ask(&["must_not", "mustNot"], "must not", "Is it true that this did not happen?");
        keys.lose_all("how a judge is asked is said once for all cases", lost);
    }
    questions
}
