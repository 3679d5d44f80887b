//! Tokens and costs of model calls, and their totals.

use crate::reader::error::DecodeError;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::trace::Usage;

/// The keys under which a format keeps the tokens of a model call.
///
/// Each entry lists names of one count. The first name that is present is read. A name that begins with `/` is a key of
/// an inner object, such as `/prompt_tokens_details/cached_tokens`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenKeys {
    /// Input tokens.
    pub(crate) input: &'static [&'static str],
    /// Further input tokens, which `input` does not include.
    pub(crate) more_input: &'static [&'static [&'static str]],
    /// Output tokens.
    pub(crate) output: &'static [&'static str],
    /// Further output tokens, which `output` does not include.
    pub(crate) more_output: &'static [&'static [&'static str]],
    /// Input tokens that were read from a cache.
    pub(crate) cached: &'static [&'static str],
    /// Output tokens that are reasoning.
    pub(crate) reasoning: &'static [&'static str],
    /// Whether the format omits an output of 0. A missing output is then known to be 0.
    pub(crate) omits_zero: bool,
}

impl TokenKeys {
    /// A table without names.
    pub(crate) const NONE: Self = Self {
        input: &[],
        more_input: &[],
        output: &[],
        more_output: &[],
        cached: &[],
        reasoning: &[],
        omits_zero: false,
    };

    /// Reads the usage under the first of `names` that `object` has.
    pub(crate) fn read_from(
        &self,
        object: &mut Object,
        names: &[&str],
    ) -> Result<Option<Usage>, DecodeError> {
        Ok(object.within(names, |usage| self.read(&usage))?.flatten())
    }

    /// Reads the tokens of one model call.
    pub(crate) fn read(&self, usage: &Object) -> Result<Option<Usage>, DecodeError> {
        self.read_by(|names| find_count(usage, names))
    }

    /// Reads the tokens with `count`, which finds the count under the first of some names. If only one side is recorded,
    /// the usage is partial; if neither is, there is no usage.
    pub(crate) fn read_by(
        &self,
        mut count: impl FnMut(&[&str]) -> Result<Option<u64>, DecodeError>,
    ) -> Result<Option<Usage>, DecodeError> {
        // The main counts decide whether a side is known. Additional counts, such as cached tokens, are added to it.
        let (input, output) = (count(self.input)?, count(self.output)?);
        let (cached_tokens, reasoning_tokens) = (count(self.cached)?, count(self.reasoning)?);
        let mut add_up = |first: Option<u64>, more: &[&[&str]]| {
            let counts = more.iter().filter_map(|names| count(names).transpose());
            counts.into_iter().try_fold(first, |sum, more| {
                Ok::<_, DecodeError>(Some(sum.unwrap_or_default().saturating_add(more?)))
            })
        };
        let (all_input, all_output) = (add_up(input, self.more_input)?, add_up(output, self.more_output)?);
        if input.is_none() && all_output.is_none() {
            return Ok(None);
        }
        Ok(Some(Usage {
            input_tokens: all_input.unwrap_or_default(),
            cached_tokens,
            output_tokens: all_output.unwrap_or_default(),
            reasoning_tokens,
            partial: input.is_none() || output.is_none() && !self.omits_zero,
        }))
    }
}

/// Finds the count under the first of `names` that is present.
fn find_count(usage: &Object, names: &[&str]) -> Result<Option<u64>, DecodeError> {
    for name in names {
        // A name such as `/details/cached` leads into an object. A mistake in it is reported at its own place.
        let found = match name.strip_prefix('/').and_then(|path| path.split_once('/')) {
            Some((outer, inner)) => find_detail(usage.get(outer), inner).map_err(|error| error.at_key(outer)),
            None => usage.count_under(name),
        };
        if let Some(count) = found? {
            return Ok(Some(count));
        }
    }
    Ok(None)
}

/// Returns the count under `name` in an object, or the sum of the counts in a list of objects.
fn find_detail(details: Option<&Json>, name: &str) -> Result<Option<u64>, DecodeError> {
    match details {
        Some(Json::Object(details)) => details.count_under(name),
        // One API counts each modality by itself, and the details are a list of these.
        Some(Json::List(items)) => {
            let objects =
                items.iter().enumerate().filter_map(|(index, item)| Some((index, item.as_object()?)));
            let mut counts = objects.filter_map(|(index, item)| {
                item.count_under(name).map_err(|error| error.at_key(index)).transpose()
            });
            counts.try_fold(None, |sum: Option<u64>, count| {
                Ok(Some(sum.unwrap_or_default().saturating_add(count?)))
            })
        }
        _ => Ok(None),
    }
}

/// The tokens of a run while its model calls are read.
#[derive(Debug, Default)]
pub(crate) struct UsageTotal {
    total: Option<Usage>,
    silent: bool,
}

impl UsageTotal {
    /// Adds the tokens of one model call. A call without recorded tokens makes the total partial.
    pub(crate) fn add(&mut self, usage: Option<Usage>) {
        let Some(more) = usage else {
            self.silent = true;
            return;
        };
        self.total = Some(self.total.map_or(more, |total| sum(total, more)));
    }

    /// Returns the total of the run, if any call recorded its tokens.
    pub(crate) fn total(self) -> Option<Usage> {
        self.total.map(|total| Usage { partial: total.partial || self.silent, ..total })
    }
}

/// Parses an amount in US dollars, which may be a text.
pub(crate) fn dollars(value: &Json) -> Option<f64> {
    let sum = value.as_number().and_then(serde_json::Number::as_f64).or_else(|| value.as_str()?.parse().ok());
    sum.filter(|sum| sum.is_finite() && *sum >= 0.0)
}

fn sum(a: Usage, b: Usage) -> Usage {
    Usage {
        input_tokens: a.input_tokens.saturating_add(b.input_tokens),
        cached_tokens: sum_known(a.cached_tokens, b.cached_tokens),
        output_tokens: a.output_tokens.saturating_add(b.output_tokens),
        reasoning_tokens: sum_known(a.reasoning_tokens, b.reasoning_tokens),
        partial: a.partial || b.partial,
    }
}

fn sum_known(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (known, None) | (None, known) => known,
    }
}
