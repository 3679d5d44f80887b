//! The difference between a request and a recorded one, as a list of edits that a person reads.

use super::content::RequestContent;
use super::messages::{MESSAGE_LISTS, TOOL_RESULT, list_tools, name_message, name_tool};
use crate::json::{Json, JsonMap};
use crate::secrets::quote_difference;
use crate::yaml::render_plain;

/// The largest number of edits in a message.
const MAX_EDITS: usize = 6;

/// One difference between two requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestEdit {
    text: String,
    /// The text of a tool's result differs, and nothing else of its message.
    in_result: bool,
}

impl From<String> for RequestEdit {
    fn from(text: String) -> Self {
        Self { text, in_result: false }
    }
}

/// Returns the index of the recorded request that needs the fewest edits to become `request`, and the edits. Requests to
/// another path are compared only if no request goes to the same path.
pub(super) fn find_nearest(
    recorded: &[RequestContent],
    request: &RequestContent,
) -> Option<(usize, Vec<RequestEdit>)> {
    let to_same_path = recorded.iter().any(|content| content.target == request.target);
    let candidates = recorded.iter().enumerate();
    let candidates = candidates.filter(|(_, content)| !to_same_path || content.target == request.target);
    let edited = candidates.map(|(index, content)| (index, list_edits(content, request)));
    edited.min_by_key(|(_, edits)| edits.len())
}

/// Renders the first edits, one per line.
pub(super) fn render_edits(edits: &[RequestEdit]) -> String {
    let shown = edits.iter().take(MAX_EDITS);
    let mut lines: Vec<String> = shown.map(|edit| format!("\n  {}", edit.text)).collect();
    if edits.len() > MAX_EDITS {
        lines.push(format!("\n  and {} more differences", edits.len() - MAX_EDITS));
    }
    lines.concat()
}

/// Whether the requests differ only in what tools answered: a recording of another run differs there as well.
pub(super) fn differ_in_results(edits: &[RequestEdit]) -> bool {
    !edits.is_empty() && edits.iter().all(|edit| edit.in_result)
}

fn list_edits(old: &RequestContent, new: &RequestContent) -> Vec<RequestEdit> {
    let mut edits = Vec::new();
    if old.target != new.target {
        edits.push(format!("request: {} -> {}", old.target, new.target).into());
    }
    if old.streamed != new.streamed {
        let [before, after] =
            [old, new].map(|request| if request.streamed { "streamed" } else { "not streamed" });
        edits.push(format!("reply: {before} -> {after}").into());
    }
    let empty = JsonMap::new();
    let before = old.body.as_object().unwrap_or(&empty);
    let after = new.body.as_object().unwrap_or(&empty);
    let added = after.keys().filter(|key| !before.contains_key(key));
    for key in before.keys().chain(added) {
        let one = &old.body[key];
        let other = &new.body[key];
        // Messages and tools have names that a person knows. All else is shown by its key.
        match (one, other) {
            _ if one == other => {}
            (Json::Array(one), Json::Array(other)) if MESSAGE_LISTS.contains(&key.as_str()) => {
                list_message_edits(one, other, &mut edits);
            }
            (Json::Array(one), Json::Array(other)) if key == "tools" => {
                list_tool_edits(one, other, &mut edits);
            }
            _ => list_leaf_edits(&format!("`{key}`"), one, other, &mut edits),
        }
    }
    // A body that is no object has no keys to compare.
    if old.body != new.body && edits.is_empty() {
        list_leaf_edits("body", &old.body, &new.body, &mut edits);
    }
    edits
}

/// Lists the edits between two lists of messages. A conversation grows at its end and is mostly edited in one place, so the
/// equal messages at both ends are left out and the rest is compared one by one.
fn list_message_edits(old: &[Json], new: &[Json], edits: &mut Vec<RequestEdit>) {
    let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let old_rest = &old[start..];
    let new_rest = &new[start..];
    let end =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let old_rest = &old_rest[..old_rest.len() - end];
    let new_rest = &new_rest[..new_rest.len() - end];
    for at in 0..old_rest.len().max(new_rest.len()) {
        let number = start + at + 1;
        match (old_rest.get(at), new_rest.get(at)) {
            (Some(one), Some(other)) => {
                let name = name_message(other);
                let before = edits.len();
                list_leaf_edits(&format!("message {number}, {name}"), one, other, edits);
                edits[before..].iter_mut().for_each(|edit| edit.in_result = name == TOOL_RESULT);
            }
            (None, Some(only)) | (Some(only), None) => {
                let what = if at < old_rest.len() { "missing" } else { "new" };
                let name = name_message(only);
                let end = quote_end(only);
                edits.push(format!("message {number}, {name}, is {what}: {end}").into());
            }
            (None, None) => {}
        }
    }
}

