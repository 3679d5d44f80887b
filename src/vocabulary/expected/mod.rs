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
mod output;
mod thresholds;
mod weights;

use self::block::Block;
use self::thresholds::Thresholds;
use self::weights::Weights;
use super::piece::Gathered;
use super::{CaseNode, Vocabulary};
use crate::case::{Expectation, Lowered};
use crate::check::Scope;
use crate::place::{LoadError, LoadErrors};
use crate::score::Stake;
use crate::yaml::{Fields, Node};

pub(super) const VOCABULARY: Vocabulary =
    Vocabulary { key: "expected", also: ALSO, unfold: |_, _| {}, lower, settings_beside: false };

/// Keys of a case that say how its `expected` is scored, or what is expected beside it.
const ALSO: &[&str] = &[
    "adapter_config",
    "checks",
    "max_unsupported",
    "output_assertions",
    "sequence_required",
    "thresholds",
    "turns",
    "weights",
];

/// What all blocks of one case share.
struct Context<'c> {
    case: &'c CaseNode<'c>,
    scope: &'c Scope<'c>,
    weights: Weights,
    thresholds: Thresholds<'c>,
    sequence_mode: Option<Node<'c>>,
    sequence_required: Option<Node<'c>>,
    /// What a violated output assertion costs.
    output: Stake,
}

impl<'c> Context<'c> {
    fn read(case: &'c CaseNode<'c>, scope: &'c Scope<'c>) -> Result<Self, LoadErrors> {
        let mut errors = LoadErrors::new();
        let get = |key: &str| case.node.get(key);
        let thresholds = get("thresholds").map(Thresholds::read).transpose();
        let thresholds = errors.take(thresholds).flatten().unwrap_or_default();
        let named = [get("weights"), thresholds.weights];
        let base = if get("expected").is_some() || get("turns").is_some() {
            Weights::usual()
        } else {
            Weights::none()
        };
        let weights = errors.take(base.overridden(scope, &named));
        let output = errors.take(get("output_assertions").map(output_stake).transpose());
        let sequence_mode = errors.take(get("adapter_config").map(sequence_mode).transpose());
        errors.or(Self {
            case,
            scope,
            weights: weights.unwrap_or_else(Weights::none),
            thresholds,
            sequence_mode: sequence_mode.flatten().flatten(),
            sequence_required: get("sequence_required"),
            output: output.flatten().unwrap_or_default(),
        })
    }

    /// The check `name` with settings gathered from the case.
    fn check(
        &self,
        name: &'static str,
        at: Node<'_>,
        settings: Gathered<'_>,
    ) -> Result<Expectation, LoadErrors> {
        settings.read(name, at.place(), self.scope, self.case.allow_vacuous)
    }
}

fn lower(case: &CaseNode<'_>, scope: &Scope<'_>) -> Result<Lowered, LoadErrors> {
    if std::iter::once(&"expected").chain(ALSO).all(|key| case.node.get(key).is_none()) {
        return Ok(Lowered::default());
    }
    let context = Context::read(case, scope)?;
    let mut errors = LoadErrors::new();
    let mut lowered = Lowered::default();
    let expected = case.node.get("expected");
    if expected.is_some() || context.weights.of_checks().next().is_some() {
        let block = Block { context: &context, expected, name: "expected".to_owned(), turn: None };
        lowered.extend(errors.take(block.lower()).unwrap_or_default());
    }
    for (index, turn) in case.node.get("turns").into_iter().flat_map(Node::one_or_many).enumerate() {
        lowered.extend(errors.take(self::turn(&context, turn, index + 1)).unwrap_or_default());
    }
    lowered.extend(errors.take(context.thresholds.limits(&context)).unwrap_or_default().into());
    lowered.extend(errors.take(checks(&context)).unwrap_or_default().into());
    errors.take(nothing_without(case, &lowered));
    errors.or(lowered)
}

/// One turn of a conversation with its own expectations.
fn turn(context: &Context<'_>, node: Node<'_>, number: usize) -> Result<Lowered, LoadErrors> {
    let mut fields = Fields::of(node, "a turn")?;
    fields.aliased(&["query", "input", "prompt"]);
    let expected = fields.node("expected");
    let name = format!("expected of turn {number}");
    let block = Block { context, expected, name, turn: Some(number) };
    let lowered = if expected.is_some() { fields.take(block.lower()) } else { Some(Lowered::default()) };
    fields.finish(lowered.unwrap_or_default())
}

/// `checks: {hallucination: true, safety: true, pii: true}`: each that is switched on is a check.
fn checks(context: &Context<'_>) -> Result<Vec<Expectation>, LoadErrors> {
    let Some(node) = context.case.node.get("checks") else { return Ok(Vec::new()) };
    let mut fields = Fields::of(node, "`checks`")?;
    let mut found = Vec::new();
    for (key, check) in [("hallucination", "grounded"), ("safety", "safe"), ("pii", "no_pii")] {
        let Some(switch) = fields.node(key) else { continue };
        if fields.take(switch.decode::<bool>()) != Some(true) {
            continue;
        }
        let allowed = context.case.node.get("max_unsupported").filter(|_| check == "grounded");
        let settings = Gathered::at(switch).with("max_unsupported", allowed);
        found.extend(fields.take(context.check(check, switch, settings)));
    }
    fields.finish(found)
}

/// Settings that nothing is there to be set for are a mistake: they look like a check, and are none.
fn nothing_without(case: &CaseNode<'_>, lowered: &Lowered) -> Result<(), LoadErrors> {
    let mut errors = LoadErrors::new();
    let needs = [
        ("weights", lowered.scorecards.is_empty(), "what they weigh: an `expected` block"),
        ("max_unsupported", !has(lowered, "grounded"), "`checks: {hallucination: true}`"),
        ("sequence_required", !has(lowered, "sequence_correctness"), "`expected.tool_sequence`"),
        ("output_assertions", case.node.get("expected").is_none(), "`expected.output`"),
    ];
    for (key, missing, wanted) in needs {
        if missing && case.node.get(key).is_some() {
            let error = LoadError::new(case.node.key_place(key), format!("`{key}` is of no use here"));
            errors.push(error.help(format!("the case lacks {wanted}")));
        }
    }
    errors.or(())
}

fn has(lowered: &Lowered, check: &str) -> bool {
    lowered.expectations.iter().any(|expectation| expectation.check == check)
}

/// `output_assertions: gate | score`.
fn output_stake(node: Node<'_>) -> Result<Stake, LoadError> {
    match node.as_str() {
        Some("gate") => Ok(Stake::Must),
        Some("score") => Ok(Stake::Points),
        _ => {
            let error = node.error("`output_assertions` is `gate` or `score`");
            Err(error.help(
                "`gate`: one that breaks fails the case; `score`: it costs points of the output's quality",
            ))
        }
    }
}

/// `adapter_config: {sequence_mode: ...}`.
fn sequence_mode(node: Node<'_>) -> Result<Option<Node<'_>>, LoadErrors> {
    let mut fields = Fields::of(node, "`adapter_config`")?;
    let mode = fields.node("sequence_mode");
    fields.finish(mode)
}
