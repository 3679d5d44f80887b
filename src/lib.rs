//! Every YAML eval case becomes a libtest trial.

pub mod place;
pub mod yaml;
