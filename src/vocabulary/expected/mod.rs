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

use serde::Deserialize;

use self::block::ExpectedBlock;
pub(crate) use self::block::ExpectedParts;
pub(crate) use self::thresholds::ExpectedThresholds;
use super::gathered_settings::GatheredSettings;
use super::{CaseNode, Vocabulary};
use crate::JsonSchema;
use crate::case::{Expectation, LoweredBlock};
use crate::check::{SequenceMode, Weights};
use crate::place::LoadErrors;
use crate::score::Effect;
use crate::yaml::{Node, Unparsed, even_null};

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

/// The help beside another effect than the two.
const EFFECTS: &str =
    "`gate`: a violated assertion fails the case; `score`: it costs points of the output's quality";

/// The effect of a violated assertion.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutputEffect {
    /// The case fails. The default.
    Gate,
    /// It only costs points.
    Score,
}

impl From<OutputEffect> for Effect {
    fn from(written: OutputEffect) -> Self {
        match written {
            OutputEffect::Gate => Self::Fail,
            OutputEffect::Score => Self::Points,
        }
    }
}

/// How the calls are compared with the sequence.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdapterConfig {
    /// How the calls follow the sequence.
    #[serde(default, deserialize_with = "even_null")]
    sequence_mode: Option<Unparsed<SequenceMode>>,
}

/// Checks of the answer that are enabled.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerChecks {
    /// The facts in the answer appear in the evidence.
    #[serde(default, deserialize_with = "even_null")]
    hallucination: Option<Unparsed<bool>>,
    /// A judge finds nothing harmful.
    #[serde(default, deserialize_with = "even_null")]
    safety: Option<Unparsed<bool>>,
    /// The answer contains no personal data.
    #[serde(default, deserialize_with = "even_null")]
    pii: Option<Unparsed<bool>>,
}

/// A turn of the conversation.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExpectedTurn {
    /// What the user says.
    #[serde(default, deserialize_with = "even_null", alias = "user", alias = "input", alias = "prompt")]
    #[schemars(extend("x-aliases" = ["user", "input", "prompt"]))]
    #[expect(dead_code, reason = "the texts of the user are read with the case")]
    query: Option<String>,
    /// What is expected of this turn.
    #[serde(default, deserialize_with = "even_null")]
    expected: Option<Unparsed<ExpectedParts>>,
}

/// The settings that all blocks of one case share.
struct ExpectedContext<'c> {
    case: &'c CaseNode<'c>,
    weights: Weights,
    thresholds: ExpectedThresholds,
    adapter: AdapterConfig,
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
        let output = node.get("output_assertions").map(Node::decode::<OutputEffect>);
        let output = output.and_then(|effect| errors.take(effect.map_err(|error| error.help(EFFECTS))));
        let thresholds = node.get("thresholds").and_then(|node| node.decode_rest(errors));
        let adapter = node.get("adapter_config").and_then(|node| node.decode_rest(errors));
        let mut context = Self {
            case,
            weights: Weights::none(),
            thresholds: thresholds.unwrap_or_default(),
            adapter: adapter.unwrap_or_default(),
            sequence_required: node.get("sequence_required"),
            output: output.map(Effect::from).unwrap_or_default(),
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
            [node.get("weights"), self.thresholds.weights()].into_iter().flatten().collect();
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
    let mut errors = LoadErrors::new();
    let turn: ExpectedTurn = node.decode_rest(&mut errors).unwrap_or_default();
    let expected = turn.expected.as_ref().map(Unparsed::node);
    let name = format!("expected of turn {number}");
    let block = ExpectedBlock { context, expected, name, turn: Some(number) };
    // A turn without expectations is only what the user says.
    let lowered = if expected.is_some() { errors.take(block.lower()) } else { None };
    errors.or(lowered.unwrap_or_default())
}

/// Lowers `checks: {hallucination: true, safety: true, pii: true}`: each enabled key is a check.
fn lower_checks(context: &ExpectedContext<'_>) -> Result<Vec<Expectation>, LoadErrors> {
    let Some(node) = context.case.node.get("checks") else { return Ok(Vec::new()) };
    let mut errors = LoadErrors::new();
    let mut found = Vec::new();
    let checks: AnswerChecks = node.decode_rest(&mut errors).unwrap_or_default();
    for (switch, check) in
        [(&checks.hallucination, "grounded"), (&checks.safety, "safe"), (&checks.pii, "no_pii")]
    {
        let Some(switch) = switch.as_ref().map(Unparsed::node) else { continue };
        if errors.take(switch.decode::<bool>()) != Some(true) {
            continue;
        }
        let grounded = check == "grounded";
        // Both settings belong to the one check that looks for claims.
        let allowed = context.case.node.get("max_unsupported").filter(|_| grounded);
        let claims = Some(switch).filter(|_| grounded);
        let settings = GatheredSettings::at(switch).with("max_unsupported", allowed).with("claims", claims);
        found.extend(errors.take(settings.read(check, context.case.scope)));
    }
    errors.or(found)
}
