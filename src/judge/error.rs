//! The reasons why a judge gave no opinion.

/// The reason why a judge gave no opinion. Further lines of the message are causes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// The judge cannot be reached, or reports a failure.
    #[error("the judge failed\n{0}")]
    Failed(String),
    /// Two replies in a row could not be parsed.
    #[error("the judge answered with what is no opinion\n{0}")]
    Malformed(String),
    /// The judge followed an instruction in the evidence.
    #[error(
        "the judge did what a text of the run told it, and not what it was asked: it said yes to a question whose \
         answer is no"
    )]
    Captured,
    /// The evidence exceeds the size limit.
    #[error("the run is too long to be judged: {0}")]
    TooLong(String),
    /// The budget is spent.
    #[error("the budget of {budget} US dollars is spent (`judge: {{budget_usd: {budget}}}`)")]
    OverBudget {
        /// The budget.
        budget: String,
    },
    /// A budget is set, but the price of the model is unknown.
    #[error(
        "`budget_usd` cannot be held: what the judge costs is not known; add its model to `prices`: \
         `prices: {{{model}: {{input: .., output: ..}}}}`"
    )]
    NoPrice {
        /// The model.
        model: String,
    },
    /// A budget is set, but the shared ledger of the run's processes cannot be read or written.
    #[error("`budget_usd` cannot be held: what the run has spent cannot be read or written\n{0}")]
    Unaccounted(String),
    /// The cassette cannot be read.
    #[error("the recorded opinions cannot be read\n{0}")]
    Unreadable(String),
    /// The cassette cannot be written.
    #[error("the opinions cannot be recorded\n{0}")]
    Unwritten(String),
}

impl JudgeError {
    /// Creates a failure with the judge's own message.
    pub fn failed(why: impl std::fmt::Display) -> Self {
        Self::Failed(why.to_string())
    }
}
