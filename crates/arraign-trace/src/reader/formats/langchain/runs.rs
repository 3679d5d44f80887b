//! LangSmith runs, one in each line or as a tree of `child_runs`. The runs of one trace are one run of an agent.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::tool_result::OutcomeMarks;
use crate::reader::build::usage::dollars;
use crate::reader::error::DecodeError;
use crate::reader::formats::langchain::message::{self, MessageKind};
use crate::reader::formats::langchain::messages_of;
use crate::reader::formats::langchain::steps::{GraphSteps, ToolRun};
use crate::reader::json::input::Record;
use crate::trace::{Ended, Trace};

/// The most ancestors of a run that are followed.
const DEPTH: usize = 64;

/// One LangSmith run.
struct TracerRun<'t> {
    id: String,
    parent: Option<String>,
    trace: String,
    order: String,
    kind: String,
    name: String,
    start: Option<u64>,
    end: Option<u64>,
    rest: JsonObject<'t>,
}

impl<'t> TracerRun<'t> {
    fn of(mut run: JsonObject<'t>) -> Result<Self, DecodeError> {
        let start = run.string(&["start_time"])?;
        let order = run.string(&["dotted_order"])?.or(start.clone()).unwrap_or_default();
        let id = run.string(&["id", "run_id"])?.unwrap_or_default();
        Ok(Self {
            parent: run.string(&["parent_run_id"])?,
            trace: run.string(&["trace_id"])?.unwrap_or_default(),
            kind: run.required(&["run_type"])?.into_owned(),
            name: run.string(&["name"])?.unwrap_or_default(),
            start: start.and_then(|text| nanos(&text)).or_else(|| started(&order)),
            end: run.text(&["end_time"])?.and_then(|text| nanos(&text)),
            id,
            order,
            rest: run,
        })
    }
}

/// Parses the last time in a dotted order such as `20261121T203405050219Z<id>.20261121T203405050219Z<id>`.
fn started(order: &str) -> Option<u64> {
    let last = order.rsplit('.').next()?;
    let date = format!("{}-{}-{}", last.get(..4)?, last.get(4..6)?, last.get(6..8)?);
    let time = format!("{}:{}:{}", last.get(9..11)?, last.get(11..13)?, last.get(13..15)?);
    nanos(&format!("{date}T{time}.{}Z", last.get(15..21)?))
}

pub(crate) fn read(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    let mut runs = Vec::new();
    for Record { at, value } in records {
        collect(value, &mut runs).map_err(|error| at.in_record(error))?;
    }
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut traces: Vec<Vec<TracerRun>> = Vec::new();
    // Runs of several traces may alternate in one file.
    for run in runs {
        let place = *places.entry(run.trace.clone()).or_insert(traces.len());
        if place == traces.len() {
            traces.push(Vec::new());
        }
        traces[place].push(run);
    }
    Ok(traces.into_iter().map(trace_of).collect())
}

fn collect<'t>(value: JsonNode<'t>, runs: &mut Vec<TracerRun<'t>>) -> Result<(), DecodeError> {
    let mut run = JsonObject::of(value, "a run")?;
    let children = run.list(&["child_runs"])?;
    runs.push(TracerRun::of(run)?);
    children.into_iter().try_for_each(|child| collect(child, runs))
}

fn trace_of(mut runs: Vec<TracerRun>) -> Trace {
    // A run's dotted order begins with its parent's, so sorting by it puts every run after its parent, in time order.
    runs.sort_by(|one, other| one.order.cmp(&other.order));
    let tree = TracerTree::of(&runs);
    let mut steps = GraphSteps::default();
    let began = runs.iter().find_map(|run| run.start);
    let prompted = runs.iter().any(|run| run.kind == "llm" && has_messages(&run.rest));
    let failure = runs.first_mut().and_then(|root| error_of(&mut root.rest));
    let alone = runs.iter().all(|run| !matches!(run.kind.as_str(), "llm" | "tool"));
    for (place, run) in runs.iter_mut().enumerate() {
        // A trace without runs of models and tools has its messages at the root alone.
        if place == 0 && alone {
            root_alone(&mut steps, run);
            continue;
        }
        let (path, scope) = tree.standing(place);
        match run.kind.as_str() {
            _ if place == 0 && run.kind != "llm" => root(&mut steps, run, prompted),
            "llm" => model(&mut steps, run, &scope, &path),
            "tool" => steps.tool(tool_run(run, began, path)),
            _ => {}
        }
    }
    let mut trace = steps.finish();
    // The error of the root is used only if no model call recorded one, since errors propagate to the root.
    let told = trace.stop_reason.as_ref().is_some_and(|reason| reason.starts_with("error"));
    if let Some(failure) = failure.filter(|_| !told) {
        trace.stop_reason = Some(format!("error: {failure}"));
    }
    if let Some(first) = runs.first() {
        // A run that was exported while it went on.
        if trace.stop_reason.is_none() && first.rest.text_under("status") == Some("pending") {
            trace.ended = Ended::Cut("pending".to_owned());
        }
        trace.id = Some(first.trace.clone()).filter(|id| !id.is_empty());
        trace.duration_ms = first.start.zip(first.end).map(|(start, end)| millis_between(start, end));
    }
    trace
}

