//! Converts the conversation of an eval case to a trace.

use arraign::__internals::yaml::{Node, render_plain};
use arraign::json::Json;
use arraign::trace::{Arguments, Call, CallStatus, Role, Trace};

use crate::import::keys::{Keys, list_entries};
use crate::import::unsupported::UnsupportedList;

const BETWEEN: &str = "texts of sub-agents between the calls are not part of the trace";

const OF_A_TURN: &[(&[&str], &str)] = &[
    (&["expected_intermediate_agent_responses"], BETWEEN),
    (&["app_details", "appDetails"], "traces do not contain the definition of the agent"),
    (
        &["duration", "model_duration", "modelDuration", "tool_duration", "toolDuration"],
        "a trace records the duration of a whole run, not of a turn",
    ),
];

/// A recorded conversation.
pub(super) struct Conversation {
    pub(super) trace: Trace,
    /// The number of turns.
    pub(super) turns: usize,
    /// Rubrics of single turns.
    pub(super) rubrics: Vec<Json>,
}

impl Conversation {
    pub(super) fn parse(turns: &[Node<'_>], unsupported: &mut UnsupportedList) -> Self {
        let mut conversation = Self { trace: Trace::default(), turns: turns.len(), rubrics: Vec::new() };
        for turn in turns {
            conversation.add_turn(*turn, unsupported);
        }
        let asked = conversation.trace.messages.iter().find(|message| message.role == Role::User);
        conversation.trace.input = asked.map(|message| message.text.clone());
        conversation.trace.settle_answer();
        conversation
    }

    fn add_turn(&mut self, node: Node<'_>, unsupported: &mut UnsupportedList) {
        let Some(mut keys) = Keys::new(node) else { return };
        let asked = keys.take(&["user_content", "userContent", "query"]);
        if let Some(text) = asked.and_then(|node| join_texts(node, unsupported)) {
            self.trace.push_message(Role::User, text);
        }
        // The older form does not say which calls were parallel, so each one is a turn.
        for node in list_entries(keys.take(&["expected_tool_use"])) {
            let turn = self.next_turn();
            self.add_call(node, turn);
        }
        if let Some(data) = keys.take(&["intermediate_data", "intermediateData"]) {
            self.add_steps(data, unsupported);
        }
        // The answer is the last message of the turn, and follows the calls that led to it.
        let answer = keys.take(&["final_response", "finalResponse", "reference"]);
        if let Some(text) = answer.and_then(|node| join_texts(node, unsupported)) {
            self.trace.push_message(Role::Assistant, text);
        }
        for rubric in list_entries(keys.take(&["rubrics"])) {
            self.rubrics.extend(super::criteria::convert_rubric(rubric));
        }
        keys.skip(&["invocation_id", "invocationId", "creation_timestamp", "creationTimestamp"]);
        keys.reject_rest(OF_A_TURN, unsupported);
    }

    /// Adds calls and their results, from two lists or from events.
    fn add_steps(&mut self, data: Node<'_>, unsupported: &mut UnsupportedList) {
        let Some(mut keys) = Keys::new(data) else { return };
        // Ids are used again in later turns, so results are joined to the calls of this turn alone.
        let first = self.trace.calls.len();
        for node in list_entries(keys.take(&["tool_uses", "toolUses"])) {
            let turn = self.next_turn();
            self.add_call(node, turn);
        }
        for node in list_entries(keys.take(&["tool_responses", "toolResponses"])) {
            self.add_result(node, first);
        }
        for event in list_entries(keys.take(&["invocation_events", "invocationEvents"])) {
            self.add_event(event, first, unsupported);
        }
        keys.reject_rest(&[(&["intermediate_responses", "intermediateResponses"], BETWEEN)], unsupported);
    }

    fn next_turn(&self) -> usize {
        self.trace.calls.last().map_or(0, |call| call.turn) + 1
    }

    /// Adds the parts of one event, whose calls are parallel.
    fn add_event(&mut self, event: Node<'_>, first: usize, unsupported: &mut UnsupportedList) {
        let turn = self.next_turn();
        let parts = event.get("content").and_then(|content| content.get("parts"));
        for part in list_entries(parts) {
            if let Some(call) = get_mapping(part, ["function_call", "functionCall"]) {
                self.add_call(call, turn);
            } else if let Some(result) = get_mapping(part, ["function_response", "functionResponse"]) {
                self.add_result(result, first);
            } else if let Some(text) = part.get("text").and_then(Node::as_str) {
                // A thought is not part of what the user reads.
                if !is_thought(part) {
                    self.trace.push_message(Role::Assistant, text);
                }
            } else {
                unsupported.add_key(part, "parts", "only texts and calls become part of the trace");
            }
        }
    }

    fn add_call(&mut self, node: Node<'_>, turn: usize) {
        let Some(name) = get_either(node, ["name", "tool_name"]).and_then(Node::as_str) else { return };
        let arguments = get_either(node, ["args", "tool_input"])
            .map_or_else(Arguments::none, |args| Arguments::from_json(args.to_json()));
        let id = node.get("id").and_then(Node::as_str).map(str::to_owned);
        self.trace.push_call(Call { id, ..Call::new(name, arguments, turn) });
    }

    /// Adds a result to the call with its id, or else to the first call of its name without a result.
    fn add_result(&mut self, node: Node<'_>, first: usize) {
        let id = node.get("id").and_then(Node::as_str);
        let name = node.get("name").and_then(Node::as_str);
        let calls = &mut self.trace.calls[first..];
        // A result with the id of an answered call is dropped, and does not go to another call of the same name.
        let by_id = calls.iter().position(|call| id.is_some() && call.id.as_deref() == id);
        let found = match by_id {
            Some(at) => calls.get_mut(at).filter(|call| is_open(call)),
            None => calls.iter_mut().find(|call| is_open(call) && Some(call.name.as_str()) == name),
        };
        let Some(call) = found else { return };
        let response = node.get("response").map(Node::to_json);
        let error =
            response.as_ref().and_then(|response| response.get("error")).filter(|error| !error.is_null());
        call.error = error.map(render_plain);
        call.status = if call.error.is_some() { CallStatus::Error } else { CallStatus::Ok };
        call.result = response;
    }
}

/// Returns the value of the first name that exists: files have names in snake case or in camel case.
fn get_either<'n>(node: Node<'n>, names: [&str; 2]) -> Option<Node<'n>> {
    names.into_iter().find_map(|name| node.get(name))
}

fn get_mapping<'n>(node: Node<'n>, names: [&str; 2]) -> Option<Node<'n>> {
    get_either(node, names).filter(|node| node.entries().is_some())
}

fn is_open(call: &Call) -> bool {
    call.status == CallStatus::Unanswered
}

fn is_thought(part: Node<'_>) -> bool {
    part.get("thought").map(Node::to_json) == Some(Json::Bool(true))
}

/// Joins the texts of a content's parts. A content can also be one text.
fn join_texts(content: Node<'_>, unsupported: &mut UnsupportedList) -> Option<String> {
    if let Some(text) = content.as_str() {
        return (!text.is_empty()).then(|| text.to_owned());
    }
    let mut texts = Vec::new();
    // Thoughts have texts, too, which are no part of an answer.
    for part in list_entries(content.get("parts")).into_iter().filter(|part| !is_thought(*part)) {
        match part.get("text").and_then(Node::as_str) {
            Some(text) => texts.push(text),
            None => unsupported.add_key(part, "parts", "only texts become part of the trace"),
        }
    }
    (!texts.is_empty()).then(|| texts.join("\n"))
}
