//! Every YAML eval case becomes a libtest trial.

pub mod check;
pub mod evidence;
pub mod outcome;
pub mod pattern;
pub mod place;
pub mod reader;
pub mod source;
pub mod trace;
pub mod yaml;
