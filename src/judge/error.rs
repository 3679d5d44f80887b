//! The reasons why a judge gave no opinion.

/// The reason why a judge gave no opinion. Further lines of the message are causes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The judge cannot be reached, or reports a failure.
    #[error("the judge failed\n{0}")]
    Failed(String),
    /// Two replies in a row could not be parsed.
    #[error("the judge's reply is not a valid opinion\n{0}")]
    Malformed(String),
    /// The judge followed an instruction in the evidence.
    #[error(
        "the judge followed an instruction in the run: it answered yes to a control question whose answer is no"
    )]
    Captured,
    /// The evidence exceeds the size limit.
    #[error("the run is too long to be judged: {0}")]
    TooLong(String),
    /// The budget is spent.
    #[error("the budget of {budget} US dollars is spent (`judge: {{budget_usd: {budget}}}`){}", describe_part(*jobs))]
    OverBudget {
        /// The budget.
        budget: String,
        /// The number of jobs that share the budget.
        jobs: u32,
    },
    /// A budget is set, but the price of the model is unknown.
    #[error(
        "cannot enforce `budget_usd`: the price of the judge is unknown; add its model to `prices`: \
         `prices: {{{model}: {{input: .., output: ..}}}}`"
    )]
    NoPrice {
        /// The model.
        model: String,
    },
    /// A budget is set, but the shared ledger of the run's processes cannot be read or written.
    #[error("cannot enforce `budget_usd`: cannot read or write what the run has spent\n{0}")]
    Unaccounted(String),
    /// The cassette cannot be read.
    #[error("cannot read the recorded opinions\n{0}")]
    Unreadable(String),
    /// The cassette cannot be written.
    #[error("cannot record the opinions\n{0}")]
    Unwritten(String),
}

impl JudgeError {
    /// Creates a failure with the judge's own message.
    pub fn failed(why: impl std::fmt::Display) -> Self {
        Self::Failed(why.to_string())
    }
}

/// Says which part of a budget was spent.
fn describe_part(jobs: u32) -> String {
    if jobs == 1 { String::new() } else { format!(": this is one of {jobs} jobs that share it") }
}
