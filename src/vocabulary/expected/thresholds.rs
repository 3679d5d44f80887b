//! `thresholds:` the score that must be reached, and the limits of cost and time.

use super::{ExpectedContext, GatheredSettings};
use crate::case::Expectation;
use crate::place::{LoadError, LoadErrors};
use crate::score::Threshold;
use crate::yaml::{Fields, Node, read_all};

/// The values of `thresholds`.
#[derive(Default)]
pub(super) struct ExpectedThresholds<'n> {
    min_score: Option<Node<'n>>,
    max_cost: Option<Node<'n>>,
    max_latency: Option<Node<'n>>,
    /// Overrides of the case's weights.
    pub(super) weights: Option<Node<'n>>,
}

impl<'n> ExpectedThresholds<'n> {
    /// Reads the block; `variance` belongs to the case's repeats.
    pub(super) fn read(node: Node<'n>) -> Result<Self, LoadErrors> {
        let mut fields = Fields::of(node, "`thresholds`")?;
        fields.node("variance");
        let thresholds = Self {
            min_score: fields.node("min_score"),
            max_cost: fields.node("max_cost"),
            max_latency: fields.node("max_latency"),
            weights: fields.node("weights"),
        };
        fields.finish(thresholds)
    }

    /// Returns the node of the lowest score that passes.
    pub(super) fn min_score(&self) -> Option<Node<'n>> {
        self.min_score
    }

    /// Parses the lowest score that passes. If it is missing, the error points at `scored`.
    pub(super) fn parse_least(&self, scored: Node<'_>) -> Result<Threshold, LoadError> {
        let Some(node) = self.min_score else {
            let error = scored.error("`thresholds.min_score` is missing: without it, every score passes");
            return Err(error.help("add it next to `expected`: `thresholds: {min_score: 80}`"));
        };
        let least = node.parse_up_to(100.0, "`min_score`: ")?;
        Ok(Threshold { setting: "min_score", place: node.place(), least })
    }

    /// Lowers each limit to a check.
    pub(super) fn parse_limits(&self, context: &ExpectedContext<'_>) -> Result<Vec<Expectation>, LoadErrors> {
        let limits =
            [("cost_at_most", "usd", self.max_cost), ("duration_at_most", "duration", self.max_latency)];
        read_all(limits.into_iter().filter_map(|(check, setting, node)| {
            Some(GatheredSettings::at(node?).with(setting, node).read(check, context.case.scope))
        }))
    }
}
