//! `expected:` weighted scores behind a hard gate (`EvalView`'s users).
//!
//! ```yaml
//! expected:
//!   tools: [fetch_stock_data, analyze_metrics]
//!   tool_sequence: [fetch_stock_data, analyze_metrics]
//!   forbidden_tools: [edit_file]
//!   output: {contains: [revenue]}
//! thresholds: {min_score: 80, max_cost: 0.50, max_latency: 5000}
//! weights: {tool_accuracy: 0.5, output_quality: 0.3, sequence_correctness: 0.2}
//! ```

mod block;
mod idle;
mod output;
mod thresholds;

use self::block::ExpectedBlock;
use self::thresholds::ExpectedThresholds;
use super::gathered_settings::GatheredSettings;
use super::{CaseNode, Vocabulary};
use crate::case::{Expectation, LoweredBlock};
use crate::check::Weights;
use crate::place::{LoadError, LoadErrors};
use crate::score::Effect;
use crate::yaml::{Fields, Node};

pub(super) const VOCABULARY: Vocabulary =
    Vocabulary { key: "expected", other_keys: OTHER_KEYS, unfold: |_, _| {}, lower, settings_beside: false };

/// Keys of a case that configure the score of its `expected` block, or add checks to it.
const OTHER_KEYS: &[&str] = &[
    "adapter_config",
    "checks",
    "max_unsupported",
    "output_assertions",
    "sequence_required",
    "thresholds",
    "turns",
    "weights",
];

/// The settings that all blocks of one case share.
struct ExpectedContext<'c> {
    case: &'c CaseNode<'c>,
    weights: Weights,
    thresholds: ExpectedThresholds<'c>,
    sequence_mode: Option<Node<'c>>,
    sequence_required: Option<Node<'c>>,
    /// The effect of a violated output assertion.
    output: Effect,
    /// Whether these settings have errors. Then a key that seems to be missing may only be misspelt.
    is_broken: bool,
}

impl<'c> ExpectedContext<'c> {
    /// Reads everything that can be read and adds the rest to `errors`, so that one error does not hide another.
    fn read(case: &'c CaseNode<'c>, errors: &mut LoadErrors) -> Self {
        let node = case.node;
        let thresholds = node.get("thresholds").and_then(|node| errors.take(ExpectedThresholds::read(node)));
        let mut context = Self {
            case,
            weights: Weights::none(),
            thresholds: thresholds.unwrap_or_default(),
            sequence_mode: node
                .get("adapter_config")
                .and_then(|node| errors.take(parse_sequence_mode(node)).flatten()),
            sequence_required: node.get("sequence_required"),
            output: node
                .get("output_assertions")
                .and_then(|node| errors.take(parse_output_effect(node)))
                .unwrap_or_default(),
            is_broken: false,
        };
        context.weights = errors.take(context.parse_weights()).unwrap_or_else(Weights::none);
        context.is_broken = !errors.is_empty();
        context
    }

    /// Merges the weights of the suite, of `weights` and of `thresholds.weights`; later ones override earlier ones.
    fn parse_weights(&self) -> Result<Weights, LoadErrors> {
        let node = self.case.node;
        let scored = node.get("expected").or(node.get("turns"));
        let mut overrides: Vec<Node<'_>> =
            [node.get("weights"), self.thresholds.weights].into_iter().flatten().collect();
        // The weights in a suite's defaults are for its scored cases. A case without a score may ignore them.
        overrides.retain(|node| scored.is_some() || self.case.holds(*node));
        let mut weights =
            if scored.is_some() { self.case.scope.tables.weights.clone() } else { Weights::none() };
        let mut errors = LoadErrors::new();
        for node in &overrides {
            weights = errors.take(weights.overridden(*node, self.case.scope.kinds)).unwrap_or(weights);
        }
        // The sum is checked once, after the last override: each override may name only some of the parts.
        if let Some(last) = overrides.last().copied().or(scored).filter(|_| errors.is_empty()) {
            errors.take(weights.even(last));
        }
        errors.or(weights)
    }
}

/// Whether the case has a scorecard that counts `check`.
pub(super) fn weighs(case: &CaseNode<'_>, check: &str) -> bool {
    ExpectedContext::read(case, &mut LoadErrors::new()).weights.of(check) > 0.0
}

