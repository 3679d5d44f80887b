#![doc = include_str!("../README.md")]
//! # Where to start
//!
//! - [`reader::read`] reads a text; [`reader::runs`] reads a file of any size, one run at a time.
//! - [`Trace`] is one run; [`trace::Call`] is one of its calls.
//! - [`source::FileOpener`] opens files below given folders only, up to a limit of size.
//! - [`write`](mod@write) writes traces in formats of others.
//! - [`jsonpath::JsonPath`] selects values from arguments and results (RFC 9535).

// docs.rs shows which feature an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod calendar;
#[doc(hidden)]
pub mod code_blocks;
#[doc(hidden)]
pub mod compiled;
pub mod json;
#[doc(hidden)]
pub mod json_text;
pub mod jsonpath;
pub mod place;
pub mod reader;
pub mod source;
#[doc(hidden)]
pub mod suggest;
mod text_halves;
pub mod trace;
pub mod write;

pub use json::Json;
pub use trace::Trace;

/// Schemars' derive, or one that derives nothing: settings have one line for both builds.
#[cfg(not(feature = "schema"))]
pub(crate) use arraign_derive::JsonSchema;
#[cfg(feature = "schema")]
pub(crate) use schemars::JsonSchema;

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use crate::reader::READERS;

    #[test]
    fn the_readme_lists_each_format() {
        let mut table = "| format | what is read |\n|---|---|\n".to_owned();
        for reader in READERS {
            writeln!(table, "| `{}` | {} |", reader.name, reader.summary).expect("text");
        }
        let readme = include_str!("../README.md");
        let (_, after) = readme.split_once("<!-- the table of formats -->\n").expect("a table");
        let (listed, _) = after.split_once("<!-- end of the table of formats -->").expect("its end");
        assert_eq!(listed, table);
    }
}
