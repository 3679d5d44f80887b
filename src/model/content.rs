//! The content of a request, by which its recorded reply is found.
//!
//! The content is the method, the path and the body, without what differs between runs and does not change the answer: keys
//! about accounting and delivery, ids of calls, and what the user ignores. Ids are numbered in the order in which they appear.

use std::borrow::Cow;

use regex::Regex;

use super::exchange::RecordedRequest;
use crate::case::ModelSettings;
use crate::json::{Json, JsonMap, JsonText};
use crate::yaml::unescape_token;

/// Keys of a body that do not change what the model says.
const IGNORED_KEYS: [&str; 8] = [
    "stream",
    "user",
    "metadata",
    "client_metadata",
    "store",
    "stream_options",
    "prompt_cache_key",
    "safety_identifier",
];

/// Keys whose value is the id of a call or of an item.
const ID_KEYS: [&str; 5] = ["tool_call_id", "call_id", "tool_use_id", "previous_response_id", "item_id"];

/// Types of objects whose `id` is the id of a call or of an item.
const TYPES_WITH_ID: [&str; 11] = [
    "function",
    "custom",
    "tool_use",
    "server_tool_use",
    "mcp_tool_use",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "additional_tools",
    "reasoning",
];

/// The text in place of what the user ignores.
const IGNORED: &str = "(ignored)";

/// The parts in which two requests may differ.
#[derive(Debug, Clone, Default)]
pub(super) struct ContentRules {
    /// JSON pointers into the body.
    ignore: Vec<String>,
    /// Parts of texts.
    ignore_text: Vec<Regex>,
    /// Whether ids and the keys about accounting count, too.
    is_literal: bool,
}

/// The content of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequestContent {
    /// Provider, method and path.
    pub(super) target: String,
    /// Whether the client asks for a stream: a reply in the other form would not be understood.
    pub(super) streamed: bool,
    /// The body that is compared, with sorted keys.
    pub(super) body: Json,
}

impl RequestContent {
    /// Returns the text by which equal requests are found.
    pub(super) fn key(&self) -> String {
        format!("{} {} {}", self.target, self.streamed, self.body)
    }
}

impl ContentRules {
    /// Takes the rules from the settings of an agent. Their patterns were checked when the file was read.
    pub(super) fn new(settings: &ModelSettings) -> Self {
        let patterns = settings.ignore_text.iter();
        Self {
            ignore: settings.ignore.clone(),
            ignore_text: patterns.filter_map(|pattern| Regex::new(pattern).ok()).collect(),
            is_literal: false,
        }
    }

    /// The rules by which only the order of keys does not count.
    pub(super) fn literal() -> Self {
        Self { is_literal: true, ..Self::default() }
    }

    /// Reduces a request to its content.
    pub(super) fn reduce(&self, request: &RecordedRequest) -> RequestContent {
        let mut body = request.body.clone();
        // The user's pointers are removed first, while indices of lists are still those of the request.
        for pointer in &self.ignore {
            remove_pointer(&mut body, pointer);
        }
        if let (Json::Object(entries), false) = (&mut body, self.is_literal) {
            entries.retain(|key, _| !IGNORED_KEYS.contains(&key));
        }
        // Ids are numbered over the whole request, so that a call and its result keep the same number.
        let mut ids = Vec::new();
        self.reduce_value(&mut body, &mut ids);
        let target = format!("{} {} {}", request.to, request.method, request.path);
        RequestContent { target, streamed: !self.is_literal && request.is_streamed(), body }
    }

    fn reduce_value(&self, value: &mut Json, ids: &mut Vec<String>) {
        match value {
            Json::String(text) => self.reduce_text(text),
            // Clients write one number in several forms.
            Json::Number(number) => *number = number.to_canonical(),
            Json::Array(items) => {
                for item in items {
                    self.reduce_value(item, ids);
                }
            }
            Json::Object(entries) => {
                // The order of keys is no content: clients differ in it.
                entries.sort_keys();
                let is_call = is_call(entries);
                for (key, value) in entries.iter_mut() {
                    let is_id = ID_KEYS.contains(&key.as_str()) || key == "id" && is_call;
                    match value {
                        Json::String(id) if !self.is_literal && is_id => *id = number_id(id, ids).into(),
                        value => self.reduce_value(value, ids),
                    }
                }
            }
            _ => {}
        }
    }

