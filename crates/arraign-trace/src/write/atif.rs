//! ATIF 1.8.
//!
//! The plain parts are written first, and read back. Where a step differs from the native form of the run, the difference is
//! written beside it, under `extra.arraign`: so nothing is lost for arraign, and the list of losses is complete for everyone
//! else.

use super::calls::{WrittenCall, WrittenCalls, result_text, steps_of, written_name};
use super::loss::{CannotWrite, Loss, Losses, Written, list_differences};
use crate::json::{Json, JsonMap, json};
use crate::reader::own::{EXTRA, WITHOUT, to_native};
use crate::reader::{read_native, to_native_map};
use crate::trace::{CallStatus, Results, Trace};

/// The version of the format.
const VERSION: &str = "ATIF-v1.8";

/// The keys of a call that belong to its result.
const OF_RESULT: [&str; 7] =
    ["result", "status", "status_inferred", "status_unclear", "error", "exit_code", "duration_ms"];

/// Returns the run as a trajectory of ATIF 1.8, with what the format has no place for. arraign reads that back from
/// `extra.arraign`.
pub fn to_atif(trace: &Trace) -> Result<Written, CannotWrite> {
    let wanted = to_native_map(&with_results_said(trace));
    let steps = steps_of(&wanted);
    if steps.is_empty() {
        return Err(CannotWrite::Empty { format: "ATIF" });
    }
    let mut writer = AtifWriter::default();
    steps.iter().filter_map(Json::as_object).for_each(|step| writer.add(step));
    let mut trajectory = write_head(&wanted);
    trajectory.insert("steps", Json::Array(writer.steps));
    if let Some(metrics) = write_totals(&wanted) {
        trajectory.insert("final_metrics", metrics);
    }
    let mut trajectory = Json::Object(trajectory);
    let losses = keep_differences(&mut trajectory, &wanted, &writer.places);
    Ok(Written { text: format!("{trajectory:#}\n"), losses })
}

/// A trace in which it is said whether results were recorded: only the native form may leave that open.
fn with_results_said(trace: &Trace) -> Trace {
    let mut trace = trace.clone();
    if trace.results == Results::Optional {
        let has_results = trace.calls.iter().any(|call| call.status != CallStatus::Unanswered);
        trace.results = if has_results { Results::Recorded } else { Results::NotRecorded };
    }
    trace
}

/// All but the steps and the totals.
fn write_head(wanted: &JsonMap) -> JsonMap {
    let text = |key: &str| wanted.get(key).filter(|value| value.is_string()).cloned();
    let mut head = JsonMap::new();
    head.insert("schema_version", Json::from(VERSION));
    if let Some(id) = text("id") {
        head.insert("session_id", id);
    }
    let mut agent = JsonMap::new();
    agent.insert("name", text("agent").unwrap_or_else(|| Json::from("unknown")));
    // No trace has it.
    agent.insert("version", Json::from("unknown"));
    if let Some(model) = text("model") {
        agent.insert("model_name", model);
    }
    head.insert("agent", Json::Object(agent));
    head
}

/// The tokens and the cost of the run.
fn write_totals(wanted: &JsonMap) -> Option<Json> {
    let mut metrics = JsonMap::new();
    let mut put = |key: &'static str, value: Option<&Json>| {
        if let Some(value) = value {
            metrics.insert(key, value.clone());
        }
    };
    if let Some(usage) = wanted.get("usage") {
        put("total_prompt_tokens", usage.get("input_tokens"));
        put("total_completion_tokens", usage.get("output_tokens"));
        put("total_cached_tokens", usage.get("cached_tokens"));
        let reasoning = usage.get("reasoning_tokens").map(|count| json!({"reasoning_output_tokens": count}));
        put("extra", reasoning.as_ref());
    }
    put("total_cost_usd", wanted.get("cost_usd"));
    (!metrics.is_empty()).then_some(Json::Object(metrics))
}

/// Where a native step stands in the trajectory.
#[derive(Debug, Clone, Copy)]
enum StepPlace {
    /// The message of the step with this index.
    Message(usize),
    /// A call of the step with this index.
    Call(usize, usize),
}

