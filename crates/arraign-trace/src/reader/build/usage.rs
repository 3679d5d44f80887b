//! Tokens and costs of model calls, and their totals.

use crate::json::{JsonNode, JsonNumber, JsonObject};
use crate::reader::error::DecodeError;
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
    /// Whether some writers of the format include the further tokens in `input` and `output`. The total of a record tells.
    pub(crate) may_include_more: bool,
}

/// The names under which formats keep the total of a record. It is read for comparison alone.
const TOTALS: [&str; 9] = [
    "total_tokens",
    "totalTokens",
    "total_token_count",
    "totalTokenCount",
    "TotalTokenCount",
    "total",
    "gen_ai.usage.total_tokens",
    "llm.usage.total_tokens",
    "llm.token_count.total",
];

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
        may_include_more: false,
    };

    /// Reads the usage under the first of `names` that `object` has.
    pub(crate) fn read_from(
        &self,
        object: &mut JsonObject,
        names: &[&str],
    ) -> Result<Option<Usage>, DecodeError> {
        Ok(object.within(names, |usage| self.read(&usage))?.flatten())
    }

    /// Reads the tokens of one model call.
    pub(crate) fn read(&self, usage: &JsonObject) -> Result<Option<Usage>, DecodeError> {
        self.read_by(|names| find_count(usage, names))
    }

    /// Reads the tokens with `count`, which finds the count under the first of some names. If only one side is recorded,
    /// the usage is partial; if neither is, there is no usage.
    pub(crate) fn read_by(
        &self,
        mut count: impl FnMut(&[&str]) -> Result<Option<u64>, DecodeError>,
    ) -> Result<Option<Usage>, DecodeError> {
        // The main counts decide whether a side is known. Additional counts, such as cached tokens, are added to it.
        let input = count(self.input)?;
        let output = count(self.output)?;
        let cached_tokens = count(self.cached)?;
        let reasoning_tokens = count(self.reasoning)?;
        let mut further = Vec::new();
        for (side, more) in [(TokenSide::Input, self.more_input), (TokenSide::Output, self.more_output)] {
            for names in more {
                let tokens = count(names)?;
                further.extend(tokens.map(|tokens| FurtherCount { side, tokens, is_added: true }));
            }
        }
        let has_more_output = further.iter().any(|count| count.side == TokenSide::Output);
        if input.is_none() && output.is_none() && !has_more_output {
            return Ok(None);
        }
        // What a format counts within a side may stand beside it in another writer's record.
        let counted_within = [
            (TokenSide::Input, cached_tokens, self.more_input, self.cached),
            (TokenSide::Output, reasoning_tokens, self.more_output, self.reasoning),
        ];
        for (side, tokens, more, names) in counted_within {
            let is_further = more.iter().any(|more| names.iter().any(|name| more.contains(name)));
            let tokens = tokens.filter(|_| !is_further);
            further.extend(tokens.map(|tokens| FurtherCount { side, tokens, is_added: false }));
        }
        // A total that is no count, or 0 beside other counts, says nothing.
        let total = count(&TOTALS).ok().flatten().filter(|total| *total > 0);
        let main = SideTokens { input: input.unwrap_or_default(), output: output.unwrap_or_default() };
        let sum = self.add_up(main, &further, total);
        Ok(Some(Usage {
            input_tokens: sum.unwrap_or(main).input,
            cached_tokens,
            output_tokens: sum.unwrap_or(main).output,
            reasoning_tokens,
            partial: sum.is_none() || input.is_none() || output.is_none() && !self.omits_zero,
        }))
    }

    /// Adds the further counts to the main ones: those that the format counts beside them, or else those with which the sum
    /// is the total of the record. `None` if no choice of them, or more than one, gives the total.
    fn add_up(&self, main: SideTokens, further: &[FurtherCount], total: Option<u64>) -> Option<SideTokens> {
        let usual = further.iter().filter(|count| count.is_added).fold(main, SideTokens::plus);
        let Some(total) = total.filter(|total| *total != usual.sum()) else { return Some(usual) };
        // There are at most five further counts, so all choices are tried.
        let mut sums = vec![main];
        for count in further {
            // Where all writers count tokens beside the others, a record without them in its sum is not understood.
            let with: Vec<SideTokens> = sums.iter().map(|sum| sum.plus(count)).collect();
            if count.is_added && !self.may_include_more {
                sums = with;
            } else {
                sums.extend(with);
            }
        }
        let mut fitting = sums.into_iter().filter(|sum| sum.sum() == total);
        let found = fitting.next()?;
        fitting.all(|other| other == found).then_some(found)
    }
}

