//! **arraign-trace** reads the recorded run of an AI agent, whatever wrote it.
//!
//! Agent frameworks, model providers and tracing standards each keep a run in a format of their own. This crate turns
//! [more than 30 of them](reader::READERS) into one model, the [`Trace`]: the messages, the tool calls in the order in which the
//! model made them, the answer, and what the run cost. A file's format is recognised by its content.
//!
//! ```
//! let log = r#"[
//!     {"role": "user", "content": "Where is order 7?"},
//!     {"role": "assistant", "content": null, "tool_calls": [
//!         {"id": "c1", "type": "function", "function": {"name": "find_order", "arguments": "{\"id\": 7}"}}]},
//!     {"role": "tool", "tool_call_id": "c1", "content": "shipped"},
//!     {"role": "assistant", "content": "It ships today."}]"#;
//!
//! let recording = arraign_trace::reader::read(log, None)?;
//! assert_eq!(recording.format, "openai-chat");
//! let run = &recording.runs[0];
//! assert_eq!(run.tool_names(), ["find_order"]);
//! assert_eq!(run.calls[0].arguments.get("id"), Some(&7.into()));
//! assert_eq!(run.answer.as_deref(), Some("It ships today."));
//! # Ok::<(), arraign_trace::reader::TraceError>(())
//! ```
//!
//! What a format does not record is `None` in the trace, never a guess. A value that cannot be, such as a negative
//! count of tokens, is an error with the line and the JSON pointer of its place in the file.
//!
//! - [`reader::read`] reads a text; [`reader::runs`] reads a file of any size, one run at a time.
//! - [`source::FileOpener`] opens files below given folders only, up to a limit of size.
//! - [`jsonpath::JsonPath`] selects values from arguments and results (RFC 9535).
//!
//! The crate [`arraign`](https://docs.rs/arraign) checks traces in `cargo test`, and re-exports these types.

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
