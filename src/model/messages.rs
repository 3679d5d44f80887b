//! Names for the messages of a request, as its sender would call them.

use crate::json::{Json, JsonText};
/// The keys of a body under which messages are listed.
pub(super) const MESSAGE_LISTS: [&str; 3] = ["messages", "input", "contents"];

/// The name of a message with what a tool answered.
pub(super) const TOOL_RESULT: &str = "tool result";

/// Returns the name of a message: `user message`, `tool result`, `tool call`.
pub(super) fn name_message(message: &Json) -> &'static str {
    if let Some(kind) = message["type"].as_str().filter(|kind| *kind != "message") {
        return if kind.ends_with("_output") { TOOL_RESULT } else { name_item(kind) };
    }
    // Results of tools are user messages for some providers: what they contain says more than their role.
    if holds(message, &|part| part["type"] == "tool_result" || !part["functionResponse"].is_null()) {
        return TOOL_RESULT;
    }
    match message["role"].as_str() {
        Some("tool" | "function") => TOOL_RESULT,
        Some("user") => "user message",
        Some("assistant" | "model") => "assistant message",
        Some("system" | "developer") => "system message",
        _ => "message",
    }
}

fn name_item(kind: &str) -> &'static str {
    match kind {
        "function_call" | "custom_tool_call" => "tool call",
        "reasoning" => "reasoning",
        _ => "item",
    }
}

fn holds(message: &Json, is_wanted: &dyn Fn(&Json) -> bool) -> bool {
    let parts = ["content", "parts"].iter().filter_map(|key| message[*key].as_array()).flatten();
    parts.into_iter().any(is_wanted)
}

/// Returns the tools of a request one by one. Gemini groups the functions among them.
pub(super) fn list_tools(tools: &[Json]) -> Vec<&Json> {
    let groups = tools.iter().map(|tool| {
        let keys = ["functionDeclarations", "function_declarations"];
        let functions = keys.iter().find_map(|key| tool[*key].as_array());
        functions.map_or_else(|| vec![tool], |functions| functions.iter().collect())
    });
    groups.flatten().collect()
}

/// Returns the name of a tool in a request's list of tools. Tools of the provider itself have a type, or are a key.
pub(super) fn name_tool(tool: &Json) -> &str {
    let name = tool["function"]["name"].as_str().or_else(|| tool["name"].as_str());
    let name = name.or_else(|| tool["type"].as_str());
    name.or_else(|| tool.as_object()?.keys().next().map(JsonText::as_str)).unwrap_or("without a name")
}
