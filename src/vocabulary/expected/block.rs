//! One block of expectations, for the whole run or for one turn.

use serde::Deserialize;

use super::output::{ExpectedOutput, OutputAssertions};
use super::{ExpectedContext, GatheredSettings};
use crate::JsonSchema;
use crate::case::{Expectation, LoweredBlock};
use crate::place::{LoadError, LoadErrors};
use crate::score::{Effect, Scale, Scorecard, ScorecardPart, ScoredBy};
use crate::yaml::{Node, Unparsed, Value, even_null};

/// A block that is being lowered.
pub(super) struct ExpectedBlock<'b> {
    pub(super) context: &'b ExpectedContext<'b>,
    /// The block. `None` if only checks of other blocks are weighed.
    pub(super) expected: Option<Node<'b>>,
    /// The name of the scorecard of the block.
    pub(super) name: String,
    /// The number of the turn; `None` for the whole run.
    pub(super) turn: Option<usize>,
}

/// What is expected of a run, or of one turn.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(rename = "expected")]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedParts {
    /// These tools are called.
    #[serde(default, deserialize_with = "even_null")]
    tools: Option<Unparsed<Vec<String>>>,
    /// One tool of each of these categories is called.
    #[serde(default, deserialize_with = "even_null")]
    tool_categories: Option<Unparsed<Vec<String>>>,
    /// The calls follow this sequence.
    #[serde(default, deserialize_with = "even_null", alias = "sequence")]
    #[schemars(extend("x-aliases" = ["sequence"]))]
    tool_sequence: Option<Unparsed<Vec<String>>>,
    /// The gate: a call of any of these tools fails the case with score 0.
    #[serde(default, deserialize_with = "even_null")]
    forbidden_tools: Option<Unparsed<Vec<String>>>,
    /// Assertions about the final answer.
    #[serde(default, deserialize_with = "even_null")]
    output: Option<Unparsed<ExpectedOutput>>,
}

impl ExpectedParts {
    /// Returns the first of the tools that are called.
    fn first_tools(&self) -> Option<Node<'_>> {
        self.tools.as_ref().or(self.tool_categories.as_ref()).map(Unparsed::node)
    }

    /// Returns the first part that requires a score.
    fn first_scored(&self) -> Option<Node<'_>> {
        self.first_tools().or(self.tool_sequence.as_ref().map(Unparsed::node))
    }
}

