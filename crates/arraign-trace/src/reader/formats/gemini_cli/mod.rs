//! `gemini-cli`: the output of Gemini CLI with `--output-format stream-json` or `json`, and its session files.

mod result;
mod session;
mod stream;

use crate::json::{JsonError, JsonNode};
use crate::reader::error::DecodeError;
use crate::reader::json::input::Input;
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Splitting, look};
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;

pub(crate) const READER: Reader = Reader {
    name: "gemini-cli",
    summary: "Gemini CLI: stream-json, json, session files",
    marks: &hash_marks(["projectHash", "session_id", "tool_id", "stats/"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

fn detect_format(input: &Input) -> Detection {
    let first = input.first()?;
    if session::is_session(first) || input.records.iter().any(|record| stream::is_own(&record.value)) {
        return Ok(Certainty::Sure);
    }
    if input.records.iter().all(|record| result::is_result(&record.value)) {
        return Ok(Certainty::Sure);
    }
    Err("it has neither the `projectHash` of a session nor a `tool_use` with `tool_id`".into())
}

/// Each run of a stream begins with an event that says so, and the output of a run is the whole of it. A session file is one run.
fn split_file(input: &Input) -> Option<Pieces> {
    (!session::is_session(input.first().ok()?)).then(|| Pieces::records(find_run_key))
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let mut event = look(text, &["type", "session_id", "stats"])?;
    let kind = event.get("type").and_then(JsonNode::as_str);
    let begins = kind == Some("init") || kind.is_none() && event.get("stats").is_some();
    let id = event.string(&["session_id"]).ok().flatten();
    Ok(if begins { RunKey::Own(id) } else { RunKey::Same }.into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    if input.records.first().is_some_and(|record| session::is_session(&record.value)) {
        return session::read(input.records).map(|run| vec![run]);
    }
    if input.first().is_ok_and(result::is_result) {
        return input.records.into_iter().map(result::read).collect();
    }
    stream::read(input.records)
}

fn kind<'v>(value: &'v JsonNode) -> Option<&'v str> {
    value.get("type").and_then(JsonNode::as_str)
}
