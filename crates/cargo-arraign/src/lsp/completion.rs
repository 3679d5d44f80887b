//! Completion of what no schema can know: tools, arguments and values of the case's own trace, ids of runs, and pointers into
//! the state behind its mock tools.

use std::collections::BTreeMap;

use arraign::__internals::yaml::escape_token;
use arraign::Trace;
use arraign::json::Json;
use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, Position, TextEdit};

use super::document::OpenDocument;
use super::evidence::{find_loaded_case, read_runs_at};
use super::key_path::{find_key_path, find_word_start};
use super::policies::{NamedPolicy, list_policies};
use super::position::{find_offset, find_range};

/// The keys whose values are names of tools.
const TOOL_KEYS: &[&str] = &[
    "after",
    "allow",
    "before",
    "blocklist",
    "deny",
    "expected_tools",
    "first",
    "forbidden",
    "forbidden_tools",
    "name",
    "not_called",
    "required_tools",
    "sequence",
    "then",
    "tool",
    "tool_blocklist",
    "tool_called",
    "tool_sequence",
    "tools",
    "trigger",
];

/// The keys whose values are mappings by the names of tools.
const TOOL_MAPS: &[&str] = &["schema", "schemas"];

/// The keys whose values are mappings by the names of arguments.
const ARGUMENT_MAPS: &[&str] = &["args", "arguments", "parameters"];

/// The keys of the check `state` whose values, or keys, are pointers into the state.
const STATE_KEYS: &[&str] = &["has", "ignore", "unchanged", "unordered"];

/// The keys of mock tools whose values, or keys, are pointers into the state.
const MOCK_KEYS: &[&str] = &["append", "exists_in", "read", "remove", "set"];

/// The most members of one part of the state that are offered.
const MAX_MEMBERS: usize = 200;

/// The longest value that is offered.
const MAX_VALUE_CHARS: usize = 120;

/// The texts that can be written at the cursor, each with its place in the trace.
type Offers = BTreeMap<String, String>;

/// Lists what can be written at `position`.
pub(super) fn complete(document: &OpenDocument, position: Position) -> Vec<CompletionItem> {
    let offset = find_offset(&document.text, position);
    let keys = find_key_path(&document.text, offset);
    let Some(key) = keys.last().map(String::as_str) else { return Vec::new() };
    let parent = keys.len().checked_sub(2).map_or("", |at| keys[at].as_str());
    let runs = || read_runs_at(document, offset).into_iter().map(|(_, trace)| trace).collect::<Vec<_>>();
    let (offers, kind) = if key == "run" {
        (list_run_ids(&runs()), CompletionItemKind::REFERENCE)
    } else if is_below(&keys, "state", STATE_KEYS) || is_below(&keys, "mocks", MOCK_KEYS) {
        (list_pointers(document, offset), CompletionItemKind::FIELD)
    } else if is_below(&keys, "state", &["after"]) {
        (list_mock_tools(document, offset), CompletionItemKind::FUNCTION)
    } else if TOOL_KEYS.contains(&key) || TOOL_MAPS.contains(&key) {
        (list_tools(&runs(), document), CompletionItemKind::FUNCTION)
    } else if key == "path" || key == "argument" {
        (
            list_argument_paths(&runs(), find_tool_near(&document.text, offset).as_deref()),
            CompletionItemKind::FIELD,
        )
    } else if ARGUMENT_MAPS.contains(&key) {
        (
            list_arguments(&runs(), find_tool_near(&document.text, offset).as_deref()),
            CompletionItemKind::FIELD,
        )
    } else if ARGUMENT_MAPS.contains(&parent) {
        (
            list_values(&runs(), find_tool_near(&document.text, offset).as_deref(), key),
            CompletionItemKind::VALUE,
        )
    } else {
        return Vec::new();
    };
    make_items(document, offset, offers, kind)
}

fn make_items(
    document: &OpenDocument,
    offset: usize,
    offers: Offers,
    kind: CompletionItemKind,
) -> Vec<CompletionItem> {
    let range = find_range(&document.text, find_word_start(&document.text, offset), offset);
    let items = offers.into_iter().map(|(text, detail)| CompletionItem {
        label: text.clone(),
        kind: Some(kind),
        detail: Some(detail),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, text))),
        ..CompletionItem::default()
    });
    items.collect()
}

/// The tools that the runs call, with the number of calls, and those of the policies that the file names.
fn list_tools(runs: &[Trace], document: &OpenDocument) -> Offers {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for call in runs.iter().flat_map(|run| &run.calls) {
        *counts.entry(&call.name).or_default() += 1;
    }
    let policies = list_policies(document).into_iter().flat_map(|NamedPolicy { name, tools, .. }| {
        tools.into_iter().map(move |(tool, _)| (tool, format!("in {name}")))
    });
    let called = counts.into_iter().map(|(name, count)| {
        let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        (name.to_owned(), format!("called {times} in the trace"))
    });
    policies.chain(called).collect()
}

/// Whether the last key is one of `known`, and below the key `above`.
fn is_below(keys: &[String], above: &str, known: &[&str]) -> bool {
    let Some((last, outer)) = keys.split_last() else { return false };
    known.contains(&last.as_str()) && outer.iter().any(|key| key == above)
}

