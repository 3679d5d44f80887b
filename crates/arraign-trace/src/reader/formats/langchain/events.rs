//! The events of `astream_events`. Only the ends of models and tools are read: chains and the chunks of a stream repeat
//! the same messages.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::tool_result::OutcomeMarks;
use crate::reader::error::DecodeError;
use crate::reader::formats::langchain::message;
use crate::reader::formats::langchain::steps::{GraphSteps, ToolRun};
use crate::reader::formats::langchain::{Trace, messages_of};
use crate::reader::json::input::Record;
use crate::trace::Arguments;

pub(crate) fn read(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    let mut events = EventLog::default();
    for Record { at, value } in records {
        events.steps.talk.spot = at.into();
        let added = JsonObject::of(value, "an event").and_then(|event| events.add(event));
        added.map_err(|error| at.in_record(error))?;
    }
    Ok(vec![events.steps.finish()])
}

/// Returns the message of an error. The library dumps an exception as an object with its printed form.
fn said(error: JsonNode) -> String {
    let printed = error.get("repr").and_then(JsonNode::as_str).map(ToOwned::to_owned);
    printed.unwrap_or_else(|| message::without_stack(&error.into_text_or_json()).to_owned())
}

/// Events that repeat what the ends of models and tools say, or concern neither.
const REPEATING: [&str; 18] = [
    "on_chain_start",
    "on_chain_stream",
    "on_chain_end",
    "on_chain_error",
    "on_chat_model_stream",
    "on_llm_start",
    "on_llm_stream",
    "on_llm_error",
    "on_tool_stream",
    "on_prompt_start",
    "on_prompt_end",
    "on_retriever_start",
    "on_retriever_stream",
    "on_retriever_end",
    "on_parser_start",
    "on_parser_stream",
    "on_parser_end",
    "on_custom_event",
];

#[derive(Debug, Default)]
struct EventLog {
    steps: GraphSteps,
    /// The started tools, by run: the name and the arguments.
    tools: HashMap<String, (String, Arguments)>,
}

impl EventLog {
    fn add(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let kind = event.required(&["event"])?;
        let is_outermost = event.get("parent_ids").and_then(JsonNode::first).is_none();
        let (path, scope) = self.standing(&mut event);
        let run = event.take(&["run_id"]).and_then(JsonNode::into_text).unwrap_or_default().into_owned();
        let mut data = event.object(&["data"])?.unwrap_or_default();
        match kind.as_ref() {
            "on_chat_model_start" => {
                let messages = data.take(&["input"]).map(messages_of).unwrap_or_default();
                self.steps.hear(&scope, messages, &path);
            }
            "on_chat_model_end" | "on_llm_end" => match data.take(&["output"]) {
                Some(output) => self.steps.said(output, &path),
                None => self.pass_over(&kind),
            },
            // The outermost chain is the agent itself; those inside of it are its steps.
            "on_chain_start" if scope.is_empty() && self.steps.talk.builder.trace.agent.is_none() => {
                self.steps.talk.builder.trace.agent =
                    event.take(&["name"]).and_then(JsonNode::into_text).map(Cow::into_owned);
            }
            "on_chain_error" if is_outermost => self.fail(data),
            "on_llm_error" | "on_chat_model_error" if path.is_empty() => self.fail(data),
            "on_tool_start" => {
                let name = event.required(&["name"])?.into_owned();
                self.tools.insert(run, (name, data.arguments("input")));
            }
            "on_tool_end" => self.tool_ended(&run, event, data, path),
            "on_tool_error" => {
                let error =
                    data.take(&["error"]).unwrap_or_else(|| JsonNode::String("the tool failed".into()));
                data.insert("error", error);
                self.tool_ended(&run, event, data, path);
            }
            other => self.pass_over(other),
        }
        Ok(())
    }

    /// Notes the error of the run, or of its model: a later reply of the model supersedes it.
    fn fail(&mut self, mut data: JsonObject) {
        let error = data.take(&["error"]).map_or_else(|| "error".to_owned(), said);
        self.steps.talk.builder.trace.stop_reason = Some(format!("error: {error}"));
    }

    fn pass_over(&mut self, kind: &str) {
        let talk = &mut self.steps.talk;
        talk.builder.enter_record(talk.spot);
        talk.builder.pass_over(kind, &REPEATING);
    }

    fn tool_ended(&mut self, run: &str, mut event: JsonObject, mut data: JsonObject, path: Vec<String>) {
        // The end of a tool repeats its input in some versions only, so the start is the better source.
        let started = self.tools.get(run).cloned();
        let (name, arguments) = started.unwrap_or_else(|| {
            let name = event.take_text(&["name"]).unwrap_or_default().into_owned();
            (name, data.arguments("input"))
        });
        self.steps.tool(ToolRun {
            marks: OutcomeMarks::of(&data),
            id: None,
            name,
            arguments,
            output: data.take(&["output"]),
            error: data.take(&["error"]).map(said),
            started_ms: None,
            duration_ms: None,
            path,
        });
    }

    /// Returns the agents that an event was recorded in, and the enclosing tool. A model inside of a tool is nested.
    fn standing(&self, event: &mut JsonObject) -> (Vec<String>, String) {
        let parents = event.list(&["parent_ids"]).unwrap_or_default();
        let ids = parents.into_iter().filter_map(JsonNode::into_text);
        let mut scope = Cow::Borrowed("");
        let mut path = Vec::new();
        // `parent_ids` lists all enclosing runs from the outermost one on. Only those that are tools make an event
        // nested.
        for id in ids {
            if let Some((tool, _)) = self.tools.get(id.as_ref()) {
                path.push(tool.clone());
                scope = id;
            }
        }
        let agent = event.get("metadata").and_then(|metadata| metadata.get("lc_agent_name")?.as_str());
        if let (Some(agent), Some(last)) = (agent, path.last_mut()) {
            agent.clone_into(last);
        }
        (path, scope.into_owned())
    }
}
