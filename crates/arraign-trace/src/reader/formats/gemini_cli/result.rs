//! The output of Gemini CLI with `--output-format json`: the answer and the figures of a run. Its calls are only counted.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::tool_result::error_of;
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::Record;
use crate::trace::{CallsUnrecorded, Ended, Role, Trace};

/// Whether a record is the output of a run.
pub(crate) fn is_result(value: &JsonNode) -> bool {
    value.pointer("/stats/models").is_some_and(JsonNode::is_object)
        && value.pointer("/stats/tools").is_some_and(JsonNode::is_object)
        && ["response", "error"].iter().any(|key| value.has_key(key))
}

pub(crate) fn read(Record { at, value }: Record) -> Result<Trace, DecodeError> {
    JsonObject::of(value, "a result").and_then(read_result).map_err(|error| at.in_record(error))
}

fn read_result(mut result: JsonObject) -> Result<Trace, DecodeError> {
    let mut builder = TraceBuilder::default();
    builder.trace.id = result.string(&["session_id"])?;
    if let Some(error) = error_of(&mut result) {
        builder.trace.ended = Ended::from_error(&error);
    }
    if let Some(answer) = result.text(&["response"])? {
        builder.say(Role::Assistant, &answer);
    }
    let mut stats = result.object(&["stats"])?.unwrap_or_default();
    let called =
        stats.object(&["tools"])?.map(|tools| tools.count_under("totalCalls")).transpose()?.flatten();
    for (model, figures) in stats.object(&["models"])?.unwrap_or_default().into_entries() {
        let mut figures = JsonObject::of(figures, "the figures of a model")?;
        builder.tally.add(TOKENS.read_from(&mut figures, &["tokens"])?);
        builder.trace.model.get_or_insert_with(|| model.as_ref().to_owned());
    }
    let mut trace = builder.finish();
    if called != Some(0) {
        trace.calls_unrecorded = Some(CallsUnrecorded::ByFormat);
    }
    Ok(trace)
}

/// Tokens of a model. `input` is the prompt without what a cache held.
const TOKENS: TokenKeys = TokenKeys {
    input: &["prompt"],
    output: &["candidates"],
    more_output: &[&["thoughts"]],
    cached: &["cached"],
    reasoning: &["thoughts"],
    ..TokenKeys::NONE
};
