//! `thresholds:` the score that must be reached, and the limits of cost and time.

use serde::Deserialize;

use super::{ExpectedContext, GatheredSettings};
use crate::JsonSchema;
use crate::case::Expectation;
use crate::check::WrittenWeights;
use crate::check::support::reading::{Amount, Points};
use crate::place::{LoadError, LoadErrors};
use crate::score::Threshold;
use crate::score::statistics::Variance;
use crate::yaml::{Elsewhere, Millis, Node, Unparsed, even_null, read_all};

/// The lowest score that passes, and limits on cost and time.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "thresholds")]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedThresholds {
    /// The lowest score that passes, from 0 to 100. Required if anything is scored.
    #[serde(default, deserialize_with = "even_null")]
    min_score: Option<Unparsed<Points>>,
    /// The maximum cost of a run, in US dollars.
    #[serde(default, deserialize_with = "even_null")]
    max_cost: Option<Unparsed<Amount>>,
    /// The maximum duration of a run: milliseconds, or a text such as `3s`.
    #[serde(default, deserialize_with = "even_null")]
    max_latency: Option<Unparsed<Millis>>,
    /// The weight of each part of the score.
    #[serde(default, deserialize_with = "even_null")]
    weights: Option<Unparsed<WrittenWeights>>,
    /// Requirements on several runs.
    #[expect(dead_code, reason = "the settings of repeats are read with the case")]
    variance: Option<Elsewhere<Variance>>,
}

impl ExpectedThresholds {
    /// Returns the node of the lowest score that passes.
    pub(super) fn min_score(&self) -> Option<Node<'_>> {
        self.min_score.as_ref().map(Unparsed::node)
    }

    /// Returns the node of the weights, which override those of the case.
    pub(super) fn weights(&self) -> Option<Node<'_>> {
        self.weights.as_ref().map(Unparsed::node)
    }

    /// Parses the lowest score that passes. If it is missing, the error points at `scored`.
    pub(super) fn parse_least(&self, scored: Node<'_>) -> Result<Threshold, LoadError> {
        let Some(node) = self.min_score() else {
            let error = scored.error("`thresholds.min_score` is missing: without it, every score passes");
            return Err(error.help("add it next to `expected`: `thresholds: {min_score: 80}`"));
        };
        let least = node.decode::<Points>()?.get();
        Ok(Threshold { setting: "min_score", place: node.place(), least })
    }

    /// Lowers each limit to a check.
    pub(super) fn parse_limits(&self, context: &ExpectedContext<'_>) -> Result<Vec<Expectation>, LoadErrors> {
        let cost = self.max_cost.as_ref().map(Unparsed::node);
        let latency = self.max_latency.as_ref().map(Unparsed::node);
        let limits = [("cost_at_most", "usd", cost), ("duration_at_most", "duration", latency)];
        read_all(limits.into_iter().filter_map(|(check, setting, node)| {
            Some(GatheredSettings::at(node?).with(setting, node).read(check, context.case.scope))
        }))
    }
}
