//! The steps of a trajectory to a trace.

use crate::json::{Json, JsonNode, JsonObject, parse_lenient};

use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::content::{content_value, text_of};
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::tool_name::split_host_name;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::UsageTotal;
use crate::reader::error::DecodeError;
use crate::reader::formats::atif::STEP_TOKENS;
use crate::reader::formats::atif::children::{Child, Children};
use crate::reader::formats::claude_code::exit_code;
use crate::reader::formats::codex::is_context;
use crate::reader::formats::codex::output::CodexOutput;
use crate::reader::json::input::At;
use crate::trace::{Call, CallStatus, Role, StatusMark, ToolServer, Trace};

/// The keys of a trajectory under which no call is overlooked.
const TRAJECTORY_KEYS: [&str; 5] = ["agent", "steps", "subagent_trajectories", "final_metrics", "extra"];

/// The text that a converter adds to a result that is an error.
const FAILED: &str = "\n\n[error] tool reported failure";

/// The beginning that a converter gives to a result that was a block of text.
const BLOCK: &str = r#"{"type": "text", "text": "#;

/// A trace while the steps of its trajectory are read.
#[derive(Debug, Default)]
pub(crate) struct AtifSteps<'t> {
    builder: TraceBuilder,
    /// The place of the trajectory.
    at: At,
    began: Option<u64>,
    tally: UsageTotal,
    cost_usd: Option<f64>,
    /// Whether failed results are marked: then a result without the mark is no failure.
    tells_errors: bool,
    /// The agent's own texts since its last call.
    said: Vec<String>,
    stop_reason: Option<String>,
    /// The trajectories of subagents that no result has named yet.
    children: Children<'t>,
}

impl<'t> AtifSteps<'t> {
    /// The steps of the trajectory at `at`.
    pub(crate) fn of(at: At) -> Self {
        Self { at, ..Self::default() }
    }

    pub(crate) fn finish(self) -> Trace {
        let mut trace = self.builder.finish();
        let unmarked =
            |call: &&mut Call| call.status == CallStatus::Unknown && call.status_mark.is_recorded();
        for call in trace.calls.iter_mut().filter(unmarked).filter(|_| self.tells_errors) {
            (call.status, call.status_mark) = (CallStatus::Ok, StatusMark::Inferred);
        }
        trace.answer = (!self.said.is_empty()).then(|| self.said.join("\n"));
        trace.usage = self.tally.total();
        trace.cost_usd = self.cost_usd;
        trace.stop_reason = self.stop_reason;
        trace
    }

    /// Adds the steps of the trajectory of the run, or of one within it. An inner trajectory comes after the call with a result
    /// that names it, or else at the end.
    pub(crate) fn add(
        &mut self,
        trajectory: &mut JsonObject<'t>,
        path: &[String],
    ) -> Result<(), DecodeError> {
        let beside = CallEvidence::gather_beside(self.at, trajectory, &TRAJECTORY_KEYS);
        let mut agent = trajectory.object(&["agent"])?.unwrap_or_default();
        if path.is_empty() {
            let trace = &mut self.builder.trace;
            (trace.agent, trace.model) = (agent.string(&["name"])?, agent.string(&["model_name"])?);
            self.tells_errors = trace.agent.as_deref() == Some("claude-code");
        }
        let children = Children::of(trajectory.list(&["subagent_trajectories"])?)?;
        // References are resolved among the children of this trajectory only; those around it are set aside meanwhile.
        let around = std::mem::replace(&mut self.children, children);
        for (index, step) in trajectory.list(&["steps"])?.into_iter().enumerate() {
            let evidence = CallEvidence::gather(RecordSpot::item(self.at, "steps", index), &step);
            let step = JsonObject::of(step, "a step").and_then(|step| self.step(step, path, evidence));
            step.map_err(|error| error.at_key(index).at_key("steps"))?;
        }
        for child in std::mem::replace(&mut self.children, around).rest() {
            self.add_within(child, path)?;
        }
        self.builder.close_records(beside.into_iter().collect());
        Ok(())
    }

