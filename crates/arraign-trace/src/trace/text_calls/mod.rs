//! Calls that the model wrote as text.
//!
//! A server without a parser for the calls of its model returns them as text, and the prompts of some agents ask for text.
//! No reader takes such a call for one: the text is kept as it is, and its call is an unread part. A user who knows the
//! protocol can have the calls read ([`Trace::read_text_calls`]).
//!
//! A new protocol is a row of [`MARKS`].

mod read;

use memchr::{memchr2_iter, memmem};

pub use read::TextProtocol;

use super::{
    Arguments, Call, CallStatus, RecordPlace, Role, StatusMark, ToolServer, Trace, UnreadContent, UnreadPart,
};
use crate::code_blocks::{find_code, is_inside};
use crate::json::{Json, parse_lenient};

/// The protocols that begin a call with a mark, which begins with `<` or `[`.
const MARKS: [(&str, &str); 12] = [
    ("<tool_call>", "hermes"),
    ("<function=", "function tags"),
    ("<function_calls>", "function tags"),
    ("<invoke name=", "function tags"),
    ("[TOOL_CALLS]", "mistral"),
    ("<|python_tag|>", "llama"),
    ("<|tool_call|>", "granite"),
    ("<|tool_call_begin|>", "kimi"),
    ("<|tool_calls_section_begin|>", "kimi"),
    ("<｜tool▁calls▁begin｜>", "deepseek"),
    ("<｜tool▁call▁begin｜>", "deepseek"),
    ("<|START_ACTION|>", "command"),
];

/// The tools that Cline and its descendants call by a tag, with a tag inside for each argument.
const CLINE_TOOLS: [&str; 18] = [
    "access_mcp_resource",
    "apply_diff",
    "ask_followup_question",
    "browser_action",
    "delete_file",
    "execute_command",
    "fetch_instructions",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "new_task",
    "read_file",
    "replace_in_file",
    "search_and_replace",
    "search_files",
    "switch_mode",
    "use_mcp_tool",
    "write_to_file",
];

/// Finds the protocols of the calls in a text, outside of code. `is_tool` says whether a name is that of a tool.
fn find_protocols(text: &str, is_tool: &dyn Fn(&str) -> bool) -> impl Iterator<Item = &'static str> {
    let mut marks = find_marks(text);
    if !marks.is_empty() {
        let code = find_code(text);
        marks.retain(|(at, _)| !is_inside(&code, *at));
    }
    let json = holds_json_call(text, is_tool).then_some("json");
    marks.into_iter().map(|(_, protocol)| protocol).chain(json)
}

/// Finds the protocols of the calls in a text and in the reasoning before it: what a model writes while it thinks may be
/// executed as well. A call may begin directly behind the reasoning, so the text is searched by itself.
fn find_all_protocols(
    text: &str,
    reasoning: Option<&str>,
    is_tool: &dyn Fn(&str) -> bool,
) -> Vec<&'static str> {
    let mut found = Vec::new();
    for part in [Some(text), reasoning].into_iter().flatten() {
        for protocol in find_protocols(part, is_tool) {
            if !found.contains(&protocol) {
                found.push(protocol);
            }
        }
    }
    found
}

/// Finds the marks of calls in a text, also in its code, with their places.
fn find_marks(text: &str) -> Vec<(usize, &'static str)> {
    let mut marks = Vec::new();
    for at in memchr2_iter(b'<', b'[', text.as_bytes()) {
        let rest = &text[at..];
        let mark = MARKS.iter().find(|(mark, _)| rest.starts_with(mark)).map(|(_, protocol)| *protocol);
        let protocol = mark.or_else(|| begins_cline_call(rest).then_some("cline"));
        let protocol = protocol.or_else(|| begins_harmony_call(rest).then_some("harmony"));
        marks.extend(protocol.map(|protocol| (at, protocol)));
    }
    marks.extend(memmem::find_iter(text.as_bytes(), "to=functions.").map(|at| (at, "harmony")));
    marks.extend(read::find_react_call(text).map(|at| (at, "react")));
    marks
}

/// Whether a text begins with the tag of a tool and the tag of its first argument.
fn begins_cline_call(text: &str) -> bool {
    // The longest name has 26 letters: a text of many `<` is not searched to its end for each.
    let Some(end) = text.bytes().take(32).position(|byte| byte == b'>') else { return false };
    let name = text[..end].trim_start_matches('<');
    let inner = text[end + 1..].trim_start().as_bytes();
    CLINE_TOOLS.binary_search(&name).is_ok()
        && inner.first() == Some(&b'<')
        && inner.get(1).is_some_and(u8::is_ascii_alphabetic)
}

/// Whether a text begins with a channel whose message goes to a tool.
fn begins_harmony_call(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("<|channel|>") else { return false };
    // A header is a few words, which no text of many marks is searched for to its end.
    let header = &rest.as_bytes()[..rest.len().min(256)];
    let end = memmem::find(header, b"<|").unwrap_or(header.len());
    memmem::find(&header[..end], b" to=").is_some()
}

