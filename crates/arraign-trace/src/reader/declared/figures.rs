//! The figures that paths select: tokens, cost, duration.
//!
//! A path that selects something in the run gives the figure of the run. Otherwise the figures of the steps are added up.

use crate::json::{JsonNode, JsonNumber};

use super::declaration::{DurationPath, TokenPaths};
use super::document::DeclaredDocument;
use super::selections::Selections;
use super::selector::PathSelector;
use crate::reader::error::DecodeError;
use crate::trace::Usage;

/// Reads the figures of one run.
pub(super) struct FigureReader<'r, 'v> {
    pub(super) run: &'v JsonNode<'v>,
    pub(super) steps: &'r [&'v JsonNode<'v>],
    pub(super) selections: &'r mut Selections,
    pub(super) document: &'r DeclaredDocument<'r>,
}

impl FigureReader<'_, '_> {
    /// Reads the tokens of the run. They are partial if one of input and output is unknown, or a part of a sum is.
    pub(super) fn read_tokens(&mut self, paths: &TokenPaths) -> Result<Option<Usage>, DecodeError> {
        let input = self.read_count(paths.input.as_ref())?;
        let output = self.read_count(paths.output.as_ref())?;
        let cached_tokens = self.read_count(paths.cached.as_ref())?;
        let reasoning_tokens = self.read_count(paths.reasoning.as_ref())?;
        if input.is_none() && output.is_none() {
            return Ok(None);
        }
        let places = || [self.run].into_iter().chain(self.steps.iter().copied());
        let summed = [&paths.input, &paths.output].into_iter().flatten();
        let lacks_a_part = summed.into_iter().any(|path| places().any(|place| path.selects_a_part(place)));
        let partial = input.is_none() || output.is_none() || lacks_a_part;
        let input_tokens = input.unwrap_or_default();
        let output_tokens = output.unwrap_or_default();
        Ok(Some(Usage { input_tokens, cached_tokens, output_tokens, reasoning_tokens, partial }))
    }

    /// Reads the duration of the run in milliseconds.
    pub(super) fn read_duration(&mut self, path: &DurationPath) -> Result<Option<f64>, DecodeError> {
        let milliseconds = self.read_sum(path.milliseconds.as_ref())?;
        let seconds = self.read_sum(path.seconds.as_ref())?;
        Ok(milliseconds.or_else(|| seconds.map(|seconds| seconds * 1000.0)))
    }

    /// Adds up the figures that `selector` selects in the run, or else in its steps.
    pub(super) fn read_sum(&mut self, selector: Option<&PathSelector>) -> Result<Option<f64>, DecodeError> {
        let mut found = self.selections.select_with(selector, self.run);
        if found.is_empty() {
            // Figures of the run and of its steps are never added: most formats that record both repeat the sum of the
            // steps.
            let in_steps = self.steps.iter().flat_map(|step| self.selections.select_with(selector, step));
            found = in_steps.collect();
        }
        let mut sum = None;
        for value in found {
            let figure = read_figure(value).map_err(|error| self.document.blame_node(value, error))?;
            sum = Some(sum.unwrap_or(0.0) + figure);
        }
        Ok(sum)
    }

    fn read_count(&mut self, selector: Option<&PathSelector>) -> Result<Option<u64>, DecodeError> {
        Ok(self.read_sum(selector)?.map(to_count))
    }
}

/// Converts a sum of tokens. A float above all counts is cut off, which no real figure reaches.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "figures are not negative, and few"
)]
fn to_count(sum: f64) -> u64 {
    sum as u64
}

/// Parses a figure, which may be a text.
fn read_figure(value: &JsonNode) -> Result<f64, DecodeError> {
    let figure = value.as_number().and_then(JsonNumber::as_f64).or_else(|| value.as_str()?.parse().ok());
    figure
        // An infinite or negative figure would make sums of it senseless.
        .filter(|figure| figure.is_finite() && *figure >= 0.0)
        .ok_or_else(|| DecodeError::new(format!("invalid figure {value}: expected a non-negative number")))
}
