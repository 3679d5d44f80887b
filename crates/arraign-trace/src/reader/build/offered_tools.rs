//! The tools that a file offers. A text that is JSON is a call if it names one of them, and two tools that are offered side by
//! side are two.

use std::collections::{BTreeSet, HashSet};

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::tool_name::split_common_names;
use crate::reader::json::input::Record;
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

/// The tools that the records of a file define, each with its server.
#[derive(Debug, Default)]
pub(crate) struct OfferedTools(BTreeSet<(String, ToolServer)>);

impl OfferedTools {
    /// Collects the tools that the records define, at any depth.
    pub(crate) fn of(records: &[Record]) -> Self {
        let mut offers = BTreeSet::new();
        for record in records {
            collect_offers(&record.value, None, &mut offers);
        }
        Self(offers)
    }

    /// Notes the texts that are JSON and call one of the tools, and, of a file with a single run (`is_alone`), the tools.
    /// Which run of several was offered what is not known: a run of a large file is read without the others.
    pub(crate) fn note(self, runs: &mut [Trace], is_alone: bool) {
        if self.0.is_empty() {
            return;
        }
        if runs.iter().any(Trace::may_hold_json_call) {
            let names: HashSet<&str> = self.0.iter().map(|(name, _)| name.as_str()).collect();
            for run in &mut *runs {
                run.note_text_calls(&|name| names.contains(name));
            }
        }
        if is_alone
            && let [run] = runs
            && !run.calls.is_empty()
        {
            run.offered = list_tools(self.0);
        }
    }
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
fn collect_offers(value: &JsonNode, server: Option<&str>, offers: &mut BTreeSet<(String, ToolServer)>) {
    match value {
        JsonNode::Array(items) => items.iter().for_each(|item| collect_offers(item, server, offers)),
        JsonNode::Object(object) => {
            let of_object = || find_server(object).or(server);
            for (key, value) in object.iter().filter(|(_, value)| value.is_array() || value.is_object()) {
                match key.as_ref() {
                    key if LISTS.contains(&key) => collect_names(value, of_object(), offers),
                    key if NO_OFFERS.contains(&key) => {}
                    _ => collect_offers(value, of_object(), offers),
                }
            }
        }
        _ => {}
    }
}

fn find_server<'v>(object: &'v JsonObject) -> Option<&'v str> {
    SERVERS.iter().find_map(|key| object.text_under(key))
}

/// Collects the names in a list of definitions: providers put each into an object of its own, with its schema beside it.
fn collect_names(value: &JsonNode, server: Option<&str>, offers: &mut BTreeSet<(String, ToolServer)>) {
    let mut offer = |name: &str, server: Option<&str>| {
        let server = server.map_or(ToolServer::NotRecorded, |server| ToolServer::Named(server.to_owned()));
        offers.insert((name.to_owned(), server));
    };
    match value {
        JsonNode::String(name) => offer(name, server),
        JsonNode::Array(items) => items.iter().for_each(|item| collect_names(item, server, offers)),
        JsonNode::Object(object) => {
            let server = find_server(object).or(server);
            object.text_under("name").into_iter().for_each(|name| offer(name, server));
            for key in ["function", "toolSpec", "functionDeclarations", "function_declarations", "tools"] {
                object.get(key).into_iter().for_each(|inner| collect_names(inner, server, offers));
            }
        }
        _ => {}
    }
}