/// Whether a text is JSON that calls a tool: an object, or a list of objects.
fn holds_json_call(text: &str, is_tool: &dyn Fn(&str) -> bool) -> bool {
    let value = if may_be_json_call(text) { parse_lenient(text).ok() } else { None };
    value.is_some_and(|value| match &value {
        Json::Array(items) => items.iter().any(|item| is_json_call(item, is_tool)),
        value => is_json_call(value, is_tool),
    })
}

/// Whether a text may be JSON that calls a tool. Most texts are prose, and need not be parsed.
fn may_be_json_call(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
        && (text.contains("\"name\"") && (text.contains("\"arguments\"") || text.contains("\"parameters\""))
            || text.contains("\"tool.name\""))
}

/// Whether a value is a call of a tool: a name and an object of arguments.
fn is_json_call(value: &Json, is_tool: &dyn Fn(&str) -> bool) -> bool {
    // The keys of attributes of spans mean calls, whatever the name is.
    if value.get("tool.name").is_some_and(Json::is_string) && value.get("tool.args").is_some() {
        return true;
    }
    // OpenAI puts the call into an object with its kind.
    let call = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
    let name = call.get("name").and_then(Json::as_str).unwrap_or_default();
    let arguments = call.get("arguments").or_else(|| call.get("parameters"));
    arguments.is_some_and(Json::is_object) && is_tool(name.strip_prefix("functions.").unwrap_or(name))
}

impl Trace {
    /// Keeps reasoning apart from what was said, and notes the calls that are written as text or hold other calls. Readers do
    /// this; a trace that was built otherwise may need it. A trace that was settled stays as it is.
    pub fn settle_texts(&mut self) {
        self.expand_parallel_calls();
        self.note_nameless_calls();
        self.split_reasoning();
        let is_called =
            |name: &str| self.calls.iter().any(|call| call.name == name || call.written_name() == name);
        let parts = self.find_text_calls(&is_called);
        self.push_new_unread(parts);
    }

    /// Notes the texts of the model that hold a call, outside of code, as unread parts. A text that is JSON holds one if its
    /// name is that of a tool, as `is_tool` says.
    pub fn note_text_calls(&mut self, is_tool: &dyn Fn(&str) -> bool) {
        let parts = self.find_text_calls(is_tool);
        self.push_new_unread(parts);
    }

    /// Adds the unread parts that are not known yet.
    fn push_new_unread(&mut self, mut parts: Vec<UnreadPart>) {
        parts.retain(|part| !self.unread.contains(part));
        if !parts.is_empty() {
            self.push_unread(parts);
        }
    }

    /// Finds the texts of the model that hold a call.
    fn find_text_calls(&self, is_tool: &dyn Fn(&str) -> bool) -> Vec<UnreadPart> {
        let mut parts = Vec::new();
        for (at, message) in self.messages.iter().enumerate() {
            if message.role == Role::Assistant {
                let protocols = find_all_protocols(&message.text, message.reasoning.as_deref(), is_tool);
                parts.extend(protocols.into_iter().map(|protocol| (at + 1, protocol)));
            }
        }
        // An answer that was recorded beside the messages comes behind them.
        if let Some(answer) = self.recorded_answer() {
            let protocols = find_all_protocols(answer, self.answer_reasoning.as_deref(), is_tool);
            parts.extend(protocols.into_iter().map(|protocol| (self.messages.len() + 1, protocol)));
        }
        let parts = parts.into_iter().map(|(number, protocol)| {
            let what = UnreadContent::TextCall { protocol: protocol.to_owned() };
            UnreadPart::new(RecordPlace::in_message(number), what).after_messages(number)
        });
        parts.collect()
    }

    /// Whether a text of the model is JSON that would be a call if its name were that of a tool.
    pub fn may_hold_json_call(&self) -> bool {
        let said = self.messages.iter().filter(|message| message.role == Role::Assistant);
        let texts = said.map(|message| message.text.as_str()).chain(self.answer.as_deref());
        texts.into_iter().any(may_be_json_call)
    }

    /// Notes the calls without a name: any tool may have been called.
    fn note_nameless_calls(&mut self) {
        let nameless = self.calls.iter().filter(|call| call.name.trim().is_empty());
        let parts = nameless.map(|call| {
            let messages = self.messages.iter().filter(|message| message.after_calls < call.index).count();
            UnreadPart::new(RecordPlace::default(), UnreadContent::NamelessCall(call.index))
                .after_messages(messages)
        });
        let parts = parts.collect();
        self.push_new_unread(parts);
    }

