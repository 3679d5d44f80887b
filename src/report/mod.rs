//! Reports: pure functions from verdicts to text.

pub mod plain;
pub mod terminal;
