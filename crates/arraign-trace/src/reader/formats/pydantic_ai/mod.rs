//! `pydantic-ai`: the messages of runs of Pydantic AI, of its first and second version.
//!
//! The reader also accepts an `AgentRunResult` as JSON, and the events of a streamed run. A history also contains the earlier
//! runs: each run id is one run. The tool of a structured output (`final_result`) is the answer, not a call.

mod events;

use std::collections::{HashMap, HashSet};

use crate::json::{Json, JsonError, JsonNode, JsonObject};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::{TokenKeys, dollars};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, Ended, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "pydantic-ai",
    summary: "Pydantic AI: the messages of one run, or of a history of runs; results; stream events",
    marks: &hash_marks(["kind", "messages/", "all_messages/", "message_history/", "_state/", "event_kind"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Records(find_run_key),
};

/// The keys under which an object keeps the messages of a run.
const LISTS: [&str; 3] = ["messages", "all_messages", "message_history"];

fn detect_format(input: &Input) -> Detection {
    if events::is_event(input.first()?) {
        let foreign = input.records.iter().find(|record| record.value.text_under("event_kind").is_none());
        return match foreign {
            Some(record) => Err(Reason::of(record.at, "has no `event_kind`")),
            None => Ok(Certainty::Sure),
        };
    }
    for record in &input.records {
        let holder = record.value.get("_state").unwrap_or(&record.value);
        let inner = LISTS.iter().find_map(|name| holder.get(name)?.first());
        let message = inner.unwrap_or(&record.value);
        let kind = message.get("kind").and_then(JsonNode::as_str);
        if !matches!(kind, Some("request" | "response"))
            || !message.get("parts").is_some_and(JsonNode::is_array)
        {
            return Err(Reason::of(record.at, "is no `request` or `response` with `parts`"));
        }
        // `kind` and `parts` are common words; `part_kind` is the library's own.
        if message.pointer("/parts/0").is_some_and(|part| part.get("part_kind").is_none()) {
            return Err(Reason::of(record.at, "has a part without `part_kind`"));
        }
    }
    Ok(Certainty::Sure)
}

/// The messages of a history; a file with lists of messages in it is read whole.
fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let mut message = look(text, &["run_id", "kind"])?;
    let id = message.string(&["run_id"]).ok().flatten();
    let whose = match message.get("kind") {
        None => RunKey::Several,
        Some(_) => id.map_or(RunKey::Same, |id| RunKey::Stretch(Some(id))),
    };
    Ok(whose.into())
}

fn read_runs(mut input: Input) -> Result<Vec<Trace>, DecodeError> {
    if input.first().is_ok_and(events::is_event) {
        input = input.join_records(events::join_events)?;
    }
    // A result keeps its messages in its state.
    for record in &mut input.records {
        if let Some(state) = record.value.as_object_mut().and_then(|result| result.take(&["_state"])) {
            record.value = state;
        }
    }
    let mut history = History { given: collect_output_ids(&input), ..History::default() };
    for Record { at, value } in input.records {
        let mut record = JsonObject::of(value, "a message").map_err(|error| at.in_record(error))?;
        let lists = LISTS.iter().filter_map(|name| record.get(name)?.as_array());
        let added = if lists.into_iter().any(|list| !list.is_empty()) {
            // A list of messages is a run by itself.
            history.end_run();
            record.each(&LISTS, "a message", |message| history.message(at, message))
        } else {
            record.list(&LISTS).and_then(|_| history.message(at, record))
        };
        added.map_err(|error| at.in_record(error))?;
    }
    history.end_run();
    Ok(history.runs)
}

/// The result that the library records for a call with the output of the run in its arguments.
const TAKEN: &str = "Final result processed.";

/// The results that the library records for calls that it skipped because it already had an output.
const PASSED_OVER: [&str; 2] = ["Tool not executed", "Output tool not used"];

/// Collects the ids of calls with the output of the run in their arguments.
fn collect_output_ids(input: &Input) -> HashSet<String> {
    let messages = input.records.iter().flat_map(|record| messages(&record.value));
    let parts = messages.filter_map(|message| message.get("parts")?.as_array()).flatten();
    let taken = parts.filter(|part| part.get("content").and_then(JsonNode::as_str) == Some(TAKEN));
    taken.filter_map(|part| part.get("tool_call_id")?.as_str().map(ToOwned::to_owned)).collect()
}

