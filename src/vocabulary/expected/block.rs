//! One block of expectations, for the whole run or for one turn.

use super::output::OutputAssertions;
use super::{ExpectedContext, GatheredSettings};
use crate::case::{Expectation, LoweredBlock};
use crate::place::{LoadError, LoadErrors};
use crate::score::{Effect, Scale, Scorecard, ScorecardPart, ScoredBy};
use crate::yaml::{Fields, Node, Value};

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

/// The parts of the block, by dimension of the score.
#[derive(Default)]
struct BlockParts<'b> {
    tools: Option<Node<'b>>,
    categories: Option<Node<'b>>,
    sequence: Option<Node<'b>>,
    forbidden: Option<Node<'b>>,
    output: Option<Node<'b>>,
}

impl BlockParts<'_> {
    /// Returns the first part that requires a score.
    fn first_scored(&self) -> Option<Node<'_>> {
        self.tools.or(self.categories).or(self.sequence)
    }
}

impl ExpectedBlock<'_> {
    /// Lowers the block to its checks and its scorecard.
    pub(super) fn lower(&self) -> Result<LoweredBlock, LoadErrors> {
        let mut errors = LoadErrors::new();
        let parts = self.expected.map(|block| Self::read_parts(block, &mut errors)).unwrap_or_default();
        let output = errors.take(OutputAssertions::read(parts.output, self.context)).unwrap_or_default();
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

    /// Reads the parts that can be read, so that an error in one key does not hide another.
    fn read_parts<'n>(expected: Node<'n>, errors: &mut LoadErrors) -> BlockParts<'n> {
        let Some(mut fields) = errors.take(Fields::of(expected, "`expected`")) else {
            return BlockParts::default();
        };
        let parts = BlockParts {
            tools: fields.node("tools"),
            categories: fields.node("tool_categories"),
            sequence: fields.aliased(&["tool_sequence", "sequence"]),
            forbidden: fields.node("forbidden_tools"),
            output: fields.node("output"),
        };
        errors.take(fields.finish(()));
        parts
    }

    /// Whether the block is scored: it has a scored part, or the case sets a threshold or weights. Those of the case do
    /// not make a turn scored, because they may be meant for the whole run.
    fn is_scored(&self, parts: &BlockParts<'_>, output: &OutputAssertions) -> bool {
        let score = self.context.thresholds.min_score().is_some()
            || self.context.weights.of_checks().next().is_some();
        (score && self.turn.is_none()) || parts.first_scored().is_some() || output.is_scored()
    }

    fn lower_forbidden(&self, parts: &BlockParts<'_>) -> Result<Option<Expectation>, LoadErrors> {
        let Some(node) = parts.forbidden else { return Ok(None) };
        let settings = GatheredSettings::at(node)
            .with("tools", Some(node))
            .with_value("names", Value::String("normalised".into()));
        let gate = settings.read("forbidden_tools", self.context.case.scope)?;
        Ok(Some(gate.with_effect(Effect::Gate)))
    }

    fn lower_accuracy(&self, parts: &BlockParts<'_>) -> Result<Option<Expectation>, LoadErrors> {
        let Some(at) = parts.tools.or(parts.categories) else { return Ok(None) };
        let settings =
            GatheredSettings::at(at).with("tools", parts.tools).with("categories", parts.categories);
        let check = settings.read("tool_accuracy", self.context.case.scope)?;
        Ok(Some(check.with_effect(Effect::Points)))
    }

    fn lower_sequence(&self, parts: &BlockParts<'_>) -> Result<Option<Expectation>, LoadErrors> {
        let Some(at) = parts.sequence else { return Ok(None) };
        let mode = self.context.sequence_mode;
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
        block: &BlockParts<'_>,
    ) -> Result<Scorecard, LoadError> {
        let at = block.first_scored().or(block.output).or(self.expected).unwrap_or(self.context.case.node);
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
