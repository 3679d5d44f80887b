//! Messages of clients before the protocol reads them: a call that the protocol refuses was tried all the same.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::json::check_keys;
use crate::json::{self, Json, parse_first_lenient};

/// The method of a call.
const CALL: &str = "tools/call";

/// The method with which another process of arraign tells of a message that its client sent.
pub(super) const TELL: &str = "arraign/tell";

/// What a message is to the mock tools.
#[derive(Debug, PartialEq)]
pub(super) enum Inspected {
    /// A message that the protocol can read, or one that calls no tool.
    Readable,
    /// A call that nobody can attribute. The text is a sentence.
    Fault(String),
    /// A call of a known name with arguments that no tool takes.
    Unusable(UnusableCall),
}

/// A call with arguments that no tool takes.
#[derive(Debug, PartialEq)]
pub(super) struct UnusableCall {
    /// The id of the request.
    pub(super) id: Json,
    /// The name of the tool.
    pub(super) name: String,
    /// The arguments as they were sent.
    pub(super) raw: String,
    /// Why no tool takes them.
    pub(super) problem: String,
}

/// A message. A key that is given twice is an error here, since a server may take either.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only asked whether each key is there once")]
struct CallMessage {
    #[serde(default)]
    jsonrpc: IgnoredAny,
    #[serde(default)]
    id: IgnoredAny,
    #[serde(default)]
    params: IgnoredAny,
}

#[derive(Deserialize)]
struct OneName {
    #[serde(default)]
    #[expect(dead_code, reason = "only asked whether it is there once")]
    params: CallParams,
}

#[derive(Default, Deserialize)]
struct CallParams {
    #[serde(default)]
    #[expect(dead_code, reason = "only asked whether it is there once")]
    name: IgnoredAny,
    #[serde(default)]
    #[expect(dead_code, reason = "only asked whether it is there once")]
    arguments: IgnoredAny,
}

/// Returns the message that another process tells of.
pub(super) fn find_told(text: &str) -> Option<String> {
    // A client may write the method into its arguments, so the message is parsed.
    let message: Json = text.contains(TELL).then(|| json::parse_lenient(text).ok()).flatten()?;
    let told = message["params"]["text"].as_str().filter(|_| message["method"] == TELL)?;
    Some(told.to_owned())
}

/// Inspects the message of a client.
pub(super) fn inspect_message(text: &str) -> Inspected {
    // Most messages call no tool.
    if !text.contains(CALL) && !text.contains("tools\\/call") {
        return Inspected::Readable;
    }
    let fault = |problem: &str| Inspected::Fault(describe_fault(problem));
    let Ok(message) = json::parse_lenient(text) else { return fault("in a message that is no JSON") };
    let message = match message {
        Json::Array(messages) if messages.iter().any(is_call) => {
            return fault("in a batch, which the mock server does not read");
        }
        message if !is_call(&message) => return Inspected::Readable,
        message => message,
    };
    if let Err(error) = json::parse_borrowed(text).and_then(CallMessage::deserialize) {
        return fault(&format!("that cannot be read: {}", strip_place(&error.to_string())));
    }
    inspect_call(text, &message)
}

fn describe_fault(problem: &str) -> String {
    format!("the agent sent a `{CALL}` {problem}")
}

