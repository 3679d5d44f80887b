//! `thresholds:` the score that must be reached, and the limits of cost and time.

use super::{ExpectedContext, GatheredSettings};
use crate::case::Expectation;
use crate::place::{LoadError, LoadErrors};
use crate::score::Threshold;
use crate::yaml::{Fields, Node};

/// What `thresholds` says.
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

    /// The score that must be reached.
    pub(super) fn parse_min_score(&self) -> Option<Node<'n>> {
        self.min_score
    }

    /// The score that must be reached; `scored` is what asks for one.
    pub(super) fn parse_least(&self, scored: Node<'_>) -> Result<Threshold, LoadError> {
        let Some(node) = self.min_score else {
            let error =
                scored.error("`thresholds.min_score` is missing: this is scored, and no score is too low");
            return Err(error.help("say it beside `expected`: `thresholds: {min_score: 80}`"));
        };
        let least: f64 = node.decode()?;
        if !(0.0..=100.0).contains(&least) {
            return Err(node.error(format!("`min_score` lies between 0 and 100; this is {least}")));
        }
        Ok(Threshold { setting: "min_score", place: node.place(), least })
    }

    /// The limits, each a check.
    pub(super) fn parse_limits(&self, context: &ExpectedContext<'_>) -> Result<Vec<Expectation>, LoadErrors> {
        let (mut errors, mut found) = (LoadErrors::new(), Vec::new());
        let limits =
            [("cost_at_most", "usd", self.max_cost), ("duration_at_most", "duration", self.max_latency)];
        for (check, setting, node) in limits {
            let Some(node) = node else { continue };
            let settings = GatheredSettings::at(node).with(setting, Some(node));
            found.extend(errors.take(context.check(check, node, settings)));
        }
        errors.or(found)
    }
}