    fn add_within(&mut self, child: Child<'t>, path: &[String]) -> Result<(), DecodeError> {
        let Child { index, mut trajectory } = child;
        let name = trajectory.get("agent").and_then(|agent| agent.get("name")).and_then(JsonNode::as_str);
        let path = [path, &[name.unwrap_or("subagent").to_owned()]].concat();
        let added = self.add(&mut trajectory, &path);
        added.map_err(|error| error.at_key(index).at_key("subagent_trajectories"))
    }

    /// Adds the trajectories that a result names.
    fn add_named(&mut self, references: Vec<JsonNode>, path: &[String]) -> Result<(), DecodeError> {
        for reference in references {
            if let Some(child) = self.children.take(&reference) {
                self.add_within(child, path)?;
            }
        }
        Ok(())
    }

    fn step(
        &mut self,
        mut step: JsonObject<'t>,
        path: &[String],
        evidence: CallEvidence,
    ) -> Result<(), DecodeError> {
        // A step of a handed-over context is in the trajectory that it comes from.
        if step.get("is_copied_context").is_some_and(JsonNode::is_true) {
            return Ok(());
        }
        self.builder.enter_record(evidence.spot);
        let extra = step.take(&["extra"]).unwrap_or_default();
        let path = path_of(&extra, path);
        // Only the last turn of the agent itself says why the run stopped.
        if path.is_empty() && step.text_under("source") == Some("agent") {
            self.stop_reason = extra.text_under("stop_reason").map(ToOwned::to_owned);
        }
        let time = step.take(&["timestamp"]).and_then(|time| nanos(time.as_str()?));
        self.began = self.began.or(time);
        let text = text_of(step.take(&["message"]));
        let made = self.builder.trace.calls.len();
        match step.required(&["source"])?.as_ref() {
            "agent" => self.agent_step(&mut step, &text, &path, time)?,
            "user" if path.is_empty() && !is_context(&text) => {
                self.builder.say(Role::User, &text);
                self.said.clear();
            }
            "user" | "system" if path.is_empty() => self.builder.say(Role::System, &text),
            _ => {}
        }
        let metrics = step.object(&["metrics"])?;
        metrics.map_or(Ok(()), |metrics| self.metrics(metrics)).map_err(|error| error.at_key("metrics"))?;
        let mut observation = step.object(&["observation"])?.unwrap_or_default();
        let results = observation.list(&["results"]).map_err(|error| error.at_key("observation"))?;
        // Some agents do not say what a result answers; of one call and one result that is clear.
        let only = match (&self.builder.trace.calls[made..], results.len()) {
            ([call], 1) => call.id.clone(),
            _ => None,
        };
        let mut named = Vec::new();
        for (index, result) in results.into_iter().enumerate() {
            let result = JsonObject::of(result, "a result").and_then(|mut result| {
                named.extend(result.list(&["subagent_trajectory_ref"])?);
                self.result(result, only.as_deref())
            });
            result.map_err(|error| error.at_key(index).at_key("results").at_key("observation"))?;
        }
        self.builder.close_record(evidence);
        self.add_named(named, &path)
    }

    fn agent_step(
        &mut self,
        step: &mut JsonObject,
        text: &str,
        path: &[String],
        time: Option<u64>,
    ) -> Result<(), DecodeError> {
        let calls = step.list(&["tool_calls"])?;
        if path.is_empty() {
            self.builder.begin(Some(Role::Assistant));
            self.builder.text(text);
            // The answer is what is said after the last call.
            if calls.is_empty() {
                self.said.push(text.to_owned());
            } else {
                self.said.clear();
            }
        } else {
            self.builder.begin_nested();
        }
        let started_ms = self.began.zip(time).map(|(began, time)| millis_between(began, time));
        for (index, call) in calls.into_iter().enumerate() {
            let call = JsonObject::of(call, "a tool call").and_then(call_of);
            let call = call.map_err(|error| error.at_key(index).at_key("tool_calls"))?;
            let mut call = Call { started_ms, agent_path: path.to_vec(), ..call };
            // Claude Code joins the names of server and tool, which other agents write apart.
            if self.builder.trace.agent.as_deref() == Some("claude-code") {
                split_host_name(&mut call, ToolServer::BuiltIn);
            }
            self.builder.call(call);
        }
        self.builder.end();
        Ok(())
    }

