//! `adk`: events of Google's Agent Development Kit, one per line, in a list, or in a session.
//!
//! The reader also accepts an eval set that was made of a session, with the events of its invocations. Each invocation is a run. Pieces of a streamed answer (`partial`) are skipped, because the complete answer follows. An
//! event whose id came before is skipped, too.

mod eval_set;

use std::collections::HashMap;

use crate::json::{JsonError, JsonNode, JsonObject};
use crate::reader::build::spot::RecordSpot;
use crate::reader::error::DecodeError;
use crate::reader::formats::gemini::{ContentWalk, TOKENS};
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Ended, Trace, says_tool_use};

pub(crate) const READER: Reader = Reader {
    name: "adk",
    summary: "Google ADK: events, sessions, eval sets made of sessions",
    marks: &hash_marks(["events/", "invocationId", "invocation_id", "eval_cases/", "evalCases/"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Records(find_run_key),
};

const USAGE_NAMES: [&str; 2] = ["usageMetadata", "usage_metadata"];

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    if input.records.iter().all(|record| eval_set::is_eval_set(&record.value)) {
        return Ok(Certainty::Sure);
    }
    for record in &input.records {
        let first = record.value.get("events").and_then(JsonNode::first);
        if !is_event(first.unwrap_or(&record.value)) {
            return Err(Reason::of(record.at, "is no event with an `author` and an invocation"));
        }
    }
    Ok(Certainty::Sure)
}

fn is_event(value: &JsonNode) -> bool {
    let invocation = ["invocationId", "invocation_id"].iter().any(|key| value.get(key).is_some());
    invocation && value.get("author").is_some()
}

/// The invocations of a session's events; a file with sessions or eval sets in it is read whole.
fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let mut event = look(text, &["events", "eval_cases", "evalCases", "invocationId", "invocation_id"])?;
    let id = event.string(&["invocationId", "invocation_id"]).ok().flatten();
    let has_runs = ["events", "eval_cases", "evalCases"].iter().any(|key| event.get(key).is_some());
    Ok(if has_runs { RunKey::Several } else { RunKey::Stretch(id) }.into())
}

fn read_runs(mut input: Input) -> Result<Vec<Trace>, DecodeError> {
    if input.first().is_ok_and(eval_set::is_eval_set) {
        input = input.join_records(eval_set::list_events)?;
    }
    let mut session = AdkSession { repeats: find_repeats(&input.records), ..AdkSession::default() };
    for Record { at, value } in input.records {
        session.record(at, value).map_err(|error| at.in_record(error))?;
    }
    session.end_run();
    Ok(session.runs)
}

/// Finds the events whose ids came before in their invocation, by their number in the file, and whether each says the same as
/// the one before. An export that was tried again has its events twice.
fn find_repeats(records: &[Record]) -> HashMap<usize, bool> {
    let events =
        records.iter().flat_map(|record| match record.value.get("events").and_then(JsonNode::as_array) {
            Some(events) => events,
            None => std::slice::from_ref(&record.value),
        });
    let mut first: HashMap<&str, &JsonNode> = HashMap::new();
    let mut repeats = HashMap::new();
    let mut invocation = None;
    for (number, event) in events.enumerate() {
        // In a large file, each stretch of an invocation is read by itself.
        let own = ["invocationId", "invocation_id"].iter().find_map(|key| event.text_under(key));
        if std::mem::replace(&mut invocation, own) != own {
            first.clear();
        }
        let is_partial = event.get("partial").is_some_and(JsonNode::is_true);
        let id = event.text_under("id").filter(|id| !id.is_empty() && !is_partial);
        if let Some(known) = id.and_then(|id| first.insert(id, event)) {
            repeats.insert(number, known == event);
        }
    }
    repeats
}

#[derive(Debug, Default)]
struct AdkSession {
    runs: Vec<Trace>,
    walk: ContentWalk,
    begun: bool,
    /// The number of events so far.
    events: usize,
    /// The events whose ids came before, and whether each says the same as the first.
    repeats: HashMap<usize, bool>,
}

impl AdkSession {
    fn end_run(&mut self) {
        let walk = std::mem::take(&mut self.walk);
        // A session without events has no run.
        if std::mem::take(&mut self.begun) {
            self.runs.push(walk.builder.finish());
        }
    }

    fn record(&mut self, at: At, value: JsonNode) -> Result<(), DecodeError> {
        let mut record = JsonObject::of(value, "an event")?;
        if record.get("events").is_none() {
            return self.event(at.into(), record);
        }
        // A session begins a run, whatever invocation came before it.
        self.end_run();
        for (index, event) in record.list(&["events"])?.into_iter().enumerate() {
            let event = JsonObject::of(event, "an event")
                .and_then(|event| self.event(RecordSpot::item(at, "events", index), event));
            event.map_err(|error| error.at_key(index).at_key("events"))?;
        }
        Ok(())
    }

