//! `claude-code`: transcripts of Claude Code, and of the Agent SDK, which writes the same lines.
//!
//! The reader accepts a transcript (`~/.claude/projects/.../*.jsonl`), the transcript of a subagent, and the output of
//! `--output-format stream-json`. The output of `--output-format json` contains only the end of a run: its answer, tokens
//! and cost, but no calls. The calls of subagents have their path. Messages of subagents are not part of the conversation.
//! Messages of the Agent SDK for Python, written with `dataclasses.asdict`, are read as well: they do not contain what the
//! user asked.

mod ending;
mod nested;
mod sdk;
mod session;

use std::collections::HashMap;

use crate::json::{JsonError, JsonNode};
use crate::reader::error::DecodeError;
use crate::reader::formats::qwen_code;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;
use sdk::{into_line, is_sdk_message, is_telling_sdk_message};
use session::ClaudeSession;
pub(crate) use session::exit_code;

pub(crate) const READER: Reader = Reader {
    name: "claude-code",
    summary: "Claude Code: transcripts, subagents, `--output-format stream-json` and `json`, the Agent SDK's messages",
    marks: &hash_marks(["agentType", "sessionId", "session_id", "parent_tool_use_id"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

fn detect_format(input: &Input) -> Detection {
    if is_note(input.first()?) {
        return Ok(Certainty::Sure);
    }
    // The first record is asked first, so that most foreign files are declined without a look at all of it.
    if let Some(record) = input.records.first().filter(|record| !is_line(&record.value)) {
        return Err(Reason::of(record.at, "has no `type`"));
    }
    // Qwen Code writes the same envelope around messages of Gemini's form.
    if input.any_with(qwen_code::READER.marks, qwen_code::is_telling) {
        return Err("its messages have `parts`, as Qwen Code writes them".into());
    }
    if !input.records.iter().any(|record| is_telling(&record.value)) {
        return Err("no line of a session is in it".into());
    }
    match input.records.iter().find(|record| !is_line(&record.value)) {
        Some(record) => Err(Reason::of(record.at, "has no `type`")),
        None => Ok(Certainty::Sure),
    }
}

fn is_line(record: &JsonNode) -> bool {
    record.get("type").is_some_and(JsonNode::is_string) || is_sdk_message(record)
}

/// Whether a line is one that only this format has.
fn is_telling(line: &JsonNode) -> bool {
    if is_telling_sdk_message(line) {
        return true;
    }
    // Transcripts spell the key in one way, and the output of the SDK in the other.
    let in_session = line.text_under("sessionId").or(line.text_under("session_id")).is_some();
    match line.text_under("type") {
        Some("assistant" | "user") => in_session && line.get("message").is_some_and(JsonNode::is_object),
        Some("system") => in_session && line.text_under("subtype") == Some("init"),
        Some("result") => in_session && line.get("num_turns").is_some(),
        _ => false,
    }
}

/// Whether this is the metadata file next to the transcript of a subagent, which contains no run.
fn is_note(value: &JsonNode) -> bool {
    let run = ["type", "steps", "calls", "messages", "events"];
    value.get("agentType").is_some_and(JsonNode::is_string) && run.iter().all(|key| value.get(key).is_none())
}

/// Splits the output of several sessions. A transcript is one session, and some messages of the SDK do not name theirs.
fn split_file(input: &Input) -> Option<Pieces> {
    let printed = input.records.iter().any(|record| record.value.get("session_id").is_some());
    let is_sdk = input.records.iter().any(|record| is_sdk_message(&record.value));
    (printed && !is_sdk).then_some(Pieces::records(find_run_key))
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let id = look(text, &["session_id"])?.string(&["session_id"]).ok().flatten();
    Ok(id.map_or(RunKey::Same, RunKey::Of).into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    if input.first().is_ok_and(is_note) {
        let problem = "this is the note beside a subagent's transcript, and holds no run: read the `.jsonl` file \
                       of the same name";
        return Err(DecodeError::new(problem));
    }
    let records = input.records.into_iter().map(into_line).collect();
    sessions(records).into_iter().map(ClaudeSession::read).collect()
}

/// Groups lines by session. A transcript is one session, even if it was resumed and repeats the lines of another.
fn sessions(records: Vec<Record>) -> Vec<Vec<Record>> {
    let mut sessions: Vec<Vec<Record>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut place = 0;
    for record in records {
        // Lines without a session's id, as transcripts have them, stay with the line before them.
        if let Some(id) = record.value.get("session_id").and_then(JsonNode::as_str) {
            place = *places.entry(id.to_owned()).or_insert(sessions.len());
        }
        if place >= sessions.len() {
            sessions.push(Vec::new());
        }
        sessions[place].push(record);
    }
    sessions
}