/// Returns the messages of a record: its list of messages, or the record itself.
fn messages<'v, 't>(record: &'v JsonNode<'t>) -> &'v [JsonNode<'t>] {
    let list = LISTS.iter().find_map(|name| record.get(name)?.as_array());
    list.unwrap_or(std::slice::from_ref(record))
}

/// Kinds of parts that contain no call.
const WITHOUT_CALLS: [&str; 4] = ["thinking", "file", "compaction", "instructions"];

#[derive(Debug, Default)]
struct History {
    runs: Vec<Trace>,
    run: HistoryRun,
    /// The ids of calls with the output of the run in their arguments.
    given: HashSet<String>,
}

impl History {
    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if run.begun {
            self.runs.push(run.builder.finish());
        }
    }

    fn message(&mut self, at: At, mut message: JsonObject) -> Result<(), DecodeError> {
        let id = message.string(&["run_id"])?;
        // A message without an id continues the run that is open.
        if self.run.begun && id.is_some() && self.run.builder.trace.id != id {
            self.end_run();
        }
        self.run.begun = true;
        let trace = &mut self.run.builder.trace;
        trace.id = id.or(trace.id.take());
        let state = message.string(&["state"])?;
        let evidence = self.run.builder.open_object(at, &message);
        match message.required(&["kind"])?.as_ref() {
            "request" => self.run.request(message)?,
            "response" => self.run.response(message, &self.given)?,
            other => {
                let problem = format!("`{other}` is neither `request` nor `response`");
                return Err(DecodeError::new(problem).at_key("kind"));
            }
        }
        // The last message of a run that was ended from outside, or of a response that is still coming in.
        if let Some(state) = state.filter(|state| state != "complete") {
            self.run.builder.trace.ended = Ended::Cut(state);
        }
        self.run.builder.close_record(evidence);
        Ok(())
    }
}

#[derive(Debug, Default)]
struct HistoryRun {
    begun: bool,
    builder: TraceBuilder,
    /// The instructions of the last request. Each request repeats them.
    instructions: Option<String>,
    /// The structured outputs, by the id of the call that has them in its arguments.
    outputs: HashMap<String, String>,
}

/// Calls `each` for every part of a message; an error gets the index of its part.
fn each_part(
    message: &mut JsonObject,
    mut each: impl FnMut(&str, JsonObject) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    message.each(&["parts"], "a part", |mut part| {
        let kind = part.text(&["part_kind"]).ok().flatten().unwrap_or_default();
        each(&kind, part)
    })
}

impl HistoryRun {
    fn request(&mut self, mut message: JsonObject) -> Result<(), DecodeError> {
        let instructions = message.take(&["instructions"]).map(|text| text.into_text_or_json().into_owned());
        // Each request repeats the instructions; only a change of them is new.
        if let Some(text) = instructions.filter(|text| self.instructions.as_ref() != Some(text)) {
            self.builder.say(Role::System, &text);
            self.instructions = Some(text);
        }
        each_part(&mut message, |kind, mut part| {
            match kind {
                "system-prompt" => self.builder.say(Role::System, &text_of(part.take(&["content"]))),
                "user-prompt" => self.builder.say(Role::User, &text_of(part.take(&["content"]))),
                "retry-prompt" => self.answer(part, true)?,
                kind if kind.ends_with("tool-return") => self.answer(part, false)?,
                kind => self.builder.pass_over(kind, &WITHOUT_CALLS),
            }
            Ok(())
        })
    }

    fn response(&mut self, mut message: JsonObject, given: &HashSet<String>) -> Result<(), DecodeError> {
        message.within(&["usage"], |mut usage| {
            let cost = usage.take(&["cost"]).as_ref().and_then(dollars);
            let trace = &mut self.builder.trace;
            trace.cost_usd = cost.map(|cost| cost + trace.cost_usd.unwrap_or_default()).or(trace.cost_usd);
            self.builder.tally.add(TOKENS.read(&usage)?);
            Ok(())
        })?;
        let trace = &mut self.builder.trace;
        trace.model = message.string(&["model_name"])?.or(trace.model.take());
        trace.ended = Ended::Unknown;
        trace.stop_reason = message.string(&["finish_reason"])?;
        self.builder.begin(Some(Role::Assistant));
        each_part(&mut message, |kind, mut part| {
            match kind {
                "text" => self.builder.text(&text_of(part.take(&["content"]))),
                kind if kind.ends_with("tool-call") => self.call(part, given)?,
                kind if kind.ends_with("tool-return") => self.answer(part, false)?,
                kind => self.builder.pass_over(kind, &WITHOUT_CALLS),
            }
            Ok(())
        })?;
        let stop = self.builder.trace.stop_reason.clone();
        self.builder.end_turn(stop.as_deref(), None);
        self.builder.end();
        Ok(())
    }

