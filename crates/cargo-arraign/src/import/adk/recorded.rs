//! The conversation of an eval case as a trace.

use arraign::__internals::yaml::Node;
use arraign::trace::{Arguments, Call, CallStatus, Role, Trace};
use serde_json::Value;

use crate::import::lost::{Keys, Lost, list};

const BETWEEN: &str = "texts of sub-agents between the calls are not part of the trace";

const OF_A_TURN: &[(&[&str], &str)] = &[
    (&["expected_intermediate_agent_responses"], BETWEEN),
    (&["app_details", "appDetails"], "what the agent is made of is no part of a trace"),
    (
        &["duration", "model_duration", "modelDuration", "tool_duration", "toolDuration"],
        "it is told of a turn, and a trace has the time of a whole run",
    ),
];

/// What was recorded, and the last answer.
pub(super) struct Conversation {
    pub(super) trace: Trace,
    /// How many turns it has.
    pub(super) turns: usize,
    /// Rubrics that are about single turns.
    pub(super) rubrics: Vec<Value>,
}

impl Conversation {
    pub(super) fn read(turns: &[Node<'_>], lost: &mut Lost) -> Self {
        let mut conversation = Self { trace: Trace::default(), turns: turns.len(), rubrics: Vec::new() };
        for turn in turns {
            conversation.turn(*turn, lost);
        }
        let asked = conversation.trace.messages.iter().find(|message| message.role == Role::User);
        conversation.trace.input = asked.map(|message| message.text.clone());
        conversation.trace.settle_answer();
        conversation
    }

    fn turn(&mut self, node: Node<'_>, lost: &mut Lost) {
        let Some(mut keys) = Keys::of(node) else { return };
        let asked = keys.take(&["user_content", "userContent", "query"]);
        if let Some(text) = asked.and_then(|node| spoken(node, lost)) {
            self.trace.push_message(Role::User, text);
        }
        for node in list(keys.take(&["expected_tool_use"])) {
            let turn = self.next_turn();
            self.call(node, turn);
        }
        if let Some(data) = keys.take(&["intermediate_data", "intermediateData"]) {
            self.steps(data, lost);
        }
        let answer = keys.take(&["final_response", "finalResponse", "reference"]);
        if let Some(text) = answer.and_then(|node| spoken(node, lost)) {
            self.trace.push_message(Role::Assistant, text);
        }
        for rubric in list(keys.take(&["rubrics"])) {
            self.rubrics.extend(super::criteria::rubric(rubric));
        }
        keys.skip(&["invocation_id", "invocationId", "creation_timestamp", "creationTimestamp"]);
        keys.lose_rest(OF_A_TURN, lost);
    }

    /// Calls and their results: as two lists, or as events.
    fn steps(&mut self, data: Node<'_>, lost: &mut Lost) {
        let Some(mut keys) = Keys::of(data) else { return };
        let first = self.trace.calls.len();
        for node in list(keys.take(&["tool_uses", "toolUses"])) {
            let turn = self.next_turn();
            self.call(node, turn);
        }
        for node in list(keys.take(&["tool_responses", "toolResponses"])) {
            self.result(node, first);
        }
        for event in list(keys.take(&["invocation_events", "invocationEvents"])) {
            self.event(event, first, lost);
        }
        keys.lose_rest(&[(&["intermediate_responses", "intermediateResponses"], BETWEEN)], lost);
    }

    fn next_turn(&self) -> usize {
        self.trace.calls.last().map_or(0, |call| call.turn) + 1
    }

    /// The parts of one event: its calls are parallel.
    fn event(&mut self, event: Node<'_>, first: usize, lost: &mut Lost) {
        let turn = self.next_turn();
        let parts = event.get("content").and_then(|content| content.get("parts"));
        for part in list(parts) {
            let get = |names: [&str; 2]| {
                names.into_iter().find_map(|name| part.get(name)).filter(|node| node.entries().is_some())
            };
            if let Some(call) = get(["function_call", "functionCall"]) {
                self.call(call, turn);
            } else if let Some(result) = get(["function_response", "functionResponse"]) {
                self.result(result, first);
            } else if let Some(text) = part.get("text").and_then(Node::as_str) {
                if !is_thought(part) {
                    self.trace.push_message(Role::Assistant, text);
                }
            } else {
                lost.key(part, "parts", "a part that is neither text nor a call is not in the trace");
            }
        }
    }

    fn call(&mut self, node: Node<'_>, turn: usize) {
        let get = |names: [&str; 2]| names.into_iter().find_map(|name| node.get(name));
        let Some(name) = get(["name", "tool_name"]).and_then(Node::as_str) else { return };
        let arguments = get(["args", "tool_input"])
            .map_or_else(Arguments::none, |args| Arguments::from_json(args.to_json()));
        let id = node.get("id").and_then(Node::as_str).map(str::to_owned);
        self.trace.push_call(Call { id, ..Call::new(name, arguments, turn) });
    }

    /// A result belongs to the call of its id, else to the first call of its name that has none.
    fn result(&mut self, node: Node<'_>, first: usize) {
        let id = node.get("id").and_then(Node::as_str);
        let name = node.get("name").and_then(Node::as_str);
        let open = |call: &&mut Call| call.status == CallStatus::Unanswered;
        let calls = &mut self.trace.calls[first..];
        let by_id = calls.iter().position(|call| id.is_some() && call.id.as_deref() == id);
        let found = match by_id {
            Some(at) => calls.get_mut(at).filter(open),
            None => calls.iter_mut().filter(open).find(|call| Some(call.name.as_str()) == name),
        };
        let Some(call) = found else { return };
        let response = node.get("response").map(Node::to_json);
        let error =
            response.as_ref().and_then(|response| response.get("error")).filter(|error| !error.is_null());
        call.error = error.map(|error| error.as_str().map_or_else(|| error.to_string(), str::to_owned));
        call.status = if call.error.is_some() { CallStatus::Error } else { CallStatus::Ok };
        call.result = response;
    }
}

fn is_thought(part: Node<'_>) -> bool {
    part.get("thought").map(Node::to_json) == Some(Value::Bool(true))
}

/// The text of a content's parts, or the text that it is.
fn spoken(content: Node<'_>, lost: &mut Lost) -> Option<String> {
    if let Some(text) = content.as_str() {
        return (!text.is_empty()).then(|| text.to_owned());
    }
    let mut texts = Vec::new();
    for part in list(content.get("parts")).into_iter().filter(|part| !is_thought(*part)) {
        match part.get("text").and_then(Node::as_str) {
            Some(text) => texts.push(text),
            None => lost.key(part, "parts", "a part that is no text is not in the trace"),
        }
    }
    (!texts.is_empty()).then(|| texts.join("\n"))
}