fn has_messages(run: &JsonObject) -> bool {
    run.get("inputs").is_some_and(|inputs| inputs.get("messages").is_some())
}

/// Reads the outermost run: the total cost, and the question of the user if the models' runs do not repeat it.
fn root(steps: &mut GraphSteps, run: &mut TracerRun, prompted: bool) {
    let trace = &mut steps.talk.builder.trace;
    trace.agent = Some(run.name.clone()).filter(|name| !name.is_empty());
    trace.cost_usd = run.rest.take(&["total_cost"]).as_ref().and_then(dollars);
    if prompted {
        return;
    }
    let inputs = run.rest.take(&["inputs"]).map(messages_of).unwrap_or_default();
    steps.hear("", inputs, &[]);
}

/// Reads the outermost run of an export without inner runs. Its outputs contain the conversation, or the end of it.
fn root_alone(steps: &mut GraphSteps, run: &mut TracerRun) {
    let outputs = run.rest.take(&["outputs"]).map(messages_of).unwrap_or_default();
    // Outputs with a user's message repeat the inputs. The question is then not read from the inputs as well.
    let whole = outputs.iter().any(|message| message::kind(message) == Some(MessageKind::Human));
    root(steps, run, whole);
    for message in outputs {
        steps.talk.add(message, &[]);
    }
}

fn model(steps: &mut GraphSteps, run: &mut TracerRun, scope: &str, path: &[String]) {
    if has_messages(&run.rest) {
        let inputs = run.rest.take(&["inputs"]).map(messages_of).unwrap_or_default();
        steps.hear(scope, inputs, path);
    }
    // The error of a nested agent may be handled by the agent that called it.
    if let Some(error) = error_of(&mut run.rest).filter(|_| path.is_empty()) {
        steps.talk.builder.trace.stop_reason = Some(format!("error: {error}"));
    }
    steps.said(run.rest.take(&["outputs"]).unwrap_or_default(), path);
}

fn tool_run<'t>(run: &mut TracerRun<'t>, began: Option<u64>, path: Vec<String>) -> ToolRun<'t> {
    let extra = run.rest.object(&["extra"]).ok().flatten();
    let id = extra.and_then(|mut extra| extra.take(&["tool_call_id"])?.into_text());
    ToolRun {
        marks: OutcomeMarks::of(&run.rest),
        id: id.map(Cow::into_owned),
        name: run.name.clone(),
        arguments: run.rest.arguments("inputs"),
        error: error_of(&mut run.rest),
        output: run
            .rest
            .object(&["outputs"])
            .ok()
            .flatten()
            .and_then(|mut outputs| outputs.take(&["output"])),
        started_ms: began.zip(run.start).map(|(began, start)| millis_between(began, start)),
        duration_ms: run.start.zip(run.end).map(|(start, end)| millis_between(start, end)),
        path,
    }
}

fn error_of(run: &mut JsonObject) -> Option<String> {
    let error = run.take(&["error"])?.into_text_or_json();
    (!error.is_empty()).then(|| message::without_stack(&error).to_owned())
}

/// The tree of runs.
struct TracerTree {
    /// For each run: the index of the enclosing run, and the tool or agent that it is.
    above: Vec<Option<usize>>,
    tools: Vec<Option<String>>,
    agents: Vec<Option<String>>,
}

impl TracerTree {
    fn of(runs: &[TracerRun]) -> Self {
        let places: HashMap<&str, usize> =
            runs.iter().enumerate().map(|(place, run)| (run.id.as_str(), place)).collect();
        let above = runs.iter().map(|run| places.get(run.parent.as_deref()?).copied());
        let tools = runs.iter().map(|run| (run.kind == "tool").then(|| run.name.clone()));
        let agents = runs
            .iter()
            .map(|run| Some(run.rest.get("extra")?.pointer("/metadata/lc_agent_name")?.as_str()?.to_owned()));
        Self { above: above.collect(), tools: tools.collect(), agents: agents.collect() }
    }

    /// Returns the agents inside of tools that made a run, and the innermost of those tools.
    fn standing(&self, place: usize) -> (Vec<String>, String) {
        let mut inner = place;
        let mut path = Vec::new();
        let mut scope = String::new();
        for above in std::iter::successors(self.above[place], |place| self.above[*place]).take(DEPTH) {
            if let Some(tool) = &self.tools[above] {
                // The path is walked outwards, so the first tool that is met is the innermost.
                if path.is_empty() {
                    scope = above.to_string();
                }
                path.push(self.agents[inner].clone().unwrap_or_else(|| tool.clone()));
            }
            inner = above;
        }
        path.reverse();
        (path, scope)
    }
}
