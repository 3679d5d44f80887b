//! `atif`: trajectories in the Agent Trajectory Interchange Format, versions 1.0 to 1.8.
//!
//! Each step of the agent is a turn. The format does not record which calls failed. If the converter for Claude Code adds
//! this beside the results, the status of all calls is known. Steps that were copied from an earlier trajectory are
//! skipped. The calls of subagents have their path, whether they are steps of the run or a trajectory within it. In files of
//! `cargo arraign convert`, `extra.arraign` contains what the format has no place for, such as the status of a call.

mod children;
pub(crate) mod own;
mod steps;

use crate::json::{JsonError, JsonNode, JsonObject};
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;
use steps::AtifSteps;

pub(crate) const READER: Reader = Reader {
    name: "atif",
    summary: "ATIF: trajectories of agents, as Harbor writes them",
    marks: &hash_marks(["schema_version"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Records(find_run_key),
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    for record in &input.records {
        if !is_trajectory(&record.value) {
            return Err(Reason::of(record.at, "has no `schema_version` that begins with `ATIF-`"));
        }
    }
    Ok(Certainty::Sure)
}

fn is_trajectory(value: &JsonNode) -> bool {
    let version = value.get("schema_version").and_then(JsonNode::as_str);
    version.is_some_and(|version| version.starts_with("ATIF-"))
}

/// Each record is a run.
fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    Ok(RunKey::Own(
        look(text, &["session_id", "trajectory_id"])?.string(&["session_id", "trajectory_id"]).ok().flatten(),
    )
    .into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    input.records.into_iter().map(run).collect()
}

fn run(record: Record) -> Result<Trace, DecodeError> {
    let at = record.at;
    let own = own::is_own(&record.value).then(|| record.value.to_json());
    let plain = JsonObject::of(record.value, "a trajectory").and_then(|trajectory| trace(at, trajectory));
    let trace = plain.and_then(|plain| match own {
        Some(own) => own::read_own(&own, plain).map_err(|mistakes| {
            let first = mistakes.first().map_or_else(String::new, ToString::to_string);
            DecodeError::new(format!("`extra.arraign`: {first}"))
        }),
        None => Ok(plain),
    });
    trace.map_err(|error| at.in_record(error))
}

fn trace(at: At, mut trajectory: JsonObject) -> Result<Trace, DecodeError> {
    let mut steps = AtifSteps::of(at);
    steps.add(&mut trajectory, &[])?;
    let mut trace = steps.finish();
    trace.id = trajectory.string(&["session_id", "trajectory_id"])?;
    let metrics = trajectory.object(&["final_metrics"])?.unwrap_or_default();
    add_totals(&mut trace, metrics).map_err(|error| error.at_key("final_metrics"))?;
    Ok(trace)
}

/// Reads the totals of a run, if they are recorded.
fn add_totals(trace: &mut Trace, mut metrics: JsonObject) -> Result<(), DecodeError> {
    trace.usage = RUN_TOKENS.read(&metrics)?.or(trace.usage);
    trace.cost_usd = metrics.figure(&["total_cost_usd"])?.or(trace.cost_usd);
    Ok(())
}

/// Tokens of a step.
const STEP_TOKENS: TokenKeys = TokenKeys {
    input: &["prompt_tokens"],
    output: &["completion_tokens"],
    cached: &["cached_tokens"],
    reasoning: &["/extra/reasoning_output_tokens"],
    ..TokenKeys::NONE
};

/// Tokens of a run.
const RUN_TOKENS: TokenKeys = TokenKeys {
    input: &["total_prompt_tokens"],
    output: &["total_completion_tokens"],
    cached: &["total_cached_tokens"],
    reasoning: &["/extra/reasoning_output_tokens"],
    ..TokenKeys::NONE
};
