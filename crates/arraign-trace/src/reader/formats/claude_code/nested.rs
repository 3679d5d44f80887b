//! Finds the subagent that a line of a session belongs to.
//!
//! Printed output names the call that started the subagent. Transcripts name the subagent, and only its prompt or its
//! result identifies the call. Early transcripts only link each line to the line before it.

use std::collections::HashMap;

use crate::json::{Json, JsonNode, JsonObject};
use crate::trace::Call;

/// The most subagents in a path. Deeper ones count as the last of them.
const DEEPEST: usize = 32;

/// The subagents of a session, as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct Subagents {
    /// Whether the file is a subagent's own: then it is the run, and nothing is nested.
    pub(crate) is_own: bool,
    /// The path of the subagent that a call starts, by the call's id.
    by_call: HashMap<String, Vec<String>>,
    /// The path of the subagent that a call starts, by the prompt.
    by_prompt: HashMap<String, Vec<String>>,
    /// The path of a subagent, by its id or the first of its lines.
    by_agent: HashMap<String, Vec<String>>,
    /// The subagent of each line, where lines do not name it.
    by_line: HashMap<String, String>,
}

impl Subagents {
    /// Notes a call: it may start a subagent.
    pub(crate) fn note_call(&mut self, call: &Call) {
        let Some(id) = call.id.clone() else { return };
        let mut path = call.agent_path.clone();
        // The depth is limited, so that a file of calls within calls makes no paths of quadratic size.
        if path.len() < DEEPEST {
            let kind = call.arguments.get("subagent_type").and_then(Json::as_str);
            path.push(kind.unwrap_or(&call.name).to_owned());
        }
        if let Some(prompt) = call.arguments.get("prompt").and_then(Json::as_str) {
            self.by_prompt.insert(prompt.to_owned(), path.clone());
        }
        self.by_call.insert(id, path);
    }

    /// The subagent that `agent` names was started by the call `id`.
    pub(crate) fn note_result(&mut self, id: &str, agent: &str) {
        if let Some(path) = self.by_call.get(id) {
            self.by_agent.insert(agent.to_owned(), path.clone());
        }
    }

    /// The path of the subagent that a line belongs to; `None` when it is the agent's own.
    pub(crate) fn path(&mut self, line: &JsonObject) -> Option<Vec<String>> {
        if let Some(parent) = line.text_under("parent_tool_use_id") {
            let path = self.by_call.get(parent).cloned();
            return Some(path.unwrap_or_else(|| vec![parent.to_owned()]));
        }
        if self.is_own || !line.get("isSidechain").is_some_and(JsonNode::is_true) {
            return None;
        }
        // The id of a subagent is linked to its call by the result, which comes last. Until then, the prompt in the
        // first line is the only link.
        let agent = self.agent_of(line);
        // Later lines of a subagent have no prompt: they follow its first line.
        if let Some(known) = self.by_agent.get(&agent) {
            return Some(known.clone());
        }
        let prompt =
            line.get("message").and_then(|message| message.get("content")).and_then(JsonNode::as_str);
        let asked = prompt.and_then(|prompt| self.by_prompt.get(prompt).cloned());
        let path = asked.unwrap_or_else(|| {
            let name =
                line.text_under("attributionAgent").or(line.text_under("agentId")).unwrap_or("subagent");
            vec![name.to_owned()]
        });
        self.by_agent.insert(agent, path.clone());
        Some(path)
    }

    /// Returns the key of a line's subagent: its id, or the first line of its chain.
    fn agent_of(&mut self, line: &JsonObject) -> String {
        if let Some(agent) = line.text_under("agentId") {
            return agent.to_owned();
        }
        let own = line.text_under("uuid").unwrap_or_default();
        let first = line
            .text_under("parentUuid")
            .map_or(own, |parent| self.by_line.get(parent).map_or(parent, String::as_str));
        let first = first.to_owned();
        self.by_line.insert(own.to_owned(), first.clone());
        first
    }
}
