//! Files that are no trace and have one in them, or are meant as one: they are named, with the way to a trace.
//!
//! Nothing is read by these marks. They are asked about files that no reader reads.

use crate::json::{JsonNode, parse_borrowed};
use crate::reader::error::{ForeignFile, TraceError, TraceProblem};
use crate::reader::json::input::{At, Input};
use crate::reader::json::sse;

/// So many records or lines are looked at.
const LOOKED_AT: usize = 20;

/// Names a file of JSON that no reader reads; `None` if it is not known.
pub(crate) fn recognize_records(input: &Input) -> Option<TraceError> {
    let mut records = input.records.iter().take(LOOKED_AT);
    records.find_map(|record| {
        let file = recognize_record(&record.value)?;
        let line = if let At::Line(line) = record.at { line } else { 1 };
        Some(name(file, line, 1))
    })
}

fn recognize_record(record: &JsonNode) -> Option<ForeignFile> {
    let is_docker = record.get("log").is_some_and(JsonNode::is_string)
        && record.text_under("stream").is_some_and(|stream| stream == "stdout" || stream == "stderr");
    if record.pointer("/log/entries").is_some_and(JsonNode::is_array) {
        Some(ForeignFile::Har)
    } else if is_docker {
        Some(ForeignFile::DockerLog)
    } else if record.has_key("eval_set_id") || record.has_key("eval_cases") {
        Some(ForeignFile::AdkEvalSet)
    } else {
        None
    }
}

/// Names a text that is not JSON; `None` if it is not known.
pub fn recognize_text(text: &str) -> Option<TraceError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if sse::is_stream(text) {
        return None;
    }
    let lines: Vec<(usize, &str)> =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).take(LOOKED_AT).collect();
    find_curl_line(&lines)
        .map(|line| name(ForeignFile::CurlOutput, line, 1))
        .or_else(|| {
            find_prefixed_line(&lines).map(|(line, column)| name(ForeignFile::PrefixedLog, line, column))
        })
        .or_else(|| is_csv(&lines).then(|| name(ForeignFile::Csv, lines[0].0 + 1, 1)))
}

fn name(file: ForeignFile, line: usize, column: usize) -> TraceError {
    TraceError { problem: TraceProblem::Foreign { line, column, file }, help: Some(file.advise().to_owned()) }
}

