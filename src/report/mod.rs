//! Reports: pure functions from verdicts to text.

pub mod plain;
pub mod score;
pub mod terminal;
