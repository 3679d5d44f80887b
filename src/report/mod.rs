//! Reports: pure functions from verdicts to text.

pub mod block;
pub mod plain;
pub mod score;
pub mod summary;
pub mod terminal;
