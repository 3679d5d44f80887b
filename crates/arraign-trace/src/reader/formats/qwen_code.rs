//! `qwen-code`: session files of Qwen Code (`~/.qwen/projects/*/chats/*.jsonl`).
//!
//! A line is one of Claude Code's, around a content of Gemini's. A shell command that exits with another code than 0 has
//! failed. What Qwen Code prints with `--output-format stream-json` is read as `claude-code`.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::tool_name::split_host_name;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::error::DecodeError;
use crate::reader::formats::gemini::content::read_exit_code;
use crate::reader::formats::gemini::content::read_response_marks;
use crate::reader::formats::gemini::{ContentWalk, TOKENS};
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Role, ToolServer, Trace};

pub(crate) const READER: Reader = Reader {
    name: "qwen-code",
    summary: "Qwen Code: session files",
    marks: &hash_marks(["sessionId"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Never,
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    // The first record is asked first, so that a foreign file is refused without looking at all of it.
    if let Some(record) = input.records.first().filter(|record| !record.value.has_key("sessionId")) {
        return Err(Reason::of(record.at, "has no `sessionId`"));
    }
    if !input.records.iter().any(|record| is_telling(&record.value)) {
        return Err("no line of a session with `parts` is in it".into());
    }
    match input.records.iter().find(|record| !record.value.has_key("sessionId")) {
        Some(record) => Err(Reason::of(record.at, "has no `sessionId`")),
        None => Ok(Certainty::Sure),
    }
}

/// Whether a line is one that only this format has.
pub(crate) fn is_telling(line: &JsonNode) -> bool {
    line.get("message").and_then(|message| message.get("parts")).is_some_and(JsonNode::is_array)
        && matches!(line.text_under("type"), Some("user" | "assistant" | "tool_result"))
        && line.has_text("sessionId")
}

/// A file is one session; one that was resumed goes on in the same file.
fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut session = QwenSession::default();
    for Record { at, value } in input.records {
        // A content is held against the run by its own walk.
        let evidence = value.get("toolCallResult").map(|_| session.walk.builder.open_record(at, &value));
        let added = JsonObject::of(value, "a line").and_then(|line| session.add_line(at, line));
        added.map_err(|error| at.in_record(error))?;
        session.walk.builder.close_records(evidence.into_iter().collect());
    }
    Ok(vec![session.finish()])
}

/// A run while the lines of its session are read.
#[derive(Debug, Default)]
struct QwenSession {
    walk: ContentWalk,
    /// When the first message was written, and the last.
    began: Option<u64>,
    ended: Option<u64>,
}

impl QwenSession {
    fn add_line(&mut self, at: At, mut line: JsonObject) -> Result<(), DecodeError> {
        let kind = line.required(&["type"])?;
        let id = line.string(&["sessionId"])?;
        // The first line names the session: a resumed one keeps its name.
        self.walk.builder.trace.id = self.walk.builder.trace.id.take().or(id);
        if kind == "system" {
            return Ok(());
        }
        let time = line.take(&["timestamp"]).and_then(|time| nanos(time.as_str()?));
        self.began = self.began.or(time);
        self.ended = time.or(self.ended);
        match kind.as_ref() {
            "user" => self.add_content(at, line),
            "assistant" => self.add_reply(at, line),
            "tool_result" => self.settle_calls(line),
            other => {
                self.walk.builder.pass_over(other, &[]);
                Ok(())
            }
        }
    }

    fn add_content(&mut self, at: At, mut line: JsonObject) -> Result<(), DecodeError> {
        let Some(content) = line.take(&["message"]) else { return Ok(()) };
        self.walk.content(at, content, &[]).map_err(|error| error.at_key("message"))?;
        self.walk.builder.end();
        Ok(())
    }

    fn add_reply(&mut self, at: At, mut line: JsonObject) -> Result<(), DecodeError> {
        let model = line.string(&["model"])?;
        let usage = TOKENS.read_from(&mut line, &["usageMetadata"])?;
        let known = self.walk.builder.trace.calls.len();
        self.add_content(at, line)?;
        self.walk.builder.tally.add(usage);
        self.walk.builder.end_turn(None, usage);
        let trace = &mut self.walk.builder.trace;
        // A run may change its model; the last one gave the answer.
        trace.model = model.or(trace.model.take());
        let started_ms = self.began.zip(self.ended).map(|(began, now)| millis_between(began, now));
        // Only the calls of this line: those before it have the times of their own lines.
        for call in trace.calls.iter_mut().skip(known) {
            call.started_ms = started_ms;
            split_host_name(call, ToolServer::BuiltIn);
        }
        Ok(())
    }

    /// The line of a result says beside it whether the tool worked.
    fn settle_calls(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        let outcome = line.object(&["toolCallResult"])?.unwrap_or_default();
        let mut message = line.object(&["message"])?.unwrap_or_default();
        let added =
            message.each(&["parts"], "a part", |mut part| match part.object(&["functionResponse"])? {
                Some(response) => self.settle_call(response, &outcome),
                None => Ok(()),
            });
        added.map_err(|error| error.at_key("message"))
    }

    fn settle_call(&mut self, mut response: JsonObject, outcome: &JsonObject) -> Result<(), DecodeError> {
        let id = response.string(&["id"])?;
        let name = response.string(&["name"])?;
        let now = self.began.zip(self.ended).map(|(began, now)| millis_between(began, now));
        let mut value = response.object(&["response"])?.unwrap_or_default();
        let mut marks = OutcomeMarks::of(outcome);
        marks.read(&response);
        read_response_marks(&mut marks, &value);
        // A shell's exit code is written into its output.
        marks.note_exit_code(value.text_under("output").and_then(read_exit_code));
        let Some(call) = self.walk.builder.waiting(id.as_deref(), name.as_deref()) else {
            self.walk.builder.compare_result(id.as_deref(), &marks, Unmarked::Worked);
            return Ok(());
        };
        let error = value.take(&["error"]).map(|error| error.into_text_or_json().into_owned());
        let output = value.take(&["output"]).map(|output| output.into_text_or_json().into_owned());
        marks.settle(call, Unmarked::Worked);
        call.exit_code = marks.exit_code();
        call.error = error.or_else(|| output.clone()).filter(|_| marks.has_failed());
        call.result = output.map(Into::into);
        call.duration_ms = now.zip(call.started_ms).map(|(now, started)| (now - started).max(0.0));
        Ok(())
    }

    /// A run of several questions waits for its user: it has no duration of its own.
    fn finish(self) -> Trace {
        let mut trace = self.walk.builder.finish();
        let questions = trace.messages.iter().filter(|message| message.role == Role::User).count();
        let duration_ms = self.began.zip(self.ended).map(|(began, ended)| millis_between(began, ended));
        trace.duration_ms = duration_ms.filter(|_| questions == 1);
        trace
    }
}
