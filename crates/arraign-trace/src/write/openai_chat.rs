//! A list of messages as OpenAI's chat completions have them.

use std::collections::HashSet;

use super::loss::{CannotWrite, Losses, Written, list_differences};
use crate::json::{Json, JsonMap, json};
use crate::reader::{read, to_native_map};
use crate::trace::Trace;

/// Returns the run as `{"messages": [...]}` of OpenAI's chat completions, with what that format has no place for.
pub fn to_openai_chat(trace: &Trace) -> Result<Written, CannotWrite> {
    let wanted = to_native_map(trace);
    let steps = wanted.get("steps").and_then(Json::as_array).unwrap_or_default();
    if steps.is_empty() {
        return Err(CannotWrite::Empty { format: "openai-chat" });
    }
    let mut writer = ChatWriter::default();
    steps.iter().filter_map(Json::as_object).for_each(|step| writer.add(step));
    writer.end_turn();
    let mut conversation = JsonMap::new();
    if let Some(model) = wanted.get("model") {
        conversation.insert("model", model.clone());
    }
    conversation.insert("messages", Json::Array(writer.messages));
    let text = format!("{:#}\n", Json::Object(conversation));
    let losses = list_losses(&wanted, &text);
    Ok(Written { text, losses: losses.into_list(|_| "there is no place for it".to_owned()) })
}

/// The messages while they are written.
#[derive(Debug, Default)]
struct ChatWriter {
    messages: Vec<Json>,
    /// The results of the calls of this turn: they follow its message.
    results: Vec<Json>,
    ids: HashSet<String>,
    calls: usize,
    last_turn: usize,
    /// The turn of the message that may get more calls.
    turn: Option<usize>,
}

impl ChatWriter {
    fn add(&mut self, step: &JsonMap) {
        if step.contains_key("call") {
            return self.add_call(step);
        }
        self.end_turn();
        let roles = [("say", "assistant"), ("user", "user"), ("system", "system")];
        let said = roles.into_iter().find_map(|(key, role)| Some((role, step.get(key)?)));
        let Some((role, text)) = said else { return };
        self.messages.push(json!({"role": role, "content": text}));
    }

    fn add_call(&mut self, step: &JsonMap) {
        self.calls += 1;
        let turn = step.get("turn").and_then(Json::as_u64).and_then(|turn| usize::try_from(turn).ok());
        let turn = turn.unwrap_or(self.last_turn + 1);
        self.last_turn = self.last_turn.max(turn);
        if self.turn != Some(turn) {
            let follows_text = self.turn.is_none()
                && self
                    .messages
                    .last()
                    .is_some_and(|message| message.get("role").and_then(Json::as_str) == Some("assistant"));
            if !follows_text {
                self.end_turn();
                self.messages.push(json!({"role": "assistant", "content": null}));
            }
            self.turn = Some(turn);
        }
        let own = step.get("id").and_then(Json::as_str).map(ToOwned::to_owned);
        let mut id = own.unwrap_or_else(|| format!("call_{}", self.calls));
        while !self.ids.insert(id.clone()) {
            id = format!("{id}_{}", self.calls);
        }
        let arguments = match step.get("args") {
            None => "{}".to_owned(),
            Some(Json::String(raw)) => raw.to_string(),
            Some(value) => value.to_string(),
        };
        let name = step.get("written").or_else(|| step.get("call"));
        let call = json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
        let content = match (step.get("result"), step.get("error")) {
            (Some(Json::String(text)), _) => Some(Json::String(text.clone())),
            (Some(other), _) => Some(Json::from(other.to_string())),
            (None, error) => error.cloned(),
        };
        let result = content.map(|content| json!({"role": "tool", "tool_call_id": id, "content": content}));
        self.results.extend(result);
        let Some(message) = self.messages.last_mut().and_then(Json::as_object_mut) else { return };
        let calls = message.get_or_insert_with("tool_calls", || Json::Array(Vec::new()));
        if let Some(calls) = calls.as_array_mut() {
            calls.push(call);
        }
    }

    /// Ends the turn: the results of its calls come after its message.
    fn end_turn(&mut self) {
        self.messages.append(&mut self.results);
        self.turn = None;
    }
}

/// Reads the file again, and lists what is missing in the run.
fn list_losses(wanted: &JsonMap, text: &str) -> Losses {
    let mut losses = Losses::default();
    let read = read(text, Some("openai-chat")).ok().and_then(|mut read| read.runs.pop());
    let got = read.map(|trace| to_native_map(&trace)).unwrap_or_default();
    let steps_of = |run: &JsonMap| run.get("steps").and_then(Json::as_array).unwrap_or_default().to_vec();
    let is_call = |step: &Json| step.get("call").is_some();
    let of_calls = |run: &JsonMap| steps_of(run).into_iter().filter(is_call).collect::<Vec<_>>();
    for (index, (step, got)) in of_calls(wanted).iter().zip(of_calls(&got)).enumerate() {
        if let (Some(step), Some(got)) = (step.as_object(), got.as_object()) {
            losses.note(Some(index + 1), list_differences(step, got));
        }
    }
    let texts = |run: &JsonMap| steps_of(run).into_iter().filter(|step| !is_call(step)).collect::<Vec<_>>();
    if texts(wanted) != texts(&got) {
        losses.note(None, ["reasoning"]);
    }
    let head = list_differences(wanted, &got).into_iter().filter(|key| !["steps", "results"].contains(key));
    losses.note(None, head);
    losses
}
