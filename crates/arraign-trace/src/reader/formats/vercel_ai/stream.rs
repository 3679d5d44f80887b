//! The parts of `fullStream`, and of the stream that feeds a user interface.

use crate::reader::build::tool_result::error_of;
use crate::reader::build::trace_builder::Draft;
use crate::reader::error::Wrong;
use crate::reader::formats::vercel_ai::TOKENS;
use crate::reader::formats::vercel_ai::outcome::{Outcome, add_call, add_named};
use crate::reader::formats::vercel_ai::request::hear;
use crate::reader::json::input::Record;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::trace::{Role, Trace, Usage};

/// Parts that no other format has.
const OWN: [&str; 11] = [
    "start-step",
    "finish-step",
    "step-start",
    "step-finish",
    "text-start",
    "text-delta",
    "tool-input-start",
    "tool-input-available",
    "tool-output-available",
    "tool-output-error",
    "tool-input-error",
];

pub(crate) fn is_own(kind: &str) -> bool {
    OWN.contains(&kind)
}

pub(crate) fn is_known(kind: &str) -> bool {
    const OTHER: [&str; 7] = ["start", "finish", "error", "abort", "tool-call", "tool-result", "tool-error"];
    is_own(kind) || OTHER.contains(&kind) || kind.starts_with("reasoning-")
}

/// The runs of a stream's parts: one begins at each `start`.
pub(crate) fn read(records: Vec<Record>) -> Result<Vec<Trace>, Wrong> {
    let mut runs = Vec::new();
    let mut stream = Stream::default();
    for Record { at, value } in records {
        let mut part = Object::of(value, "a part").map_err(|wrong| at.blame(wrong))?;
        let kind = part.text(&["type"]).map_err(|wrong| at.blame(wrong))?.unwrap_or_default();
        if kind == "start" && stream.begun {
            runs.push(std::mem::take(&mut stream).finish());
        }
        stream.begun = true;
        stream.add(&kind, part).map_err(|wrong| at.blame(wrong))?;
    }
    runs.push(stream.finish());
    Ok(runs)
}

#[derive(Debug, Default)]
struct Stream {
    begun: bool,
    /// Each request repeats what the ones before it held: the first was read.
    heard: bool,
    draft: Draft,
    total: Option<Usage>,
}

impl Stream {
    fn add(&mut self, kind: &str, mut part: Object) -> Result<(), Wrong> {
        let draft = &mut self.draft;
        match kind {
            "start-step" | "step-start" => {
                let request = part.take(&["request"]).filter(|_| !self.heard);
                self.heard = true;
                hear(draft, request);
                draft.begin(Some(Role::Assistant));
            }
            "text-delta" | "text" => {
                draft.text(&part.text(&["text", "delta", "textDelta"])?.unwrap_or_default());
            }
            "tool-call" | "tool-input-available" => add_call(draft, &mut part)?,
            "tool-input-error" => {
                part.push("invalid".into(), Json::Bool(true));
                let (id, name) = (part.string(&["toolCallId"])?, part.required(&["toolName"])?.into_owned());
                add_named(draft, id.clone(), name.clone(), &mut part);
                Outcome::error(&mut part).answer(draft, id.as_deref(), Some(&name));
            }
            "tool-result" | "tool-output-available" => Outcome::result(&mut part).settle(draft, &mut part)?,
            "tool-error" | "tool-output-error" => Outcome::error(&mut part).settle(draft, &mut part)?,
            "tool-output-denied" => Outcome::denied().settle(draft, &mut part)?,
            "finish-step" | "step-finish" => self.end_step(part)?,
            "finish" => {
                draft.end();
                self.total = TOKENS.read_from(&mut part, &["totalUsage", "usage"])?;
                let reason = part.string(&["finishReason"])?;
                draft.trace.stop_reason = reason.or(draft.trace.stop_reason.take());
            }
            "abort" => draft.trace.stop_reason = Some("abort".to_owned()),
            "error" => {
                let told = part.string(&["errorText"])?.or_else(|| error_of(&mut part));
                draft.trace.stop_reason = told.map(|error| format!("error: {error}"));
            }
            _ => {}
        }
        Ok(())
    }

    fn end_step(&mut self, mut part: Object) -> Result<(), Wrong> {
        self.draft.end();
        if part.get("usage").is_some_and(|usage| !usage.is_null()) {
            self.draft.tally.add(TOKENS.read_from(&mut part, &["usage"])?);
        }
        let model =
            part.object(&["response"])?.and_then(|mut response| response.take(&["modelId"])?.into_text());
        let trace = &mut self.draft.trace;
        trace.model = model.map(std::borrow::Cow::into_owned).or(trace.model.take());
        trace.stop_reason = part.string(&["finishReason"])?.or(trace.stop_reason.take());
        Ok(())
    }

    fn finish(mut self) -> Trace {
        self.draft.trace.usage = self.total;
        self.draft.finish()
    }
}
