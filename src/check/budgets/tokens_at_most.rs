//! `tokens_at_most`: the run reads and writes at most so many tokens.
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

use crate::JsonSchema;
use crate::check::{BuildCheck, Check, CheckKind, Scope, accepts_counterexample};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Item, Outcome, Violation};
use crate::place::LoadErrors;
use crate::trace::{Trace, Usage};
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind =
    CheckKind::built::<TokensAtMost>("tokens_at_most", "the run uses at most this many tokens")
        .shorthand("total")
        .of_figures();

/// Settings of `tokens_at_most`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TokensAtMost {
    /// The greatest sum of input and output tokens.
    total: Option<u64>,
    /// The greatest number of input tokens, cached ones included.
    input: Option<u64>,
    /// The greatest number of output tokens, reasoning included.
    output: Option<u64>,
}

impl BuildCheck for TokensAtMost {
    fn build(settings: Placed<Self>, _scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        if settings.limits().is_empty() {
            let error = settings.error("no limit is given");
            return Err(error.help("write a number, or `{input: ..., output: ...}`").into());
        }
        Ok(Box::new(settings.into_value()))
    }
}

type CountTokens = fn(&Usage) -> u64;

/// A limit, and how a run's tokens of its kind are counted.
struct TokenLimit {
    name: &'static str,
    most: u64,
    count: CountTokens,
}

impl TokensAtMost {
    fn limits(&self) -> Vec<TokenLimit> {
        let limits: [(_, _, CountTokens); 3] = [
            ("total", self.total, |usage| usage.input_tokens.saturating_add(usage.output_tokens)),
            ("input", self.input, |usage| usage.input_tokens),
            ("output", self.output, |usage| usage.output_tokens),
        ];
        limits
            .into_iter()
            .filter_map(|(name, most, count)| Some(TokenLimit { name, most: most?, count }))
            .collect()
    }
}

impl Check for TokensAtMost {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let Some(usage) = evidence.trace.usage else {
            let help = "record the usage of the run, or drop the limit";
            return Err(CannotDecide::missing("the trace does not record tokens").help(help));
        };
        let mut items = Vec::new();
        let mut violations = Vec::new();
        for limit in self.limits() {
            let used = (limit.count)(&usage);
            let item = Item::tested(format!("{}: at most {}", limit.name, limit.most), used <= limit.most);
            items.push(item.note(format!("{used} tokens")));
            violations.extend((used > limit.most).then(|| limit.describe_excess(used)));
        }
        // A part that exceeds the limit proves that the whole does. A part within the limit proves nothing.
        if usage.partial && violations.is_empty() {
            let help = "record the usage of every model call, or drop the limit";
            return Err(CannotDecide::missing("the trace records only a part of the tokens").help(help));
        }
        Ok(Outcome::of_items(items, violations)
            .value("input_tokens", usage.input_tokens.into())
            .value("output_tokens", usage.output_tokens.into()))
    }

    // A run that went on would only need more.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
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
        let name = self.name;
        let most = self.most;
        let kind = if name == "total" { String::new() } else { format!("{name} ") };
        Violation::new(format!("the run took {used} {kind}tokens, more than {most}"))
            .value(used)
            .constraint(format!("{name}: {most}"))
            .at(format!("/{name}"))
            .help("make the context shorter or the answers briefer, or raise the limit")
    }
}