impl ExpectedBlock<'_> {
    /// Lowers the block to its checks and its scorecard.
    pub(super) fn lower(&self) -> Result<LoweredBlock, LoadErrors> {
        let mut errors = LoadErrors::new();
        let parts: ExpectedParts =
            self.expected.and_then(|block| block.decode_rest(&mut errors)).unwrap_or_default();
        let output = OutputAssertions::read(parts.output.as_ref(), self.context);
        let output = errors.take(output).unwrap_or_default();
        let mut found: Vec<Expectation> = Vec::new();
        found.extend(errors.take(self.lower_forbidden(&parts)).flatten());
        let accuracy = errors.take(self.lower_accuracy(&parts)).flatten();
        let sequence = errors.take(self.lower_sequence(&parts)).flatten();
        let scored = self.is_scored(&parts, &output);
        let quality = if scored { errors.take(self.lower_quality(&output)).flatten() } else { None };
        found.extend(output.assertions);
        let mut card = Vec::new();
        for (name, expectation) in
            [("tool_accuracy", accuracy), ("output_quality", quality), ("sequence_correctness", sequence)]
        {
            card.extend(self.build_part(name, expectation, &mut found));
        }
        for expectation in &mut found {
            expectation.turn = self.turn;
        }
        // A score of a block with a mistake would be computed from the wrong parts.
        let wanted = scored && !self.context.is_broken;
        let card = if wanted { errors.take(self.build_scorecard(card, &parts)) } else { None };
        errors.or(LoweredBlock { expectations: found, scorecards: card.into_iter().collect() })
    }

    /// Whether the block is scored: it has a scored part, or the case sets a threshold or weights. Those of the case do
    /// not make a turn scored, because they may be meant for the whole run.
    fn is_scored(&self, parts: &ExpectedParts, output: &OutputAssertions) -> bool {
        let score = self.context.thresholds.min_score().is_some()
            || self.context.weights.of_checks().next().is_some();
        (score && self.turn.is_none()) || parts.first_scored().is_some() || output.is_scored()
    }

    fn lower_forbidden(&self, parts: &ExpectedParts) -> Result<Option<Expectation>, LoadErrors> {
        let Some(node) = parts.forbidden_tools.as_ref().map(Unparsed::node) else { return Ok(None) };
        let settings = GatheredSettings::at(node)
            .with("tools", Some(node))
            .with_value("names", Value::String("normalised".into()));
        let gate = settings.read("forbidden_tools", self.context.case.scope)?;
        Ok(Some(gate.with_effect(Effect::Gate)))
    }

    fn lower_accuracy(&self, parts: &ExpectedParts) -> Result<Option<Expectation>, LoadErrors> {
        let Some(at) = parts.first_tools() else { return Ok(None) };
        let settings = GatheredSettings::at(at)
            .with("tools", parts.tools.as_ref().map(Unparsed::node))
            .with("categories", parts.tool_categories.as_ref().map(Unparsed::node));
        let check = settings.read("tool_accuracy", self.context.case.scope)?;
        Ok(Some(check.with_effect(Effect::Points)))
    }

    fn lower_sequence(&self, parts: &ExpectedParts) -> Result<Option<Expectation>, LoadErrors> {
        let Some(at) = parts.tool_sequence.as_ref().map(Unparsed::node) else { return Ok(None) };
        let mode = self.context.adapter.sequence_mode.as_ref().map(Unparsed::node);
        let settings = GatheredSettings::at(at).with("tool_sequence", Some(at)).with("mode", mode);
        let check = settings.read("sequence_correctness", self.context.case.scope)?;
        let required = self.context.sequence_required.map(Node::decode::<bool>).transpose()?;
        let exact = mode.and_then(Node::as_str) == Some("exact");
        // A wrong order costs points, unless the case says that it must not happen.
        let effect = if exact || required == Some(true) { Effect::Fail } else { Effect::Points };
        Ok(Some(check.with_effect(effect)))
    }

    /// Lowers the quality of the answer: the score of a judge, or the share of the output assertions that hold.
    fn lower_quality(&self, output: &OutputAssertions) -> Result<Option<Expectation>, LoadErrors> {
        if self.context.weights.of("output_quality") == 0.0 {
            return Ok(None);
        }
        let at = output.node.or(self.expected).unwrap_or(self.context.case.node);
        let settings = GatheredSettings::at(at).with_value("assertions", Value::List(output.trees.clone()));
        let check = settings.read("output_quality", self.context.case.scope)?;
        Ok(Some(check.with_effect(Effect::Points)))
    }

    /// Builds the part of the scorecard for one dimension, and adds its check to `found` if there is one.
    fn build_part(
        &self,
        name: &str,
        expectation: Option<Expectation>,
        found: &mut Vec<Expectation>,
    ) -> Option<ScorecardPart> {
        let scored_by = match expectation {
            Some(expectation) => {
                found.push(expectation);
                ScoredBy::Expectation(found.len() - 1)
            }
            None => ScoredBy::Nothing,
        };
        let weight = self.context.weights.of(name);
        (weight > 0.0).then(|| ScorecardPart { name: name.to_owned(), weight, scored_by })
    }

    fn build_scorecard(
        &self,
        mut parts: Vec<ScorecardPart>,
        block: &ExpectedParts,
    ) -> Result<Scorecard, LoadError> {
        let scored = block.first_scored().or(block.output.as_ref().map(Unparsed::node));
        let at = scored.or(self.expected).unwrap_or(self.context.case.node);
        let threshold = self.context.thresholds.parse_least(at)?;
        parts.extend(self.context.weights.of_checks().map(|(name, weight)| ScorecardPart {
            name: name.to_owned(),
            weight,
            scored_by: ScoredBy::Check,
        }));
        let name = self.name.clone();
        let scale = Scale::PERCENT;
        let effect = Effect::Fail;
        Ok(Scorecard { name, parts, threshold, scale, effect })
    }
}