/// A count that a side includes, or that stands beside it.
#[derive(Debug, Clone, Copy)]
struct FurtherCount {
    side: TokenSide,
    tokens: u64,
    /// Whether the format counts these tokens beside the side, so that they are added.
    is_added: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenSide {
    Input,
    Output,
}

/// The tokens of both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SideTokens {
    input: u64,
    output: u64,
}

impl SideTokens {
    fn plus(self, more: &FurtherCount) -> Self {
        match more.side {
            TokenSide::Input => Self { input: self.input.saturating_add(more.tokens), ..self },
            TokenSide::Output => Self { output: self.output.saturating_add(more.tokens), ..self },
        }
    }

    fn sum(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// Finds the count under the first of `names` that is present.
fn find_count(usage: &JsonObject, names: &[&str]) -> Result<Option<u64>, DecodeError> {
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
fn find_detail(details: Option<&JsonNode>, name: &str) -> Result<Option<u64>, DecodeError> {
    match details {
        Some(JsonNode::Object(details)) => details.count_under(name),
        // One API counts each modality by itself, and the details are a list of these.
        Some(JsonNode::Array(items)) => {
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
pub(crate) fn dollars(value: &JsonNode) -> Option<f64> {
    let sum = value.as_number().and_then(JsonNumber::as_f64).or_else(|| value.as_str()?.parse().ok());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts cached tokens within the input, and reasoning within the output.
    const WITHIN: TokenKeys = TokenKeys {
        input: &["in"],
        output: &["out"],
        cached: &["cached"],
        reasoning: &["reasoning"],
        ..TokenKeys::NONE
    };
    /// Counts both beside them.
    const BESIDE: TokenKeys =
        TokenKeys { more_input: &[&["cached"]], more_output: &[&["reasoning"]], ..WITHIN };
    const EITHER: TokenKeys = TokenKeys { may_include_more: true, ..BESIDE };

    fn read(keys: &TokenKeys, total: Option<u64>) -> (u64, u64, bool) {
        let usage = keys.read_by(|names| {
            Ok(match names[0] {
                "in" => Some(1000),
                "out" => Some(100),
                "cached" => Some(150),
                "reasoning" => Some(20),
                _ => total,
            })
        });
        let usage = usage.expect("counts").expect("a usage");
        (usage.input_tokens, usage.output_tokens, usage.partial)
    }

    #[test]
    fn a_total_that_the_parts_do_not_add_up_to_makes_the_usage_partial() {
        for (keys, total, expected) in [
            (&WITHIN, None, (1000, 100, false)),
            (&WITHIN, Some(0), (1000, 100, false)),
            (&WITHIN, Some(1100), (1000, 100, false)),
            (&WITHIN, Some(1120), (1000, 120, false)),
            (&WITHIN, Some(1250), (1150, 100, false)),
            (&WITHIN, Some(1110), (1000, 100, true)),
            (&BESIDE, None, (1150, 120, false)),
            (&BESIDE, Some(1270), (1150, 120, false)),
            (&BESIDE, Some(1100), (1000, 100, true)),
            (&EITHER, None, (1150, 120, false)),
            (&EITHER, Some(1100), (1000, 100, false)),
            (&EITHER, Some(1120), (1000, 120, false)),
            (&EITHER, Some(999), (1000, 100, true)),
        ] {
            assert_eq!(read(keys, total), expected, "{total:?}");
        }
    }

    #[test]
    fn a_total_that_two_choices_of_the_parts_give_makes_the_usage_partial() {
        // Every count is 10: with 30 in total, one of the two further counts is added, and nobody knows which.
        for (total, is_partial) in [(40, false), (30, true), (20, false)] {
            let read = EITHER.read_by(|names| Ok(Some(if names == TOTALS { total } else { 10 })));
            let usage = read.expect("counts").expect("a usage");
            assert_eq!(usage.partial, is_partial, "{total}");
        }
    }
}
