//! What tokens cost, by model.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::support::reading::{Amount, is_amount};
use crate::outcome::CannotDecide;
use crate::place::LoadErrors;
use crate::trace::{Trace, Usage};
use crate::yaml::{Node, OrderedMap, nearest};

/// Prices are per this many tokens.
const TOKENS: f64 = 1e6;

/// The prices of one suite: US dollars per million tokens, by the exact name of the model.
#[derive(Debug, Clone, Default)]
pub struct Prices {
    models: Arc<BTreeMap<String, ModelPrice>>,
}

/// The prices of one model.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "price")]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelPrice {
    /// Input tokens.
    input: Amount,
    /// Output tokens.
    output: Amount,
    /// Input tokens that are read from a cache. Default: the price of input tokens.
    cached: Option<Amount>,
}

impl Prices {
    /// Reads the prices in `node`: `{gpt-4o: {input: 2.5, output: 10, cached: 1.25}}`.
    pub fn of(node: Node<'_>) -> Result<Self, LoadErrors> {
        Self::default().extended(node)
    }

    /// These, and what `node` says beside or instead of them.
    pub fn extended(&self, node: Node<'_>) -> Result<Self, LoadErrors> {
        let help = "write `prices: {MODEL: {input: 2.5, output: 10}}`, in dollars per million tokens";
        if node.entries().is_none() {
            let problem = format!("`prices` is a mapping of models to prices, not {}", node.describe());
            return Err(node.error(problem).help(help).into());
        }
        let written: OrderedMap<String, ModelPrice> = node.decode_all()?;
        let mut models = BTreeMap::clone(&self.models);
        models.extend(written.0);
        Ok(Self { models: Arc::new(models) })
    }

    /// Returns the cost of the run in US dollars: the recorded one, or else that of its tokens at the price of its
    /// model. `None` if neither is known.
    pub fn cost(&self, trace: &Trace) -> Option<f64> {
        self.cost_or_why(trace).ok()
    }

    /// Returns the cost of `usage` at the price of `model`, or `None` if the model has no price.
    pub fn of_tokens(&self, model: &str, usage: Usage) -> Option<f64> {
        self.models.get(model).map(|price| price.of(usage))
    }

    /// Returns the cost of the run, or why it is not known.
    pub(crate) fn cost_or_why(&self, trace: &Trace) -> Result<f64, CannotDecide> {
        match trace.cost_usd {
            Some(cost) if is_amount(cost) => Ok(cost),
            Some(cost) => {
                Err(CannotDecide::invalid(format!("the trace says that the run cost {cost} dollars")))
            }
            None => self.priced(trace),
        }
    }

    fn priced(&self, trace: &Trace) -> Result<f64, CannotDecide> {
        let usage = trace.usage.ok_or_else(|| {
            CannotDecide::missing("the trace tells neither what the run cost nor how many tokens it used")
                .help("record the cost or the token usage of the run")
        })?;
        // A price for some of the tokens would pass as the price of all.
        if usage.partial {
            let missing = CannotDecide::missing("the trace tells the tokens of a part of the run only");
            return Err(missing.help("record the cost, or the token usage of every model call"));
        }
        let model = trace.model.as_deref().ok_or_else(|| {
            CannotDecide::missing(
                "the trace does not tell what the run cost, nor which model's price its tokens have",
            )
            .help("record the cost, or the model")
        })?;
        self.models.get(model).map(|price| price.of(usage)).ok_or_else(|| self.no_price(model))
    }

    fn no_price(&self, model: &str) -> CannotDecide {
        let missing = CannotDecide::missing(format!(
            "the trace does not tell what the run cost, and `prices` has no model `{model}`"
        ));
        let known = self.models.keys().map(String::as_str);
        let near = Some(model).filter(|model| model.len() < 200).and_then(|model| nearest(model, known));
        let near = near.map_or_else(String::new, |near| format!(" (it has `{near}`)"));
        missing.help(format!(
            "add it to the suite: `prices: {{{model}: {{input: .., output: ..}}}}`, in dollars per million tokens{near}"
        ))
    }
}

