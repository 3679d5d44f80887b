//! `cost_at_most`: the run costs at most this amount in US dollars.
//!
//! The cost comes from the trace, or from its tokens and the suite's `prices` for its model. If the cost is
//! unknown, the check is undecided; the run does not count as free.
//!
//! <!-- settings -->
//!
//! This case fails:
//!
//! ```yaml
#![doc = include_str!("../../../tests/check/cost_at_most/fail-a-cent-too-much.yaml")]
//! ```

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::reading::Amount;
use crate::check::tables::prices::Prices;
use crate::check::{BuildCheck, Check, CheckKind, Scope, accepts_counterexample};
use crate::evidence::Evidence;
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::place::LoadErrors;
use crate::trace::Trace;
use crate::yaml::Placed;

pub(crate) const KIND: CheckKind =
    CheckKind::built::<CostSettings>("cost_at_most", "the run costs at most this many US dollars")
        .shorthand("usd")
        .of_figures();

/// Settings of `cost_at_most`.
#[derive(Deserialize, JsonSchema)]
struct CostSettings {
    /// The highest cost of a run, in US dollars. Exactly so much is allowed.
    usd: Amount,
}

struct CostAtMost {
    limit: Amount,
    prices: Prices,
}

impl BuildCheck for CostSettings {
    fn build(settings: Placed<Self>, scope: &Scope<'_>) -> Result<Box<dyn Check>, LoadErrors> {
        Ok(Box::new(CostAtMost { limit: settings.usd, prices: scope.tables.prices.clone() }))
    }
}

impl Check for CostAtMost {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        let cost = self.prices.cost_or_why(&evidence.trace)?;
        let is_priced = evidence.trace.cost_usd.is_none();
        let violation = (cost > self.limit.get()).then(|| too_much(cost, self.limit, is_priced));
        let label = format!("at most ${}", self.limit.get());
        let note = format!("the run cost ${cost}");
        Ok(Outcome::of_limit(label, note, violation).value("cost_usd", cost.into()))
    }

    // A run that went on would only need more.
    fn is_settled(&self, outcome: &Outcome) -> bool {
        !outcome.violations.is_empty()
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(Trace { cost_usd: Some(self.limit.exceeded()), ..Trace::default() }.into())
    }

    fn is_vacuous(&self) -> bool {
        accepts_counterexample(self)
    }
}

fn too_much(cost: f64, limit: Amount, is_priced: bool) -> Violation {
    let limit = limit.get();
    let by = if is_priced { ", by the suite's prices" } else { "" };
    Violation::new(format!("the run cost ${cost}, more than ${limit}{by}"))
        .value(cost)
        .constraint(format!("cost_at_most: {limit}"))
        .at("/usd")
        .help("make the run cheaper (fewer turns, a shorter context, a smaller model), or raise the limit")
}
