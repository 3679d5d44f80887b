//! What happened in a run, call by call: files written and shown, commands run.

use super::act::{Act, AddedNames, Ran};
use super::editor;
use super::other_tool::OtherCall;
use super::output::CallOutput;
use super::purpose::Purpose;
use super::shell_event;
use super::shown;
use super::tools::{ToolKind, tool_of};
use crate::json::Json;
use crate::trace::Call;

/// Whether the call makes a file, rather than changing one.
pub(super) fn is_creation(call: &Call) -> bool {
    let name = call.name.to_lowercase();
    let command = call.arguments.get("command").and_then(Json::as_str).unwrap_or_default();
    ["write", "create", "newfile", "new_file", "add_file"].iter().any(|verb| name.contains(verb))
        || command == "create"
        || command.contains("<<")
        || command.contains('>')
}

/// Lists what `call` did.
pub(super) fn acts(call: &Call, output: &CallOutput, tables: &AddedNames) -> Vec<Act> {
    match tool_of(call, &tables.tools) {
        Some(ToolKind::Edit) if editor::only_views(call) => list_reads(call, output),
        Some(ToolKind::Edit) => list_edits(call, output, tables),
        Some(ToolKind::Read) => list_reads(call, output),
        Some(ToolKind::Search) => list_searches(call, output),
        Some(ToolKind::Shell) => shell_event::acts(call, output, tables),
        Some(ToolKind::Run(purpose)) => vec![record_run(call, output, purpose)],
        Some(ToolKind::Diagnostics) => {
            [Purpose::Type, Purpose::Lint].map(|purpose| record_run(call, output, purpose)).into()
        }
        Some(ToolKind::Bystander) => Vec::new(),
        // A line that a tool of another name runs is a line all the same.
        None if call.arguments.get("command").is_some_and(Json::is_string) => {
            shell_event::acts(call, output, tables)
        }
        None => vec![Act::Other(OtherCall::of(call, output))],
    }
}

fn list_edits(call: &Call, output: &CallOutput, tables: &AddedNames) -> Vec<Act> {
    // A failed edit wrote nothing.
    if output.failed {
        return Vec::new();
    }
    let edits = editor::edits(call);
    let echoes = tables.self_verifying.iter().any(|tool| tool.matches(call));
    let shown: Vec<Act> = edits.iter().filter(|_| echoes).map(|(path, _)| Act::Read(path.clone())).collect();
    let mut acts: Vec<Act> = edits.into_iter().map(|(path, text)| Act::Edit(path, text)).collect();
    // An editor without a path that is known has changed something, and nobody knows what.
    if acts.is_empty() {
        acts.push(Act::Change);
    }
    acts.extend(shown);
    acts
}

fn list_reads(call: &Call, output: &CallOutput) -> Vec<Act> {
    if output.failed { Vec::new() } else { editor::paths(call).into_iter().map(Act::Read).collect() }
}

/// A search shows the files that it was pointed at, and those that its result names.
fn list_searches(call: &Call, output: &CallOutput) -> Vec<Act> {
    if output.failed {
        return Vec::new();
    }
    let named = shown::named_files(&output.text).into_iter().map(str::to_owned);
    editor::paths(call).into_iter().chain(named).map(Act::Read).collect()
}

fn record_run(call: &Call, output: &CallOutput, purpose: Purpose) -> Act {
    let code =
        if output.failed { output.exit_code.filter(|code| *code != 0).or(Some(1)) } else { output.exit_code };
    Act::Run(Ran { purpose, code, words: vec![call.name.to_lowercase()] })
}