/// The steps of a trajectory while they are written.
#[derive(Debug, Default)]
struct AtifWriter {
    steps: Vec<Json>,
    /// The place of each native step.
    places: Vec<StepPlace>,
    calls: WrittenCalls,
    /// The turn of the last call, and the nested agent that made it.
    last_call: Option<(usize, Json)>,
    /// Whether the last step may still get calls.
    is_open: bool,
}

impl AtifWriter {
    fn add(&mut self, step: &JsonMap) {
        if step.contains_key("call") {
            self.add_call(step);
        } else {
            self.add_text(step);
        }
    }

    fn add_text(&mut self, step: &JsonMap) {
        let said = [("say", "agent"), ("user", "user"), ("system", "system")];
        let said = said.into_iter().find_map(|(key, source)| Some((source, step.get(key)?)));
        let Some((source, text)) = said else { return };
        let mut written = self.begin_step(source, text.clone());
        if let Some(reasoning) = step.get("reasoning") {
            written.insert("reasoning_content", reasoning.clone());
        }
        self.places.push(StepPlace::Message(self.steps.len()));
        self.steps.push(Json::Object(written));
        // Beside calls, a reader takes an empty text for no text, so it stays a step of its own.
        self.is_open = source == "agent" && text.as_str().is_some_and(|text| !text.is_empty());
        self.last_call = None;
    }

    fn begin_step(&self, source: &str, message: Json) -> JsonMap {
        let mut written = JsonMap::new();
        written.insert("step_id", Json::from(self.steps.len() + 1));
        written.insert("source", Json::from(source));
        written.insert("message", message);
        written
    }

    fn add_call(&mut self, step: &JsonMap) {
        let WrittenCall { turn, id } = self.calls.add(step);
        let path = step.get("agent_path").cloned().unwrap_or_default();
        let made = (turn, path);
        let is_of_message = self.is_open && self.last_call.is_none() && made.1.is_null();
        if self.last_call.as_ref() != Some(&made) && !is_of_message {
            self.begin_turn(&made.1);
        }
        self.last_call = Some(made);
        let Some(owner) = self.steps.last_mut().and_then(Json::as_object_mut) else { return };
        let name = written_name(step);
        let call = json!({"tool_call_id": id, "function_name": name, "arguments": write_arguments(step)});
        let calls = owner.get_or_insert_with("tool_calls", || Json::Array(Vec::new()));
        let index = calls.as_array().map_or(0, <[Json]>::len);
        push(calls, call);
        if let Some(content) = write_result(step) {
            let result = json!({"source_call_id": id, "content": content});
            let observation = owner.get_or_insert_with("observation", || json!({"results": []}));
            if let Some(results) = observation.get_mut("results") {
                push(results, result);
            }
        }
        self.places.push(StepPlace::Call(self.steps.len() - 1, index));
    }

    /// Begins a step without a text, of the agent or of one within it.
    fn begin_turn(&mut self, path: &Json) {
        let mut written = self.begin_step("agent", Json::from(""));
        if let Some(name) = path.as_array().and_then(<[Json]>::last) {
            written.insert("extra", json!({"is_sidechain": true, "agent_id": name}));
        }
        self.steps.push(Json::Object(written));
        self.is_open = true;
    }
}

/// Arguments as a mapping: other ones stand under `_raw`.
fn write_arguments(step: &JsonMap) -> Json {
    match step.get("args") {
        None => json!({}),
        Some(Json::Object(arguments)) => Json::Object(arguments.clone()),
        Some(other) => json!({"_raw": other}),
    }
}

/// The result as a text. A call of which the exit code alone is known has an empty result.
fn write_result(step: &JsonMap) -> Option<Json> {
    result_text(step).or_else(|| step.contains_key("exit_code").then_some(Json::Null))
}

fn push(list: &mut Json, item: Json) {
    if let Some(items) = list.as_array_mut() {
        items.push(item);
    }
}

