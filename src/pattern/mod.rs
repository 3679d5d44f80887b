//! How names and text are matched.
//!
//! Patterns compile once a process: the same glob or regex in ten thousand cases is one automaton.

mod atoms;
mod error;
mod example;
mod field_alias;
mod glob_example;
mod js_regex;
mod name_matcher;
mod near_name;
mod normal_name;
mod normal_pattern;
mod path_pattern;
mod personal;
mod placeholder;
mod plain;
mod regex;
mod split_name;
mod steps;
mod tool;
mod tool_category;
mod tool_set;
mod unspaced;
mod visible;
mod word_table;

pub use arraign_trace::jsonpath::JsonPath;
pub use atoms::{
    Atom, AtomKind, AtomReading, ClockTime, Date, Decimal, Unit, find_atoms, fold_text, is_currency,
    list_digit_runs, units_agree,
};
pub use error::{OddCharacter, PatternError};
pub(crate) use example::find_example;
pub(crate) use field_alias::WrittenAliases;
pub use field_alias::{FieldAliases, FieldPattern};
pub use js_regex::{Flags, ForeignConstruct, JsRegex, JsRegexError, StepsExhausted};
pub use name_matcher::is_glob;
pub(crate) use near_name::find_near_calls;
pub use normal_name::normal_name;
pub use normal_pattern::NormalPattern;
pub use path_pattern::PathPattern;
pub use personal::{
    Personal, PersonalKind, find_personal, find_secrets, mask_json_secrets, mask_ranges, mask_secrets,
    visit_secret_values,
};
pub use placeholder::{TemplatePart, split_placeholders};
pub use regex::TextPattern;
pub(crate) use split_name::split_name;
pub use tool::{ToolMatch, ToolPattern};
pub use tool_category::{ToolCategories, ToolCategory};
pub use tool_set::{MAX_SHORT_LIST, ToolPatternSet};
pub(crate) use unspaced::is_unspaced;
pub(crate) use visible::show_name;
#[cfg(feature = "verification")]
pub(crate) use word_table::WordSet;
pub(crate) use word_table::list_rows;
#[cfg(test)]
pub(crate) use word_table::read_examples;
pub(crate) use word_table::{WordList, list_lines, list_words};
