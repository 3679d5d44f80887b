//! Why a judge gave no opinion.

/// A judge that gave no opinion. Further lines are causes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JudgeError {
    /// It cannot be asked, or it says that it failed.
    #[error("the judge failed\n{0}")]
    Failed(String),
    /// It answered twice with what is no opinion.
    #[error("the judge answered with what is no opinion\n{0}")]
    Malformed(String),
    /// It did what the evidence told it to do.
    #[error(
        "the judge did what a text of the run told it, and not what it was asked: it said yes to a question whose \
         answer is no"
    )]
    Captured,
    /// The evidence is longer than a judge is given.
    #[error("the run is too long to be judged: {0}")]
    TooLong(String),
    /// The money is spent.
    #[error("the budget of {budget} US dollars is spent (`judge: {{budget_usd: {budget}}}`)")]
    OverBudget {
        /// What may be spent.
        budget: String,
    },
    /// There is a budget, and nobody knows what is spent.
    #[error(
        "`budget_usd` cannot be held: what the judge costs is not known; add its model to `prices`: \
         `prices: {{{model}: {{input: .., output: ..}}}}`"
    )]
    NoPrice {
        /// The model.
        model: String,
    },
    /// There is a budget, and what the processes of the run have spent cannot be added up.
    #[error("`budget_usd` cannot be held: what the run has spent cannot be read or written\n{0}")]
    Unaccounted(String),
    /// What was recorded of it cannot be read.
    #[error("the recorded opinions cannot be read\n{0}")]
    Unreadable(String),
    /// What it said cannot be kept.
    #[error("the opinions cannot be recorded\n{0}")]
    Unwritten(String),
}

impl JudgeError {
    /// A failure in the judge's own words.
    pub fn failed(why: impl std::fmt::Display) -> Self {
        Self::Failed(why.to_string())
    }
}
