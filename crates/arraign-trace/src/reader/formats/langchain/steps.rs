//! Model calls and tool calls in the order in which they began. Events and LangSmith runs share this.

use std::collections::HashMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::evidence::may_hold_parts;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::formats::langchain::message::{self, MessageKind};
use crate::reader::formats::langchain::messages_of;
use crate::reader::formats::langchain::talk::Talk;
use crate::trace::{Arguments, Call, CallStatus, Trace};

/// A run while its steps are read.
#[derive(Debug, Default)]
pub(crate) struct GraphSteps {
    pub(crate) talk: Talk,
    /// The number of messages in the last request of each scope's model.
    asked: HashMap<String, usize>,
}

/// The facts about the run of a tool.
#[derive(Debug)]
pub(crate) struct ToolRun<'t> {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Arguments,
    pub(crate) output: Option<JsonNode<'t>>,
    pub(crate) error: Option<String>,
    /// What the record of the run says about its outcome, next to the message of the tool.
    pub(crate) marks: OutcomeMarks,
    pub(crate) started_ms: Option<f64>,
    pub(crate) duration_ms: Option<f64>,
    pub(crate) path: Vec<String>,
}

impl GraphSteps {
    /// Adds the messages that the model of a scope is sent for the first time and did not say itself.
    pub(crate) fn hear(&mut self, scope: &str, messages: Vec<JsonObject>, path: &[String]) {
        let asked = self.asked.insert(scope.to_owned(), messages.len());
        // The messages after the last one of the model are new, but never those that an earlier request had.
        let last = messages.iter().rposition(|message| message::kind(message) == Some(MessageKind::Model));
        let from = last.map_or(0, |place| place + 1).max(asked.unwrap_or_default());
        for (place, message) in messages.into_iter().enumerate() {
            let new = match message::kind(&message) {
                Some(MessageKind::System) => asked.is_none(),
                Some(MessageKind::Human) => place >= from,
                // A tool may have no run in the file. The message to the model is then the only record of its result.
                Some(MessageKind::Tool) => message.get("tool_call_id").is_some_and(JsonNode::is_string),
                _ => false,
            };
            if new {
                self.talk.add(message, path);
            }
        }
    }

    /// Adds the reply of a model: the first of its alternatives.
    pub(crate) fn said(&mut self, output: JsonNode, path: &[String]) {
        let is_filled = may_hold_parts(&output);
        let said = messages_of(output)
            .into_iter()
            .find(|message| message::kind(message) == Some(MessageKind::Model));
        if let Some(message) = said {
            self.talk.add(message, path);
            // A model that streams ends with all of its pieces joined, and its tools run after that.
            self.talk.end_streams();
        } else if is_filled {
            self.talk.builder.enter_record(self.talk.spot);
            self.talk.builder.pass_over("output", &[]);
        }
    }

    /// Adds the run of a tool, which belongs to a call of a model, or is the only record of a call.
    pub(crate) fn tool(&mut self, run: ToolRun) {
        let ToolRun { name, arguments, error, marks, path, .. } = run;
        let plain = run.output.as_ref().filter(|output| !holds_tool_message(output)).cloned();
        let messages = run.output.map(messages_of).unwrap_or_default();
        let message = messages.into_iter().find(|message| message::kind(message) == Some(MessageKind::Tool));
        let told =
            message.as_ref().and_then(|message| message.get("tool_call_id")?.as_str().map(ToOwned::to_owned));
        let id = run.id.or(told);
        let builder = &mut self.talk.builder;
        let known = id.clone().filter(|id| builder.knows(id));
        // No model of the file made this call, for example because a graph runs the tool itself. It is added as a turn
        // of its own, and the second look-up below finds it.
        if builder.waiting(known.as_deref(), Some(&name)).is_none() {
            builder.next_turn();
            builder.call(Call {
                id: id.clone(),
                agent_path: path.clone(),
                ..Call::new(name.clone(), arguments, 0)
            });
        }
        let known = id.filter(|id| builder.knows(id));
        let Some(call) = builder.waiting(known.as_deref(), Some(&name)) else { return };
        (call.started_ms, call.duration_ms) = (run.started_ms, run.duration_ms);
        let index = call.index;
        match (error, message) {
            (Some(error), _) => (call.status, call.error) = (CallStatus::Error, Some(error)),
            (None, Some(mut message)) => {
                let call_id = call.id.clone().map(|id| JsonNode::String((id).into())).unwrap_or_default();
                message.insert("tool_call_id", call_id);
                self.talk.add(message, &path);
                // The message says more, but a mark of the run that no message repeats counts as well.
                if let Some(call) = self.talk.builder.call_mut(index).filter(|_| !marks.has_only_success()) {
                    marks.settle(call, Unmarked::Unrecorded);
                }
            }
            // The run was written before its tool ended.
            (None, None) if marks.is_pending() && plain.is_none() => {}
            (None, None) => {
                marks.settle(call, Unmarked::Worked);
                call.result = plain.map(JsonNode::into_json);
            }
        }
    }

    pub(crate) fn finish(self) -> Trace {
        self.talk.finish()
    }
}

fn holds_tool_message(output: &JsonNode) -> bool {
    crate::reader::formats::langchain::holds_message(output, crate::reader::formats::langchain::DEPTH)
}
