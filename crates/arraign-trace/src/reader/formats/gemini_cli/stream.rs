//! The lines of `--output-format stream-json`. Its tokens count the calls that choose a model as well.

use crate::json::{JsonNode, JsonObject, JsonText};
use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::stream_end;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::formats::gemini_cli::session::find_exit_code;
use crate::reader::formats::gemini_cli::session::split_tool_name;
use crate::reader::json::input::Record;
use crate::trace::{Call, Ended, Role, ToolServer, Trace, Usage};

/// Whether a line is one that only this program writes.
pub(crate) fn is_own(value: &JsonNode) -> bool {
    match crate::reader::formats::gemini_cli::kind(value) {
        Some("init") => value.get("session_id").is_some() && value.get("model").is_some(),
        Some("tool_use") => value.get("tool_id").is_some() && value.get("tool_name").is_some(),
        Some("tool_result") => value.get("tool_id").is_some() && value.get("status").is_some(),
        _ => false,
    }
}

/// The runs of a stream: one begins at each `init`.
pub(crate) fn read(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    let mut runs = Vec::new();
    let mut stream = StreamedSession::default();
    for Record { at, value } in records {
        // A file may be the end of a longer stream, without the `init` of its first run.
        if crate::reader::formats::gemini_cli::kind(&value) == Some("init") && stream.begun {
            runs.push(std::mem::take(&mut stream).finish());
        }
        stream.begun = true;
        let evidence = stream.builder.open_record(at, &value);
        let added = JsonObject::of(value, "an event").and_then(|event| stream.add(event));
        added.map_err(|error| at.in_record(error))?;
        stream.builder.close_record(evidence);
    }
    runs.push(stream.finish());
    Ok(runs)
}

/// Kinds of events that contain no call.
const WITHOUT_CALLS: [&str; 5] = ["thought", "thinking", "retry", "info", "warning"];

#[derive(Debug, Default)]
struct StreamedSession {
    begun: bool,
    builder: TraceBuilder,
    began: Option<u64>,
    /// Whether a turn of the model is open: its text comes in pieces, its calls one by one.
    in_turn: bool,
    /// Whether the `init` of the run was read, and not its `result`.
    is_open: bool,
}

impl StreamedSession {
    fn add(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let time = event.text(&["timestamp"])?.and_then(|text| nanos(&text));
        self.began = self.began.or(time);
        let kind = event.text(&["type"])?.unwrap_or_default();
        match kind.as_ref() {
            "init" => {
                self.is_open = true;
                self.builder.trace.id = event.string(&["session_id"])?;
                // `auto` is a choice that is yet to be made, not a model.
                self.builder.trace.model = event.string(&["model"])?.filter(|model| model != "auto");
            }
            "message" => self.message(event)?,
            "tool_use" => self.call(event, time)?,
            "tool_result" => self.answer(event)?,
            // A warning ends nothing.
            "error" if event.text_under("severity") == Some("warning") => self.builder.note_progress(),
            "error" => {
                let told = event.string(&["message"])?.or_else(|| error_of(&mut event));
                self.builder.trace.stop_reason = told.map(|error| format!("error: {error}"));
            }
            "result" => self.end(event)?,
            kind => self.builder.pass_over(kind, &WITHOUT_CALLS),
        }
        Ok(())
    }

    fn message(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let text = event.text(&["content"])?.unwrap_or_default();
        if event.text(&["role"])?.as_deref() == Some("user") {
            self.in_turn = false;
            self.builder.say(Role::User, &text);
        } else {
            self.begin_turn();
            self.builder.text(&text);
        }
        Ok(())
    }

    fn begin_turn(&mut self) {
        if !self.in_turn {
            self.builder.begin(Some(Role::Assistant));
        }
        self.in_turn = true;
    }

    fn call(&mut self, mut event: JsonObject, time: Option<u64>) -> Result<(), DecodeError> {
        self.begin_turn();
        let name = event.required(&["tool_name"])?;
        let id = event.string(&["tool_id"])?;
        let arguments = event.arguments("parameters");
        let started_ms = self.began.zip(time).map(|(began, time)| millis_between(began, time));
        let mut call = Call { id, started_ms, ..Call::new(name, arguments, 0) };
        split_tool_name(&mut call, ToolServer::NotRecorded);
        self.builder.call(call);
        Ok(())
    }

    fn answer(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        // What the model says after a result is its next turn.
        self.in_turn = false;
        let id = event.text(&["tool_id"])?;
        let mut marks = OutcomeMarks::of(&event);
        let Some(call) = self.builder.waiting(id.as_deref(), None) else {
            self.builder.compare_result(id.as_deref(), &marks, Unmarked::Worked);
            return Ok(());
        };
        call.error = error_of(&mut event);
        call.result = event.take(&["output"]).map(JsonNode::into_json);
        marks.note_exit_code(find_exit_code(call));
        marks.settle(call, Unmarked::Worked);
        call.exit_code = marks.exit_code();
        Ok(())
    }

    fn finish(self) -> Trace {
        let mut trace = self.builder.finish();
        if self.is_open && trace.stop_reason.is_none() {
            trace.ended = Ended::Cut(stream_end::GEMINI_CLI.describe_lack());
        }
        trace
    }

    fn end(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        self.is_open = false;
        let error = error_of(&mut event).map(|error| format!("error: {error}"));
        let trace = &mut self.builder.trace;
        trace.stop_reason = error.or(event.string(&["status"])?).or(trace.stop_reason.take());
        let Some(mut stats) = event.object(&["stats"])? else { return Ok(()) };
        trace.duration_ms = stats.figure(&["duration_ms"])?;
        trace.usage = read_usage(&stats)?;
        if trace.model.is_none() {
            let models = stats.object(&["models"])?.unwrap_or_default().rest();
            let count = models.len();
            // With several models, none of them is the model of the run.
            let only = models.into_keys().next().filter(|_| count == 1);
            trace.model = only.map(JsonText::into_string);
        }
        Ok(())
    }
}

/// Reads the tokens of the run. The total includes the thoughts, which have no count of their own.
fn read_usage(stats: &JsonObject) -> Result<Option<Usage>, DecodeError> {
    let total = stats.count_under("total_tokens")?;
    Ok(TOKENS.read(stats)?.map(|usage| {
        let beyond = total.and_then(|total| total.checked_sub(usage.input_tokens));
        match beyond
            .filter(|output| usage.partial && usage.output_tokens > 0 && *output > usage.output_tokens)
        {
            Some(output) => {
                let thoughts = output - usage.output_tokens;
                Usage { output_tokens: output, reasoning_tokens: Some(thoughts), partial: false, ..usage }
            }
            None => usage,
        }
    }))
}

/// Tokens of the whole run.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens"],
    output: &["output_tokens"],
    cached: &["cached"],
    ..TokenKeys::NONE
};
