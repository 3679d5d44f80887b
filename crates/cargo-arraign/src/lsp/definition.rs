//! Definitions: the files that a case names, and the call of its trace for the name of a tool.

use std::fs;
use std::path::{Path, PathBuf};

use lsp_types::{GotoDefinitionResponse, Location, Position};

use super::document::OpenDocument;
use super::evidence::{find_id_above, read_runs_at};
use super::policies::list_policies;
use super::position::{find_offset, find_range, line_start, path_to_uri};
use super::rename::{list_renames, locate_recordings};

use arraign::json::Json;

/// Finds where the value at `position` is defined: the file that it names, the recordings of the case for its id, or else the
/// calls of a tool and its lines in policies.
pub(super) fn find_definition(document: &OpenDocument, position: Position) -> Option<GotoDefinitionResponse> {
    let offset = find_offset(&document.text, position);
    let value = find_value_around(&document.text, offset)?;
    let named = find_files(document, value, offset);
    let found = if named.is_empty() {
        let mut places = find_calls(document, offset, value);
        places.extend(find_policy_lines(document, value));
        places
    } else {
        named.iter().filter_map(|path| Some(Location::new(path_to_uri(path)?, line_start(1)))).collect()
    };
    (!found.is_empty()).then_some(GotoDefinitionResponse::Array(found))
}

/// The characters before and after a plain or quoted value.
const VALUE_ENDS: &[char] = &['\n', '[', ']', '{', '}', ',', '"', '\''];

/// The plain or quoted value that contains the byte `offset`.
fn find_value_around(text: &str, offset: usize) -> Option<&str> {
    let start = text[..offset].rfind(VALUE_ENDS).map_or(0, |at| at + 1);
    let end = text[offset..].find(VALUE_ENDS).map_or(text.len(), |at| offset + at);
    let value = text[start..end].rsplit_once(": ").map_or(&text[start..end], |(_, value)| value);
    let value = value.trim_start_matches([' ', '-']).trim_end();
    (!value.is_empty()).then_some(value)
}

/// The file that the value names, relative to the case's file; or the traces and cassettes of the case for its id.
fn find_files(document: &OpenDocument, value: &str, offset: usize) -> Vec<PathBuf> {
    let folder = document.path.parent().unwrap_or(&document.path);
    let files = document.project.open_files();
    if let Some(named) = files.resolve(folder, value).ok().filter(|path| path.is_file()) {
        return vec![named];
    }
    if find_id_above(&document.text, offset).as_deref() != Some(value) {
        return Vec::new();
    }
    let traces = read_runs_at(document, offset).into_iter().filter_map(|(file, _)| file);
    let stem = value.replace(['/', '\\'], "_");
    let cassettes = list_renames(&locate_recordings("cassettes", &document.path), &stem, &stem);
    let mut found: Vec<PathBuf> = traces.chain(cassettes.into_iter().map(|(path, _)| path)).collect();
    found.dedup();
    found
}

/// The lines of policies that are about a tool.
fn find_policy_lines(document: &OpenDocument, tool: &str) -> Vec<Location> {
    let mut found = Vec::new();
    for policy in list_policies(document) {
        let (Some(uri), Ok(text)) = (path_to_uri(&policy.path), fs::read_to_string(&policy.path)) else {
            continue;
        };
        let spans = policy.tools.iter().filter(|(name, _)| name == tool).map(|(_, span)| span);
        found.extend(spans.map(|span| {
            Location::new(uri.clone(), find_range(&text, span.start as usize, span.end as usize))
        }));
    }
    found
}

/// The calls of a tool in the trace files of the case at `offset`. A trace in the case has no file.
fn find_calls(document: &OpenDocument, offset: usize, tool: &str) -> Vec<Location> {
    let mut found = Vec::new();
    for (file, trace) in read_runs_at(document, offset) {
        let calls = trace.calls.iter().filter(|call| call.name == tool || call.written_name() == tool);
        let Some(file) = file else { continue };
        let ids: Vec<Option<String>> = calls.map(|call| call.id.clone()).collect();
        if !ids.is_empty() {
            found.extend(locate_calls(&file, tool, &ids));
        }
    }
    // Two trace keys of a case may name the same file.
    found.dedup();
    found
}

/// Finds calls in the text of a trace: by their ids, which occur nowhere else, or by the name of the tool as a string.
fn locate_calls(file: &Path, tool: &str, ids: &[Option<String>]) -> Vec<Location> {
    let (Some(uri), Ok(text)) = (path_to_uri(file), fs::read_to_string(file)) else { return Vec::new() };
    let mut ranges: Vec<_> = ids.iter().flatten().filter_map(|id| find_string(&text, id)).collect();
    // A trace without ids has only the name of the tool to be found by.
    if ranges.is_empty() {
        ranges.extend(find_string(&text, tool));
    }
    ranges.into_iter().map(|(start, end)| Location::new(uri.clone(), find_range(&text, start, end))).collect()
}

/// Finds the first JSON string with this value.
pub(super) fn find_string(text: &str, value: &str) -> Option<(usize, usize)> {
    let quoted = Json::from(value).to_string();
    text.find(&quoted).map(|at| (at, at + quoted.len()))
}
