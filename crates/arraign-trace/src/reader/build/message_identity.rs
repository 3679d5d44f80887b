//! Messages of a log of model calls: their speaker, their calls, and the key by which a replayed message is recognized.

use crate::json::{Json, JsonNode, JsonText, parse_lenient};

/// Whether a reply that stopped for this reason is complete, in the words of any provider.
pub(crate) fn is_final(reason: &str) -> bool {
    ["stop", "end_turn", "stop_sequence", "completed", "complete", "refusal"]
        .iter()
        .any(|word| reason.eq_ignore_ascii_case(word))
}

/// Whether a message, or an item of one, makes a call.
pub(crate) fn makes_call(message: &JsonNode) -> bool {
    let kind = message.get("type").and_then(JsonNode::as_str).unwrap_or_default();
    let parts = message.get("content").and_then(JsonNode::as_array).unwrap_or_default();
    ["tool_calls", "function_call", "toolUse"].iter().any(|name| is_filled(message.get(name)))
        || kind.ends_with("_call")
        || kind.ends_with("tool_use")
        || parts.iter().any(makes_call)
}

fn is_filled(value: Option<&JsonNode>) -> bool {
    match value {
        Some(JsonNode::Array(items)) => !items.is_empty(),
        Some(value) => !value.is_null(),
        None => false,
    }
}

/// Whether a message is from the model. An item without a role is a call of the model, or the result of one.
pub(crate) fn is_assistant(message: &JsonNode) -> bool {
    if let Some(role) = message.get("role") {
        return role.as_str() == Some("assistant");
    }
    let kind = message.get("type").and_then(JsonNode::as_str);
    kind.is_some_and(|kind| kind.ends_with("_call"))
}

/// Whether a message, or an item of one, is what the model wrote: said, called or thought.
pub(crate) fn is_of_model(message: &JsonNode) -> bool {
    is_assistant(message)
        || message.get("role").is_none()
            && message.get("type").and_then(JsonNode::as_str) == Some("reasoning")
}

/// Whether `replay` is the reply of a model as a client replays it: with its calls, and its text with other blanks or in
/// part.
pub(crate) fn is_replay<'v, 't: 'v>(
    reply: impl Iterator<Item = &'v JsonNode<'t>>,
    repeated: impl Iterator<Item = &'v JsonNode<'t>>,
) -> bool {
    let reply = Reply::gather(reply);
    let repeated = Reply::gather(repeated);
    let is_same_text = reply.text.contains(&repeated.text) || repeated.text.contains(&reply.text);
    is_same_text && reply.makes_calls_of(&repeated)
}

/// What the model did in a reply: its calls, and its text without blanks.
struct Reply {
    calls: Vec<ReplayedCall>,
    text: String,
}

impl Reply {
    fn gather<'v, 't: 'v>(messages: impl Iterator<Item = &'v JsonNode<'t>>) -> Self {
        let mut reply = Self { calls: Vec::new(), text: String::new() };
        for message in messages {
            gather_calls(message, None, &mut reply.calls);
            gather_text(message, &mut reply.text);
        }
        reply
    }

    /// Whether the calls are those of `other`. A client may write the arguments in its own way, but keeps the ids that the model
    /// gave.
    fn makes_calls_of(&self, other: &Self) -> bool {
        sort_by(&self.calls, |call| &call.meaning) == sort_by(&other.calls, |call| &call.meaning)
            || self.calls.iter().all(|call| call.id.is_some())
                && sort_by(&self.calls, |call| (&call.id, &call.name))
                    == sort_by(&other.calls, |call| (&call.id, &call.name))
    }
}

/// A call in a reply.
struct ReplayedCall {
    id: Option<String>,
    name: String,
    /// The name and the value of the arguments.
    meaning: String,
}

fn sort_by<'c, K: Ord>(calls: &'c [ReplayedCall], key: impl Fn(&'c ReplayedCall) -> K) -> Vec<K> {
    let mut keys: Vec<K> = calls.iter().map(key).collect();
    keys.sort();
    keys
}

/// Gathers the calls of a message. `id` is the one of the record around it.
fn gather_calls(message: &JsonNode, id: Option<&str>, calls: &mut Vec<ReplayedCall>) {
    let id = ["call_id", "id", "toolUseId"].into_iter().find_map(|name| message.get(name)?.as_str()).or(id);
    let lists = ["tool_calls", "content"].into_iter().filter_map(|name| message.get(name)?.as_array());
    for part in lists.flatten() {
        gather_calls(part, None, calls);
    }
    for name in ["function", "function_call", "toolUse"] {
        if let Some(call) = message.get(name) {
            gather_calls(call, id, calls);
        }
    }
    let Some(name) = message.get("name").and_then(JsonNode::as_str) else { return };
    let arguments = ["arguments", "input"].into_iter().find_map(|name| message.get(name));
    if let Some(arguments) = arguments {
        let text = match arguments {
            JsonNode::String(text) if text.trim().is_empty() => "{}".into(),
            JsonNode::String(text) => text.clone(),
            value => value.clone().into_text_or_json().into(),
        };
        let mut meaning = format!("{name}\u{1f}");
        push_arguments(&mut meaning, Some(&JsonNode::String(text)));
        calls.push(ReplayedCall { id: id.map(str::to_owned), name: name.to_owned(), meaning });
    }
}

