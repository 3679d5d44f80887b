//! The cost of the judge: in this process, and in all processes of the run.

use std::fmt::Display;
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::{JudgeAnswer, JudgeError};
use crate::check::Prices;
use crate::json;
use crate::score::written;
use crate::source::{LineLog, lock};

/// The number of requests and their cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeUsage {
    /// Requests, including repeated ones.
    pub requests: u64,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// The known cost in US dollars.
    pub cost_usd: f64,
    /// The number of answers without a known price.
    pub unpriced: u64,
}

impl JudgeUsage {
    fn plus(self, more: Self) -> Self {
        Self {
            // The counts are those of servers, which may send any number.
            requests: self.requests.saturating_add(more.requests),
            input_tokens: self.input_tokens.saturating_add(more.input_tokens),
            output_tokens: self.output_tokens.saturating_add(more.output_tokens),
            cost_usd: self.cost_usd + more.cost_usd,
            unpriced: self.unpriced.saturating_add(more.unpriced),
        }
    }
}

/// Adds up the cost of all trials.
#[derive(Debug, Default)]
pub(super) struct SpendingTracker {
    /// The cost of this process.
    own: Mutex<JudgeUsage>,
    /// The shared costs of the run's processes, if there are several: each line is one answer.
    pub(super) ledger: Option<LineLog>,
}

impl SpendingTracker {
    /// Returns the costs of this process.
    pub(super) fn own_usage(&self) -> JudgeUsage {
        *lock(&self.own)
    }

    /// Returns the costs of the whole run.
    fn read_run_usage(&self) -> Result<JudgeUsage, JudgeError> {
        // Without a ledger, this process is the whole run.
        let Some(ledger) = &self.ledger else { return Ok(self.own_usage()) };
        let lines = ledger.read_lines().map_err(|error| ledger_error(ledger, error))?;
        let mut total = JudgeUsage::default();
        for line in lines {
            let usage = json::from_str(&line).map_err(|error| ledger_error(ledger, error))?;
            total = total.plus(usage);
        }
        Ok(total)
    }

    /// Returns an error if the part of the budget is spent that one of `jobs` has. If the cost of an answer is unknown, nothing more is asked: it could be
    /// any amount.
    pub(super) fn check_budget(&self, budget: Option<f64>, jobs: u32, model: &str) -> Result<(), JudgeError> {
        let Some(budget) = budget else { return Ok(()) };
        let spent = self.read_run_usage()?;
        // An answer without a price could have cost any amount, so a budget cannot be kept after it.
        if spent.unpriced > 0 {
            return Err(JudgeError::NoPrice { model: model.to_owned() });
        }
        if spent.cost_usd >= budget / f64::from(jobs) {
            return Err(JudgeError::OverBudget { budget: written(budget), jobs });
        }
        Ok(())
    }

    /// Adds the cost of an answer of `model`. The error means that other processes do not see this cost.
    pub(super) fn record_answer(
        &self,
        answer: &JudgeAnswer,
        model: &str,
        prices: &Prices,
    ) -> Result<(), JudgeError> {
        let usage = answer.usage.unwrap_or_default();
        let cost = answer.cost_usd.or_else(|| prices.of_tokens(model, answer.usage?));
        // A cost that is not a number or negative would disable the budget, so it counts as unknown.
        let cost = cost.filter(|cost| cost.is_finite() && *cost >= 0.0);
        let answered = JudgeUsage {
            requests: 1,
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cost_usd: cost.unwrap_or_default(),
            unpriced: u64::from(cost.is_none()),
        };
        // The own sum grows also if the ledger fails: the answer was paid, whoever knows of it.
        let mut own = lock(&self.own);
        *own = own.plus(answered);
        drop(own);
        // Alone, this process is the whole run.
        let Some(ledger) = &self.ledger else { return Ok(()) };
        let line = json::to_vec(&answered).map_err(|error| ledger_error(ledger, error))?;
        ledger.append_line(&line).map_err(|error| ledger_error(ledger, error))
    }
}

fn ledger_error(ledger: &LineLog, why: impl Display) -> JudgeError {
    JudgeError::Unaccounted(format!("{}: {why}", ledger.path().display()))
}

impl std::fmt::Display for JudgeUsage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let requests = if self.requests == 1 { "request" } else { "requests" };
        write!(f, "{} {requests}, {} tokens read", self.requests, self.input_tokens)?;
        write!(f, " and {} written", self.output_tokens)?;
        // Without any known price, a sum of zero dollars would read as free.
        if self.unpriced < self.requests {
            write!(f, ", {:.4} US dollars", self.cost_usd)?;
        }
        if self.unpriced > 0 {
            write!(f, " ({} without a known price)", self.unpriced)?;
        }
        Ok(())
    }
}
