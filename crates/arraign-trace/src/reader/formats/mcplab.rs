//! `mcplab`: MCPLab's `trace.jsonl`, one run of a scenario per line.

use crate::json::{JsonError, JsonNode, JsonObject};
use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::content::content_value;
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{RecordInfo, RunKey, Splitting, look};
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, Ended, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "mcplab",
    summary: "MCPLab: one run of a scenario per line",
    marks: &hash_marks(["scenario_run"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Records(find_run_key),
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    if input.records.iter().any(|record| kind(&record.value) == Some("scenario_run")) {
        return Ok(Certainty::Sure);
    }
    Err("there is no `scenario_run` in it".into())
}

fn kind<'v>(value: &'v JsonNode) -> Option<&'v str> {
    value.get("type").and_then(JsonNode::as_str)
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let mut record = look(text, &["type", "scenario_id"])?;
    let is_run = record.get("type").and_then(JsonNode::as_str) == Some("scenario_run");
    let id = record.string(&["scenario_id"]).ok().flatten();
    Ok(if is_run { RunKey::Own(id) } else { RunKey::Nobody }.into())
}

/// The first line of an early file only says which run of the program wrote it.
fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let runs = input.records.into_iter().filter(|record| kind(&record.value) == Some("scenario_run"));
    runs.map(|Record { at, value }| {
        JsonObject::of(value, "a run").and_then(|record| run(at, record)).map_err(|error| at.in_record(error))
    })
    .collect()
}

fn run(at: At, mut record: JsonObject) -> Result<Trace, DecodeError> {
    let mut builder = TraceBuilder::default();
    let trace = &mut builder.trace;
    trace.id = record.string(&["scenario_id"])?;
    trace.agent = record.string(&["agent"])?;
    trace.model = record.string(&["model"])?;
    trace.stop_reason = record.string(&["error"])?.map(|error| format!("error: {error}"));
    let began = record.text(&["ts_start"])?.and_then(|text| nanos(&text));
    let ended = record.text(&["ts_end"])?.and_then(|text| nanos(&text));
    // A run that ended without an error ended well.
    if trace.stop_reason.is_none() && ended.is_some() {
        trace.ended = Ended::Well;
    }
    trace.duration_ms = began.zip(ended).map(|(began, ended)| millis_between(began, ended));
    let mut run = ScenarioRun { builder, began };
    for (index, message) in record.list(&["messages"])?.into_iter().enumerate() {
        let evidence = run.builder.open_record(RecordSpot::item(at, "messages", index), &message);
        let message = JsonObject::of(message, "a message").and_then(|message| run.message(message));
        message.map_err(|error| error.at_key(index).at_key("messages"))?;
        run.builder.close_record(evidence);
    }
    Ok(run.builder.finish())
}

struct ScenarioRun {
    builder: TraceBuilder,
    began: Option<u64>,
}

impl ScenarioRun {
    fn message(&mut self, mut message: JsonObject) -> Result<(), DecodeError> {
        let role = match message.required(&["role"])?.as_ref() {
            "system" => Some(Role::System),
            "user" => Some(Role::User),
            "assistant" => Some(Role::Assistant),
            _ => None,
        };
        // Only replies have usage. Any other message must not count as a reply whose tokens are unknown.
        if message.get("usage").is_some_and(|usage| !usage.is_null()) {
            self.builder.tally.add(TOKENS.read_from(&mut message, &["usage"])?);
        }
        self.builder.begin(role);
        match message.take(&["content"]) {
            Some(JsonNode::String(text)) => self.builder.text(&text),
            Some(JsonNode::Array(blocks)) => {
                for (index, block) in blocks.into_iter().enumerate() {
                    let block = JsonObject::of(block, "a block").and_then(|block| self.block(block));
                    block.map_err(|error| error.at_key(index).at_key("content"))?;
                }
            }
            _ => {}
        }
        self.builder.end();
        Ok(())
    }

    fn block(&mut self, mut block: JsonObject) -> Result<(), DecodeError> {
        match block.text(&["type"])?.as_deref() {
            Some("text") => self.builder.text(&block.text(&["text"])?.unwrap_or_default()),
            Some("tool_use") => {
                let name = block.required(&["name"])?;
                let arguments = block.arguments("input");
                let id = block.string(&["id"])?;
                let server = block.string(&["server"])?.into();
                self.builder.call(Call { id, server, ..Call::new(name, arguments, 0) });
            }
            Some("tool_result") => self.answer(block)?,
            kind => self.builder.pass_over(kind.unwrap_or_default(), &["thinking", "image"]),
        }
        Ok(())
    }

    fn answer(&mut self, mut block: JsonObject) -> Result<(), DecodeError> {
        let id = block.text(&["tool_use_id"])?;
        let name = block.text(&["name"])?;
        let marks = OutcomeMarks::of(&block);
        let Some(call) = self.builder.waiting(id.as_deref(), name.as_deref()) else {
            self.builder.compare_result(id.as_deref(), &marks, Unmarked::Worked);
            return Ok(());
        };
        let started = block.text(&["ts_start"])?.and_then(|text| nanos(&text));
        call.started_ms = self.began.zip(started).map(|(began, started)| millis_between(began, started));
        call.duration_ms = block.figure(&["duration_ms"])?;
        let result = content_value(block.take(&["content"]).unwrap_or_default(), "");
        marks.settle(call, Unmarked::Worked);
        call.error = result.as_str().filter(|_| marks.has_failed()).map(ToOwned::to_owned);
        call.result = Some(result);
        Ok(())
    }
}

/// Tokens of a message, by the names of three providers.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens", "inputTokens", "prompt_tokens"],
    output: &["output_tokens", "outputTokens", "completion_tokens"],
    cached: &["cached_tokens", "cached_input_tokens", "cache_read_input_tokens"],
    reasoning: &["reasoning_tokens"],
    ..TokenKeys::NONE
};
