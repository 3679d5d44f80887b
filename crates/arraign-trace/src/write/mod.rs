//! Runs in the formats of others, with a list of what each of these formats has no place for.
//!
//! ```
//! use arraign_trace::json::json;
//! use arraign_trace::reader::{read, read_native};
//! use arraign_trace::write::to_atif;
//!
//! let run = read_native(json!({"steps": [
//!     {"user": "Where is order 7?"},
//!     {"call": "get_order", "args": {"id": 7}, "error": "no such order"},
//!     {"say": "I cannot find it."},
//! ]})).expect("a run");
//! let written = to_atif(&run)?;
//! assert!(written.losses.iter().any(|loss| loss.to_string().starts_with("`status` of call 1")));
//! // arraign reads back what others lose.
//! let again = read(&written.text, Some("atif"))?.runs.remove(0);
//! assert_eq!(again.calls, run.calls);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod atif;
mod calls;
mod loss;
mod openai_chat;

pub use atif::to_atif;
pub use loss::{CannotWrite, Loss, Written};
pub use openai_chat::to_openai_chat;