fn lower(case: &CaseNode<'_>) -> Result<LoweredBlock, LoadErrors> {
    if std::iter::once(&"expected").chain(OTHER_KEYS).all(|key| case.node.get(key).is_none()) {
        return Ok(LoweredBlock::default());
    }
    let mut errors = LoadErrors::new();
    let context = ExpectedContext::read(case, &mut errors);
    let mut lowered = LoweredBlock::default();
    let expected = case.node.get("expected");
    if expected.is_some() || context.weights.of_checks().next().is_some() {
        let block = ExpectedBlock { context: &context, expected, name: "expected".to_owned(), turn: None };
        lowered.extend(errors.take(block.lower()).unwrap_or_default());
    }
    let turns = case.node.get("turns").map(|list| case.entries(list, "`turns` is a list of turns"));
    for (index, turn) in turns.and_then(|turns| errors.take(turns)).into_iter().flatten().enumerate() {
        lowered.extend(errors.take(self::lower_turn(&context, turn, index + 1)).unwrap_or_default());
    }
    lowered.extend(errors.take(context.thresholds.parse_limits(&context)).unwrap_or_default().into());
    lowered.extend(errors.take(lower_checks(&context)).unwrap_or_default().into());
    // A setting beside a block that could not be read would look as if it had no effect.
    if errors.is_empty() {
        errors.take(idle::refuse_idle_settings(&context, &lowered));
    }
    errors.or(lowered)
}

/// Lowers one turn of a conversation with its own expectations.
fn lower_turn(
    context: &ExpectedContext<'_>,
    node: Node<'_>,
    number: usize,
) -> Result<LoweredBlock, LoadErrors> {
    let mut fields = Fields::of(node, "a turn")?;
    if let Some(query) = fields.aliased(&["query", "user", "input", "prompt"]) {
        fields.take(query.decode::<String>());
    }
    let expected = fields.node("expected");
    let name = format!("expected of turn {number}");
    let block = ExpectedBlock { context, expected, name, turn: Some(number) };
    // A turn without expectations is only what the user says.
    let lowered = if expected.is_some() { fields.take(block.lower()) } else { Some(LoweredBlock::default()) };
    fields.finish(lowered.unwrap_or_default())
}

/// Lowers `checks: {hallucination: true, safety: true, pii: true}`: each enabled key is a check.
fn lower_checks(context: &ExpectedContext<'_>) -> Result<Vec<Expectation>, LoadErrors> {
    let Some(node) = context.case.node.get("checks") else { return Ok(Vec::new()) };
    let mut fields = Fields::of(node, "`checks`")?;
    let mut found = Vec::new();
    for (key, check) in [("hallucination", "grounded"), ("safety", "safe"), ("pii", "no_pii")] {
        let Some(switch) = fields.node(key) else { continue };
        if fields.take(switch.decode::<bool>()) != Some(true) {
            continue;
        }
        let grounded = check == "grounded";
        // Both settings belong to the one check that looks for claims.
        let allowed = context.case.node.get("max_unsupported").filter(|_| grounded);
        let claims = Some(switch).filter(|_| grounded);
        let settings = GatheredSettings::at(switch).with("max_unsupported", allowed).with("claims", claims);
        found.extend(fields.take(settings.read(check, context.case.scope)));
    }
    fields.finish(found)
}

/// `output_assertions: gate | score`.
fn parse_output_effect(node: Node<'_>) -> Result<Effect, LoadError> {
    match node.as_str() {
        Some("gate") => Ok(Effect::Fail),
        Some("score") => Ok(Effect::Points),
        _ => {
            let error = node.error("`output_assertions` is `gate` or `score`");
            Err(error.help(
                "`gate`: a violated assertion fails the case; `score`: it costs points of the output's quality",
            ))
        }
    }
}

/// `adapter_config: {sequence_mode: ...}`.
fn parse_sequence_mode(node: Node<'_>) -> Result<Option<Node<'_>>, LoadErrors> {
    let mut fields = Fields::of(node, "`adapter_config`")?;
    let mode = fields.node("sequence_mode");
    fields.finish(mode)
}