    fn call(&mut self, mut part: JsonObject, given: &HashSet<String>) -> Result<(), DecodeError> {
        let name = part.required(&["tool_name"])?;
        let id = part.string(&["tool_call_id"])?;
        let arguments = part.arguments("args");
        match id {
            // The framework asks for its structured output by such a call, which runs no tool.
            Some(id) if name.starts_with("final_result") || given.contains(&id) => {
                self.builder.add_alias(&id);
                self.builder.note_progress();
                self.outputs.insert(id, arguments.to_text());
            }
            id => self.builder.call(Call { id, ..Call::new(name, arguments, 0) }),
        }
        Ok(())
    }

    /// Adds the result of a call. The first version records a failed call as `retry-prompt`, the second by its `outcome`.
    fn answer(&mut self, mut part: JsonObject, retry: bool) -> Result<(), DecodeError> {
        let id = part.string(&["tool_call_id"])?;
        let name = part.text(&["tool_name"])?;
        let said = part.get("content").and_then(JsonNode::as_str).unwrap_or_default();
        let passed_over = PASSED_OVER.iter().any(|start| said.starts_with(start));
        let mut marks = OutcomeMarks::of(&part);
        marks.note_failure(retry || passed_over);
        // The call that returns the structured output is the answer of the run and not a call of a tool.
        if let Some(output) = id.as_ref().and_then(|id| self.outputs.remove(id)) {
            let trace = &mut self.builder.trace;
            if !marks.has_failed() {
                trace.answer = Some(output);
                trace.ended = Ended::Well;
            }
            return Ok(());
        }
        // An id that no call has proves nothing: then the name of the tool finds the call.
        let known = id.as_deref().filter(|id| self.builder.knows(id));
        let Some(call) = self.builder.waiting(known, name.as_deref()) else {
            self.builder.compare_result(id.as_deref(), &marks, Unmarked::Worked);
            return Ok(());
        };
        let result = part.take_even_null("content").map(JsonNode::into_json);
        marks.settle(call, Unmarked::Worked);
        call.error = result.as_ref().filter(|_| marks.has_failed()).map(reason);
        call.result = result;
        Ok(())
    }
}

/// Returns the text of a prompt: the prompt itself, or the texts among its pieces.
fn text_of(content: Option<JsonNode>) -> String {
    match content {
        None => String::new(),
        Some(JsonNode::Array(pieces)) => pieces.into_iter().filter_map(piece_text).collect(),
        Some(other) => other.into_text_or_json().into_owned(),
    }
}

fn piece_text(piece: JsonNode) -> Option<String> {
    match piece {
        JsonNode::String(text) => Some(text.into_string()),
        JsonNode::Object(mut piece) => Some(piece.take(&["content", "text"])?.into_text()?.into_owned()),
        _ => None,
    }
}

/// Renders the reason of a retry. A validator reports a list of objects, each with a message.
fn reason(content: &Json) -> String {
    let mistakes = content.as_array().and_then(|list| {
        let messages = list.iter().map(|mistake| mistake.get("msg").and_then(Json::as_str));
        messages.collect::<Option<Vec<&str>>>()
    });
    match (content, mistakes) {
        (Json::String(text), _) => text.to_string(),
        (_, Some(mistakes)) => mistakes.join("; "),
        (other, None) => other.to_string(),
    }
}

/// Tokens of a response. A test's model counts nothing.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens", "request_tokens"],
    output: &["output_tokens", "response_tokens"],
    cached: &["cache_read_tokens"],
    reasoning: &["output_reasoning_tokens", "/details/reasoning_tokens"],
    ..TokenKeys::NONE
};

#[cfg(test)]
mod tests {
    #[test]
    fn a_structured_output_is_the_answer_and_no_call() {
        let text = r#"[{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": ["a", "b"]}]},
            {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "final_result", "args": "{\"x\": 1}",
                "tool_call_id": "c"}]},
            {"kind": "request", "parts": [{"part_kind": "tool-return", "tool_name": "final_result", "tool_call_id": "c",
                "content": "Final result processed."}]}]"#;
        let runs = crate::reader::read(text, None).expect("a history").runs;
        assert_eq!((runs[0].calls.len(), runs[0].answer.as_deref()), (0, Some("{\"x\":1}")));
        assert_eq!(runs[0].input.as_deref(), Some("ab"));
    }
}
