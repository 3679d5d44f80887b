//! Counts of the trials that ask an agent or the judge.

/// The progress of the trials that ask agents, or of those that ask the judge.
#[derive(Default)]
#[cfg_attr(
    not(any(feature = "live", feature = "http")),
    expect(dead_code, reason = "only the line of progress reads all fields")
)]
pub(crate) struct AskProgress {
    /// The number of trials that ask.
    pub(crate) asked: usize,
    /// The number of trials that have their answer.
    pub(crate) answered: usize,
    /// The names of the trials that wait for an answer.
    pub(crate) at_work: Vec<String>,
}