/// Finds the line where the output of `curl -v` or `curl -i` shows a request or a reply.
fn find_curl_line(lines: &[(usize, &str)]) -> Option<usize> {
    let is_status = |line: &str| {
        let code = line.strip_prefix("HTTP/").and_then(|rest| rest.split(' ').nth(1));
        code.is_some_and(|code| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_request = |line: &str| line.split(' ').nth(2).is_some_and(|version| version.starts_with("HTTP/"));
    let is_of_curl = |line: &str| {
        line.strip_prefix("> ").is_some_and(is_request) || line.strip_prefix("< ").is_some_and(is_status)
    };
    let headed = lines.first().filter(|(_, line)| is_status(line));
    let found = headed.or_else(|| lines.iter().find(|(_, line)| is_of_curl(line)));
    found.map(|(index, _)| index + 1)
}

/// Finds the first line of a log whose lines are a prefix and JSON, and the column where the JSON begins.
fn find_prefixed_line(lines: &[(usize, &str)]) -> Option<(usize, usize)> {
    // Logs have lines of other programs between those of the agent, but the first JSON has the prefix.
    let (first, first_line) = lines.iter().find(|(_, line)| line.contains('{'))?;
    let prefixed = lines.iter().filter(|(_, line)| find_json(line).is_some()).count();
    let with_json = lines.iter().filter(|(_, line)| line.contains('{')).count();
    let start = find_json(first_line)?;
    // `order: {...}` alone is YAML. The prefix of a log is on each line.
    let is_key =
        first_line[..start].trim_end().strip_suffix(':').is_some_and(|key| !key.contains([' ', '[']));
    (2 * prefixed > with_json && !(is_key && prefixed == 1)).then_some((first + 1, start + 1))
}

/// Returns where the JSON begins that follows a prefix in a line.
fn find_json(line: &str) -> Option<usize> {
    let start = line.find('{').filter(|start| *start > 0)?;
    // A line of a document with line breaks is no log: its keys are in quotes.
    let is_prefix = !line[..start].contains(['"', '}']) && !line[..start].trim().is_empty();
    (is_prefix && parse_borrowed(line[start..].trim_end()).is_ok()).then_some(start)
}

/// Whether a text begins as a table does: the names of its columns, and a row of as many cells.
fn is_csv(lines: &[(usize, &str)]) -> bool {
    let Some(((_, header), rest)) = lines.split_first() else { return false };
    let is_name = |cell: &str| {
        let cell = cell.trim().trim_matches('"');
        let is_of_name = |letter: char| letter.is_alphanumeric() || "_-. /()".contains(letter);
        !cell.is_empty() && cell.len() <= 40 && cell.chars().all(is_of_name)
    };
    // Cells in quotes may have line breaks, so that the first row may be several lines.
    let rows = rest.iter().map(|(_, line)| *line).collect::<Vec<_>>().join("\n");
    [',', ';', '\t'].into_iter().any(|separator| {
        let columns = header.split(separator).count();
        columns > 1
            && header.split(separator).all(is_name)
            && !rows.is_empty()
            && count_cells(&rows, separator) == columns
    })
}

/// Counts the cells of the first row of a table.
fn count_cells(rows: &str, separator: char) -> usize {
    let mut cells = 1;
    let mut in_quotes = false;
    for letter in rows.chars() {
        match letter {
            '"' => in_quotes = !in_quotes,
            '\n' if !in_quotes => break,
            letter if letter == separator && !in_quotes => cells += 1,
            _ => {}
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message about a file, without its advice.
    fn recognize(text: &str) -> Option<String> {
        let named = match Input::parse(text) {
            Ok(input) => recognize_records(&input),
            Err(_) => recognize_text(text),
        };
        named.map(|error| error.to_string())
    }

    #[test]
    fn a_file_that_is_known_is_named_with_its_place() {
        for (text, named) in [
            (r#"{"log": {"version": "1.2", "entries": []}}"#, "line 1, column 1: this is a HAR file"),
            (
                "{\"log\": \"{}\\n\", \"stream\": \"stdout\", \"time\": \"t\"}\n{\"log\": \"\", \"stream\": \"stderr\"}",
                "line 1, column 1: this is a log file of Docker",
            ),
            (r#"{"eval_set_id": "s", "eval_cases": []}"#, "line 1, column 1: this is an ADK eval set"),
            (
                "2026-11-29T06:47:18Z {\"role\": \"user\"}\n2026-11-29T06:47:19Z {\"role\": \"assistant\"}\n",
                "line 1, column 22: this is a log with a prefix before the JSON of each line",
            ),
            ("npm warn x\napp-1  | {\"a\": 1}\n", "line 2, column 10: this is a log with a prefix"),
            ("[pod/shop/app] {\"a\": 1}\n[pod/shop/app] {\"a\": 2}\n", "line 1, column 16: this is a log"),
            ("Nov 29 06:47:18 host app[123]: {\"a\": 1}\n", "line 1, column 32: this is a log"),
            ("INFO: {\"a\": 1}\nINFO: {\"b\": 1}\n", "line 1, column 7: this is a log"),
            (
                "* Connected\n> POST /v1/chat/completions HTTP/1.1\n> Host: a\n< HTTP/1.1 200 OK\n{\"id\": 1}\n",
                "line 2, column 1: this is the output of `curl -v`",
            ),
            (
                "HTTP/2 200 \ncontent-type: application/json\n\n{\"id\": 1}\n",
                "line 1, column 1: this is the output",
            ),
            (
                "id,input,output\n1,\"{\"\"q\"\": \"\"hi, there\"\"}\",\"two\nlines\"\n",
                "line 1, column 1: this is a CSV file",
            ),
            ("id;name\n1;shop\n", "line 1, column 1: this is a CSV file"),
            ("\u{feff}\"id\",\"name\"\n1,shop\n", "line 1, column 1: this is a CSV file"),
        ] {
            let said = recognize(text).unwrap_or_default();
            assert!(said.starts_with(named), "{text}: {said}");
        }
    }

    #[test]
    fn a_file_that_is_something_else_is_not_named() {
        for text in [
            r#"{"a": 1}"#,
            r#"{"log": "x"}"#,
            "{\n  \"a\": {\"b\": 1}\n  \"c\": {\"d\": 1}\n}\n",
            "order: {\"id\": 7}\n",
            "Hello.\n",
            "Hello, world\nthis is a text, with commas, and more\n",
            "data: {\"a\": 1\n\ndata: {\"b\": 2\n",
            "> a quote\n> of a letter\n",
            "[{\"a\": 1},\n{\"a\": 2},\n",
            "a,b\n",
        ] {
            assert_eq!(recognize(text), None, "{text}");
        }
    }
}
