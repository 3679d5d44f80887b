//! What the judge has cost in this process.

use std::sync::{Mutex, PoisonError};

use super::{Answer, JudgeError};
use crate::check::Prices;
use crate::score::written;

/// What was asked, and what it cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spent {
    /// Requests, those included that were asked again.
    pub requests: u64,
    /// Tokens that the judge read.
    pub input_tokens: u64,
    /// Tokens that it wrote.
    pub output_tokens: u64,
    /// US dollars, as far as they are known.
    pub cost_usd: f64,
    /// Answers of which nobody knows what they cost.
    pub unpriced: u64,
}

/// What is spent, by all trials together.
#[derive(Debug, Default)]
pub(super) struct Spending(Mutex<Spent>);

impl Spending {
    pub(super) fn so_far(&self) -> Spent {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something is left of the budget. Where the cost is not known, nothing more is asked: it could be any.
    pub(super) fn allow(&self, budget: Option<f64>, model: &str) -> Result<(), JudgeError> {
        let (Some(budget), spent) = (budget, self.so_far()) else { return Ok(()) };
        if spent.unpriced > 0 {
            return Err(JudgeError::NoPrice { model: model.to_owned() });
        }
        if spent.cost_usd >= budget {
            return Err(JudgeError::OverBudget { budget: written(budget) });
        }
        Ok(())
    }

    /// Adds what an answer of `model` cost.
    pub(super) fn add(&self, answer: &Answer, model: &str, prices: &Prices) {
        let usage = answer.usage.unwrap_or_default();
        let of_tokens = || prices.of_tokens(model, answer.usage?);
        let cost = answer.cost_usd.or_else(of_tokens).filter(|cost| cost.is_finite() && *cost >= 0.0);
        let mut spent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        spent.requests += 1;
        spent.input_tokens = spent.input_tokens.saturating_add(usage.input_tokens);
        spent.output_tokens = spent.output_tokens.saturating_add(usage.output_tokens);
        spent.cost_usd += cost.unwrap_or_default();
        spent.unpriced += u64::from(cost.is_none());
    }
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let requests = if self.requests == 1 { "request" } else { "requests" };
        write!(f, "{} {requests}, {} tokens read", self.requests, self.input_tokens)?;
        write!(f, " and {} written", self.output_tokens)?;
        if self.unpriced < self.requests {
            write!(f, ", {:.4} US dollars", self.cost_usd)?;
        }
        if self.unpriced > 0 {
            write!(f, " ({} without a known price)", self.unpriced)?;
        }
        Ok(())
    }
}