/// The tools of the case's mocks, in place of those that the trace calls.
fn list_mock_tools(document: &OpenDocument, offset: usize) -> Offers {
    let case = find_loaded_case(document, offset);
    let mocks = case.as_ref().and_then(|case| case.mocks.as_ref());
    let tools = mocks.into_iter().flat_map(|mocks| &mocks.script.tools);
    tools.map(|tool| (tool.name.clone(), "a mock tool".to_owned())).collect()
}

/// The members of the part of the state that the pointer at the cursor leads to, as pointers.
fn list_pointers(document: &OpenDocument, offset: usize) -> Offers {
    let case = find_loaded_case(document, offset);
    let script = case.as_ref().and_then(|case| case.mocks.as_ref()).map(|mocks| &mocks.script);
    let Some(state) = script.and_then(|script| script.state.as_ref()) else { return Offers::new() };
    let written = &document.text[find_word_start(&document.text, offset)..offset];
    let part = written.rfind('/').map_or("", |at| &written[..at]);
    match state.value().pointer(part) {
        Some(Json::Object(fields)) => {
            let members = fields
                .iter()
                .take(MAX_MEMBERS)
                .map(|(name, value)| (format!("{part}/{}", escape_token(name)), describe_part(value)));
            members.collect()
        }
        Some(Json::Array(items)) => {
            let elements = items.iter().take(MAX_MEMBERS).enumerate();
            elements.map(|(index, value)| (format!("{part}/{index}"), describe_part(value))).collect()
        }
        _ => Offers::new(),
    }
}

/// Describes a part of a state, which may be large.
fn describe_part(value: &Json) -> String {
    match value {
        Json::Object(fields) => format!("a mapping of {}", fields.len()),
        Json::Array(items) => format!("a list of {}", items.len()),
        value => value.to_string().chars().take(MAX_VALUE_CHARS).collect(),
    }
}

fn list_run_ids(runs: &[Trace]) -> Offers {
    let ids =
        runs.iter().enumerate().filter_map(|(at, run)| Some((run.id.clone()?, format!("run {}", at + 1))));
    ids.collect()
}

/// The arguments of the calls of `tool`, or of all calls.
fn list_calls<'r>(runs: &'r [Trace], tool: Option<&'r str>) -> impl Iterator<Item = (&'r str, &'r Json)> {
    let calls = runs.iter().flat_map(|run| &run.calls);
    let own = calls.filter(move |call| tool.is_none_or(|tool| call.name == tool));
    own.filter_map(|call| Some((call.name.as_str(), call.arguments.json()?)))
}

fn list_arguments(runs: &[Trace], tool: Option<&str>) -> Offers {
    let calls = list_calls(runs, tool);
    let fields = calls.flat_map(|(tool, arguments)| {
        arguments
            .as_object()
            .into_iter()
            .flatten()
            .map(move |(name, value)| (name.to_string(), describe_value(tool, value)))
    });
    fields.collect()
}

fn list_argument_paths(runs: &[Trace], tool: Option<&str>) -> Offers {
    let mut paths = Offers::new();
    for (tool, arguments) in list_calls(runs, tool) {
        add_paths(&mut paths, "$", tool, arguments);
    }
    paths
}

fn add_paths(paths: &mut Offers, above: &str, tool: &str, value: &Json) {
    match value {
        Json::Object(fields) => {
            for (name, value) in fields {
                let is_word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                let path = if is_word {
                    format!("{above}.{name}")
                } else {
                    format!("{above}[{}]", Json::from(name.as_str()))
                };
                add_paths(paths, &path, tool, value);
                paths.insert(path, describe_value(tool, value));
            }
        }
        Json::Array(values) => {
            // The items of a list share one path, and the last item's value is shown.
            for value in values {
                add_paths(paths, &format!("{above}[*]"), tool, value);
            }
        }
        _ => {}
    }
}

fn list_values(runs: &[Trace], tool: Option<&str>, argument: &str) -> Offers {
    let calls = list_calls(runs, tool).filter_map(|(tool, arguments)| Some((tool, arguments.get(argument)?)));
    calls.map(|(tool, value)| (value.to_string(), format!("`{argument}` of `{tool}`"))).collect()
}

fn describe_value(tool: &str, value: &Json) -> String {
    let text = value.to_string();
    let short: String = text.chars().take(MAX_VALUE_CHARS).collect();
    format!("{short} (`{tool}`)")
}

/// Returns the tool of the arguments around the cursor: the value of the nearest `tool`, `call` or `name` above them, in
/// the same case.
fn find_tool_near(text: &str, offset: usize) -> Option<String> {
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    // The search ends at the beginning of the case, so that no tool of another one is taken.
    let block: Vec<&str> =
        text[..end].lines().rev().take_while(|line| !line.trim_start().starts_with("- id:")).collect();
    block.iter().find_map(|line| {
        let (_, rest) = ["tool:", "call:", "name:"].iter().find_map(|key| line.split_once(key))?;
        let name = rest.split([',', '}', '#']).next().unwrap_or(rest).trim().trim_matches(['"', '\'', '{']);
        (!name.is_empty() && !name.contains(' ')).then(|| name.to_owned())
    })
}