    /// Replaces each call of `multi_tool_use.parallel` by the calls in its list. Models write it in place of several calls.
    fn expand_parallel_calls(&mut self) {
        if !self.calls.iter().any(is_parallel) {
            return;
        }
        // The number of calls after each of the old ones: texts stay where they are between calls.
        let mut counts = vec![0];
        for call in std::mem::take(&mut self.calls) {
            match list_parallel_calls(&call) {
                Some(calls) => calls.into_iter().for_each(|call| self.push_call(call)),
                None => self.push_call(call),
            }
            counts.push(self.calls.len());
        }
        for message in &mut self.messages {
            message.after_calls = counts.get(message.after_calls).copied().unwrap_or(self.calls.len());
        }
        // A list that cannot be read may hold any call.
        let parts = self.calls.iter().filter(|call| is_parallel(call)).map(|call| {
            let messages = self.messages.iter().filter(|message| message.after_calls < call.index).count();
            let what = UnreadContent::TextCall { protocol: PARALLEL.to_owned() };
            UnreadPart::new(RecordPlace::default(), what).after_messages(messages)
        });
        let parts = parts.collect();
        self.push_new_unread(parts);
    }
}

/// The tool that holds calls.
const PARALLEL: &str = "multi_tool_use.parallel";

fn is_parallel(call: &Call) -> bool {
    matches!(call.name.as_str(), PARALLEL | "multi_tool_use_parallel")
        || matches!(call.written_name(), PARALLEL | "multi_tool_use_parallel")
}

/// Returns the calls that a call of [`PARALLEL`] holds; `None` if its list cannot be read. Each has the result of all.
fn list_parallel_calls(call: &Call) -> Option<Vec<Call>> {
    if !is_parallel(call) {
        return None;
    }
    let uses = call.arguments.get("tool_uses")?.as_array().filter(|uses| !uses.is_empty())?;
    let is_told_together = call.status == CallStatus::Ok && uses.len() > 1;
    let calls = uses.iter().map(|inner| {
        let written = inner.get("recipient_name")?.as_str().filter(|name| !name.is_empty())?;
        let arguments = inner.get("parameters").cloned().map_or_else(Arguments::none, Arguments::from_json);
        let name = written.strip_prefix("functions.").unwrap_or(written);
        Some(Call {
            name: name.to_owned(),
            server: ToolServer::NotRecorded,
            written: Some(written.to_owned()).filter(|written| written != name),
            arguments,
            // That all of them ran says nothing of each.
            status: if is_told_together { CallStatus::Unknown } else { call.status },
            status_mark: if is_told_together { StatusMark::Recorded } else { call.status_mark.clone() },
            ..call.clone()
        })
    });
    calls.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protocols(text: &str) -> Vec<&'static str> {
        find_all_protocols(text, None, &|name| name == "refund")
    }

    #[test]
    fn each_protocol_is_found_outside_of_code() {
        for (text, protocol) in [
            ("I call.\n<tool_call>\n{\"name\": \"refund\"}\n</tool_call>", "hermes"),
            ("<function=refund>{}</function>", "function tags"),
            ("[TOOL_CALLS][{\"name\": \"refund\"}]", "mistral"),
            ("Thought: x\nAction: refund\nAction Input: {}", "react"),
            ("<|channel|>commentary to=functions.refund <|message|>{}<|call|>", "harmony"),
            ("assistant to=functions.refund json {}", "harmony"),
            ("<execute_command>\n<command>ls</command>\n</execute_command>", "cline"),
            ("{\"name\": \"refund\", \"arguments\": {\"id\": 7}}", "json"),
            ("[{\"name\": \"refund\", \"parameters\": {}}]", "json"),
            ("{\"type\": \"function\", \"function\": {\"name\": \"refund\", \"arguments\": {}}}", "json"),
            ("[{\"tool.name\": \"other\", \"tool.args\": \"{}\"}]", "json"),
        ] {
            assert_eq!(protocols(text), [protocol], "{text}");
            let quoted = format!("Write this:\n```\n{text}\n```\n");
            assert_eq!(protocols(&quoted), [""; 0], "{quoted}");
        }
    }

    #[test]
    fn texts_that_only_look_like_calls_hold_none() {
        for text in [
            "Use `<tool_call>` and `[TOOL_CALLS]`.",
            "Action: none is needed. The Action Input: is empty.",
            "Action: refund\nThe action input: 7",
            "<execute_command> is a tag of Cline.",
            "<read_file></read_file>",
            "{\"name\": \"Ada\", \"arguments\": {\"id\": 7}}",
            "{\"name\": \"refund\", \"arguments\": 7}",
            "{\"name\": \"refund\"}",
            "<|channel|>final<|message|>to = all",
            "",
        ] {
            assert_eq!(protocols(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn hostile_texts_are_searched_in_one_pass() {
        for piece in [
            "<",
            "`<tool_call>`",
            "Action Input:",
            "<|channel|>",
            "<execute_command>",
            "[TOOL_CALLS]",
            "Action:\n",
        ] {
            let text = piece.repeat(20_000);
            let started = std::time::Instant::now();
            protocols(&text);
            assert!(started.elapsed().as_secs() < 2, "{piece}");
        }
    }

    #[test]
    fn the_tools_of_cline_are_in_order() {
        assert!(CLINE_TOOLS.is_sorted());
    }
}
