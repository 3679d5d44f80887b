//! `inspect`: logs of Inspect as JSON, whole logs or single samples.
//!
//! Each sample is a run with the id of the sample. Later epochs have the id `<id>/<epoch>`. An agent's `submit`, which
//! Inspect removes from the messages, is also a call. The feature `inspect-zip` reads the zipped `.eval`, and
//! `inspect log dump` converts it to JSON.

#[cfg(feature = "inspect-zip")]
mod archive;
mod events;
mod sample;
#[cfg(feature = "inspect-zip")]
mod zipped;

use crate::json::{JsonError, JsonNode, JsonObject};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Splitting, Step, look, present};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;
#[cfg(feature = "inspect-zip")]
pub(crate) use archive::Archive;
#[cfg(feature = "inspect-zip")]
pub use zipped::{ZippedRuns, read_zipped, zipped_runs};

pub(crate) const READER: Reader = Reader {
    name: "inspect",
    summary: "Inspect logs: a run for each sample and epoch",
    marks: &hash_marks(["eval/", "epoch"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    for record in &input.records {
        let value = &record.value;
        // Each form needs two keys, since many other formats have one of them.
        let log = value.get("eval").is_some_and(JsonNode::is_object) && value.get("version").is_some();
        let sample = value.get("epoch").is_some() && value.get("messages").is_some_and(JsonNode::is_array);
        if !log && !sample {
            return Err(Reason::of(record.at, "is neither a log with `eval` nor a sample with an `epoch`"));
        }
    }
    Ok(Certainty::Sure)
}

/// The samples of a log are pieces of it.
fn split_file(input: &Input) -> Option<Pieces> {
    const SAMPLES: &[Step] = &[Step::Under(&["samples"]), Step::Each];
    let is_log = input.first().ok()?.get("eval").is_some();
    Some(Pieces::at(if is_log { SAMPLES } else { &[] }, find_run_key))
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    Ok(RunKey::Own(sample::id(&mut look(text, &["id", "epoch"])?).ok().flatten()).into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut runs = Vec::new();
    for Record { at, value } in input.records {
        let added = JsonObject::of(value, "a log").and_then(|log| add(log, &mut runs));
        added.map_err(|error| at.in_record(error))?;
    }
    Ok(runs)
}

fn add(mut log: JsonObject, runs: &mut Vec<Trace>) -> Result<(), DecodeError> {
    let Some(mut eval) = log.object(&["eval"])? else {
        runs.push(sample::read(log, None)?);
        return Ok(());
    };
    let model = eval.string(&["model"])?;
    // A log's head may be written without its samples, and such a log must not pass as one without runs.
    if log.get("samples").is_none_or(JsonNode::is_null) {
        return Err(DecodeError::new("the log has no `samples`: it is but its head"));
    }
    for (index, sample) in present(log.list(&["samples"])?) {
        let run = JsonObject::of(sample, "a sample").and_then(|sample| sample::read(sample, model.clone()));
        runs.push(run.map_err(|error| error.at_key(index).at_key("samples"))?);
    }
    Ok(())
}
