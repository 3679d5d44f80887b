//! The texts and figures that paths select: tokens, cost, duration.
//!
//! A figure is that of the run, if the path selects something there. Otherwise it is the sum of the figures of the steps.

use std::borrow::Cow;

use serde_json::Value;

use super::declaration::{DurationPath, TokenPaths};
use super::selections::Selections;
use super::selector::PathSelector;
use crate::reader::error::DecodeError;
use crate::trace::Usage;

/// Returns a value as text: a list of texts, or of parts with a `text`, is their concatenation.
pub(super) fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => {
            let texts = parts.iter().map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            texts.collect::<Option<String>>().map_or_else(|| Cow::Owned(value.to_string()), Cow::Owned)
        }
        value => Cow::Owned(value.to_string()),
    }
}

/// Reads the tokens of a run.
pub(super) fn read_tokens<'v>(
    paths: Option<&TokenPaths>,
    run: &'v Value,
    steps: &[&'v Value],
    selections: &mut Selections,
    blame: impl Fn(&Value, DecodeError) -> DecodeError,
) -> Result<Option<Usage>, DecodeError> {
    let Some(paths) = paths else { return Ok(None) };
    let mut count = |selector: &Option<PathSelector>| {
        let sum = read_sum(selector.as_ref(), run, steps, selections, &blame)?;
        Ok::<_, DecodeError>(sum.map(to_count))
    };
    let (input, output) = (count(&paths.input)?, count(&paths.output)?);
    let (cached_tokens, reasoning_tokens) = (count(&paths.cached)?, count(&paths.reasoning)?);
    if input.is_none() && output.is_none() {
        return Ok(None);
    }
    let partial = input.is_none() || output.is_none();
    let (input_tokens, output_tokens) = (input.unwrap_or_default(), output.unwrap_or_default());
    Ok(Some(Usage { input_tokens, cached_tokens, output_tokens, reasoning_tokens, partial }))
}

/// A float that no figure of tokens reaches is cut off.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "figures are not negative, and few"
)]
fn to_count(sum: f64) -> u64 {
    sum as u64
}

/// Reads the duration of a run in milliseconds.
pub(super) fn read_duration<'v>(
    path: Option<&DurationPath>,
    run: &'v Value,
    steps: &[&'v Value],
    selections: &mut Selections,
    blame: impl Fn(&Value, DecodeError) -> DecodeError,
) -> Result<Option<f64>, DecodeError> {
    let Some(path) = path else { return Ok(None) };
    let milliseconds = read_sum(path.milliseconds.as_ref(), run, steps, selections, &blame)?;
    let seconds = read_sum(path.seconds.as_ref(), run, steps, selections, &blame)?;
    Ok(milliseconds.or_else(|| seconds.map(|seconds| seconds * 1000.0)))
}

/// Adds up the figures that `selector` selects in the run, or else in its steps.
pub(super) fn read_sum<'v>(
    selector: Option<&PathSelector>,
    run: &'v Value,
    steps: &[&'v Value],
    selections: &mut Selections,
    blame: impl Fn(&Value, DecodeError) -> DecodeError,
) -> Result<Option<f64>, DecodeError> {
    let mut found = selections.select_with(selector, run);
    if found.is_empty() {
        found = steps.iter().flat_map(|step| selections.select_with(selector, step)).collect();
    }
    let mut sum = None;
    for value in found {
        let figure = read_figure(value).map_err(|error| blame(value, error))?;
        sum = Some(sum.unwrap_or(0.0) + figure);
    }
    Ok(sum)
}

/// Some writers keep figures as text.
fn read_figure(value: &Value) -> Result<f64, DecodeError> {
    let figure = value.as_f64().or_else(|| value.as_str()?.parse().ok());
    figure
        .filter(|figure| figure.is_finite() && *figure >= 0.0)
        .ok_or_else(|| DecodeError::new(format!("invalid figure {value}: expected a non-negative number")))
}
