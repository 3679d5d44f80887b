//! Every YAML eval case becomes a libtest trial.

pub mod case;
pub mod check;
pub mod evidence;
pub mod harness;
pub mod outcome;
pub mod pattern;
pub mod place;
pub mod reader;
pub mod report;
pub mod source;
pub mod suite;
pub mod trace;
pub mod verdict;
pub mod vocabulary;
pub mod yaml;

pub use harness::Harness;
