//! `tokens_at_most`: the run uses at most this many tokens.
//!
//! A bare number limits the sum of input and output tokens. If the trace does not record tokens, the check is undecided.
//! If it records only a part of them, a part above the limit fails, and any other is undecided.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/tokens_at_most/fail-a-token-too-many.yaml")]
//! ```

use serde::Deserialize;

use crate::check::{Check, Kind, Scope, accepts_counterexample};
use crate::evidence::Evidence;
use crate::outcome::{Item, Outcome, State, Unfit, Violation};
use crate::place::LoadErrors;
use crate::trace::{Trace, Usage};
use crate::yaml::Node;

pub(crate) const KIND: Kind =
    Kind::with::<TokensAtMost>("tokens_at_most", "the run uses at most this many tokens", read)
        .shorthand("total")
        .without_calls();

/// Settings of `tokens_at_most`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct TokensAtMost {
    /// The maximum sum of input and output tokens.
    total: Option<u64>,
    /// The maximum number of input tokens, including cached ones.
    input: Option<u64>,
    /// The maximum number of output tokens, including reasoning.
    output: Option<u64>,
}

fn read(node: Node<'_>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
    let settings: TokensAtMost = node.decode_all()?;
    if settings.limits().is_empty() {
        return Err(node
            .error("no limit is given")
            .help("write a number, or `{input: ..., output: ...}`")
            .into());
    }
    Ok(Box::new(settings))
}

/// A limit, and how a run's tokens of its kind are counted.
struct TokenLimit {
    name: &'static str,
    most: u64,
    count: fn(&Usage) -> u64,
}

impl TokensAtMost {
    fn limits(&self) -> Vec<TokenLimit> {
        let limit = |name, most: Option<u64>, count| most.map(|most| TokenLimit { name, most, count });
        let all = [
            limit("total", self.total, |usage: &Usage| {
                usage.input_tokens.saturating_add(usage.output_tokens)
            }),
            limit("input", self.input, |usage| usage.input_tokens),
            limit("output", self.output, |usage| usage.output_tokens),
        ];
        all.into_iter().flatten().collect()
    }
}

impl Check for TokensAtMost {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, Unfit> {
        let Some(usage) = evidence.trace.usage else {
            let help = "record the usage of the run, or drop the limit";
            return Err(Unfit::missing("the trace does not record tokens").help(help));
        };
        let (mut items, mut violations) = (Vec::new(), Vec::new());
        for limit in self.limits() {
            let used = (limit.count)(&usage);
            let state = if used > limit.most { State::Violated } else { State::Held };
            items.push(
                Item::new(format!("{}: at most {}", limit.name, limit.most), state)
                    .note(format!("{used} tokens")),
            );
            violations.extend((used > limit.most).then(|| limit.describe_excess(used)));
        }
        if usage.partial && violations.is_empty() {
            let help = "record the usage of every model call, or drop the limit";
            return Err(Unfit::missing("the trace records only a part of the tokens").help(help));
        }
        Ok(Outcome::of_items(items, violations)
            .value("input_tokens", usage.input_tokens.into())
            .value("output_tokens", usage.output_tokens.into()))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        let usage = Usage { input_tokens: u64::MAX, output_tokens: u64::MAX, ..Usage::default() };
        Some(Trace { usage: Some(usage), ..Trace::default() }.into())
    }

    fn is_vacuous(&self) -> bool {
        accepts_counterexample(self)
    }
}

impl TokenLimit {
    fn describe_excess(&self, used: u64) -> Violation {
        let (name, most) = (self.name, self.most);
        let kind = if name == "total" { String::new() } else { format!("{name} ") };
        Violation {
            value: Some(used.into()),
            constraint: Some(format!("{name}: {most}")),
            ..Violation::new(format!("the run took {used} {kind}tokens, more than {most}"))
        }
        .at(format!("/{name}"))
        .help("make the context shorter or the answers briefer, or raise the limit")
    }
}
