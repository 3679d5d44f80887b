//! The tools that a file offers, for texts that are JSON: such a text is a call if it names one of them.

use std::collections::HashSet;

use crate::reader::json::input::InputSource;
use crate::reader::json::value::Json;
use crate::trace::Trace;

/// Notes the texts that are JSON and call a tool that the file offers.
pub(crate) fn note_offered_calls(runs: &mut [Trace], source: InputSource) {
    // The search parses the file once more. Few models write an object with a name and arguments.
    if !runs.iter().any(Trace::may_hold_json_call) {
        return;
    }
    let mut names = HashSet::new();
    for record in source.parse_again() {
        collect_offers(&record.value, &mut names);
    }
    if !names.is_empty() {
        for run in runs {
            run.note_text_calls(&|name| names.contains(name));
        }
    }
}

/// Collects the names of the tools that a value defines, at any depth.
fn collect_offers(value: &Json, names: &mut HashSet<String>) {
    match value {
        Json::List(items) => items.iter().for_each(|item| collect_offers(item, names)),
        Json::Object(object) => {
            for (key, value) in object.entries() {
                match key.as_ref() {
                    "tools"
                    | "functions"
                    | "tool_definitions"
                    | "available_tools"
                    | "gen_ai.tool.definitions" => {
                        collect_names(value, names);
                    }
                    _ => collect_offers(value, names),
                }
            }
        }
        _ => {}
    }
}

/// Collects the names in a list of definitions: providers put each into an object of its own, with its schema beside it.
fn collect_names(value: &Json, names: &mut HashSet<String>) {
    match value {
        Json::List(items) => items.iter().for_each(|item| collect_names(item, names)),
        Json::Text(name) => drop(names.insert(name.to_string())),
        Json::Object(object) => {
            names.extend(object.text_under("name").map(ToString::to_string));
            for key in ["function", "toolSpec", "functionDeclarations", "function_declarations", "tools"] {
                object.get(key).into_iter().for_each(|inner| collect_names(inner, names));
            }
        }
        _ => {}
    }
}
