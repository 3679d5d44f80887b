//! How names and text are matched.
//!
//! Patterns compile once a process: the same glob or regex in ten thousand cases is one automaton.

mod compiled;
mod js_regex;
mod regex;
mod tool;

pub use js_regex::{Exhausted, Flags, JsRegex, JsRegexError};
pub use regex::TextPattern;
pub use tool::{ToolPattern, is_glob};
