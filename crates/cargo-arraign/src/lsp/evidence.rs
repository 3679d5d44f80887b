//! The runs of the case at the cursor: what completion and definitions know of its trace.

use std::path::PathBuf;

use arraign::__internals::suite::CaseRuns;
use arraign::json::Json;
use arraign::{Case, Trace};

use super::document::OpenDocument;

/// The number of runs that are read, of a case that has many.
const MAX_RUNS: usize = 16;

/// Returns the runs of the case at `offset`, and the files that contain them.
pub(super) fn read_runs_at(document: &OpenDocument, offset: usize) -> Vec<(Option<PathBuf>, Trace)> {
    let files = document.project.open_files();
    let Some(suite_case) = find_loaded_case(document, offset) else { return Vec::new() };
    let runs = CaseRuns::find_runs(&suite_case, &document.path, &files);
    let Ok(runs) = runs else { return Vec::new() };
    // A file of thousands of runs must not block the editor.
    let read = runs.each_run(&files).take(MAX_RUNS).flatten().map(std::borrow::Cow::into_owned);
    read.map(|run| (run.file.and_then(|name| document.project.find_named(&name)), run.trace)).collect()
}

/// Returns the case at `offset`: from the last text without mistakes, or else from the part of the text that names the trace.
pub(super) fn find_loaded_case(document: &OpenDocument, offset: usize) -> Option<std::sync::Arc<Case>> {
    let id = find_id_above(&document.text, offset);
    if let Some(suite) = &document.suite
        && let Some(case) = suite.case(id.as_deref())
    {
        return Some(case.clone());
    }
    let snippet = cut_trace(&document.text, offset, id.as_deref());
    let suite = document.project.parse_alone(&document.path, &snippet)?;
    suite.case(id.as_deref()).cloned()
}

/// Returns the id of the case at `offset`, from the lines above it: the text may not be YAML while somebody writes.
pub(super) fn find_id_above(text: &str, offset: usize) -> Option<String> {
    let end = text[offset..].find('\n').map_or(text.len(), |at| offset + at);
    text[..end].lines().rev().find_map(parse_id)
}

/// Returns the id in a line such as `  - id: a` or `- {id: a, ...}`.
fn parse_id(line: &str) -> Option<String> {
    let rest = line.trim_start().trim_start_matches(['-', '{', ' ']).strip_prefix("id:")?;
    let value = rest.split([',', '}', '#']).next().unwrap_or(rest).trim().trim_matches(['"', '\'']);
    (!value.is_empty()).then(|| value.to_owned())
}

/// Builds a case with the id and the trace of the case at `offset`, and with a check that needs no settings.
fn cut_trace(text: &str, offset: usize, id: Option<&str>) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let current = text[..offset].matches('\n').count();
    let is_start = |line: &&str| parse_id(line).is_some();
    // The text is cut by its lines: while somebody types, it is often no valid YAML.
    let first = lines.iter().take(current + 1).rposition(is_start).unwrap_or(0);
    let own = &lines[first..];
    let end = own.iter().skip(1).position(is_start).map_or(own.len(), |at| at + 1);
    let trace = own[..end].iter().position(|line| line.trim_start().starts_with("trace:"));
    let trace = trace.map(|at| cut_block(&own[at..end])).unwrap_or_default();
    let id = id.map(|id| format!("id: {}\n", Json::from(id))).unwrap_or_default();
    format!("{id}{trace}\nallow_vacuous: true\nexpect: [no_failed_calls: {{}}]\n")
}

/// Returns the first of the lines and those that are indented deeper, without the indentation of the first.
fn cut_block(lines: &[&str]) -> String {
    // `{file: x.json, run: ` is not closed yet.
    if let Some((_, rest)) = lines[0].split_once("file:") {
        let file = rest.split([',', '}']).next().unwrap_or(rest);
        return format!("trace: {{file: {file}}}");
    }
    let indent = measure_indent(lines[0]);
    let deeper = lines[1..].iter().take_while(|line| line.trim().is_empty() || measure_indent(line) > indent);
    // A completion offers all runs, whichever the case selects so far.
    let deeper = deeper.filter(|line| !line.trim_start().starts_with("run:"));
    let kept = lines[..1].iter().chain(deeper).map(|line| line.get(indent..).unwrap_or_default());
    kept.collect::<Vec<_>>().join("\n")
}

fn measure_indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_of_a_case_is_cut_out_of_a_text_with_mistakes() {
        let text = "tests:\n  - id: a\n    trace: x.json\n  - id: b\n    trace:\n      file: y.json\n    expect: [\n";
        let offset = text.rfind('[').expect("it is there");
        assert_eq!(find_id_above(text, offset).as_deref(), Some("b"));
        let cut = cut_trace(text, offset, Some("b"));
        assert!(cut.starts_with("id: \"b\"\ntrace:\n  file: y.json\n"), "{cut}");
    }
}
