//! `evalview`: EvalView's execution traces, alone or in its results.
//!
//! The format does not record which calls were parallel: each call is a turn. Cached tokens are counted separately from
//! the input.

use std::borrow::Cow;
use std::iter::{Enumerate, Peekable};

use crate::json::{JsonError, JsonNode, JsonNumber, JsonObject};
use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::unread_log::note_unread;
use crate::reader::build::usage::{TokenKeys, dollars};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "evalview",
    summary: "EvalView: execution traces, results",
    marks: &hash_marks(["trace/", "steps/"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Records(find_run_key),
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    for record in &input.records {
        let trace = record.value.get("trace").unwrap_or(&record.value);
        let Some(steps) = trace.get("steps").and_then(JsonNode::as_array) else {
            return Err(Reason::of(record.at, "has no `steps`"));
        };
        let told =
            // A run that was cut has steps and no output; without either, any object with `steps` would be one.
            trace.get("final_output").is_some() || trace.get("session_id").is_some() && !steps.is_empty();
        if !told || steps.iter().any(|step| step.get("tool_name").is_none()) {
            return Err(Reason::of(record.at, "has no steps with a `tool_name` and a `final_output`"));
        }
    }
    Ok(Certainty::Sure)
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let mut record = look(text, &["trace", "session_id"])?;
    let mut run = record.object(&["trace"]).ok().flatten().unwrap_or(record);
    Ok(RunKey::Own(run.string(&["session_id"]).ok().flatten()).into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let runs = input.records.into_iter();
    runs.map(|Record { at, value }| {
        let evidence = CallEvidence::gather(at, &value);
        let run = JsonObject::of(value, "a trace").and_then(result).map_err(|error| at.in_record(error))?;
        Ok(note_unread(run, evidence))
    })
    .collect()
}

/// A result says of its trace what was asked.
fn result(mut record: JsonObject) -> Result<Trace, DecodeError> {
    let query = record.string(&["input_query"])?;
    match record.object(&["trace"])? {
        Some(inner) => run(inner, query).map_err(|error| error.at_key("trace")),
        None => run(record, query),
    }
}

fn run(mut record: JsonObject, query: Option<String>) -> Result<Trace, DecodeError> {
    let mut builder = TraceBuilder::default();
    let mut metrics = record.object(&["metrics"])?.unwrap_or_default();
    let trace = &mut builder.trace;
    trace.id = record.string(&["session_id"])?;
    trace.model = record.string(&["model_id", "model"])?;
    trace.duration_ms = metrics.figure(&["total_latency"])?.or(lasted(&mut record)?);
    trace.usage =
        TOKENS.read_from(&mut metrics, &["total_tokens"]).map_err(|error| error.at_key("metrics"))?;
    // The field must be there: where no tokens were counted, nothing is what nobody knew.
    let cost = metrics.take(&["total_cost"]).as_ref().and_then(dollars);
    trace.cost_usd = cost.filter(|cost| *cost > 0.0 || trace.usage.is_some());
    let turns = record.list(&["turns"])?;
    // Where the turns are recorded, the first of them repeats the query.
    if let Some(query) = query.filter(|_| turns.is_empty()) {
        builder.say(Role::User, &query);
    }
    let mut steps = EvalviewSteps { builder, turns: turns.into_iter().enumerate().peekable(), answer: None };
    record.each(&["steps"], "a step", |step| steps.add(step))?;
    // Turns after the last step were answered without a tool.
    steps.turn_to(u64::MAX);
    let answer = record.string(&["final_output"])?.or(steps.answer.take());
    if let Some(answer) = answer {
        steps.builder.say(Role::Assistant, &answer);
        steps.builder.trace.answer = Some(answer);
    }
    let said = error_of(&mut record).filter(|error| !matches!(error.as_str(), "" | "null" | "false" | "{}"));
    if let Some(error) = said {
        steps.builder.trace.stop_reason = Some(format!("error: {error}"));
    }
    Ok(steps.builder.finish())
}

fn lasted(record: &mut JsonObject) -> Result<Option<f64>, DecodeError> {
    let began = record.text(&["start_time"])?.and_then(|text| nanos(&text));
    let ended = record.text(&["end_time"])?.and_then(|text| nanos(&text));
    Ok(began.zip(ended).map(|(began, ended)| millis_between(began, ended)))
}

/// The format counts what was read from a cache beside its input; a trace counts it in the input.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens"],
    more_input: &[&["cached_tokens"]],
    output: &["output_tokens"],
    cached: &["cached_tokens"],
    ..TokenKeys::NONE
};

/// The steps of a run; where the user spoke more than once, between the user's turns.
struct EvalviewSteps<'t> {
    builder: TraceBuilder,
    turns: Peekable<Enumerate<std::vec::IntoIter<JsonNode<'t>>>>,
    /// The reply to the user in the turn that is being read.
    answer: Option<String>,
}

impl EvalviewSteps<'_> {
    fn add(&mut self, mut step: JsonObject) -> Result<(), DecodeError> {
        if let Some(turn) = step.count(&["turn_index"])? {
            self.turn_to(turn);
        }
        let name = step.required(&["tool_name", "step_name"])?;
        let arguments = step.arguments("parameters");
        let marks = OutcomeMarks::of(&step);
        let error = error_of(&mut step);
        let duration_ms =
            step.object(&["metrics"])?.map(|mut metrics| metrics.figure(&["latency"])).transpose()?;
        let mut call = Call {
            id: step.string(&["step_id"])?,
            result: step
                .take_even_null("output")
                .map(JsonNode::into_json)
                // A failed step has a null for its output, which is not a result of the tool.
                .filter(|output| !output.is_null() || !marks.has_failed()),
            error,
            duration_ms: duration_ms.flatten(),
            ..Call::new(name, arguments, 0)
        };
        marks.settle(&mut call, Unmarked::Worked);
        self.builder.next_turn();
        self.builder.call(call);
        Ok(())
    }

    /// Tells the user's turns up to this one, counted from 1: what was answered before, and what was asked.
    fn turn_to(&mut self, turn: u64) {
        while let Some((_, next)) = self.turns.next_if(|(place, next)| number(*place, next) <= turn) {
            let Ok(mut next) = JsonObject::of(next, "a turn") else { continue };
            // The answer of a turn is told with the turn, but was given after its calls, so it waits for the next
            // one.
            if let Some(answer) = self.answer.take() {
                self.builder.say(Role::Assistant, &answer);
            }
            if let Some(query) = next.take_text(&["query", "input"]) {
                self.builder.say(Role::User, &query);
            }
            self.answer = next.take_text(&["output", "final_output"]).map(Cow::into_owned);
        }
    }
}

fn number(place: usize, turn: &JsonNode) -> u64 {
    let told = turn.get("index").or_else(|| turn.get("turn_index")).and_then(JsonNode::as_number);
    told.and_then(JsonNumber::as_u64).unwrap_or(place as u64 + 1)
}