    fn metrics(&mut self, mut metrics: JsonObject) -> Result<(), DecodeError> {
        self.tally.add(STEP_TOKENS.read(&metrics)?);
        let cost = metrics.figure(&["cost_usd"])?;
        self.cost_usd = cost.map(|cost| cost + self.cost_usd.unwrap_or_default()).or(self.cost_usd);
        Ok(())
    }

    /// A result names its call; what an environment says without being asked belongs to none.
    fn result(&mut self, mut result: JsonObject, only: Option<&str>) -> Result<(), DecodeError> {
        let told = result.text(&["source_call_id"])?;
        let Some(id) = told.as_deref().or(only) else { return Ok(()) };
        let mut marks = OutcomeMarks::of(&result);
        marks.read_value(result.get("extra"));
        self.tells_errors |= marks.is_marked();
        let shown = shown(&mut result, self.builder.trace.agent.as_deref());
        let error = shown.result.as_str().filter(|_| marks.has_failed()).map(ToOwned::to_owned);
        if let Some(why) = shown.unclear {
            marks.note_unclear(why);
        }
        // Some converters write no flag, but keep the exit code.
        marks.note_exit_code(shown.exit_code.or_else(|| exit_code(error.as_ref()?)));
        let Some(call) = self.builder.waiting(Some(id), None) else {
            self.builder.compare_result(Some(id), &marks, Unmarked::Unrecorded);
            return Ok(());
        };
        call.error = error;
        call.exit_code = marks.exit_code();
        call.duration_ms = shown.duration_ms;
        marks.settle(call, Unmarked::Unrecorded);
        call.result = Some(shown.result);
        Ok(())
    }
}

/// Returns the bare result of a tool. Converters wrap it: that of Claude Code keeps the bare result beside it, that
/// of Codex adds a header.
fn shown(result: &mut JsonObject, agent: Option<&str>) -> CodexOutput {
    let bare =
        result.get("extra").and_then(|extra| extra.pointer("/tool_result_metadata/raw_tool_result/content"));
    let shown = bare.cloned().or_else(|| result.take(&["content"]));
    let shown = undressed(content_value(shown.unwrap_or_default(), ""));
    if agent == Some("codex") {
        CodexOutput::of(shown)
    } else {
        CodexOutput { result: shown, ..CodexOutput::default() }
    }
}

/// A text without the words of its converter: that the call failed, or the block around it.
fn undressed(shown: Json) -> Json {
    let Json::String(text) = &shown else { return shown };
    if let Some(text) = text.strip_suffix(FAILED) {
        return Json::String(text.to_owned().into());
    }
    // A converter may have written a block of text as JSON into the text.
    let block = if text.starts_with(BLOCK) { parse_lenient(text).ok() } else { None };
    block.and_then(|mut block| Some(block.get_mut("text")?.take()).filter(Json::is_string)).unwrap_or(shown)
}

fn call_of(mut call: JsonObject) -> Result<Call, DecodeError> {
    let name = call.required(&["function_name"])?;
    let arguments = call.arguments("arguments");
    let id = call.string(&["tool_call_id"])?;
    Ok(Call { id, ..Call::new(name, arguments, 0) })
}

/// The path of a step, which a converter may have taken out of a subagent.
fn path_of(extra: &JsonNode, path: &[String]) -> Vec<String> {
    if !extra.get("is_sidechain").is_some_and(JsonNode::is_true) {
        return path.to_vec();
    }
    [path, &[extra.text_under("agent_id").unwrap_or("subagent").to_owned()]].concat()
}