    fn event(&mut self, spot: RecordSpot, event: JsonObject) -> Result<(), DecodeError> {
        let number = self.events;
        self.events += 1;
        match self.repeats.get(&number) {
            Some(true) => Ok(()),
            Some(false) => {
                self.walk.builder.note_repeated_id(spot, event.text_under("id").unwrap_or_default());
                Ok(())
            }
            None => self.add_event(spot, event),
        }
    }

    fn add_event(&mut self, spot: RecordSpot, mut event: JsonObject) -> Result<(), DecodeError> {
        let mut tried = None;
        let invocation = event.string(&["invocationId", "invocation_id"])?;
        if self.begun && self.walk.builder.trace.id != invocation {
            self.end_run();
        }
        self.begun = true;
        self.walk.builder.trace.id = invocation;
        if event.get("partial").is_some_and(JsonNode::is_true) {
            return Ok(());
        }
        let branch = event.string(&["branch"])?.unwrap_or_default();
        // The author `user` speaks to the agent and is never its name.
        let mut agents = branch.split('.').filter(|agent| !agent.is_empty()).map(ToOwned::to_owned);
        let author = event.string(&["author"])?.filter(|author| author != "user");
        let is_agent = author.is_some();
        // A branch such as `shop.billing` begins with the run's own agent.
        let own = agents.next().or(author);
        let path: Vec<String> = agents.collect();
        let trace = &mut self.walk.builder.trace;
        // The first agent that speaks is the run's; the later ones are reached through it.
        trace.agent = trace.agent.take().or(own);
        trace.model = event.string(&["modelVersion", "model_version"])?.or(trace.model.take());
        let stop = read_stop(&mut event)?;
        // An agent that goes on after an error has handled it. The results of tools say nothing about an end.
        if stop.is_some() || is_agent && has_text(&event) {
            let stop = stop.unwrap_or_default();
            trace.ended = stop.ended;
            trace.stop_reason = stop.reason;
            tried = stop.tried;
        }
        if USAGE_NAMES.iter().any(|name| event.get(name).is_some_and(|usage| !usage.is_null())) {
            self.walk.builder.tally.add(TOKENS.read_from(&mut event, &USAGE_NAMES)?);
        }
        let made = self.walk.builder.trace.calls.len();
        let content = event.take(&["content"]);
        content
            .map_or(Ok(()), |content| self.walk.content(spot.with_inner("content"), content, &path))
            .map_err(|error| error.at_key("content"))?;
        if let Some(reason) = tried.filter(|_| self.walk.builder.trace.calls.len() == made) {
            self.walk.builder.note_stop(spot, reason);
        }
        Ok(())
    }
}

/// Why an event says that its agent stopped.
#[derive(Debug, Default)]
struct EventStop {
    reason: Option<String>,
    ended: Ended,
    /// The reason, if it says that the model tried to call a tool.
    tried: Option<String>,
}

/// Reads the error or the finish reason of an event. The code of an error is the finish reason of the model, where it has
/// one: a text that broke off is no failure.
fn read_stop(event: &mut JsonObject) -> Result<Option<EventStop>, DecodeError> {
    let code = event.string(&["errorCode", "error_code"])?;
    let message = event.string(&["errorMessage", "error_message"])?;
    let finish = event.string(&["finishReason", "finish_reason"])?;
    let Some(error) = message.or(code.clone()) else {
        if event.get("interrupted") == Some(&JsonNode::Bool(true)) {
            let ended = Ended::Cut("interrupted".to_owned());
            return Ok(Some(EventStop {
                reason: Some("interrupted".to_owned()),
                ended,
                ..EventStop::default()
            }));
        }
        return Ok(finish.map(|reason| EventStop { reason: Some(reason), ..EventStop::default() }));
    };
    let tried = code.clone().filter(|code| says_tool_use(code));
    if let Some(Ended::Cut(code)) = code.as_deref().map(Ended::from_stop_reason) {
        return Ok(Some(EventStop { reason: Some(code), ended: Ended::Cut(error), tried }));
    }
    let ended = Ended::from_error(&error);
    Ok(Some(EventStop { reason: Some(format!("error: {error}")), ended, tried }))
}

/// Whether an event has a text, which only an agent writes.
fn has_text(event: &JsonObject) -> bool {
    let parts = event.get("content").and_then(|content| content.get("parts")?.as_array());
    parts.unwrap_or_default().iter().any(|part| part.has_text("text"))
}
