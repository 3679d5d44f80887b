//! The steps of `generateText`: each is a call of the model and what its tools gave.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::reader::build::trace_builder::Draft;
use crate::reader::error::Wrong;
use crate::reader::formats::vercel_ai::TOKENS;
use crate::reader::formats::vercel_ai::outcome::{Outcome, add_call};
use crate::reader::formats::vercel_ai::request::hear;
use crate::reader::json::input::Record;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::trace::{CallStatus, Role, Trace};

/// Whether a value is a step: its content, and how the model ended it.
pub(crate) fn is_step(value: &Json) -> bool {
    let content = value.get("content").or_else(|| value.get("toolCalls")).is_some_and(Json::is_list);
    content
        && value.get("role").is_none()
        && (value.get("stepNumber").is_some() || value.get("finishReason").is_some())
}

/// The runs of a list of steps: one begins at each first step.
pub(crate) fn read(records: Vec<Record>) -> Result<Vec<Trace>, Wrong> {
    let mut runs = Vec::new();
    let mut run = Steps::default();
    for Record { at, value } in records {
        let number = value.get("stepNumber").and_then(Json::as_number).and_then(serde_json::Number::as_u64);
        if number == Some(0) && run.begun {
            runs.push(std::mem::take(&mut run).finish());
        }
        run.add(value).map_err(|wrong| at.blame(wrong))?;
    }
    runs.push(run.finish());
    Ok(runs)
}

/// A run while its steps are read.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    draft: Draft,
    begun: bool,
}

impl Steps {
    pub(crate) fn add(&mut self, value: Json) -> Result<(), Wrong> {
        let mut step = Object::of(value, "a step")?;
        if !self.begun {
            hear(&mut self.draft, step.take(&["request"]));
        }
        self.begun = true;
        if step.get("usage").is_some_and(|usage| !usage.is_null()) {
            self.draft.tally.add(TOKENS.read_from(&mut step, &["usage"])?);
        }
        let mut response = step.object(&["response"])?.unwrap_or_default();
        let trace = &mut self.draft.trace;
        let model = step.object(&["model"])?.and_then(|mut model| model.take(&["modelId"]));
        let model = response.take(&["modelId"]).or(model).and_then(Json::into_text).map(Cow::into_owned);
        trace.model = model.or(trace.model.take());
        trace.id = step.string(&["callId"])?.or(trace.id.take());
        trace.stop_reason = step.string(&["finishReason"])?;
        let before = self.draft.trace.calls.len();
        self.content(&mut step)?;
        self.time(step.object(&["performance"])?.unwrap_or_default(), before);
        self.explain(response.list(&["messages"]).unwrap_or_default(), before);
        Ok(())
    }

    fn content(&mut self, step: &mut Object) -> Result<(), Wrong> {
        self.draft.begin(Some(Role::Assistant));
        if step.get("content").is_none() {
            return self.old_content(step);
        }
        for (index, part) in step.list(&["content"])?.into_iter().enumerate() {
            let part = Object::of(part, "a part").and_then(|part| self.part(part));
            part.map_err(|wrong| wrong.under(index).under("content"))?;
        }
        self.draft.end();
        Ok(())
    }

    fn part(&mut self, mut part: Object) -> Result<(), Wrong> {
        let kind = part.text(&["type"])?.unwrap_or_default();
        match kind.as_ref() {
            "text" => self.draft.text(&part.text(&["text"])?.unwrap_or_default()),
            "tool-call" => add_call(&mut self.draft, &mut part)?,
            "tool-result" => Outcome::result(&mut part).settle(&mut self.draft, &mut part)?,
            "tool-error" => Outcome::error(&mut part).settle(&mut self.draft, &mut part)?,
            "tool-output-denied" => Outcome::denied().settle(&mut self.draft, &mut part)?,
            _ => {}
        }
        Ok(())
    }

    /// Version 4 keeps text, calls and results apart.
    fn old_content(&mut self, step: &mut Object) -> Result<(), Wrong> {
        self.draft.text(&step.text(&["text"])?.unwrap_or_default());
        for call in step.list(&["toolCalls"])? {
            let added = Object::of(call, "a call").and_then(|mut call| add_call(&mut self.draft, &mut call));
            added.map_err(|wrong| wrong.under("toolCalls"))?;
        }
        for result in step.list(&["toolResults"])? {
            let mut result = Object::of(result, "a result").map_err(|wrong| wrong.under("toolResults"))?;
            Outcome::result(&mut result).settle(&mut self.draft, &mut result)?;
        }
        self.draft.end();
        Ok(())
    }

    /// How long the step and its tools took (version 7).
    fn time(&mut self, mut performance: Object, before: usize) {
        let took = performance.figure(&["stepTimeMs"]).ok().flatten();
        let trace = &mut self.draft.trace;
        trace.duration_ms =
            took.map(|took| took + trace.duration_ms.unwrap_or_default()).or(trace.duration_ms);
        let Some(tools) = performance.object(&["toolExecutionMs"]).ok().flatten() else { return };
        let tools: HashMap<_, _> = tools.rest().into_iter().collect();
        for call in trace.calls.iter_mut().skip(before) {
            let took = call.id.as_deref().and_then(|id| tools.get(id)?.as_number()?.as_f64());
            call.duration_ms = took.filter(|took| *took >= 0.0);
        }
    }

    /// An exception of the step is `{}` in JSON; the messages for the model say what it was.
    fn explain(&mut self, messages: Vec<Json>, before: usize) {
        let trace = &mut self.draft.trace;
        let unexplained =
            |call: &&mut crate::trace::Call| call.status == CallStatus::Error && call.error.is_none();
        let calls = trace.calls.iter_mut().skip(before).filter(unexplained);
        let mut calls: HashMap<String, _> = calls.filter_map(|call| Some((call.id.clone()?, call))).collect();
        let parts = messages
            .into_iter()
            .filter_map(|message| Object::of(message, "a message").ok()?.list(&["content"]).ok());
        for part in parts.flatten() {
            let Ok(mut part) = Object::of(part, "a part") else { continue };
            let call = part.get("toolCallId").and_then(Json::as_str).and_then(|id| calls.get_mut(id));
            if let Some(call) = call
                && let Outcome::Error { error, .. } = Outcome::typed(&mut part)
            {
                call.error = error;
            }
        }
    }

    pub(crate) fn finish(self) -> Trace {
        self.draft.finish()
    }
}