impl ModelPrice {
    fn of(self, usage: Usage) -> f64 {
        let cached = usage.cached_tokens.unwrap_or_default().min(usage.input_tokens);
        let parts = [
            (usage.input_tokens - cached, self.input),
            (cached, self.cached.unwrap_or(self.input)),
            (usage.output_tokens, self.output),
        ];
        let sum: f64 = parts.iter().map(|(tokens, price)| count_to_float(*tokens) * price.get()).sum();
        // Below a billionth of a dollar there is only the noise of the arithmetic, which must not break a limit.
        (sum / TOKENS * 1e9).round() / 1e9
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 tokens, which no run uses")]
fn count_to_float(tokens: u64) -> f64 {
    tokens as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::UndecidedReason;
    use crate::place::Source;
    use crate::yaml::Document;

    fn prices(text: &str) -> Result<Prices, String> {
        let documents = Document::parse(&Source::new("s.yaml", text)).expect("valid YAML");
        Prices::of(documents[0].root()).map_err(|errors| errors.to_string())
    }

    fn run(input_tokens: u64, cached_tokens: Option<u64>, output_tokens: u64) -> Trace {
        let usage = Usage { input_tokens, cached_tokens, output_tokens, ..Usage::default() };
        Trace { model: Some("gpt-4o".into()), usage: Some(usage), ..Trace::default() }
    }

    fn why(prices: &Prices, trace: &Trace) -> UndecidedReason {
        prices.cost_or_why(trace).expect_err("it cannot be told").reason
    }

    #[test]
    fn tokens_cost_what_the_table_says() {
        let table = prices("gpt-4o: {input: 2.5, output: 10, cached: 1.25}").expect("it is right");
        assert_eq!(table.cost(&run(1_000_000, None, 100_000)), Some(3.5));
        assert_eq!(table.cost(&run(1_000_000, Some(400_000), 0)), Some(2.0));
        let table = prices("gpt-4o: {input: 0.1, output: 0}").expect("it is right");
        assert_eq!(table.cost(&run(3_000_000, Some(1), 7)), Some(0.3));
        assert_eq!(table.cost(&run(u64::MAX, Some(u64::MAX), u64::MAX)).map(f64::is_finite), Some(true));
    }

    #[test]
    fn a_recorded_cost_is_the_cost() {
        let table = prices("gpt-4o: {input: 2.5, output: 10}").expect("it is right");
        assert_eq!(table.cost(&Trace { cost_usd: Some(0.0), ..run(1_000_000, None, 0) }), Some(0.0));
    }

    #[test]
    fn what_cannot_be_told_is_missing_and_never_zero() {
        let table = prices("gpt-4: {input: 2.5, output: 10}").expect("it is right");
        let partial = Usage { partial: true, ..Usage::default() };
        for trace in [
            Trace::default(),
            run(1, None, 1),
            Trace { model: None, ..run(1, None, 1) },
            Trace { usage: Some(partial), ..run(1, None, 1) },
        ] {
            assert!(matches!(why(&table, &trace), UndecidedReason::MissingEvidence(_)), "{trace:?}");
            assert_eq!(table.cost(&trace), None);
        }
    }

    #[test]
    fn a_cost_that_cannot_be_is_an_error() {
        for cost in [-0.01, f64::NAN, f64::INFINITY] {
            let trace = Trace { cost_usd: Some(cost), ..Trace::default() };
            assert!(matches!(why(&Prices::default(), &trace), UndecidedReason::InvalidEvidence(_)), "{cost}");
        }
    }

    #[test]
    fn mistakes_in_a_table_have_their_places() {
        assert_eq!(
            prices("a: {input: -1, output: 1}\nb: {input: 1, ouput: 1}\nc: 3").expect_err("three mistakes"),
            "s.yaml:1:12: expected a number from 0 up, found `-1`\n\
             s.yaml:2:15: unknown key `ouput` (help: did you mean `output`?)\n\
             s.yaml:3:4: expected a mapping of settings, found `3`"
        );
    }
}
