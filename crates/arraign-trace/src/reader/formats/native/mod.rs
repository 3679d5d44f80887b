//! `native`: the form for traces written by hand, inline in a case or in a file, in YAML or JSON.
//!
//! ```yaml
//! model: gpt-5
//! steps:
//!   - user: Where is order 7?
//!   - call: lookup_order
//!     args: {id: 7}
//!     result: {status: shipped}
//!   - say: It ships today.
//! ```
//!
//! `calls: [...]` is short for `steps`; in this list, a bare name is a call, too. A call without `result` and `error` is
//! unanswered. A call without `turn` is a turn of its own. `arraign::reader::to_native` writes this form. Keys for data
//! that only other formats record: `system`, `status`, `status_unclear`, `status_inferred`, `agent_path`, `args_error`,
//! `args_unrecorded`, `no_answer`, `calls_unrecorded`, `ended`, `results`, `offered`, `built_in`, `written`, `usage.partial`,
//! `reasoning` beside `say`, `answer_reasoning`. `call: shop:lookup_order` names the server of the tool. A recording of an agent has
//! `recorded`: by which program, when, and fingerprints of the input, of the agent and of its files.

mod locate;
mod mistake;
mod run;
mod step;
mod value;
mod write;

pub use mistake::NativeMistake;
pub use run::read_native;
pub use write::to_native;
pub(crate) use write::to_native_map;

use crate::json::{JsonError, JsonNode};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;
use locate::locate;
use run::{NativeHead, read_run};
use step::read_step;

/// The keys that the form knows: of a run, of a step, and of two mappings of a run. A schema of the form lists the same.
pub const NATIVE_KEYS: [(&str, &[&str]); 4] = [
    ("run", run::KEYS),
    ("step", step::KEYS),
    ("recorded", run::PROVENANCE_KEYS),
    ("usage", run::USAGE_KEYS),
];

pub(crate) const READER: Reader = Reader {
    name: "native",
    summary: "written by hand: `steps` or `calls`, in YAML or JSON",
    marks: &hash_marks(["user", "call", "say", "system", "steps/", "calls/"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

fn detect_format(input: &Input) -> Detection {
    // A file of bare steps is one run, and is judged as a whole.
    if is_step(input.first()?, false) {
        return judge_steps(input.records.iter().map(|record| &record.value), false);
    }
    for record in &input.records {
        let [steps, calls] = ["steps", "calls"].map(|key| record.value.get(key).and_then(JsonNode::as_array));
        match (steps, calls) {
            (Some(steps), _) => judge_steps(steps.iter(), false)?,
            (None, Some(calls)) => judge_steps(calls.iter(), true)?,
            (None, None) => return Err(Reason::of(record.at, "has neither `steps` nor `calls`")),
        };
    }
    Ok(Certainty::Sure)
}

fn judge_steps<'v>(mut steps: impl Iterator<Item = &'v JsonNode<'v>>, short: bool) -> Detection {
    match steps.position(|step| !is_step(step, short)) {
        Some(index) => Err(format!("step {} has none of `user`, `call` and `say`", index + 1).into()),
        None => Ok(Certainty::Sure),
    }
}

/// Whether this is a step; `calls` are shorter than `steps`.
fn is_step(value: &JsonNode, short: bool) -> bool {
    ["call", "user", "say", "system"].into_iter().any(|key| value.has_text(key))
        || short && (value.is_string() || value.has_text("name"))
}

/// A list of steps is one run.
fn split_file(input: &Input) -> Option<Pieces> {
    let is_list = input.first().is_ok_and(|first| is_step(first, false));
    (!is_list).then_some(Pieces::records(find_run_key))
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    Ok(RunKey::Own(look(text, &["id"])?.string(&["id"]).ok().flatten()).into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let Input { text, records, .. } = input;
    if records.first().is_some_and(|record| is_step(&record.value, false)) {
        return read_step_records(text, records).map(|trace| vec![trace]);
    }
    let runs = records.into_iter().map(|Record { at, value }| {
        read_run(value).map_err(|mistakes| match at {
            // Only a whole document has lines that an author can be pointed to.
            At::Whole => locate_all(text, &mistakes),
            at => at.in_record(first_of(&mistakes)),
        })
    });
    runs.collect()
}

/// Reads a file whose records are the steps of one run.
fn read_step_records(text: &str, records: Vec<Record>) -> Result<Trace, DecodeError> {
    let mut steps = Vec::new();
    let mut mistakes = Vec::new();
    for Record { at, value } in records {
        match (read_step(value, false), at) {
            (Ok(step), _) => steps.push(step),
            (Err(found), At::Item(index)) => {
                mistakes.extend(found.into_iter().map(|mistake| mistake.at_key(index)));
            }
            // A record of its own line has its place already; only items of one list must be located in the text.
            (Err(found), at) => return Err(at.in_record(first_of(&found))),
        }
    }
    if mistakes.is_empty() {
        return Ok(NativeHead::default().into_trace(steps));
    }
    Err(locate_all(text, &mistakes))
}

/// The first mistake, by its pointer: a log of many runs has no place for all of them.
fn first_of(mistakes: &[NativeMistake]) -> DecodeError {
    let Some(mistake) = mistakes.first() else { return DecodeError::new("the trace is wrong") };
    DecodeError::new(mistake.to_string()).at(&mistake.pointer)
}

/// All mistakes of a document by line and column, one a line: somebody wrote the file by hand.
fn locate_all(text: &str, mistakes: &[NativeMistake]) -> DecodeError {
    let located = mistakes.iter().map(|mistake| (locate(text, &mistake.pointer, mistake.on_key), mistake));
    let mut located: Vec<((usize, usize), &NativeMistake)> = located.collect();
    located.sort_by_key(|(place, _)| *place);
    let lines =
        located.iter().map(|((line, column), mistake)| format!("line {line}, column {column}: {mistake}"));
    DecodeError::new(lines.collect::<Vec<_>>().join("\n"))
}
