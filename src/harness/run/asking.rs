//! How many trials ask an agent or the judge, and how far they are.

/// The trials that ask one kind of respondent: agents, or the judge.
#[derive(Default)]
#[cfg_attr(
    not(any(feature = "live", feature = "judge")),
    expect(dead_code, reason = "only the line of progress reads all fields")
)]
pub(in crate::harness) struct Asking {
    /// How many trials ask.
    pub(in crate::harness) asked: usize,
    /// How many of them have an answer.
    pub(in crate::harness) answered: usize,
    /// The names of those at work.
    pub(in crate::harness) at_work: Vec<String>,
}
