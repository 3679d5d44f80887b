//! `codex`: the rollout of a Codex session, or the output of `codex exec --json`.
//!
//! A rollout records everything twice. The calls are those for which the model received an answer. Failures, durations and
//! exit codes come from the second record with the same id. The output of `exec` does not contain calls of unknown tools.

mod exec;
mod exec_early;
mod known_kinds;
mod mirror;
pub(crate) mod output;
mod rollout;

use crate::json::{JsonError, JsonNode};
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::Input;
use crate::reader::json::record_marks::{Mark, hash_marks};
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;
pub(crate) use rollout::is_context;

pub(crate) const READER: Reader = Reader {
    name: "codex",
    summary: "Codex: rollouts of sessions, `codex exec --json`",
    marks: &hash_marks(["type", "instructions", "msg/"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

/// The mark of a file that an early version wrote.
const EARLY: [Mark; 1] = hash_marks(["msg/"]);

fn detect_format(input: &Input) -> Detection {
    let first = input.first()?;
    if is_bare_head(first) && input.records[1..].iter().all(|record| is_bare_line(&record.value)) {
        return Ok(Certainty::Sure);
    }
    if input.any_with(&EARLY, exec_early::is_event) {
        return judge_early(input);
    }
    // The first line decides between the two forms, which are never mixed.
    let is_line = if is_rollout_line(first) { is_rollout_line } else { is_exec_line };
    let mut sure = false;
    for record in &input.records {
        if !is_line(&record.value) {
            return Err(Reason::of(record.at, "is no line of a rollout, and no event of `codex exec`"));
        }
        sure |= is_telling(kind(&record.value));
    }
    if sure { Ok(Certainty::Sure) } else { Err("no line in it tells of a run".into()) }
}

/// Whether a line of this kind is Codex's alone: others wrap what they tell as a rollout does.
fn is_telling(kind: &str) -> bool {
    kind.contains('.') || matches!(kind, "session_meta" | "response_item" | "event_msg" | "turn_context")
}

fn judge_early(input: &Input) -> Detection {
    let mut records = input.records.iter();
    let foreign = records
        .find(|record| !exec_early::is_event(&record.value) && !exec_early::is_preamble(&record.value));
    match foreign {
        Some(record) => Err(Reason::of(record.at, "is no event of `codex exec`")),
        None => Ok(Certainty::Sure),
    }
}

fn kind<'v>(line: &'v JsonNode) -> &'v str {
    line.get("type").and_then(JsonNode::as_str).unwrap_or_default()
}

/// Whether a value is a line of a rollout, which wraps its content.
fn is_rollout_line(line: &JsonNode) -> bool {
    !kind(line).is_empty()
        && line.get("payload").is_some_and(JsonNode::is_object)
        && line.get("timestamp").is_some()
}

/// The first rollouts wrapped nothing: a head, and then the items themselves.
fn is_bare_head(line: &JsonNode) -> bool {
    ["id", "timestamp", "instructions"].iter().all(|name| line.has_key(name)) && kind(line).is_empty()
}

fn is_bare_line(line: &JsonNode) -> bool {
    !kind(line).is_empty() || line.get("record_type").is_some()
}

fn is_exec_line(line: &JsonNode) -> bool {
    match kind(line).split_once('.') {
        Some(("thread" | "turn", _)) => true,
        Some(("item", _)) => line.get("item").is_some_and(JsonNode::is_object),
        _ => kind(line) == "error",
    }
}

/// Splits the output of `exec`, which may contain several threads. A rollout is one run.
fn split_file(input: &Input) -> Option<Pieces> {
    let is_exec = input.first().is_ok_and(|first| kind(first) == "thread.started");
    is_exec.then_some(Pieces::records(find_run_key))
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let mut line = look(text, &["type", "thread_id"])?;
    let begins = line.get("type").and_then(JsonNode::as_str) == Some("thread.started");
    let id = line.string(&["thread_id"]).ok().flatten();
    Ok(if begins { RunKey::Own(id) } else { RunKey::Same }.into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    if input.first().is_ok_and(|first| is_rollout_line(first) || is_bare_head(first)) {
        return rollout::read(input.records).map(|trace| vec![trace]);
    }
    if input.records.iter().any(|record| exec_early::is_event(&record.value)) {
        return exec_early::read(input.records).map(|trace| vec![trace]);
    }
    exec::read(input.records)
}

/// Tokens of a turn, or of a session. Cached ones are part of the input, reasoning is part of the output.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens"],
    output: &["output_tokens"],
    cached: &["cached_input_tokens"],
    reasoning: &["reasoning_output_tokens"],
    ..TokenKeys::NONE
};