/// Inspects a message that calls a tool.
fn inspect_call(text: &str, message: &Json) -> Inspected {
    let fault = |problem: &str| Inspected::Fault(describe_fault(problem));
    if message["jsonrpc"] != "2.0" {
        return fault("without `\"jsonrpc\": \"2.0\"`");
    }
    if message["id"].is_null() {
        return fault("without an id, as a notification, which gets no answer");
    }
    let (name, arguments) = match &message["params"] {
        Json::Object(fields) => (fields.get("name"), fields.get("arguments")),
        // By position: the name, then the arguments.
        Json::Array(fields) => (fields.first(), Some(&message["params"])),
        _ => (None, None),
    };
    let Some(name) = name.and_then(Json::as_str) else { return fault("that names no tool") };
    if message["params"].is_object()
        && let Err(error) = json::parse_borrowed(text).and_then(OneName::deserialize)
    {
        return fault(&format!("that cannot be read: {}", strip_place(&error.to_string())));
    }
    let unusable = |raw: String, problem: &str| {
        let id = message["id"].clone();
        let name = name.to_owned();
        Inspected::Unusable(UnusableCall { id, name, raw, problem: problem.to_owned() })
    };
    match arguments {
        Some(Json::Object(_) | Json::Null) | None => match check_keys(text) {
            Ok(()) => Inspected::Readable,
            // Both keys of the message and of its parameters are unique, so the second key is among the arguments.
            Err(_) => unusable(slice_arguments(text), "the arguments have a key twice"),
        },
        Some(Json::String(text)) => unusable(text.to_string(), "the arguments are a text, not an object"),
        Some(value) => unusable(value.to_string(), "the arguments are no object"),
    }
}

fn is_call(message: &Json) -> bool {
    message["method"] == CALL
}

/// A message of the parser without its place in a text that the user does not see.
fn strip_place(message: &str) -> &str {
    message.split(" at line ").next().unwrap_or(message)
}

/// The arguments as they stand in a message that is valid JSON.
fn slice_arguments(text: &str) -> String {
    const KEY: &str = "\"arguments\"";
    let found = text.match_indices(KEY).find_map(|(at, _)| {
        let rest = text[at + KEY.len()..].trim_start().strip_prefix(':')?;
        let (_, length) = parse_first_lenient(rest).ok()?;
        let raw = rest[..length].trim();
        check_keys(raw).is_err().then(|| raw.to_owned())
    });
    found.unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        match inspect_message(text) {
            Inspected::Fault(problem) => problem,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn unusable(text: &str) -> (String, String) {
        match inspect_message(text) {
            Inspected::Unusable(call) => (call.name, call.raw),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_call_that_the_protocol_reads_is_left_to_it() {
        for text in [
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "arguments": {"x": 1}}}"#,
            r#"{"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "a"}}"#,
            r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#,
            r#"{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"reason": "tools/call"}}"#,
            "not JSON",
        ] {
            assert_eq!(inspect_message(text), Inspected::Readable, "{text}");
        }
    }

    #[test]
    fn a_call_that_nobody_can_attribute_is_a_fault() {
        let call = r#""method": "tools/call", "params": {"name": "a"}"#;
        assert!(fault(&format!(r#"[{{"jsonrpc": "2.0", "id": 1, {call}}}]"#)).contains("batch"));
        assert!(fault(&format!(r#"{{"jsonrpc": "2.0", {call}}}"#)).contains("notification"));
        assert!(fault(&format!(r#"{{"id": 1, {call}}}"#)).contains("jsonrpc"));
        assert!(fault(&format!(r#"{{"jsonrpc": "2.0", "id": 1, "id": 2, {call}}}"#)).contains("duplicate"));
        for params in [r#"{"name": "a", "name": "b"}"#, r#"{"arguments": {}}"#, r#"[{"name": "a"}]"#, "null"]
        {
            fault(&format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}"#));
        }
        fault(r#"{"method": "tools/call", "params": {"name": "a""#);
    }

    #[test]
    fn a_call_with_unusable_arguments_keeps_them_as_they_were_sent() {
        for (params, raw) in [
            (r#"{"name": "a", "arguments": "{\"id\": 7}"}"#, r#"{"id": 7}"#),
            (r#"{"name": "a", "arguments": [7]}"#, "[7]"),
            (r#"["a", {"id":7}]"#, r#"["a",{"id":7}]"#),
            (r#"{"name": "a", "arguments": {"id": 7, "id": 8}}"#, r#"{"id": 7, "id": 8}"#),
        ] {
            let text =
                format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {params}}}"#);
            assert_eq!(unusable(&text), ("a".to_owned(), raw.to_owned()), "{text}");
        }
    }
}