/// Lists the edits between two lists of tools, which are compared by name.
fn list_tool_edits(old: &[Json], new: &[Json], edits: &mut Vec<RequestEdit>) {
    let before = edits.len();
    let old = list_tools(old);
    let new = list_tools(new);
    for tool in &new {
        let name = name_tool(tool);
        match old.iter().find(|known| name_tool(known) == name) {
            None => edits.push(format!("tool `{name}` is new").into()),
            Some(known) => list_leaf_edits(&format!("tool `{name}`"), known, tool, edits),
        }
    }
    for tool in old.iter().filter(|tool| new.iter().all(|known| name_tool(known) != name_tool(tool))) {
        edits.push(format!("tool `{}` is missing", name_tool(tool)).into());
    }
    // The lists differ, so if no tool does, it is their order.
    if edits.len() == before {
        edits.push("the order of the tools has changed".to_owned().into());
    }
}

/// Lists the values that differ, each with its place below `what`. The text of a message needs no further place.
fn list_leaf_edits(what: &str, old: &Json, new: &Json, edits: &mut Vec<RequestEdit>) {
    match (old, new) {
        _ if old == new => {}
        (Json::Object(one), Json::Object(other)) => {
            let added = other.keys().filter(|key| !one.contains_key(key));
            for key in one.keys().chain(added) {
                // Keys that are only about the form of a message would make the place longer, and no clearer.
                let is_text = ["content", "text", "output", "parts", "function"].contains(&key.as_str());
                let place = if is_text { what.to_owned() } else { format!("{what}, `{key}`") };
                list_leaf_edits(&place, &old[key], &new[key], edits);
            }
        }
        // Lists of another length are shown as a whole: their items cannot be paired by their places.
        (Json::Array(one), Json::Array(other)) if one.len() == other.len() => {
            one.iter().zip(other).for_each(|(one, other)| list_leaf_edits(what, one, other, edits));
        }
        _ => {
            let [one, other] = quote_difference(&render_plain(old), &render_plain(new));
            edits.push(format!("{what}: {one} -> {other}").into());
        }
    }
}

fn quote_end(message: &Json) -> String {
    let text = ["content", "text", "output", "arguments"].iter().find_map(|key| message[*key].as_str());
    let text = text.map_or_else(|| message.to_string(), str::to_owned);
    let [quoted, _] = quote_difference(&text, "");
    quoted
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    fn content(body: Json) -> RequestContent {
        RequestContent { target: "openai POST /v1/chat/completions".to_owned(), streamed: false, body }
    }

    fn edits(old: Json, new: Json) -> Vec<String> {
        list_edits(&content(old), &content(new)).into_iter().map(|edit| edit.text).collect()
    }

    #[test]
    fn a_changed_message_is_named_with_both_texts() {
        let body = |system: &str, result: &str| {
            json!({"model": "m", "messages": [{"role": "system", "content": system},
                {"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "#1", "content": result}]})
        };
        assert_eq!(
            edits(body("a", "shipped"), body("a", "lost at sea")),
            ["message 3, tool result: \"shipped\" -> \"lost at sea\""]
        );
        assert_eq!(edits(body("a", "x"), body("b", "x")), ["message 1, system message: \"a\" -> \"b\""]);
    }

    #[test]
    fn functions_in_a_group_and_tools_of_the_provider_are_named() {
        let body = |functions: &[&str], other: &str| {
            let functions: Vec<Json> = functions.iter().map(|name| json!({"name": name})).collect();
            json!({"tools": [{"functionDeclarations": functions}, {other: {}}]})
        };
        assert_eq!(
            edits(body(&["f", "g"], "googleSearch"), body(&["f", "h"], "urlContext")),
            [
                "tool `h` is new",
                "tool `urlContext` is new",
                "tool `g` is missing",
                "tool `googleSearch` is missing"
            ]
        );
    }

    #[test]
    fn new_messages_tools_and_settings_are_named() {
        let old = json!({"model": "a", "messages": [{"role": "user", "content": "hi"}],
            "tools": [{"function": {"name": "f", "description": "x"}}, {"function": {"name": "g"}}]});
        let new = json!({"model": "b", "messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": "more"}],
            "tools": [{"function": {"name": "f", "description": "y"}}, {"function": {"name": "h"}}]});
        assert_eq!(
            edits(old, new),
            [
                "`model`: \"a\" -> \"b\"",
                "message 2, user message, is new: \"more\"",
                "tool `f`, `description`: \"x\" -> \"y\"",
                "tool `h` is new",
                "tool `g` is missing"
            ]
        );
    }

    #[test]
    fn the_nearest_request_is_the_one_with_the_fewest_edits() {
        let of = |model: &str, text: &str| {
            content(json!({"model": model, "messages": [{"role": "user", "content": text}]}))
        };
        let recorded = [of("x", "one"), of("m", "two"), of("y", "three")];
        let (index, edits) = find_nearest(&recorded, &of("m", "three!")).expect("there is one");
        assert_eq!((index, edits.len()), (1, 1));
    }
}
