//! `episodes`: events of runs, one per line: `episode_start`, `step`, `tool_call`, `episode_end`.
//!
//! Each episode is a run. The events of several episodes can be interleaved. The events do not record which calls one
//! model response made: each call is a turn.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{self, JsonError, JsonNode, JsonObject};
use crate::reader::build::tool_result::with_result;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, Ended, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "episodes",
    summary: "events of runs: `episode_start`, `step`, `tool_call`, `episode_end`",
    marks: &hash_marks(["episode_id"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Records(find_run_key),
};

const EVENTS: [&str; 4] = ["episode_start", "step", "tool_call", "episode_end"];

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    for record in &input.records {
        let kind = record.value.get("type").and_then(JsonNode::as_str).unwrap_or_default();
        let named = record.value.get("episode_id").is_some_and(JsonNode::is_string);
        if !EVENTS.contains(&kind) || !named {
            return Err(Reason::of(record.at, "is no event of an episode"));
        }
    }
    Ok(Certainty::Sure)
}

/// A run while its events are read.
#[derive(Debug)]
struct Episode {
    trace: Trace,
    started: Option<f64>,
}

/// The runs of a file, and where each stands by its id.
#[derive(Debug, Default)]
struct Episodes {
    list: Vec<Episode>,
    places: HashMap<String, usize>,
}

impl Episodes {
    fn entry(&mut self, id: String) -> &mut Episode {
        let place = *self.places.entry(id.clone()).or_insert(self.list.len());
        if place == self.list.len() {
            self.list.push(Episode { trace: Trace { id: Some(id), ..Trace::default() }, started: None });
        }
        &mut self.list[place]
    }
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let id = look(text, &["episode_id"])?.string(&["episode_id"]).ok().flatten();
    Ok(id.map_or(RunKey::Nobody, RunKey::Of).into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut episodes = Episodes::default();
    for Record { at, value } in input.records {
        let event = JsonObject::of(value, "an event").and_then(|event| add(&mut episodes, event));
        event.map_err(|error| at.in_record(error))?;
    }
    let traces = episodes.list.into_iter().map(|mut episode| {
        episode.trace.settle_answer();
        episode.trace
    });
    Ok(traces.collect())
}

fn add(episodes: &mut Episodes, mut event: JsonObject) -> Result<(), DecodeError> {
    let kind = event.required(&["type"])?;
    let id = event.required(&["episode_id"])?.into_owned();
    let time = event.figure(&["timestamp"])?;
    let episode = episodes.entry(id);
    match kind.as_ref() {
        "episode_start" => {
            episode.start(event, time);
            Ok(())
        }
        "step" => episode.step(event),
        "tool_call" => episode.call(event, time),
        "episode_end" => episode.end(event, time),
        other => {
            Err(DecodeError::new(format!("`{other}` is not one of `{}`", EVENTS.join("`, `"))).at_key("type"))
        }
    }
}

impl Episode {
    fn start(&mut self, mut event: JsonObject, time: Option<f64>) {
        self.started = time;
        let prompt = match event.take(&["input"]) {
            Some(JsonNode::String(prompt)) => Some(prompt.into_owned()),
            Some(input) => {
                input.get("prompt").and_then(JsonNode::as_str).map(|prompt| prompt.to_owned().into())
            }
            None => None,
        };
        if let Some(prompt) = prompt {
            self.trace.push_message(Role::User, prompt);
        }
        let mut meta =
            event.take(&["meta"]).and_then(|meta| JsonObject::of(meta, "`meta`").ok()).unwrap_or_default();
        self.trace.model = meta.string(&["model"]).ok().flatten();
    }

    /// Adds the reply of a model. Some writers keep prompt and completion as JSON in the text.
    fn step(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let kind = event.text(&["kind"])?.unwrap_or_default();
        let Some(content) = event.text(&["content"])? else { return Ok(()) };
        let role = match kind.as_ref() {
            "user" | "user_input" | "prompt" => Role::User,
            "system" => Role::System,
            "model" | "llm" | "llm_completion" | "assistant" => Role::Assistant,
            _ => return Ok(()),
        };
        // A content that is not such JSON is kept as plain text.
        let pair = json::from_str::<Pair>(&content).unwrap_or_default();
        if let (None, Some(prompt)) = (&self.trace.input, pair.prompt) {
            self.trace.push_message(Role::User, prompt);
        }
        self.trace.push_message(role, pair.completion.map_or(content, Cow::Owned));
        Ok(())
    }

    fn call(&mut self, mut event: JsonObject, time: Option<f64>) -> Result<(), DecodeError> {
        let name = event.required(&["tool_name"])?;
        let arguments = event.arguments("args");
        let turn = self.trace.calls.len() + 1;
        let started_ms = self.since_start(time)?;
        self.trace.push_call(Call { started_ms, ..with_result(Call::new(name, arguments, turn), event) });
        Ok(())
    }

    fn end(&mut self, mut event: JsonObject, time: Option<f64>) -> Result<(), DecodeError> {
        self.trace.duration_ms = self.since_start(time)?;
        self.trace.answer = event.string(&["final_output"])?;
        self.trace.stop_reason = event.string(&["outcome"])?;
        if self.trace.stop_reason.as_deref() == Some("pass") {
            self.trace.ended = Ended::Well;
        }
        Ok(())
    }

    fn since_start(&self, time: Option<f64>) -> Result<Option<f64>, DecodeError> {
        let (Some(started), Some(time)) = (self.started, time) else { return Ok(None) };
        // A clock that went back would give all later calls wrong times.
        if time < started {
            return Err(DecodeError::new(format!("{time} is before the episode's start, {started}"))
                .at_key("timestamp"));
        }
        Ok(Some(time - started))
    }
}

#[derive(Debug, Default, serde::Deserialize)]
struct Pair {
    prompt: Option<String>,
    completion: Option<String>,
}