/// Gathers the text of a message without its blanks.
fn gather_text(message: &JsonNode, text: &mut String) {
    match message.get("content") {
        Some(JsonNode::Array(parts)) => {
            for part in parts.iter().filter_map(|part| part.get("text")?.as_str()) {
                text.extend(part.chars().filter(|letter| !letter.is_whitespace()));
            }
        }
        Some(JsonNode::String(said)) => text.extend(said.chars().filter(|letter| !letter.is_whitespace())),
        _ => {}
    }
}

/// Whether a message may stand for messages that a client cut from the history, or is one that it shortened: an
/// instruction, a text that says so, a result of a call of the run, a message that holds a known one or is part of one.
pub(crate) fn is_shortened<'v, 't: 'v>(
    message: &JsonNode,
    known: impl Iterator<Item = &'v JsonNode<'t>>,
) -> bool {
    const MARKS: [&str; 9] = [
        "summar",
        "compact",
        "omitted",
        "truncated",
        "trimmed",
        "removed",
        "earlierconversation",
        "previousconversation",
        "conversationsofar",
    ];
    let role = message.get("role").and_then(JsonNode::as_str).unwrap_or_default();
    if matches!(role, "system" | "developer") {
        return true;
    }
    if makes_call(message) {
        return false;
    }
    let mut text = String::new();
    gather_text(message, &mut text);
    let folded = text.to_lowercase();
    let answered = find_answered(message);
    MARKS.iter().any(|mark| folded.contains(mark)) && answered.is_none()
        || known.into_iter().any(|known| {
            let mut said = String::new();
            match answered {
                Some(id) => find_answered(known) == Some(id),
                None if known.get("role").and_then(JsonNode::as_str) != Some(role) => false,
                None => {
                    gather_text(known, &mut said);
                    !said.is_empty() && !text.is_empty() && (said.contains(&text) || text.contains(&said))
                }
            }
        })
}

/// Finds the id of the call that a message answers.
fn find_answered<'v>(message: &'v JsonNode) -> Option<&'v str> {
    let id = ["tool_call_id", "call_id", "tool_use_id"].iter().find_map(|name| message.get(name)?.as_str());
    id.or_else(|| message.pointer("/toolResult/toolUseId")?.as_str())
        .or_else(|| message.get("content")?.as_array()?.iter().find_map(find_answered))
}

/// Builds the key by which a replayed message is recognized: the role, the text, and the ids of calls and results. Other
/// fields differ between a reply and its replay, because writers add and drop empty fields and wrap text in parts.
pub(crate) fn identity(message: &JsonNode) -> String {
    let mut key = String::new();
    // A separator after each text keeps neighbouring fields apart, so that `a`, `bc` and `ab`, `c` give different
    // keys.
    for name in ["role", "tool_call_id", "name"] {
        push(&mut key, message.get(name));
    }
    // Items without a role, such as calls and results of the Responses API, are known by their own fields.
    if message.get("role").is_none() {
        for name in ["type", "call_id", "input", "output"] {
            push(&mut key, message.get(name));
        }
        push_arguments(&mut key, message.get("arguments"));
    }
    match message.get("content") {
        Some(JsonNode::Array(parts)) => parts.iter().for_each(|part| push_part(&mut key, part)),
        content => push(&mut key, content),
    }
    let calls = message.get("tool_calls").and_then(JsonNode::as_array);
    calls.into_iter().flatten().for_each(|call| push_part(&mut key, call));
    key
}

fn push_part(key: &mut String, part: &JsonNode) {
    const NAMES: [&str; 7] = [
        "text",
        "id",
        "tool_use_id",
        "content",
        "/function/name",
        "/toolUse/toolUseId",
        "/toolResult/toolUseId",
    ];
    for name in NAMES {
        let value = if name.starts_with('/') { part.pointer(name) } else { part.get(name) };
        push(key, value);
    }
    push_arguments(key, part.pointer("/function/arguments"));
}

/// Adds the arguments of a call by their value: a client may write them with other blanks than the model did, with their
/// keys in another order, and a number in another form.
fn push_arguments(key: &mut String, arguments: Option<&JsonNode>) {
    let Some(text) = arguments.and_then(JsonNode::as_str) else { return };
    match parse_lenient(text) {
        Ok(value) => push_sorted(key, &value),
        Err(_) => key.push_str(text),
    }
    key.push('\u{1f}');
}

fn push_sorted(key: &mut String, value: &Json) {
    match value {
        Json::Object(entries) => {
            let mut entries: Vec<(&JsonText, &Json)> = entries.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            for (name, value) in entries {
                key.push_str(name);
                key.push(':');
                push_sorted(key, value);
            }
            key.push('}');
        }
        Json::Array(items) => {
            for item in items {
                push_sorted(key, item);
            }
            key.push(']');
        }
        Json::String(text) => {
            key.push_str(text);
            key.push('\u{1e}');
        }
        Json::Number(number) if number.is_f64() => {
            // JavaScript writes `1.0` as `1`.
            let number = number.as_f64().unwrap_or_default().to_string();
            key.push_str(&number);
            key.push(',');
        }
        value => {
            key.push_str(&value.to_string());
            key.push(',');
        }
    }
}

fn push(key: &mut String, value: Option<&JsonNode>) {
    if let Some(text) = value.and_then(JsonNode::as_str).filter(|text| !text.is_empty()) {
        key.push_str(text);
        key.push('\u{1f}');
    }
}
