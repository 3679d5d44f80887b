//! A list of messages as OpenAI's chat completions have them.

use super::calls::{WrittenCall, WrittenCalls, result_text, steps_of, written_name};
use super::loss::{CannotWrite, Losses, Written, list_differences};
use crate::json::{Json, JsonMap, json};
use crate::reader::{read, to_native_map};
use crate::trace::Trace;

/// Returns the run as `{"messages": [...]}` of OpenAI's chat completions, with what that format has no place for.
pub fn to_openai_chat(trace: &Trace) -> Result<Written, CannotWrite> {
    let wanted = to_native_map(trace);
    let steps = steps_of(&wanted);
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
    calls: WrittenCalls,
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
        let WrittenCall { turn, id } = self.calls.add(step);
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
        let arguments = match step.get("args") {
            None => "{}".to_owned(),
            Some(Json::String(raw)) => raw.to_string(),
            Some(value) => value.to_string(),
        };
        let name = written_name(step);
        let call = json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
        let result =
            result_text(step).map(|content| json!({"role": "tool", "tool_call_id": id, "content": content}));
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
    let is_call = |step: &&Json| step.get("call").is_some();
    let calls = steps_of(wanted).iter().filter(is_call).zip(steps_of(&got).iter().filter(is_call));
    for (index, (step, got)) in calls.enumerate() {
        if let (Some(step), Some(got)) = (step.as_object(), got.as_object()) {
            losses.note(Some(index + 1), list_differences(step, got));
        }
    }
    let is_text = |step: &&Json| !is_call(step);
    if !steps_of(wanted).iter().filter(is_text).eq(steps_of(&got).iter().filter(is_text)) {
        losses.note(None, ["reasoning"]);
    }
    let head = list_differences(wanted, &got).into_iter().filter(|key| !["steps", "results"].contains(key));
    losses.note(None, head);
    losses
}