    fn reduce_text(&self, text: &mut JsonText) {
        for pattern in &self.ignore_text {
            if let Cow::Owned(reduced) = pattern.replace_all(text, IGNORED) {
                *text = reduced.into();
            }
        }
    }
}

/// Whether the `id` of an object names a call or an item. Gemini's calls have no type. A bare `id` may be an id of the
/// application, such as an order's: it must stand beside a call's keys.
fn is_call(entries: &JsonMap) -> bool {
    let kind = entries.get("type").and_then(Json::as_str);
    kind.is_some_and(|kind| TYPES_WITH_ID.contains(&kind))
        || entries.contains_key("function")
        || kind == Some("message")
        || entries.contains_key("name") && (entries.contains_key("args") || entries.contains_key("response"))
}

/// Replaces an id by the number of its first appearance.
fn number_id(id: &str, ids: &mut Vec<String>) -> String {
    let known = ids.iter().position(|known| known == id).unwrap_or_else(|| {
        ids.push(id.to_owned());
        ids.len() - 1
    });
    format!("#{}", known + 1)
}

fn remove_pointer(body: &mut Json, pointer: &str) {
    let Some((parent, last)) = pointer.rsplit_once('/') else { return };
    let last = unescape_token(last);
    match body.pointer_mut(parent) {
        Some(Json::Object(entries)) => {
            entries.remove(last.as_ref());
        }
        Some(Json::Array(items)) => {
            // An item is not removed, because the pointers behind it would move.
            if let Some(item) = last.parse().ok().and_then(|index: usize| items.get_mut(index)) {
                *item = Json::String(IGNORED.to_owned().into());
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    fn key(settings: &ModelSettings, body: Json) -> String {
        let request = RecordedRequest {
            to: "openai".to_owned(),
            method: "POST".to_owned(),
            path: "/v1/chat/completions".to_owned(),
            body,
        };
        ContentRules::new(settings).reduce(&request).key()
    }

    #[test]
    fn accounting_and_the_order_of_keys_are_no_content() {
        let plain = ModelSettings::default();
        let one = key(&plain, json!({"model": "m", "messages": [], "user": "a", "metadata": {"x": 1}}));
        assert_eq!(one, key(&plain, json!({"messages": [], "model": "m", "prompt_cache_key": "k"})));
        assert_eq!(
            one,
            key(&plain, json!({"messages": [], "model": "m", "client_metadata": {"turn_id": "t"}}))
        );
        assert_ne!(one, key(&plain, json!({"messages": [], "model": "n"})));
        assert_ne!(one, key(&plain, json!({"messages": [], "model": "m", "stream": true})));
    }

    #[test]
    fn ids_count_by_the_order_of_their_appearance() {
        let plain = ModelSettings::default();
        let body = |one: &str, other: &str, answered: &str| {
            let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f"}});
            json!({"messages": [{"tool_calls": [call(one), call(other)]}, {"tool_call_id": answered}]})
        };
        assert_eq!(key(&plain, body("a", "b", "a")), key(&plain, body("x", "y", "x")));
        assert_ne!(key(&plain, body("a", "b", "a")), key(&plain, body("x", "y", "y")));
        let output = |id: &str| json!({"input": [{"type": "function_call_output", "id": id, "call_id": "c", "output": "x"}]});
        assert_eq!(key(&plain, output("fco_1")), key(&plain, output("fco_2")));
        assert_ne!(
            key(&plain, json!({"tools": [{"id": "a"}]})),
            key(&plain, json!({"tools": [{"id": "b"}]}))
        );
    }

    #[test]
    fn pointers_and_parts_of_texts_are_ignored() {
        let settings = ModelSettings {
            ignore: vec!["/seed".to_owned(), "/messages/0/content".to_owned()],
            ignore_text: vec![r"\d{4}-\d\d-\d\d".to_owned()],
            ..ModelSettings::default()
        };
        let body = |seed: u32, day: &str, text: &str| json!({"seed": seed, "messages": [{"content": text}, {"content": format!("today is {day}")}]});
        assert_eq!(key(&settings, body(1, "2026-11-22", "a")), key(&settings, body(2, "2026-11-23", "b")));
        assert_ne!(key(&settings, body(1, "tomorrow", "a")), key(&settings, body(1, "2026-11-23", "a")));
    }
}
