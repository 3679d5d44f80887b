//! The tools that a file offers. A text that is JSON is a call if it names one of them, and two tools that are offered side by
//! side are two.

use std::collections::{BTreeSet, HashSet};

use crate::reader::build::tool_name::split_common_names;
use crate::reader::json::input::InputSource;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::trace::{Arguments, Call, OfferedTool, ToolServer, Trace};

/// The keys of lists of definitions.
const LISTS: [&str; 6] = [
    "tools",
    "functions",
    "function_tools",
    "tool_definitions",
    "available_tools",
    "gen_ai.tool.definitions",
];

/// The keys of the server that a list of definitions comes from.
const SERVERS: [&str; 3] = ["server_label", "server_name", "mcp_server_name"];

/// The keys of what a tool was given or gave: a list of tools in there is no offer.
const NO_OFFERS: [&str; 6] =
    ["arguments", "args", "tool_input", "tool_output", "functionResponse", "function_response"];

/// Notes the texts that are JSON and call a tool that the file offers, and, of a file with a single run (`is_alone`), the offered
/// tools. Which run of several was offered what is not known: a run of a large file is read without the others.
pub(crate) fn note_offered_tools(runs: &mut [Trace], source: InputSource, is_alone: bool) {
    let may_hold_call = runs.iter().any(Trace::may_hold_json_call);
    let has_call = || runs.iter().any(|run| !run.calls.is_empty());
    // The search parses the file once more. It runs only if the file has a list of definitions.
    let may_be_known = is_alone && has_call() && source.has_text(mentions_list);
    if !may_hold_call && !may_be_known {
        return;
    }
    let mut offers = BTreeSet::new();
    for record in source.parse_where(mentions_list) {
        collect_offers(&record.value, &ToolServer::NotRecorded, &mut offers);
    }
    if offers.is_empty() {
        return;
    }
    if may_hold_call {
        let names: HashSet<&str> = offers.iter().map(|(name, _)| name.as_str()).collect();
        for run in &mut *runs {
            run.note_text_calls(&|name| names.contains(name));
        }
    }
    if is_alone && let [run] = runs {
        run.offered = list_tools(offers);
    }
}

fn mentions_list(text: &str) -> bool {
    LISTS.iter().any(|key| {
        let mut found = text.match_indices(key);
        found.any(|(at, key)| text[..at].ends_with('"') && text[at + key.len()..].starts_with('"'))
    })
}

/// The tools with their servers, which hosts write into names.
fn list_tools(offers: BTreeSet<(String, ToolServer)>) -> Vec<OfferedTool> {
    let calls = offers.into_iter().map(|(name, server)| {
        let mut call = Call::new(name, Arguments::none(), 1);
        call.server = server;
        call
    });
    let mut named = Trace { calls: calls.collect(), ..Trace::default() };
    split_common_names(&mut named);
    let tools = named.calls.into_iter();
    tools
        .map(|call| OfferedTool { written: call.written, ..OfferedTool::new(call.name, call.server) })
        .collect()
}

/// Collects the names of the tools that a value defines, at any depth, each with its server.
fn collect_offers(value: &Json, server: &ToolServer, offers: &mut BTreeSet<(String, ToolServer)>) {
    match value {
        Json::List(items) => items.iter().for_each(|item| collect_offers(item, server, offers)),
        Json::Object(object) => {
            let server = find_server(object).unwrap_or_else(|| server.clone());
            for (key, value) in object.entries() {
                match key.as_ref() {
                    key if LISTS.contains(&key) => collect_names(value, &server, offers),
                    key if NO_OFFERS.contains(&key) => {}
                    _ => collect_offers(value, &server, offers),
                }
            }
        }
        _ => {}
    }
}

fn find_server(object: &Object) -> Option<ToolServer> {
    let name = SERVERS.iter().find_map(|key| object.text_under(key))?;
    Some(ToolServer::Named(name.to_string()))
}

/// Collects the names in a list of definitions: providers put each into an object of its own, with its schema beside it.
fn collect_names(value: &Json, server: &ToolServer, offers: &mut BTreeSet<(String, ToolServer)>) {
    match value {
        Json::List(items) => items.iter().for_each(|item| collect_names(item, server, offers)),
        Json::Text(name) => drop(offers.insert((name.to_string(), server.clone()))),
        Json::Object(object) => {
            let server = find_server(object).unwrap_or_else(|| server.clone());
            offers.extend(object.text_under("name").map(|name| (name.to_string(), server.clone())));
            for key in ["function", "toolSpec", "functionDeclarations", "function_declarations", "tools"] {
                object.get(key).into_iter().for_each(|inner| collect_names(inner, &server, offers));
            }
        }
        _ => {}
    }
}
