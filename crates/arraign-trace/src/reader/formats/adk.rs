//! `adk`: events of Google's Agent Development Kit, one per line, in a list, or in a session.
//!
//! Each invocation is a run. Pieces of a streamed answer (`partial`) are skipped, because the complete answer follows.

use crate::reader::error::Wrong;
use crate::reader::formats::gemini::{TOKENS, Walk};
use crate::reader::json::input::{Input, Record};
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::reader::large::pieces::{Cuts, Note, Whose, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;

pub(crate) const READER: Reader =
    Reader { name: "adk", summary: "Google ADK: events, sessions", detect, read, cuts: Cuts::Records(note) };

const USAGE_NAMES: [&str; 2] = ["usageMetadata", "usage_metadata"];

fn detect(input: &Input) -> Detection {
    input.first()?;
    for record in &input.records {
        let first = record.value.get("events").and_then(Json::first);
        if !is_event(first.unwrap_or(&record.value)) {
            return Err(Reason::of(record.at, "is no event with an `author` and an invocation"));
        }
    }
    Ok(Certainty::Sure)
}

fn is_event(value: &Json) -> bool {
    let invocation = ["invocationId", "invocation_id"].iter().any(|key| value.get(key).is_some());
    invocation && value.get("author").is_some()
}

/// The invocations of a session's events; a file with sessions in it is read whole.
fn note(text: &str) -> Result<Note, serde_json::Error> {
    let mut event = look(text, &["events", "invocationId", "invocation_id"])?;
    let id = event.string(&["invocationId", "invocation_id"]).ok().flatten();
    Ok(if event.get("events").is_some() { Whose::Several } else { Whose::Stretch(id) }.into())
}

fn read(input: Input) -> Result<Vec<Trace>, Wrong> {
    let mut session = Session::default();
    for Record { at, value } in input.records {
        session.record(value).map_err(|wrong| at.blame(wrong))?;
    }
    session.end_run();
    Ok(session.runs)
}

#[derive(Debug, Default)]
struct Session {
    runs: Vec<Trace>,
    walk: Walk,
    begun: bool,
}

impl Session {
    fn end_run(&mut self) {
        let walk = std::mem::take(&mut self.walk);
        if std::mem::take(&mut self.begun) {
            self.runs.push(walk.draft.finish());
        }
    }

    fn record(&mut self, value: Json) -> Result<(), Wrong> {
        let mut record = Object::of(value, "an event")?;
        if record.get("events").is_none() {
            return self.event(record);
        }
        self.end_run();
        for (index, event) in record.list(&["events"])?.into_iter().enumerate() {
            let event = Object::of(event, "an event").and_then(|event| self.event(event));
            event.map_err(|wrong| wrong.under(index).under("events"))?;
        }
        Ok(())
    }

    fn event(&mut self, mut event: Object) -> Result<(), Wrong> {
        let invocation = event.string(&["invocationId", "invocation_id"])?;
        if self.begun && self.walk.draft.trace.id != invocation {
            self.end_run();
        }
        self.begun = true;
        self.walk.draft.trace.id = invocation;
        if event.get("partial").is_some_and(Json::is_true) {
            return Ok(());
        }
        let branch = event.string(&["branch"])?.unwrap_or_default();
        let mut agents = branch.split('.').filter(|agent| !agent.is_empty()).map(ToOwned::to_owned);
        let author = event.string(&["author"])?.filter(|author| author != "user");
        // A branch such as `shop.billing` begins with the run's own agent.
        let own = agents.next().or(author);
        let path: Vec<String> = agents.collect();
        let trace = &mut self.walk.draft.trace;
        trace.agent = trace.agent.take().or(own);
        trace.model = event.string(&["modelVersion", "model_version"])?.or(trace.model.take());
        trace.stop_reason = stop_reason(&mut event)?.or(trace.stop_reason.take());
        if USAGE_NAMES.iter().any(|name| event.get(name).is_some_and(|usage| !usage.is_null())) {
            self.walk.draft.tally.add(TOKENS.read_from(&mut event, &USAGE_NAMES)?);
        }
        let content = event.take(&["content"]);
        content
            .map_or(Ok(()), |content| self.walk.content(content, &path))
            .map_err(|wrong| wrong.under("content"))
    }
}

fn stop_reason(event: &mut Object) -> Result<Option<String>, Wrong> {
    let error = event.string(&["errorMessage", "error_message", "errorCode", "error_code"])?;
    Ok(error.map(|error| format!("error: {error}")).or(event.string(&["finishReason", "finish_reason"])?))
}