/// Writes beside each part what the plain trajectory does not say of it, and returns the list of it.
fn keep_differences(trajectory: &mut Json, wanted: &JsonMap, places: &[StepPlace]) -> Vec<Loss> {
    let plain = to_native(trajectory);
    // What a reader takes from the plain parts: a name such as `mcp__shop__get` is split, for example.
    let plain = read_native(Json::Object(plain.clone())).map_or(plain, |read| to_native_map(&read));
    let mut losses = Losses::default();
    let mut call = 0;
    for ((step, plain), place) in steps_of(wanted).iter().zip(steps_of(&plain)).zip(places) {
        let (Some(step), Some(plain)) = (step.as_object(), plain.as_object()) else { continue };
        call += usize::from(step.contains_key("call"));
        let lost = list_differences(step, plain);
        losses.note(step.contains_key("call").then_some(call), lost.iter().copied());
        let [of_result, of_call]: [Vec<&str>; 2] =
            lost.into_iter().fold(Default::default(), |mut parts, key| {
                parts[usize::from(!OF_RESULT.contains(&key))].push(key);
                parts
            });
        match *place {
            StepPlace::Message(index) => {
                let pointer = format!("/steps/{index}");
                keep(trajectory.pointer_mut(&pointer), step, &[of_result, of_call].concat());
            }
            StepPlace::Call(index, of_step) => {
                let pointer = format!("/steps/{index}/tool_calls/{of_step}");
                let id = trajectory.pointer(&format!("{pointer}/tool_call_id")).cloned();
                let results = trajectory.pointer_mut(&format!("/steps/{index}/observation/results"));
                let results = results.and_then(Json::as_array_mut).map(Vec::as_mut_slice).unwrap_or_default();
                if let Some(result) =
                    results.iter_mut().find(|result| result.get("source_call_id") == id.as_ref())
                {
                    keep(Some(result), step, &of_result);
                    keep(trajectory.pointer_mut(&pointer), step, &of_call);
                } else {
                    keep(trajectory.pointer_mut(&pointer), step, &[of_result, of_call].concat());
                }
            }
        }
    }
    // A recording does not say that results were recorded: it goes without saying.
    let is_kept = |key: &&str| *key != "steps" && (*key != "results" || wanted.contains_key(key));
    let head: Vec<&str> = list_differences(wanted, &plain).into_iter().filter(is_kept).collect();
    losses.note(None, head.iter().copied());
    // The key alone says that arraign wrote the file.
    put_extra(trajectory, JsonMap::new());
    keep(Some(trajectory), wanted, &head);
    losses.note(None, ["agent.version"]);
    losses.into_list(explain)
}

/// Writes the entries `keys` of a native step or run under `extra.arraign` of its part.
fn keep(part: Option<&mut Json>, native: &JsonMap, keys: &[&str]) {
    let Some(part) = part.filter(|_| !keys.is_empty()) else { return };
    let mut own = JsonMap::new();
    let mut without = Vec::new();
    for key in keys {
        match native.get(key) {
            Some(value) => drop(own.insert((*key).to_owned(), value.clone())),
            None => without.push(Json::from(*key)),
        }
    }
    if !without.is_empty() {
        own.insert(WITHOUT, Json::Array(without));
    }
    put_extra(part, own);
}

fn put_extra(part: &mut Json, own: JsonMap) {
    let Some(part) = part.as_object_mut() else { return };
    let extra = part.get_or_insert_with("extra", || json!({}));
    if let Some(extra) = extra.as_object_mut() {
        extra.insert(EXTRA, Json::Object(own));
    }
}

/// What the file has in place of a key, for the list of losses.
fn explain(key: &str) -> String {
    match key {
        "agent.version" => "no trace has it, so it is `unknown`",
        "agent" => "it has no name, so it is `unknown`",
        "id" => "each call needs an id of its own, such as `call_1`",
        "args" | "args_error" | "args_unrecorded" => {
            "arguments are a mapping, so others are under `_raw`; kept in `extra.arraign`"
        }
        "result" => "a result is a text, so JSON is written as one; kept in `extra.arraign`",
        _ => "kept in `extra.arraign`, which arraign reads",
    }
    .to_owned()
}
